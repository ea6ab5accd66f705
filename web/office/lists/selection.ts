/**
 * The selected rows of a list. They stay selected when the user opens other pages of the list, until the filters
 * change.
 */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminList } from '../../../engine/index.ts'
import type { ListRow } from '../../../engine/api.ts'
import { buildListUrl, callApi } from '../office-api-and-urls.ts'
import { createListReader } from '../office-api-responses.ts'

/** Maximum number of selected rows. Bulk actions on more would take minutes, and filters can narrow the list. */
export const MAX_SELECTED_ROWS = 1_000
const LARGEST_PAGE = 100

export type Selection = {
  /** The selected rows, keyed by registration number. */
  readonly rows: ReadonlyMap<string, ListRow>
  readonly isLoading: boolean
  readonly error: Error | null
  toggle(row: ListRow): void
  /** Selects all these rows or, if all are selected already, deselects them. */
  togglePage(rows: readonly ListRow[]): void
  remove(rows: readonly ListRow[]): void
  /** Selects every row of the list, reading it page by page. */
  selectAll(): void
  clear(): void
}

const NO_ROWS: ReadonlyMap<string, ListRow> = new Map()

export function useSelection(list: AdminList, searchParams: URLSearchParams): Selection {
  /** The same for every page and sort order. */
  const filters = buildListUrl(list.api, list, searchParams, false)
  const [selection, setSelection] = useState({ filters, rows: NO_ROWS })
  const rows = selection.filters === filters ? selection.rows : NO_ROWS
  /**
   * Changes the selection. Starts from the latest selection, because several changes may occur before the next render.
   */
  const select = (
    change: (currentRows: ReadonlyMap<string, ListRow>) => ReadonlyMap<string, ListRow>,
  ) =>
    setSelection((previous) => ({
      filters,
      rows: change(previous.filters === filters ? previous.rows : NO_ROWS),
    }))
  const loadMutation = useMutation({
    mutationFn: () => readAllRows(list, searchParams),
    onSuccess: (allRows) => select(() => indexByNumber(allRows)),
  })
  return {
    rows,
    isLoading: loadMutation.isPending,
    error: loadMutation.error,
    toggle: (row) =>
      select((currentRows) =>
        isSelected(currentRows, row)
          ? removeRows(currentRows, [row])
          : new Map([...currentRows, [row.reg_no, row]]),
      ),
    togglePage: (page) =>
      select((currentRows) =>
        page.every((row) => isSelected(currentRows, row))
          ? removeRows(currentRows, page)
          : new Map([...currentRows, ...indexByNumber(page)]),
      ),
    remove: (doneRows) => select((currentRows) => removeRows(currentRows, doneRows)),
    selectAll: () => loadMutation.mutate(),
    clear: () => select(() => NO_ROWS),
  }
}

const isSelected = (rows: ReadonlyMap<string, ListRow>, { reg_no: regNo }: ListRow): boolean =>
  rows.has(regNo)
const indexByNumber = (rows: readonly ListRow[]): ReadonlyMap<string, ListRow> =>
  new Map(rows.map((row) => [row.reg_no, row]))
const removeRows = (
  rows: ReadonlyMap<string, ListRow>,
  removedRows: readonly ListRow[],
): ReadonlyMap<string, ListRow> => {
  const numbers = new Set(removedRows.map(({ reg_no: regNo }) => regNo))
  return new Map([...rows].filter(([regNo]) => !numbers.has(regNo)))
}

/** Reads the rows of a list page by page, up to a maximum. */
export async function readAllRows(
  list: AdminList,
  searchParams: URLSearchParams,
  max: number = MAX_SELECTED_ROWS,
): Promise<readonly ListRow[]> {
  const params = new URLSearchParams(searchParams)
  if (list.pageSizes.length > 0) params.set('page_size', String(LARGEST_PAGE))
  const rows: ListRow[] = []
  for (let number = 1; ; number += 1) {
    params.set('page', String(number))
    const page = await callApi(buildListUrl(list.api, list, params, true), createListReader(list))
    rows.push(...page.rows)
    if (page.rows.length === 0 || rows.length >= Math.min(page.count, max)) return rows
  }
}

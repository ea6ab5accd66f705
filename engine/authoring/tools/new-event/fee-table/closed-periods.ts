/** Days on which registration is closed: between two periods, or a period in which no category is on sale. */
import type { Currency } from '../../../../lib/money.ts'
import { addDays, formatDay, formatDays, isDay, type Day } from '../../../../lib/time.ts'
import { listPeriodLabels } from '../price-periods.ts'
import { readPrice } from '../prices.ts'
import type { FeeTable } from './parts.ts'

type Columns = FeeTable['columns']
/** The days between the previous period and the period in `column`, both inclusive. */
type Gap = { readonly column: number; readonly first: Day; readonly last: Day }

/**
 * Builds a name for a period without a label from its dates. Returns an empty string if there are fewer than four
 * periods, because those have default names.
 */
function buildNameFromDays(columns: Columns, index: number): string {
  const [to, previousEnd] = [columns[index]?.to ?? '', columns[index - 1]?.to ?? '']
  if (columns.length < 4) return ''
  if (isDay(to)) return `Until ${formatDay(to)}`
  return isDay(previousEnd) ? `After ${formatDay(previousEnd)}` : ''
}

/**
 * Returns the names that the table states for the periods, or names built from their dates. A name is empty if the
 * period gets its default name in the file.
 */
export const listStatedNames = ({ columns }: Pick<FeeTable, 'columns'>): readonly string[] =>
  columns.map(({ label }, index) => label.trim() || buildNameFromDays(columns, index))

/** Returns the names of the table's periods. A period without a name gets its default name in the file. */
export const listColumnLabels = ({ columns }: Pick<FeeTable, 'columns'>): readonly string[] =>
  listPeriodLabels(columns.length, listStatedNames({ columns }))

/**
 * Returns the question about the days between two periods. The question's text also identifies the organiser's
 * confirmation.
 */
export const askAboutGap = (first: Day, last: Day, name: string): string =>
  `Registration would be closed on ${formatDays(first, last)}, before “${name}” begins. Change one of the dates, or keep registration closed.`

function findGap(columns: Columns, column: number): Gap | null {
  const [from, endBefore] = [columns[column]?.from ?? '', columns[column - 1]?.to ?? '']
  if (!isDay(from) || !isDay(endBefore) || from <= addDays(endBefore, 1)) return null
  return { column, first: addDays(endBefore, 1), last: addDays(from, -1) }
}

/** Returns a sentence for each gap that the organiser has confirmed. */
export function listClosedDays({ columns, confirmed = [] }: FeeTable): readonly string[] {
  const labels = listColumnLabels({ columns })
  return columns.flatMap((_, column): readonly string[] => {
    const gap = findGap(columns, column)
    const name = labels[column] ?? ''
    return gap === null || !confirmed.includes(askAboutGap(gap.first, gap.last, name))
      ? []
      : [`Registration is closed on ${formatDays(gap.first, gap.last)}, before “${name}” begins.`]
  })
}

/** Returns the columns in which no row has a price, although another column has one. */
export function findClosedPeriods(
  { columns, rows }: Pick<FeeTable, 'columns' | 'rows'>,
  currency: Currency,
): readonly number[] {
  const closedColumns = columns.flatMap((_, column) =>
    rows.length > 0 && rows.every(({ cells }) => readPrice(cells[column] ?? '', currency) === null)
      ? [column]
      : [],
  )
  return closedColumns.length === columns.length ? [] : closedColumns
}

/** Returns the question about a period in which no category is on sale. */
export function askAboutClosedPeriod({ columns }: FeeTable, column: number): string {
  const name = listColumnLabels({ columns })[column] ?? ''
  const [lastEnd, to] = [columns[column - 1]?.to ?? '', columns[column]?.to ?? '']
  const days =
    column === columns.length - 1
      ? isDay(lastEnd)
        ? ` after ${formatDay(lastEnd)}`
        : ''
      : !isDay(to)
        ? ''
        : isDay(lastEnd) && lastEnd < to
          ? ` on ${formatDays(addDays(lastEnd, 1), to)}`
          : ` until ${formatDay(to)}`
  return `No category is on sale in “${name}”: registration would be closed${days}. Write a price, or keep registration closed.`
}

/** Removes a period, so that registration is closed on its days, as the organiser has confirmed. */
export function closePeriod(table: FeeTable, column: number): FeeTable {
  const end = table.columns[column]?.to ?? ''
  const columns = table.columns
    .map((period, index) => {
      if (index !== column + 1 || !isDay(end)) return period
      const first = addDays(end, 1)
      return isDay(period.from) && period.from > first ? period : { ...period, from: first }
    })
    .filter((_, index) => index !== column)
  const gap = findGap(columns, column)
  const name = listColumnLabels({ columns })[column] ?? ''
  const message = gap === null ? [] : [askAboutGap(gap.first, gap.last, name)]
  return {
    ...table,
    columns,
    rows: table.rows.map((row) => ({
      ...row,
      cells: row.cells.filter((_, index) => index !== column),
    })),
    confirmed: [...(table.confirmed ?? []), ...message],
  }
}

/** Exports a list, with all its pages, as CSV or Excel under a file name that states the filters. */
import type { FastifyReply } from 'fastify'
import { INR, listCurrenciesOfEvent, dayOf, listExportColumns } from '../../../engine/index.ts'
import type { AdminList, Column, Day } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { ListQuery } from '../../storage/index.ts'
import type { OfficeCall } from './list-paths.ts'
import { sendTable } from '../spreadsheets/send-table.ts'
import type { TableKind } from '../spreadsheets/send-table.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'
import { createFileCellBuilder } from './list-rows.ts'

export async function sendExport(
  deps: Deps,
  { event, list }: OfficeCall,
  query: ListQuery,
  user: string,
  kind: TableKind,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const at = deps.clock()
  const columns = listExportColumns(event, list)
  // Cells contain no currency symbol, so the heading states the currency, except for rupees, because the office is
  // Indian. If there are several currencies, a separate column states them.
  const omitsCurrency = event.currency === INR || listCurrenciesOfEvent(event).length > 1
  const unit = omitsCurrency ? '' : ` (${event.currency})`
  const head = columns.map(({ label, kind: is }) => (is === 'money' ? `${label}${unit}` : label))
  return sendTable(reply, {
    kind,
    fileName: buildFileName(list, query, dayOf(at), kind),
    head,
    chunks: deps.store.exportRows(query),
    toCells: createFileCellBuilder(event, columns),
    toSheetRow: (cells) => cells.map((cell, index) => toSheetCell(columns[index], cell)),
    advice: 'Filter the list',
    recordExport: () =>
      deps.store.addAuditEntry({
        at,
        who: user,
        what: `exported the list ${list.id}${kind === 'csv' ? '' : ' to Excel'}`,
        eventId: event.id,
        regNo: null,
      }),
  })
}

/** Converts money and counts to numbers. Identifiers made of digits stay text. */
function toSheetCell(column: Column | undefined, cell: CsvCell): string | number {
  if (cell === null || cell === undefined || cell === '') return ''
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No'
  if (typeof cell === 'object') return cell.amount
  const isNumber = column?.kind === 'money' || column?.kind === 'number'
  return isNumber && Number.isFinite(Number(cell)) ? Number(cell) : String(cell)
}

/** Builds a file name that states the filters but not the search text, which may be personal data. */
function buildFileName(
  { export: { file } }: AdminList,
  query: ListQuery,
  today: Day,
  kind: TableKind,
): string {
  const { answers, chosen = {}, people = {}, sold, dateFrom, dateTo } = query
  const filterParts = (filters: Readonly<Record<string, string | boolean>>): string[] =>
    Object.entries(filters).map(([id, value]) =>
      typeof value === 'boolean' ? `${value ? '' : 'not-'}${id}` : value,
    )
  const parts = [
    query.paymentStatus === 'success' ? 'paid' : query.paymentStatus,
    query.category,
    query.period,
    query.state,
    query.waiting?.is,
    ...filterParts(answers),
    ...filterParts(chosen),
    ...filterParts(people),
    sold === undefined ? undefined : [sold.item, sold.option].filter(Boolean).join('-'),
    dateFrom === undefined ? undefined : `from-${dateFrom}`,
    dateTo === undefined ? undefined : `to-${dateTo}`,
    query.search === undefined ? undefined : 'search',
  ].filter((part) => part !== undefined)
  const [name = file] = file.replaceAll('{date}', today).split(/\.csv$/i)
  const suffix = parts.map((part) => `_${part.replaceAll(/[^\w-]+/g, '-').slice(0, 40)}`).join('')
  return `${name}${suffix}.${kind}`
}

/** Exports a list, with all its pages, as CSV or Excel under a file name that states the filters. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { INR, currenciesOf, dayOf, exportColumns } from '../../../engine/index.ts'
import type { AdminList, Column, Day } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import type { ListQuery, ListedRegistration } from '../../storage/index.ts'
import type { OfficeCall } from './list-paths.ts'
import { formatCsvRows } from '../spreadsheets/write-csv.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'
import { buildFileCells } from './list-rows.ts'
import { XLSX_TYPE, buildExcel } from '../spreadsheets/write-excel.ts'

/** An Excel file is built in memory: at most as many rows as are counted, which need about 100 MB. */
const XLSX_ROWS_MAX = 10_000

export type ExportKind = 'csv' | 'xlsx'

/** Fetches the first chunk before the response begins, so that a store error still gives an error response. */
export async function sendExport(
  deps: Deps,
  { event, list }: OfficeCall,
  query: ListQuery,
  user: string,
  kind: ExportKind,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const at = deps.clock()
  const chunks = deps.store.exportRows(query)[Symbol.asyncIterator]()
  const first = await chunks.next()
  const columns = exportColumns(event, list)
  const toCells = buildFileCells(event, columns)
  const recordExport = (): Promise<void> =>
    deps.store.addAuditEntry({
      at,
      who: user,
      what: `exported the list ${list.id}${kind === 'csv' ? '' : ' to Excel'}`,
      eventId: event.id,
      regNo: null,
    })
  // A spreadsheet has no symbols. Rupees need no name in an Indian office; several currencies have a column.
  const isNamedElsewhere = event.currency === INR || currenciesOf(event).length > 1
  const unit = isNamedElsewhere ? '' : ` (${event.currency})`
  const head = columns.map(({ label, kind: is }) => (is === 'money' ? `${label}${unit}` : label))
  reply
    .header('cache-control', 'no-store')
    .header(
      'content-disposition',
      `attachment; filename="${buildFileName(list, query, dayOf(at), kind)}"`,
    )
  if (kind === 'xlsx') {
    const rows: ListedRegistration[] = []
    for (let chunk = first; chunk.done !== true; chunk = await chunks.next()) {
      rows.push(...chunk.value)
      if (rows.length > XLSX_ROWS_MAX)
        return sendError(
          reply.removeHeader('content-disposition'),
          422,
          'too_many',
          'An Excel file can have at most 10,000 rows. Filter the list, or export CSV.',
        )
    }
    await recordExport()
    const file = await buildExcel({
      head,
      rows: rows.map((row) => toCells(row).map((cell, index) => toSheetCell(columns[index], cell))),
    })
    return reply.type(XLSX_TYPE).send(file)
  }
  await recordExport()
  async function* csv(): AsyncGenerator<string> {
    yield formatCsvRows([head], true)
    for (let chunk = first; chunk.done !== true; chunk = await chunks.next()) {
      if (chunk.value.length > 0) yield formatCsvRows(chunk.value.map(toCells), false)
    }
  }
  return reply.header('content-type', 'text/csv; charset=utf-8').send(Readable.from(csv()))
}

/** Writes money and counts as numbers. Identifiers made of digits stay text. */
function toSheetCell(column: Column | undefined, cell: CsvCell): string | number {
  if (cell === null || cell === undefined || cell === '') return ''
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No'
  if (typeof cell === 'object') return cell.amount
  const isNumber = column?.kind === 'money' || column?.kind === 'number'
  return isNumber && Number.isFinite(Number(cell)) ? Number(cell) : String(cell)
}

/** The name omits the search text, which may be personal data. */
function buildFileName(
  { export: { file } }: AdminList,
  query: ListQuery,
  today: Day,
  kind: ExportKind,
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

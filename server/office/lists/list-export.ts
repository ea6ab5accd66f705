/** A list to be saved: all its pages as CSV or as an Excel file, under a name that says what was filtered. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { dayOf, MONEY_COLUMNS, soldColumns } from '../../../engine/index.ts'
import type { AdminList, Column, Day, EventConfig } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { refuse } from '../../http/error-response.ts'
import type { ListQuery, ListedRegistration } from '../../storage/index.ts'
import type { OfficeCall } from './list-paths.ts'
import { csvRows } from '../spreadsheets/write-csv.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'
import { fileCells } from './list-rows.ts'
import { XLSX_TYPE, xlsxOf } from '../spreadsheets/write-excel.ts'

/** An Excel file is made whole in memory: as many rows as are counted, some 100 MB while it is made. */
const XLSX_ROWS_MAX = 10_000

export type ExportKind = 'csv' | 'xlsx'

/** The first chunk is fetched before the answer begins, so that a failing store is still an error answer. */
export async function sendExport(
  deps: Deps,
  { event, list }: OfficeCall,
  query: ListQuery,
  who: string,
  kind: ExportKind,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const at = deps.clock()
  const chunks = deps.store.exportRows(query)[Symbol.asyncIterator]()
  const first = await chunks.next()
  const columns = exportColumns(event, list)
  const cellsOf = fileCells(event, columns)
  const noted = (): Promise<void> =>
    deps.store.audit({
      at,
      who,
      what: `exported the list ${list.id}${kind === 'csv' ? '' : ' to Excel'}`,
      eventId: event.id,
      regNo: null,
    })
  const head = columns.map(({ label }) => label)
  reply
    .header('cache-control', 'no-store')
    .header(
      'content-disposition',
      `attachment; filename="${exportName(list, query, dayOf(at), kind)}"`,
    )
  if (kind === 'xlsx') {
    const rows: ListedRegistration[] = []
    for (let chunk = first; chunk.done !== true; chunk = await chunks.next()) {
      rows.push(...chunk.value)
      if (rows.length > XLSX_ROWS_MAX)
        return refuse(
          reply.removeHeader('content-disposition'),
          422,
          'too_many',
          'These are too many for an Excel file: it takes 10,000. Set a filter, or export CSV.',
        )
    }
    await noted()
    const file = await xlsxOf({
      head,
      rows: rows.map((row) => cellsOf(row).map((cell, at) => sheetCell(columns[at], cell))),
    })
    return reply.type(XLSX_TYPE).send(file)
  }
  await noted()
  async function* csv(): AsyncGenerator<string> {
    yield csvRows([head], true)
    for (let chunk = first; chunk.done !== true; chunk = await chunks.next()) {
      if (chunk.value.length > 0) yield csvRows(chunk.value.map(cellsOf), false)
    }
  }
  return reply.header('content-type', 'text/csv; charset=utf-8').send(Readable.from(csv()))
}

/** Money and counts are numbers; digits that only name something are text. */
function sheetCell(column: Column | undefined, cell: CsvCell): string | number {
  if (cell === null || cell === undefined || cell === '') return ''
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No'
  const isNumber = column?.kind === 'money' || column?.kind === 'number'
  return isNumber && Number.isFinite(Number(cell)) ? Number(cell) : String(cell)
}

/** What was searched for stays out of the name: it may be somebody's. */
function exportName(
  { export: { file } }: AdminList,
  query: ListQuery,
  today: Day,
  kind: ExportKind,
): string {
  const { answers, chosen = {}, people = {}, sold, dateFrom, dateTo } = query
  const said = (by: Readonly<Record<string, string | boolean>>): string[] =>
    Object.entries(by).map(([id, value]) =>
      typeof value === 'boolean' ? `${value ? '' : 'not-'}${id}` : value,
    )
  const parts = [
    query.paymentStatus === 'success' ? 'paid' : query.paymentStatus,
    query.category,
    query.period,
    query.state,
    query.waiting?.is,
    ...said(answers),
    ...said(chosen),
    ...said(people),
    sold === undefined ? undefined : [sold.item, sold.option].filter(Boolean).join('-'),
    dateFrom === undefined ? undefined : `from-${dateFrom}`,
    dateTo === undefined ? undefined : `to-${dateTo}`,
    query.search === undefined ? undefined : 'search',
  ].filter((part) => part !== undefined)
  const [name = file] = file.replaceAll('{date}', today).split(/\.csv$/i)
  const ending = parts.map((part) => `_${part.replaceAll(/[^\w-]+/g, '-').slice(0, 40)}`).join('')
  return `${name}${ending}.${kind}`
}

/** The list's own, then what is sold, so that the money in a row adds up to its total, then what was paid of it. */
export function exportColumns(event: EventConfig, { columns }: AdminList): readonly Column[] {
  const missing = soldColumns(event).filter(({ id }) => columns.every((column) => column.id !== id))
  return [...columns, ...missing, ...(event.fees.prices === null ? [] : MONEY_COLUMNS)]
}

/** Sends an office table as a CSV or Excel file. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { sendError } from '../../http/error-response.ts'
import { formatCsvRows } from './write-csv.ts'
import type { CsvCell } from './write-csv.ts'
import { buildExcel, XLSX_TYPE } from './write-excel.ts'

/** An Excel file is built in memory; each row needs about 10 kB. */
export const MAX_XLSX_ROWS = 10_000

export type TableKind = 'csv' | 'xlsx'
export const readTableKind = (format: string | null): TableKind =>
  format === 'xlsx' ? 'xlsx' : 'csv'

type Table<Row> = {
  readonly kind: TableKind
  readonly fileName: string
  readonly head: readonly string[]
  readonly chunks: AsyncIterable<readonly Row[]>
  readonly toCells: (row: Row) => readonly CsvCell[]
  readonly toSheetRow?: (cells: readonly CsvCell[]) => readonly (string | number)[]
  /** What to advise, such as “Choose fewer days”, if there are more rows than an Excel file can have. */
  readonly advice: string
  /** Adds the audit-log entry. Called after the first rows are read and before any rows are sent. */
  readonly recordExport: () => Promise<void>
}

/**
 * Sends the table. Reads the first chunk before the response begins, so that a storage error still produces an error
 * response.
 */
export async function sendTable<Row>(
  reply: FastifyReply,
  table: Table<Row>,
): Promise<FastifyReply> {
  const { kind, fileName, head, toCells, advice } = table
  const chunks = table.chunks[Symbol.asyncIterator]()
  const firstChunk = await chunks.next()
  const rows: Row[] = []
  if (kind === 'xlsx')
    for (let chunk = firstChunk; chunk.done !== true; chunk = await chunks.next()) {
      rows.push(...chunk.value)
      if (rows.length > MAX_XLSX_ROWS)
        return sendError(
          reply,
          422,
          'too_many',
          `An Excel file can have at most 10,000 rows. ${advice}, or export CSV.`,
        )
    }
  await table.recordExport()
  reply
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="${fileName}"`)
  if (kind === 'xlsx') {
    const { toSheetRow = formatSheetRow } = table
    const file = await buildExcel({ head, rows: rows.map((row) => toSheetRow(toCells(row))) })
    return reply.type(XLSX_TYPE).send(file)
  }
  async function* generateCsv(): AsyncGenerator<string> {
    yield formatCsvRows([head], true)
    for (let chunk = firstChunk; chunk.done !== true; chunk = await chunks.next())
      if (chunk.value.length > 0) yield formatCsvRows(chunk.value.map(toCells), false)
  }
  return reply.header('content-type', 'text/csv; charset=utf-8').send(Readable.from(generateCsv()))
}

/** Formats the cells of an Excel file: amounts as numbers, everything else as text. */
export const formatSheetRow = (cells: readonly CsvCell[]): readonly (string | number)[] =>
  cells.map((cell) =>
    typeof cell === 'object' && cell !== null
      ? cell.amount
      : typeof cell === 'number'
        ? cell
        : String(cell ?? ''),
  )

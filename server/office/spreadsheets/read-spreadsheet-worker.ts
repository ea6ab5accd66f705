/**
 * Reads one CSV or Excel file in a worker thread.
 * This keeps the server responsive, and a malicious file can crash only the thread.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { unzipSync, zipSync } from 'fflate'
import { readSheet } from 'read-excel-file/universal'
import { assert, err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import { readLines, createLimiter } from './parse-csv.ts'
import type { CsvLine, CsvProblem, SheetLimits } from './parse-csv.ts'

export type SheetThreadData = { readonly file: Uint8Array; readonly limits: SheetLimits }
export type SheetThreadMessage =
  | { readonly lines: readonly CsvLine[] }
  | { readonly problem: CsvProblem | null }

/** Excel files are ZIP archives. They are recognised by this signature, whatever their names. */
const ZIP_SIGNATURE = Buffer.from('PK\u0003\u0004', 'latin1')
/**
 * The limit for all entries of an archive together, after decompression. A statement with 5,000 lines needs about 5 MB.
 */
const MAX_INFLATED_BYTES = 50 * 1024 * 1024
/** A cell has one or two XML elements, and one more for its text. A file with more per cell is not parsed. */
const ELEMENTS_PER_CELL = 8
/** The number of lines per message, which limits the data copied at a time. */
const LINES_PER_MESSAGE = 10_000
const TAG_START = 0x3c
/** Rounding errors in formulas are smaller than this. A third decimal place is larger, and is rejected later. */
const MAX_ROUNDING_ERROR = 1e-6

assert(parentPort !== null, 'this module must run in a worker thread')
const port = parentPort
const { file, limits } = workerData as SheetThreadData
const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
const readResult = bytes.subarray(0, ZIP_SIGNATURE.length).equals(ZIP_SIGNATURE)
  ? await readExcel(bytes)
  : readLines(bytes, limits)
const send = (message: SheetThreadMessage): void => port.postMessage(message)
if (readResult.ok)
  for (let at = 0; at < readResult.value.length; at += LINES_PER_MESSAGE)
    send({ lines: readResult.value.slice(at, at + LINES_PER_MESSAGE) })
send({ problem: readResult.ok ? null : readResult.error })

/** Reads the first sheet; line numbers are row numbers. Throws if the file is not an Excel file. */
async function readExcel(archive: Buffer): Promise<Result<readonly CsvLine[], CsvProblem>> {
  const tooLargeError = err({
    line: null,
    message: 'This Excel file is too large when unpacked. Save the sheet as CSV and upload that.',
  })
  // The archive's directory states each size before anything is inflated.
  let statedBytes = 0
  unzipSync(archive, {
    filter: ({ originalSize, size }) => {
      statedBytes += Math.max(originalSize, size)
      return false
    },
  })
  if (statedBytes > MAX_INFLATED_BYTES) return tooLargeError
  // Each entry is inflated to its stated size and no further.
  const parts = unzipSync(archive, { filter: ({ name }) => /\.(?:xml|rels)$/.test(name) })
  const elements = Object.values(parts).reduce((sum, part) => sum + countTags(part), 0)
  if (elements > limits.maxCells * ELEMENTS_PER_CELL) return tooLargeError
  // The archive is repacked without compression, so that exactly the counted data is parsed.
  const { buffer } = zipSync(parts, { level: 0 })
  const rows = await readSheet(buffer as ArrayBuffer)
  const limiter = createLimiter(limits)
  const lines: CsvLine[] = []
  for (const [rowIndex, row] of rows.entries()) {
    const line = { line: rowIndex + 1, cells: row.map(toText) }
    const problem = limiter.countLine(line)
    if (problem !== null) return err(problem)
    lines.push(line)
  }
  return ok(lines)
}

function countTags(part: Uint8Array): number {
  let tags = 0
  for (let at = part.indexOf(TAG_START); at !== -1; at = part.indexOf(TAG_START, at + 1)) tags += 1
  return tags
}

/** Formats a cell as a user would write it in CSV: dates without a time, amounts with two or three decimal places. */
function toText(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (cell instanceof Date) return cell.toISOString().slice(0, 10)
  if (typeof cell === 'number') return formatNumber(cell)
  return String(cell).trim()
}

function formatNumber(number: number): string {
  const amount = number.toFixed(3).replace(/0$/, '')
  if (Number.isInteger(number)) return String(number)
  return Math.abs(Number(amount) - number) < MAX_ROUNDING_ERROR ? amount : String(number)
}

/**
 * Reads one CSV or Excel file in a worker thread.
 * The server keeps responding meanwhile, and a hostile file ends only the thread.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { unzipSync, zipSync } from 'fflate'
import { readSheet } from 'read-excel-file/universal'
import { assert, err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import { readLines, sheetGate } from './parse-csv.ts'
import type { CsvLine, CsvProblem, SheetLimits } from './parse-csv.ts'

export type SheetThreadData = { readonly file: Uint8Array; readonly limits: SheetLimits }
export type FromSheetThread =
  | { readonly lines: readonly CsvLine[] }
  | { readonly problem: CsvProblem | null }

/** An Excel file is a ZIP archive, whatever its name. */
const ARCHIVE = Buffer.from('PK\u0003\u0004', 'latin1')
/** For all entries of an archive together, inflated; a statement of 5,000 lines has about 5 MB. */
const INFLATED_BYTES_MAX = 50 * 1024 * 1024
/** A cell is one or two elements, and its text one more; a file with more elements is not parsed. */
const ELEMENTS_PER_CELL = 8
/** Lines per message, to limit the data copied at a time. */
const LINES_SENT = 10_000
const TAG = 0x3c
/** Rounding errors of formulas are smaller than this; a third decimal is larger, and the reader refuses it. */
const NOISE_MAX = 1e-6

assert(parentPort !== null, 'sheets are read in a thread')
const port = parentPort
const { file, limits } = workerData as SheetThreadData
const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
const read = bytes.subarray(0, ARCHIVE.length).equals(ARCHIVE)
  ? await readExcel(bytes)
  : readLines(bytes, limits)
const send = (message: FromSheetThread): void => port.postMessage(message)
if (read.ok)
  for (let at = 0; at < read.value.length; at += LINES_SENT)
    send({ lines: read.value.slice(at, at + LINES_SENT) })
send({ problem: read.ok ? null : read.error })

/** Reads the first sheet; line numbers are row numbers. Throws if the file is not an Excel file. */
async function readExcel(archive: Buffer): Promise<Result<readonly CsvLine[], CsvProblem>> {
  const tooLarge = err({
    line: null,
    message:
      'This Excel file is too large once unpacked. Save the one sheet as CSV, and load that.',
  })
  // The archive's directory states each size before anything is inflated.
  let stated = 0
  unzipSync(archive, {
    filter: ({ originalSize, size }) => {
      stated += Math.max(originalSize, size)
      return false
    },
  })
  if (stated > INFLATED_BYTES_MAX) return tooLarge
  // Each entry is inflated to its stated size and no further.
  const parts = unzipSync(archive, { filter: ({ name }) => /\.(?:xml|rels)$/.test(name) })
  const elements = Object.values(parts).reduce((sum, part) => sum + tagsIn(part), 0)
  if (elements > limits.cellsMax * ELEMENTS_PER_CELL) return tooLarge
  // Packed again without compression, so that what is parsed is what was counted.
  const { buffer } = zipSync(parts, { level: 0 })
  const rows = await readSheet(buffer as ArrayBuffer)
  const gate = sheetGate(limits)
  const lines: CsvLine[] = []
  for (const [at, row] of rows.entries()) {
    const line = { line: at + 1, cells: row.map(textOf) }
    const problem = gate.problemOf(line)
    if (problem !== null) return err(problem)
    lines.push(line)
  }
  return ok(lines)
}

function tagsIn(part: Uint8Array): number {
  let tags = 0
  for (let at = part.indexOf(TAG); at !== -1; at = part.indexOf(TAG, at + 1)) tags += 1
  return tags
}

/** Formats a cell as in a CSV written by hand: days as days, amounts with two decimals. */
function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (cell instanceof Date) return cell.toISOString().slice(0, 10)
  if (typeof cell === 'number') return numberText(cell)
  return String(cell).trim()
}

function numberText(number: number): string {
  const amount = number.toFixed(2)
  if (Number.isInteger(number)) return String(number)
  return Math.abs(Number(amount) - number) < NOISE_MAX ? amount : String(number)
}

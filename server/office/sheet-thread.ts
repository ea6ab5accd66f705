/** Reads the first sheet of an Excel file, in a thread of its own: a large one takes a second, and a hostile one all the memory it is given. */
import { parentPort, workerData } from 'node:worker_threads'
import { readSheet } from 'read-excel-file/node'
import { assert } from '../../engine/index.ts'

assert(parentPort !== null, 'Excel files are read in a thread')
const rows = await readSheet(Buffer.from(workerData as Uint8Array))
parentPort.postMessage(rows.map((row) => row.map(textOf)))

/** As people would have written it into a CSV: days as days, amounts with two decimals. */
function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (cell instanceof Date) return cell.toISOString().slice(0, 10)
  if (typeof cell === 'number') return Number.isInteger(cell) ? String(cell) : cell.toFixed(2)
  return String(cell).trim()
}

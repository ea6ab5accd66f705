/** A file that the office loads from a bank or a gateway, in lines. */
import { Worker } from 'node:worker_threads'
import { err, ok } from '../../engine/index.ts'
import type { Result } from '../../engine/index.ts'
import { readLines } from './csv-lines.ts'
import type { CsvLine } from './csv-lines.ts'

/** A year of a busy account. */
export const SHEET_BYTES_MAX = 2 * 1024 * 1024
/** More than a year of a busy account; each is laid beside every registration that waits. */
const SHEET_LINES_MAX = 5_000

export type SheetRefusal = {
  readonly code: 'not_csv' | 'too_long'
  readonly message: string
}

/** An Excel file is a ZIP archive, whatever it is called. */
const ARCHIVE = Buffer.from('PK\u0003\u0004', 'latin1')
/** What a file of that many bytes unfolds to at most; a hostile one ends its thread. */
const THREAD_MB_MAX = 256
const THREAD_MS_MAX = 20_000

/** CSV, or the first sheet of an Excel file; its lines are counted as rows. */
export async function readSheet(file: Buffer): Promise<Result<readonly CsvLine[], SheetRefusal>> {
  const rows = file.subarray(0, ARCHIVE.length).equals(ARCHIVE)
    ? await readExcel(file)
    : readText(file)
  if (!rows.ok) return rows
  return rows.value.length > SHEET_LINES_MAX
    ? err({
        code: 'too_long',
        message: `This file has ${rows.value.length} lines; at most ${SHEET_LINES_MAX} are read at a time. Please load a shorter one.`,
      })
    : rows
}

function readText(file: Buffer): Result<readonly CsvLine[], SheetRefusal> {
  const rows = readLines(file.toString('utf8'), 'loose')
  return rows.ok ? rows : err({ code: 'not_csv', message: rows.error.message })
}

function readExcel(file: Buffer): Promise<Result<readonly CsvLine[], SheetRefusal>> {
  return new Promise((done) => {
    const thread = new Worker(new URL('./sheet-thread.ts', import.meta.url), {
      workerData: file,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MB_MAX },
      // What it complains of is told to whoever loaded the file, and to nobody else.
      stderr: true,
    })
    const ended = (answer: Result<readonly CsvLine[], SheetRefusal>): void => {
      clearTimeout(timer)
      done(answer)
      void thread.terminate()
    }
    const unread = (): void =>
      ended(
        err({
          code: 'not_csv',
          message: 'This Excel file cannot be read. Save it as CSV, and load that.',
        }),
      )
    const timer = setTimeout(unread, THREAD_MS_MAX)
    thread.once('message', (rows: readonly (readonly string[])[]) =>
      ended(ok(rows.map((cells, at) => ({ line: at + 1, cells })))),
    )
    thread.once('error', unread)
    thread.once('exit', unread)
  })
}

/** Reads uploaded tables (statement, settlement, member list, registrations) into lines. */
import { readFile, stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { CsvLine, CsvProblem, SheetLimits } from './parse-csv.ts'
import type { FromSheetThread, SheetThreadData } from './read-spreadsheet-worker.ts'

export type SheetRefusal = CsvProblem & { readonly code: 'not_csv' | 'busy' }

/** Heap of the worker thread; a file that needs more ends it. */
const THREAD_MB_MAX = 160
/** Files being read or waiting; each is in memory meanwhile. */
const WAITING_MAX = 4

let waiting = 0
/** Resolves when the most recent file has been read. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Reads CSV, or the first sheet of an Excel file. Reads one file at a time, so that many need no more memory than
 * one.
 */
export async function readSheet(
  file: Buffer,
  limits: SheetLimits,
): Promise<Result<readonly CsvLine[], SheetRefusal>> {
  if (waiting >= WAITING_MAX)
    return err({
      code: 'busy',
      line: null,
      message: 'Other files are being read. Please try again in a minute.',
    })
  waiting += 1
  const reading = last.then(() => readInThread(file, limits))
  last = reading
  try {
    return await reading
  } finally {
    waiting -= 1
  }
}

/** Reads a file of the command line; null: it is not a file, or access is denied. */
export async function readSheetFile(
  path: string,
  limits: SheetLimits,
): Promise<Result<
  { readonly bytes: Buffer; readonly lines: readonly CsvLine[] },
  CsvProblem
> | null> {
  const found = await stat(path).catch(() => null)
  if (found === null || found.isDirectory()) return null
  if (found.size > limits.bytesMax)
    return err({
      line: null,
      message: `The file has more than ${limits.bytesMax / 1024 / 1024} MB.`,
    })
  const bytes = await readFile(path).catch(() => null)
  if (bytes === null) return null
  const read = await readSheet(bytes, limits)
  return read.ok ? ok({ bytes, lines: read.value }) : read
}

/** Never rejects: a thread that exits without a result has met an unreadable file. */
function readInThread(
  file: Buffer,
  limits: SheetLimits,
): Promise<Result<readonly CsvLine[], SheetRefusal>> {
  return new Promise((done) => {
    const workerData: SheetThreadData = { file, limits }
    const thread = new Worker(new URL('./read-spreadsheet-worker.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MB_MAX },
      // Errors are reported only to the user who loaded the file.
      stderr: true,
    })
    const lines: CsvLine[] = []
    let answer: Result<readonly CsvLine[], SheetRefusal> = err({
      code: 'not_csv',
      line: null,
      message: 'This file cannot be read. Save it as CSV, and load that.',
    })
    let timer: NodeJS.Timeout | undefined
    // A busy machine may take seconds to start a thread: only reading counts.
    thread.once('online', () => {
      timer = setTimeout(() => {
        answer = err({
          code: 'not_csv',
          line: null,
          message: `Reading this file took more than ${limits.msMax / 1000} seconds and was stopped. Save the sheet as CSV, and load that.`,
        })
        void thread.terminate()
      }, limits.msMax)
    })
    thread.on('message', (message: FromSheetThread) => {
      if ('lines' in message) for (const line of message.lines) lines.push(line)
      else {
        const { problem } = message
        answer = problem === null ? ok(lines) : err({ code: 'not_csv', ...problem })
        void thread.terminate()
      }
    })
    thread.on('error', () => {})
    // The next file starts when the memory of this one has been freed.
    thread.once('exit', () => {
      clearTimeout(timer)
      done(answer)
    })
  })
}

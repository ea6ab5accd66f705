/** Reads uploaded tables (statement, settlement, member list, registrations) into lines. */
import { readFile, stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { CsvLine, CsvProblem, SheetLimits } from './parse-csv.ts'
import type { SheetThreadMessage, SheetThreadData } from './read-spreadsheet-worker.ts'

export type SheetError = CsvProblem & { readonly code: 'not_csv' | 'busy' }

/** The heap limit of the worker thread. A file that needs more memory terminates the thread. */
const MAX_THREAD_HEAP_MB = 160
/** The maximum number of files being read or waiting, all of which are held in memory. */
const MAX_QUEUED_FILES = 4

let waitingFileCount = 0
/** Resolves when the last file in the queue has been read. */
let lastRead: Promise<unknown> = Promise.resolve()

/** Reads CSV, or the first sheet of an Excel file. Reads one file at a time, to limit memory. */
export async function readSheet(
  file: Buffer,
  limits: SheetLimits,
): Promise<Result<readonly CsvLine[], SheetError>> {
  if (waitingFileCount >= MAX_QUEUED_FILES)
    return err({
      code: 'busy',
      line: null,
      message: 'Other files are being read. Try again in a minute.',
    })
  waitingFileCount += 1
  const reading = lastRead.then(() => readInThread(file, limits))
  lastRead = reading
  try {
    return await reading
  } finally {
    waitingFileCount -= 1
  }
}

/** Reads a file given on the command line. Null if the path is not a file, or access is denied. */
export async function readSheetFile(
  path: string,
  limits: SheetLimits,
): Promise<Result<
  { readonly bytes: Buffer; readonly lines: readonly CsvLine[] },
  CsvProblem
> | null> {
  const stats = await stat(path).catch(() => null)
  if (stats === null || stats.isDirectory()) return null
  if (stats.size > limits.maxBytes)
    return err({
      line: null,
      message: `The file is larger than ${limits.maxBytes / 1024 / 1024} MB.`,
    })
  const bytes = await readFile(path).catch(() => null)
  if (bytes === null) return null
  const sheetResult = await readSheet(bytes, limits)
  return sheetResult.ok ? ok({ bytes, lines: sheetResult.value }) : sheetResult
}

/** Reads a file in a worker thread. Never rejects: if the thread exits without a result, the file is unreadable. */
function readInThread(
  file: Buffer,
  limits: SheetLimits,
): Promise<Result<readonly CsvLine[], SheetError>> {
  return new Promise((resolve) => {
    const workerData: SheetThreadData = { file, limits }
    const thread = new Worker(new URL('./read-spreadsheet-worker.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_HEAP_MB },
      // Errors are reported only to the user who uploaded the file.
      stderr: true,
    })
    const lines: CsvLine[] = []
    let result: Result<readonly CsvLine[], SheetError> = err({
      code: 'not_csv',
      line: null,
      message: 'This file cannot be read. Save it as CSV and upload that.',
    })
    let timer: NodeJS.Timeout | undefined
    // The limit excludes thread startup, which takes seconds on a busy machine.
    thread.once('online', () => {
      timer = setTimeout(() => {
        result = err({
          code: 'not_csv',
          line: null,
          message: `This file takes more than ${limits.maxMs / 1000} seconds to read. Save the sheet as CSV and upload that.`,
        })
        void thread.terminate()
      }, limits.maxMs)
    })
    thread.on('message', (message: SheetThreadMessage) => {
      if ('lines' in message) for (const line of message.lines) lines.push(line)
      else {
        const { problem } = message
        result = problem === null ? ok(lines) : err({ code: 'not_csv', ...problem })
        void thread.terminate()
      }
    })
    thread.on('error', () => {})
    // The next file is read once this one's memory has been released.
    thread.once('exit', () => {
      clearTimeout(timer)
      resolve(result)
    })
  })
}

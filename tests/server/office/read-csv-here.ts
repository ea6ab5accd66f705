/** Reads CSV files in the test's own thread, because starting a worker thread takes longer than a test. */
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import type { WorkerOptions } from 'node:worker_threads'
import { afterAll, beforeAll } from 'vitest'
import { InlineSheetThread } from '../../simulator/sheet-thread.ts'
import type { SheetThreadData } from '../../../server/office/spreadsheets/read-spreadsheet-worker.ts'

const XLSX_SIGNATURE = Buffer.from('PK\u0003\u0004', 'latin1')

const isCsv = (url: URL | string, { workerData }: WorkerOptions): boolean =>
  String(url).endsWith('/read-spreadsheet-worker.ts') &&
  !Buffer.from((workerData as SheetThreadData).file)
    .subarray(0, XLSX_SIGNATURE.length)
    .equals(XLSX_SIGNATURE)

/**
 * Reads CSV files in the test's own thread for all tests of a file, and restores the worker thread afterwards,
 * because test files share a process. tests/attacks/sheets.test.ts tests the worker thread and its limits.
 */
export function readCsvHere(): void {
  const { Worker } = threads
  const replaceWorker = (worker: typeof Worker): void => {
    Object.assign(threads, { Worker: worker })
    syncBuiltinESMExports()
  }
  beforeAll(() =>
    replaceWorker(
      new Proxy(Worker, {
        construct: (thread, [url, options = {}]: [URL | string, WorkerOptions?]) =>
          isCsv(url, options)
            ? new InlineSheetThread(url as URL, {
                workerData: options.workerData as SheetThreadData,
              })
            : new thread(url, options),
      }),
    ),
  )
  afterAll(() => replaceWorker(Worker))
}

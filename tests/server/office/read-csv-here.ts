/**
 * Reads CSV files in the thread of the test. To begin a thread for each takes longer than all else that a test of
 * reconciliation does; the thread and its limits are tested in tests/attacks/sheets.test.ts and by the command line.
 */
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import type { WorkerOptions } from 'node:worker_threads'
import { afterAll, beforeAll } from 'vitest'
import { SheetThreadHere } from '../../simulator/sheet-thread.ts'
import type { SheetThreadData } from '../../../server/office/spreadsheets/read-spreadsheet-worker.ts'

const EXCEL = Buffer.from('PK\u0003\u0004', 'latin1')

const isCsv = (url: URL | string, { workerData }: WorkerOptions): boolean =>
  String(url).endsWith('/read-spreadsheet-worker.ts') &&
  !Buffer.from((workerData as SheetThreadData).file)
    .subarray(0, EXCEL.length)
    .equals(EXCEL)

/** For all tests of the file, and for no other: files share a process. */
export function readCsvHere(): void {
  const { Worker } = threads
  const put = (worker: typeof Worker): void => {
    Object.assign(threads, { Worker: worker })
    syncBuiltinESMExports()
  }
  beforeAll(() =>
    put(
      new Proxy(Worker, {
        construct: (thread, [url, options = {}]: [URL | string, WorkerOptions?]) =>
          isCsv(url, options)
            ? new SheetThreadHere(url as URL, { workerData: options.workerData as SheetThreadData })
            : new thread(url, options),
      }),
    ),
  )
  afterAll(() => put(Worker))
}

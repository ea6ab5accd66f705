/**
 * Reads CSV files in this thread, because a real thread would immediately exceed its time limit in virtual time.
 */
import { EventEmitter } from 'node:events'
import { readLines } from '../../server/office/spreadsheets/parse-csv.ts'
import type {
  SheetThreadMessage,
  SheetThreadData,
} from '../../server/office/spreadsheets/read-spreadsheet-worker.ts'

/** Replaces the worker thread. Histories import only CSV files. */
export class InlineSheetThread extends EventEmitter {
  constructor(_url: URL, { workerData }: { readonly workerData: SheetThreadData }) {
    super()
    queueMicrotask(() => {
      const readResult = readLines(Buffer.from(workerData.file), workerData.limits)
      const send = (message: SheetThreadMessage): void => void this.emit('message', message)
      if (readResult.ok) send({ lines: readResult.value })
      send({ problem: readResult.ok ? null : readResult.error })
      this.emit('exit', 0)
    })
  }
  async terminate(): Promise<number> {
    return 0
  }
}

/** Reads the tables of a history in this thread: time is virtual, and a thread of its own would be over its limit at once. */
import { EventEmitter } from 'node:events'
import { readLines } from '../../server/office/spreadsheets/parse-csv.ts'
import type {
  FromSheetThread,
  SheetThreadData,
} from '../../server/office/spreadsheets/read-spreadsheet-worker.ts'

/** In the place of a thread; histories load CSV alone. */
export class SheetThreadHere extends EventEmitter {
  constructor(_url: URL, { workerData }: { readonly workerData: SheetThreadData }) {
    super()
    queueMicrotask(() => {
      const read = readLines(Buffer.from(workerData.file), workerData.limits)
      const send = (message: FromSheetThread): void => void this.emit('message', message)
      if (read.ok) send({ lines: read.value })
      send({ problem: read.ok ? null : read.error })
      this.emit('exit', 0)
    })
  }
  async terminate(): Promise<number> {
    return 0
  }
}

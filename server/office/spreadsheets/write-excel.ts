/** Exports a list as an Excel file: numbers as numbers, everything else as text. */
import { Worker } from 'node:worker_threads'

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** '' is an empty cell. */
export type Sheet = {
  readonly head: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

export function xlsxOf(sheet: Sheet): Promise<Buffer> {
  return new Promise((done, failed) => {
    const thread = new Worker(new URL('./write-excel-worker.ts', import.meta.url), {
      workerData: sheet,
    })
    thread.once('message', (file: Uint8Array) => done(Buffer.from(file)))
    thread.once('error', failed)
    thread.once('exit', (code) => failed(new Error(`the Excel thread ended with ${code}`)))
  })
}

/** Exports a list as an Excel file: numbers as numbers, everything else as text. */
import { Worker } from 'node:worker_threads'

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** '' is an empty cell. */
export type Sheet = {
  readonly head: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

export function buildExcel(sheet: Sheet): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./write-excel-worker.ts', import.meta.url), {
      workerData: sheet,
    })
    thread.once('message', (file: Uint8Array) => resolve(Buffer.from(file)))
    thread.once('error', reject)
    thread.once('exit', (code) => reject(new Error(`the Excel worker exited with code ${code}`)))
  })
}

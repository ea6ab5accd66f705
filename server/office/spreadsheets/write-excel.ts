/** Exports a list as an Excel file: numbers as numbers, everything else as text. */
import { Worker } from 'node:worker_threads'
import { assert } from '../../../engine/index.ts'

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** '' is an empty cell. */
export type Sheet = {
  readonly head: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

export async function buildExcel(sheet: Sheet): Promise<Buffer> {
  const [file] = await buildExcelFiles([sheet])
  assert(file !== undefined, 'one file for one sheet')
  return file
}

/** Builds one file for each sheet, all in one thread: loading the library takes longer than writing a small file. */
export function buildExcelFiles(sheets: readonly Sheet[]): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./write-excel-worker.ts', import.meta.url), {
      workerData: sheets,
    })
    thread.once('message', (files: readonly Uint8Array[]) =>
      resolve(files.map((file) => Buffer.from(file))),
    )
    thread.once('error', reject)
    thread.once('exit', (code) => reject(new Error(`the Excel worker exited with code ${code}`)))
  })
}

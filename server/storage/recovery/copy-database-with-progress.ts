/** Copies a database and reports progress. A large database is copied in a thread. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { reportProgress } from '../../ops/progress.ts'
import { DATABASE_FILE } from '../database/sqlite-connection.ts'
import { getPartialCopyPath } from '../database/migrate-with-safety-copy.ts'
import { copyDatabase } from './copy-database.ts'

export type CopyRequest = { readonly dataDir: string; readonly target: string }

const REPORT_INTERVAL_MS = 250
const BYTES_PER_KB = 1024
/** Databases below this size are copied without a thread, because starting one would take longer than the copy. */
const MIN_THREAD_KB = 16 * 1024

/** Returns the size of a file, or 0 if it does not exist yet. */
const getSizeKb = (file: string): number =>
  Math.ceil((statSync(file, { throwIfNoEntry: false })?.size ?? 0) / BYTES_PER_KB)

/**
 * Copies a consistent snapshot of a data folder's database into one file. Throws SQLite's errors. A database of at
 * least `minThreadKb` is copied in a separate thread, so that this one can report progress.
 */
export async function copyDatabaseWithProgress(
  { dataDir, target }: CopyRequest,
  minThreadKb = MIN_THREAD_KB,
): Promise<void> {
  const step = 'Copying the database (KB)'
  const total = getSizeKb(path.join(dataDir, DATABASE_FILE))
  const report = (): void =>
    reportProgress({ step, done: Math.min(getSizeKb(getPartialCopyPath(target)), total), total })
  report()
  if (total < minThreadKb) {
    copyDatabase(dataDir, target)
    return
  }
  const timer = setInterval(report, REPORT_INTERVAL_MS)
  try {
    await new Promise<void>((resolve, reject) => {
      const workerData: CopyRequest = { dataDir, target }
      new Worker(new URL('./copy-database-worker.ts', import.meta.url), { workerData })
        .on('error', reject)
        .on('exit', () => resolve())
    })
  } finally {
    clearInterval(timer)
  }
}

/** Copies a database, a large one in a thread, and reports how much of it is copied. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { reportProgress } from '../../ops/progress.ts'
import { DATABASE_FILE } from '../database/sqlite-connection.ts'
import { getPartialCopyPath } from '../database/run-migrations.ts'
import { copyDatabase } from './copy-database.ts'

export type CopyOrder = { readonly dataDir: string; readonly target: string }

const REPORT_MS = 250
const BYTES_PER_KB = 1024
/** A smaller database is copied before a thread has started. */
const THREAD_KB_MIN = 16 * 1024

/** The size of a file that may not exist yet. */
const getSizeKb = (file: string): number =>
  Math.ceil((statSync(file, { throwIfNoEntry: false })?.size ?? 0) / BYTES_PER_KB)

/**
 * Copies a data folder's database into one file, as of one moment. Throws SQLite's errors. Databases from `threadKbMin`
 * on are copied in a thread, so that this one can report.
 */
export async function copyDatabaseReporting(
  { dataDir, target }: CopyOrder,
  threadKbMin = THREAD_KB_MIN,
): Promise<void> {
  const step = 'Copying the database (KB)'
  const total = getSizeKb(path.join(dataDir, DATABASE_FILE))
  const report = (): void =>
    reportProgress({ step, done: Math.min(getSizeKb(getPartialCopyPath(target)), total), total })
  report()
  if (total < threadKbMin) {
    copyDatabase(dataDir, target)
    return
  }
  const timer = setInterval(report, REPORT_MS)
  try {
    await new Promise<void>((resolve, reject) => {
      const workerData: CopyOrder = { dataDir, target }
      new Worker(new URL('./copy-database-worker.ts', import.meta.url), { workerData })
        .on('error', reject)
        .on('exit', () => resolve())
    })
  } finally {
    clearInterval(timer)
  }
}

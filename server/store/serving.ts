/** That one server at a time is at work on a data folder: two would each send what waits in it. */
import Database from 'better-sqlite3'
import { join } from 'node:path'

/** Held by SQLite's own lock, which ends with its process, however that ends: a file with a number in it stays behind. */
export const SERVING_FILE = 'serving.lock'
/** One that is told to stop while the next starts is waited for. */
const ENDING_MS_MAX = 1_000

/** Answers how to leave the folder to the next; null: another server is at work there. The folder is there. */
export function beginServing(dataDir: string): (() => void) | null {
  const lock = new Database(join(dataDir, SERVING_FILE), { timeout: ENDING_MS_MAX })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return () => void lock.close()
  } catch (error) {
    lock.close()
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') return null
    throw error
  }
}

/** That one server at a time is at work on a data folder: two would each send what waits in it. */
import Database from 'better-sqlite3'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Held by SQLite's own lock, which ends with its process, however that ends: a file with a number in it stays behind. */
export const SERVING_FILE = 'serving.lock'
/** Which process holds it, for whoever wants to tell it something; counts only while the lock is held. */
export const SERVING_PID = 'serving.pid'
/** One that is told to stop while the next starts is waited for. */
const ENDING_MS_MAX = 1_000

/** Answers how to leave the folder to the next; null: another server is at work there. The folder is there. */
export function beginServing(dataDir: string): (() => void) | null {
  const pidFile = join(dataDir, SERVING_PID)
  const lock = new Database(join(dataDir, SERVING_FILE), { timeout: ENDING_MS_MAX })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    writeFileSync(pidFile, String(process.pid))
    return () => {
      rmSync(pidFile, { force: true })
      lock.close()
    }
  } catch (error) {
    lock.close()
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') return null
    throw error
  }
}

/** The process of the server that is at work on a data folder; null: there is none, or it has no number. */
export function servingPid(dataDir: string): number | null {
  const leave = beginServing(dataDir)
  if (leave !== null) {
    leave()
    return null
  }
  const pid = Number(readFileSync(join(dataDir, SERVING_PID), 'utf8'))
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null
}

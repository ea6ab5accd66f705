/** Allows only one server per data folder, because two servers would both send its queued emails. */
import Database from 'better-sqlite3'
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from './sqlite-connection.ts'
import { describeMissing } from '../recovery/missing-database.ts'

/** A file that SQLite locks. The lock ends with the process, whereas a file with a process id would remain. */
export const LOCK_FILE = 'serving.lock'
/**
 * The file with the id of the process that holds the lock, so that a command can signal that process. Valid only while
 * the lock is held.
 */
export const PID_FILE = 'serving.pid'
/** How long a starting server waits for the previous one to shut down. */
const MAX_SHUTDOWN_MS = 1_000

/**
 * Locks the folder and returns a function that releases it. Null if another server is running. The folder must exist.
 * The release also removes a new lock file if there is no database, because a remaining lock file indicates a lost
 * database.
 */
export function lockDataFolder(dataDir: string): (() => void) | null {
  const pidFile = join(dataDir, PID_FILE)
  const lockFile = join(dataDir, LOCK_FILE)
  const isFirst = !existsSync(lockFile)
  let lock: Database.Database | null = null
  const releaseLock = (): void => {
    if (lock !== null) rmSync(pidFile, { force: true })
    if (isFirst && describeMissing(dataDir) !== null) rmSync(lockFile, { force: true })
    lock?.close()
  }
  try {
    let lockResult = tryLock(lockFile)
    while (lockResult === 'replaced') lockResult = tryLock(lockFile)
    if (lockResult === null) return null
    lock = lockResult
    writeFileSync(pidFile, String(process.pid))
    return releaseLock
  } catch (error) {
    releaseLock()
    throw error
  }
}

/**
 * Locks the file. Returns null if another process holds the lock. Returns `replaced` if the file has been replaced by
 * another one in the meantime.
 */
function tryLock(file: string): Database.Database | 'replaced' | null {
  closeSync(openSync(file, 'a'))
  const inode = statSync(file, { throwIfNoEntry: false })?.ino
  const lock = new Database(file, { timeout: MAX_SHUTDOWN_MS })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') return null
    throw error
  }
  if (inode !== undefined && statSync(file, { throwIfNoEntry: false })?.ino === inode) return lock
  lock.close()
  return 'replaced'
}

/**
 * Returns the id of a process that has the folder's database open, even if the file was deleted. Null if no such
 * process is visible: only Linux lists open files, and only root sees those of other users' processes.
 */
export function findDatabaseUser(dataDir: string): number | null {
  const file = join(realpathSync(dataDir), DATABASE_FILE)
  const links = new Set([file, `${file} (deleted)`])
  for (const name of listNames('/proc')) {
    const pid = Number(name)
    if (!Number.isSafeInteger(pid) || pid === process.pid) continue
    for (const fd of listNames(`/proc/${pid}/fd`))
      if (links.has(readTarget(`/proc/${pid}/fd/${fd}`))) return pid
  }
  return null
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readTarget(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}

/** Returns the process id of the server that uses a data folder. Null if no server is running, or its id is unknown. */
export function findServingPid(dataDir: string): number | null {
  // Finding the process must not create a lock file.
  if (!existsSync(join(dataDir, LOCK_FILE))) return null
  const releaseLock = lockDataFolder(dataDir)
  if (releaseLock !== null) {
    releaseLock()
    return null
  }
  const pid = Number(readFileSync(join(dataDir, PID_FILE), 'utf8'))
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null
}

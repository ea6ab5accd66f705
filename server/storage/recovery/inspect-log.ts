/** Compares a database with its log before SQLite opens them for writing. */
import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE, refuseEmpty } from '../database/sqlite-connection.ts'
import { isNextMark, isSameRun } from './detect-replaced-database.ts'

// SQLite copies any log into the database file, whether or not it belongs to that file. The marks that
// detect-replaced-database.ts sets show which server wrote the file and the log, and which of the two is newer.

/** The file in the data folder that contains the last mark of a server. */
const MARK_FILE = 'serving.mark'
const LOG_FILE = `${DATABASE_FILE}-wal`

/** The log's header and the header of each page: https://www.sqlite.org/fileformat2.html#walformat. */
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const SALT_OFFSET = 16
const FRAME_SALT_OFFSET = 8
const SALT_BYTES = 8
const PAGE_SIZE_OFFSET = 8
const COMMIT_OFFSET = 4
/** Positions in the first page of a database: the bytes that change with each mark, and the mark itself. */
const CHANGE_OFFSET = 24
const MARK_OFFSET = 68
const VERSION_OFFSET = 92
const NUMBER_BYTES = 4
const HEADER_BYTES = 100

/** Stores the mark that was set last. If this fails, later checks are less precise. */
export function saveMark(file: string, mark: number): void {
  try {
    writeFileSync(path.join(path.dirname(file), MARK_FILE), String(mark), { mode: 0o600 })
  } catch {
    // If the disk is full, the previous mark remains.
  }
}

/** The marks in all versions of the first page in the log, oldest first, and the complete oldest version. */
type LogContents = { readonly marks: readonly number[]; readonly first: Buffer | null }

/** Explains why a database must not be opened with this log. Null if it can be opened, or if there is no log. */
export function explainForeignLog(dataDir: string): Error | null {
  const log = readLog(dataDir)
  return log === null || doesLogMatchDatabase(log, dataDir)
    ? null
    : new Error(describeForeignLog(dataDir))
}

/**
 * Explains that a database and its log are damaged together. Null if they are intact, or if there is no log. Call this
 * while no process writes to the database.
 */
export function explainDamagedLog(dataDir: string): Error | null {
  return readLog(dataDir) !== null && isDamaged(dataDir)
    ? new Error(describeDamagedLog(dataDir))
    : null
}

/**
 * Returns true if data that a server has stored is missing from the database: its log is missing, or the file is an
 * earlier copy. Call this before a server opens the database.
 */
export function isLogMissing(dataDir: string): boolean {
  const storedMark = Number(readDataFile(dataDir, MARK_FILE)?.toString() ?? Number.NaN)
  const page = readFirstPage(dataDir, HEADER_BYTES)
  if (!Number.isSafeInteger(storedMark) || page === null) return false
  const lastMark = readLog(dataDir)?.marks.at(-1) ?? page.readUInt32BE(MARK_OFFSET)
  return isSameRun(lastMark, storedMark) && lastMark < storedMark
}

function doesLogMatchDatabase({ marks, first }: LogContents, dataDir: string): boolean {
  const page = readFirstPage(dataDir, first?.length ?? HEADER_BYTES)
  if (page === null || first === null) return true
  const mark = page.readUInt32BE(MARK_OFFSET)
  const marksOfRun = marks.filter((otherMark) => isSameRun(otherMark, mark))
  const [oldest, newest] = [marksOfRun[0], marksOfRun.at(-1)]
  if (oldest !== undefined && newest !== undefined)
    return (oldest <= mark || isNextMark(mark, oldest)) && newest >= mark
  // The server may have ended after it set its first mark and before the mark was copied into the file. Apart from the
  // mark, the two pages are then equal.
  return clearMark(page).equals(clearMark(first))
}

function clearMark(page: Buffer): Buffer {
  const copy = Buffer.from(page)
  for (const at of [CHANGE_OFFSET, MARK_OFFSET]) copy.fill(0, at, at + NUMBER_BYTES)
  return copy.fill(0, VERSION_OFFSET, HEADER_BYTES)
}

/** Returns null if there is no log, or if the log contains no commit. */
function readLog(dataDir: string): LogContents | null {
  return readFromFile(path.join(dataDir, LOG_FILE), (fd, bytes) => {
    const header = Buffer.alloc(LOG_HEADER_BYTES)
    if (readSync(fd, header, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) return null
    const salt = header.subarray(SALT_OFFSET, SALT_OFFSET + SALT_BYTES)
    const pageBytes = header.readUInt32BE(PAGE_SIZE_OFFSET)
    const frame = Buffer.alloc(FRAME_HEADER_BYTES + HEADER_BYTES)
    const pages: { readonly at: number; readonly mark: number }[] = []
    let committedCount = 0
    let hasCommit = false
    const frameBytes = FRAME_HEADER_BYTES + pageBytes
    for (let offset = LOG_HEADER_BYTES; offset + frameBytes <= bytes; offset += frameBytes) {
      readSync(fd, frame, 0, frame.length, offset)
      // The remaining frames are left over from an earlier use of the log.
      if (!frame.subarray(FRAME_SALT_OFFSET, FRAME_SALT_OFFSET + SALT_BYTES).equals(salt)) break
      if (frame.readUInt32BE(0) === 1)
        pages.push({ at: offset, mark: frame.readUInt32BE(FRAME_HEADER_BYTES + MARK_OFFSET) })
      if (frame.readUInt32BE(COMMIT_OFFSET) === 0) continue
      committedCount = pages.length
      hasCommit = true
    }
    if (!hasCommit) return null
    const [oldest] = pages.slice(0, committedCount)
    const first = oldest === undefined ? null : Buffer.alloc(pageBytes)
    if (first !== null && oldest !== undefined)
      readSync(fd, first, 0, pageBytes, oldest.at + FRAME_HEADER_BYTES)
    return { marks: pages.slice(0, committedCount).map(({ mark }) => mark), first }
  })
}

/** Returns null if the file is shorter. */
function readFirstPage(dataDir: string, bytes: number): Buffer | null {
  return readFromFile(path.join(dataDir, DATABASE_FILE), (fd) => {
    const page = Buffer.alloc(bytes)
    return readSync(fd, page, 0, bytes, 0) < bytes ? null : page
  })
}

/** Returns null if the file does not exist or cannot be read. The code that opens the database then explains why. */
function readFromFile<T>(file: string, read: (fd: number, bytes: number) => T | null): T | null {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch {
    return null
  }
  try {
    return read(fd, fstatSync(fd).size)
  } finally {
    closeSync(fd)
  }
}

function readDataFile(dataDir: string, name: string): Buffer | null {
  try {
    return readFileSync(path.join(dataDir, name))
  } catch {
    return null
  }
}

/**
 * Opens the database read-only, so that neither the database nor the log changes. An unreadable search index does not
 * count as damage, because it is rebuilt.
 */
function isDamaged(dataDir: string): boolean {
  const file = path.join(dataDir, DATABASE_FILE)
  let db: Database.Database | null = null
  try {
    refuseEmpty(file)
    db = new Database(file, { readonly: true })
    const checkResult = String(db.pragma('quick_check(1)', { simple: true }))
    return checkResult !== 'ok' && !checkResult.startsWith('fts5')
  } catch (error) {
    return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)
  } finally {
    db?.close()
  }
}

const describeForeignLog = (dataDir: string): string =>
  `The log ${LOG_FILE} in ${dataDir} does not belong to the database ${DATABASE_FILE} beside it, which is a different database or a copy from another time. Together they would form a damaged database. Nothing was changed. Put the database of that log back, or move ${LOG_FILE} and ${DATABASE_FILE}-shm into another folder to serve ${DATABASE_FILE} as it is; then start again.`
const describeDamagedLog = (dataDir: string): string =>
  `The log ${LOG_FILE} in ${dataDir} and the database ${DATABASE_FILE} beside it together form a damaged database. Nothing was changed. Keep a copy of both; then restore the last backup (rollcall db restore DIR --move-aside).`

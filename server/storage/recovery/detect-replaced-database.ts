/** Detects whether the database is still the file that this server opened. */
import { randomInt } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import type Database from 'better-sqlite3'
import { parseVersion } from '../database/schema.ts'

// SQLite does not check whether its file was replaced: it continues to write to a deleted file, or to a file that was
// copied over the database. So this module compares the header with a mark that this server set.

/** The state of the database, which all threads of a server share. The constants below are positions in this array. */
export type SharedState = Int32Array<SharedArrayBuffer>
const FILE_FD = 0
const LOST_INDEX = 1
const RUN_INDEX = 2
const MARK_INDEX = 3
/**
 * The mark that the file had when it was opened. The file keeps this mark until the log, with this run's first mark, is
 * copied into it.
 */
const OPENED_INDEX = 4
/**
 * The last mark in the log that a killed server left behind. While that log is being copied into the file, the copied
 * pages have this mark, or an earlier mark from that run.
 */
const LOGGED_MARK_INDEX = 7
/**
 * File descriptors for the log's index and for the log. They are opened only once, because closing any descriptor for
 * these files releases SQLite's locks.
 */
const INDEX_FD = 5
const LOG_FD = 6
const SHARED_NUMBERS = 8

/**
 * The mark is stored in SQLite's application id. The high bits contain the number of the server's run, the low bits the
 * number of marks that this run has set. An earlier copy has a different run or a lower number.
 */
const MAX_RUNS = 2 ** 15
const MARKS_PER_RUN = 2 ** 16

/** SQLite's header, which is the beginning of the file (https://www.sqlite.org/fileformat2.html). */
const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const PAGE_SIZE_OFFSET = 16
const PAGES_OFFSET = 28
const SCHEMA_OFFSET = 40
const VERSION_OFFSET = 60
const MARK_OFFSET = 68

type Header = {
  readonly pageSize: number
  readonly pages: number
  /** Incremented by each change to the schema, and by VACUUM. */
  readonly schema: number
  readonly version: number
  readonly mark: number
}
/** Returns null if the file is not a database. */
function readHeader(fd: number): Header | null {
  const bytes = Buffer.alloc(HEADER_BYTES)
  const byteCount = readSync(fd, bytes, 0, HEADER_BYTES, 0)
  if (byteCount < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return null
  return {
    pageSize: bytes.readUInt16BE(PAGE_SIZE_OFFSET),
    pages: bytes.readUInt32BE(PAGES_OFFSET),
    schema: bytes.readUInt32BE(SCHEMA_OFFSET),
    version: bytes.readUInt32BE(VERSION_OFFSET),
    mark: bytes.readUInt32BE(MARK_OFFSET),
  }
}

export function createSharedState(): SharedState {
  const shared = new Int32Array(
    new SharedArrayBuffer(SHARED_NUMBERS * Int32Array.BYTES_PER_ELEMENT),
  )
  shared[FILE_FD] = -1
  shared[INDEX_FD] = -1
  shared[LOG_FD] = -1
  shared[RUN_INDEX] = randomInt(1, MAX_RUNS)
  return shared
}
export const isLost = (shared: SharedState): boolean => Atomics.load(shared, LOST_INDEX) === 1
/** Prevents all further writes and copies to the current file. */
export const markAsLost = (shared: SharedState): void => void Atomics.store(shared, LOST_INDEX, 1)

const buildMark = (run: number, number: number): number => run * MARKS_PER_RUN + number

/** Returns true if the same run of a server set both marks. Of two such marks, the later one is higher. */
export const isSameRun = (mark: number, otherMark: number): boolean =>
  Math.floor(mark / MARKS_PER_RUN) === Math.floor(otherMark / MARKS_PER_RUN)
/** Returns true if `next` was set immediately after `mark`. */
export const isNextMark = (mark: number, next: number): boolean => next === mark + 1

/**
 * Sets the next mark through the write connection, outside a transaction, and returns the mark. Null if no marks are
 * left.
 */
export function setMark(db: Database.Database, shared: SharedState): number | null {
  const next = Atomics.load(shared, MARK_INDEX) + 1
  if (next >= MARKS_PER_RUN) return null
  // A concurrent check may find either the old or the new mark in the file.
  Atomics.store(shared, MARK_INDEX, next)
  const mark = buildMark(Atomics.load(shared, RUN_INDEX), next)
  db.pragma(`application_id = ${mark}`)
  return mark
}

export type OwnDatabaseFile = {
  /** Returns what happened to the file, as part of a sentence. Null if the file is intact. */
  findLoss(): string | null
  /**
   * Returns true if the file contained the last mark when it was last checked: as far as is known, the log then
   * contains no data that is missing from the file.
   */
  hasLastMark(): boolean
}

/** The reason given for refusing writes after a loss. */
export const NO_FILE_MESSAGE = 'the database file was deleted, replaced or overwritten'
const DELETED_MESSAGE = 'was deleted'
const REPLACED_MESSAGE = 'was replaced by another file'
export const OVERWRITTEN_MESSAGE = 'was overwritten or truncated'
const LOG_CUT_MESSAGE = 'was separated from its log: rollcall.db-wal was emptied or truncated'

type FileState = { readonly header: Header; readonly bytes: number }

/**
 * Compares the file with its state at the previous call, so each thread needs its own watcher. Nothing is detected
 * until `openOwnFile` is called.
 */
export function watchOwnFile(shared: SharedState, file: string): OwnDatabaseFile {
  let previousState: FileState | null = null
  return {
    findLoss() {
      const fd = Atomics.load(shared, FILE_FD)
      if (fd < 0) return isLost(shared) ? OVERWRITTEN_MESSAGE : null
      const openedStats = fstatSync(fd)
      const moveMessage = describeMove(openedStats, file)
      if (moveMessage !== null) return moveMessage
      if (isLost(shared)) return OVERWRITTEN_MESSAGE
      const header = readHeader(fd)
      if (header === null) return OVERWRITTEN_MESSAGE
      const currentState = { header, bytes: openedStats.size }
      if (isOverwritten(currentState, previousState, shared)) return OVERWRITTEN_MESSAGE
      previousState = currentState
      return isLogCut(shared) ? LOG_CUT_MESSAGE : null
    },
    hasLastMark: () =>
      previousState?.header.mark ===
      buildMark(Atomics.load(shared, RUN_INDEX), Atomics.load(shared, MARK_INDEX)),
  }
}

/** The log and its index, in the machine's byte order: https://www.sqlite.org/walformat.html. */
const INDEX_BYTES = 48
const INDEX_FRAMES_OFFSET = 16
const INDEX_SALTS_OFFSET = 32
const LOG_SALTS_OFFSET = 16
const SALTS_BYTES = 8

/**
 * Returns true if the log does not begin with the salts in its index. The log was then emptied, and data written since
 * then follows a gap. SQLite writes the beginning of a log before it counts frames in the log, and empties a log after
 * it has set the count to zero. So if the index counts frames and does not change during the check, an intact log
 * begins with the index's salts.
 */
function isLogCut(shared: SharedState): boolean {
  const [indexFd, logFd] = [Atomics.load(shared, INDEX_FD), Atomics.load(shared, LOG_FD)]
  if (indexFd < 0 || logFd < 0) return false
  const headerBefore = readIndexHeader(indexFd)
  if (headerBefore === null || headerBefore.readUInt32LE(INDEX_FRAMES_OFFSET) === 0) return false
  const salts = Buffer.alloc(SALTS_BYTES)
  readSync(logFd, salts, 0, SALTS_BYTES, LOG_SALTS_OFFSET)
  const hasIndexSalts = salts.equals(
    headerBefore.subarray(INDEX_SALTS_OFFSET, INDEX_SALTS_OFFSET + SALTS_BYTES),
  )
  return !hasIndexSalts && readIndexHeader(indexFd)?.equals(headerBefore) === true
}

/** Returns the header, which the file contains twice. Null while SQLite is writing it. */
function readIndexHeader(fd: number): Buffer | null {
  const headers = Buffer.alloc(2 * INDEX_BYTES)
  if (readSync(fd, headers, 0, headers.length, 0) < headers.length) return null
  const [mark, otherMark] = [headers.subarray(0, INDEX_BYTES), headers.subarray(INDEX_BYTES)]
  return mark.equals(otherMark) ? mark : null
}

function describeMove(openedStats: Stats, file: string): string | null {
  const currentStats = statSync(file, { throwIfNoEntry: false })
  if (currentStats === undefined) return DELETED_MESSAGE
  return currentStats.ino === openedStats.ino && currentStats.dev === openedStats.dev
    ? null
    : REPLACED_MESSAGE
}

function isOverwritten(
  { header, bytes }: FileState,
  previousState: FileState | null,
  shared: SharedState,
): boolean {
  const age = getAge(header.mark, shared)
  if (age === null) return true
  if (previousState === null) return false
  const { header: previousHeader } = previousState
  const isVacuumed = header.schema > previousHeader.schema
  // While the log is being copied into the file, the file grows page by page, but the header already has the new size.
  const isTruncated = bytes < previousState.bytes && bytes < header.pages * header.pageSize
  return (
    isTruncated ||
    header.pageSize !== previousHeader.pageSize ||
    // A database is migrated only at a start, and never to an earlier version.
    parseVersion(header.version).steps < parseVersion(previousHeader.version).steps ||
    age < (getAge(previousHeader.mark, shared) ?? 0) ||
    (header.pages < previousHeader.pages && !isVacuumed)
  )
}

/** Returns how many marks this run had set when it set this mark. Null if another run set the mark. */
function getAge(mark: number, shared: SharedState): number | null {
  const number = mark - buildMark(Atomics.load(shared, RUN_INDEX), 0)
  if (number > 0 && number <= Atomics.load(shared, MARK_INDEX)) return number
  const [openedMark, loggedMark] = [
    Atomics.load(shared, OPENED_INDEX),
    Atomics.load(shared, LOGGED_MARK_INDEX),
  ]
  if (mark === openedMark) return 0
  const belongsToLog = isSameRun(mark, loggedMark) && mark <= loggedMark
  return belongsToLog && (mark > openedMark || !isSameRun(openedMark, loggedMark)) ? 0 : null
}

/**
 * Opens the database file for checks on the main thread. A server calls this before it reads or writes its database, so
 * that every change to the file while the server starts is detected. Call `close` when all connections are closed,
 * because closing any descriptor for the file releases SQLite's locks on it.
 */
export function openOwnFile(
  shared: SharedState,
  file: string,
): OwnDatabaseFile & {
  /** Stores the last mark in the log, as read by a connection. */
  recordLogMark(mark: number): void
  /**
   * Call this when the writer thread has opened the database. Later checks then include SQLite's additional files,
   * because data that has not reached the database yet is lost if they are deleted.
   */
  watchLog(): void
  close(): void
} {
  const fd = openSync(file, 'r')
  const mark = readHeader(fd)?.mark ?? 0
  Atomics.store(shared, OPENED_INDEX, mark)
  Atomics.store(shared, LOGGED_MARK_INDEX, mark)
  Atomics.store(shared, FILE_FD, fd)
  const watchedFile = watchOwnFile(shared, file)
  watchedFile.findLoss()
  const handles = [fd]
  let openFiles: readonly { readonly name: string; readonly statsAtOpen: Stats }[] = []
  /** The first loss that was found. It is the one reported, because operators need to know what happened first. */
  let loss: string | null = null
  const checkFiles = (): string | null => {
    if (loss !== null && isLost(shared)) return loss
    loss =
      watchedFile.findLoss() ??
      openFiles
        .map(({ name, statsAtOpen }) => describeMove(statsAtOpen, name))
        .find((message) => message !== null) ??
      null
    return loss
  }
  return {
    findLoss: checkFiles,
    hasLastMark: watchedFile.hasLastMark,
    recordLogMark: (logged) => Atomics.store(shared, LOGGED_MARK_INDEX, logged),
    watchLog: () => {
      if (checkFiles() !== null) return
      for (const [stateIndex, name] of [
        [INDEX_FD, `${file}-shm`],
        [LOG_FD, `${file}-wal`],
      ] as const) {
        if (!existsSync(name)) continue
        const descriptor = openSync(name, 'r')
        Atomics.store(shared, stateIndex, descriptor)
        handles.push(descriptor)
      }
      watchedFile.findLoss()
      openFiles = [`${file}-wal`, `${file}-shm`].flatMap((name) => {
        const statsAtOpen = statSync(name, { throwIfNoEntry: false })
        return statsAtOpen === undefined ? [] : [{ name, statsAtOpen }]
      })
    },
    close: () => {
      Atomics.store(shared, FILE_FD, -1)
      for (const descriptor of handles) closeSync(descriptor)
    },
  }
}

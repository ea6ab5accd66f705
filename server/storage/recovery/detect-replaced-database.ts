/**
 * Detects that the database is no longer the file that this server opened.
 * SQLite does not check this: it continues to write into a deleted file, and into anything copied over its own.
 * The header is compared with a mark that this server set.
 */
import { randomInt } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import type Database from 'better-sqlite3'
import { parseVersion } from '../database/schema.ts'

/** The state of the database shared by a server's threads: numbers at these positions. */
export type Shared = Int32Array<SharedArrayBuffer>
const FD = 0
const IS_LOST = 1
const RUN = 2
const MARK = 3
/** The mark in the file when it was opened: it stays there until the log with the first of this run is copied into it. */
const OPENED = 4
/** The last mark in the log that a killed server left: until then, what is copied from it has this one, or one between. */
const LOGGED = 7
/** The index of the log and the log, opened once: closing any handle of it would end SQLite's locks. */
const INDEX_FD = 5
const LOG_FD = 6
const NUMBERS = 8

/**
 * The mark stands where SQLite keeps an application's number: the run of the server above, and below how often this run has
 * changed it. A copy made before has another run, or an earlier number.
 */
const RUNS = 2 ** 15
const MARKS = 2 ** 16

/** SQLite's header: the first bytes of the file (https://www.sqlite.org/fileformat2.html). */
const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const PAGE_SIZE_AT = 16
const PAGES_AT = 28
const SCHEMA_AT = 40
const VERSION_AT = 60
const MARK_AT = 68

type Header = {
  readonly pageSize: number
  readonly pages: number
  /** Incremented by each change of the tables, and by VACUUM. */
  readonly schema: number
  readonly version: number
  readonly mark: number
}
/** Null: it is none. */
function headerOf(fd: number): Header | null {
  const bytes = Buffer.alloc(HEADER_BYTES)
  const read = readSync(fd, bytes, 0, HEADER_BYTES, 0)
  if (read < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return null
  return {
    pageSize: bytes.readUInt16BE(PAGE_SIZE_AT),
    pages: bytes.readUInt32BE(PAGES_AT),
    schema: bytes.readUInt32BE(SCHEMA_AT),
    version: bytes.readUInt32BE(VERSION_AT),
    mark: bytes.readUInt32BE(MARK_AT),
  }
}

export function newShared(): Shared {
  const shared = new Int32Array(new SharedArrayBuffer(NUMBERS * Int32Array.BYTES_PER_ELEMENT))
  shared[FD] = -1
  shared[INDEX_FD] = -1
  shared[LOG_FD] = -1
  shared[RUN] = randomInt(1, RUNS)
  return shared
}
export const isLost = (shared: Shared): boolean => Atomics.load(shared, IS_LOST) === 1
/** From now on nothing is written to whatever file is there, and nothing is copied into it. */
export const setLost = (shared: Shared): void => void Atomics.store(shared, IS_LOST, 1)

const markOf = (run: number, number: number): number => run * MARKS + number

/** True if the same run of a server has set both marks; the later one is the higher. */
export const isSameRun = (one: number, other: number): boolean =>
  Math.floor(one / MARKS) === Math.floor(other / MARKS)
/** True if no mark was set between the two. */
export const isNextMark = (mark: number, next: number): boolean => next === mark + 1

/** Sets the next mark with the writing connection, outside a transaction, and returns it; null: there are no more. */
export function setMark(db: Database.Database, shared: Shared): number | null {
  const next = Atomics.load(shared, MARK) + 1
  if (next >= MARKS) return null
  // Whoever looks meanwhile may find the one or the other.
  Atomics.store(shared, MARK, next)
  const mark = markOf(Atomics.load(shared, RUN), next)
  db.pragma(`application_id = ${mark}`)
  return mark
}

export type OwnFile = {
  /** Returns what happened to the file, for a sentence; null: unchanged. */
  look(): string | null
  /** True if the last mark was in the file at the last look: the log holds nothing that is known to be missing without it. */
  hasLastMark(): boolean
}

/** The reason for refusing a write then. */
export const NO_FILE = 'the database file was deleted, replaced or written over'
const DELETED = 'was deleted'
const REPLACED = 'was replaced by another file'
export const WRITTEN_OVER = 'was written over or cut off'
const LOG_CUT = 'was separated from its log: rollcall.db-wal was emptied or cut off'

type Seen = { readonly header: Header; readonly bytes: number }

/**
 * Compares with the state that `look` saw before, so that each thread has its own. Nothing is known before
 * `openOwnFile`.
 */
export function ownFile(shared: Shared, file: string): OwnFile {
  let before: Seen | null = null
  return {
    look() {
      const fd = Atomics.load(shared, FD)
      if (fd < 0) return isLost(shared) ? WRITTEN_OVER : null
      const opened = fstatSync(fd)
      const moved = movedFrom(opened, file)
      if (moved !== null) return moved
      if (isLost(shared)) return WRITTEN_OVER
      const header = headerOf(fd)
      if (header === null) return WRITTEN_OVER
      const now = { header, bytes: opened.size }
      if (isOther(now, before, shared)) return WRITTEN_OVER
      before = now
      return isLogCut(shared) ? LOG_CUT : null
    },
    hasLastMark: () =>
      before?.header.mark === markOf(Atomics.load(shared, RUN), Atomics.load(shared, MARK)),
  }
}

/** The log and its index, in the byte order of the machine: https://www.sqlite.org/walformat.html. */
const INDEX_BYTES = 48
const INDEX_FRAMES_AT = 16
const INDEX_SALTS_AT = 32
const LOG_SALTS_AT = 16
const SALTS_BYTES = 8

/**
 * True if the log does not begin as its index says: it was emptied, and what is written since lies behind a hole. SQLite
 * begins a log before it counts frames in it, and empties one after it has set the count to zero; so an index that counts
 * frames and stays the same during the look belongs to a log that begins with its salts.
 */
function isLogCut(shared: Shared): boolean {
  const [indexFd, logFd] = [Atomics.load(shared, INDEX_FD), Atomics.load(shared, LOG_FD)]
  if (indexFd < 0 || logFd < 0) return false
  const before = indexOf(indexFd)
  if (before === null || before.readUInt32LE(INDEX_FRAMES_AT) === 0) return false
  const salts = Buffer.alloc(SALTS_BYTES)
  readSync(logFd, salts, 0, SALTS_BYTES, LOG_SALTS_AT)
  const isSame = salts.equals(before.subarray(INDEX_SALTS_AT, INDEX_SALTS_AT + SALTS_BYTES))
  return !isSame && indexOf(indexFd)?.equals(before) === true
}

/** The header, of which the file has two copies; null: it is being written. */
function indexOf(fd: number): Buffer | null {
  const both = Buffer.alloc(2 * INDEX_BYTES)
  if (readSync(fd, both, 0, both.length, 0) < both.length) return null
  const [one, other] = [both.subarray(0, INDEX_BYTES), both.subarray(INDEX_BYTES)]
  return one.equals(other) ? one : null
}

function movedFrom(then: Stats, file: string): string | null {
  const now = statSync(file, { throwIfNoEntry: false })
  if (now === undefined) return DELETED
  return now.ino === then.ino && now.dev === then.dev ? null : REPLACED
}

function isOther({ header, bytes }: Seen, before: Seen | null, shared: Shared): boolean {
  const age = ageOf(header.mark, shared)
  if (age === null) return true
  if (before === null) return false
  const { header: old } = before
  const isVacuumed = header.schema > old.schema
  // While the log is copied into the file it grows page by page, after its header has said so.
  const isCutOff = bytes < before.bytes && bytes < header.pages * header.pageSize
  return (
    isCutOff ||
    header.pageSize !== old.pageSize ||
    // A start migrates it.
    parseVersion(header.version).steps < parseVersion(old.version).steps ||
    age < (ageOf(old.mark, shared) ?? 0) ||
    (header.pages < old.pages && !isVacuumed)
  )
}

/** How many marks this run had set when that one stood in the file; null: it is not of this run. */
function ageOf(mark: number, shared: Shared): number | null {
  const number = mark - markOf(Atomics.load(shared, RUN), 0)
  if (number > 0 && number <= Atomics.load(shared, MARK)) return number
  const [opened, logged] = [Atomics.load(shared, OPENED), Atomics.load(shared, LOGGED)]
  if (mark === opened) return 0
  const isOfLog = isSameRun(mark, logged) && mark <= logged
  return isOfLog && (mark > opened || !isSameRun(opened, logged)) ? 0 : null
}

/**
 * For the main thread. A server calls it before it reads or writes its database, so that the file cannot change unnoticed
 * while it starts. Call `close` when every connection is closed: closing any handle of the file ends SQLite's locks on it.
 */
export function openOwnFile(
  shared: Shared,
  file: string,
): OwnFile & {
  /** Notes the last mark in the log, which a connection reads. */
  noteLogged(mark: number): void
  /**
   * Call it once the thread that writes has opened the database. Later looks also check the files that SQLite keeps beside
   * it: deleting them removes data not yet in the database.
   */
  watchLog(): void
  close(): void
} {
  const fd = openSync(file, 'r')
  const mark = headerOf(fd)?.mark ?? 0
  Atomics.store(shared, OPENED, mark)
  Atomics.store(shared, LOGGED, mark)
  Atomics.store(shared, FD, fd)
  const own = ownFile(shared, file)
  own.look()
  const handles = [fd]
  let beside: readonly { readonly name: string; readonly then: Stats }[] = []
  /** Once it is lost, what happened first is what an operator has to know. */
  let what: string | null = null
  const look = (): string | null => {
    if (what !== null && isLost(shared)) return what
    what =
      own.look() ??
      beside.map(({ name, then }) => movedFrom(then, name)).find((moved) => moved !== null) ??
      null
    return what
  }
  return {
    look,
    hasLastMark: own.hasLastMark,
    noteLogged: (logged) => Atomics.store(shared, LOGGED, logged),
    watchLog: () => {
      if (look() !== null) return
      for (const [at, name] of [
        [INDEX_FD, `${file}-shm`],
        [LOG_FD, `${file}-wal`],
      ] as const) {
        if (!existsSync(name)) continue
        const handle = openSync(name, 'r')
        Atomics.store(shared, at, handle)
        handles.push(handle)
      }
      own.look()
      beside = [`${file}-wal`, `${file}-shm`].flatMap((name) => {
        const then = statSync(name, { throwIfNoEntry: false })
        return then === undefined ? [] : [{ name, then }]
      })
    },
    close: () => {
      Atomics.store(shared, FD, -1)
      for (const handle of handles) closeSync(handle)
    },
  }
}

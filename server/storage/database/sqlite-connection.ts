/** Defines the database interface of the store, and opens all SQLite connections. */
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { sqliteDialect } from './statements/sqlite-dialect.ts'
import type { Dialect } from './statements/dialect.ts'
import { containsFolded } from '../lists/search-terms.ts'

/** The result of a statement that changes rows. Reading it sends the statement if it is still queued. */
export type WriteResult = { readonly changes: Promise<number> }
export type Statement<Row> = {
  get(...params: unknown[]): Promise<Row | undefined>
  all(...params: unknown[]): Promise<Row[]>
  /** Queues a statement. It is sent with the next statement whose result is awaited, at the latest with the commit. */
  run(...params: unknown[]): WriteResult
}
/**
 * Cached statements of one connection: each text is prepared once. A text is written for one database; `statement.ts`
 * builds the texts for both.
 */
export type Sql = {
  <Row>(text: string): Statement<Row>
  readonly dialect: Dialect
  /**
   * Locks rows until the end of the transaction, with a PostgreSQL statement that is sent with the next one. Kinds are
   * locked in the order of `LOCK_ORDER`. On SQLite it does nothing, because there is one writer.
   */
  lock(kind: RowLock, text: string, ...params: readonly unknown[]): void
  /**
   * Set if the statements that follow the reads of an operation are sent together with its commit, so that none of
   * their results can be used; see `Batch`. Null if each statement runs when it is called.
   */
  readonly batch: Batch | null
}
/** An operation on PostgreSQL whose writes and commit are one packet. */
export type Batch = {
  /** Returns the id that the next row of a table gets. */
  newId(table: 'registrations'): Promise<number>
  /**
   * Sends reads that the operation will probably need together with its next statement, in one packet. The operation
   * reads as usual, and gets these results unless it has written to one of their tables or locked the rows that they
   * read.
   */
  readAhead(reads: () => readonly Promise<unknown>[]): void
  /**
   * States the result that a read has after the writes so far, so that the read is not sent. Like a result that was
   * read ahead, it is valid until the next write to one of its tables, or the next lock on its rows.
   */
  foresee(text: string, params: readonly unknown[], rows: readonly object[]): void
  /**
   * Sends the statement immediately before the commit, after everything else, so that others wait for the row that it
   * locks only during the commit. If the operation reads again, the statement is sent before that read. `contended`
   * names the row.
   */
  last(contended: string, text: string, params: readonly unknown[]): void
  /** If a row with these unique values exists, nothing is stored, and the operation returns `result`. */
  orElse(constraint: string, result: unknown): void
  /**
   * True at the first attempt: seats are reserved without checking them, and `check` is the last statement. If it
   * fails, nothing is stored, and the operation is retried with false.
   */
  readonly trustsSeats: boolean
  check(text: string, ...params: readonly unknown[]): void
}
/** The kinds of rows that operations lock, in locking order. */
export const LOCK_ORDER = [
  'subject',
  'registration',
  'version',
  'unique answer',
  'code',
  'seat',
  'person',
  'mailbox',
] as const
export type RowLock = (typeof LOCK_ORDER)[number]
/** A connection for code that begins and ends its own transactions. */
export type Connection = { readonly sql: Sql; readonly inTransaction: boolean }

/** The file name of the database in a data folder. */
export const DATABASE_FILE = 'rollcall.db'
/** The database and SQLite's additional files. A log that belongs to another database corrupts the database. */
export const DATABASE_FILES: readonly string[] = ['', '-wal', '-shm', '-journal'].map(
  (suffix) => DATABASE_FILE + suffix,
)

/** How long a connection waits for another process, such as `rollcall user` while the server runs. */
export const BUSY_MS = 5_000

/**
 * Registration numbers are random, so registering touches pages all over the indexes. The cache holds the pages of
 * about 100,000 registrations.
 */
const CACHE_KIB = 64 * 1024
/**
 * A page changed by many commits is copied to the database once: a checkpoint after 16 MB of log instead of SQLite's 4.
 */
const CHECKPOINT_PAGES = 4_000

/**
 * Only the writer thread opens connections that write. better-sqlite3 opens WAL in NORMAL mode, which loses commits at
 * a power failure.
 */
export function openToWrite(
  file: string,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Database.Database {
  const db = new Database(file, { timeout: BUSY_MS, fileMustExist: mustExist })
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma('recursive_triggers = ON')
  // Savepoint data stays in memory. In a temporary file it took a third of the writer's time.
  db.pragma('temp_store = MEMORY')
  db.pragma(`cache_size = -${CACHE_KIB}`)
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  return db
}

/**
 * Closes a writing connection so that the single file can be copied. SQLite does this itself if the last
 * connection to close is a writing one; here it is a reading one.
 */
export function closeAfterCheckpoint(db: Database.Database): void {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // If the disk is full, the log stays next to the file, and nothing is lost.
  }
  db.close()
}

/**
 * Refuses an empty file, as SQLite refuses a file that is not a database. SQLite itself would open it as a new database
 * and delete its log, which may be all that remains of the old one.
 */
export function refuseEmpty(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.size === 0)
    throw new Database.SqliteError('file is not a database: it is empty', 'SQLITE_NOTADB')
}

export function openToRead(file: string): Database.Database {
  refuseEmpty(file)
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS })
  db.pragma('query_only = ON')
  db.function('contains_folded', { deterministic: true, varargs: true }, containsFolded)
  return db
}

export function toSql(db: Database.Database): Sql {
  const cache = new Map<string, Statement<unknown>>()
  const sql = <Row>(text: string): Statement<Row> => {
    const known = cache.get(text)
    if (known !== undefined) return known as Statement<Row>
    const asyncVersion = toAsyncStatement<Row>(db.prepare(text))
    cache.set(text, asyncVersion as Statement<unknown>)
    return asyncVersion
  }
  return Object.assign(sql, {
    dialect: sqliteDialect,
    lock: () => {},
    batch: null,
  })
}

/**
 * Runs `task` in a transaction that nothing else on this connection can enter. `task` must wait only for this
 * connection.
 */
export async function runInTransaction<T>(
  db: Database.Database,
  task: () => Promise<T>,
  begin: 'BEGIN' | 'BEGIN IMMEDIATE' = 'BEGIN IMMEDIATE',
): Promise<T> {
  db.exec(begin)
  try {
    const result = await task()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function toAsyncStatement<Row>(statement: Database.Statement): Statement<Row> {
  return {
    get: async (...params) => statement.get(...params) as Row | undefined,
    all: async (...params) => statement.all(...params) as Row[],
    run: (...params) => {
      const writeResult = statement.run(...params)
      return {
        get changes() {
          return Promise.resolve(writeResult.changes)
        },
      }
    },
  }
}

/** Defines the database interface of the store, and opens all SQLite connections. */
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { sqliteDialect } from './statements/sqlite-dialect.ts'
import type { Dialect } from './statements/dialect.ts'
import { containsFolded } from '../lists/search-terms.ts'

/** The result of a statement that changes rows. Reading `changes` sends the statement if it is still queued. */
export type WriteResult = { readonly changes: Promise<number> }
export type Statement<Row> = {
  get(...params: unknown[]): Promise<Row | undefined>
  all(...params: unknown[]): Promise<Row[]>
  /**
   * Queues a statement. It is sent with the next statement whose result is awaited or, at the latest, with the commit.
   */
  run(...params: unknown[]): WriteResult
}
/**
 * Prepares statements of one connection and caches them by their SQL. It is specific to one database; `statement.ts`
 * builds the texts for both databases.
 */
export type Sql = {
  <Row>(text: string): Statement<Row>
  readonly dialect: Dialect
  /**
   * Locks rows until the transaction ends. PostgreSQL receives the lock statement together with the next statement.
   * Lock the kinds in the order of `LOCK_ORDER`. Does nothing on SQLite, which has one writer.
   */
  lock(kind: RowLock, text: string, ...params: readonly unknown[]): void
  /**
   * Set if the writes of an operation are sent together with its commit, so that the operation cannot use their
   * results; see `Batch`. Null if each statement runs when it is called.
   */
  readonly batch: Batch | null
}
/** An operation on PostgreSQL that sends its writes and its commit in one round trip. */
export type Batch = {
  /** Returns the id that the next row of a table will get. */
  newId(table: 'registrations'): Promise<number>
  /**
   * Sends reads that the operation will probably need in one round trip with its next statement. When the operation
   * performs one of these reads, it gets the prefetched result, unless the operation has since written to a table that
   * it reads, or locked its rows.
   */
  prefetch(reads: () => readonly Promise<unknown>[]): void
  /**
   * Predicts the result of a read after the writes so far, so that the read is not sent. Like a prefetched result, the
   * prediction is valid until the next write to a table that it reads, or the next lock on its rows.
   */
  predict(text: string, params: readonly unknown[], rows: readonly object[]): void
  /**
   * Sends the statement after all others, immediately before the commit, so that other operations wait for the locked
   * row only during the commit. If the operation reads again, the statement is sent before that read.
   * `contendedRow` identifies the row.
   */
  sendLast(contendedRow: string, text: string, params: readonly unknown[]): void
  /** If a row with these unique values exists, stores nothing and makes the operation return `result`. */
  returnOnConflict(constraint: string, result: unknown): void
  /**
   * True on the first attempt: the operation reserves seats without checking them first, and `check` is the last
   * statement. If `check` fails, nothing is stored and the operation is retried with false.
   */
  readonly trustsSeats: boolean
  check(text: string, ...params: readonly unknown[]): void
}
/** The kinds of rows that operations lock, in locking order. */
export const LOCK_ORDER = [
  'subject',
  'registration',
  'unmatched payment',
  'reference',
  'version',
  'unique answer',
  'code',
  'seat',
  'person',
  'mailbox',
] as const
/**
 * A lock on a user can be taken at any point. Operations that change users take the subject lock `staff` first, and
 * wait for nothing else once they have locked the changed user.
 */
export type RowLock = (typeof LOCK_ORDER)[number] | 'user'
/** A connection for code that begins and ends its own transactions. */
export type Connection = { readonly sql: Sql; readonly inTransaction: boolean }

/** The file name of the database in a data folder. */
export const DATABASE_FILE = 'rollcall.db'
/** The database file and SQLite's additional files. A log that belongs to another database corrupts the database. */
export const DATABASE_FILES: readonly string[] = ['', '-wal', '-shm', '-journal'].map(
  (suffix) => DATABASE_FILE + suffix,
)

/** How long a connection waits for another process, such as `rollcall user` running next to the server. */
export const BUSY_MS = 5_000

/**
 * Registration numbers are random, so each registration touches pages all over the indexes. The cache holds the pages
 * of about 100,000 registrations.
 */
const CACHE_KIB = 64 * 1024
/**
 * Runs a checkpoint after 16 MB of log instead of SQLite's 4 MB, so that a page changed by many commits is copied only
 * once.
 */
const CHECKPOINT_PAGES = 4_000

/**
 * Opens a write connection, which only the writer thread uses. better-sqlite3's default for WAL is NORMAL, which can
 * lose commits in a power failure.
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
  // Keeps savepoint data in memory. A temporary file would take a third of the writer's time.
  db.pragma('temp_store = MEMORY')
  db.pragma(`cache_size = -${CACHE_KIB}`)
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  return db
}

/**
 * Closes a write connection so that the database file can be copied on its own. SQLite does this when the last
 * connection closes, but only if that connection can write. Here, the last connection is read-only.
 */
export function closeAfterCheckpoint(db: Database.Database): void {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // If the disk is full, the log stays next to the file, so nothing is lost.
  }
  db.close()
}

/**
 * Throws SQLite's error for a file that is not a database if the file is empty. SQLite would open it as a new database
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
    const cached = cache.get(text)
    if (cached !== undefined) return cached as Statement<Row>
    const asyncStatement = toAsyncStatement<Row>(db.prepare(text), prepareInsert(db, text))
    cache.set(text, asyncStatement as Statement<unknown>)
    return asyncStatement
  }
  return Object.assign(sql, {
    dialect: sqliteDialect,
    lock: () => {},
    batch: null,
  })
}

/**
 * Runs `task` in a transaction that no other code on this connection can join. `task` may await only this connection.
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

/** An insert of one row that returns its id, the rowid. After `do update`, SQLite does not report it. */
const INSERT_RETURNING_ID = /^(insert into (?!.* do update ).*) returning "id"$/s

/**
 * Prepares an insert that returns its id without RETURNING, which takes a third of the time of an insert; the
 * connection knows the id anyway. Null for other statements.
 */
function prepareInsert(db: Database.Database, text: string): Database.Statement | null {
  const insert = INSERT_RETURNING_ID.exec(text)?.[1]
  return insert === undefined ? null : db.prepare(insert)
}

function toAsyncStatement<Row>(
  statement: Database.Statement,
  insert: Database.Statement | null,
): Statement<Row> {
  const insertRow = (params: readonly unknown[]): { readonly id: number } | undefined => {
    const { changes, lastInsertRowid } = insert?.run(...params) ?? {}
    return changes === 1 ? { id: Number(lastInsertRowid) } : undefined
  }
  return {
    get: async (...params) =>
      (insert === null ? statement.get(...params) : insertRow(params)) as Row | undefined,
    all: async (...params) => statement.all(...params) as Row[],
    run: (...params) => new FinishedWrite(statement.run(...params)),
  }
}

/** A class, because creating an object with a getter of its own takes longer than some inserts. */
class FinishedWrite implements WriteResult {
  readonly #result: Database.RunResult
  constructor(result: Database.RunResult) {
    this.#result = result
  }
  get changes(): Promise<number> {
    return Promise.resolve(this.#result.changes)
  }
}

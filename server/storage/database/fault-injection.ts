/**
 * Defines the faults that tests inject into the store.
 * Some are negative controls; others simulate a condition, such as a full disk. Tests pass them to `openSqliteStore`,
 * and the writer applies them. The server uses `openStore`, which injects none.
 */
import type { RowLock } from './sqlite-connection.ts'
import type Database from 'better-sqlite3'

export type InjectedFaults = {
  /**
   * Negative control for the crash tests: the writer responds before the commit, and delays the commit by this many
   * milliseconds.
   */
  readonly respondBeforeCommitMs?: number
  /** Negative control for the durability test: better-sqlite3's default mode for WAL. */
  readonly synchronous?: 'NORMAL'
  /** Limits the database to this many pages, as on a full disk. */
  readonly maxPages?: number
  /** Negative control for tests with several servers: rows of this kind are not locked. */
  readonly withoutLock?: RowLock
  /**
   * Negative control: an operation locks a number series when it needs the number, instead of immediately before the
   * commit.
   */
  readonly locksSeriesEarly?: boolean
  /**
   * Makes an operation fail if it locks rows out of order. Without this option, the operation is retried after a
   * deadlock, which is rare.
   */
  readonly assertsLockOrder?: boolean
  /** Also sends predicted reads, and makes the operation fail if a result differs from its prediction. */
  readonly checksPredictions?: boolean
  /** The maximum number of requests queued for a thread, in place of the store's default. */
  readonly maxQueuedCalls?: number
  /** How long an operation on PostgreSQL waits for a locked row, in place of the store's default. */
  readonly maxLockMs?: number
  /**
   * How long an operation waits while its event, or all events together, use all allowed connections, in place of the
   * store's default.
   */
  readonly maxConnectionWaitMs?: number
  /** How long to wait for a PostgreSQL server that does not accept connections yet, in place of the store's default. */
  readonly maxStartMs?: number
}

/** Configures a newly opened connection for fault injection. */
export function applyFaults(
  db: Database.Database,
  { synchronous, maxPages }: InjectedFaults,
): void {
  if (synchronous !== undefined) db.pragma(`synchronous = ${synchronous}`)
  if (maxPages !== undefined) db.pragma(`max_page_count = ${maxPages}`)
}

/** Commits, then responds. A fault reverses the order. */
export function commitAndRespond(
  { respondBeforeCommitMs }: InjectedFaults,
  commit: () => void,
  respond: () => void,
): void {
  if (respondBeforeCommitMs === undefined) {
    commit()
    respond()
    return
  }
  respond()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, respondBeforeCommitMs)
  commit()
}

/**
 * Defines the faults that tests inject into the store.
 * These are negative controls, and simulations such as a full disk. Tests pass them to `openSqliteStore`, and the
 * writer applies them. The server uses `openStore`, which injects none.
 */
import type { RowLock } from './sqlite-connection.ts'
import type Database from 'better-sqlite3'

export type InjectedFaults = {
  /**
   * Negative control for the crash tests: responses are sent before the commit, which is delayed by this many
   * milliseconds.
   */
  readonly answerBeforeCommitMs?: number
  /** Negative control for the durability test: better-sqlite3's default mode for WAL. */
  readonly synchronous?: 'NORMAL'
  /** Limits the database to this many pages, as on a full disk. */
  readonly pagesMax?: number
  /** Negative control for several servers: rows of this kind are not locked. */
  readonly withoutLock?: RowLock
  /** Negative control: a number series is locked when its number is needed, not immediately before the commit. */
  readonly locksSeriesEarly?: boolean
  /** Makes an operation fail if it locks out of order; otherwise it is only retried after an occasional deadlock. */
  readonly assertsLockOrder?: boolean
  /** Also sends each read whose result was predicted, and fails the operation if the result differs. */
  readonly checksPredictions?: boolean
  /** The maximum number of requests queued for a thread, in place of the store's default. */
  readonly waitingMax?: number
  /** How long an operation on PostgreSQL waits for a locked row, in place of the store's default. */
  readonly lockMsMax?: number
  /**
   * How long an operation waits while its event, or all events together, use all allowed connections, in place of the
   * store's default.
   */
  readonly turnMsMax?: number
  /** How long to wait for a PostgreSQL server that does not accept connections yet, in place of the store's default. */
  readonly startingMsMax?: number
}

/** Configures a newly opened connection for fault injection. */
export function applyFaults(
  db: Database.Database,
  { synchronous, pagesMax }: InjectedFaults,
): void {
  if (synchronous !== undefined) db.pragma(`synchronous = ${synchronous}`)
  if (pagesMax !== undefined) db.pragma(`max_page_count = ${pagesMax}`)
}

/** Commits, then responds; a fault reverses the order. */
export function commitAndAnswer(
  { answerBeforeCommitMs }: InjectedFaults,
  commit: () => void,
  respond: () => void,
): void {
  if (answerBeforeCommitMs === undefined) {
    commit()
    respond()
    return
  }
  respond()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, answerBeforeCommitMs)
  commit()
}

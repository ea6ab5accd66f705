/**
 * Defines the faults that tests inject into the store. Negative controls and simulations of a full disk use them.
 * `openInside` receives it and the writer applies it. The server opens the store with `openStore`, which injects
 * none.
 */
import type { RowLock } from './sqlite-connection.ts'
import type Database from 'better-sqlite3'

export type InjectedFaults = {
  /**
   * Negative control for the crash tests: responses are sent before the commit, which then waits this many
   * milliseconds.
   */
  readonly answerBeforeCommitMs?: number
  /** Negative control for the durability test: the mode in which better-sqlite3 opens a log by default. */
  readonly synchronous?: 'NORMAL'
  /** The database cannot grow beyond this many pages, as on a full disk. */
  readonly pagesMax?: number
  /** Negative control for several servers: rows of this kind are not locked. */
  readonly withoutLock?: RowLock
  /** Negative control: the row of a number series is locked where its number is needed, not immediately before the commit. */
  readonly locksSeriesEarly?: boolean
  /** An operation that locks out of order fails, instead of being retried after an occasional deadlock. */
  readonly assertsLockOrder?: boolean
  /** A read whose result was foreseen is also sent, and fails the operation if its result differs. */
  readonly checksForeseen?: boolean
  /** The maximum number of requests queued for a thread, instead of the store's own limit. */
  readonly waitingMax?: number
  /** How long an operation on PostgreSQL waits for a locked row, instead of the store's own limit. */
  readonly lockMsMax?: number
  /**
   * How long an operation waits while its event, or all events together, use all allowed connections, instead of the
   * store's own limit.
   */
  readonly turnMsMax?: number
  /** How long to wait for a PostgreSQL that does not accept connections yet, instead of the store's own limit. */
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

/** Commits and responds, in this order unless a fault reverses it. */
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

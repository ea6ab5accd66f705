/**
 * Defines the faults that tests inject into the store.
 * Everything that a negative control or a full disk needs is stated here, passed to `openInside` and applied by
 * the writer. The server opens the store with `openStore`, which injects none.
 */
import type { RowLock } from './sqlite-connection.ts'
import type Database from 'better-sqlite3'

export type Seam = {
  /**
   * Negative control of the crash tests: responses are sent before the commit, which then waits this many
   * milliseconds.
   */
  readonly answerBeforeCommitMs?: number
  /** Negative control of the durability test: how better-sqlite3 would open a log. */
  readonly synchronous?: 'NORMAL'
  /** The database may grow to this many pages, like on a full disk. */
  readonly pagesMax?: number
  /** Negative control of several servers: rows of this kind are not locked. */
  readonly withoutLock?: RowLock
  /** An operation that locks out of order fails, instead of being run again after a deadlock now and then. */
  readonly assertsLockOrder?: boolean
  /** How many requests may wait for a thread, instead of the store's own limit. */
  readonly waitingMax?: number
  /** How long an operation on PostgreSQL waits for a locked row, instead of the store's own time. */
  readonly lockMsMax?: number
  /** How long it waits while its event or all operations use all connections that they may, instead of the store's own time. */
  readonly turnMsMax?: number
  /** How long a PostgreSQL that does not take us yet is waited for, instead of the store's own time. */
  readonly startingMsMax?: number
}

/** Configures a newly opened connection for fault injection. */
export function degrade(db: Database.Database, { synchronous, pagesMax }: Seam): void {
  if (synchronous !== undefined) db.pragma(`synchronous = ${synchronous}`)
  if (pagesMax !== undefined) db.pragma(`max_page_count = ${pagesMax}`)
}

/** Commits and responds, in this order unless a fault reverses it. */
export function commitAndAnswer(
  { answerBeforeCommitMs }: Seam,
  commit: () => void,
  answer: () => void,
): void {
  if (answerBeforeCommitMs === undefined) {
    commit()
    answer()
    return
  }
  answer()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, answerBeforeCommitMs)
  commit()
}

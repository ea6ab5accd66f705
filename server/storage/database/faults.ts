/**
 * How tests make the store misbehave, and the only place that knows it: what a negative control or a
 * full disk needs is stated here, handed to `openInside` and done by the writer. The server opens the
 * store with `openStore`, which hands in nothing.
 */
import type Database from 'better-sqlite3'

export type Seam = {
  /** The negative control of the crash tests: answers go out before the commit, which then waits so many milliseconds. */
  readonly answerBeforeCommitMs?: number
  /** The negative control of the durability test: how better-sqlite3 would open a log. */
  readonly synchronous?: 'NORMAL'
  /** The database may grow to so many pages, like a disk that is full. */
  readonly pagesMax?: number
  /** The negative control of several servers: the writer of PostgreSQL waits for no other. */
  readonly takesNoTurn?: boolean
  /** How many requests may wait for a thread, instead of the store's own limit. */
  readonly waitingMax?: number
  /** How long a PostgreSQL that does not take us yet is waited for, instead of the store's own time. */
  readonly startingMsMax?: number
}

/** Sets a freshly opened connection as the seam wants it. */
export function degrade(db: Database.Database, { synchronous, pagesMax }: Seam): void {
  if (synchronous !== undefined) db.pragma(`synchronous = ${synchronous}`)
  if (pagesMax !== undefined) db.pragma(`max_page_count = ${pagesMax}`)
}

/** Commits and answers, in this order unless the seam turns it round. */
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

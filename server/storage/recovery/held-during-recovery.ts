/** What statements ask that hold something back during a recovery: it is in the database, so that every server and command knows it. */

/** Whether none is open. */
export const NOT_IN_RECOVERY = 'NOT EXISTS (SELECT 1 FROM recoveries v WHERE v.ended_at IS NULL)'

/**
 * When an email goes out, to be bound to that instant: never by itself where a recovery `v` is open of which `held` is true. An
 * email that is queued and has no time is held until the recovery ends.
 */
export const sentUnless = (held: string): string =>
  `CASE WHEN EXISTS (SELECT 1 FROM recoveries v WHERE v.ended_at IS NULL AND ${held}) THEN NULL ELSE CAST(? AS bigint) END`

/**
 * Of an email that follows by itself from what `before` says: a recovery `v` has ended in which such emails were discarded, because they
 * may have been sent before the restore.
 */
export const wasDiscarded = (before: string): string =>
  `EXISTS (SELECT 1 FROM recoveries v WHERE v.mails <> 'send' AND ${before})`

/** Of an email of the queue. */
export const IS_HELD = "status = 'queued' AND next_at IS NULL"

/**
 * Stores the last trusted time.
 * A clock that is days ahead of it may be wrong, and nothing is erased by it until the clock is right again or
 * staff confirm it: anything written meanwhile has the time of that clock, and proves nothing.
 */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { ClockCompared, ClockSeen } from '../files/upload-and-clock-types.ts'

/** Compares the clock with the last trusted time, and returns that. */
export function seeClock(sql: Sql, at: Instant, aheadMsMax: number): ClockCompared {
  const row = clockSeen(sql)
  const seen = row?.at ?? lastRecorded(sql) ?? at
  const next: ClockSeen =
    at - seen > aheadMsMax
      ? { at: seen, waitsSince: row?.waitsSince ?? at }
      : { at, waitsSince: null }
  keep(sql, next)
  return { ...next, behindMs: Math.max(0, (row?.at ?? at) - at) }
}

/** Records that staff confirm the clock. */
export function confirmClock(sql: Sql, at: Instant): void {
  keep(sql, { at, waitsSince: null })
}

function keep(sql: Sql, { at, waitsSince }: ClockSeen): void {
  sql(
    `INSERT INTO clock_seen (only, at, waits_since) VALUES (1, ?, ?)
     ON CONFLICT DO UPDATE SET at = excluded.at, waits_since = excluded.waits_since`,
  ).run(at, waitsSince)
}

/** Null: it was never compared. */
export function clockSeen(sql: Sql): ClockSeen | null {
  return (
    sql<ClockSeen>('SELECT at, waits_since AS "waitsSince" FROM clock_seen WHERE only = 1').get() ??
    null
  )
}

/** Null: nothing is stored. */
function lastRecorded(sql: Sql): Instant | null {
  const newest = (what: string, table: string): number =>
    sql<{ at: number }>(`SELECT ${what} AS at FROM ${table} ORDER BY id DESC LIMIT 1`).get()?.at ??
    0
  const last = Math.max(
    newest('created_at', 'registrations'),
    newest('created_at', 'mail_queue'),
    newest('at', 'acts'),
    newest('at', 'audit_log'),
  )
  return last === 0 ? null : (last as Instant)
}

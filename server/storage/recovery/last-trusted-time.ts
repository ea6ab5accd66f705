/** Stores the latest trusted time. */
import type { Instant } from '../../../engine/index.ts'
import { mapInOrder } from '../database/in-order.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { ClockComparison, ClockSeen } from '../files/upload-and-clock-types.ts'

// A clock that is days ahead of the latest trusted time may be wrong, so Rollcall erases no data until the clock is
// corrected or staff confirm it. Records written since then do not show that the clock is right, because their times
// came from the same clock. If the clock is set back, the later time stays trusted for days, because the clock may be
// corrected again.

/** The clocks of servers that share a database, and corrections by time services, differ by less than this. */
const MIN_SET_BACK_MS = 60_000

/** `latestAt`: the time recorded before the clock was set back to `setBackAt`. Null if the clock was never set back. */
type Row = {
  readonly at: Instant
  readonly waitsSince: Instant | null
  readonly latestAt: Instant | null
  readonly setBackAt: Instant | null
}
type ClockSetBack = Pick<Row, 'latestAt' | 'setBackAt'>
const NO_SET_BACK: ClockSetBack = { latestAt: null, setBackAt: null }

const recordedTime = statement((builder) =>
  builder
    .selectFrom('clock_seen')
    .select('at')
    .select(['waits_since as waitsSince', 'latest_at as latestAt', 'set_back_at as setBackAt'])
    .where('only', '=', 1),
)
const recordTime = statement((builder, params: Row) =>
  builder
    .insertInto('clock_seen')
    .values({
      only: 1,
      at: params.at,
      waits_since: params.waitsSince,
      latest_at: params.latestAt,
      set_back_at: params.setBackAt,
    })
    .onConflict((conflict) =>
      conflict.column('only').doUpdateSet((eb) => ({
        at: eb.ref('excluded.at'),
        waits_since: eb.ref('excluded.waits_since'),
        latest_at: eb.ref('excluded.latest_at'),
        set_back_at: eb.ref('excluded.set_back_at'),
      })),
    ),
)
const selectNewestCreationTime = (table: 'registrations' | 'mail_queue') =>
  statement((builder) =>
    builder.selectFrom(table).select('created_at as at').orderBy('id', 'desc').limit(1),
  )
const selectNewestLogTime = (table: 'acts' | 'audit_log') =>
  statement((builder) => builder.selectFrom(table).select('at').orderBy('id', 'desc').limit(1))
const NEWEST_RECORDS = [
  selectNewestCreationTime('registrations'),
  selectNewestCreationTime('mail_queue'),
  selectNewestLogTime('acts'),
  selectNewestLogTime('audit_log'),
]

/** Compares the clock with the latest trusted time. Stores and returns the new state. */
export async function recordClock(
  sql: Sql,
  at: Instant,
  aheadMsMax: number,
): Promise<ClockComparison> {
  const row = await readRow(sql)
  const lastTrustedAt = row?.at ?? (await readLastRecordedTime(sql)) ?? at
  const isTrusted = at - (row?.latestAt ?? lastTrustedAt) <= aheadMsMax
  const newRow: Row = isTrusted
    ? {
        at,
        waitsSince: null,
        ...(row === null ? NO_SET_BACK : computeSetBack(row, at, aheadMsMax)),
      }
    : { ...(row ?? NO_SET_BACK), at: lastTrustedAt, waitsSince: row?.waitsSince ?? at }
  saveTime(sql, newRow)
  const movedMs = at - (row?.at ?? at)
  const isMoved = movedMs < 0 || (isTrusted && movedMs > aheadMsMax)
  return { ...toClockState(newRow), movedMs: isMoved ? movedMs : 0 }
}

/** If a clock that was set back is not corrected for days, it is taken to be right, and the later time to be wrong. */
function computeSetBack(
  { at: previousAt, ...row }: Row,
  at: Instant,
  aheadMsMax: number,
): ClockSetBack {
  const latestAt = row.latestAt ?? previousAt
  if (latestAt - at < MIN_SET_BACK_MS) return NO_SET_BACK
  const setBackAt = Math.min(row.setBackAt ?? at, at) as Instant
  return at - setBackAt > aheadMsMax ? NO_SET_BACK : { latestAt, setBackAt }
}

/** Records that staff confirmed the clock. */
export function confirmClock(sql: Sql, at: Instant): void {
  saveTime(sql, { at, waitsSince: null, ...NO_SET_BACK })
}

function saveTime(sql: Sql, row: Row): void {
  recordTime.run(sql, row)
}

async function readRow(sql: Sql): Promise<Row | null> {
  return (await recordedTime.get(sql)) ?? null
}

/** Returns null if the clock has never been checked against a recorded time. */
export async function readClockSeen(sql: Sql): Promise<ClockSeen | null> {
  const row = await readRow(sql)
  return row === null ? null : toClockState(row)
}

const toClockState = ({ at, waitsSince, latestAt }: Row): ClockSeen => ({
  at: latestAt ?? at,
  waitsSince,
})

/** Returns null if the database has no records. */
async function readLastRecordedTime(sql: Sql): Promise<Instant | null> {
  const newestTimes = await mapInOrder(NEWEST_RECORDS, (record) => record.get(sql))
  const lastRecordedAt = Math.max(...newestTimes.map((row) => row?.at ?? 0))
  return lastRecordedAt === 0 ? null : (lastRecordedAt as Instant)
}

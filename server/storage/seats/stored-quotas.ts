/** Reads and writes the quotas of an event, as stored (`event_limits`). */
import type { Quota } from '../../../engine/index.ts'
import { readOncePerBatch } from '../database/batch-cache.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'

/** A quota as stored. The message keeps the key `full.say`, so that quotas stored by older versions remain valid. */
type StoredLimit = Omit<Quota, 'full'> & {
  readonly full: { readonly say: string; readonly offer?: string }
}

export function formatLimits(limits: readonly Quota[]): string {
  return JSON.stringify(
    limits.map((limit): StoredLimit => {
      const { message, ...rest } = limit.full
      return { ...limit, full: { say: message, ...rest } }
    }),
  )
}

export function parseLimits(text: string): readonly Quota[] {
  return (JSON.parse(text) as readonly StoredLimit[]).map((limit) => {
    const { say: message, ...rest } = limit.full
    return { ...limit, full: { message, ...rest } }
  })
}

export const limitsOfEvent = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('event_limits')
    .select(['limits', 'hold_ms', 'counting'])
    .where('event_id', '=', eventId),
)

export type Limits = {
  readonly limits: readonly Quota[]
  readonly holdMs: number
  /** The seat types that do not yet count all earlier registrations. */
  readonly counting: readonly string[]
}
const parsedLimits = new Map<string, readonly Quota[]>()

const NO_SEAT_TYPES: readonly string[] = []
/** Parses the `counting` column. */
export const listSeatTypes = (counting: string | null): readonly string[] =>
  counting === null ? NO_SEAT_TYPES : (JSON.parse(counting) as readonly string[])

/** Returns the quotas of the event. Null if it has no quotas. */
export function readQuotas(sql: Sql, eventId: string): Promise<Limits | null> {
  return readOncePerBatch(sql, `limits of ${eventId}`, () => readStoredLimits(sql, eventId))
}

async function readStoredLimits(sql: Sql, eventId: string): Promise<Limits | null> {
  const row = await limitsOfEvent.get(sql, { eventId })
  if (row === undefined) return null
  let limits = parsedLimits.get(row.limits)
  if (limits === undefined) {
    limits = parseLimits(row.limits)
    parsedLimits.set(row.limits, limits)
  }
  return { limits, holdMs: row.hold_ms, counting: listSeatTypes(row.counting) }
}

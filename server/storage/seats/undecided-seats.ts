/**
 * Decides whether seats are left while earlier registrations are still being counted.
 * Uses the counters that count registrations by category (see `seats-of-earlier-registrations.ts`).
 */
import { listSeatPools, matchesCondition } from '../../../engine/index.ts'
import type { Quota } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { createUpdatingError } from '../database/store-busy-error.ts'
import { statement } from '../database/statements/statement.ts'
import { countNewRegistrations } from '../reports/registration-and-revenue-counters.ts'
import { readQuotas } from './stored-quotas.ts'

const registrationsByCategory = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('counters')
    .select(({ eb, fn }) => [
      'category',
      'status',
      eb(fn.sum<number>('registrations'), '-', fn.sum<number>('ended')).as('count'),
    ])
    .where('event_id', '=', eventId)
    .groupBy(['category', 'status']),
)

type Seat = { readonly event_id: string; readonly place: string; readonly max: number }
type RequestedSeat = Seat & { readonly quantity: number }

/** Returns true if the seats are available. Null if this cannot be decided yet. */
export async function decideWhileCounting(sql: Sql, seat: RequestedSeat): Promise<boolean | null> {
  // Counts registrations that this transaction added.
  await countNewRegistrations(sql)
  const { minSeats, maxSeats } = await computeSeatBounds(sql, seat)
  if (maxSeats + seat.quantity <= seat.max) return true
  return minSeats + seat.quantity > seat.max ? false : null
}

/** Returns the minimum and the maximum number of these seats that the registrations keep. */
export async function computeSeatBounds(
  sql: Sql,
  { event_id: eventId, place }: Seat,
): Promise<{ readonly minSeats: number; readonly maxSeats: number }> {
  const limits = (await readQuotas(sql, eventId))?.limits ?? []
  const pool = listSeatPools(limits).find(({ id }) => id === place)
  if (pool === undefined) return { minSeats: 0, maxSeats: Infinity }
  const rows = (await registrationsByCategory.all(sql, { eventId })).filter(({ category }) =>
    mayNeedSeat(pool.quota, category === '' ? null : category),
  )
  const sumCounts = (counts: readonly { readonly count: number }[]): number =>
    counts.reduce((total, { count }) => total + count, 0)
  // Only the answers contain the number of people or tickets of a registration.
  const { count, maxCount = Infinity, withDelegate } = pool.quota
  const [quantityMin, quantityMax] =
    count === undefined ? [1, 1] : [withDelegate === true ? 1 : 0, maxCount]
  const registrations = sumCounts(rows)
  return {
    // A paid registration that has not ended keeps its seats.
    minSeats:
      pool.option === null && dependsOnCategoryOnly(pool.quota)
        ? sumCounts(rows.filter(({ status }) => status === 'success')) * quantityMin
        : 0,
    maxSeats: registrations === 0 ? 0 : registrations * quantityMax,
  }
}

/** Refuses the request with status 503 until more earlier registrations are counted. */
export function throwUndecided(): never {
  throw createUpdatingError('earlier registrations are still being counted for a new quota')
}

const dependsOnCategoryOnly = ({ when = [] }: Quota): boolean =>
  when.every((conditions) => conditions.every(({ field }) => field === 'category'))

function mayNeedSeat({ when }: Quota, category: string | null): boolean {
  if (when === undefined) return true
  const categoryConditions = when.map((map) => map.filter(({ field }) => field === 'category'))
  return matchesCondition(categoryConditions, {}, category)
}

/** How long the price of a registration is held. */
import type { EventConfig } from '../event/config.ts'
import type { Answers } from '../event/answer-types.ts'
import { DAY_MS, dayOf, endOfDay, instant, type Day, type Instant } from '../lib/time.ts'
import { itemCanBeBilled } from './bill.ts'
import { getLastDayOfPrice } from './price-periods.ts'

/** What decides which prices a registration has. */
type Priced = { readonly answers: Answers; readonly category: string | null }

/**
 * Returns the last day from `on` on which the prices of this registration apply: those of its category and of the items
 * that it can have. Null: no end is set.
 */
export function getLastDayOfOwnPrice(
  event: EventConfig,
  on: Day,
  { answers, category }: Priced,
): Day | null {
  // Without a category, it is not known which items a delegate can have.
  const items =
    category === null
      ? event.fees.items
      : event.fees.items.filter((item) => itemCanBeBilled(event, item, answers, category))
  return getLastDayOfPrice(event, on, category, items)
}

/**
 * Returns the end of the price hold of that instant: the last day of the registration's prices plus one day. Null if it
 * has no end.
 */
export function getPriceHoldEnd(event: EventConfig, at: Instant, priced: Priced): Instant | null {
  const last = getLastDayOfOwnPrice(event, dayOf(at), priced)
  return last === null ? null : instant(endOfDay(last) + DAY_MS)
}

/** Returns the same for an attempt, also for one made before it was recorded. */
export function getAttemptHoldEnd(
  event: EventConfig,
  { holdUntil, createdAt }: { readonly holdUntil: Instant | null; readonly createdAt: Instant },
  priced: Priced,
): Instant | null {
  return holdUntil ?? getPriceHoldEnd(event, createdAt, priced)
}

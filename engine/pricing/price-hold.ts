/** Determines the end of the price hold of a registration. */
import type { EventConfig } from '../event/config.ts'
import type { Answers } from '../event/answer-types.ts'
import type { Amount } from '../lib/money.ts'
import {
  addDays,
  DAY_MS,
  dayOf,
  endOfDay,
  instant,
  startOfDay,
  type Day,
  type Instant,
} from '../lib/time.ts'
import { itemCanBeBilled } from './bill.ts'
import { getLastDayOfPrice } from './price-periods.ts'
import { quoteWithCategory } from './quote.ts'
import { findNextPrice } from './upcoming-prices.ts'

/** The data that decides the prices of a registration. */
type PricedRegistration = { readonly answers: Answers; readonly category: string | null }

/**
 * Returns the last day from `on` on which the prices of this registration apply: the prices of its category and of
 * the items that it can have. Null: no end is set.
 */
export function getLastDayOfOwnPrice(
  event: EventConfig,
  on: Day,
  { answers, category }: PricedRegistration,
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
export function getPriceHoldEnd(
  event: EventConfig,
  at: Instant,
  priced: PricedRegistration,
): Instant | null {
  const last = getLastDayOfOwnPrice(event, dayOf(at), priced)
  return last === null ? null : instant(endOfDay(last) + DAY_MS)
}

/** Returns the same for an attempt, even if it was made before price holds were recorded. */
export function getAttemptHoldEnd(
  event: EventConfig,
  { holdUntil, createdAt }: { readonly holdUntil: Instant | null; readonly createdAt: Instant },
  priced: PricedRegistration,
): Instant | null {
  return holdUntil ?? getPriceHoldEnd(event, createdAt, priced)
}

/** The part of an attempt that decides the end of its price's validity. */
type PricedAttempt = {
  readonly amount: Amount
  readonly createdAt: Instant
  readonly holdUntil: Instant | null
}

/**
 * Returns the last day on which the price of an attempt is valid: the day that the form showed, or the deadline to pay
 * (`payUntil`). The price is also held on the day after it. Null if no change is foreseeable.
 */
export function getPriceUntil(
  event: EventConfig,
  attempt: PricedAttempt,
  { answers, category }: PricedRegistration,
  payUntil: Instant | null,
): Day | null {
  const hold = getAttemptHoldEnd(event, attempt, { answers, category })
  if (hold === null) return null
  if (hold === payUntil) return dayOf(instant(hold - 1))
  const last = dayOf(instant(hold - DAY_MS - 1))
  if (category === null) return last
  // An attempt on the day after the last day still has the earlier price.
  const created = dayOf(attempt.createdAt)
  const first = created < last ? created : last
  const quoted = quoteWithCategory(event, answers, category, startOfDay(first))
  // With a code, or after a change of the event file, the price differs: only its hold is certain.
  if (!quoted.ok || quoted.value.total !== attempt.amount) return last
  const next = findNextPrice(event, answers, category, first)
  return next === null ? null : addDays(next.from, -1)
}

/** Computes the end of a registration's price hold. */
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

/** The data that determines the prices of a registration. */
type PricedRegistration = { readonly answers: Answers; readonly category: string | null }

/**
 * Returns the last day (`on` or later) on which this registration's prices apply: those of its category and of the
 * items that it can have. Null if no end is set.
 */
export function getLastDayOfOwnPrice(
  event: EventConfig,
  on: Day,
  { answers, category }: PricedRegistration,
): Day | null {
  // Without a category, the items that a delegate can have are unknown.
  const items =
    category === null
      ? event.fees.items
      : event.fees.items.filter((item) => itemCanBeBilled(event, item, answers, category))
  return getLastDayOfPrice(event, on, category, items)
}

/**
 * Returns the end of the price hold of a registration at that instant: one day after the last day on which its prices
 * apply. Null if it has no end.
 */
export function getPriceHoldEnd(
  event: EventConfig,
  at: Instant,
  priced: PricedRegistration,
): Instant | null {
  const last = getLastDayOfOwnPrice(event, dayOf(at), priced)
  return last === null ? null : instant(endOfDay(last) + DAY_MS)
}

/** Returns the end of an attempt's price hold. Computes it for attempts created before price holds were recorded. */
export function getAttemptHoldEnd(
  event: EventConfig,
  { holdUntil, createdAt }: { readonly holdUntil: Instant | null; readonly createdAt: Instant },
  priced: PricedRegistration,
): Instant | null {
  return holdUntil ?? getPriceHoldEnd(event, createdAt, priced)
}

/** The data of an attempt that determines how long its price is valid. */
type PricedAttempt = {
  readonly amount: Amount
  readonly createdAt: Instant
  readonly holdUntil: Instant | null
}

/**
 * Returns the last day on which an attempt's price applies: the date that the form showed, or the payment deadline
 * (`payUntil`). The price is also held on the following day. Null if no change is foreseeable.
 */
export function getPriceUntil(
  event: EventConfig,
  attempt: PricedAttempt,
  { answers, category }: PricedRegistration,
  payUntil: Instant | null,
): Day | null {
  const holdEnd = getAttemptHoldEnd(event, attempt, { answers, category })
  if (holdEnd === null) return null
  if (holdEnd === payUntil) return dayOf(instant(holdEnd - 1))
  const lastDay = dayOf(instant(holdEnd - DAY_MS - 1))
  if (category === null) return lastDay
  // An attempt created on the day after the last day still has the earlier price.
  const createdOn = dayOf(attempt.createdAt)
  const priceDay = createdOn < lastDay ? createdOn : lastDay
  const quoteResult = quoteWithCategory(event, answers, category, startOfDay(priceDay))
  // With a discount code, or after a change of the event file, the price differs, and only its hold
  // is certain.
  if (!quoteResult.ok || quoteResult.value.total !== attempt.amount) return lastDay
  const next = findNextPrice(event, answers, category, priceDay)
  return next === null ? null : addDays(next.from, -1)
}

/** Finds upcoming prices: the periods after a date, and when the price for given answers changes. */
import type { Answers } from '../event/answer-types.ts'
import type { PublicEvent } from '../event/config.ts'
import type { Amount } from '../lib/money.ts'
import {
  checkRegistrationOpen,
  containsDay,
  listPeriodEdges,
  findPeriodOn,
} from './price-periods.ts'
import { isTaxRuleActive, listTaxRules, getTaxRules } from './tax-rules.ts'
import { quoteWithCategory } from './quote.ts'
import type { Period } from '../event/pricing-types.ts'
import { addDays, startOfDay, type Day } from '../lib/time.ts'

/** Consecutive days in one period on which registration is open, as the first and last day. */
export type PriceRange = { readonly from: Day; readonly to: Day | null; readonly period: Period }

/** Returns every later day on which prices, or whether registration is open, may change. */
function listPriceChangesAfter({ fees, registration }: PublicEvent, on: Day): readonly Day[] {
  const { opens, closes } = registration
  const days = [...fees.adjustments, ...listTaxRules(fees)].flatMap(({ from, to }) => [
    ...(from === undefined ? [] : [from]),
    ...(to === undefined ? [] : [addDays(to, 1)]),
  ])
  const registrationEdges = [
    ...(opens === undefined ? [] : [opens]),
    ...(closes === undefined ? [] : [addDays(closes, 1)]),
  ]
  return [...new Set([...listPeriodEdges(fees), ...days, ...registrationEdges])]
    .filter((day) => day > on)
    .sort()
}

/** Returns true if a tax on registrations begins on that day or ended on the previous day. */
const changesTax = ({ fees }: PublicEvent, on: Day): boolean =>
  getTaxRules(fees, null).some(
    (rule) => isTaxRuleActive(rule, on) !== isTaxRuleActive(rule, addDays(on, -1)),
  )

/**
 * Returns the date ranges in which a category has the same price and tax, from that day on, in order. Days on which
 * registration is closed are omitted. The list ends with the last period. The price for other dates, which applies
 * afterwards, is not listed, because it may be lower than today's.
 */
export function listPriceRanges(
  event: PublicEvent,
  on: Day,
  category: string | null = null,
): readonly PriceRange[] {
  const startDays = [on, ...listPriceChangesAfter(event, on)]
  const ranges = startDays.reduce<readonly PriceRange[]>((previousRanges, from, index) => {
    const period = checkRegistrationOpen(event, from).open
      ? findPeriodOn(event.fees, from, category)
      : null
    if (period === null) return previousRanges
    const next = startDays[index + 1]
    const to = next === undefined ? null : addDays(next, -1)
    const previousRange = previousRanges.at(-1)
    return previousRange?.period.id === period.id &&
      previousRange.to === addDays(from, -1) &&
      !changesTax(event, from)
      ? [...previousRanges.slice(0, -1), { ...previousRange, to }]
      : [...previousRanges, { from, to, period }]
  }, [])
  const lastPeriodIndex = ranges.findLastIndex(({ from, period }) => containsDay(period, from))
  return ranges.slice(0, Math.max(lastPeriodIndex + 1, 1))
}

/**
 * Returns the first day on which the total for these answers differs from the total on `on`, and the new total.
 * `total` is null if registering with these answers is not possible then. Returns null if no change is foreseeable.
 */
export function findNextPrice(
  event: PublicEvent,
  answers: Answers,
  category: string,
  on: Day,
): { readonly from: Day; readonly total: Amount | null } | null {
  const getTotalOn = (day: Day): Amount | null => {
    const quoteResult = quoteWithCategory(event, answers, category, startOfDay(day))
    return quoteResult.ok ? quoteResult.value.total : null
  }
  const currentTotal = getTotalOn(on)
  for (const from of listPriceChangesAfter(event, on)) {
    const total = getTotalOn(from)
    if (total !== currentTotal) return { from, total }
  }
  return null
}

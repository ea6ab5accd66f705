/** What is to come of an event's prices: which period counts in the days after a day, and when somebody's own price becomes another. */
import type { Answers } from '../event/answer-types.ts'
import type { PublicEvent } from '../event/config.ts'
import type { Paise } from '../lib/money.ts'
import { openOn, periodOn } from './price-periods.ts'
import { quoteOf } from './quote.ts'
import type { Period } from '../event/pricing-types.ts'
import { addDays, startOf, type Day } from '../lib/time.ts'

/** Days, both included, in which one period counts and one can register. */
export type Stretch = { readonly from: Day; readonly to: Day | null; readonly period: Period }

/** Every later day on which prices, or whether one can register, may be others than the day before. */
function changesAfter({ fees, registration }: PublicEvent, on: Day): readonly Day[] {
  const { opens, closes } = registration
  const days = [...fees.periods, ...fees.adjustments].flatMap(({ from, to }) => [
    ...(from === undefined ? [] : [from]),
    ...(to === undefined ? [] : [addDays(to, 1)]),
  ])
  const window = [
    ...(opens === undefined ? [] : [opens]),
    ...(closes === undefined ? [] : [addDays(closes, 1)]),
  ]
  return [...new Set([...days, ...window])].filter((day) => day > on).sort()
}

/** From that day on, in their order; days on which one cannot register are left out. */
export function stretchesFrom(event: PublicEvent, on: Day): readonly Stretch[] {
  const begins = [on, ...changesAfter(event, on)]
  return begins.reduce<readonly Stretch[]>((before, from, at) => {
    const period = openOn(event, from).open ? periodOn(event.fees, from) : null
    if (period === null) return before
    const next = begins[at + 1]
    const to = next === undefined ? null : addDays(next, -1)
    const last = before.at(-1)
    return last?.period.id === period.id && last.to === addDays(from, -1)
      ? [...before.slice(0, -1), { ...last, to }]
      : [...before, { from, to, period }]
  }, [])
}

/** The day from which these answers cost something else than on `on`, and how much; `total` null: they cannot be registered then. Null: they cost the same for as long as one can see. */
export function nextPrice(
  event: PublicEvent,
  answers: Answers,
  category: string,
  on: Day,
): { readonly from: Day; readonly total: Paise | null } | null {
  const totalOn = (day: Day): Paise | null => {
    const quoted = quoteOf(event, answers, category, startOf(day))
    return quoted.ok ? quoted.value.total : null
  }
  const now = totalOn(on)
  for (const from of changesAfter(event, on)) {
    const total = totalOn(from)
    if (total !== now) return { from, total }
  }
  return null
}

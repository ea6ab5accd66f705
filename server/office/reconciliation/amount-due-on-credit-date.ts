/** Computes the balance on the credit date, for events where that date sets the price. */
import { instant, startOf } from '../../../engine/index.ts'
import type { Awaited, Day, EventConfig, Paise } from '../../../engine/index.ts'
import { quoteOnCredit } from '../../payments/price-on-credit-date.ts'
import type { StoredAwaited } from '../../storage/reconciliation/match-candidates.ts'

/** Quotes each day once. */
export function pricedByDay(event: EventConfig, { priced, ...one }: StoredAwaited): Awaited {
  if (priced === null) return one
  const quoted = new Map<Day, Paise>()
  const quotedOn = (day: Day): Paise =>
    quoteOnCredit(event, priced, instant(startOf(day)))?.total ?? one.due
  const dueOn = (day: Day): Paise => {
    const due = quoted.get(day) ?? quotedOn(day)
    quoted.set(day, due)
    return due
  }
  return { ...one, dueOn }
}

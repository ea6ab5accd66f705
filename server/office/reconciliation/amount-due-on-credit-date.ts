/** Computes the balance on the credit date, for events where that date sets the price. */
import { instant, quoteOf, startOf } from '../../../engine/index.ts'
import type { Awaited, Day, EventConfig, Paise } from '../../../engine/index.ts'
import type { StoredAwaited } from '../../storage/reconciliation/match-candidates.ts'

/** Quotes each day once. */
export function pricedByDay(event: EventConfig, { priced, ...one }: StoredAwaited): Awaited {
  if (priced === null) return one
  const quoted = new Map<Day, Paise>()
  const quotedOn = (day: Day): Paise => {
    const quote = quoteOf(event, priced.answers, priced.category, instant(startOf(day)))
    return quote.ok && quote.value !== null ? quote.value.total : one.due
  }
  const dueOn = (day: Day): Paise => {
    const due = quoted.get(day) ?? quotedOn(day)
    quoted.set(day, due)
    return due
  }
  return { ...one, dueOn }
}

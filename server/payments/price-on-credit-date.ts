/** Computes price and amount due on the credit date, for events where that date sets the price. */
import { instant, quoteWithCategory, startOfDay, transferMethod } from '../../engine/index.ts'
import type { UnpaidOrder, Day, EventConfig, Instant, Amount, Quote } from '../../engine/index.ts'
import type { StoredRegistration } from '../storage/index.ts'
import type { StoredAwaited } from '../storage/reconciliation/match-candidates.ts'

/** Returns the price on the credit date if that date sets it; null if the price at registration applies. */
export function quotePriceOnDay(
  config: EventConfig,
  { payments, answers, category, paymentStatus }: StoredRegistration,
  paidAt: Instant,
): Quote | null {
  const isPricedOnCredit = methodsPricedOnCredit(config).includes(payments[0]?.way ?? '')
  if (!isPricedOnCredit || paymentStatus === 'success') return null
  return quoteOnCredit(config, { answers, category }, paidAt)
}

/** Returns the payment methods whose credit date sets the price. */
export const methodsPricedOnCredit = (config: EventConfig): readonly string[] =>
  config.methods.flatMap(({ id }) =>
    transferMethod(config, id)?.priceDate === 'credit' ? [id] : [],
  )

/** Returns the price of such a registration; null if nothing is on sale then, so its price stays. */
export function quoteOnCredit(
  config: EventConfig,
  { answers, category }: Pick<StoredRegistration, 'answers' | 'category'>,
  paidAt: Instant,
): Quote | null {
  const result = quoteWithCategory(config, answers, category, paidAt)
  return result.ok ? result.value : null
}

/** Returns the registration at this price; if `price` is null, its price stays. */
export function withPrice(
  registration: StoredRegistration,
  price: Quote | null,
): StoredRegistration {
  if (price === null) return registration
  const { period, base, gst, total, lines } = price
  return { ...registration, period, base, gst, total, lines }
}

/** Returns an awaited payment whose amount due depends on the credit date; quotes each day once. */
export function priceByDay(event: EventConfig, { priced, ...one }: StoredAwaited): UnpaidOrder {
  if (priced === null) return one
  const quoted = new Map<Day, Amount>()
  const quotedOn = (day: Day): Amount =>
    quoteOnCredit(event, priced, instant(startOfDay(day)))?.total ?? one.due
  const dueOn = (day: Day): Amount => {
    const dueAmount = quoted.get(day) ?? quotedOn(day)
    quoted.set(day, dueAmount)
    return dueAmount
  }
  return { ...one, dueOn }
}

/** Computes the price on the credit date, for events where that date sets the price. */
import { quoteOf, transferWay } from '../../engine/index.ts'
import type { EventConfig, Instant, Quote } from '../../engine/index.ts'
import type { StoredRegistration } from '../storage/index.ts'

/** Returns the price on the credit date if that date sets it; null: the price at registration applies. */
export function priceOnDay(
  config: EventConfig,
  { payments, answers, category, paymentStatus }: StoredRegistration,
  paidAt: Instant,
): Quote | null {
  const way = transferWay(config, payments[0]?.way ?? null)
  if (way === null || way.priceDate !== 'credit' || paymentStatus === 'success') return null
  const quoted = quoteOf(config, answers, category, paidAt)
  return quoted.ok ? quoted.value : null
}

/** Returns the registration at this price; null: its price stays. */
export function atPrice(registration: StoredRegistration, price: Quote | null): StoredRegistration {
  if (price === null) return registration
  const { period, base, gst, total, lines } = price
  return { ...registration, period, base, gst, total, lines }
}

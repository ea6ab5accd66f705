/** The price of the day on which money came, for registrations where that day decides. */
import { quoteOf, transferWay } from '../../engine/index.ts'
import type { EventConfig, Instant, Quote } from '../../engine/index.ts'
import type { StoredRegistration } from '../storage/index.ts'

/** Where the day of credit decides, what it cost then; null: what it cost when it was registered. */
export function priceOnDay(
  config: EventConfig,
  { payments, answers, category, paymentStatus }: StoredRegistration,
  paidAt: Instant,
): Quote | null {
  const way = transferWay(config, payments[0]?.way ?? null)
  if (way === null || way.priceOn !== 'credited' || paymentStatus === 'success') return null
  const quoted = quoteOf(config, answers, category, paidAt)
  return quoted.ok ? quoted.value : null
}

/** The registration as it stands once it is priced so; null: its price stays. */
export function atPrice(registration: StoredRegistration, price: Quote | null): StoredRegistration {
  if (price === null) return registration
  const { period, base, gst, total, lines } = price
  return { ...registration, period, base, gst, total, lines }
}

/** What of a payment goes back when a registration is cancelled: the scale that the event file states. */
import type { Cancellation } from '../event/registration-types.ts'
import { paise, type Paise } from '../lib/money.ts'
import { dayOf, type Day, type Instant } from '../lib/time.ts'

/** Whole percent of what was paid that goes back for a cancellation on that day. */
export function percentBack({ steps, otherwise }: Cancellation, on: Day): number {
  return steps.find(({ to }) => on <= to)?.percent ?? otherwise
}

/** The figures of a refund at cancellation. */
export type CancellationRefund = {
  /** All that counts as paid, whatever was refunded of it. */
  readonly paid: Paise
  /** Paid beyond the price of today (overpayment, reductions of the bill): refunded in full in any case. */
  readonly owed: Paise
  /** What was paid of the price: the scale applies to it. */
  readonly remaining: Paise
  /** Null: the event file has no scale. */
  readonly percent: number | null
  readonly share: Paise | null
  /** Refunded already, or on its way: it counts towards the money owed, then towards the share. */
  readonly refunded: Paise
  readonly proposed: Paise | null
}

/**
 * The refund at cancellation. It does not depend on which refunds were made before: the sum of all of them is the
 * money owed and the share. `price` null: the registration has none.
 */
export function cancellationRefund(
  cancellation: Cancellation | null,
  {
    price,
    paid,
    refunded,
  }: { readonly price: Paise | null; readonly paid: Paise; readonly refunded: Paise },
  at: Instant,
): CancellationRefund {
  const owed = paise(Math.max(0, paid - (price ?? paid)))
  const remaining = paise(paid - owed)
  const percent = cancellation === null ? null : percentBack(cancellation, dayOf(at))
  // Half a paisa is rounded up, for the delegate.
  const share = percent === null ? null : paise(Math.floor((remaining * percent + 50) / 100))
  const proposed = share === null ? null : paise(Math.max(0, owed + share - refunded))
  return { paid, owed, remaining, percent, share, refunded, proposed }
}

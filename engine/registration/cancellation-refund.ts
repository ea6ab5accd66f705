/** Calculates the refund of a cancelled registration from the event file's scale. */
import type { Cancellation } from '../event/approval-and-cancellation-types.ts'
import { toAmount, type Amount } from '../lib/money.ts'
import { dayOf, type Day, type Instant } from '../lib/time.ts'

/** Returns the refund in whole percent of the amount paid, for a cancellation on that day. */
export function refundPercent({ steps, otherwise }: Cancellation, day: Day): number {
  return steps.find(({ until }) => day <= until)?.percent ?? otherwise
}

/** The figures of a refund at cancellation. */
export type CancellationRefund = {
  /** The sum of all counted payments, before refunds. */
  readonly paid: Amount
  /** Paid in excess of today's price (overpayment, reductions of the bill): always refunded in full. */
  readonly owed: Amount
  /** The part of the payment that is the price: the scale applies to it. */
  readonly remaining: Amount
  /** Null if the event file has no scale. */
  readonly percent: number | null
  readonly share: Amount | null
  /** Refunded already or in progress: deducted first from the money owed, then from the share. */
  readonly refunded: Amount
  readonly proposed: Amount | null
}

/**
 * Calculates the refund at cancellation. It does not depend on earlier refunds: the sum of all
 * refunds is the money owed plus the share. `price` null: the registration has none.
 */
export function cancellationRefund(
  cancellation: Cancellation | null,
  {
    price,
    paid,
    refunded,
  }: { readonly price: Amount | null; readonly paid: Amount; readonly refunded: Amount },
  at: Instant,
): CancellationRefund {
  const overpaid = toAmount(Math.max(0, paid - (price ?? paid)))
  const remaining = toAmount(paid - overpaid)
  const percent = cancellation === null ? null : refundPercent(cancellation, dayOf(at))
  // Half a paisa is rounded up, in the delegate's favour.
  const share = percent === null ? null : toAmount(Math.floor((remaining * percent + 50) / 100))
  const proposed = share === null ? null : toAmount(Math.max(0, overpaid + share - refunded))
  return { paid, owed: overpaid, remaining, percent, share, refunded, proposed }
}

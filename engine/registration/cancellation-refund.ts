/** Calculates the refund of a cancelled registration from the event file's scale. */
import type { Cancellation, RefundTerms } from '../event/approval-and-cancellation-types.ts'
import { toAmount, type Amount, type Currency } from '../lib/money.ts'
import { getOwn } from '../lib/result.ts'
import { dayOf, type Day, type Instant } from '../lib/time.ts'

/** Returns the refund terms for a cancellation on that day. */
export function findRefundTerms({ steps, otherwise }: Cancellation, day: Day): RefundTerms {
  return steps.find(({ until }) => day <= until) ?? otherwise
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
  /** The tax in `remaining`, which is kept before the percentage applies; 0: nothing is. */
  readonly taxKept: Amount
  /** The fixed charge of the scale; 0: none. The share is at least 0 after its deduction. */
  readonly charge: Amount
  /** The percentage of the price, less the charge. */
  readonly share: Amount | null
  /** Refunded already or in progress: deducted first from the money owed, then from the share. */
  readonly refunded: Amount
  readonly proposed: Amount | null
}

/** The price and the payments of a registration, with the tax in the price. */
type PaidPrice = {
  /** Null if the registration has none. */
  readonly price: Amount | null
  readonly paid: Amount
  readonly refunded: Amount
  /** The bill and its tax. Null if the registration has none. */
  readonly total: Amount | null
  readonly gst: Amount | null
  readonly currency: Currency
}

/**
 * Calculates the refund at cancellation. It does not depend on earlier refunds: the sum of all
 * refunds is the money owed plus the share.
 */
export function computeCancellationRefund(
  cancellation: Cancellation | null,
  { price, paid, refunded, total, gst, currency }: PaidPrice,
  at: Instant,
): CancellationRefund {
  const overpaid = toAmount(Math.max(0, paid - (price ?? paid)))
  const remaining = toAmount(paid - overpaid)
  const terms = cancellation === null ? null : findRefundTerms(cancellation, dayOf(at))
  const taxKept = terms?.withoutTax === true ? computeTaxShare(remaining, total, gst) : toAmount(0)
  const charge =
    terms?.charge === undefined ? toAmount(0) : (getOwn(terms.charge, currency) ?? null)
  // The event file that is served now may not state the charge in the currency that was paid.
  const share =
    terms === null || charge === null
      ? null
      : computeShare(terms.percent, remaining - taxKept, charge)
  const proposed = share === null ? null : toAmount(Math.max(0, overpaid + share - refunded))
  return {
    paid,
    owed: overpaid,
    remaining,
    percent: terms?.percent ?? null,
    taxKept,
    charge: charge ?? toAmount(0),
    share,
    refunded,
    proposed,
  }
}

/** Returns the refund under these terms for a bill paid in full. Null without a charge in its currency. */
export function computeRefundOfPrice(
  { percent, withoutTax, charge }: RefundTerms,
  {
    base,
    total,
    currency,
  }: { readonly base: Amount; readonly total: Amount; readonly currency: Currency },
): Amount | null {
  const deducted = charge === undefined ? toAmount(0) : getOwn(charge, currency)
  return deducted === undefined
    ? null
    : computeShare(percent, withoutTax === true ? base : total, deducted)
}

/** Half a paisa is rounded up, in the delegate's favour. */
const computeShare = (percent: number, amount: number, charge: Amount): Amount =>
  toAmount(Math.max(0, Math.floor((amount * percent + 50) / 100) - charge))

/** The tax in a part of the bill, in proportion; half of the smallest unit is rounded up. */
function computeTaxShare(part: Amount, total: Amount | null, gst: Amount | null): Amount {
  if (total === null || gst === null || total === 0) return toAmount(0)
  const [ofPart, ofTotal] = [BigInt(part) * BigInt(gst), BigInt(total)]
  return toAmount(Number((2n * ofPart + ofTotal) / (2n * ofTotal)))
}

/** Calculates the refund for a cancelled registration from the event file's scale. */
import type { Cancellation, RefundTerms } from '../event/approval-and-cancellation-types.ts'
import { toAmount, type Amount, type Currency } from '../lib/money.ts'
import { getOwn } from '../lib/result.ts'
import { dayOf, type Day, type Instant } from '../lib/time.ts'

/** Returns the refund terms for a cancellation on that day. */
export function findRefundTerms({ steps, otherwise }: Cancellation, day: Day): RefundTerms {
  return steps.find(({ until }) => day <= until) ?? otherwise
}

/** The amounts that make up a cancellation refund. */
export type CancellationRefund = {
  /** The sum of all counted payments, before refunds. */
  readonly paid: Amount
  /** The amount paid above the current price (an overpayment or a lowered bill). It is always refunded in full. */
  readonly owed: Amount
  /** The part of the payment that covers the price. The scale applies to this part. */
  readonly remaining: Amount
  /** Null if the event file has no scale. */
  readonly percent: number | null
  /** The tax in `remaining` if the organisers keep it before the percentage is applied; otherwise 0. */
  readonly taxKept: Amount
  /** The fixed charge in the scale; 0 if there is none. It does not reduce the share below 0. */
  readonly charge: Amount
  /** The percentage of the price, less the charge. */
  readonly share: Amount | null
  /** Refunds that are complete or in progress. They are deducted from the amount owed first, then from the share. */
  readonly refunded: Amount
  readonly proposed: Amount | null
}

/** The price and payments of a registration, with the tax in the price. */
type PaidPrice = {
  /** Null if the registration has no price. */
  readonly price: Amount | null
  readonly paid: Amount
  readonly refunded: Amount
  /** The bill and its tax. Null if the registration has no bill. */
  readonly total: Amount | null
  readonly gst: Amount | null
  readonly currency: Currency
}

/**
 * Calculates the cancellation refund. The sum of all refunds is the amount owed plus the share,
 * regardless of earlier refunds.
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
  // The current event file may define no charge in the payment's currency.
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

/**
 * Returns the refund under these terms for a bill paid in full; null if the terms have no
 * charge in its currency.
 */
export function computeRefundOfPrice(
  { percent, withoutTax, charge }: RefundTerms,
  {
    base,
    total,
    currency,
  }: { readonly base: Amount; readonly total: Amount; readonly currency: Currency },
): Amount | null {
  const deductedCharge = charge === undefined ? toAmount(0) : getOwn(charge, currency)
  return deductedCharge === undefined
    ? null
    : computeShare(percent, withoutTax === true ? base : total, deductedCharge)
}

/** Computes the refunded share. Half a paisa is rounded up, in the delegate's favour. */
const computeShare = (percent: number, amount: number, charge: Amount): Amount =>
  toAmount(Math.max(0, Math.floor((amount * percent + 50) / 100) - charge))

/** Returns the proportionate tax in part of a bill. Half of the smallest unit is rounded up. */
function computeTaxShare(part: Amount, total: Amount | null, gst: Amount | null): Amount {
  if (total === null || gst === null || total === 0) return toAmount(0)
  const [scaledTax, billTotal] = [BigInt(part) * BigInt(gst), BigInt(total)]
  return toAmount(Number((2n * scaledTax + billTotal) / (2n * billTotal)))
}

/**
 * Computes a registration's balance: the amount required for its bill, and the price part of its payments.
 *
 * Payments due and refunds follow the same rule.
 */
import { toAmount, type Amount } from '../lib/money.ts'

/** A shortfall that staff accepted, with the bill at that time. */
export type AcceptedShortfall = { readonly bill: Amount; readonly amount: Amount }

/** The totals of a registration's payments and refunds, for comparison with its bill. */
export type PaymentTotals = {
  /** The sum of all payments that ever counted, before refunds. */
  readonly received: Amount
  /**
   * The amount that was refunded because it was owed, before a cancellation. A refund after a cancellation is a
   * percentage of the price instead.
   */
  readonly refundedAsOwed: Amount
  /** The part of `received` that was not refunded. Refunds in progress are not deducted yet. */
  readonly left: Amount
  /** Accepted shortfalls, in the order of the payments. */
  readonly acceptedShortfalls: readonly AcceptedShortfall[]
  /** The highest bill that was paid. Null if no bill was paid. */
  readonly highestPaidBill: Amount | null
}

/**
 * Returns the amount required for this bill. An accepted shortfall remains accepted for that bill and for any higher
 * bill. A lower bill never requires more than the higher bill did, nor more than its own total.
 */
export function computeRequiredAmount(
  bill: Amount,
  acceptedShortfalls: readonly AcceptedShortfall[],
): Amount {
  const last = acceptedShortfalls.at(-1)
  if (last === undefined) return bill
  const earlierShortfalls = acceptedShortfalls.slice(0, -1)
  const amountForLastBill = computeRequiredAmount(last.bill, earlierShortfalls) - last.amount
  const required =
    bill < last.bill
      ? Math.min(amountForLastBill, computeRequiredAmount(bill, earlierShortfalls))
      : computeRequiredAmount(bill, earlierShortfalls) - last.amount
  return toAmount(Math.max(0, required))
}

/**
 * Returns the balance: positive if the delegate owes money, negative if a refund is due. A refund never exceeds the
 * amount left, so an earlier goodwill refund counts towards a lower bill. If the bill is changed back, the balance is
 * the same as before.
 */
export function calculateBalance(
  bill: Amount,
  { received, refundedAsOwed, left, acceptedShortfalls }: PaymentTotals,
): number {
  return Math.max(
    computeRequiredAmount(bill, acceptedShortfalls) - received + refundedAsOwed,
    -left,
  )
}

/**
 * Returns the part of the payments that covers the price. The cancellation scale applies to this part; the remainder
 * is refunded in any case. An excess over a lower bill counts towards a higher bill, but is part of its price only
 * when the higher bill is paid.
 */
export function computePricePartOfPayments(bill: Amount | null, totals: PaymentTotals): Amount {
  const { received, refundedAsOwed, acceptedShortfalls, highestPaidBill } = totals
  const left = toAmount(Math.max(0, received - refundedAsOwed))
  if (bill === null) return left
  const required = computeRequiredAmount(bill, acceptedShortfalls)
  return left >= required
    ? required
    : toAmount(Math.min(left, computeRequiredAmount(highestPaidBill ?? bill, acceptedShortfalls)))
}

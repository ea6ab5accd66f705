/**
 * Balance of a registration: the amount required for a bill, and which part of a payment is its
 * price.
 *
 * One rule serves both payments due and refunds.
 */
import { toAmount, type Amount } from '../lib/money.ts'

/** A shortfall that staff accepted, and the bill of that payment. */
export type AcceptedShortfall = { readonly bill: Amount; readonly amount: Amount }

/** The payments and refunds of a registration, to compare with its bill. */
export type MoneyOfBill = {
  /** The sum of all payments that were ever counted, before refunds. */
  readonly came: Amount
  /**
   * Refunded because it was owed before a cancellation. A refund after a cancellation is a share of
   * the price.
   */
  readonly paidBack: Amount
  /** The part of `came` that was not refunded. A refund in progress is not deducted yet. */
  readonly left: Amount
  /** In the order of the payments. */
  readonly letGo: readonly AcceptedShortfall[]
  /** The highest bill that was paid. Null if none was. */
  readonly billPaid: Amount | null
}

/**
 * Returns the amount required for this bill. A shortfall that staff accepted remains accepted for
 * that bill and for a higher one. A lower bill requires no more than what was enough for the higher
 * one, and no more than itself.
 */
export function computeRequiredAmount(bill: Amount, letGo: readonly AcceptedShortfall[]): Amount {
  const last = letGo.at(-1)
  if (last === undefined) return bill
  const before = letGo.slice(0, -1)
  const enough = computeRequiredAmount(last.bill, before) - last.amount
  const required =
    bill < last.bill
      ? Math.min(enough, computeRequiredAmount(bill, before))
      : computeRequiredAmount(bill, before) - last.amount
  return toAmount(Math.max(0, required))
}

/**
 * Returns the balance: positive is to be paid, negative is to be refunded. No more can be refunded
 * than is left: earlier goodwill counts towards a lower bill. If the bill is then changed back, the balance is the same as before.
 */
export function calculateBalance(
  bill: Amount,
  { came, paidBack, left, letGo }: MoneyOfBill,
): number {
  return Math.max(computeRequiredAmount(bill, letGo) - came + paidBack, -left)
}

/**
 * Returns the part of the money that is the price, to which the cancellation scale applies; the
 * rest is owed in any case. An amount above a lower bill goes towards a higher bill, and is not its
 * price before the higher bill is paid.
 */
export function computePricePartOfPayments(bill: Amount | null, money: MoneyOfBill): Amount {
  const { came, paidBack, letGo, billPaid } = money
  const left = toAmount(Math.max(0, came - paidBack))
  if (bill === null) return left
  const required = computeRequiredAmount(bill, letGo)
  return left >= required
    ? required
    : toAmount(Math.min(left, computeRequiredAmount(billPaid ?? bill, letGo)))
}

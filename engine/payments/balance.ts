/**
 * The balance of a registration: the amount required for a bill, and the part of a payment that is
 * the price.
 *
 * Payments due and refunds follow the same rule.
 */
import { toAmount, type Amount } from '../lib/money.ts'

/** A shortfall that staff accepted, with the bill at that time. */
export type AcceptedShortfall = { readonly bill: Amount; readonly amount: Amount }

/** The payments and refunds of a registration, for comparison with its bill. */
export type MoneyOfBill = {
  /** The sum of all payments that ever counted, before refunds. */
  readonly came: Amount
  /**
   * Refunded because it was owed before a cancellation. A refund after a cancellation is a share of
   * the price instead.
   */
  readonly paidBack: Amount
  /** The part of `came` that was not refunded. Refunds in progress are not deducted yet. */
  readonly left: Amount
  /** Accepted shortfalls, in the order of the payments. */
  readonly letGo: readonly AcceptedShortfall[]
  /** The highest bill that was paid. Null if none was. */
  readonly billPaid: Amount | null
}

/**
 * Returns the amount required for this bill. An accepted shortfall remains accepted for that bill
 * and for a higher one. A lower bill requires no more than the amount that was enough for the
 * higher one, and no more than its own total.
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
 * Returns the balance: positive to be paid, negative to be refunded. No more can be refunded than
 * is left, so earlier goodwill counts towards a lower bill. If the bill is changed back, the
 * balance is the same as before.
 */
export function calculateBalance(
  bill: Amount,
  { came, paidBack, left, letGo }: MoneyOfBill,
): number {
  return Math.max(computeRequiredAmount(bill, letGo) - came + paidBack, -left)
}

/**
 * Returns the part of the payments that is the price, to which the cancellation scale applies; the
 * remainder is owed in any case. An excess over a lower bill counts towards a higher bill, but is
 * part of its price only when the higher bill is paid.
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

/** What a delegate has to have paid for a bill, and what of the money that came is its price: one rule for what is due and what goes back. */
import { paise, type Paise } from '../lib/money.ts'

/** Staff accepted this much less than was asked for, and the bill that it was asked for. */
export type LetGo = { readonly bill: Paise; readonly amount: Paise }

/** The money that counts for a registration, beside its bill. */
export type MoneyOfBill = {
  /** All that began to count, whatever went back of it since. */
  readonly came: Paise
  /** What went back of it because it was owed before a cancellation. What goes back after one is a share of the price. */
  readonly paidBack: Paise
  /** In the order of the payments. */
  readonly letGo: readonly LetGo[]
  /** The dearest bill that was paid; null: none was. */
  readonly billPaid: Paise | null
}

/**
 * What has to have been paid for this bill. What staff let go of stays let go for that bill and a dearer one. A cheaper bill
 * costs no more than what was enough for the dearer one, and no more than itself.
 */
export function requiredOf(bill: Paise, letGo: readonly LetGo[]): Paise {
  const last = letGo.at(-1)
  if (last === undefined) return bill
  const before = letGo.slice(0, -1)
  const enough = requiredOf(last.bill, before) - last.amount
  const required =
    bill < last.bill
      ? Math.min(enough, requiredOf(bill, before))
      : requiredOf(bill, before) - last.amount
  return paise(Math.max(0, required))
}

/** Above nothing it is to be paid, below it is to be paid back. */
export function balanceOf(bill: Paise, { came, paidBack, letGo }: MoneyOfBill): number {
  return requiredOf(bill, letGo) - came + paidBack
}

/**
 * How much of the money is the price, to which the scale of a cancellation applies; the rest is owed in any case. What was
 * more than a cheaper bill pays for a dearer one, and is not its price before the dearer one is paid.
 */
export function pricePaidOf(bill: Paise | null, money: MoneyOfBill): Paise {
  const { came, paidBack, letGo, billPaid } = money
  const left = paise(Math.max(0, came - paidBack))
  if (bill === null) return left
  const required = requiredOf(bill, letGo)
  return left >= required ? required : paise(Math.min(left, requiredOf(billPaid ?? bill, letGo)))
}

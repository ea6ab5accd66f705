/** Computes the balance of a registration, by the same rule as `due` in the store. */
import { cancellationRefund, paise, pricePartOfPayments } from '../../../engine/index.ts'
import type {
  CancellationRefund,
  EventConfig,
  Instant,
  MoneyOfBill,
  Paise,
} from '../../../engine/index.ts'
import type { StoredRefund, StoredRegistration } from '../../storage/index.ts'

/** Paid: the difference. Unpaid: the full amount. Null: the registration has no price. */
export function dueOf({
  paymentStatus,
  due,
  total,
}: Pick<StoredRegistration, 'paymentStatus' | 'due' | 'total'>): Paise | null {
  return paymentStatus === 'success' ? due : total
}

/** Returns the amount still to be paid; zero if the registration has no price. */
export const owed = (registration: StoredRegistration): Paise => dueOf(registration) ?? paise(0)

/** Returns the amount to refund for which no refund is in progress. */
export function toPayBack(
  { due }: Pick<StoredRegistration, 'due'>,
  refunds: readonly Pick<StoredRefund, 'state' | 'amount'>[],
): Paise {
  const underWay = refunds
    .filter(({ state: is }) => is === 'wanted' || is === 'asked' || is === 'unsure')
    .reduce((sum, { amount }) => sum + amount, 0)
  return paise(Math.max(0, -due - underWay))
}

/**
 * Computes the refund that the office and the self-service page propose. `kept`: the amount paid and not
 * refunded.
 */
export function refundAtCancellation(
  { cancellation }: EventConfig,
  { total }: StoredRegistration,
  { money, kept }: { readonly money: MoneyOfBill; readonly kept: Paise },
  at: Instant,
): CancellationRefund {
  const { came: paid } = money
  const price = pricePartOfPayments(total, money)
  return cancellationRefund(cancellation, { price, paid, refunded: paise(paid - kept) }, at)
}

/** Computes the balance of a registration, by the same rule as `due` in the store. */
import { paise } from '../../../engine/index.ts'
import type { Paise } from '../../../engine/index.ts'
import type { StoredRefund, StoredRegistration } from '../../storage/index.ts'

/** Paid: the difference. Unpaid: the full amount. Null: the registration has no price. */
export function dueOf({
  paymentStatus,
  due,
  total,
}: Pick<StoredRegistration, 'paymentStatus' | 'due' | 'total'>): Paise | null {
  return paymentStatus === 'success' ? due : total
}

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

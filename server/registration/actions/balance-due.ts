/** What is to be paid for a registration that is to be paid: the same rule as `due` in the store. */
import { paise } from '../../../engine/index.ts'
import type { Paise } from '../../../engine/index.ts'
import type { StoredRefund, StoredRegistration } from '../../storage/index.ts'

/** Of what is paid the difference, of what is not the whole; null: it has no price. */
export function dueOf({
  paymentStatus,
  due,
  total,
}: Pick<StoredRegistration, 'paymentStatus' | 'due' | 'total'>): Paise | null {
  return paymentStatus === 'success' ? due : total
}

/** What is to be paid back, and is not on its way. */
export function toPayBack(
  { due }: Pick<StoredRegistration, 'due'>,
  refunds: readonly Pick<StoredRefund, 'state' | 'amount'>[],
): Paise {
  const underWay = refunds
    .filter(({ state: is }) => is === 'wanted' || is === 'asked' || is === 'unsure')
    .reduce((sum, { amount }) => sum + amount, 0)
  return paise(Math.max(0, -due - underWay))
}

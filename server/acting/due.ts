/** What is to be paid for a registration that is to be paid: the same rule as `due` in the store. */
import type { Paise } from '../../engine/index.ts'
import type { StoredRegistration } from '../store/store.ts'

/** Of what is paid the difference, of what is not the whole; null: it has no price. */
export function dueOf({
  paymentStatus,
  due,
  total,
}: Pick<StoredRegistration, 'paymentStatus' | 'due' | 'total'>): Paise | null {
  return paymentStatus === 'success' ? due : total
}

/** Selects the data shown after a transfer, to the new holder and to others who have the number. */
import { findTransferTime, listHolderFields } from '../../engine/index.ts'
import type { EventConfig, Field, Instant } from '../../engine/index.ts'
import type { Store, StoredAction, StoredRegistration } from '../storage/index.ts'

/**
 * Types of fields with free text about a person. Choices determine which items were sold, so they stay with the
 * registration.
 */
const FREE_TEXT_TYPES: ReadonlySet<Field['type']> = new Set([
  'text',
  'multiline',
  'email',
  'phone',
  'date',
  'people',
  'file',
])

/** Removes the new holder's details after a transfer, because the former holder still has the number. */
export function hideNewHolder(
  { roles }: Pick<EventConfig, 'roles'>,
  registration: StoredRegistration,
  actions: readonly StoredAction[],
): StoredRegistration {
  if (!actions.some(({ act }) => act === 'transfer')) return registration
  const holderFields = new Set(Object.values(roles).flat())
  const answers = Object.entries(registration.answers).filter(([id]) => !holderFields.has(id))
  return { ...registration, answers: Object.fromEntries(answers) }
}

/**
 * After a transfer, removes the previous person's texts (institution, address, notes) and the reference of their
 * payment.
 */
export function hidePreviousHolder(
  { fields, roles }: Pick<EventConfig, 'fields' | 'roles'>,
  registration: StoredRegistration,
  actions: readonly StoredAction[],
): StoredRegistration {
  const holderFields = listHolderFields(roles, fields, actions)
  if (holderFields === null) return registration
  const hiddenFields = new Set(
    fields
      .filter(({ id, type }) => FREE_TEXT_TYPES.has(type) && !holderFields.has(id))
      .map(({ id }) => id),
  )
  const answers = Object.entries(registration.answers).filter(
    ([id]) => !hiddenFields.has(id.split('.')[0] ?? id),
  )
  return {
    ...registration,
    paymentId: isHolderPayment(registration, actions) ? registration.paymentId : null,
    answers: Object.fromEntries(answers),
  }
}

const isHolderPayment = (
  { payments, paymentId }: StoredRegistration,
  actions: readonly StoredAction[],
): boolean =>
  payments.some(
    ({ reference, createdAt }) => reference === paymentId && isHolderAttempt(createdAt, actions),
  )

/**
 * Returns true if the payment attempt began after the last transfer. The day of a bank transfer is entered by staff, so
 * it does not show who paid.
 */
function isHolderAttempt(attemptedAt: Instant, actions: readonly StoredAction[]): boolean {
  const transferredAt = findTransferTime(actions)
  return transferredAt === null || attemptedAt > transferredAt
}

/**
 * Returns true if a payment may be the previous holder's: its attempt began, or it was recorded, before the last
 * transfer. Its bank reference, and its amount while it is under review, are not shown.
 */
export const isPreviousHolderPayment = async (
  store: Pick<Store, 'actions'>,
  { regNo, wasTransferred }: Pick<StoredRegistration, 'regNo' | 'wasTransferred'>,
  beganAt: Instant | null,
): Promise<boolean> =>
  wasTransferred && (beganAt === null || !isHolderAttempt(beganAt, await store.actions(regNo)))

/** Returns the registration as its emails may show it: after a transfer, without the previous person's data. */
export const readHolderRegistration = async (
  store: Pick<Store, 'actions'>,
  event: Pick<EventConfig, 'fields' | 'roles'>,
  registration: StoredRegistration,
): Promise<StoredRegistration> =>
  registration.wasTransferred
    ? hidePreviousHolder(event, registration, await store.actions(registration.regNo))
    : registration

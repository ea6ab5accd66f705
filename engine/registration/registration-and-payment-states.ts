/** Defines the states of registrations and of their payments, with labels. */

/**
 * States of a registration, in addition to its payment status: awaiting approval, refused, to be
 * paid (in full, or a difference), payment reported by the delegate, complete, cancelled, expired.
 */
export const REGISTRATION_STATES = [
  'to_approve',
  'refused',
  'to_pay',
  'told',
  'complete',
  'cancelled',
  'lapsed',
] as const
export type RegistrationState = (typeof REGISTRATION_STATES)[number]

/** Used after "This registration is" and after "registrations". */
export const STATE_LABELS = {
  to_approve: 'waiting for approval',
  refused: 'refused',
  to_pay: 'unpaid',
  told: 'reported as paid but not confirmed',
  complete: 'complete',
  cancelled: 'cancelled',
  lapsed: 'expired',
} as const satisfies Readonly<Record<RegistrationState, string>>

export type PaymentStatus = 'pending' | 'success' | 'failed' | 'refunded'

const PAYMENT_STATUS_LABELS = {
  success: 'Paid',
  pending: 'Pending',
  failed: 'Failed',
  refunded: 'Refunded',
} satisfies Record<PaymentStatus, string>
export const isPaymentStatus = (value: unknown): value is PaymentStatus =>
  typeof value === 'string' && Object.hasOwn(PAYMENT_STATUS_LABELS, value)

export function getStatusText(status: PaymentStatus): string {
  return PAYMENT_STATUS_LABELS[status]
}

/** Returns the state of a registration for use in a sentence, after "The registration is". */
export function getStateLabel({
  state,
  paymentStatus,
}: {
  readonly state: RegistrationState
  readonly paymentStatus: PaymentStatus | undefined
}): string {
  return state === 'to_pay' && paymentStatus === 'success' ? 'partly paid' : STATE_LABELS[state]
}

/** Returns the label for a registration with an amount due. */
export function getDueLabel({
  state,
  isInReview,
  paymentStatus,
}: {
  readonly state: RegistrationState
  readonly isInReview: boolean
  readonly paymentStatus: PaymentStatus
}): string {
  if (isInReview) return 'Needs review'
  if (state === 'told') return 'Reported by delegate'
  if (state === 'to_approve') return 'Due after approval'
  return paymentStatus === 'success' ? 'Partly paid' : 'Unpaid'
}

const ENDED_STATE_LABELS = {
  cancelled: 'Cancelled',
  refused: 'Rejected',
} as const satisfies Partial<Record<RegistrationState, string>>
export type EndedState = keyof typeof ENDED_STATE_LABELS

export const ENDED_STATES = Object.keys(ENDED_STATE_LABELS) as readonly EndedState[]
/** The label for the combined count of cancelled and refused registrations. */
export const ENDED_LABEL = 'Cancelled or rejected'

export const isEnded = (state: unknown): state is EndedState =>
  typeof state === 'string' && Object.hasOwn(ENDED_STATE_LABELS, state)
export const getEndedLabel = (state: EndedState): string => ENDED_STATE_LABELS[state]

/**
 * Returns a label such as "Cancelled (paid)", without the part in brackets if there was no payment; null if the
 * registration has not ended.
 */
export function getEndedText({
  state,
  paymentStatus,
  inReview,
  total,
}: {
  readonly state: RegistrationState
  readonly paymentStatus: PaymentStatus
  readonly inReview: boolean
  readonly total: number | null
}): string | null {
  if (!isEnded(state)) return null
  const paymentLabel =
    total === 0
      ? null
      : paymentStatus === 'success'
        ? 'paid'
        : paymentStatus === 'refunded'
          ? 'refunded'
          : inReview
            ? 'review'
            : null
  return paymentLabel === null
    ? ENDED_STATE_LABELS[state]
    : `${ENDED_STATE_LABELS[state]} (${paymentLabel})`
}

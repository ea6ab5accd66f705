/** What is over, whatever came of its money: it is said before the payment status wherever people read one, so that nobody is let in by a "Paid". */
import type { RegistrationState } from './states-and-actions.ts'
import type { PaymentStatus } from '../payments/payment.ts'

const WORDS = {
  cancelled: 'Cancelled',
  refused: 'Refused',
} as const satisfies Partial<Record<RegistrationState, string>>
export type EndedState = keyof typeof WORDS

export const ENDED_STATES = Object.keys(WORDS) as readonly EndedState[]
/** Of all of them together, where they are counted. */
export const ENDED_LABEL = 'Cancelled or refused'

export const isEnded = (state: unknown): state is EndedState =>
  typeof state === 'string' && Object.hasOwn(WORDS, state)
export const endedWord = (state: EndedState): string => WORDS[state]

/** "Cancelled (paid)"; without money there is nothing to say of it. Null: it is not over. */
export function endedText({
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
  const money =
    total === 0
      ? null
      : paymentStatus === 'success'
        ? 'paid'
        : paymentStatus === 'refunded'
          ? 'refunded'
          : inReview
            ? 'review'
            : null
  return money === null ? WORDS[state] : `${WORDS[state]} (${money})`
}

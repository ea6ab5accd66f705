/** Determines the seats of a registration from its state. */
import type { PaymentStatus, RegistrationState } from '../../../engine/index.ts'

/** The parts of a registration's state that determine its seats. */
export type SeatState = {
  readonly state: RegistrationState
  readonly status: PaymentStatus
  readonly inReview: boolean
  readonly hasPaymentDeadline: boolean
}

/**
 * Determines the seats of a registration. A registration keeps its seats if it is paid, under review or within its
 * payment deadline, holds them during payment, and releases them otherwise. A cancelled or rejected registration has no
 * seats, even if it was paid. `countsAsUse` in registrations/discount-codes.ts implements the same rule for discount
 * codes, in SQL.
 */
export function determineSeatUse({
  state,
  status,
  inReview,
  hasPaymentDeadline,
}: SeatState): 'kept' | 'held' | 'free' {
  if (state === 'cancelled' || state === 'refused') return 'free'
  if (status === 'success' || inReview) return 'kept'
  if (state === 'to_approve' || state === 'told' || (state === 'to_pay' && hasPaymentDeadline))
    return 'kept'
  return status === 'pending' ? 'held' : 'free'
}

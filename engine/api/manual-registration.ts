/** API types for manual registration at the desk: the form and the result. */
import type { SharedDetail } from '../registration/similar-registrations.ts'
import type {
  PaymentStatus,
  RegistrationState,
} from '../registration/registration-and-payment-states.ts'
import type { PublicEvent } from '../event/config.ts'
import type { WireClaimField } from './payment-methods.ts'

/** GET /admin/add/?event=ID. */
export type ManualRegistrationFormResponse = {
  status: 'success'
  /** The server's time, ISO 8601 with +05:30. It determines the prices. */
  now: string
  event: PublicEvent
  /**
   * Seats left, keyed by quota id or `quota.option`: 0 if full; other numbers only if the event file makes them public.
   */
  left: Record<string, number>
  /** The payment methods at the desk. Empty if the desk takes no payments. */
  ways: { id: string; label: string; asks: WireClaimField[] }[]
}
/**
 * POST /admin/add/similar/ {event, answers}: registrations of the event that may belong to the same
 * person.
 */
export type SimilarRegistrationsResponse = { status: 'success'; similar: WireSimilarRegistration[] }
export type WireSimilarRegistration = {
  reg_no: string
  name: string
  /** The details in which the two registrations match. */
  matches: readonly SharedDetail[]
  payment_status: PaymentStatus
  payment_status_display: string
  in_review: boolean
  in_state: RegistrationState
}
/**
 * The 201 response to POST /admin/add/ {event, key, answers, way?, paid?: {question: answer}}. Without a payment
 * method, the registration remains unpaid. Errors are the same as for the registration form; `errors` also covers the
 * method's fields.
 */
export type ManualRegistrationResponse = {
  status: 'success'
  reg_no: string
  state: RegistrationState
}

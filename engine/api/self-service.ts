/** API types for the self-service page: a registration with its payments, documents and requests. */
import type { RegistrationState } from '../registration/registration-and-payment-states.ts'
import type { WireEditableField, WireSecondPayment } from './actions.ts'
import type { DocumentsResponse } from './office.ts'
import type { WireManualPayment } from './payment-methods.ts'
import type { RegistrationResponse, WireReceivedAmount } from './registration.ts'

/**
 * GET /api/my/{token}/. Amounts are in major units of the currency that `registration` states; times are in ISO 8601
 * with an offset.
 */
export type SelfServiceResponse = {
  status: 'success'
  /** Includes every answer, because the link proves that the request comes from the delegate. */
  registration: RegistrationResponse['registration']
  state: RegistrationState
  /** The received amounts that staff are checking. Absent if there are none. */
  under_review?: WireReceivedAmount[]
  /** Payment instructions and the latest payment claim. Null if the payment is not manual, or not due. */
  paying: WireManualPayment | null
  /** Each document is a PDF at /api/my/{token}/documents/{id}/. */
  documents: DocumentsResponse['documents']
  /**
   * Fields that can be changed: POST to acts/ {act: 'edit', answers}. `until`: the last day. Empty
   * if there are none.
   */
  edit: { fields: WireEditableField[]; until: string | null }
  /**
   * Files that may be uploaded. `name` is the current file, or null if there is none. The client sends a file to
   * proofs/ and submits the token as the answer.
   */
  files: WireFile[]
  /** Null if cancellation cannot be requested now. POST to acts/ {act: 'ask_cancel', why?}. */
  cancel: WireCancellation | null
  /**
   * Set if this is the second payment for this email address and name; null if not, or if the link
   * is not from an email. POST to acts/ {act: 'ask_refund'}; {act: 'withdraw_refund'} once
   * requested.
   */
  second_payment: WireSecondPayment | null
  /** Present if the organisers refused the registration. Null if they did not. */
  refused: WireRefusal | null
}
export type WireFile = {
  id: string
  label: string
  name: string | null
  /** File name extensions, and the maximum size in bytes. */
  accept: string[]
  bytes_max: number
}
export type WireCancellation = {
  /** When the delegate requested the cancellation. Null if there is no request. */
  asked_at: string | null
  /** The amount paid and not refunded. */
  kept: number
  /** The refund today according to the organisers' refund scale. Null if there is no scale. */
  back: number | null
  /**
   * The calculation, if tax or a charge is deducted; otherwise absent. `of`: the amount to which the percentage
   * applies. `without_tax`: the name of the tax that this amount excludes.
   */
  terms?: { percent: number; of: number; without_tax?: string; charge?: number }
}
/**
 * The reason, the event file's message (`say`), and the category offered instead, with its price. `offer` is null if
 * there is none.
 */
export type WireRefusal = {
  why: string
  say: string | null
  offer: { category: string; label: string; total: number; currency?: string } | null
}

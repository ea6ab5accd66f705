/** Defines payment claims: delegates' reports of payments made outside a gateway. */
import type { Answers, BankKey, Currency, Day, Instant, RegNo } from '../../../engine/index.ts'
import type { StoredUpload } from '../registrations/registration-types.ts'

/** A new claim. Its files are already stored, under the fields `<payment method id>.<claim field id>`. */
export type NewPaymentClaim = {
  readonly way: string
  readonly reference: string
  readonly paidOn: Day | null
  readonly answers: Answers
  readonly uploads: readonly StoredUpload[]
  /** The draft uploads that the claim uses. */
  readonly drafts: readonly string[]
}
export type StoredPaymentClaim = {
  readonly at: Instant
  readonly way: string
  readonly reference: string
  readonly paidOn: Day | null
  readonly answers: Answers
  /**
   * Null if the claim has not been checked. `again`: the claim was replaced by another claim, or the registration was
   * paid by another method.
   */
  readonly endedAs: 'found' | 'not_found' | 'again' | null
  /**
   * Whose payment is recorded under the reference: that of this registration, another payment, or none (null). Staff of
   * another event can record the reference, because a claim does not block it there.
   */
  readonly recordedFor: 'this_registration' | 'other' | null
}
/**
 * A reference that a delegate reported. It belongs to the registration until staff or the delegate release it, even if
 * the registration is cancelled, expires or is paid by another method.
 */
export type ReportedReference = {
  readonly key: BankKey
  readonly regNo: RegNo
  readonly eventId: string
  /** The currency of the registration. A transfer in another currency is not the reported payment. */
  readonly currency: Currency
  readonly name: string
  /** The reference as typed. */
  readonly reference: string
  readonly day: Day | null
  /**
   * True if staff rejected the claim or the delegate replaced it. Staff may then choose another registration for the
   * reference.
   */
  readonly isReleased: boolean
}

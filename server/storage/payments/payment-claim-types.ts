/** Defines payment claims: delegates' reports of payments made outside a gateway. */
import type { Answers, BankKey, Currency, Day, Instant, RegNo } from '../../../engine/index.ts'
import type { StoredUpload } from '../registrations/registration-types.ts'

/** A new claim; its files are stored already, and each belongs to the field `way.question`. */
export type NewPaymentClaim = {
  readonly way: string
  readonly reference: string
  readonly paidOn: Day | null
  readonly answers: Answers
  readonly uploads: readonly StoredUpload[]
  /** The draft uploads that it uses. */
  readonly drafts: readonly string[]
}
export type StoredPaymentClaim = {
  readonly at: Instant
  readonly way: string
  readonly reference: string
  readonly paidOn: Day | null
  readonly answers: Answers
  /** Null if not checked yet. `again`: another claim followed, or the registration was paid otherwise. */
  readonly endedAs: 'found' | 'not_found' | 'again' | null
  /** A payment is recorded under the reference. */
  readonly isRecorded: boolean
}
/**
 * A reference that a delegate reported. It belongs to the registration until it is released, even if the registration
 * is paid otherwise or has ended.
 */
export type ReferenceReport = {
  readonly key: BankKey
  readonly regNo: RegNo
  readonly eventId: string
  /** The currency of the registration: a transfer in another one is not the reported payment. */
  readonly currency: Currency
  readonly name: string
  /** The reference as typed, and the day of the payment. */
  readonly reference: string
  readonly day: Day | null
  /**
   * Staff rejected the claim, or its delegate replaced it: the reference may belong to another registration, and
   * staff decide whose it is.
   */
  readonly isReleased: boolean
}

/** What delegates tell of money paid outside, as the store takes it and gives it. */
import type { Answers, BankKey, Day, Instant, RegNo } from '../../../engine/index.ts'
import type { StoredUpload } from '../registrations/registration-types.ts'

/** What is told; files are kept already, and each belongs to the field `way.question`. */
export type NewTelling = {
  readonly way: string
  readonly reference: string
  readonly paidOn: Day | null
  readonly answers: Answers
  readonly uploads: readonly StoredUpload[]
  /** Drafts that were taken by it. */
  readonly drafts: readonly string[]
}
export type StoredTelling = {
  readonly at: Instant
  readonly way: string
  readonly reference: string
  readonly paidOn: Day | null
  readonly answers: Answers
  /** Null: nobody has looked for it yet; `again`: another was reported since, or it was paid otherwise. */
  readonly endedAs: 'found' | 'not_found' | 'again' | null
  /** A payment is recorded under the reference. */
  readonly isRecorded: boolean
}
/** A reference that a delegate reported. It stays the registration's, also once that is paid otherwise or has ended. */
export type ReferenceReport = {
  readonly key: BankKey
  readonly regNo: RegNo
  readonly eventId: string
  readonly name: string
  /** As it was typed, and for which day. */
  readonly reference: string
  readonly day: Day | null
  /** Staff did not find it since: it may be another registration's, and staff decide whose. */
  readonly isRejected: boolean
}

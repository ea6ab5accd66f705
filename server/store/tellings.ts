/** What delegates tell of money paid outside, as the store takes it and gives it. */
import type { Answers, Day, Instant } from '../../engine/index.ts'
import type { StoredUpload } from './shapes.ts'

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
  /** Null: nobody has looked for it yet. */
  readonly endedAs: 'found' | 'not_found' | 'again' | null
}

/** Types of approval, cancellation, self-service and retention in a compiled event file. */
import type { Condition } from './answer-types.ts'
import type { Amount } from '../lib/money.ts'
import type { Day } from '../lib/time.ts'

export type Approval = {
  readonly id: string
  /** The registrations to which the rule applies. */
  readonly when: Condition
  /** The file fields that staff must check. */
  readonly documents: readonly string[]
  /** The number of days after registration within which staff must decide. */
  readonly decideWithinDays: number
  /**
   * The number of days after approval within which the registration can be paid, at the price of the registration
   * date.
   */
  readonly payWithinDays: number
  readonly ifRefused: {
    /** The category offered instead. Absent if there is none. */
    readonly offer?: string
    /** The message to a refused delegate, in addition to the office's reason. */
    readonly message?: string
  }
}

/** The part of the paid price that is refunded. */
export type RefundTerms = {
  /** The percentage of the price, as a whole number. */
  readonly percent: number
  /** Set if the percentage applies to the price before tax, and the tax is not refunded. */
  readonly withoutTax?: true
  /** The charge deducted from the refund, keyed by the currency of the registration. Absent if nothing is deducted. */
  readonly charge?: Readonly<Record<string, Amount>>
}
export type Cancellation = {
  /** Refund steps, earliest first. Each step is valid up to and including its `until` date. */
  readonly steps: readonly (RefundTerms & { readonly until: Day })[]
  /** The refund after the final `until` date. */
  readonly otherwise: RefundTerms
}

export type Edit = {
  /** The last day on which delegates may change their answers. */
  readonly until: Day
  readonly fields: readonly string[]
}

/** The last day on which the data is kept. Null if the organisers decide. */
export type Retention = { readonly answers: Day | null; readonly files: Day | null }

/** Types of answers and conditions, shared by the whole engine. */
import type { Day } from '../lib/time.ts'

/** An answer that is one value. The answer of a file field is the file's name. */
export type Scalar = string | number | boolean
/** One person listed in a `people` field; fields that were not answered are absent. */
export type Person = Readonly<Record<string, Scalar>>
/**
 * One answer; a field that was not answered is absent. For a `many` field it is the ids of the
 * chosen options, in the order of the options; for a `people` field, a list of people. Lists are
 * never empty.
 */
export type Answer = Scalar | readonly string[] | readonly Person[]
export type Answers = Readonly<Record<string, Answer>>
/** Answers as received from a form or the API: any value is possible until `normalise` has read them. */
export type RawAnswers = Readonly<Record<string, unknown>>
/** One message per field, in form order. */
export type FieldErrors = Readonly<Record<string, string>>

/**
 * Bounds of an age in completed years on the date `on`. Only a condition that has not been compiled omits `on`, which
 * then means the event's first day.
 */
export type AgeBounds = {
  readonly atLeast?: number
  readonly atMost?: number
  readonly above?: number
  readonly below?: number
  readonly on?: Day
}

export type Test =
  | { readonly is: 'in'; readonly values: readonly Scalar[] }
  | { readonly is: 'not-in'; readonly values: readonly Scalar[] }
  /** For a `many` field: at least one of these options is chosen. */
  | { readonly is: 'has'; readonly values: readonly string[] }
  /** The number of chosen options or listed people; 0 if none. */
  | {
      readonly is: 'count'
      readonly atLeast?: number
      readonly atMost?: number
      readonly above?: number
      readonly below?: number
    }
  | { readonly is: 'answered'; readonly answered: boolean }
  | {
      readonly is: 'number'
      readonly atLeast?: number
      readonly atMost?: number
      readonly above?: number
      readonly below?: number
    }
  /** `age`: the test as written, from which the dates of birth are computed. */
  | { readonly is: 'date'; readonly from?: Day; readonly to?: Day; readonly age?: AgeBounds }
/** All tests in a map must hold. `field` may be `category`. */
export type ConditionMap = readonly { readonly field: string; readonly test: Test }[]
/** A condition holds if one of its maps holds. */
export type Condition = readonly ConditionMap[]

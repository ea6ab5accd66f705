/** What a delegate answers, and what is asked of answers: the shapes that all else in the engine speaks in. */
import type { Day } from '../lib/time.ts'

/** An answer that is one value. A file's answer is its name. */
export type Scalar = string | number | boolean
/** One of the people whom a `people` field lists; what was not answered of them is absent. */
export type Person = Readonly<Record<string, Scalar>>
/**
 * One answer; a field that was not answered is absent. A `many` field's is the ids of the options chosen,
 * in the order of the options; a `people` field's is a list of small forms. Neither is ever empty.
 */
export type Answer = Scalar | readonly string[] | readonly Person[]
export type Answers = Readonly<Record<string, Answer>>
/** Answers as they arrive, from a form or the wire: anything goes until `normalise` has read it. */
export type RawAnswers = Readonly<Record<string, unknown>>
/** One text per field, in form order. */
export type FieldErrors = Readonly<Record<string, string>>

export type Test =
  | { readonly is: 'in'; readonly values: readonly Scalar[] }
  | { readonly is: 'not-in'; readonly values: readonly Scalar[] }
  /** A `many` field: any of these options is among those chosen. */
  | { readonly is: 'has'; readonly values: readonly string[] }
  /** How many options are chosen, or people listed; nobody and nothing is 0. */
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
  | { readonly is: 'date'; readonly from?: Day; readonly to?: Day }
/** All tests of one map must hold. `field` may be `category`. */
export type ConditionMap = readonly { readonly field: string; readonly test: Test }[]
/** Any of these maps. */
export type Condition = readonly ConditionMap[]

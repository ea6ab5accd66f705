/** Types of the form: sections and fields of a compiled event file. */
import type { Condition, Scalar } from './answer-types.ts'
import type { Currency } from '../lib/money.ts'
import type { Day } from '../lib/time.ts'

export type FieldType =
  | 'text'
  | 'multiline'
  | 'email'
  | 'phone'
  | 'number'
  | 'date'
  | 'yes-no'
  | 'select'
  | 'file'
  | 'many'
  | 'people'
  | 'consent'
export type Colour = 'blue' | 'orange' | 'green' | 'purple' | 'grey' | 'red' | 'teal'
export type Option = {
  readonly id: string
  readonly label: string
  readonly about?: string
  readonly colour?: Colour
  /** For a payment method: the currencies of the bills that it can pay. Defaults to all. */
  readonly currencies?: readonly Currency[]
}

export type Field = {
  readonly id: string
  readonly type: FieldType
  /** select: dropdown | radio; yes-no: switch | radio. Undefined for other types. */
  readonly as?: 'switch' | 'radio' | 'dropdown'
  readonly label: string
  readonly hint?: string
  /** Index into `sections`. A field asked for each person has the section of its `people` field. */
  readonly section: number
  /** select and many only; resolved from categories, a shared list or the file. */
  readonly options?: readonly Option[]
  /** True for `options: categories`: each option is a category. */
  readonly offersCategories?: boolean
  readonly default?: Scalar
  /** file only: extensions without the dot, lower case, and the limit in bytes. */
  readonly accept?: readonly string[]
  readonly maxBytes?: number
  readonly ignoreCase: boolean
  /** The field's own condition; its section's condition is in `sections`. Both must hold. */
  readonly showWhen?: Condition
  /**
   * If present, the field must be answered when it is visible (and `when` holds, if given).
   * `message` is shown if it is not answered.
   */
  readonly required?: { readonly when?: Condition; readonly message: string }
  /** The message for a malformed answer. */
  readonly invalid: string
  /** If false, any phone number is accepted, and any email address that browsers accept. */
  readonly check: boolean
  /** email: the payer's address, which the gateway must accept. */
  readonly toGateway?: boolean
  /** number: bounds of the answer; people: the minimum and maximum number of people. */
  readonly min?: number
  readonly max?: number
  readonly maxLength?: number
  /**
   * An additional pattern for text, in JSON Schema syntax (anchored, flag u); from the key `pattern` or `format`.
   */
  readonly pattern?: string
  /** date: the first and the last day allowed. */
  readonly from?: Day
  readonly to?: Day
  /** number: whole numbers only, because the answer is a quantity. */
  readonly isWhole?: boolean
  /**
   * number: an amount that the delegate chooses (`amount_in`), in major units with the decimal places of its
   * currency.
   */
  readonly isAmount?: boolean
  /** number: the unit ("nights"), shown after the number; `unitOne` is the singular, if it differs. */
  readonly unit?: string
  readonly unitOne?: string
  /** many: the number of options that may be chosen, and those that are mutually exclusive. */
  readonly choose?: {
    readonly atLeast?: number
    readonly atMost?: number
    readonly mutuallyExclusive: readonly (readonly string[])[]
    readonly message: string
  }
  /** people: the fields for each person. Only simple types, without conditions. */
  readonly fields?: readonly Field[]
  /** consent: link to the full text, and the version that delegates accept. */
  readonly link?: string
  readonly version?: string
  /** The member list that must contain the answer. */
  readonly roll?: string
}

export type Section = {
  readonly title: string
  readonly showWhen?: Condition
  readonly fields: readonly string[]
}

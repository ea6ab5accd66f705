/** What a form asks: its sections and its questions, as a checked event file says them. */
import type { Condition, Scalar } from './answer-types.ts'
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
}

export type Field = {
  readonly id: string
  readonly type: FieldType
  /** select: dropdown | radio; yes-no: switch | radio. Undefined elsewhere. */
  readonly as?: 'switch' | 'radio' | 'dropdown'
  readonly label: string
  readonly hint?: string
  /** Index into `sections`; of a field of `people`, that of the list it belongs to. */
  readonly section: number
  /** select and many only; resolved from categories, a shared list or the file. */
  readonly options?: readonly Option[]
  /** True where `options: categories`: the choice that sets or names the category. */
  readonly offersCategories?: boolean
  readonly default?: Scalar
  /** file only: endings without the dot, lower case, and the limit in bytes. */
  readonly accept?: readonly string[]
  readonly bytesMax?: number
  readonly ignoreCase: boolean
  /** The field's own condition; the section's stands in `sections`. Both must hold. */
  readonly showWhen?: Condition
  /** When present a shown field must be answered (if `when` holds, where given); the message says so. */
  readonly required?: { readonly when?: Condition; readonly message: string }
  /** Message for an answer of the wrong form. */
  readonly invalid: string
  /** False: of a phone number anything is taken, of an email address whatever browsers take for one. */
  readonly check: boolean
  /** email: the address of whoever pays, which the gateway must be able to take. */
  readonly toGateway?: boolean
  /** number: bounds of the answer; people: how few and how many may be listed. */
  readonly min?: number
  readonly max?: number
  readonly lengthMax?: number
  /** A text's further form, as JSON Schema writes patterns (anchored, flag u); from `pattern` or `format`. */
  readonly pattern?: string
  /** date: the first and the last day that may be answered. */
  readonly from?: Day
  readonly to?: Day
  /** number: no fractions, because something is counted by it. */
  readonly isWhole?: boolean
  /** number: rupees that the delegate names (`amount_in`), of at most two decimals. */
  readonly isAmount?: boolean
  /** number: what is counted ("nights"), said behind the number; `unitOne` where one of it is called otherwise. */
  readonly unit?: string
  readonly unitOne?: string
  /** many: how many may be chosen, and which not together. */
  readonly choose?: {
    readonly atLeast?: number
    readonly atMost?: number
    readonly notTogether: readonly (readonly string[])[]
    readonly say: string
  }
  /** people: what is asked of each of them. Only simple types, and no conditions. */
  readonly fields?: readonly Field[]
  /** consent: where the whole text stands, and which version of it is agreed to. */
  readonly link?: string
  readonly version?: string
  /** The roll on which the answer must stand. */
  readonly roll?: string
}

export type Section = {
  readonly title: string
  readonly showWhen?: Condition
  readonly fields: readonly string[]
}

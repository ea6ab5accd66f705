/** File types of the `payment` section. */
import type { Text } from './shared-file-types.ts'

/** The card gateway alone, all payment methods, or the word none. */
export type Payment =
  | {
      readonly gateway?: string
      readonly account?: string
      readonly methods?: readonly PaymentMethodEntry[]
    }
  | string

export type PaymentMethodEntry = {
  readonly id: string
  readonly gateway?: string
  readonly account?: string
  readonly label?: Text
  readonly until?: string
  readonly currencies?: string | readonly string[]
  readonly instructions?: Text
  readonly fields?: readonly PaymentMethodField[]
  readonly price_date?: 'registration' | 'credit'
  readonly expires_after?: string
  readonly office_only?: true
}
type PaymentMethodField = {
  readonly id: string
  readonly type?: 'text' | 'date' | 'select' | 'file'
  readonly label?: Text
  readonly hint?: Text
  readonly options?: readonly (string | { readonly id: string; readonly label?: Text })[]
  readonly format?: 'utr'
  readonly pattern?: string
  readonly invalid?: Text
  readonly unique?: true
  readonly required?: boolean | string
  readonly accept?: readonly string[]
  readonly max_mb?: number
}

/**
 * TypeScript types for an event file that conforms to the schema.
 *
 * Written by hand; a test compares them key by key with `schemas/*.schema.json`.
 */
import type { FieldType } from '../../event/config.ts'
import type { EngineValue } from '../../event/built-in-values.ts'
import type { Condition } from './condition-types.ts'
import type {
  ApprovalRule,
  CancellationKeys,
  EditKeys,
  InvoiceKeys,
  RetentionKeys,
} from './office-section-types.ts'
import type { Payment } from './payment-section-types.ts'
import type { Text } from './shared-file-types.ts'

export type EventFile = {
  readonly format: 1
  readonly demo?: readonly string[]
  readonly event: EventBlock
  readonly closed?: { readonly heading: Text; readonly text: Text }
  readonly look?: { readonly colour: string; readonly logo?: string }
  readonly registration?: {
    readonly opens?: DayText
    readonly closes?: DayText | 'never'
    readonly desk?: { readonly opens?: DayText; readonly closes?: DayText }
  }
  readonly routes: Routes
  readonly currency?: string
  readonly fcra?: string | number
  readonly categories: readonly Category[]
  readonly category: CategoryChoice
  readonly fees: Fees
  readonly quotas?: readonly QuotaEntry[]
  readonly hold_seats_for?: string
  readonly unique?: readonly Unique[]
  readonly codes?: { readonly kinds: readonly CodeKind[] }
  readonly member_lists?: Readonly<Record<string, MemberListEntry>>
  readonly words?: Words
  readonly form: Form
  readonly order_id: OrderId
  readonly payment?: Payment
  readonly approval?: readonly ApprovalRule[]
  readonly cancellation?: CancellationKeys
  readonly edit?: EditKeys
  readonly retention?: RetentionKeys
  readonly invoice?: InvoiceKeys
  readonly api?: Api
  readonly results: Results
  readonly email?: Email
  readonly admin?: Admin
  readonly allow?: readonly {
    readonly code: string
    readonly at?: string
    readonly because: Text
  }[]
  readonly examples?: Examples
}

type Name = string
type FieldId = string
type Value = string
type Route = string
type ApiPath = string
type DayText = string
type Moment = string

type Texts = readonly Text[]

type EventBlock = {
  readonly id: string
  readonly title: Text
  readonly theme?: Text
  readonly about?: Text
  readonly from: DayText
  readonly to: DayText
  readonly hours?: Text
  readonly venue: Text
  readonly status: 'open' | 'closed'
  readonly support: string
  readonly office?: string
}

type Routes = {
  readonly form: Route
  readonly also?: readonly Route[]
  readonly success: Route
  readonly failed: Route
}

type Category = {
  readonly id: Name
  readonly label?: Text
  readonly about?: Text
  readonly colour?: 'blue' | 'orange' | 'green' | 'purple' | 'grey' | 'red' | 'teal'
  readonly listed_only?: true
  readonly currency?: string
  readonly expects?: Condition
}

type CategoryChoice = { readonly chosen_in?: FieldId; readonly rules?: readonly Rule[] }

type Rule = { readonly when?: Condition; readonly then?: Name; readonly otherwise?: Name }

type Fees = {
  readonly currency?: 'INR'
  readonly tax?: Tax
  readonly tax_rules?: readonly TaxRule[]
  readonly periods: readonly Period[]
  readonly overlap?: 'first'
  readonly other_dates?: Name
  readonly prices?: PriceRows
  readonly price_groups?: readonly PriceGroup[]
  readonly items?: readonly Item[]
  readonly adjustments?: readonly Adjustment[]
}

type PriceGroup = {
  readonly label: Text
  readonly periods: readonly Period[]
  readonly prices: PriceRows
}
type TaxRule = {
  readonly when?: Condition
  readonly from?: DayText
  readonly to?: DayText
  readonly on?: 'all'
  readonly name?: Text
  readonly percent: number
  readonly prices?: 'exclusive' | 'inclusive'
  readonly note?: Text
}
type ItemTaxRule = Omit<TaxRule, 'on'>
type Tax = {
  readonly name: Text
  readonly percent: number
  readonly prices: 'exclusive' | 'inclusive'
  readonly round?: 'paise' | 'rupee'
}
export type PriceRows = Readonly<Record<string, readonly (number | string)[] | readonly Name[]>>
export type Item = {
  readonly id: Name
  readonly label?: Text
  readonly when?: Condition
  readonly by?: FieldId
  readonly count?: string | Readonly<Record<string, Condition>>
  readonly times?: FieldId
  readonly periods?: readonly Period[]
  readonly tax?: Tax | string
  readonly tax_rules?: readonly ItemTaxRule[]
  readonly prices?: PriceRows | readonly PriceTable[]
  readonly amount_in?: FieldId
  readonly sac?: string | number
  readonly place_of_supply?: string
}
type Period = {
  readonly id: Name
  readonly label?: Text
  readonly from?: DayText
  readonly to?: DayText
}
type PriceTable = {
  readonly when?: Condition
  readonly currency?: string
  readonly table?: PriceRows
  readonly otherwise?: PriceRows
}

export type Adjustment = {
  readonly id: Name
  readonly label?: Text
  readonly when?: Condition
  readonly from?: DayText
  readonly to?: DayText
  readonly on?: Name
  readonly amount?: number
  readonly currency?: string
  readonly percent?: number
}

export type QuotaEntry = {
  readonly id: Name
  readonly when?: Condition
  readonly each_option_of?: FieldId
  readonly count?: FieldId
  readonly with_delegate?: boolean
  readonly max: number | Readonly<Record<string, number>>
  readonly full: string | { readonly offer?: Name; readonly message: Text }
  readonly few?: number
}

export type Unique = {
  readonly fields: readonly FieldId[]
  readonly on_duplicate: 'block' | 'warn'
  readonly message: Text
}

export type CodeKind = {
  readonly id: Name
  readonly label?: Text
  readonly gives: { readonly category?: Name; readonly adjustment?: Name }
}

export type MemberListEntry = {
  readonly key: FieldId
  readonly columns: Readonly<Record<string, string | readonly string[]>>
  readonly shows?: readonly FieldId[]
}

type Words = { readonly [name in Exclude<EngineValue, 'id'> | 'delegate' | 'sum']?: Text }

type Form = {
  readonly pages?: 'sections'
  readonly stepper?: { readonly steps: Texts; readonly stays_on?: number }
  readonly sections: readonly {
    readonly title: Text
    readonly show_when?: Condition
    readonly fields: readonly Field[]
  }[]
  readonly also_stored?: readonly {
    readonly id: FieldId
    readonly type: 'text' | 'number' | 'money' | 'date'
    readonly label: Text
  }[]
  readonly panel?: { readonly title?: Text; readonly lines: Texts }
  readonly summary?: {
    readonly title?: Text
    readonly empty?: Text
    readonly lines: readonly ('category' | 'period' | 'base' | 'gst' | 'total')[]
    readonly button?: Text
    readonly free_button?: Text
    readonly busy?: Text
  }
  readonly notices?: 'snackbar' | 'toast'
  readonly without_payment?: { readonly notice?: Text; readonly alert?: Text }
  readonly failure?: Text
}

export type Field = {
  readonly id: FieldId
  readonly type?: FieldType
  readonly as?: 'switch' | 'radio' | 'dropdown'
  readonly label: Text
  readonly hint?: Text
  readonly options?: string | readonly (string | { readonly id: string; readonly label?: Text })[]
  readonly default?: string | boolean | number
  readonly accept?: readonly string[]
  readonly max_mb?: number
  readonly ignore_case?: true
  readonly show_when?: Condition
  readonly required?: boolean | string | { readonly when: Condition; readonly message?: Text }
  readonly invalid?: Text
  readonly check?: false
  readonly min?: number
  readonly max?: number
  readonly max_length?: number
  readonly pattern?: string
  readonly format?: 'pin' | 'gstin' | 'pan' | 'utr' | 'mobile-in'
  readonly from?: DayText
  readonly to?: DayText
  readonly unit?: Text | { readonly one: Text; readonly other: Text }
  readonly choose?: {
    readonly at_least?: number
    readonly at_most?: number
    readonly mutually_exclusive?: readonly (readonly string[])[]
    readonly message?: Text
  }
  readonly fields?: readonly Field[]
  readonly link?: string
  readonly version?: Text
  readonly in?: FieldId
}

type OrderId = {
  readonly prefix: string
  readonly followed_by: 'digits' | 'anything'
  readonly digits?: number
}

type Api = {
  readonly register: ApiPath
  readonly registration: ApiPath
  readonly tariff?: ApiPath
  readonly gateway_return?: ApiPath
  readonly sends?: WireNames
  readonly returns?: WireNames
}

type WireNames = Readonly<Record<string, Value>>

type Results = {
  readonly amounts?: 'stored' | 'split-total'
  readonly errors?: ResultErrors
  readonly error_buttons?: readonly Button[]
  readonly success: ResultPage
  readonly failed: ResultPage
  readonly receipt?: { readonly file: Text; readonly text: Text }
}

type ResultErrors = {
  readonly no_order?: Text
  readonly bad_order?: Text
  readonly not_found?: Text
  readonly fetch_failed?: Text
}

type ResultPage = {
  readonly title: Text
  readonly intro?: Text
  readonly lookup?: 'always' | 'never' | 'if-found'
  readonly details: readonly Detail[]
  readonly reasons?: Texts
  readonly notes_title?: Text
  readonly notes?: Texts
  readonly buttons?: readonly Button[]
}

type Detail =
  | string
  | {
      readonly label?: Text
      readonly show?: Value
      readonly text?: Text
      readonly as?: 'words'
      readonly when?: Condition
    }

type Button = {
  readonly label: Text
  readonly go?: Route
  readonly mail?: Text
  readonly do?: 'receipt' | 'print'
}

type Email = {
  readonly subject: Text
  readonly copy_to?: 'office' | 'support'
  readonly text: Text
}

type Admin = {
  readonly dashboard?: {
    readonly key: string
    readonly label: Text
    readonly cards?: readonly ('total' | 'paid' | 'pending' | 'failed' | 'today' | 'revenue')[]
  }
  readonly lists?: readonly List[]
}

type List = {
  readonly id: string
  readonly title: Text
  readonly route: Route
  readonly api?: ApiPath
  readonly filters?: readonly (string | { readonly show: Value; readonly sent_as?: FieldId })[]
  readonly columns: readonly Value[]
  readonly page_size?: number
  readonly page_sizes?: readonly number[]
  readonly empty?: Text
  readonly errors?: { readonly load?: Text; readonly shape?: Text; readonly export?: Text }
  readonly export?: { readonly api?: ApiPath; readonly file: string }
}

type Examples = {
  readonly promises?: Readonly<
    Record<
      string,
      | string
      | number
      | readonly (string | number)[]
      | Readonly<Record<string, string | number | boolean>>
    >
  >
  readonly delegate?: Readonly<Record<string, unknown>>
  readonly cases: readonly ExampleEntry[]
}

export type ExampleEntry = {
  readonly name: Text
  readonly on?: Moment
  readonly given?: Readonly<Record<string, unknown>>
  readonly category?: Name
  readonly order_id?: string
  readonly expect: {
    readonly category?: Name
    readonly period?: Name
    readonly base?: number
    readonly gst?: number
    readonly total?: number
    readonly lines?: Readonly<Record<string, number>>
    readonly shows?: readonly FieldId[]
    readonly hides?: readonly FieldId[]
    readonly errors?: Readonly<Record<string, string>>
    readonly order?: string
  }
}

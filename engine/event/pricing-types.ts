/** Types for pricing: periods, prices, items, adjustments, quotas, discount codes, member lists. */
import type { Condition } from './answer-types.ts'
import type { StateCode } from './gstin.ts'
import type { Amount, Currency, Tax } from '../lib/money.ts'
import type { Day } from '../lib/time.ts'

/** The id of a bill's first line, which is the category's price. */
export const REGISTRATION_LINE_ID = 'registration'

/** A price period, including its first and last day. If either is absent, the period is open at that end. */
export type Period = {
  readonly id: string
  readonly label: string
  readonly from?: Day
  readonly to?: Day
}
/** A tax that replaces the event's tax for some answers, categories or dates. */
export type TaxRule = {
  readonly when?: Condition
  /** The first and last day (Indian time) on which it applies. */
  readonly from?: Day
  readonly to?: Day
  /**
   * `all`: the rule also applies to items with their own tax, and is repeated in their `taxRules`. By default, it
   * applies only to lines with the event's tax.
   */
  readonly on?: 'all'
  readonly tax: Tax
  /** A note added to the label of each line, such as "reverse charge". */
  readonly note?: string
}
export type Fees = {
  readonly tax: Tax | null
  /** The first matching rule replaces `tax`. Absent if the file has no rules. */
  readonly taxRules?: readonly TaxRule[]
  /** In the file's order. The first period that contains the date applies. */
  readonly periods: readonly Period[]
  /** The period of all other dates. Null if registration is closed on other dates. */
  readonly otherDates: string | null
  /**
   * prices[category][period]. Null if the category is not on sale in that period; 0 if it is free. The whole table is
   * null if the event has no prices.
   */
  readonly prices: PriceTable | null
  /**
   * Groups of categories with their own periods, which are the columns of their rows in `prices`.
   * Absent if there are none.
   */
  readonly groups?: readonly PriceGroup[]
  /** Items sold in addition to registration, in the file's order. */
  readonly items: readonly Item[]
  /** Changes to the registration and item lines, applied from top to bottom. */
  readonly adjustments: readonly Adjustment[]
  /** All payment methods, if an adjustment depends on them. Absent otherwise. */
  readonly methods?: readonly PricedMethod[]
}

/** Categories with price periods of their own. */
export type PriceGroup = {
  /** The heading of its prices. */
  readonly label: string
  readonly categories: readonly string[]
  readonly periods: readonly Period[]
}

/** A payment method on which prices may depend. */
export type PricedMethod = {
  readonly id: string
  readonly label: string
  readonly is: 'card' | 'transfer' | 'desk'
  /** The last day on which delegates can choose it. */
  readonly until?: Day
  /** The currencies of the bills that this method can pay. Defaults to all. */
  readonly currencies?: readonly Currency[]
}

/** table[row][period]. Null if the row is not on sale in that period; 0 if it is free. */
export type PriceTable = Readonly<Record<string, Readonly<Record<string, Amount | null>>>>

/** One price table of an item. `currency`: the currency of its categories; defaults to the event's. */
export type ItemPrices = {
  readonly when: Condition | null
  readonly table: PriceTable
  readonly currency?: Currency
}

/**
 * An item sold in addition to registration: one bill line, or with `by` one line per chosen option.
 */
export type Item = {
  readonly id: string
  /** May contain `{option}`, and `{…}` with a field's id for its answer. */
  readonly label: string
  /** The delegates who can have the item. Defaults to all. */
  readonly when?: Condition
  /**
   * A `select` or `many` field whose options are the rows of the tables. Without it, the only row is
   * `each`.
   */
  readonly by?: string
  /**
   * The quantity: a `number` or `people` field, or the entries of a `people` field that meet a condition. Defaults to
   * 1.
   */
  readonly count?: { readonly field: string; readonly where?: Condition }
  /** A `number` field. The count is multiplied by its answer. */
  readonly times?: string
  /** The item's own periods, which are the columns of its tables. Defaults to the periods of the fees. */
  readonly periods?: readonly Period[]
  readonly tax: Tax | null
  /** Tax rules of the item itself, tried before all others. */
  readonly ownTaxRules?: readonly TaxRule[]
  /** The event's tax rules that apply to an item with its own tax. Defaults to all of them. */
  readonly taxRules?: readonly TaxRule[]
  /**
   * The first match applies; `when` is null in the `otherwise` table. Empty if `amountIn` is
   * present.
   */
  readonly prices: readonly ItemPrices[]
  /** A number field with `min` and `max`. The delegate enters the price in it, in major units. */
  readonly amountIn?: string
  /** The service accounting code on invoices. Defaults to the code of the event's invoices. */
  readonly sac?: string
  /** The state where the item is supplied. Defaults to the state of the venue. */
  readonly placeOfSupply?: StateCode
}

export type Adjustment = {
  readonly id: string
  readonly label: string
  readonly when?: Condition
  /** The first and last day (Indian time) on which it applies. */
  readonly from?: Day
  readonly to?: Day
  /** The lines it applies to: `registration`, an item's id, or `all`. No line becomes negative. */
  readonly on: string
  /**
   * The amount, or the percentage of each line, that is added to those lines (negative: subtracted). `currency`: the
   * currency of the bills to which an amount applies; defaults to the event's.
   */
  readonly by:
    | { readonly amount: Amount; readonly currency?: Currency }
    | { readonly percent: number }
}

/**
 * A quota: the maximum number of seats for all delegates, for those who match a condition, or for
 * each option of a field.
 */
export type Quota = {
  readonly id: string
  readonly when?: Condition
  /** A `select` or `many` field; `max` then applies to each of its options separately. */
  readonly eachOptionOf?: string
  /**
   * A number field or a list of people: a registration takes as many seats as the number states or the list contains.
   * Defaults to one seat.
   */
  readonly count?: string
  /** With `count`: one additional seat for the delegate. */
  readonly withDelegate?: true
  /** With `count`: the maximum number of seats per registration. Absent if there is none. */
  readonly maxCount?: number
  readonly max: number | Readonly<Record<string, number>>
  /** The message if no seat is left, and the category offered instead. */
  readonly full: { readonly message: string; readonly offer?: string }
  /** The form shows the number of seats left if it is at most this number. Absent if the form never shows it. */
  readonly few?: number
}

/**
 * Answers that must be unique among registrations. The comparison ignores case, spaces and the
 * country code.
 */
export type UniqueAnswers = {
  readonly fields: readonly string[]
  readonly onDuplicate: 'block' | 'warn'
  readonly message: string
}

/** The effect of this kind of discount code: a category, or an adjustment whose condition refers to the kind. */
export type CodeKind = {
  readonly id: string
  readonly label: string
  readonly gives: { readonly category: string } | { readonly adjustment: string }
}

/** A member list that the office maintains. Answers are checked against it. */
export type MemberList = {
  readonly id: string
  readonly key: string
  readonly columns: readonly {
    readonly id: string
    readonly type: 'text' | 'date' | 'choice'
    readonly options?: readonly string[]
  }[]
  /** The columns of their own entry that delegates may see. */
  readonly shows: readonly string[]
}

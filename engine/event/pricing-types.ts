/**
 * What an event sells and what bounds it, as a checked event file says it: periods, prices, items,
 * adjustments; places, answers that may stand once only, codes and rolls.
 */
import type { Condition } from './answer-types.ts'
import type { StateCode } from './gstin.ts'
import type { Paise, Tax } from '../lib/money.ts'
import type { Day } from '../lib/time.ts'

/** The name of the first line of a bill, and of the category's price in it. */
export const REGISTRATION = 'registration'

/** Both ends included; an absent end is open. */
export type Period = {
  readonly id: string
  readonly label: string
  readonly from?: Day
  readonly to?: Day
}
export type Fees = {
  readonly tax: Tax | null
  /** In the file's order; the first that holds a day counts. */
  readonly periods: readonly Period[]
  /** The period of every other day; null: closed then. */
  readonly otherDates: string | null
  /** prices[category][period]; null: not on sale in that period; 0: on sale for nothing. The whole table is null when the event states none. */
  readonly prices: PriceTable | null
  /** What is sold besides the registration, in the file's order. */
  readonly items: readonly Item[]
  /** What changes the lines above, applied from top to bottom. */
  readonly adjustments: readonly Adjustment[]
}

/** table[row][period]; null: not on sale in that period; 0: on sale for nothing. */
export type PriceTable = Readonly<Record<string, Readonly<Record<string, Paise | null>>>>

/** What is sold besides the registration: one line of the bill, or with `by` one for each option chosen. */
export type Item = {
  readonly id: string
  /** May name `{option}` and answers by their field's id. */
  readonly label: string
  /** Absent: for everybody. */
  readonly when?: Condition
  /** A select or many field: the rows of the tables are its options. Without it the one row is `each`. */
  readonly by?: string
  /** How many: a number or people field, those of a people field for whom a condition holds. Absent: 1. */
  readonly count?: { readonly field: string; readonly where?: Condition }
  /** A number field by which the count is multiplied. */
  readonly times?: string
  readonly tax: Tax | null
  /** The first that fits counts; `when` is null in the `otherwise` table. Empty where `amountIn` stands. */
  readonly prices: readonly { readonly when: Condition | null; readonly table: PriceTable }[]
  /** A number field with min and max in which the delegate names the price, in rupees. */
  readonly amountIn?: string
  /** The service accounting code on invoices. Absent: that of the event's invoices. */
  readonly sac?: string
  /** The state of the building. Absent: that of the venue. */
  readonly placeOfSupply?: StateCode
}

export type Adjustment = {
  readonly id: string
  readonly label: string
  readonly when?: Condition
  /** The Indian days on which it counts, both included. */
  readonly from?: Day
  readonly to?: Day
  /** `registration`, an item's id, or `all`: the lines that it touches, never below nothing. */
  readonly on: string
  /** What is added to them (below 0: taken off): one amount, or percent of each line. */
  readonly by: { readonly amount: Paise } | { readonly percent: number }
}

/** No more than so many places, for everybody, for those for whom a condition holds, or for each option of a field. */
export type Limit = {
  readonly id: string
  readonly when?: Condition
  /** A select or many field; `max` is then one number for each of its options. */
  readonly eachOptionOf?: string
  readonly max: number | Readonly<Record<string, number>>
  /** What is said where no place is left, and the category that one may register as instead. */
  readonly full: { readonly say: string; readonly offer?: string }
  /** From how many places on the form says how many are left; absent: never. */
  readonly few?: number
}

/** What nobody may register with twice, compared without case, spaces and the country's number. */
export type Unique = {
  readonly fields: readonly string[]
  readonly otherwise: 'block' | 'warn'
  readonly say: string
}

/** What a code of this kind gives: a category, or an adjustment whose condition asks for it. */
export type CodeKind = {
  readonly id: string
  readonly label: string
  readonly gives: { readonly category: string } | { readonly adjustment: string }
}

/** A list of people that the office keeps, by which answers are known. */
export type Roll = {
  readonly id: string
  readonly key: string
  readonly columns: readonly {
    readonly id: string
    readonly type: 'text' | 'date' | 'choice'
    readonly options?: readonly string[]
  }[]
  /** The columns that a delegate may see of their own row. */
  readonly shows: readonly string[]
}

/** The rows, columns and unexplained texts of a fee table. */
import type { Currency } from '../../../../lib/money.ts'
import type { PeriodDays } from './days.ts'

export type FeeRow = { readonly label: string; readonly cells: readonly string[] }
/** A fee table, pasted or typed. Texts stay as written until they are recognised. */
export type FeeTable = {
  readonly columns: readonly PeriodDays[]
  readonly rows: readonly FeeRow[]
  /** Texts whose meaning is not recognised. The organiser decides what to do with them. */
  readonly notes: readonly string[]
  /** The currency of all prices. If absent, the currency of earlier answers, or rupees. */
  readonly currency?: Currency
  /**
   * A currency that the text mentions although no price has a currency sign. The organiser decides whether it applies.
   */
  readonly currencyAsked?: Currency
} & Confirmed
/** The messages of problems for which the organiser has confirmed that the table is correct. Empty if absent. */
type Confirmed = { readonly confirmed?: readonly string[] }
/** A row of prices for a workshop or an accompanying person. */
export type ItemRow = FeeRow & {
  /** The category that pays these prices. Empty for all categories without their own row. */
  readonly category: string
  /** As typed: the seats of a workshop, or the age below which an accompanying person is free. */
  readonly number: string
}
/** Prices for workshops or accompanying persons, in the periods of the registration fees. */
export type ItemTable = {
  readonly rows: readonly ItemRow[]
  /** Sentences about parts of a pasted table that were not read. */
  readonly notes: readonly string[]
  /** True if each period has its own price, false if one price applies to all periods. */
  readonly isByPeriod: boolean
  /**
   * True if the last price of each row may be its number of seats, because neither a heading nor a currency shows what
   * it is. The organiser decides. If absent, it is a price.
   */
  readonly seatsAsked?: true
} & Confirmed

/** The rows, columns and unexplained texts of a table of fees. */
import type { Currency } from '../../../../lib/money.ts'
import type { PeriodDays } from './days.ts'

export type FeeRow = { readonly label: string; readonly cells: readonly string[] }
/** A table of fees, pasted or typed. Its texts are kept as written until they are recognised. */
export type FeeTable = {
  readonly columns: readonly PeriodDays[]
  readonly rows: readonly FeeRow[]
  /** Texts whose meaning is not recognised: the organiser decides. */
  readonly notes: readonly string[]
  /** Of all prices. Absent: rupees, or what the answers before state. */
  readonly currency?: Currency
  /** A currency that a heading or another text names, when no price has a sign: the organiser decides. */
  readonly currencyAsked?: Currency
}

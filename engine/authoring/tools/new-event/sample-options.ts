/** The data from which the file of a new event is written. */
import type { Amount, Currency } from '../../../lib/money.ts'
import type { Day } from '../../../lib/time.ts'

/** One price per period, in order, in minor units; 0: free, null: not on sale. */
export type PricesByPeriod = readonly (Amount | null)[]
export type SampleCategory = { readonly label: string; readonly prices: PricesByPeriod }
/** The price of one accompanying person. */
export type SampleCompanions = {
  /** One per period, or one for all periods. */
  readonly prices: PricesByPeriod
  /** Persons below this age are free. Null if all pay. */
  readonly freeUnder: number | null
}
export type SampleWorkshop = {
  readonly label: string
  /**
   * One per period, or one for all periods, for categories without their own prices. Empty if all categories have their
   * own.
   */
  readonly prices: PricesByPeriod
  /** The categories' own prices, keyed by the category's label. */
  readonly ownPrices?: readonly SampleCategory[]
  /** Null if unlimited. */
  readonly seats: number | null
}
/** The percentage, a whole number, that is refunded for a cancellation up to the end of this day. */
export type RefundStep = { readonly until: Day; readonly percent: number }
/** Missing values get placeholders, which the file lists under `demo:`. */
export type SampleOptions = {
  /** Lower-case letters and digits. */
  readonly id: string
  /** Capital letters. No other event's registration numbers may start with it. */
  readonly prefix: string
  readonly title?: string
  readonly from?: Day
  readonly to?: Day
  readonly venue?: string
  readonly support?: string
  /** The last day of each price period except the last, in order. */
  readonly periodEnds?: readonly Day[]
  /** Names of the periods; an empty one gets a default. */
  readonly periodLabels?: readonly string[]
  /** The first day of each period, if registration is closed between it and the previous period. Otherwise null. */
  readonly periodStarts?: readonly (Day | null)[]
  /** The first day of registration. If absent, registration opens immediately. */
  readonly opens?: Day
  /** The last day of registration, if it is before the event's last day. */
  readonly closes?: Day
  /** Absent: INR. */
  readonly currency?: Currency
  readonly categories?: readonly SampleCategory[]
  /** Whether the tax is included or added. If `none`, the texts mention no tax. */
  readonly tax?: 'none' | 'inside' | 'on top'
  /** The tax. Absent: 18% GST in rupees, no tax in other currencies. */
  readonly taxRate?: { readonly name: string; readonly percent: number }
  /** True if everything is free: prices in `categories` are ignored. */
  readonly free?: boolean
  /** Null or absent: no accompanying persons. */
  readonly companions?: SampleCompanions | null
  readonly workshops?: readonly SampleWorkshop[]
  /** In order; empty: no refund. Absent: a placeholder. */
  readonly refund?: readonly RefundStep[]
  /** The last day on which delegates can change their answers. Absent: a placeholder. */
  readonly editUntil?: Day
  /**
   * Registration on the days of the conference: online as well, only by staff at the front desk, or not at all. If
   * absent, the last price period determines this.
   */
  readonly onSite?: 'online' | 'desk' | 'none'
  /** The name of the account at the payment gateway. Absent: a placeholder. */
  readonly account?: string
  /** `#RRGGBB`. Absent: a placeholder. */
  readonly colour?: string
  /**
   * True if the organiser has confirmed falling prices and days without registration, so no question asks about them.
   */
  readonly isConfirmed?: boolean
  /** Placeholder days are counted from this day. */
  readonly today: Day
}

/** The answers so far; missing values get placeholders. */
export type NewEventAnswers = Omit<SampleOptions, 'id' | 'prefix' | 'today'>

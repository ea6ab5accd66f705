/** Types of stored data about the references in a bank statement. */
import type { BankKey } from './bank-reference.ts'
import type { Currency, Amount } from '../lib/money.ts'
import type { RegNo } from '../event/registration-number.ts'
import type { Day } from '../lib/time.ts'

/** A registration that awaits payment. */
export type UnpaidOrder = {
  readonly regNo: RegNo
  readonly name: string
  readonly due: Amount
  /** If the day of credit decides the price: the amount due for a payment on that day. */
  readonly dueOn?: (day: Day) => Amount
  /** The delegate's payment claim, as typed, and its day. Null if none. */
  readonly told: { readonly reference: string; readonly day: Day | null } | null
}
/** A gateway's payout, from its settlement: the number of payments, and their net amount. */
export type PayoutKnown = { readonly utr: string; readonly lines: number; readonly net: Amount }
/** A payment recorded under a reference. `regNo` null: it belongs to no registration yet. */
export type KnownPayment = {
  readonly id: number
  readonly regNo: RegNo | null
  readonly amount: Amount
  /** Absent: that of the statement. */
  readonly currency?: Currency
  /** Null if unknown. */
  readonly eventId?: string | null
}
/** Stored data about the references in a statement. */
export type KnownReferences = {
  readonly payments: ReadonlyMap<BankKey, KnownPayment>
  readonly payouts?: ReadonlyMap<BankKey, PayoutKnown>
  /** Registration numbers, including those that await no payment. Null for a payment of another event. */
  readonly registrations?: ReadonlyMap<BankKey, RegNo | null>
  /** Titles of other events whose registrations are named, if the user has access to them. */
  readonly titles?: ReadonlyMap<BankKey, string>
  /**
   * Registrations of the event whose delegates reported these references, whether or not they still
   * await payment.
   */
  readonly reports?: ReadonlyMap<BankKey, readonly { readonly regNo: RegNo }[]>
  /** References that delegates of other events reported, including released claims. */
  readonly claimedElsewhere?: ReadonlySet<BankKey>
  readonly releasedElsewhere?: ReadonlySet<BankKey>
  /** The event of the statement. Absent if every recorded payment belongs to it. */
  readonly eventId?: string
  /** Texts that contain the conference's own bank details. */
  readonly details?: readonly string[]
}

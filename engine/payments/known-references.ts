/** What is stored about the references that a bank statement may contain. */
import type { BankKey } from './bank-reference.ts'
import type { Paise } from '../lib/money.ts'
import type { RegNo } from '../event/registration-number.ts'
import type { Day } from '../lib/time.ts'

/** A registration that waits for money. */
export type Awaited = {
  readonly regNo: RegNo
  readonly name: string
  readonly due: Paise
  /** Where the day of credit decides the price: what is due for money of that day. */
  readonly dueOn?: (day: Day) => Paise
  /** What the delegate told us, as it was typed, and for which day; null: nothing. */
  readonly told: { readonly reference: string; readonly day: Day | null } | null
}
/** A transfer of a gateway, by its settlement: how many payments, and what came of them. */
export type PayoutKnown = { readonly utr: string; readonly lines: number; readonly net: Paise }
/** Money that is recorded under a reference. `regNo` null: it belongs to no registration yet. */
export type KnownPayment = {
  readonly id: number
  readonly regNo: RegNo | null
  readonly amount: Paise
  /** Null: not known. */
  readonly eventId?: string | null
}
/** What is stored about the references of a statement. */
export type KnownReferences = {
  readonly payments: ReadonlyMap<BankKey, KnownPayment>
  readonly payouts?: ReadonlyMap<BankKey, PayoutKnown>
  /** Numbers of registrations, also of those that wait for nothing; null: one of another event. */
  readonly registrations?: ReadonlyMap<BankKey, RegNo | null>
  /** Titles of other events whose registrations are named, where the user works for them. */
  readonly titles?: ReadonlyMap<BankKey, string>
  /** Registrations of the event whose delegates reported these references, whether they still wait for money or not. */
  readonly reports?: ReadonlyMap<BankKey, readonly { readonly regNo: RegNo }[]>
  /** References that delegates of other events reported, and those of them that staff did not find there. */
  readonly claimedElsewhere?: ReadonlySet<BankKey>
  readonly rejectedElsewhere?: ReadonlySet<BankKey>
  /** The event whose statement it is; left out: every recorded payment is of it. */
  readonly eventId?: string
  /** Texts that contain the conference's own bank details. */
  readonly details?: readonly string[]
}

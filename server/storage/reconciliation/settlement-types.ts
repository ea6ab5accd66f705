/** Defines settlements as the store takes and returns them. */
import type {
  BankKey,
  Day,
  HeldMoney,
  HeldOrder,
  Instant,
  Paise,
  RegNo,
  SettlementLine,
} from '../../../engine/index.ts'

import type { Returned } from './references-in-review.ts'

/** A gateway account: `source` as in captures. */
export type SettlementAccount = { readonly source: string; readonly account: string }
export type NewSettlement = SettlementAccount & {
  /** The event for which it was loaded. */
  readonly eventId: string
  /** The hash of the file, in hex. */
  readonly sha256: string
  readonly who: string
  readonly at: Instant
  readonly lines: readonly SettlementLine[]
  /** Orders that the gateway is queried about again, because some of their lines are not stored. */
  readonly ask?: readonly string[]
}
export type KeptSettlement = {
  readonly added: number
  /** Stored before. */
  readonly known: number
  /** Of those added, payments that were unknown: they need review now. */
  readonly toReview: number
}
/** A bank payment that matches no registration. */
export type NewUnmatched = {
  readonly reference: string
  /** The bank's other references for the same payment. */
  readonly also?: readonly string[]
  readonly amount: Paise
  readonly day: Day
  /** The bank's narration. */
  readonly narration: string
  /** Keys of the conference's own bank details, which identify no payment. */
  readonly own?: readonly BankKey[]
  /** Numbers in the form of an event that the user has no access to: they count as its, whether or not they exist. */
  readonly hiddenNumbers?: readonly BankKey[]
  /** The event for which it was searched. */
  readonly eventId: string
  readonly who: string
  readonly at: Instant
}

/** For statement lines to be stored: how many were, and how many belong to another event. */
export type KeptUnmatched = {
  readonly added: number
  readonly elsewhere: number
  /** The delegate of a registration here reported it: it is confirmed there. */
  readonly reported: number
}

export interface SettlementStore {
  /** Stores new lines; payments that only the report shows need review from then on. One transaction. */
  saveSettlement(kept: NewSettlement): Promise<KeptSettlement>
  /** Returns all lines of an account, in the order in which they were stored. */
  settlementLines(of: SettlementAccount): Promise<readonly SettlementLine[]>
  /** Returns the accounts through which an event was paid, or for which it loaded settlements. */
  accountsOfEvent(eventId: string): Promise<readonly SettlementAccount[]>
  /** Returns all payments through an account, with their refunds. */
  paymentsOfAccount(of: SettlementAccount): Promise<readonly HeldMoney[]>
  /** Returns those orders that are ours. */
  knownOrders(orders: readonly string[]): Promise<readonly HeldOrder[]>
  /** Returns the settlement lines of one registration, by day. */
  settlementLinesOf(regNo: RegNo): Promise<readonly SettlementLine[]>
  /** Puts unmatched payments of a bank statement into review; the others were known, or belong to another event. */
  saveUnmatchedLines(money: readonly NewUnmatched[]): Promise<KeptUnmatched>
  /** Puts payments that the bank may have returned into review, once per withdrawal. */
  reportReturned(returned: readonly Returned[]): Promise<void>
}

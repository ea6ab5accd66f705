/** Defines the store's input and output for settlements. */
import type {
  Currency,
  BankKey,
  Day,
  RecordedPayment,
  RecordedOrder,
  Instant,
  Amount,
  RegNo,
  Result,
  SettlementLine,
} from '../../../engine/index.ts'
import type { BankStatementStore } from './bank-statement-types.ts'
import type { ReturnedTransfer } from './references-in-review.ts'

export type * from './bank-statement-types.ts'

/** A gateway account: `source` as in captures. */
export type SettlementAccount = { readonly source: string; readonly account: string }
export type StoredSettlementLine = SettlementLine & Required<Pick<SettlementLine, 'stored'>>
export type SettlementLineDecision = {
  readonly id: number
  /** Null: the line needs attention again. */
  readonly why: string | null
  readonly who: string
  readonly at: Instant
  readonly eventId: string
  /** The gateway's reference, or else the order, for the audit log. */
  readonly name: string
  /** Its latest decision that the user saw. Null: none. */
  readonly seen: number | null
  /** The registration of the line, with which the reason is erased. Null: it belongs to none. */
  readonly regNo: RegNo | null
}
/** Null for `why`: it needs attention again. */
export type LatestLineDecision = {
  readonly id: number
  readonly why: string | null
  readonly who: string
}
export type NewSettlement = SettlementAccount & {
  /** The event for which it was loaded. */
  readonly eventId: string
  /** The hash of the file, in hex. */
  readonly sha256: string
  readonly who: string
  readonly at: Instant
  readonly lines: readonly SettlementLine[]
  /** Orders to query at the gateway again, because some of their lines are not stored. */
  readonly ask?: readonly string[]
}
export type SettlementResult = {
  readonly added: number
  /** Stored before with other deductions. */
  readonly changed: number
  /** Stored before. */
  readonly known: number
  /** The number of added lines about unknown payments, which need review now. */
  readonly toReview: number
}
/** A bank payment that matches no registration. */
export type NewUnmatched = {
  readonly reference: string
  /** The bank's other references for the same payment. */
  readonly also?: readonly string[]
  readonly amount: Amount
  readonly currency: Currency
  readonly day: Day
  /** The bank's narration. */
  readonly narration: string
  /** Keys of the conference's own bank details, which identify no payment. */
  readonly own?: readonly BankKey[]
  /**
   * Numbers in the format of an event that the user has no access to: they count as that event's, whether or not they
   * exist.
   */
  readonly hiddenNumbers?: readonly BankKey[]
  /** The event for which it was searched. */
  readonly eventId: string
  readonly who: string
  readonly at: Instant
}

/** The result for statement lines to be stored: how many were, and how many belong to another event. */
export type UnmatchedResult = {
  readonly added: number
  readonly elsewhere: number
  /** The delegate of a registration in this event reported it: it is confirmed there. */
  readonly reported: number
}

export interface SettlementStore extends BankStatementStore {
  /** Stores new lines; payments that only the report shows need review from then on. One transaction. */
  saveSettlement(settlement: NewSettlement): Promise<SettlementResult>
  /** Returns all lines of an account, in the order in which they were stored. */
  settlementLines(account: SettlementAccount): Promise<readonly StoredSettlementLine[]>
  /** Marks a line as handled, or not any longer if `why` is null. Refused if another user decided since. */
  handleSettlementLine(
    decision: SettlementLineDecision,
  ): Promise<Result<null, LatestLineDecision | null>>
  /** Returns the accounts through which an event was paid, or for which it loaded settlements. */
  accountsOfEvent(eventId: string): Promise<readonly SettlementAccount[]>
  /** Returns all payments through an account, with their refunds. */
  paymentsOfAccount(account: SettlementAccount): Promise<readonly RecordedPayment[]>
  /** Returns the orders that are in this database. */
  knownOrders(orders: readonly string[]): Promise<readonly RecordedOrder[]>
  /** Returns the settlement lines of one registration, by day. */
  settlementLinesOf(regNo: RegNo): Promise<readonly SettlementLine[]>
  /** Puts unmatched payments of a bank statement into review. The others were known, or belong to another event. */
  saveUnmatchedLines(lines: readonly NewUnmatched[]): Promise<UnmatchedResult>
  /** Puts payments that the bank may have returned into review, once per withdrawal. */
  reportReturned(returned: readonly ReturnedTransfer[]): Promise<void>
}

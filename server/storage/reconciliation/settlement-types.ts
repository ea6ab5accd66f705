/** Defines the store's functions for settlements. */
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

/** A gateway account. `source`: as in captures. */
export type SettlementAccount = { readonly source: string; readonly account: string }
export type StoredSettlementLine = SettlementLine & Required<Pick<SettlementLine, 'stored'>>
export type SettlementLineDecision = {
  readonly id: number
  /** Null if the line is reopened. */
  readonly why: string | null
  readonly who: string
  readonly at: Instant
  readonly eventId: string
  /** The gateway's reference for the audit log, or the order if the line has no reference. */
  readonly name: string
  /** The latest decision on the line that the user saw. Null if the user saw no decision. */
  readonly seen: number | null
  /**
   * The registration of the line. Erasing its data also erases the reason. Null if the line has no registration.
   */
  readonly regNo: RegNo | null
}
/** `why` is null if the line was reopened. */
export type LatestLineDecision = {
  readonly id: number
  readonly why: string | null
  readonly who: string
}
export type NewSettlement = SettlementAccount & {
  /** The event that loaded the settlement. */
  readonly eventId: string
  /** The hash of the file in hexadecimal. */
  readonly sha256: string
  readonly who: string
  readonly at: Instant
  readonly lines: readonly SettlementLine[]
  /** The orders to query again at the gateway, because some of their lines are not stored yet. */
  readonly ask?: readonly string[]
}
export type SettlementResult = {
  readonly added: number
  /** The number of lines that were stored before with other deductions. */
  readonly changed: number
  /** The number of lines that were stored before. */
  readonly known: number
  /** The number of added lines about unknown payments, which now need review. */
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
   * Numbers in the format of events to which the user has no access. They are treated as numbers of these events,
   * whether or not they exist.
   */
  readonly hiddenNumbers?: readonly BankKey[]
  /** The event whose statement contains it. */
  readonly eventId: string
  readonly who: string
  readonly at: Instant
}

/** The number of statement lines that were stored, and the number that belong to another event. */
export type UnmatchedResult = {
  readonly added: number
  readonly elsewhere: number
  /**
   * The number of lines that delegates of this event reported. Staff confirm these payments on the delegates'
   * registrations.
   */
  readonly reported: number
}

export interface SettlementStore extends BankStatementStore {
  /** Stores new lines in one transaction. Payments that only the report contains need review. */
  saveSettlement(settlement: NewSettlement): Promise<SettlementResult>
  /** Returns all lines of an account in the order of storing. */
  settlementLines(account: SettlementAccount): Promise<readonly StoredSettlementLine[]>
  /** Marks a line as handled, or reopens it if `why` is null. Refused if another user has decided since. */
  handleSettlementLine(
    decision: SettlementLineDecision,
  ): Promise<Result<null, LatestLineDecision | null>>
  /** Returns the accounts through which delegates of an event paid, or whose settlements the event loaded. */
  accountsOfEvent(eventId: string): Promise<readonly SettlementAccount[]>
  /** Returns all payments through an account, with their refunds. */
  paymentsOfAccount(account: SettlementAccount): Promise<readonly RecordedPayment[]>
  /** Returns the orders that exist in this database. */
  knownOrders(orders: readonly string[]): Promise<readonly RecordedOrder[]>
  /** Returns the settlement lines of a registration, by date. */
  settlementLinesOf(regNo: RegNo): Promise<readonly SettlementLine[]>
  /**
   * Puts unmatched payments of a bank statement into review. Skips payments that are already recorded or belong to
   * another event.
   */
  saveUnmatchedLines(lines: readonly NewUnmatched[]): Promise<UnmatchedResult>
  /** Puts payments that the bank may have returned into review, once per withdrawal. */
  reportReturned(returned: readonly ReturnedTransfer[]): Promise<void>
}

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
import type {
  BankStatementStore,
  NewLineDecision,
  StoredLineDecision,
} from './bank-statement-types.ts'
import type { ReturnedTransfer } from './references-in-review.ts'

export type * from './bank-statement-types.ts'

/** A gateway account. `source`: as in captures. */
export type SettlementAccount = { readonly source: string; readonly account: string }
export type StoredSettlementLine = SettlementLine & Required<Pick<SettlementLine, 'stored'>>
export type SettlementLineDecision = {
  readonly id: number
  /** The reason. Null to reopen the line. */
  readonly why: string | null
  readonly who: string
  readonly at: Instant
  readonly eventId: string
  /** What the audit log calls the line: the gateway's reference or, if there is none, the order. */
  readonly name: string
  /** The latest decision that the user saw on the line. Null if there was none. */
  readonly seen: number | null
  /** The registration of the line. If its data is erased, so is the reason. Null if the line has no registration. */
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
  /**
   * The events of order ids that have an event's prefix. Staff of that event decide about an unknown payment, even if
   * the report was loaded for another event of the account.
   */
  readonly orderEvents?: readonly (readonly [order: string, eventId: string])[]
  /** The orders about which to query the gateway again if some of their lines are not stored yet. */
  readonly ask?: readonly string[]
}
export type SettlementResult = {
  readonly added: number
  /** The number of lines that were already stored, with other deductions. */
  readonly changed: number
  /** The number of lines that were already stored. */
  readonly known: number
  /** The number of new lines for unknown payments, which need review. */
  readonly toReview: number
}
/** A bank payment that matches no registration. */
export type NewUnmatched = {
  readonly reference: string
  /** Other references that the bank shows for the same payment. */
  readonly also?: readonly string[]
  readonly amount: Amount
  readonly currency: Currency
  readonly day: Day
  /** The bank's narration. */
  readonly narration: string
  /** Keys from the conference's own bank details, which do not identify a payment. */
  readonly own?: readonly BankKey[]
  /**
   * Numbers in the format of other events. They are treated as these events' registration numbers, whether or not they
   * exist.
   */
  readonly otherEventNumbers?: readonly BankKey[]
  /** The event whose statement contains the payment. */
  readonly eventId: string
  readonly who: string
  readonly at: Instant
}

/** The number of statement lines that were stored, and the number that belong to another event. */
export type UnmatchedResult = {
  readonly added: number
  readonly elsewhere: number
  /**
   * The number of lines that were not stored because delegates of this event reported them. Staff confirm these
   * payments on the delegates' registrations.
   */
  readonly reported: number
}

export interface SettlementStore extends BankStatementStore {
  /** Stores new lines in one transaction. Payments that only the settlement report contains need review. */
  saveSettlement(settlement: NewSettlement): Promise<SettlementResult>
  /** Returns all lines of an account, in the order in which they were stored. */
  settlementLines(account: SettlementAccount): Promise<readonly StoredSettlementLine[]>
  /** Marks a line as handled, or reopens it if `why` is null. Refused if another user has decided in the meantime. */
  handleSettlementLine(
    decision: SettlementLineDecision,
  ): Promise<Result<null, LatestLineDecision | null>>
  /** Returns the accounts through which delegates of an event paid, or for which the event loaded settlements. */
  accountsOfEvent(eventId: string): Promise<readonly SettlementAccount[]>
  /** Returns the events whose registrations have an order at this account, whether or not it was paid. */
  eventsOfAccount(account: SettlementAccount): Promise<readonly string[]>
  /** Returns all payments through an account, with their refunds. */
  paymentsOfAccount(account: SettlementAccount): Promise<readonly RecordedPayment[]>
  /** Returns the orders that exist in this database. */
  knownOrders(orders: readonly string[]): Promise<readonly RecordedOrder[]>
  /** Returns the settlement lines of a registration, by date. */
  settlementLinesOf(regNo: RegNo): Promise<readonly SettlementLine[]>
  /**
   * Puts unmatched payments in a bank statement into review. Skips payments that are already recorded or belong to
   * another event.
   */
  saveUnmatchedLines(lines: readonly NewUnmatched[]): Promise<UnmatchedResult>
  /**
   * Stores the payment of a bank line as `saveUnmatchedLines` does, together with the decision to review it. Stores
   * neither if the payment is skipped, or the decision refused with an error of `decideBankLine`.
   */
  sendBankLineToReview(
    decision: NewLineDecision,
    payment: NewUnmatched,
  ): Promise<Result<UnmatchedResult, StoredLineDecision | string | null>>
  /** Puts payments that the bank may have returned into review, once per withdrawal. */
  reportReturned(returned: readonly ReturnedTransfer[]): Promise<void>
}

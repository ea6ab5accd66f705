/** Defines saved bank statements. */
import type {
  Amount,
  BankKey,
  Currency,
  Day,
  Instant,
  KnownPayment,
  RegNo,
  Result,
} from '../../../engine/index.ts'
import type { StaffSender } from '../staff/staff-types.ts'
import type { CaptureState } from '../database/statements/money-tables.ts'

/** A decision by staff on a line. `undone`: the line is open again. */
export type LineDecisionKind = 'assigned' | 'review' | 'not_ours' | 'undone'
export type StoredLineDecision = {
  readonly id: number
  readonly decision: LineDecisionKind
  readonly who: string
  readonly at: Instant
}
/** A deposit or a withdrawal in a statement. */
export type StatementRow = {
  readonly line: number
  readonly day: Day
  readonly narration: string
  readonly reference: string
  readonly amount: Amount
  readonly isWithdrawal: boolean
}
export type StoredBankLine = StatementRow & {
  readonly id: number
  /** The newest decision. Null if no decision was made. */
  readonly decision: StoredLineDecision | null
  /** The references under which parts of the deposit are recorded, apart from its own reference. */
  readonly parts: readonly string[]
}
type FileContents = {
  /** The texts above and below the table. */
  readonly details: readonly string[]
  readonly unread: readonly number[]
  readonly repeated: readonly { readonly line: number; readonly first: number }[]
}
export type BankStatementSummary = {
  readonly id: number
  readonly currency: Currency
  /** The events to which the uploading user has access. */
  readonly events: readonly string[]
  readonly bank: string
  readonly firstDay: Day
  readonly lastDay: Day
  readonly matched: number
  readonly open: number
  readonly who: string
  readonly at: Instant
}
export type StoredBankStatement = BankStatementSummary & FileContents
export type NewBankStatement = FileContents &
  Omit<BankStatementSummary, 'id' | 'matched' | 'open'> & {
    readonly sha256: string
    readonly rows: readonly StatementRow[]
  }
export type NewLineDecision = {
  readonly lineId: number
  /** The newest decision that the user saw, or null. If a newer one exists, the new decision is refused. */
  readonly seen: number | null
  readonly decision: LineDecisionKind
  readonly parts: readonly string[]
  readonly who: string
  readonly at: Instant
  /** Refused if this session is no longer valid. Not checked if null or absent. */
  readonly sender?: StaffSender | null
}
export type StatementRemoval = {
  readonly id: number
  /** The statement's name in the audit log. */
  readonly name: string
  readonly events: readonly string[]
  readonly who: string
  readonly at: Instant
}
/** A payment recorded under a reference. */
export type PaymentUnderReference = {
  readonly key: BankKey
  readonly id: number
  readonly state: CaptureState
  readonly amount: Amount
  readonly currency: string
  readonly regNo: RegNo | null
  readonly name: string | null
  /** Null if unknown. */
  readonly eventId: string | null
  /** The bank line that shows the payment. Null if no line shows it. */
  readonly lineId: number | null
  /** 1 if part of the payment was refunded, or a refund is requested. */
  readonly isRefunded: number
  /** The sum of the completed refunds. */
  readonly refundedAmount: Amount
}

/** The statement line from which staff record a payment. Another download may contain the same transfer. */
export type BankLineOfPayment = {
  readonly id: number
  /** The bank references of the whole line. A further part of it is recorded under a reference of its own. */
  readonly references: readonly string[]
  /** The payments that the user saw on the line. */
  readonly payments: readonly number[]
}
/** A payment from the same bank statement line as the payment `partOf`: one transfer for several people. */
export type LinePart = Omit<PaymentUnderReference, 'key' | 'currency'> &
  KnownPayment & { readonly partOf: number; readonly currency: Currency }

/** The numbers of matched and open lines in a statement, and the payments that they show. */
export type StatementMatches = Pick<BankStatementSummary, 'matched' | 'open'> & {
  readonly payments: readonly { readonly lineId: number; readonly captureId: number }[]
}

/** A deposit, as it appears in the first statement that contains it. */
export type StatementDeposit = Omit<StatementRow, 'line' | 'isWithdrawal'> & {
  readonly id: number
  readonly line: number
  readonly statementId: number
  /** The events of this statement. */
  readonly events: readonly string[]
  /** 1 if the deposit shows a recorded payment, or staff have decided on it. */
  readonly isResolved: number
}

export interface BankStatementStore {
  /**
   * Saves a statement and its new lines, and returns the statement's id. If the statement is already saved, returns its
   * existing id.
   */
  saveBankStatement(statement: NewBankStatement): Promise<number>
  /** Returns the statements with these lines, oldest first. */
  statementsWithHash(sha256: string, currency: Currency): Promise<readonly BankStatementSummary[]>
  /** Returns the statements with smaller ids, newest first. */
  bankStatements(before: number, limit: number): Promise<readonly BankStatementSummary[]>
  bankStatement(id: number): Promise<StoredBankStatement | null>
  /** Returns the lines of a statement, in the same order as in the file. */
  bankStatementLines(statementId: number): Promise<readonly StoredBankLine[]>
  /** Returns the id of the newest decision on a line of the statement. 0 if its lines have no decisions. */
  newestDecision(statementId: number): Promise<number>
  /**
   * Stores a decision. The error is a newer decision by another user; null if the statement was removed; or the message
   * that the user has lost their permission.
   */
  decideBankLine(
    decision: NewLineDecision,
  ): Promise<Result<number, StoredLineDecision | string | null>>
  /**
   * Removes a statement, unless some of its lines have a payment or a decision. The error is then the number of these
   * lines.
   */
  removeBankStatement(removal: StatementRemoval): Promise<Result<null, number>>
  /** Stores the current matches of a statement. A payment stays linked to the first line that shows it. */
  saveStatementMatches(id: number, matches: StatementMatches): Promise<void>
  /** Returns the rupee deposits on these dates, once for each set of events whose statements contain the deposit. */
  statementDeposits(first: Day, last: Day): Promise<readonly StatementDeposit[]>
  /** Returns the payments recorded under these references. */
  paymentsUnderKeys(keys: readonly BankKey[]): Promise<readonly PaymentUnderReference[]>
}

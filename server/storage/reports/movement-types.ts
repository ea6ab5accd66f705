/** Defines received payments and refunds for the payment lists and the monthly export. */
import type {
  Currency,
  Day,
  DocumentBody,
  Instant,
  Amount,
  PaymentStatus,
  RegNo,
  RegistrationState,
  SettlementLine,
} from '../../../engine/index.ts'
import type { EventFigures, WaitingCount } from '../registrations/registration-types.ts'
import type { CaptureState, RefundState } from '../database/statements/money-tables.ts'

/** Selects payments made and refunds completed from `from` (inclusive) to `to` (exclusive). */
export type MovementQuery = {
  /** Null: all events, including payments without an event. */
  readonly eventIds: readonly string[] | null
  readonly from: Instant
  readonly to: Instant
  /** A gateway or a manual method, as in `Movement.method`. */
  readonly method?: string | undefined
  /** Only payments and refunds through a gateway that are not in any stored settlement. */
  readonly isUnsettled?: boolean | undefined
  /** Only transfers and UPI payments that no saved bank statement shows. */
  readonly isUnreconciled?: boolean | undefined
  /** Only entries that were recorded or decided on after this time, because they change a month that was closed. */
  readonly changedAfter?: Instant | undefined
}

/** A received payment, or a completed refund. */
export type Movement = {
  /**
   * A letter and a number: C for a received payment, R for a refund, or M for a payment that was moved to another
   * event.
   */
  readonly id: string
  readonly is: 'payment' | 'refund' | 'dispute'
  /** When the amount was paid or refunded, and when this was recorded. */
  readonly at: Instant
  readonly recordedAt: Instant
  readonly eventId: string | null
  readonly regNo: RegNo | null
  readonly name: string
  /**
   * The gateway or the manual method. REFUNDED_OUTSIDE for a refund that was not made through the payment's gateway.
   */
  readonly method: string
  readonly reference: string
  readonly amount: Amount
  readonly currency: Currency
  /** The state of the received payment. A refund has the state of its payment. */
  readonly state: CaptureState
  /**
   * The gateway's fee plus the tax on the fee, in rupees, according to the stored settlements. Null if they do not list
   * the payment or refund.
   */
  readonly fee: Amount | null
  /** True for a transfer or UPI payment that no saved bank statement shows. */
  readonly isUnreconciled: boolean
  /** For a payment: the amount still due for its registration, in the currency of the price. */
  readonly due: Amount
  readonly priceCurrency: Currency
  /** The payment's invoices, or the credit notes issued with the refund. */
  readonly documents: readonly MovementDocument[]
  /**
   * True if the payment was moved to another event. It is listed as a change for the first event, whose sums exclude
   * it.
   */
  readonly isMovedAway?: true
}
export type MovementDocument = { readonly id: number; readonly serial: string }

/** The sums for one event, method and currency. */
export type MovementSum = {
  readonly eventId: string | null
  readonly method: string
  readonly currency: Currency
  readonly payments: number
  /** Counted payments, which are in the revenue. */
  readonly received: Amount
  readonly inReview: Amount
  /** Payments that were dismissed, or were refunded before they were counted. */
  readonly notCounted: Amount
  readonly refunds: number
  /** Refunds of counted payments. */
  readonly refunded: Amount
  readonly refundedNotCounted: Amount
  readonly fee: Amount
}

export type MovementPage = {
  readonly rows: readonly Movement[]
  /** The position where the next page begins. Null for the last page. */
  readonly next: string | null
}

/** A refund that is open or has ended. */
export type ListedRefund = {
  readonly id: number
  readonly eventId: string | null
  readonly regNo: RegNo | null
  readonly name: string
  readonly source: string
  readonly amount: Amount
  readonly currency: Currency
  readonly state: RefundState
  readonly reference: string | null
  readonly why: string
  readonly who: string
  readonly at: Instant
  readonly doneAt: Instant | null
}

/** A tax document with its event. */
export type ListedDocument = {
  readonly id: number
  readonly eventId: string
  readonly body: DocumentBody
}

/** A registration with a balance, as in the lists. Cancelled, refused and expired registrations have no balance. */
export type Debtor = {
  readonly id: number
  readonly eventId: string
  readonly regNo: RegNo
  readonly name: string
  readonly phone: string
  readonly email: string
  readonly state: RegistrationState
  readonly isInReview: boolean
  readonly paymentStatus: PaymentStatus
  readonly amount: Amount
  readonly currency: Currency
  readonly registeredAt: Instant
  /** Since when the amount has been due: the time of the registration, or of the latest change to its balance. */
  readonly since: Instant
  /** When staff last sent a payment link. Null if they have not sent any. */
  readonly remindedAt: Instant | null
}
export type DebtorPage = { readonly rows: readonly Debtor[]; readonly next: string | null }
export type DebtorSum = {
  readonly eventId: string
  readonly currency: Currency
  readonly registrations: number
  readonly amount: Amount
}

/** `month`: YYYY-MM, in Indian time. */
export type MonthClosing = {
  readonly eventId: string
  readonly month: string
  readonly who: string
  readonly at: Instant
  /** The sums for the month at the time when it was closed. */
  readonly figures: readonly MovementSum[]
}

/** A line of a gateway's settlement. */
export type SettlementFee = SettlementLine & {
  readonly source: string
  readonly account: string
  /** The event of the line's order. Null if the order is unknown. */
  readonly orderEventId: string | null
  /** The event of the payment with the line's reference. Null if no payment has it. */
  readonly paymentEventId: string | null
}

export interface ReportStore {
  /** `currency`: the event's currency; INR if omitted. */
  dashboardFigures(eventId: string, day: Day, currency?: Currency): Promise<EventFigures>
  /** Returns the work queue of each event. */
  workQueue(eventIds: readonly string[], at: Instant): Promise<readonly WaitingCount[]>
  /** Returns payments and refunds, newest first. `after`: the `next` of the previous page. */
  movementPage(query: MovementQuery, after: string | null, limit: number): Promise<MovementPage>
  /** Returns payments made on these dates that staff later moved from this event to another one. */
  paymentsMovedAway(
    eventId: string,
    period: Pick<MovementQuery, 'from' | 'to'> & { readonly changedAfter: Instant },
  ): Promise<readonly Movement[]>
  /** Returns the sums of all movements that match a query, by event, method and currency. */
  movementSums(query: MovementQuery): Promise<readonly MovementSum[]>
  /** Returns registrations with an amount due, oldest first. `after`: the `next` of the previous page. */
  debtorPage(eventIds: readonly string[], after: string | null, limit: number): Promise<DebtorPage>
  debtorSums(eventIds: readonly string[]): Promise<readonly DebtorSum[]>
  /**
   * Returns refunds that staff requested and that have not been completed. Includes refunds that have been sent, that
   * have an unknown result, or that were refused and await a decision.
   */
  openRefunds(eventIds: readonly string[] | null): Promise<readonly ListedRefund[]>
  /** Returns the invoices and credit notes issued in this period, by number. */
  taxDocuments(
    query: Pick<MovementQuery, 'eventIds' | 'from' | 'to'>,
  ): Promise<readonly ListedDocument[]>
  /** Returns the settlement lines of these dates (half-open), by account and date. */
  settlementFees(from: Day, to: Day): Promise<readonly SettlementFee[]>
  /** Returns the newest closing of a month for each of these events. `eventIds` null: for all events. */
  monthClosings(month: string, eventIds: readonly string[] | null): Promise<readonly MonthClosing[]>
  closeMonth(closings: readonly MonthClosing[]): Promise<void>
}

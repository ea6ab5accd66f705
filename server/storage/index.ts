/**
 * Defines the store's interface to the rest of the server: asynchronous domain functions, no SQL.
 * Every implementation passes the same contract tests (`tests/server/storage/contract.ts`). A write is durable
 * (fsynced) before its promise resolves.
 */
import type { EmailStore } from './mail/email-list-types.ts'
import type { OperatingMetrics } from './reports/metrics-counts.ts'
import type { RetentionStore, RescuedRows, RescuePlan } from './files/upload-and-clock-types.ts'
import type {
  Answers,
  CodeStatus,
  Decision,
  DecisionRefusal,
  GatewayKinds,
  Instant,
  LastResponse,
  OrderId,
  PaymentEvent,
  RegNo,
  Result,
  Review,
  UniqueRule,
} from '../../engine/index.ts'
import type { CountedValues, UsageCounts } from '../../engine/authoring.ts'
import type {
  DecisionOutcome,
  NextAttempt,
  NewLink,
  StoredLink,
  NewGatewayMessage,
  PaymentKeys,
  RawResponse,
  RefundToSend,
  RecordedPaymentEvent,
  RefundResponse,
  RetryRefusal,
  ReviewCounts,
  StoredCapture,
  StoredDecision,
  StoredGatewayMessage,
  StoredPayment,
  StoredRefund,
  WantedRefund,
} from './payments/payment-types.ts'
import type {
  CodePage,
  CodeQuery,
  NewDiscountCodes,
  ContextRefusal,
  MemberListCount,
  MemberListReplaced,
  MemberListRow,
} from './registrations/pricing-context-types.ts'
import type {
  NewRegistration,
  RegistrationResult,
  RegisterRefusal,
  StoredRegistration,
  ImportRefusal,
  ImportRow,
  ListQuery,
  ListPage,
  ListedRegistration,
  ListSales,
  NewMail,
} from './registrations/registration-types.ts'
import type { ActionStore } from './registrations/action-types.ts'
import type { EventVersionStore } from './events/event-version-types.ts'
import type { DocumentStore } from './documents/document-types.ts'
import type { UploadStorage } from './files/upload-storage-types.ts'
import type { StaffSender, UserStore } from './staff/staff-types.ts'
import type { CheckoutStore } from './reconciliation/checkout-types.ts'
import type { DisputeStore } from './reconciliation/dispute-types.ts'
import type { ReportStore } from './reports/movement-types.ts'
import type { RecoveryStore } from './recovery/recovery-types.ts'
import type { SettlementStore } from './reconciliation/settlement-types.ts'
import type { AttemptCounter } from './database/rate-limit-count-types.ts'
import type { StoredSeats } from './seats/seat-types.ts'

export type * from './registrations/action-types.ts'
export type * from './events/event-version-types.ts'
export type * from './documents/document-types.ts'
export type * from './reconciliation/checkout-types.ts'
export type * from './reconciliation/dispute-types.ts'
export type * from './payments/payment-types.ts'
export type * from './registrations/pricing-context-types.ts'
export type * from './staff/staff-types.ts'
export type * from './recovery/recovery-types.ts'
export type * from './reports/movement-types.ts'
export type * from './reconciliation/settlement-types.ts'
export type * from './registrations/registration-types.ts'
export type { QueuedMail } from './mail/email-list-types.ts'
export type * from './payments/payment-claim-types.ts'

export { isUpdatingRegistrations, StoreBusy } from './database/store-busy-error.ts'
export { LostPermissionError } from './staff/lost-permission-error.ts'

type EventSearch = readonly [eventIds: readonly string[], text: string, limit: number]

export interface Store
  extends
    ActionStore,
    EventVersionStore,
    DocumentStore,
    RetentionStore,
    UserStore,
    RecoveryStore,
    CheckoutStore,
    DisputeStore,
    EmailStore,
    ReportStore,
    SettlementStore {
  /**
   * Returns the store for a request of a signed-in user. Each write checks the session and its permissions again in its
   * transaction. If they are lost, stores nothing and throws LostPermissionError. Audit log entries are not checked:
   * they record what was done.
   */
  forSender(sender: StaffSender): Store
  /**
   * Stores a registration in one transaction, with its first payment attempt, a payment already received, uploads,
   * audit log entry, idempotency key and email. A repeated key with the same fingerprint returns the first
   * registration.
   */
  register(registration: NewRegistration): Promise<Result<RegistrationResult, RegisterRefusal>>
  /**
   * Returns the registration that a key created in the last 24 hours, so that a repeated request gets the same response
   * even if the price or event has changed.
   */
  registrationByKey(
    eventId: string,
    key: string,
    at: Instant,
  ): Promise<{
    readonly fingerprint: string
    readonly isOver: boolean
    readonly registered: RegistrationResult
  } | null>
  /**
   * Adds a payment attempt to a registration. Its newest attempt must have failed, or be open and be replaced by the
   * new attempt (`replacesOpenOrder`). The order id is the registration number plus two digits. If the price has
   * changed, the registration gets the new price.
   */
  retry(regNo: RegNo, at: Instant, next?: NextAttempt): Promise<Result<StoredPayment, RetryRefusal>>
  /**
   * Prepares an open order for another visit to the gateway: renews the hold of its seats. Refused if the seats are
   * taken.
   */
  resumePayment(
    orderId: OrderId,
    at: Instant,
    context?: NextAttempt['externalContext'],
  ): Promise<Result<null, ContextRefusal>>
  /**
   * Returns the number of available seats of each type at that instant. A missing type is unlimited. `counts`, by seat
   * type: if at most this many seats are free (default 0), expired holds also count as available.
   */
  availableSeats(
    eventId: string,
    counts: Readonly<Record<string, number>>,
    at: Instant,
  ): Promise<Readonly<Record<string, number>>>
  /** Returns the number of held or kept seats of each type, without the holds that have expired by that instant. */
  listTakenSeats(eventId: string, at?: Instant): Promise<readonly StoredSeats[]>
  registration(regNo: string): Promise<StoredRegistration | null>
  /** Returns the imported registration with this number in the previous system. */
  registrationByFormerNumber(eventId: string, formerNo: string): Promise<StoredRegistration | null>
  /** Returns the registration to which the order of any attempt belongs; see also `payment`. */
  registrationByOrder(orderId: string): Promise<StoredRegistration | null>
  payment(orderId: string): Promise<StoredPayment | null>
  /** Stores the message verbatim, before any check. */
  recordGatewayMessage(notice: NewGatewayMessage): Promise<void>
  /** Returns the messages verbatim, oldest first. Null for messages without a readable order. */
  gatewayMessages(orderId: OrderId | null): Promise<readonly StoredGatewayMessage[]>
  /**
   * Applies the event to the current row with the engine's `applyPaymentEvent`. Writes event, status, review, counters
   * and email in one transaction. Queues the email only if this call confirmed the registration. A refused event that
   * is not a repetition puts the payment into review. `response` is stored with the event. `keys`: the payment's keys.
   * Null if the caller does not have them.
   */
  applyPaymentEvent(
    orderId: OrderId,
    paymentEvent: PaymentEvent,
    email: NewMail | null,
    response?: RawResponse,
    keys?: PaymentKeys,
  ): Promise<{
    readonly changed: boolean
    readonly payment: StoredPayment
    readonly review: string | null
  }>
  /**
   * Returns open payments that are due to be queried: first those queried fewer than two times, newest first, because a
   * delegate is waiting; then the others, longest overdue first. Leaves out payments of `excluded` accounts.
   */
  pendingPayments(
    dueBefore: Instant,
    limit: number,
    excluded?: readonly string[],
  ): Promise<readonly (StoredPayment & { readonly attempts: number })[]>
  /** Returns closed or reviewed payments on the watch list that are due to be queried, longest overdue first. */
  watchedPayments(
    dueBefore: Instant,
    limit: number,
    excluded?: readonly string[],
  ): Promise<readonly StoredPayment[]>
  /**
   * Claims a status query that no message triggered. Returns false if it is not due, or another server is sending it.
   * The claim expires.
   */
  claimStatusQuery(orderId: OrderId, dueBefore: Instant, at: Instant): Promise<boolean>
  /**
   * Records a query: the time of the next query (null for none), the inconclusive response, and the new end of the
   * watch period.
   */
  recordStatusQuery(
    orderId: OrderId,
    at: Instant,
    nextAt: Instant | null,
    lastResponse?: LastResponse | null,
    watchUntil?: Instant | null,
  ): Promise<void>
  /** Records that a message reports a payment that the gateway does not show yet. The payment may be in progress. */
  noteClaimedPayment(orderId: OrderId, at: Instant): Promise<void>
  /** Polls a closed attempt again, because a message reports a payment for it. Does nothing for an open attempt. */
  scheduleGatewayQueries(orderId: OrderId, at: Instant): Promise<void>
  /**
   * Corrects stored times after the clock was set back: reopens payments that were closed too early, limits seat holds,
   * and schedules delayed queries and emails for now.
   */
  rescheduleAfterClockChange(at: Instant): Promise<void>
  addAccessLink(link: NewLink): Promise<void>
  /** Records a browser that opened an emailed link. `browser`: the hash of its cookie. */
  recordBrowser(regNo: RegNo, browser: string): Promise<void>
  accessLink(tokenHash: string): Promise<StoredLink | null>
  /** Stores the time of the latest use. May be called repeatedly. */
  recordLinkUse(tokenHash: string, at: Instant): Promise<void>
  /** Returns the payments received for a registration, oldest first. */
  captures(regNo: RegNo): Promise<readonly StoredCapture[]>
  paymentEvents(orderId: OrderId): Promise<readonly RecordedPaymentEvent[]>

  /** Returns the refunds of a registration, completed or in progress, oldest first. */
  refunds(regNo: RegNo): Promise<readonly StoredRefund[]>
  /** Returns the decisions about a registration's payments, oldest first. */
  decisions(regNo: RegNo): Promise<readonly StoredDecision[]>

  /** Returns all open reviews, oldest first. Null for all events. */
  reviews(eventId: string | null): Promise<readonly Review[]>
  /** Returns an open review. Null if no review has this id, or the review was decided. */
  review(id: string): Promise<Review | null>
  /** Returns the event that a review belongs to, even after the decision. Null if no payment or refund has this id. */
  eventOfReview(id: string): Promise<{ readonly eventId: string | null } | null>
  reviewCounts(): Promise<ReviewCounts>
  /**
   * Applies the engine's decision to the current review. Queues the email if the decision confirmed a registration.
   * `sender`: the user's session, which is checked again in the transaction; not checked if omitted or null.
   */
  decideReview(
    id: string,
    decision: Decision,
    at: Instant,
    email: NewMail | null,
    gatewayKinds?: GatewayKinds,
    sender?: StaffSender | null,
  ): Promise<Result<DecisionOutcome, DecisionRefusal>>
  /** Requests a refund of a counted payment, in the same way as a review decision. */
  requestRefund(action: WantedRefund): Promise<Result<DecisionOutcome, DecisionRefusal>>
  /** Returns requested refunds that were not sent recently, oldest first. */
  refundsToSend(at: Instant, limit: number): Promise<readonly RefundToSend[]>
  /**
   * Marks a refund as sent, durably, before the request to the gateway. Returns false if another process is sending
   * it.
   */
  claimRefund(id: number, at: Instant): Promise<boolean>
  /** Records the gateway's response. The payment is polled again if the refund may still succeed. */
  recordRefundResponse(id: number, response: RefundResponse, at: Instant): Promise<void>
  /**
   * Marks refunds as unsure if they got no response, or were started days ago and are not completed. Returns their
   * number.
   */
  markUnansweredRefunds(at: Instant): Promise<number>

  /** Returns registrations with a payment review, newest first. */
  registrationsInReview(eventId: string): Promise<readonly StoredRegistration[]>
  listPage(query: ListQuery, page: number, pageSize: number): Promise<ListPage>
  /**
   * Searches several events in one call for words, numbers and payment references. The best name matches come first,
   * then the newest.
   */
  searchEvents(...search: EventSearch): Promise<readonly StoredRegistration[]>
  /** Returns registrations whose name differs from the text by one letter, newest first. */
  searchSimilarNames(...search: EventSearch): Promise<readonly StoredRegistration[]>
  /** Returns the sales report for a list; `personFields`: the fields that list persons. */
  salesOfList(query: ListQuery, personFields: readonly string[]): Promise<ListSales>
  /** Reads rows in chunks on a separate thread, newest first. */
  exportRows(query: ListQuery): AsyncIterable<readonly ListedRegistration[]>
  /**
   * Returns the status of a normalised discount code at that instant. `holdMs`: how long a code is held during
   * payment.
   */
  discountCode(eventId: string, code: string, holdMs: number, at: Instant): Promise<CodeStatus>
  /**
   * Returns the registration that a uniqueness rule would report as a duplicate of a new one. Null if there is no
   * duplicate.
   */
  duplicateRegistration(
    eventId: string,
    unique: readonly UniqueRule[],
    answers: Answers,
  ): Promise<ContextRefusal | null>
  /** Returns the code that a registration used, as it was issued. Null if it used no code. */
  discountCodeOfRegistration(regNo: RegNo): Promise<string | null>
  /** Returns a page of codes, newest first, with their current uses and discounts. */
  discountCodes(query: CodeQuery): Promise<CodePage>
  /** Creates all codes, or none if one of them exists already. */
  createDiscountCodes(
    codes: NewDiscountCodes,
  ): Promise<Result<number, { readonly code: 'code_taken' }>>
  /** Withdraws a code. Registrations that used it keep their discount. */
  withdrawDiscountCode(
    eventId: string,
    code: string,
    user: string,
    at: Instant,
  ): Promise<'withdrawn' | 'unknown' | 'already_withdrawn'>
  /** Returns the cells of the row with this normalised key, by column. Null if the key is not in the list. */
  memberListRow(
    eventId: string,
    list: string,
    key: string,
  ): Promise<Readonly<Record<string, string>> | null>
  /** Replaces all rows of the member list. */
  replaceMemberList(
    eventId: string,
    list: string,
    rows: readonly MemberListRow[],
    user: string,
    at: Instant,
  ): Promise<MemberListReplaced>
  memberListCounts(eventId: string): Promise<readonly MemberListCount[]>

  /** True if several servers may share the database, so that they all serve its active event versions. */
  readonly isShared: boolean
  /** Storage of uploads that every server can read. Null if a single server stores them on its disk. */
  readonly proofs: UploadStorage | null
  /** Rate limit counts of all servers. Null for a single server. */
  readonly rateLimitCounts: AttemptCounter | null
  /**
   * Counts the values that registrations use (categories, seats and codes, and the answers, options and items in
   * `counted`). These counts are used to check a changed event file.
   */
  valuesInUse(eventId: string, counted?: CountedValues): Promise<UsageCounts>

  /**
   * Imports all rows, or none. Skips a registration that exists with the same data. Refuses the import if one exists
   * with different data.
   */
  importRegistrations(
    rows: readonly ImportRow[],
  ): Promise<Result<{ readonly added: number; readonly unchanged: number }, ImportRefusal>>
  /**
   * Returns what happened to the opened file (`was deleted`, …). Null if it is intact. Reads only the file's name and
   * header.
   */
  findDatabaseLoss(): Promise<string | null>
  /** Writes the remaining data to a separate file. Every later write is refused. */
  rescue(plan: RescuePlan): Promise<RescuedRows>
  /**
   * Writes and reads a row, for the health check. Throws NoFurtherConnection if both work but the database accepts no
   * new connection.
   */
  ping(at: Instant): Promise<void>
  /** Returns counts of queued work, and of registrations by event. */
  operatingFigures(): Promise<OperatingMetrics>
  /** Waits for queued writes, then closes. */
  close(): Promise<void>
}

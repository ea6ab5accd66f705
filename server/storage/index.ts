/**
 * Defines the store as the rest of the server sees it: asynchronous domain functions, no SQL. Implementations pass the
 * same contract suite (`tests/server/storage/contract.ts`). Writes are durable (fsynced) before they resolve.
 */
import type {
  ListedMail,
  MailCounts,
  MailsQuery,
  EmailsToRetry,
  FailedAttempt,
  SamePersonNotice,
} from './mail/email-list-types.ts'
import type { OperatingMetrics } from './reports/metrics-counts.ts'
import type { KeepingStore, RescuedRows, RescuePlan } from './files/upload-and-clock-types.ts'
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
  CompletedRefund,
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
  MailSpacing,
  QueuedMail,
} from './registrations/registration-types.ts'
import type { ActionStore } from './registrations/action-types.ts'
import type { EventVersionStore } from './events/event-version-types.ts'
import type { IssuedDocument } from './documents/document-types.ts'
import type { UploadStorage } from './files/upload-storage-types.ts'
import type { UserStore } from './staff/staff-types.ts'
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
export type * from './payments/payment-claim-types.ts'

export { isRowsBehind, StoreBusy } from './database/store-busy-error.ts'

type EventSearch = readonly [eventIds: readonly string[], text: string, limit: number]

export interface Store
  extends
    ActionStore,
    EventVersionStore,
    IssuedDocument,
    KeepingStore,
    UserStore,
    RecoveryStore,
    CheckoutStore,
    DisputeStore,
    ReportStore,
    SettlementStore {
  /**
   * One transaction: registration, first payment, payment in hand, uploads, audit row, idempotency key, email. A
   * repeated key with the same fingerprint returns the first registration.
   */
  register(registration: NewRegistration): Promise<Result<RegistrationResult, RegisterRefusal>>
  /** Returns a key's use in the last 24 hours, so that a repeat gets its response even if price or event changed. */
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
   * Adds an attempt for a registration whose newest payment failed, or is open and is replaced (`replaces`). The order
   * id is the number plus two digits. A new price becomes the registration's.
   */
  retry(regNo: RegNo, at: Instant, next?: NextAttempt): Promise<Result<StoredPayment, RetryRefusal>>
  /** Sends the delegate to the gateway again with an open order, and renews its hold unless its seats are taken. */
  resumePayment(
    orderId: OrderId,
    at: Instant,
    context?: NextAttempt['outside'],
  ): Promise<Result<null, ContextRefusal>>
  /**
   * Returns how many seats of each type are available at that instant; an absent type is unlimited. `counts`, by
   * seat type: the number up to which expired holds count too; at zero they always do.
   */
  availableSeats(
    eventId: string,
    counts: Readonly<Record<string, number>>,
    at: Instant,
  ): Promise<Readonly<Record<string, number>>>
  /** Returns how many seats of each type are held or kept. Holds that have expired at that instant are not counted. */
  takenSeats(eventId: string, at?: Instant): Promise<readonly StoredSeats[]>
  registration(regNo: string): Promise<StoredRegistration | null>
  /** Finds an imported registration by its previous number. */
  registrationByFormerNumber(eventId: string, formerNo: string): Promise<StoredRegistration | null>
  /** Finds by the order id of any attempt, like `payment`. */
  registrationByOrder(orderId: string): Promise<StoredRegistration | null>
  payment(orderId: string): Promise<StoredPayment | null>
  /** Append-only, verbatim, before it is checked. */
  recordGatewayMessage(notice: NewGatewayMessage): Promise<void>
  /** Verbatim, oldest first. Null for messages without a readable order. */
  gatewayMessages(orderId: OrderId | null): Promise<readonly StoredGatewayMessage[]>
  /**
   * Runs the engine's `applyPaymentEvent` inside the transaction on the current row. Writes event, status, review,
   * counters and email in one transaction. Queues the email only if this call made the registration a success. A refusal
   * other than a repetition puts the payment into review. `response` is stored with the event. `keys`: if known already.
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
   * Returns open payments due for a query: first those queried less than twice, newest first, because a delegate is
   * waiting; then the longest due. Excludes payments of `excluded` accounts.
   */
  pendingPayments(
    dueBefore: Instant,
    limit: number,
    excluded?: readonly string[],
  ): Promise<readonly (StoredPayment & { readonly attempts: number })[]>
  /** Returns ended or reviewed payments due on the watch list, the longest due first. */
  watchedPayments(
    dueBefore: Instant,
    limit: number,
    excluded?: readonly string[],
  ): Promise<readonly StoredPayment[]>
  /** Call before an unprompted query. False if not due, or another server queries it. The claim expires. */
  claimStatusQuery(orderId: OrderId, dueBefore: Instant, at: Instant): Promise<boolean>
  /** Records a query: when to repeat it (null for never), its inconclusive response, a changed end of the watch. */
  recordStatusQuery(
    orderId: OrderId,
    at: Instant,
    nextAt: Instant | null,
    lastResponse?: LastResponse | null,
    watchUntil?: Instant | null,
  ): Promise<void>
  /** A message reports a payment that the gateway does not have yet: it may be in progress. */
  noteClaimedPayment(orderId: OrderId, at: Instant): Promise<void>
  /** A message reports a payment for an ended attempt: it is due, and polled again. Does nothing for an open one. */
  watchPaymentAgain(orderId: OrderId, at: Instant): Promise<void>
  /** The clock was set back: payments scheduled by the later time are due now, and those it ended are open again. */
  rescheduleAfterClockChange(at: Instant): Promise<void>
  addAccessLink(link: NewLink): Promise<void>
  /** `browser`: hash of the cookie of a browser that opened an emailed link. */
  proveBrowser(regNo: RegNo, browser: string): Promise<void>
  accessLink(tokenHash: string): Promise<StoredLink | null>
  /** May be called repeatedly; the last time is stored. */
  recordLinkUse(tokenHash: string, at: Instant): Promise<void>
  /** Returns the payments received for a registration, oldest first. */
  captures(regNo: RegNo): Promise<readonly StoredCapture[]>
  paymentEvents(orderId: OrderId): Promise<readonly RecordedPaymentEvent[]>

  /** Returns the refunds of a registration, completed or in progress, oldest first. */
  refunds(regNo: RegNo): Promise<readonly StoredRefund[]>
  /** Returns the decisions about a registration's payments, oldest first. */
  decisions(regNo: RegNo): Promise<readonly StoredDecision[]>

  /** Returns all reviews, oldest first. Null for all events. */
  reviews(eventId: string | null): Promise<readonly Review[]>
  /** Null if there is none, or it was decided. */
  review(id: string): Promise<Review | null>
  /** Returns the event of a review, even after the decision. Null if there is no payment or refund with this id. */
  eventOfReview(id: string): Promise<{ readonly eventId: string | null } | null>
  reviewCounts(): Promise<ReviewCounts>
  /** Runs the engine's decision on the current review. Queues the email if that made a registration a success. */
  decideReview(
    id: string,
    decision: Decision,
    at: Instant,
    email: NewMail | null,
    gatewayKinds?: GatewayKinds,
  ): Promise<Result<DecisionOutcome, DecisionRefusal>>
  /** Requests a refund of a counted payment; works like a decision. */
  requestRefund(action: WantedRefund): Promise<Result<DecisionOutcome, DecisionRefusal>>
  /** Returns refunds requested and not tried recently, oldest first. */
  refundsToSend(at: Instant, limit: number): Promise<readonly RefundToSend[]>
  /** Marks a refund as sent, durably, before the request to the gateway. False if another process is sending it. */
  claimRefund(id: number, at: Instant): Promise<boolean>
  /** Records the gateway's response. The payment is polled again if the refund may take effect. */
  recordRefundResponse(id: number, response: RefundResponse, at: Instant): Promise<void>
  /** Marks refunds without a response, or started and not completed for days, as unsure. Returns how many. */
  markUnansweredRefunds(at: Instant): Promise<number>

  /** Returns registrations with a payment review, newest first. */
  registrationsInReview(eventId: string): Promise<readonly StoredRegistration[]>
  listPage(query: ListQuery, page: number, pageSize: number): Promise<ListPage>
  /** Searches several events in one call: words, numbers, payment references; names that match best first, then newest. */
  searchEvents(...search: EventSearch): Promise<readonly StoredRegistration[]>
  /** Returns registrations whose name differs from the text by one letter; newest first. */
  searchSimilarNames(...search: EventSearch): Promise<readonly StoredRegistration[]>
  /** Returns the sales report of a list; `personFields`: the fields that list persons. */
  salesOfList(query: ListQuery, personFields: readonly string[]): Promise<ListSales>
  /** In chunks from a separate thread, newest first. */
  exportRows(query: ListQuery): AsyncIterable<readonly ListedRegistration[]>
  /** Returns the discount of a normalised code at that instant. `holdMs`: how long its use is held during payment. */
  discountCode(eventId: string, code: string, holdMs: number, at: Instant): Promise<CodeStatus>
  /** Returns the registration that blocks these answers by a uniqueness rule, as registering would. Null if none. */
  duplicateRegistration(
    eventId: string,
    unique: readonly UniqueRule[],
    answers: Answers,
  ): Promise<ContextRefusal | null>
  /** Returns the code that a registration used, as issued. Null if none. */
  discountCodeOf(regNo: RegNo): Promise<string | null>
  /** A page of codes with their current uses and discounts, the newest first. */
  discountCodes(query: CodeQuery): Promise<CodePage>
  /** All or none: an existing code is a refusal. */
  createDiscountCodes(
    codes: NewDiscountCodes,
  ): Promise<Result<number, { readonly code: 'code_taken' }>>
  /** `before`: it was withdrawn already. Registrations made with it keep their discount. */
  withdrawDiscountCode(
    eventId: string,
    code: string,
    user: string,
    at: Instant,
  ): Promise<'withdrawn' | 'unknown' | 'before'>
  /** Returns the cells of the row with this normalised key, by column. Null if there is none. */
  memberListRow(
    eventId: string,
    list: string,
    key: string,
  ): Promise<Readonly<Record<string, string>> | null>
  /** Replaces the whole member list: all other rows are deleted. */
  replaceMemberList(
    eventId: string,
    list: string,
    rows: readonly MemberListRow[],
    user: string,
    at: Instant,
  ): Promise<MemberListReplaced>
  memberListCounts(eventId: string): Promise<readonly MemberListCount[]>

  queueMail(regNo: RegNo, email: NewMail, at: Instant): Promise<number>
  /** Queues the confirmation again. False if it is too soon after the last, or the maximum is reached. */
  queueConfirmationAgain(
    regNo: RegNo,
    email: NewMail,
    at: Instant,
    limits: MailSpacing,
  ): Promise<boolean>
  /** Queues the links of an address's registrations to that address; `regNo`: the newest. */
  queueAccessLinks(regNo: RegNo, email: NewMail, at: Instant): Promise<void>
  /** Emails a delegate about a further submission. False if they got one after that instant, or for this `notice`. */
  queueAlreadyRegistered(
    regNo: RegNo,
    email: NewMail,
    at: Instant,
    after: Instant,
    notice: number | null,
  ): Promise<boolean>
  /** Returns emails about second registrations that are not queued: one page, by the id of the first registration. */
  dueNotices(after: number, limit: number): Promise<readonly SamePersonNotice[]>
  /**
   * Returns orders handed out before that instant without a record at the gateway, for registrations not reminded yet:
   * one page, by payment id.
   */
  unfinishedPayments(
    handedBefore: Instant,
    eventIds: readonly string[],
    after: number,
    limit: number,
  ): Promise<readonly { readonly id: number; readonly regNo: RegNo }[]>
  /** Emails a delegate who left before paying, once per registration. False if queued before, or paid meanwhile. */
  queuePaymentReminder(regNo: RegNo, email: NewMail, at: Instant): Promise<boolean>
  /** Returns refunds after that instant without an email, if there is an address; oldest first. */
  refundsWithoutEmail(
    after: Instant,
    eventIds: readonly string[],
    limit: number,
  ): Promise<readonly CompletedRefund[]>
  /** Emails a delegate about a refund, once per refund. False if it was queued before. */
  queueRefundEmail(refundId: number, regNo: RegNo, email: NewMail, at: Instant): Promise<boolean>
  /** Emails about an event as a whole, once per key. False if it was queued before. */
  queueOnce(dedupKey: string, eventId: string, email: NewMail, at: Instant): Promise<boolean>
  /** Durably claims an email, with its links. False if not due, or interrupted twice. A lost claim is retried once. */
  claimMail(id: number, at: Instant, links?: readonly NewLink[]): Promise<boolean>
  dueMails(at: Instant, limit: number): Promise<readonly QueuedMail[]>
  mailSent(id: number, at: Instant): Promise<void>
  /** The mail server responds again: emails that got no response are due now. Returns how many. */
  makeMailsDue(at: Instant): Promise<number>
  /** Retries failed emails from the first attempt (all, or also postponed ones of `selection`). Returns how many. */
  retryMails(at: Instant, selection?: EmailsToRetry): Promise<number>
  /** Newest first: those before the one with that id. Null for the newest. */
  mails(query: MailsQuery, before: number | null, limit: number): Promise<readonly ListedMail[]>
  /** For these events. Null for all. */
  mailCounts(events: readonly string[] | null): Promise<MailCounts>
  /** `nextAt` null: no further attempt. `attempt` null: it was not sent to anyone. */
  mailFailed(
    id: number,
    error: string,
    nextAt: Instant | null,
    attempt?: FailedAttempt | null,
  ): Promise<void>
  mailsOf(regNo: RegNo): Promise<
    readonly (NewMail & {
      readonly id: number
      readonly status: 'queued' | 'sent' | 'failed'
      readonly at: Instant
      readonly error: string | null
    })[]
  >

  /** True if several servers may share the database: then the activated versions are served. */
  readonly isShared: boolean
  /** Storage of uploads that every server can read. Null for the disk of a single server. */
  readonly proofs: UploadStorage | null
  /** Rate limit counts of all servers. Null for a single server. */
  readonly rateLimitCounts: AttemptCounter | null
  /** Counts what registrations use (categories, seats, codes; answers, options, items if `counted`), for findings. */
  valuesInUse(eventId: string, counted?: CountedValues): Promise<UsageCounts>

  /** All or nothing; an existing equal registration changes nothing, a different one is a refusal. */
  importRegistrations(
    rows: readonly ImportRow[],
  ): Promise<Result<{ readonly added: number; readonly unchanged: number }, ImportRefusal>>
  /** Returns what happened to the opened file (`was deleted`, …). Null if intact. Reads name and header only. */
  lost(): Promise<string | null>
  /** Writes the remaining data to a separate file; from then on every write is refused. */
  rescue(plan: RescuePlan): Promise<RescuedRows>
  /** A real write and read, for the health check. NoFurtherConnection: both work, but a new connection is refused. */
  ping(at: Instant): Promise<void>
  /** Returns counts of queued work, and of registrations by event. */
  operatingFigures(): Promise<OperatingMetrics>
  /** Drains the writer's queue, then closes. */
  close(): Promise<void>
}

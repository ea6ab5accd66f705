/** Defines the store's functions for actions: requests, results and history. */
import type { StoredRefund } from '../payments/payment-types.ts'
import type {
  ActionName,
  Answers,
  BankKey,
  Quote,
  UniqueRule,
  ActionRefusal,
  Actor,
  Decision,
  DecisionRefusal,
  GatewayKinds,
  Instant,
  PaymentTotals,
  Amount,
  RegistrationState,
  RegNo,
  Result,
  ManualMethod,
  Money,
} from '../../../engine/index.ts'
import type { StoredExpectedPayment, StoredReferences } from '../reconciliation/match-candidates.ts'
import type { BankLineOfPayment, LinePart } from '../reconciliation/bank-statement-types.ts'
import type { LinkSender, PaymentChannel, RecordedOfficeMethod } from '../payments/payment-types.ts'
import type { StaffSender } from '../staff/staff-types.ts'
import type {
  NewMail,
  SamePersonRegistration,
  SearchFields,
  StoredUpload,
} from './registration-types.ts'
import type { NewPaymentClaim, StoredPaymentClaim } from '../payments/payment-claim-types.ts'

/** A requested action. `idempotencyKey` is null if the request is never repeated. */
export type NewAction = {
  readonly regNo: RegNo
  readonly act: ActionName
  readonly actor: Actor
  readonly who: string
  readonly why: string
  readonly at: Instant
  readonly idempotencyKey: IdempotencyKey | null
  /**
   * The answers that the request read, from which it built its emails and prices. If another request has changed them
   * since (a correction, a transfer or an erasure), the action is refused. Not compared if absent.
   */
  readonly previousAnswers?: Answers
  /** Refused if this session or link is no longer valid. Not checked if null or absent: a job, or another proof. */
  readonly sender?: StaffSender | LinkSender | null
  /** True for a reminder to many delegates at once. It is refused if a payment link was sent in the last 24 hours. */
  readonly isReminder?: true
  /**
   * The version of the same person's other payments that the user saw. If they have changed since, the action is
   * refused. Otherwise two users, each on one of two registrations, could refund both payments. Not compared if absent.
   */
  readonly shownOtherPayments?: string | undefined
}
/**
 * `regNos`: the registrations whose payment is kept. `version` changes when another payment of the person is made,
 * cancelled, transferred or refunded (in full or in part), and never returns to an earlier value.
 */
export type OtherPayments = { readonly regNos: readonly RegNo[]; readonly version: string }
export type IdempotencyKey = { readonly key: string; readonly fingerprint: string }

/** The bill on which a cancellation is decided. `isCurrent`: whether the user saw the figures that follow from it. */
export type ShownBill = {
  readonly total: Amount | null
  readonly due: Amount
  readonly isCurrent: boolean
}

/** The result of an action. */
export type CompletedAction = {
  readonly regNo: RegNo
  readonly state: RegistrationState
  /** A sentence for the user who performed the action. */
  readonly message: string
  /** The refunds to send to the gateway: one for each payment from which a part of the amount is refunded. */
  readonly refundIds: readonly number[]
  /** The state of these refunds once they have been sent. Absent before that, or if there are none. */
  readonly refund?: StoredRefund['state'] | null
  /** Present if the recorded payment does not count until staff have reviewed it. */
  readonly needsReview?: true
  /** True if this request had already been performed. */
  readonly repeated: boolean
}
/** Why the table of actions or the payment rules refused an action. */
export type ActionDenial = ActionRefusal | DecisionRefusal
export type ActionResult = Result<CompletedAction, ActionDenial>

/** The changes that a correction or a transfer makes. */
export type Correction = {
  /** The answers on which the change is based. If the stored answers are different, the change is refused. */
  readonly previousAnswers: Answers
  readonly answers: Answers
  readonly category: string | null
  readonly searchable: SearchFields
  readonly unique: readonly UniqueRule[]
  /** Null if the price does not change. */
  readonly quote: Quote | null
  /** The payment method for a new amount. Null if the event has none. */
  readonly channel: PaymentChannel
  /** The time until which the new price of an unpaid registration is guaranteed. */
  readonly holdUntil: Instant | null
  readonly changes: readonly string[]
  /** Files uploaded with the change. Each replaces the previous file in its field. */
  readonly uploads: readonly StoredUpload[]
  readonly emails: readonly NewMail[]
  /**
   * The email to queue if an unpaid registration becomes free and is thereby confirmed. If omitted, no email is queued.
   */
  readonly confirmation?: NewMail | null
  /** True for a transfer: emailed links are revoked, because they belong to the previous holder. */
  readonly revokesLinks: boolean
}

/** An entry in a registration's history. */
export type StoredAction = {
  readonly id: number
  readonly at: Instant
  readonly who: string
  readonly act: ActionName
  readonly why: string
  readonly data: Readonly<Record<string, unknown>>
  readonly was: RegistrationState
  readonly became: RegistrationState
}

/** The open method that replaces the chosen one in the answers. */
export type ReplacedMethod = {
  readonly answers: Answers
  /** Null if the price is the same. */
  readonly quote: Quote | null
  /** For the history: "Payment method: Card → Bank transfer". */
  readonly change: string
}

/** The payment terms for an approved registration. */
export type Approval = {
  /** The payment method for the price. Null if the event has none. */
  readonly channel: PaymentChannel
  /** The method that replaces a closed one. Null or absent to keep the chosen method and its price. */
  readonly replacedMethod?: ReplacedMethod | null
  /** The payment deadline. */
  readonly payUntil: Instant
  /** The email to queue, even if the balance is zero. */
  readonly mail: NewMail | null
  readonly confirmation: NewMail | null
}
/** The offered category and its price. `quote` is null if the event has no prices. */
export type AcceptedOffer = Approval & { readonly category: string; readonly quote: Quote | null }

export interface ActionStore {
  /** Adds a note to the registration. */
  addNote(action: NewAction): Promise<ActionResult>
  /** Undoes the user's latest note with this text. Refused if there is none. */
  undoNote(action: NewAction): Promise<ActionResult>
  /** Records the delegate's cancellation request, on which the office decides. */
  requestCancellation(action: NewAction): Promise<ActionResult>
  /**
   * Records the delegate's request to refund a second payment, on which the office decides. Refused for any other
   * payment.
   */
  requestSecondPaymentRefund(action: NewAction): Promise<ActionResult>
  withdrawRefundRequest(action: NewAction): Promise<ActionResult>
  /**
   * Deletes a person's data from all tables, but keeps payments and their events. Refused while a payment is undecided.
   * The caller deletes files and emails outside the database.
   */
  erasePersonalData(action: NewAction): Promise<ActionResult>
  /** Returns the numbers of all registrations with this email address (ignoring case), oldest first. */
  registrationsWithEmail(email: string): Promise<readonly RegNo[]>
  /** Returns registrations of an event that have not been erased yet, in batches by id. */
  registrationsToErase(
    eventId: string,
    afterId: number,
  ): Promise<readonly { readonly id: number; readonly regNo: RegNo }[]>
  /** Marks the files of a batch of an event's registrations for deletion. Returns the number of registrations. */
  deleteUploadsOfEvent(eventId: string, at: Instant, reason: string): Promise<number>
  /** Queues an email that the office requests: the confirmation again, or a payment link. */
  sendMail(action: NewAction, email: NewMail): Promise<ActionResult>
  /** Changes answers and price, for corrections, transfers and the delegate's own edits. */
  correct(action: NewAction, correction: Correction): Promise<ActionResult>
  /**
   * Cancels the registration and releases its seats. `refundAmount` is only proposed; the refund is a separate action.
   * `minRefund`: the lowest amount that can be proposed. `shownPaidAmount`: the paid amount that the user saw, or null.
   * If this amount has changed, the action is refused. `shownBill`: the price and the balance on which the caller
   * decided, and whether the user saw the same figures; null or absent if the user's are unknown. `mail` is queued
   * for the delegate.
   */
  cancel(
    action: NewAction,
    options: {
      readonly refundAmount: Amount
      readonly minRefund?: Amount
      readonly shownPaidAmount: Amount | null
      readonly shownBill?: ShownBill | null
      readonly mail: NewMail | null
    },
  ): Promise<ActionResult>
  /** Approves payment at the price on the registration date, with the seats that the registration holds. */
  approve(action: NewAction, approval: Approval): Promise<ActionResult>
  /** Rejects an application. If `offer` is a category, the delegate may accept this category instead. */
  rejectApplication(
    action: NewAction,
    options: { readonly offer: string | null; readonly mail: NewMail | null },
  ): Promise<ActionResult>
  /** Accepts the offered category for the delegate. Any other category is refused. */
  acceptOffer(action: NewAction, offer: AcceptedOffer): Promise<ActionResult>
  /**
   * Reprices unpaid registrations whose payment method uses the price on the credit date. Returns the number changed.
   */
  repriceByCreditDate(
    prices: readonly {
      readonly regNo: RegNo
      readonly methods: readonly string[]
      readonly quote: Quote
    }[],
    at: Instant,
  ): Promise<number>
  /**
   * Records a payment made outside a gateway. If the payment matches, the registration is paid. Otherwise, or if no
   * seat is left, the payment needs review. A reference can be used once. The email is queued if the payment confirms
   * the registration.
   */
  recordPayment(
    action: NewAction,
    payment: {
      readonly method: ManualMethod
      readonly officeMethod?: RecordedOfficeMethod | undefined
      readonly reference: string
      readonly amount: Amount
      readonly paidAt: Instant
      readonly bankLine?: BankLineOfPayment | undefined
      /**
       * The price on the credit date, if that date determines the price. If omitted, the price of the attempt applies.
       */
      readonly price?: Quote | null
    },
    email: NewMail | null,
  ): Promise<ActionResult>
  /** Records a payment for a registration that is paid or has ended. Whatever its amount, it needs review. */
  recordExtraPayment(
    action: NewAction,
    payment: {
      readonly method: ManualMethod
      readonly officeMethod?: RecordedOfficeMethod | undefined
      readonly reference: string
      readonly amount: Amount
      readonly paidAt: Instant
      readonly bankLine?: BankLineOfPayment | undefined
    },
  ): Promise<ActionResult>
  /** Stores a payment claim. A reference belongs to one registration. */
  addPaymentClaim(
    action: NewAction,
    claim: NewPaymentClaim,
    email: NewMail | null,
  ): Promise<ActionResult>
  /** Rejects a claim. The delegate may submit another claim until `payUntil`. */
  rejectPaymentClaim(
    action: NewAction,
    options: { readonly payUntil: Instant | null; readonly mail: NewMail | null },
  ): Promise<ActionResult>
  /** Expires an unpaid registration and releases its seats. */
  expire(action: NewAction, email: NewMail | null): Promise<ActionResult>
  /** Undoes an expiry that happened because the clock was ahead. */
  undoExpiry(action: NewAction, email: NewMail | null): Promise<ActionResult>
  /** Reopens an expired registration if seats for it are still available. */
  reopenExpired(
    action: NewAction,
    options: {
      readonly method: string | null
      readonly payUntil: Instant
      readonly mail: NewMail | null
    },
  ): Promise<ActionResult>
  /** Returns unpaid registrations whose deadline has passed, the longest overdue first. */
  overdue(at: Instant, limit: number): Promise<readonly RegNo[]>
  /**
   * Returns registrations that expired too early because the clock was ahead: their recorded expiry is in the future.
   */
  expiredTooEarly(at: Instant, limit: number): Promise<readonly RegNo[]>
  /** Returns the payment claims of a registration, newest first. */
  paymentClaims(regNo: RegNo): Promise<readonly StoredPaymentClaim[]>
  /**
   * Refunds counted payments through the gateway. With `manualReference`, records a refund that has already been made
   * instead. `amount`: null for the whole remaining amount.
   */
  refund(
    action: NewAction,
    options: {
      readonly amount: Amount | null
      readonly manualReference: string | null
      readonly gatewayKinds: GatewayKinds
    },
  ): Promise<ActionResult>
  /** Marks a refund as handled that is not in any settlement report. The reason states what happened to it. */
  markRefundHandled(action: NewAction): Promise<ActionResult>
  /** Decides on a payment under review, which must belong to this registration. */
  decideReviewOfRegistration(
    action: NewAction,
    options: {
      readonly review: string
      readonly decision: Decision
      readonly mail: NewMail | null
      readonly gatewayKinds: GatewayKinds
    },
  ): Promise<ActionResult>
  /**
   * Returns registrations of an event that expect a payment. `methodsPricedByCreditDate`: payment methods whose credit
   * date determines the price.
   */
  expectedPayments(
    eventId: string,
    methodsPricedByCreditDate: readonly string[],
  ): Promise<readonly StoredExpectedPayment[]>
  /** Returns what is known about the references in a bank statement. */
  knownReferences(keys: readonly BankKey[]): Promise<StoredReferences>
  /** Returns the other payments from the statement lines that these payments are part of, if a line was split. */
  otherPartsOfLines(captureIds: readonly number[]): Promise<readonly LinePart[]>
  /** Returns a registration's counted payments less completed and requested refunds, in whole paise. */
  netAmountPaid(regNo: RegNo): Promise<Amount>
  /** Returns the payments that a bill does not include, for the balance rules. */
  paymentsOutsideBill(regNo: RegNo): Promise<PaymentTotals>
  /** Returns true if a refund is not in any settlement report after five days, and is not marked as handled. */
  isRefundUnsettled(regNo: RegNo, at: Instant): Promise<boolean>
  /**
   * Returns a registration's payment as a second payment, if the same person (email address and name) paid before. Null
   * if it is not one, or if `browser` is given and was not used to make or open both registrations.
   */
  secondPayment(regNo: RegNo, browser?: string): Promise<SecondPayment | null>
  /**
   * For an unpaid registration, returns a paid registration of the same person. Null if there is none, or if `browser`
   * is given and was not used to make or open it.
   */
  paidRegistrationOfSamePerson(
    regNo: RegNo,
    browser?: string,
  ): Promise<SamePersonRegistration | null>
  /** Returns the payments for other registrations in the event with the same email address and name. */
  otherPaymentsOfPerson(regNo: RegNo): Promise<OtherPayments>
  /** Returns an event's second payments whose delegates have requested a refund, until staff respond. */
  refundRequests(eventId: string): Promise<readonly RegNo[]>
  /** Returns the actions on a registration, oldest first. */
  actions(regNo: RegNo): Promise<readonly StoredAction[]>
}

/** A second payment by the same person. */
export type SecondPayment = {
  /** The registration that was paid first, with its price. */
  readonly first: Money & { readonly regNo: RegNo }
  /** When the delegate requested a refund to which the office has not responded. Null if there is no such request. */
  readonly askedAt: Instant | null
}

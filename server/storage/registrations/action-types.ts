/** Defines actions as the store takes and returns them: requests, results and history. */
import type { SecondPayment } from '../payments/find-duplicate-payments.ts'
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
  Instant,
  MoneyOfBill,
  Paise,
  RegistrationState,
  RegNo,
  Result,
  ManualMethod,
} from '../../../engine/index.ts'
import type { StoredAwaited, StoredReferences } from '../reconciliation/match-candidates.ts'
import type { PaymentChannel } from '../payments/payment-types.ts'
import type { NewMail, Searchable, StoredUpload } from './registration-types.ts'
import type { NewPaymentClaim, StoredPaymentClaim } from '../payments/payment-claim-types.ts'

/** A requested action; `once` null: it is never sent twice. */
export type NewAction = {
  readonly regNo: RegNo
  readonly act: ActionName
  readonly actor: Actor
  readonly who: string
  readonly why: string
  readonly at: Instant
  readonly once: Once | null
}
export type Once = { readonly key: string; readonly fingerprint: string }

/** The result of an action. */
export type ActionResult = {
  readonly regNo: RegNo
  readonly state: RegistrationState
  /** For the user who performed it, in a sentence. */
  readonly message: string
  /** A refund to send to the gateway; null: none. */
  readonly refundId: number | null
  /** It had been done before. */
  readonly repeated: boolean
}
/** A refusal by the table of actions, or by the payment rules. */
export type ActionDenial = ActionRefusal | DecisionRefusal
export type ActionOutcome = Result<ActionResult, ActionDenial>

/** The changes of a correction or a transfer. */
export type Correction = {
  /** The answers that the change is based on: different ones are refused. */
  readonly was: Answers
  readonly answers: Answers
  readonly category: string | null
  readonly searchable: Searchable
  readonly unique: readonly UniqueRule[]
  /** Null: the price does not change. */
  readonly quote: Quote | null
  /** The payment method for a new amount; null: none of ours. */
  readonly through: PaymentChannel
  /** Until when the new price of an unpaid registration is held. */
  readonly holdUntil: Instant | null
  readonly changes: readonly string[]
  /** Files uploaded with it; each replaces the previous one. */
  readonly uploads: readonly StoredUpload[]
  readonly mails: readonly NewMail[]
  /** Queued if it was unpaid and becomes free: it is complete. Left out: none. */
  readonly confirmation?: NewMail | null
  /** Emailed links belong to the previous holder: a transfer ends them. */
  readonly endsLinks: boolean
}

/** A line of a registration's history. */
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

/** How an approved registration is to be paid. */
export type Approved = {
  /** The payment method for its price; null: none of ours. */
  readonly through: PaymentChannel
  /** Until when it can be paid. */
  readonly payUntil: Instant
  /** Queued whether or not there is something to pay. */
  readonly mail: NewMail | null
  readonly confirmation: NewMail | null
}
/** The offered category with its price; `quote` null: the event has no prices. */
export type AcceptedOffer = Approved & { readonly category: string; readonly quote: Quote | null }

export interface ActionStore {
  /** Adds a note to the registration. */
  addNote(wanted: NewAction): Promise<ActionOutcome>
  /** The delegate requests cancellation; the office decides. */
  requestCancellation(wanted: NewAction): Promise<ActionOutcome>
  /** The delegate requests a refund of a second payment; refused if it is none. The office decides. */
  requestSecondPaymentRefund(wanted: NewAction): Promise<ActionOutcome>
  withdrawRefundRequest(wanted: NewAction): Promise<ActionOutcome>
  /**
   * Deletes a person's data from every table; payments and their events stay. Refused while a payment is
   * undecided. Files and emails outside the database are the caller's task.
   */
  erasePersonalData(wanted: NewAction): Promise<ActionOutcome>
  /** Returns the numbers of all registrations with this email address, ignoring case; oldest first. */
  registrationsWithEmail(email: string): Promise<readonly RegNo[]>
  /** Returns registrations of an event that are not erased yet, in batches by id. */
  registrationsToErase(
    eventId: string,
    after: number,
  ): Promise<readonly { readonly id: number; readonly regNo: RegNo }[]>
  /** Marks the files of some registrations of an event as dropped; returns how many registrations. */
  dropEventFiles(eventId: string, at: Instant, why: string): Promise<number>
  /** Queues an email that the office requests: the confirmation again, or a payment link. */
  sendMail(wanted: NewAction, mail: NewMail): Promise<ActionOutcome>
  /** Changes answers and price: for corrections, transfers and the delegate's own edits. */
  correct(wanted: NewAction, correction: Correction): Promise<ActionOutcome>
  /**
   * Cancels the registration and releases its seats. `payBack`, at least the amount owed, is proposed for a
   * refund, which is a separate action. `shown` is the paid amount that the user saw; it is refused if payments
   * or refunds followed since; null: not stated. `mail` is queued for the delegate.
   */
  cancel(
    wanted: NewAction,
    how: {
      readonly payBack: Paise
      readonly atLeast?: Paise
      readonly shown: Paise | null
      readonly mail: NewMail | null
    },
  ): Promise<ActionOutcome>
  /** Approves payment, at the price of the registration date, with the seats that it held. */
  approve(wanted: NewAction, approved: Approved): Promise<ActionOutcome>
  /** Ends it, unless the delegate accepts the offered category; null: none is offered. */
  rejectApplication(
    wanted: NewAction,
    how: { readonly offer: string | null; readonly mail: NewMail | null },
  ): Promise<ActionOutcome>
  /** The delegate accepts the offered category; any other is refused. */
  acceptOffer(wanted: NewAction, taken: AcceptedOffer): Promise<ActionOutcome>
  /**
   * Changes unpaid registrations to the price of a day, where their payment methods are priced by the day of credit.
   * Returns how many changed.
   */
  repriceByCreditDate(
    prices: readonly {
      readonly regNo: RegNo
      readonly ways: readonly string[]
      readonly quote: Quote
    }[],
    at: Instant,
  ): Promise<number>
  /**
   * Records a payment outside a gateway. A matching one pays; any other, and one whose seat was lost meanwhile,
   * needs review. A reference counts once. `mail` is queued when the payment completes it.
   */
  recordPayment(
    wanted: NewAction,
    came: {
      readonly way: ManualMethod
      readonly reference: string
      readonly amount: Paise
      readonly paidAt: Instant
      /** The price on the credit date, where that date sets it; left out: that of the attempt. */
      readonly price?: Quote | null
    },
    mail: NewMail | null,
  ): Promise<ActionOutcome>
  /**
   * The same for a registration that is paid or has ended: the payment needs review, and the price does not
   * matter.
   */
  recordFurtherPayment(
    wanted: NewAction,
    came: {
      readonly way: ManualMethod
      readonly reference: string
      readonly amount: Paise
      readonly paidAt: Instant
    },
  ): Promise<ActionOutcome>
  /** Stores a payment claim; a reference belongs to one registration. */
  addPaymentClaim(
    wanted: NewAction,
    telling: NewPaymentClaim,
    mail: NewMail | null,
  ): Promise<ActionOutcome>
  /** Rejects a claim: the delegate may claim again until `payUntil`. */
  rejectPaymentClaim(
    wanted: NewAction,
    how: { readonly payUntil: Instant | null; readonly mail: NewMail | null },
  ): Promise<ActionOutcome>
  /** Expires an unpaid registration: releases its seats. */
  expire(wanted: NewAction, mail: NewMail | null): Promise<ActionOutcome>
  /** Undoes `lapse` if the clock was ahead. */
  undoExpiry(wanted: NewAction, mail: NewMail | null): Promise<ActionOutcome>
  /** Reopens an expired registration, if its seats are still free. */
  reopenExpired(
    wanted: NewAction,
    how: {
      readonly way: string | null
      readonly payUntil: Instant
      readonly mail: NewMail | null
    },
  ): Promise<ActionOutcome>
  /** Returns unpaid registrations whose deadline has passed, the longest overdue first. */
  overdue(at: Instant, limit: number): Promise<readonly RegNo[]>
  /** Returns those that expired at a time that is still in the future, and whose deadline is later than now. */
  expiredTooEarly(at: Instant, limit: number): Promise<readonly RegNo[]>
  /** Returns the payment claims of a registration, newest first. */
  paymentClaims(regNo: RegNo): Promise<readonly StoredPaymentClaim[]>
  /**
   * Refunds counted payments: through the gateway, or as already made under a reference. `amount` null: all that
   * is left.
   */
  refund(
    wanted: NewAction,
    how: { readonly amount: Paise | null; readonly byHand: string | null },
  ): Promise<ActionOutcome>
  /** Closes a refund that is in no settlement report; the reason says what happened to it. */
  handleRefund(wanted: NewAction): Promise<ActionOutcome>
  /** Decides on a payment in review, which must belong to this registration; `mail` as for `decide`. */
  decideReviewOfRegistration(
    wanted: NewAction,
    how: { readonly review: string; readonly decision: Decision; readonly mail: NewMail | null },
  ): Promise<ActionOutcome>
  /**
   * Returns registrations of an event that expect a payment; `pricedWays`: payment methods whose credit date sets
   * the price.
   */
  expectedPayments(
    eventId: string,
    pricedWays: readonly string[],
  ): Promise<readonly StoredAwaited[]>
  /** Returns which references of a bank statement are known, and their owners. */
  knownReferences(keys: readonly BankKey[]): Promise<StoredReferences>
  /** Returns the counted payments of a registration, less completed and imminent refunds; whole paise. */
  moneyKept(regNo: RegNo): Promise<Paise>
  /** Returns the payments that count beside its bill, for the balance rule. */
  paymentsBesideBill(regNo: RegNo): Promise<MoneyOfBill>
  /** Returns true if a refund is in no settlement report after five days, and not marked as handled. */
  isRefundUnsettled(regNo: RegNo, at: Instant): Promise<boolean>
  /** Returns the second payment for one email address and name; null: it is none. */
  secondPayment(regNo: RegNo): Promise<SecondPayment | null>
  /** Returns the other paid registrations of the same email address and name in its event. */
  paidBySamePerson(regNo: RegNo): Promise<readonly RegNo[]>
  /** Returns the second payments of an event for which the delegate requests a refund, until staff answer. */
  refundRequests(eventId: string): Promise<readonly RegNo[]>
  /** Returns the history of a registration, oldest first. */
  actions(regNo: RegNo): Promise<readonly StoredAction[]>
}

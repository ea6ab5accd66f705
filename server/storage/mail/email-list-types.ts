/** Defines the store's functions for emails: queueing, delivery and lists. */
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { CompletedRefund, NewLink } from '../payments/payment-types.ts'
import type { MailSpacing, NewMail, QueuedMail } from '../registrations/registration-types.ts'

export const MAIL_STATES = ['queued', 'failed', 'sent'] as const
export type MailState = (typeof MAIL_STATES)[number]

export type MailsQuery = {
  /** Null for all events, including those no longer served. */
  readonly events: readonly string[] | null
  /** Null for any state. */
  readonly status: MailState | null
  /** Part of the recipient's address. Empty for any. */
  readonly address: string
  /** Selects only this email, with its text, if set. */
  readonly id?: number | null
}
export type ListedMail = {
  readonly id: number
  readonly kind: string
  /** Empty if the person was erased. */
  readonly to: string
  readonly subject: string
  readonly eventId: string
  /** Null if the email is not about a registration. */
  readonly regNo: RegNo | null
  readonly status: MailState
  readonly attempts: number
  readonly at: Instant
  readonly sentAt: Instant | null
  /** The time of the next attempt. Null if no attempt is scheduled. */
  readonly nextAt: Instant | null
  /** The error of the last attempt. */
  readonly error: string | null
  /** The time of the last failed attempt. */
  readonly triedAt: Instant | null
  /** Set only for a single email, because the texts of a whole page are large. */
  readonly text?: string
}
/** The number of emails by state, up to the `MAX_COUNTED` of lists, plus one if more exist. */
export type MailCounts = Readonly<Record<MailState, number>>

/** Selects emails to retry. Null: all ids, or all events. */
export type EmailsToRetry = {
  readonly ids: readonly number[] | null
  readonly events: readonly string[] | null
}

/** The result of a failed attempt. */
export type FailedAttempt = {
  readonly at: Instant
  /** The time of the first attempt, which determines when retrying stops. */
  readonly firstAt: Instant
  /** False if the mail server did not respond. The email is sent again as soon as it does. */
  readonly isReached: boolean
  /** True if the copy was sent, so that the next attempt sends none. */
  readonly isCopySent: boolean
}

/** A due email that informs the delegate of this registration that the same person is registering again. */
export type SamePersonNotice = {
  readonly id: number
  readonly registrationId: number
  readonly regNo: RegNo
}

export interface EmailStore {
  queueMail(regNo: RegNo, email: NewMail, at: Instant): Promise<number>
  /**
   * Queues the confirmation again. Returns false if the latest confirmation is too recent, or the maximum number is
   * reached.
   */
  queueConfirmationAgain(
    regNo: RegNo,
    email: NewMail,
    at: Instant,
    limits: MailSpacing,
  ): Promise<boolean>
  /** Queues an email with the links of all registrations of an address. `regNo`: its newest registration. */
  queueAccessLinks(regNo: RegNo, email: NewMail, at: Instant): Promise<void>
  /**
   * Emails a delegate about a further submission. Returns false if they got such an email after that instant, or for
   * this `notice`.
   */
  queueAlreadyRegistered(
    regNo: RegNo,
    email: NewMail,
    at: Instant,
    after: Instant,
    notice: number | null,
  ): Promise<boolean>
  /** Returns one page of notices that are due but not queued yet, ordered by the registration to notify. */
  dueNotices(after: number, limit: number): Promise<readonly SamePersonNotice[]>
  /**
   * Returns one page of unfinished payments, by payment id: the delegate was sent to the gateway before that instant,
   * the gateway has no payment for the order, and no reminder has been queued for the registration.
   */
  unfinishedPayments(
    handedBefore: Instant,
    eventIds: readonly string[],
    after: number,
    limit: number,
  ): Promise<readonly { readonly id: number; readonly regNo: RegNo }[]>
  /**
   * Emails a delegate who left before paying, once per registration. Returns false if it was already queued, or the
   * delegate has paid.
   */
  queuePaymentReminder(regNo: RegNo, email: NewMail, at: Instant): Promise<boolean>
  /** Returns refunds completed after that instant that have an address but no email, oldest first. */
  refundsWithoutEmail(
    after: Instant,
    eventIds: readonly string[],
    limit: number,
  ): Promise<readonly CompletedRefund[]>
  /** Emails a delegate about a refund, once per refund. Returns false if it was already queued. */
  queueRefundEmail(refundId: number, regNo: RegNo, email: NewMail, at: Instant): Promise<boolean>
  /** Queues an email about a whole event, once per key. Returns false if it was already queued. */
  queueOnce(dedupKey: string, eventId: string, email: NewMail, at: Instant): Promise<boolean>
  /**
   * Durably claims an email and stores its links. Returns false if the email is not due, or its sending was interrupted
   * twice. An interrupted email is retried once.
   */
  claimMail(id: number, at: Instant, links?: readonly NewLink[]): Promise<boolean>
  dueMails(at: Instant, limit: number): Promise<readonly QueuedMail[]>
  mailSent(id: number, at: Instant): Promise<void>
  /** Makes emails due now that got no response, because the mail server responds again. Returns their number. */
  makeMailsDue(at: Instant): Promise<number>
  /**
   * Restarts the attempts of all failed emails, or of the emails in `selection`, which can include postponed emails.
   * Returns their number.
   */
  retryMails(at: Instant, selection?: EmailsToRetry): Promise<number>
  /** Returns emails older than the one with that id, newest first. Null for the newest. */
  mails(query: MailsQuery, before: number | null, limit: number): Promise<readonly ListedMail[]>
  /** Counts the emails of these events. Null for all. */
  mailCounts(events: readonly string[] | null): Promise<MailCounts>
  /** Records a failed attempt. `nextAt` null: no further attempt. `attempt` null: the email was not sent to anyone. */
  mailFailed(
    id: number,
    error: string,
    nextAt: Instant | null,
    attempt?: FailedAttempt | null,
  ): Promise<void>
  emailsOfRegistration(regNo: RegNo): Promise<
    readonly (NewMail & {
      readonly id: number
      readonly status: 'queued' | 'sent' | 'failed'
      readonly at: Instant
      readonly error: string | null
    })[]
  >
}

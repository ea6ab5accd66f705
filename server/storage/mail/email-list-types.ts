/** Defines the store's functions for emails: queueing, delivery and lists. */
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { CompletedRefund, NewLink } from '../payments/payment-types.ts'
import type { MailSpacing, NewMail } from '../registrations/registration-types.ts'

export type QueuedMail = NewMail & {
  readonly id: number
  /**
   * `instructions`: how to pay by transfer; `links`: lost links; `unfinished`: a reminder to a delegate who left before
   * paying; `given-back`: a refund; `already`: a form with the same details was sent again; `same-person`: the delegate
   * may pay a second time. Links in these emails are created when the email is sent. `documents`: invoices and credit
   * notes that were issued later, as attachments. `paused`: the mailbox gets no more emails for an hour.
   */
  readonly kind:
    | 'confirmation'
    | 'again'
    | 'instructions'
    | 'reviews'
    | 'unfinished'
    | 'given-back'
    | 'already'
    | 'same-person'
    | 'asked'
    | 'documents'
    | 'links'
    | 'paused'
  readonly attempts: number
  /** When the email was written. */
  readonly at: Instant
  /** The time of the first attempt. Null if there has been none. */
  readonly firstTriedAt: Instant | null
  readonly eventId: string
  /** Null if the email is about an event as a whole. */
  readonly regNo: RegNo | null
}

export const MAIL_STATES = ['queued', 'failed', 'sent'] as const
export type MailState = (typeof MAIL_STATES)[number]

export type MailsQuery = {
  /** Null for all events, including those no longer served. */
  readonly events: readonly string[] | null
  /** Null for any state. */
  readonly status: MailState | null
  /** Part of the recipient's address. Empty for any address. */
  readonly address: string
  /** If set, selects only this email, and includes its text. */
  readonly id?: number | null
}
export type ListedMail = {
  readonly id: number
  readonly kind: string
  /** Empty if the person's data was erased. */
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
  /** The error of the latest attempt. */
  readonly error: string | null
  /** The time of the latest failed attempt. */
  readonly triedAt: Instant | null
  /** Set only for a single email, because the texts of a whole page are large. */
  readonly text?: string
}
/** The number of emails in each state. Like lists, it is counted only up to `MAX_COUNTED` + 1. */
export type MailCounts = Readonly<Record<MailState, number>>

/** The failed emails to retry. Null `ids`: all of them. Null `events`: those of all events. */
export type EmailsToRetry = {
  readonly ids: readonly number[] | null
  readonly events: readonly string[] | null
}

/** The result of a failed attempt. */
export type FailedAttempt = {
  readonly at: Instant
  /** The time of the first attempt, which determines when retrying stops. */
  readonly firstAt: Instant
  /** False if the mail server did not respond. The email is retried as soon as the server responds again. */
  readonly hasServerResponded: boolean
  /** True if the copy was sent. The next attempt then sends no copy. */
  readonly isCopySent: boolean
}

/** A due email to the delegate of this registration, because the same person is registering again. */
export type SamePersonNotice = {
  readonly id: number
  readonly registrationId: number
  readonly regNo: RegNo
}

export interface EmailStore {
  queueMail(regNo: RegNo, email: NewMail, at: Instant): Promise<number>
  /**
   * Queues the confirmation again. Returns false if the registration got an email too recently, or if the confirmation
   * has been requested too often.
   */
  queueConfirmationAgain(
    regNo: RegNo,
    email: NewMail,
    at: Instant,
    limits: MailSpacing,
  ): Promise<boolean>
  /** Queues an email with links to all registrations of an email address. `regNo` is the newest of them. */
  queueAccessLinks(regNo: RegNo, email: NewMail, at: Instant): Promise<void>
  /**
   * Queues an email to a delegate about a further submission. Returns false if such an email was queued later than
   * `after`, or if the email for this `notice` has already been queued.
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
   * Returns one page of unfinished payments, ordered by payment id: the delegate was sent to the gateway before
   * `handedBefore`, the gateway has no payment for the order, and no reminder has been queued for the registration.
   */
  unfinishedPayments(
    handedBefore: Instant,
    eventIds: readonly string[],
    after: number,
    limit: number,
  ): Promise<readonly { readonly id: number; readonly regNo: RegNo }[]>
  /**
   * Queues a reminder to a delegate who left before paying, once per registration. Returns false if it was already
   * queued, or if the delegate has paid.
   */
  queuePaymentReminder(regNo: RegNo, email: NewMail, at: Instant): Promise<boolean>
  /** Returns refunds completed later than `after` whose delegate has an address but got no email, oldest first. */
  refundsWithoutEmail(
    after: Instant,
    eventIds: readonly string[],
    limit: number,
  ): Promise<readonly CompletedRefund[]>
  /** Queues an email about a refund, once per refund. Returns false if it was already queued. */
  queueRefundEmail(refundId: number, regNo: RegNo, email: NewMail, at: Instant): Promise<boolean>
  /** Queues an email about a whole event, once per key. Returns false if it was already queued. */
  queueOnce(dedupKey: string, eventId: string, email: NewMail, at: Instant): Promise<boolean>
  /**
   * Durably claims an email and stores the links in it. Returns false if the email is not due, or if two attempts were
   * interrupted. After one interrupted attempt, the email is sent again.
   */
  claimMail(id: number, at: Instant, links?: readonly NewLink[]): Promise<boolean>
  dueMails(at: Instant, limit: number): Promise<readonly QueuedMail[]>
  mailSent(id: number, at: Instant): Promise<void>
  /** Makes emails due now if no mail server responded to their latest attempt. Returns their number. */
  makeUnreachedEmailsDue(at: Instant): Promise<number>
  /**
   * Restarts the attempts of all failed emails, or of those in `selection`, which can include postponed emails.
   * Returns the number of emails.
   */
  retryMails(at: Instant, selection?: EmailsToRetry): Promise<number>
  /** Returns emails older than the email with the id `before`, newest first. Null: starts with the newest. */
  mails(query: MailsQuery, before: number | null, limit: number): Promise<readonly ListedMail[]>
  /** Counts the emails of these events. Null: of all events. */
  mailCounts(events: readonly string[] | null): Promise<MailCounts>
  /** Records a failed attempt. `nextAt` null: no further attempt. `attempt` null: no attempt was made. */
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

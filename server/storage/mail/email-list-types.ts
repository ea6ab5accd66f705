/** Defines queries about emails and their results. */
import type { Instant, RegNo } from '../../../engine/index.ts'

export const MAIL_STATES = ['queued', 'failed', 'sent'] as const
export type MailState = (typeof MAIL_STATES)[number]

export type MailsQuery = {
  /** All events, including those no longer served, if null. */
  readonly events: readonly string[] | null
  /** Any state if null. */
  readonly status: MailState | null
  /** Part of the recipient's address; '': any. */
  readonly address: string
  /** If set, this email only, with its text. */
  readonly id?: number | null
}
export type ListedMail = {
  readonly id: number
  readonly kind: string
  /** Empty if the person was erased. */
  readonly to: string
  readonly subject: string
  readonly eventId: string
  /** Null if it is about no registration. */
  readonly regNo: RegNo | null
  readonly status: MailState
  readonly attempts: number
  readonly at: Instant
  readonly sentAt: Instant | null
  /** When it is retried. Null if it is not. */
  readonly nextAt: Instant | null
  /** The error of the last attempt. */
  readonly error: string | null
  /** The time of the last failed attempt. */
  readonly triedAt: Instant | null
  /** Read only for one email, because a page of texts is large. */
  readonly text?: string
}
/** Counted up to `COUNT_MAX` of the lists, plus one if there are more. */
export type MailCounts = Readonly<Record<MailState, number>>

/** All emails if null. */
export type EmailsToRetry = {
  readonly ids: readonly number[] | null
  readonly events: readonly string[] | null
}

/** The result of an attempt. */
export type FailedAttempt = {
  readonly at: Instant
  /** Time of the first attempt, which determines when retrying stops. */
  readonly firstAt: Instant
  /** False if the mail server did not respond; it is retried as soon as it does. */
  readonly isReached: boolean
  /** The copy was sent, and is not sent again with the next attempt. */
  readonly hasCopyGone: boolean
}

/** An email that is due: it tells the delegate of this registration that the same person is registering again. */
export type SamePersonNotice = {
  readonly id: number
  readonly registrationId: number
  readonly regNo: RegNo
}

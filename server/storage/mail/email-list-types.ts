/** Defines the office's queries about emails and their results. */
import type { Instant, RegNo } from '../../../engine/index.ts'

export const MAIL_STATES = ['queued', 'failed', 'sent'] as const
export type MailState = (typeof MAIL_STATES)[number]

export type MailsQuery = {
  /** Null: all events, including those no longer served. */
  readonly events: readonly string[] | null
  /** Null: any state. */
  readonly status: MailState | null
  /** Part of the recipient's address; '': any. */
  readonly address: string
}
export type ListedMail = {
  readonly id: number
  readonly kind: string
  /** '': the person was erased. */
  readonly to: string
  readonly subject: string
  readonly eventId: string
  /** Null: it is about no registration. */
  readonly regNo: RegNo | null
  readonly status: MailState
  readonly attempts: number
  readonly at: Instant
  readonly sentAt: Instant | null
  /** When it is retried; null: it is not. */
  readonly nextAt: Instant | null
  /** The error of the last attempt. */
  readonly error: string | null
}
/** Counted up to a few thousand, plus one if there are more: `COUNT_MAX` of the lists. */
export type MailCounts = Readonly<Record<MailState, number>>

/** Null: all of them. */
export type MailsToRetry = {
  readonly ids: readonly number[] | null
  readonly events: readonly string[] | null
}

/** The result of an attempt. */
export type Tried = {
  readonly at: Instant
  /** Of the first attempt, which determines when it is given up. */
  readonly firstAt: Instant
  /** False: the mail server did not respond; it is retried as soon as it does. */
  readonly isReached: boolean
  /** The copy was sent, and is not sent again with the next attempt. */
  readonly hasCopyGone: boolean
}

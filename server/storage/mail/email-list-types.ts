/** What the office asks about mails, and what it is told. */
import type { Instant, RegNo } from '../../../engine/index.ts'

export const MAIL_STATES = ['queued', 'failed', 'sent'] as const
export type MailState = (typeof MAIL_STATES)[number]

export type MailsQuery = {
  /** Null: of all events, and of none that is served. */
  readonly events: readonly string[] | null
  /** Null: in any state. */
  readonly status: MailState | null
  /** A piece of the address that it goes to; '': any. */
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
  /** When it is tried next; null: it is not. */
  readonly nextAt: Instant | null
  /** What the last try heard. */
  readonly error: string | null
}
/** Few thousands are counted, and one more where there are more: `COUNT_MAX` of the lists. */
export type MailCounts = Readonly<Record<MailState, number>>

/** Null: all of them. */
export type MailsToRetry = {
  readonly ids: readonly number[] | null
  readonly events: readonly string[] | null
}

/** What became of a try. */
export type Tried = {
  readonly at: Instant
  /** Of the first try, which decides when it is given up. */
  readonly firstAt: Instant
  /** False: the mail server did not answer, and it is tried again as soon as it does. */
  readonly isReached: boolean
  /** The copy went out, and is not sent again with the next try. */
  readonly hasCopyGone: boolean
}

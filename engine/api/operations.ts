/** API types for the office's email, recovery and event file pages. */
import type { HeldEmails } from '../documents/recovery-series.ts'

/** GET /admin/mail/. */
export type EmailsResponse = {
  status: 'success'
  /** The number of emails by state. A count of `counted_to` plus one means that there are at least that many. */
  counts: { queued: number; failed: number; sent: number }
  counted_to: number
  mails: WireMail[]
  /** The `before` parameter for the next page. Null on the last page. */
  before: number | null
}
/** POST /admin/mail/retry/ {ids} or {all: true} returns a message. */
export type WireMail = {
  id: number
  /** Empty if the person's data was erased. */
  to: string
  subject: string
  event_id: string
  /** The event's title, or its id if it is no longer served. */
  event: string
  /** Null if the email is not about a registration. */
  reg_no: string | null
  status: 'queued' | 'failed' | 'sent'
  tries: number
  /** When the email was sent; for an unsent email, when it was queued. */
  at: string
  /** The time of the next attempt to send it. Null if there is none. */
  next_at: string | null
  /** The error from the last attempt. */
  error: string | null
  /** Only in the response to `?id=`, for one email. */
  details?: WireMailDetails
}
export type WireMailDetails = {
  queued_at: string
  /** Null if the email was not sent. */
  sent_at: string | null
  /** The time of the last failed attempt. */
  tried_at: string | null
  /** The text without personal links. Empty if the person's data was erased. */
  text: string
}

/**
 * GET /admin/recovery-state/: the state of the installation after a restore. Times have the format described in
 * `registration.ts`.
 */
export type RecoveryResponse = {
  status: 'success'
  /** Null if the installation is not in recovery. */
  recovery: WireRecovery | null
  /** Past recoveries, the newest first. */
  past: {
    code: string
    begun_at: string
    ended_at: string
    ended_by: string
    mails: HeldEmails
  }[]
}
export type WireRecovery = {
  begun_at: string
  /** The reason for the recovery, in a sentence. */
  why: string
  /** The code in document numbers issued since the restore. */
  code: string
  /** When the copy was made. Null if unknown. */
  copy_at: string | null
  /** The time of the newest record in the copy. Null if the copy has no records. */
  stored_at: string | null
  /** The latest known time at which this server served records that are missing from the copy. Null if unknown. */
  served_at: string | null
  /**
   * The payments that were pending in the copy: their total number, the number checked with the gateway, and the
   * number that are no longer pending.
   */
  pending: { all: number; asked: number; ended: number }
  /**
   * Payments for orders that are not in the database: those in payment review, and those that must be checked with
   * the gateway again.
   */
  unknown: { to_decide: number; to_ask: number }
  /** The numbers of held emails, refunds and erasures. `since`: the held emails that were queued since the restore. */
  held: { mails: number; since: number; refunds: number; erasures: number }
  /** The first held emails, the oldest first. */
  mails: { id: number; to: string; subject: string; event: string; at: string }[]
  /** The latest number issued in each document series since the restore. */
  series: { pattern: string; year: string; last: number }[]
  /** The numbers of uploaded files that are referenced but missing, and of those that exist but are not referenced. */
  uploads: { missing: number; unused: number }
}
/** POST /admin/recovery-state/end/ {mails} returns a message. */

/** GET /admin/served-files/, and POST /admin/served-files/reload/, which reads the files again. */
export type EventFilesResponse = { status: 'success'; files: WireEventFile[] }
export type WireEventFile = {
  file: string
  /** Null if no version is served. */
  event_id: string | null
  title: string | null
  version: string | null
  /**
   * Whether the event is served: in its current version; in an older version; although its file is gone; not at all.
   */
  is: 'served' | 'before' | 'gone' | 'refused'
  why: string | null
  /** The checker's findings, line by line. */
  findings: string | null
}

/**
 * POST /admin/served-files/rehearse/ {text}: runs an event file from its first day to its last on a
 * simulated clock.
 */
export type RehearsalResponse = { status: 'success'; title: string; days: WireRehearsedDay[] }
export type WireRehearsedDay = {
  /** Formatted for display. */
  day: string
  /** `time`: formatted for display; empty for a change to the event itself. */
  steps: { time: string; text: string }[]
}

/**
 * GET /admin/event-versions/?event=: the served versions of an event's file, newest first. Two
 * files that differ only in old and new keys are one version.
 */
export type EventVersionsResponse = {
  status: 'success'
  versions: WireEventVersion[]
  /** The `before` parameter for the next page. Null on the last page. */
  before: string | null
}
export type WireEventVersion = {
  version: string
  /** When the version was first loaded. */
  loaded_at: string
  /** When the version was last loaded. Later than `loaded_at` of a newer version if the file was changed back. */
  last_loaded_at: string
  is_live: boolean
  /** The previous version. Null if this is the first. */
  previous: string | null
}

/** GET /admin/event-versions/difference/?event=&version=&from=: the changes in a version. */
export type VersionDifferenceResponse = {
  status: 'success'
  version: string
  from: string
  /** Versions whose changes cannot be listed, because the current rules do not accept them. */
  unreadable: string[]
  /** A sentence for each change. Empty if nothing visible changed. */
  groups: { title: string; changes: string[] }[]
}

/** GET /admin/event-versions/text/?event=&version=: the text of the file, as it was loaded. */
export type VersionTextResponse = { status: 'success'; version: string; text: string }

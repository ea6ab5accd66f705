/** What the office's pages of mails and of event files ask for and answer. */
import type { HeldMails } from '../documents/recovery-series.ts'

/** GET /admin/mail/. */
export type MailsAnswer = {
  status: 'success'
  /** By state; one more than `counted_to` means that there are more. */
  counts: { queued: number; failed: number; sent: number }
  counted_to: number
  mails: WireMail[]
  /** To be sent as `before` for those that follow; null: there are none. */
  before: number | null
}
/** POST /admin/mail/retry/ {ids} or {all: true} answers a message. */
export type WireMail = {
  id: number
  /** '': the person was erased. */
  to: string
  subject: string
  event_id: string
  /** Its title, or its id where it is not served any more. */
  event: string
  /** Null: it is about no registration. */
  reg_no: string | null
  status: 'queued' | 'failed' | 'sent'
  tries: number
  /** When it went out, else when it was written. */
  at: string
  /** When it is tried next; null: it is not. */
  next_at: string | null
  /** What the last try heard. */
  error: string | null
}

/** GET /admin/recovery-state/: how the installation stands after a restore. Instants as in `wire.ts`. */
export type RecoveryAnswer = {
  status: 'success'
  /** Null: it is not in recovery. */
  recovery: WireRecovery | null
  /** Those that have ended, the newest first. */
  past: {
    code: string
    begun_at: string
    ended_at: string
    ended_by: string
    mails: HeldMails
  }[]
}
export type WireRecovery = {
  begun_at: string
  /** Why it began, in a sentence. */
  why: string
  /** Stands in the numbers of documents that are issued since. */
  code: string
  /** When the copy was made; null: not known. */
  copy_at: string | null
  /** The newest record that the copy holds; null: it holds none. */
  stored_at: string | null
  /** Until when this server is known to have served records that the copy lacks; null: not known. */
  served_at: string | null
  /** Payments that were pending in the copy: how many the gateway was asked about, and how many are pending no longer. */
  pending: { all: number; asked: number; ended: number }
  /** Payments for orders that the database does not know: those before staff, and those about which the gateway is asked again. */
  unknown: { to_decide: number; to_ask: number }
  /** `since`: of the emails, those that were written since, about what happened before the restart. */
  held: { mails: number; since: number; refunds: number; erasures: number }
  /** The first of the emails that are held, the oldest first. */
  mails: { id: number; to: string; subject: string; event: string; at: string }[]
  /** How far each series of documents has counted since. */
  series: { pattern: string; year: string; last: number }[]
  /** Uploaded files: referred to and not there; there and not referred to. */
  uploads: { missing: number; unused: number }
}
/** POST /admin/recovery-state/end/ {mails} answers a message. */

/** GET /admin/served-files/, and POST /admin/served-files/reload/ once they were read again. */
export type EventFilesAnswer = { status: 'success'; files: WireEventFile[] }
export type WireEventFile = {
  file: string
  /** Null: nothing of it is served. */
  event_id: string | null
  title: string | null
  version: string | null
  /** As it is; in an older version; its file has gone; never. */
  is: 'served' | 'before' | 'gone' | 'refused'
  why: string | null
  /** What the checker says of it, line by line. */
  findings: string | null
}

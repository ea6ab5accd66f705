/** What the office's pages of mails and of event files ask for and answer. */

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

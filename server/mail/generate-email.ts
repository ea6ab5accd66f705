/** Generates a complete email in the background process: text, HTML, ticket and documents. */
import type { Instant, RegNo } from '../../engine/index.ts'
import type { PrintedDocument } from '../documents/document-contents.ts'
import { typesetDocument } from '../documents/typeset-document.ts'
import { createCalendarEntry } from '../events/calendar-entry.ts'
import type { CalendarEvent } from '../events/calendar-entry.ts'
import type { QueuedMail } from '../storage/index.ts'
import { renderEmailHtml } from './email-html.ts'
import type { EmailTheme } from './email-html.ts'
import type { OutgoingEmail } from './email-transport.ts'
import { drawQrCode } from './qr-code-image.ts'

/** The data of an email. */
export type EmailJob = {
  /** The email with its final text: links from delegates' answers are removed, and access links are inserted. */
  readonly mail: QueuedMail
  /** Null if the event's file was removed. The email then has no HTML. */
  readonly theme: EmailTheme | null
  readonly replyTo: string | null
  /** Null if the email has no attachments. */
  readonly ticket: Ticket | null
}
export type Ticket = {
  readonly regNo: RegNo
  /** Null if only documents are attached. */
  readonly event: CalendarEvent | null
  readonly at: Instant
  readonly documents: readonly TicketDocument[]
}
export type TicketDocument = {
  readonly fileName: string
  readonly document: PrintedDocument
  readonly at: Instant
}

/** Generates an email with its attachments. Throws if a document cannot be rendered. */
export function generateEmail(
  { mail: email, theme, replyTo, ticket }: EmailJob,
  publicUrl: string,
): OutgoingEmail {
  return {
    ...email,
    html: theme === null ? null : renderEmailHtml(theme, email, publicUrl),
    replyTo,
    attachments: ticket === null ? [] : buildAttachments(ticket, publicUrl),
  }
}

/**
 * Builds the attachments: the documents and, for a ticket, the registration number as a QR code and a calendar entry.
 */
const buildAttachments = (
  { regNo, event, at, documents }: Ticket,
  publicUrl: string,
): OutgoingEmail['attachments'] => [
  ...(event === null
    ? []
    : [
        { filename: `${regNo}.png`, content: drawQrCode(regNo), contentType: 'image/png' },
        {
          filename: `${event.id}.ics`,
          content: Buffer.from(createCalendarEntry(event, publicUrl, at)),
          contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
        },
      ]),
  ...documents.map((document) => ({
    filename: document.fileName,
    content: typesetDocument(document),
    contentType: 'application/pdf',
  })),
]

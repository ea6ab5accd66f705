/** Collects the attachments of an email: the event's calendar entry and the registration's documents. */
import type { EventConfig, Instant } from '../../engine/index.ts'
import { formatDocument, getFileName } from '../documents/document-contents.ts'
import { listHolderDocuments } from '../documents/documents-after-transfer.ts'
import { pickCalendarEvent } from '../events/calendar-entry.ts'
import type { QueuedMail, Store } from '../storage/index.ts'
import type { Ticket, TicketDocument } from './generate-email.ts'

/** Emails of these kinds contain a ticket. */
const TICKET_KINDS: ReadonlySet<QueuedMail['kind']> = new Set(['confirmation', 'again', 'asked'])

/** Emails of this kind have invoices and credit notes attached, regardless of the registration's state. */
const DOCUMENTS_KIND: QueuedMail['kind'] = 'documents'

/**
 * Collects the data of an email's attachments. Null if it has none. `event` is null if its file was removed; then the
 * email has no ticket.
 */
export async function collectTicket(
  store: Pick<Store, 'documents' | 'document' | 'actions' | 'registration'>,
  event: EventConfig | null,
  { kind, regNo }: Pick<QueuedMail, 'kind' | 'regNo'>,
  at: Instant,
): Promise<Ticket | null> {
  if (event === null || regNo === null) return null
  const isTicket = TICKET_KINDS.has(kind)
  if (!isTicket && kind !== DOCUMENTS_KIND) return null
  // An unpaid or cancelled registration has no ticket.
  if (isTicket && (await store.registration(regNo))?.paymentStatus !== 'success') return null
  const documents: TicketDocument[] = []
  for (const { id, kind: type } of await listHolderDocuments(store, regNo)) {
    if (!isTicket && type === 'receipt') continue
    const body = await store.document(regNo, id)
    if (body !== null)
      documents.push({
        fileName: getFileName(body),
        document: formatDocument(body, event),
        at: body.at,
      })
  }
  return { regNo, event: isTicket ? pickCalendarEvent(event) : null, at, documents }
}

/** Collects the attachments of an email: the event's calendar entry and the registration's documents. */
import { readDelegate, type EventConfig, type Instant } from '../../engine/index.ts'
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
  { kind, regNo, to }: Pick<QueuedMail, 'kind' | 'regNo' | 'to'>,
  at: Instant,
): Promise<Ticket | null> {
  if (event === null || regNo === null) return null
  const isTicket = TICKET_KINDS.has(kind)
  if (!isTicket && kind !== DOCUMENTS_KIND) return null
  const registration = await store.registration(regNo)
  if (registration === null) return null
  const { answers, paymentStatus, state } = registration
  if (isTicket && paymentStatus !== 'success') return null
  // The email to the previous delegate after a transfer must not contain the new delegate's ticket and receipts.
  const isOwner = readDelegate(event, answers).email.toLowerCase() === to.toLowerCase()
  if (isTicket && !isOwner) return null
  const isAdmitted = isTicket && state === 'complete'
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
  return { regNo, event: isAdmitted ? pickCalendarEvent(event) : null, at, documents }
}

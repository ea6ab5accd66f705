/** Collects the data of a ticket email: the event's calendar entry and the registration's documents. */
import type { EventConfig, Instant } from '../../engine/index.ts'
import { formatDocument, getFileName } from '../documents/document-contents.ts'
import { listHolderDocuments } from '../documents/documents-after-transfer.ts'
import { pickCalendarEvent } from '../events/calendar-entry.ts'
import type { QueuedMail, Store } from '../storage/index.ts'
import type { Ticket, TicketDocument } from './generate-email.ts'

/** Emails of these kinds are tickets. */
const TICKET_KINDS: ReadonlySet<QueuedMail['kind']> = new Set(['confirmation', 'again', 'asked'])

/** Null if the email is no ticket. `event` is null if its file was removed: then there are no tickets. */
export async function collectTicket(
  store: Pick<Store, 'documents' | 'document' | 'actions' | 'registration'>,
  event: EventConfig | null,
  { kind, regNo }: Pick<QueuedMail, 'kind' | 'regNo'>,
  at: Instant,
): Promise<Ticket | null> {
  if (event === null || regNo === null || !TICKET_KINDS.has(kind)) return null
  // An unpaid or cancelled registration has no ticket.
  if ((await store.registration(regNo))?.paymentStatus !== 'success') return null
  const documents: TicketDocument[] = []
  for (const { id } of await listHolderDocuments(store, regNo)) {
    const body = await store.document(regNo, id)
    if (body !== null)
      documents.push({
        fileName: getFileName(body),
        document: formatDocument(body, event),
        at: body.at,
      })
  }
  return { regNo, event: pickCalendarEvent(event), at, documents }
}

/**
 * Creates a ticket email's attachments: registration number as a QR code, calendar entry, documents.
 */
import type * as Resvg from '@resvg/resvg-js'
import { renderSVG } from 'uqr'
import { QR_CODE_OPTIONS } from '../../engine/messages.ts'
import type { EventConfig, Instant, RegNo } from '../../engine/index.ts'
import { getFileName } from '../documents/document-contents.ts'
import { listHolderDocuments } from '../documents/documents-after-transfer.ts'
import { renderPdf } from '../documents/render-pdf.ts'
import { createCalendarEntry } from '../events/calendar-entry.ts'
import { later } from '../ops/lazy-import.ts'
import type { QueuedMail, Store } from '../storage/index.ts'

const loadResvg = later<typeof Resvg>('@resvg/resvg-js')

export type Attachment = {
  readonly filename: string
  readonly content: Buffer | string
  readonly contentType: string
}

/** Emails of these kinds are tickets. */
const TICKET_KINDS: ReadonlySet<QueuedMail['kind']> = new Set(['confirmation', 'again', 'asked'])
/**
 * `event` is null if its file was removed: then the email has no attachments. Throws if a document cannot be rendered.
 */
export async function buildAttachments(
  store: Pick<Store, 'documents' | 'document' | 'acts' | 'registration'>,
  event: EventConfig | null,
  { kind, regNo }: Pick<QueuedMail, 'kind' | 'regNo'>,
  publicUrl: string,
  at: Instant,
): Promise<readonly Attachment[]> {
  if (event === null || regNo === null || !TICKET_KINDS.has(kind)) return []
  // An unpaid or cancelled registration has no ticket.
  if ((await store.registration(regNo))?.paymentStatus !== 'success') return []
  // Rendered at its natural size, ten pixels per module: any other width blurs the edges, takes longer and makes
  // the email larger.
  const image = await loadResvg().renderAsync(renderSVG(regNo, QR_CODE_OPTIONS))
  return [
    { filename: `${regNo}.png`, content: image.asPng(), contentType: 'image/png' },
    {
      filename: `${event.id}.ics`,
      content: createCalendarEntry(event, publicUrl, at),
      contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
    },
    ...(await buildDocumentAttachments(store, event, regNo)),
  ]
}

async function buildDocumentAttachments(
  store: Pick<Store, 'documents' | 'document' | 'acts'>,
  event: EventConfig,
  regNo: RegNo,
): Promise<readonly Attachment[]> {
  const attachments: Attachment[] = []
  for (const { id } of await listHolderDocuments(store, regNo)) {
    const body = await store.document(regNo, id)
    if (body !== null)
      attachments.push({
        filename: getFileName(body),
        content: await renderPdf(body, event),
        contentType: 'application/pdf',
      })
  }
  return attachments
}

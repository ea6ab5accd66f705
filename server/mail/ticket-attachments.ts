/**
 * Creates a ticket email's attachments: registration number as a QR code, calendar entry, documents.
 */
import type * as Resvg from '@resvg/resvg-js'
import { renderSVG } from 'uqr'
import { QR_CODE_OPTIONS } from '../../engine/messages.ts'
import type { EventConfig, Instant, RegNo } from '../../engine/index.ts'
import { fileOf } from '../documents/document-contents.ts'
import { ownDocuments } from '../documents/documents-after-transfer.ts'
import { pdfOf } from '../documents/render-pdf.ts'
import { calendarOf } from '../events/calendar-entry.ts'
import { later } from '../ops/lazy-import.ts'
import type { QueuedMail, Store } from '../storage/index.ts'

const pictures = later<typeof Resvg>('@resvg/resvg-js')

export type Attachment = {
  readonly filename: string
  readonly content: Buffer | string
  readonly contentType: string
}

/** Emails of these kinds are tickets. */
const TICKETS: ReadonlySet<QueuedMail['kind']> = new Set(['confirmation', 'again', 'asked'])
/**
 * `event` null: its file was removed, and the email has no attachments. Throws if a document cannot be rendered.
 */
export async function attachmentsOf(
  store: Pick<Store, 'documents' | 'document' | 'acts' | 'registration'>,
  event: EventConfig | null,
  { kind, regNo }: Pick<QueuedMail, 'kind' | 'regNo'>,
  publicUrl: string,
  at: Instant,
): Promise<readonly Attachment[]> {
  if (event === null || regNo === null || !TICKETS.has(kind)) return []
  // An unpaid or cancelled registration has no ticket.
  if ((await store.registration(regNo))?.paymentStatus !== 'success') return []
  // Rendered at its natural size, ten pixels per module: any other width blurs the edges, takes longer and makes
  // the email larger.
  const image = await pictures().renderAsync(renderSVG(regNo, QR_CODE_OPTIONS))
  return [
    { filename: `${regNo}.png`, content: image.asPng(), contentType: 'image/png' },
    {
      filename: `${event.id}.ics`,
      content: calendarOf(event, publicUrl, at),
      contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
    },
    ...(await documentsOf(store, event, regNo)),
  ]
}

async function documentsOf(
  store: Pick<Store, 'documents' | 'document' | 'acts'>,
  event: EventConfig,
  regNo: RegNo,
): Promise<readonly Attachment[]> {
  const attached: Attachment[] = []
  for (const { id } of await ownDocuments(store, regNo)) {
    const body = await store.document(regNo, id)
    if (body !== null)
      attached.push({
        filename: fileOf(body),
        content: await pdfOf(body, event),
        contentType: 'application/pdf',
      })
  }
  return attached
}

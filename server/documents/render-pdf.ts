/** Renders a document as PDF in the background process. */
import { assert, type DocumentBody, type Instant } from '../../engine/index.ts'
import { runInBackground } from '../background/background-process.ts'
import { formatDocument } from './document-contents.ts'
import type { PrintedDocument } from './document-contents.ts'
import type { PrintedEvidence } from './evidence-contents.ts'

/**
 * Returns a PDF of a document's frozen data; the same data gives the same bytes. `event` is as in `formatDocument`.
 * Throws if rendering fails.
 */
export const renderPdf = (body: DocumentBody, event: object | null = null): Promise<Buffer> =>
  renderInBackground(formatDocument(body, event), body.at)

/** Renders the evidence for a disputed payment. */
export const renderEvidence = (evidence: PrintedEvidence, at: Instant): Promise<Buffer> =>
  renderInBackground(evidence, at)

async function renderInBackground(
  document: PrintedDocument | PrintedEvidence,
  at: Instant,
): Promise<Buffer> {
  const result = await runInBackground({ task: 'pdf', document, at })
  const error = 'error' in result ? result.error : result.is
  assert(result.is === 'pdf', `a document was not rendered: ${error}`)
  return Buffer.from(result.base64, 'base64')
}

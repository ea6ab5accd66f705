/** Renders a document as PDF in the background process. */
import { assert, type DocumentBody } from '../../engine/index.ts'
import { runInBackground } from '../background/background-process.ts'
import { formatDocument } from './document-contents.ts'

/**
 * Returns the PDF of a document's frozen data; the same data gives the same bytes. `event`: as in `formatDocument`.
 * Throws if rendering fails.
 */
export async function renderPdf(body: DocumentBody, event: object | null = null): Promise<Buffer> {
  const result = await runInBackground({
    task: 'pdf',
    document: formatDocument(body, event),
    at: body.at,
  })
  const error = 'error' in result ? result.error : result.is
  assert(result.is === 'pdf', `a document was not rendered: ${error}`)
  return Buffer.from(result.base64, 'base64')
}

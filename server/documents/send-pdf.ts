/** Sends one of a registration's documents as a file. */
import { SERVER_MESSAGES } from '../../engine/messages.ts'
import type { FastifyReply } from 'fastify'
import type { RegNo } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { sendError } from '../http/error-response.ts'
import { getFileName } from './document-contents.ts'
import { renderPdf } from './render-pdf.ts'

/** Sends a document as PDF, or 404 if the registration has no document with this number. */
export async function sendDocument(
  deps: Deps,
  reply: FastifyReply,
  regNo: RegNo,
  params: unknown,
): Promise<FastifyReply> {
  const { id = '' } = params as { readonly id?: string }
  const body = /^[1-9]\d{0,14}$/.test(id) ? await deps.store.document(regNo, Number(id)) : null
  return body === null
    ? sendError(reply, 404, 'not_found', SERVER_MESSAGES.selfService.noDocument)
    : reply
        .header('content-type', 'application/pdf')
        .header('content-disposition', `attachment; filename="${getFileName(body)}"`)
        .send(await renderPdf(body, deps.events.findById(body.event.id)?.config ?? null))
}

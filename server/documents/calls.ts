/** The office's calls for documents: which there are of a registration, and one of them as PDF. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isoIndia, rupees } from '../../engine/index.ts'
import type { DocumentsAnswer } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { registrationAsked } from '../office/asked.ts'
import type { StoredRegistration } from '../store/store.ts'
import { sendDocument } from './reply.ts'

export function documentRoutes(
  app: FastifyInstance,
  deps: Deps,
  paths: (path: string) => readonly string[],
): void {
  const find = async (
    request: FastifyRequest,
    reply: FastifyReply,
    what: string,
  ): Promise<StoredRegistration | null> => {
    const asked = await registrationAsked(deps, request, reply)
    if (asked === null) return null
    const { admin, registration } = asked
    await deps.store.audit({
      at: deps.clock(),
      who: admin.username,
      what,
      eventId: registration.eventId,
      regNo: registration.regNo,
      look: 'documents',
    })
    reply.header('cache-control', 'no-store')
    return registration
  }

  const list = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const registration = await find(request, reply, 'saw the documents')
    if (registration === null) return reply
    const documents = await deps.store.documents(registration.regNo)
    const answer: DocumentsAnswer = {
      status: 'success',
      documents: documents.map(({ id, kind, serial, at, total }) => ({
        id,
        kind,
        serial,
        at: isoIndia(at),
        total: rupees(total),
      })),
    }
    return reply.send(answer)
  }
  const one = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const registration = await find(request, reply, 'opened a document')
    if (registration === null) return reply
    return sendDocument(deps, reply, registration.regNo, request.params)
  }
  const may = { config: { office: { least: 'viewer', about: 'registration' } } } as const
  for (const path of paths('/admin/registrations/:reg_no/documents')) app.get(path, may, list)
  for (const path of paths('/admin/registrations/:reg_no/documents/:id')) app.get(path, may, one)
}

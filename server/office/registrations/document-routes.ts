/** Serves a registration's documents to staff: the list, and each as PDF. */
import { toWireCurrency } from '../../../engine/api.ts'
import type { FastifyReply } from 'fastify'
import { getDocumentTitle, formatIsoIndia, toMajorUnits } from '../../../engine/index.ts'
import type { DocumentsResponse } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { formatEvidence } from '../../documents/evidence-contents.ts'
import { renderEvidence } from '../../documents/render-pdf.ts'
import { sendDocument } from '../../documents/send-pdf.ts'

export function addDocumentRoutes(office: OfficeRoutes, deps: Deps): void {
  const recordView = async (
    { user, target: registration }: Pick<Call<'stored registration'>, 'user' | 'target'>,
    description: string,
  ): Promise<void> => {
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: description,
      eventId: registration.eventId,
      regNo: registration.regNo,
      look: 'documents',
    })
  }

  const sendDocumentList = async (
    call: Call<'stored registration'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    await recordView(call, 'viewed the documents')
    const documents = await deps.store.documents(call.target.regNo)
    const response: DocumentsResponse = {
      status: 'success',
      documents: documents.map(({ id, kind, form, serial, at, total, currency }) => ({
        id,
        kind,
        title: getDocumentTitle({ kind, form }),
        serial,
        at: formatIsoIndia(at),
        total: toMajorUnits(total, currency),
        ...toWireCurrency(currency),
      })),
    }
    return reply.header('cache-control', 'no-store').send(response)
  }
  const sendDocumentFile = async (
    call: Call<'stored registration', never, never, 'id'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    await recordView(call, 'opened a document')
    reply.header('cache-control', 'no-store')
    return sendDocument(deps, reply, call.target.regNo, call.params)
  }
  const sendEvidence = async (
    { user, target }: Call<'registration'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { registration } = target
    const { regNo } = registration
    const { store } = deps
    const at = deps.clock()
    await store.addAuditEntry({
      at,
      who: user.username,
      what: 'downloaded the evidence for a dispute',
      eventId: registration.eventId,
      regNo,
    })
    const [disputes, captures, refunds, audit, emails, listedDocuments] = await Promise.all([
      store.disputesOf(regNo),
      store.captures(regNo),
      store.refunds(regNo),
      store.auditOf(regNo),
      store.emailsOfRegistration(regNo),
      store.documents(regNo),
    ])
    const documents = await Promise.all(listedDocuments.map(({ id }) => store.document(regNo, id)))
    const evidence = formatEvidence({
      event: target.served.config,
      registration,
      disputes,
      captures,
      refunds,
      audit,
      emails,
      documents: documents.filter((body) => body !== null),
      at,
    })
    return reply
      .header('cache-control', 'no-store')
      .header('content-type', 'application/pdf')
      .header('content-disposition', `attachment; filename="Evidence-${regNo}.pdf"`)
      .send(await renderEvidence(evidence, at))
  }
  const rule = { minRole: 'viewer', target: 'stored registration' } as const
  office.get(
    '/admin/registrations/:reg_no/evidence',
    { minRole: 'treasurer', target: 'registration' },
    sendEvidence,
  )
  office.get('/admin/registrations/:reg_no/documents', rule, sendDocumentList)
  office.get(
    '/admin/registrations/:reg_no/documents/:id',
    { ...rule, params: ['id'] },
    sendDocumentFile,
  )
}

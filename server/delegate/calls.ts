/** The calls of a delegate's own page: what it shows, and the documents it leads to. The link is the proof; there is no cookie. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { fileOf } from '../documents/facts.ts'
import { pdfOf } from '../documents/pdf.ts'
import { addressOf, limitByAddress } from '../http/limit.ts'
import type { Allowance } from '../http/limit.ts'
import { refuse } from '../http/refuse.ts'
import type { LookupGuard } from '../registering/lookup.ts'
import { linked, LINK_UNKNOWN } from '../registering/own-link.ts'
import type { Linked } from '../registering/own-link.ts'
import { myAnswer } from './view.ts'

/** The page looks again by itself while a payment is on its way. */
const LOOKS_PER_ADDRESS: Allowance = { triesMax: 120, windowMs: 60_000 }
/** A document is drawn for each download, which costs a tenth of a second. */
const DOCUMENTS_PER_ADDRESS: Allowance = { triesMax: 30, windowMs: 60_000 }

type Limited = (request: FastifyRequest, reply: FastifyReply) => boolean
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export function delegateCalls(app: FastifyInstance, deps: Deps, guard: LookupGuard): void {
  /** A call for whoever has the link; what is not there is answered here. */
  const withLink =
    (
      isTooOften: Limited,
      answer: (
        found: Linked,
        request: FastifyRequest,
        reply: FastifyReply,
      ) => Promise<FastifyReply>,
    ): Handler =>
    async (request, reply) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      if (isTooOften(request, reply)) return reply
      const { token } = request.params as { readonly token: string }
      const found = await linked(deps, token)
      if (found === null || found.isExpired) return refuse(reply, 404, 'link_unknown', LINK_UNKNOWN)
      guard.know(addressOf(request), found.served.config.id, found.registration.regNo)
      return answer(found, request, reply)
    }

  const show = withLink(limitByAddress(deps, LOOKS_PER_ADDRESS), async (found, _request, reply) =>
    reply.send(await myAnswer(deps, found)),
  )
  const document = withLink(
    limitByAddress(deps, DOCUMENTS_PER_ADDRESS),
    async ({ registration }, request, reply) => {
      const { id = '' } = request.params as { readonly id?: string }
      const body = /^[1-9]\d{0,14}$/.test(id)
        ? await deps.store.document(registration.regNo, Number(id))
        : null
      return body === null
        ? refuse(reply, 404, 'not_found', 'This registration has no such document.')
        : reply
            .header('content-type', 'application/pdf')
            .header('content-disposition', `attachment; filename="${fileOf(body)}"`)
            .send(await pdfOf(body))
    },
  )

  for (const slash of ['', '/']) {
    app.get(`/api/my/:token${slash}`, show)
    app.get(`/api/my/:token/documents/:id${slash}`, document)
  }
}

/**
 * Serves the self-service page and its documents.
 * The link is the proof of identity; there is no cookie.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isActionName, methodFiles } from '../../engine/index.ts'
import { REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { ActionDoneAnswer } from '../../engine/api.ts'
import { onceOf, textIn } from '../registration/actions/action-input.ts'
import { sendDenial, inputOf } from '../office/registrations/action-routes.ts'
import { DELEGATE_DOERS } from './self-service-actions.ts'
import type { Deps } from '../dependencies.ts'
import { ownDocuments } from '../documents/documents-after-transfer.ts'
import { sendDocument } from '../documents/send-pdf.ts'
import { addressOf, limitByAddress } from '../http/rate-limit.ts'
import type { Allowance } from '../http/rate-limit.ts'
import { readBody } from '../http/request-body.ts'
import { partsRoutes } from '../http/event-route-table.ts'
import { refuse } from '../http/error-response.ts'
import type { LookupGuard } from '../registration/find-registration.ts'
import { linked, LINK_UNKNOWN } from '../registration/access-link.ts'
import type { Linked } from '../registration/access-link.ts'
import { keepProof } from '../registration/uploads/upload-routes.ts'
import { bodyRefused, sendRefusal } from '../registration/registration-errors.ts'
import { limitsOf } from '../registration/uploads/validate-uploads.ts'
import { lostLinkCall } from './lost-link.ts'
import { myAnswer } from './self-service-page.ts'

/** The page polls while a payment is in progress. */
const LOOKS_PER_ADDRESS: Allowance = { triesMax: 120, windowMs: 60_000 }
/** A document is generated for each download, which takes a tenth of a second. */
const DOCUMENTS_PER_ADDRESS: Allowance = { triesMax: 30, windowMs: 60_000 }

/** Nobody changes this much in a minute, even several delegates behind one address. */
const ACTS_PER_ADDRESS: Allowance = { triesMax: 20, windowMs: 60_000 }
/** Nobody uploads more; a script that fills the disk does. */
const FILES_PER_ADDRESS: Allowance = { triesMax: 20, windowMs: 10 * 60_000 }
/** Name of the delegate in the history, where users have their own names. */
const WHO = 'delegate'

type Limited = ReturnType<typeof limitByAddress>
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export async function delegateCalls(
  app: FastifyInstance,
  deps: Deps,
  guard: LookupGuard,
): Promise<void> {
  /** Defines a route for holders of the link; answers the request itself if the link leads nowhere. */
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
      if (await isTooOften(request, reply)) return reply
      const { token } = request.params as { readonly token: string }
      const found = await linked(deps, token)
      if (found === null || found.isExpired) return refuse(reply, 404, 'link_unknown', LINK_UNKNOWN)
      await guard.know(addressOf(request), found.served.config.id, found.registration.regNo)
      return answer(found, request, reply)
    }

  const show = withLink(limitByAddress(deps, LOOKS_PER_ADDRESS), async (found, _request, reply) =>
    reply.send(await myAnswer(deps, found)),
  )
  const document = withLink(
    limitByAddress(deps, DOCUMENTS_PER_ADDRESS),
    async ({ registration: { regNo } }, request, reply) => {
      const { id } = request.params as { readonly id: string }
      const isOwn = (await ownDocuments(deps.store, regNo)).some((one) => String(one.id) === id)
      return sendDocument(deps, reply, regNo, isOwn ? { id } : {})
    },
  )

  const act = withLink(
    limitByAddress(deps, ACTS_PER_ADDRESS),
    async ({ served, registration, isFromMail }, request, reply) => {
      const { act: named, why, ...words } = inputOf(request)
      const doer =
        typeof named === 'string' && isActionName(named) ? DELEGATE_DOERS[named] : undefined
      if (typeof named !== 'string' || !isActionName(named) || doer === undefined)
        return refuse(reply, 422, 'act_unknown', REFUSAL_MESSAGES.request.noAction)
      const { regNo } = registration
      // The person who filled in the form may be a stranger, and must not learn that this delegate is registered.
      if ((named === 'ask_refund' || named === 'withdraw_refund') && !isFromMail)
        return refuse(reply, 409, 'not_now', REFUSAL_MESSAGES.selfService.noRefundRequest)
      const once = onceOf({ ...words, why }, { who: WHO, regNo, act: named })
      if (!once.ok) return sendDenial(reply, once.error)
      const wanted = {
        regNo,
        act: named,
        actor: 'delegate',
        who: WHO,
        why: textIn({ why }, 'why'),
        at: deps.clock(),
        once: once.value,
      } as const
      const done = await doer({ deps, served, registration, wanted, words })
      if (!done.ok) return sendDenial(reply, done.error)
      const { message, state, repeated } = done.value
      const answer: ActionDoneAnswer = {
        status: 'success',
        message,
        reg_no: regNo,
        state,
        repeated,
      }
      return reply.send(answer)
    },
  )

  /** A file that an action names by its token, even when the form is closed. */
  const proof = withLink(
    limitByAddress(deps, FILES_PER_ADDRESS),
    async ({ served: { config } }, request, reply) => {
      const fields = [...config.fields, ...methodFiles(config)]
      const body = await readBody(request, limitsOf(fields), deps.uploads)
      if (!body.ok) return sendRefusal(reply, bodyRefused(config, body.error))
      const kept = await keepProof(deps, config, body.value, fields)
      return kept.ok ? reply.code(201).send(kept.value) : sendRefusal(reply, kept.error)
    },
  )

  lostLinkCall(app, deps)
  await partsRoutes(app, (scope) => {
    for (const slash of ['', '/']) scope.post(`/api/my/:token/proofs${slash}`, proof)
  })
  for (const slash of ['', '/']) {
    app.get(`/api/my/:token${slash}`, show)
    app.get(`/api/my/:token/documents/:id${slash}`, document)
    app.post(`/api/my/:token/acts${slash}`, act)
  }
}

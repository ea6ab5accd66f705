/**
 * Serves the self-service page and its documents. The link is the proof of identity. The form's cookie
 * (browser-cookie.ts) gives no access here; it only permits a request to refund a second payment.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listMethodFiles } from '../../engine/index.ts'
import { getActionParameters } from '../office/registrations/action-routes.ts'
import {
  applyDelegateAction,
  isAboutRefund,
  refuseRefundRequest,
  refuseUnknownAction,
} from './self-service-actions.ts'
import type { Deps } from '../dependencies.ts'
import { listHolderDocuments } from '../documents/documents-after-transfer.ts'
import { sendDocument } from '../documents/send-pdf.ts'
import { getAddressKey, createAddressLimit } from '../http/rate-limit.ts'
import type { Allowance } from '../http/rate-limit.ts'
import { readBody } from '../http/request-body.ts'
import { addMultipartRoutes } from '../http/event-route-table.ts'
import type { LookupGuard } from '../registration/find-registration.ts'
import { isFromOwnPage, recordBrowserOfLink } from '../http/browser-cookie.ts'
import { findSecondPaymentForBrowser } from '../payments/describe-duplicate-payment.ts'
import { resolveLink, UNKNOWN_LINK } from '../registration/access-link.ts'
import type { ResolvedLink } from '../registration/access-link.ts'
import { storeDraft } from '../registration/uploads/upload-routes.ts'
import { refuseBody, sendRefusal } from '../registration/registration-errors.ts'
import { buildFileLimits } from '../registration/uploads/validate-uploads.ts'
import { addLostLinkRoute } from './lost-link.ts'
import { buildSelfServicePage } from './self-service-page.ts'

/** Allows for pages that poll while a payment is in progress. */
const VIEWS_PER_ADDRESS: Allowance = { maxAttempts: 120, windowMs: 60_000 }
/** Each download generates the document, which takes a tenth of a second. */
const DOCUMENTS_PER_ADDRESS: Allowance = { maxAttempts: 30, windowMs: 60_000 }

/** Even several delegates behind one address make fewer changes in a minute. */
const ACTIONS_PER_ADDRESS: Allowance = { maxAttempts: 20, windowMs: 60_000 }
/** Delegates upload fewer files. A script that fills the disk exceeds this limit. */
const FILES_PER_ADDRESS: Allowance = { maxAttempts: 20, windowMs: 10 * 60_000 }

type AddressLimit = ReturnType<typeof createAddressLimit>
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export async function addSelfServiceRoutes(
  app: FastifyInstance,
  deps: Deps,
  guard: LookupGuard,
): Promise<void> {
  /** Wraps a handler for holders of a link; sends an error if the link is unknown or has expired. */
  const withLink =
    (
      isRateLimited: AddressLimit,
      handle: (
        link: ResolvedLink,
        request: FastifyRequest,
        reply: FastifyReply,
      ) => Promise<FastifyReply>,
    ): Handler =>
    async (request, reply) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      if (await isRateLimited(request, reply)) return reply
      const { token } = request.params as { readonly token: string }
      const link = await resolveLink(deps, token)
      if (link === null || link.isExpired) return sendRefusal(reply, UNKNOWN_LINK)
      await guard.addKnown(getAddressKey(request), link.served.config.id, link.registration.regNo)
      return handle(link, request, reply)
    }

  const handlePage = withLink(
    createAddressLimit(deps, VIEWS_PER_ADDRESS),
    async (link, request, reply) => {
      const { served, registration, isFromMail } = link
      if (isFromMail && request.headers['sec-fetch-site'] === 'same-origin')
        await recordBrowserOfLink(deps, served.config, registration.regNo, request, reply)
      return reply.send(await buildSelfServicePage(deps, link))
    },
  )
  const handleDocument = withLink(
    createAddressLimit(deps, DOCUMENTS_PER_ADDRESS),
    async ({ registration: { regNo } }, request, reply) => {
      const { id } = request.params as { readonly id: string }
      const isAvailable = (await listHolderDocuments(deps.store, regNo)).some(
        (document) => String(document.id) === id,
      )
      return sendDocument(deps, reply, regNo, isAvailable ? { id } : {})
    },
  )

  const handleAction = withLink(
    createAddressLimit(deps, ACTIONS_PER_ADDRESS),
    async ({ isFromMail, ...link }, request, reply) => {
      const { act: actionName } = getActionParameters(request)
      // Someone else may have filled in the form; they must not learn that this delegate is registered.
      if (isAboutRefund(actionName) && !isFromMail) return refuseRefundRequest(reply)
      return applyDelegateAction(deps, link, request, reply)
    },
  )

  /** Stores a file for a later action, which refers to it by its token. This works even when the form is closed. */
  const handleUpload = withLink(
    createAddressLimit(deps, FILES_PER_ADDRESS),
    async ({ served: { config }, registration: { regNo }, sender }, request, reply) => {
      const fields = [...config.fields, ...listMethodFiles(config)]
      const body = await readBody(request, buildFileLimits(fields), deps.uploads)
      if (!body.ok) return sendRefusal(reply, refuseBody(config, body.error))
      const draft = await storeDraft(deps, config, body.value, fields, { regNo, link: sender })
      return draft.ok ? reply.code(201).send(draft.value) : sendRefusal(reply, draft.error)
    },
  )

  /**
   * Handles the refund request of the success page. The proof is the cookie of the browser that made or opened both
   * registrations. The request must come from our own page, because a page on another subdomain would send the cookie
   * too. Every other request gets the same response, whether or not the registration exists.
   */
  const isRefundRequestLimited = createAddressLimit(deps, ACTIONS_PER_ADDRESS)
  const handleRefundRequest: Handler = async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (await isRefundRequestLimited(request, reply)) return reply
    if (!isAboutRefund(getActionParameters(request).act)) return refuseUnknownAction(reply)
    const { id, number } = request.params as { readonly id: string; readonly number: string }
    const served = deps.events.findById(id)
    const registration = served === null ? null : await deps.store.registration(number)
    return served !== null &&
      registration !== null &&
      isFromOwnPage(request) &&
      (await findSecondPaymentForBrowser(deps, served.config, registration, request)) !== null
      ? applyDelegateAction(deps, { served, registration, sender: null }, request, reply)
      : refuseRefundRequest(reply)
  }

  addLostLinkRoute(app, deps)
  await addMultipartRoutes(app, (scope) => {
    for (const slash of ['', '/']) scope.post(`/api/my/:token/proofs${slash}`, handleUpload)
  })
  for (const slash of ['', '/']) {
    app.get(`/api/my/:token${slash}`, handlePage)
    app.get(`/api/my/:token/documents/:id${slash}`, handleDocument)
    app.post(`/api/my/:token/acts${slash}`, handleAction)
    app.post(`/api/events/:id/registrations/:number/acts${slash}`, handleRefundRequest)
  }
}

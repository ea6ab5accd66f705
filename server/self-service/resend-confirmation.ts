/** Resends the confirmation to the delegate's own address, on request from the registration's page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formatMessage, buildConfirmationEmail, SERVER_MESSAGES } from '../../engine/messages.ts'
import type { Deps } from '../dependencies.ts'
import { getAddressKey, createAddressLimit, sendTooMany } from '../http/rate-limit.ts'
import type { Allowance } from '../http/rate-limit.ts'
import { sendError } from '../http/error-response.ts'
import { rejectNonText } from '../http/text-only-json.ts'
import type { MailSpacing } from '../storage/index.ts'
import {
  findRegistration,
  isGuessableNumber,
  isDelegateEmail,
} from '../registration/find-registration.ts'
import type { LookupGuard } from '../registration/find-registration.ts'
import { buildRegistrationView } from '../registration/registration-views.ts'
import { readHolderRegistration } from '../registration/answers-after-transfer.ts'

/** Several delegates behind one address may have lost emails. The limit slows down scripts. */
const REQUESTS_PER_ADDRESS: Allowance = { maxAttempts: 10, windowMs: 10 * 60_000 }
/** An email takes a moment to arrive. A delegate who cannot find any of five emails needs the organisers' help. */
const EMAIL_SPACING: MailSpacing = { minIntervalMs: 2 * 60_000, maxEmails: 5 }

const NOT_FOUND = SERVER_MESSAGES.notFound

/**
 * Adds the route. A visitor who has the number can already read the registration, so the response reveals nothing new.
 * The email goes only to the stored address.
 */
export async function addConfirmationRoute(
  app: FastifyInstance,
  deps: Deps,
  guard: LookupGuard,
): Promise<void> {
  const isRateLimited = createAddressLimit(deps, REQUESTS_PER_ADDRESS)

  const handleRequest = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
    if (await isRateLimited(request, reply)) return reply
    if (rejectNonText(reply, request.body, ['order_id', 'email'])) return reply
    const { order_id: orderId, email } = readFields(request.body)
    const address = getAddressKey(request)
    const event = deps.events.findByOrderId(orderId)?.config ?? null
    const waitMs = await guard.wait(address, event?.id ?? '', orderId)
    if (waitMs > 0) return sendTooMany(reply, waitMs)
    const registration = event === null ? null : await findRegistration(deps, event, orderId)
    if (
      event === null ||
      registration === null ||
      (isGuessableNumber(registration, orderId) && !isDelegateEmail(event, registration, email))
    ) {
      const waitAfterCountMs = await guard.count(address, event?.id ?? '', orderId)
      if (waitAfterCountMs > 0) return sendTooMany(reply, waitAfterCountMs)
      return sendError(reply, 404, 'not_found', NOT_FOUND)
    }
    const waitAfterAdmitMs = await guard.admit(address, event.id, registration.regNo, orderId)
    if (waitAfterAdmitMs > 0) return sendTooMany(reply, waitAfterAdmitMs)
    const at = deps.clock()
    const confirmation =
      registration.paymentStatus === 'success'
        ? buildConfirmationEmail(
            event,
            buildRegistrationView(
              event,
              await readHolderRegistration(deps.store, event, registration),
              at,
            ),
          )
        : null
    if (confirmation === null)
      return sendError(reply, 409, 'no_mail', SERVER_MESSAGES.confirmation.none)
    return (await deps.store.queueConfirmationAgain(
      registration.regNo,
      confirmation,
      at,
      EMAIL_SPACING,
    ))
      ? reply.send({ status: 'success' })
      : sendError(
          reply,
          409,
          'sent_already',
          formatMessage(SERVER_MESSAGES.confirmation.sentAlready, { support: event.support }),
        )
  }

  for (const slash of ['', '/']) app.post(`/api/payment/confirmation${slash}`, handleRequest)
}

function readFields(body: unknown): { readonly order_id: string; readonly email: string } {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const readText = (name: string): string => {
    const value = Object.hasOwn(fields, name) ? fields[name] : ''
    return typeof value === 'string' ? value.trim() : ''
  }
  return { order_id: readText('order_id'), email: readText('email') }
}

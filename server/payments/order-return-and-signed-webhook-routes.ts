/** Receives messages from gateways that use a return URL for each order and sign their webhooks. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isGatewayKind } from '../../engine/index.ts'
import type { OrderId } from '../../engine/index.ts'
import { sendError, getErrorForStatus } from '../http/error-response.ts'
import { getAddressKey, sendTooMany } from '../http/rate-limit.ts'
import type { Deps, GatewayMessage } from '../dependencies.ts'
import type { Message } from './gateway-message-limits.ts'
import { keepBodiesUnparsed, readMessage } from './gateway-message-body.ts'
import {
  buildLookupUrl,
  lookUpClaim,
  processReturn,
  acceptWebhook,
  sendNotStored,
} from './gateway-message-routes.ts'
import type { CheckedMessage, MessageRoutes, RouteContext } from './gateway-message-routes.ts'
import { readFields } from './gateways/message-fields.ts'
import { BACKGROUND_QUERY_TIMEOUT_MS } from './gateways/request-timeouts.ts'
import { ORDER_RETURN_PATH, WEBHOOK_PATH, getWebhookEventPrefix } from './gateways/message-paths.ts'
import { getGatewayDefinition } from './gateways/registry.ts'
import { UNKNOWN_PAYMENT_PAGE } from '../pages/page-routes.ts'

export async function addOrderReturnRoutes(
  app: FastifyInstance,
  { context, countMessage }: MessageRoutes,
): Promise<void> {
  await app.register(async (scope) => {
    keepBodiesUnparsed(scope)
    for (const slash of ['/', '']) {
      scope.route({
        method: ['GET', 'POST'],
        url: `${ORDER_RETURN_PATH}:orderId${slash}`,
        handler: async (request, reply) => {
          const { orderId } = request.params as { readonly orderId: string }
          return handleOrderReturn(context, request, reply, orderId, countMessage)
        },
      })
      scope.post(`${WEBHOOK_PATH}:gateway${slash}`, async (request, reply) => {
        const { gateway } = request.params as { readonly gateway: string }
        const waitMs = await countMessage(request)
        return waitMs > 0
          ? sendTooMany(reply, waitMs)
          : handleSignedWebhook(context, request, reply, gateway)
      })
    }
  })
}

/** Handles a return. The response is a page, as for every return, and only our own query changes the payment. */
async function handleOrderReturn(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  orderId: string,
  countMessage: (request: FastifyRequest) => Promise<number>,
): Promise<unknown> {
  const { deps } = context
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  const event = deps.events.findByOrderId(orderId)
  const fallback = event === null ? UNKNOWN_PAYMENT_PAGE : buildLookupUrl(event.config, orderId)
  const messageText = await readMessage(request)
  if (messageText === null || (await countMessage(request)) > 0)
    return reply.redirect(fallback, 303)
  const { body, contentType } = messageText
  try {
    const fields = readFields(body, contentType) ?? {}
    const { sender = null, parsed = null } =
      event === null || event.config.payment === null
        ? {}
        : await deps.gateway.readReturn(event.config, orderId as OrderId, fields)
    const message: Message = { kind: 'return', orderId, body, contentType, sender }
    const checkedMessage = await checkOrder(
      deps,
      message,
      parsed?.ok === true ? parsed.value : null,
    )
    return await processReturn(context, request, reply, checkedMessage)
  } catch (error) {
    deps.log.error(
      { id: request.id, error: String(error) },
      'a browser return could not be processed',
    )
    return reply.redirect(fallback, 303)
  }
}

async function checkOrder(
  deps: Deps,
  message: Message,
  parsed: GatewayMessage | null,
): Promise<CheckedMessage> {
  const orderId = message.orderId ?? ''
  const registration = await deps.store.registrationByOrder(orderId)
  const payment = registration?.payments.find((attempt) => attempt.orderId === orderId) ?? null
  if (payment !== null && parsed?.hash === 'wrong')
    deps.log.warn({ hash: 'wrong' }, 'the signature of a gateway message does not match')
  const event =
    payment === null ? deps.events.findByOrderId(orderId) : deps.events.findById(payment.eventId)
  return {
    message,
    fields: null,
    problem: payment === null ? 'unknown_order' : null,
    registration,
    payment,
    event: event?.config ?? null,
    claimsPayment: parsed?.claimsPayment ?? false,
  }
}

/**
 * Handles a signed webhook, which only starts our own status query. The response is 200 as soon as the webhook is
 * stored, because the gateway stops sending webhooks after a day of other responses.
 */
async function handleSignedWebhook(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  sender: string,
): Promise<unknown> {
  const { deps, messageStore, guard } = context
  const headers = isGatewayKind(sender) ? getGatewayDefinition(sender).signedWebhook : undefined
  if (!isGatewayKind(sender) || headers === undefined) return reply.callNotFound()
  const webhookText = await readMessage(request)
  if (webhookText === null)
    return sendError(reply, 413, getErrorForStatus(413).code, getErrorForStatus(413).message)
  const { body, contentType, bytes = Buffer.alloc(0) } = webhookText
  const { signatureHeader, eventIdHeader = '' } = headers
  const webhook = await deps.gateway.readWebhook(sender, {
    bytes,
    signature: getHeader(request, signatureHeader),
    eventId: getHeader(request, eventIdHeader),
  })
  const orderId = webhook.is === 'order' ? webhook.message.orderId : null
  const message: Message = { kind: 'notice', orderId, body, contentType, sender }
  if (webhook.is === 'unsigned' || webhook.is === 'unreadable') {
    await messageStore.storeRejected(message)
    await guard.count(getAddressKey(request), '', '')
    deps.log.warn({ is: webhook.is }, 'a webhook was rejected')
    return sendError(reply, 400, 'signature', 'The signature of this webhook does not match.')
  }
  const eventId = webhook.eventId === '' ? '' : `${getWebhookEventPrefix(sender)}${webhook.eventId}`
  if (eventId !== '' && (await deps.store.isWebhookProcessed(eventId)))
    return reply.send({ status: 'success' })
  const respond = async (): Promise<FastifyReply> => {
    if (eventId !== '') await deps.store.recordWebhookEvent(eventId, deps.clock())
    return reply.send({ status: 'success' })
  }
  // Another program of the same merchant may create orders too.
  if (webhook.is !== 'order') return respond()
  const checkedMessage = await checkOrder(deps, message, webhook.message)
  if (checkedMessage.payment === null) {
    await lookUpClaim(context, checkedMessage, BACKGROUND_QUERY_TIMEOUT_MS)
    return respond()
  }
  const { disputeId } = webhook
  if (
    disputeId !== undefined &&
    !(await recordDispute(deps, disputeId, checkedMessage.payment.orderId))
  )
    return sendNotStored(reply)
  if (!(await acceptWebhook(context, checkedMessage))) return sendNotStored(reply)
  return respond()
}

/**
 * Stores a dispute before the response, so that polling queries it even if this process dies. Returns false if it
 * could not be stored.
 */
async function recordDispute(deps: Deps, disputeId: string, orderId: OrderId): Promise<boolean> {
  try {
    if (await deps.store.addDispute(disputeId, orderId, deps.clock()))
      deps.payments.queryDispute({ disputeId, orderId })
    return true
  } catch (error) {
    deps.log.error({ error: String(error) }, 'a dispute could not be stored')
    return false
  }
}

function getHeader(request: FastifyRequest, name: string): string {
  const value = request.headers[name]
  return typeof value === 'string' ? value.slice(0, MAX_HEADER_CHARACTERS) : ''
}
/** An RSA signature of 4096 bits has 684 characters in Base64; others, and event ids, are shorter. */
const MAX_HEADER_CHARACTERS = 1000

/** Receives gateway messages: the browser's return and the webhook. */
import { toWireCurrency } from '../../engine/api.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formatPlainAmount, assertNever, isOpen, formatIsoIndia } from '../../engine/index.ts'
import type { EventConfig, Instant, OrderId } from '../../engine/index.ts'
import { sendError, getErrorForStatus } from '../http/error-response.ts'
import type { EventRoute } from '../http/event-route-table.ts'
import type { InvalidGatewayMessage, Deps, ParsedMessage } from '../dependencies.ts'
import { readFields } from './gateways/message-fields.ts'
import type { Fields } from './gateways/message-fields.ts'
import { WEBHOOK_PATH, DEFAULT_RETURN_PATH } from './gateways/message-paths.ts'
import { BACKGROUND_QUERY_TIMEOUT_MS, PAGE_QUERY_TIMEOUT_MS } from './gateways/request-timeouts.ts'
import { getAddressKey, openLimit, sendTooMany } from '../http/rate-limit.ts'
import type { Allowance, RateLimit } from '../http/rate-limit.ts'
import { openMessageStore } from './gateway-message-limits.ts'
import type { MessageStore, Message } from './gateway-message-limits.ts'
import { waitAtMost } from '../ops/clock.ts'
import { keepBodiesUnparsed, readMessage } from './gateway-message-body.ts'
import type { MessageText } from './gateway-message-body.ts'
import type { LookupGuard } from '../registration/find-registration.ts'
import { UNKNOWN_PAYMENT_PAGE } from '../pages/page-routes.ts'
import type { StoredPayment, StoredRegistration } from '../storage/index.ts'

/**
 * Many delegates behind one address may pay at the same time, and gateways repeat messages. More messages indicate an
 * attack.
 */
const MESSAGES_PER_ADDRESS: Allowance = { maxAttempts: 600, windowMs: 60_000 }

/**
 * The limit for queries about orders that are not in the database, for all senders together. A gateway causes fewer,
 * even in the minutes after a restore.
 */
const UNKNOWN_ORDER_QUERIES: Allowance = { maxAttempts: 30, windowMs: 60_000 }

/** Dependencies that both routes share. */
export type RouteContext = {
  readonly deps: Deps
  readonly guard: LookupGuard
  readonly messageStore: MessageStore
  /** Limits queries about orders that are not in the database: any client can invent order ids. */
  readonly unknownOrderQueries: RateLimit
}

export async function addGatewayMessageRoutes(
  app: FastifyInstance,
  deps: Deps,
  guard: LookupGuard,
): Promise<MessageRoutes> {
  const context: RouteContext = {
    deps,
    guard,
    messageStore: openMessageStore(deps),
    unknownOrderQueries: openLimit(deps, UNKNOWN_ORDER_QUERIES),
  }
  const messageLimit = openLimit(deps, MESSAGES_PER_ADDRESS)
  /** Counts the request. Returns the milliseconds to wait if there were too many requests, otherwise 0. */
  const countMessage = async (request: FastifyRequest): Promise<number> =>
    messageLimit.take(getAddressKey(request), deps.clock())

  /** A delegate who returns may just have paid, so this route always responds with a page. */
  const handleReturn: EventRoute['handle'] = async (request, reply) => {
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
    const message = await readMessage(request)
    if ((await countMessage(request)) > 0)
      return reply.redirect(chooseFallbackAddress(deps, message), 303)
    try {
      if (message === null || message.body === '') return reply.redirect(UNKNOWN_PAYMENT_PAGE, 303)
      const checkedMessage = await checkMessage(deps, 'return', message)
      return await processReturn(context, request, reply, checkedMessage)
    } catch (error) {
      deps.log.error(
        { id: request.id, error: String(error) },
        'a browser return could not be processed',
      )
      return reply.redirect(chooseFallbackAddress(deps, message), 303)
    }
  }
  app.eventRoutes.add(({ config }) => {
    const path = config.api.gatewayReturn
    return path === null
      ? []
      : (['POST', 'GET'] as const).map((method) => ({ method, path, handle: handleReturn }))
  })

  await app.register(async (scope) => {
    keepBodiesUnparsed(scope)
    for (const slash of [true, false]) {
      const addSlash = (path: string): string => (slash ? path : path.slice(0, -1))
      scope.route({
        method: ['GET', 'POST'],
        url: addSlash(DEFAULT_RETURN_PATH),
        handler: (request, reply) => handleReturn(request, reply, {}),
      })
      scope.post(addSlash(WEBHOOK_PATH), async (request, reply) => {
        const waitMs = await countMessage(request)
        return waitMs > 0 ? sendTooMany(reply, waitMs) : handleWebhook(context, request, reply)
      })
    }
  })
  return { context, countMessage }
}

/** Also used by the routes that receive other gateways' messages. */
export type MessageRoutes = {
  readonly context: RouteContext
  readonly countMessage: (request: FastifyRequest) => Promise<number>
}

/** A checked message with its payment and event. Both are null if the message belongs to no payment. */
export type CheckedMessage = {
  readonly message: Message
  readonly fields: Fields | null
  readonly problem: InvalidGatewayMessage['code'] | null
  readonly registration: StoredRegistration | null
  readonly payment: StoredPayment | null
  readonly event: EventConfig | null
  readonly claimsPayment: boolean
}

async function checkMessage(
  deps: Deps,
  kind: Message['kind'],
  messageText: MessageText,
): Promise<CheckedMessage> {
  const fields = readFields(messageText.body, messageText.contentType)
  const { sender, parsed } =
    fields === null ? { sender: null, parsed: null } : deps.gateway.readReturnOrWebhook(fields)
  const orderId = parsed === null ? null : getOrder(parsed)
  // An order remains ours even if its event is no longer served or no longer takes payments.
  const isUnserved = parsed?.ok === false && parsed.error.code === 'unknown_order'
  const knownOrderId = parsed?.ok === true ? parsed.value.orderId : isUnserved ? orderId : null
  const registration =
    knownOrderId === null ? null : await deps.store.registrationByOrder(knownOrderId)
  const payment = registration?.payments.find((attempt) => attempt.orderId === knownOrderId) ?? null
  // A hash that never matches suggests that the account or protocol differs from our settings. The message is processed
  // anyway.
  if (payment !== null && parsed?.ok === true && parsed.value.hash === 'wrong')
    deps.log.warn({ hash: 'wrong' }, 'the hash of a gateway message does not match')
  const event =
    payment === null
      ? deps.events.findByOrderId(orderId ?? '')
      : deps.events.findById(payment.eventId)
  return {
    message: { kind, orderId, sender, ...messageText },
    fields,
    problem: parsed === null ? 'malformed' : parsed.ok ? null : parsed.error.code,
    registration,
    payment,
    event: event?.config ?? null,
    claimsPayment: isUnserved || (parsed?.ok === true && parsed.value.claimsPayment),
  }
}

/**
 * If a message reports money for a payment in a final state, schedules the payment for polling, even if the first query
 * gets no response. Returns false if the schedule could not be stored.
 */
export async function resumePolling(
  deps: Deps,
  { payment, claimsPayment }: CheckedMessage,
): Promise<boolean> {
  if (payment === null || isOpen(payment) || !claimsPayment) return true
  try {
    await deps.store.scheduleGatewayQueries(payment.orderId, deps.clock())
    return true
  } catch (error) {
    deps.log.error(
      { error: String(error) },
      'a reported payment could not be scheduled for polling',
    )
    return false
  }
}

/**
 * Queries the gateway. Money that a message reports but the gateway does not know of may still arrive, so the delegate
 * is not asked to pay again.
 */
export async function verifyClaim(
  { payments, store, clock }: Deps,
  { registration, payment, claimsPayment }: CheckedMessage,
  timeoutMs: number,
): Promise<void> {
  if (payment === null) return
  const verifiedPayment = await payments.verify(payment.orderId, timeoutMs, registration)
  if (claimsPayment && verifiedPayment === 'pending')
    await store.noteClaimedPayment(payment.orderId, clock())
}

/**
 * Handles a message that reports money for an order that is not in the database: queries the gateway immediately, or
 * schedules the query. Null if the message reports no money or belongs to none of our events. Stores the message
 * before the query, because it may contain the payer's name.
 */
export async function lookUpClaim(
  { deps, messageStore, unknownOrderQueries }: RouteContext,
  { message, event, claimsPayment }: CheckedMessage,
  timeoutMs: number,
): Promise<'kept' | 'none' | 'unsure' | null> {
  const { orderId } = message
  if (!claimsPayment || event === null || event.payment === null || orderId === null) return null
  if (!ORDER_ID_PATTERN.test(orderId)) return null
  await messageStore.storeRejected(message)
  const at = deps.clock()
  const canQuery = (await unknownOrderQueries.take('', at)) === 0
  const lookup = canQuery ? await deps.payments.lookUpOrder(event, orderId, timeoutMs) : 'unsure'
  if (lookup !== 'unsure') return lookup
  const order = { orderId: orderId as OrderId, eventId: event.id }
  return (await deps.store.addUnknownOrder(order, at)) ? 'unsure' : null
}
/** The format that the gateway accepts. */
const ORDER_ID_PATTERN = /^[A-Za-z0-9]{1,20}$/

/**
 * Handles the browser's return: checks and stores it, verifies the payment for at most five seconds, then redirects
 * to the page of the stored result. The request comes from another site and has no cookie. It needs none, because
 * only the gateway's response to our query changes the payment. Serves the path that an event file defines, and the
 * default one.
 */
export async function processReturn(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  checkedMessage: CheckedMessage,
): Promise<unknown> {
  const { deps, guard, messageStore } = context
  const { message, problem, payment, event } = checkedMessage
  const address = getAddressKey(request)
  const isLimited = (await guard.wait(address, event?.id ?? '', message.orderId ?? '')) > 0
  const lookup =
    payment === null && !isLimited
      ? await lookUpClaim(context, checkedMessage, PAGE_QUERY_TIMEOUT_MS)
      : null
  // Staff see the payment, and the page shows the delegate whom to contact.
  if (lookup === 'kept') return reply.redirect(UNKNOWN_PAYMENT_PAGE, 303)
  if (payment === null) {
    // Attempts while the event is locked do not count as guesses, so they cannot prolong the lock for others.
    const isOverLimit =
      isLimited || (await guard.count(address, event?.id ?? '', message.orderId ?? '')) > 0
    if (lookup === null) await messageStore.storeRejected(message)
    deps.log.warn({ code: problem ?? 'unknown_order' }, 'a browser return matches no payment')
    return reply.redirect(
      isOverLimit && event !== null && message.orderId !== null
        ? buildLookupUrl(event, message.orderId)
        : UNKNOWN_PAYMENT_PAGE,
      303,
    )
  }
  const isStored = await messageStore.storeGenuine(message)
  if (isStored) await resumePolling(deps, checkedMessage)
  const verification = isStored
    ? waitAtMost(
        PAGE_QUERY_TIMEOUT_MS,
        verifyClaim(deps, checkedMessage, PAGE_QUERY_TIMEOUT_MS),
        (error) => deps.log.error({ error: String(error) }, 'a payment could not be verified'),
      )
    : null
  // The event file was removed, so its pages no longer exist. The payment is verified anyway.
  if (event === null) return reply.redirect(UNKNOWN_PAYMENT_PAGE, 303)
  // Responds without waiting, so that the response time reveals nothing to an attacker who guesses numbers. The payer
  // gets the page anyway.
  if (isLimited || (await guard.admit(address, event.id, payment.regNo, payment.orderId)) > 0)
    return reply.redirect(buildLookupUrl(event, payment.orderId), 303)
  await verification
  const registration = await deps.store.registration(payment.regNo)
  return reply.redirect(buildResultAddress(event.routes, registration, payment, deps.clock()), 303)
}

const getOrder = (parsed: ParsedMessage): string | null =>
  parsed.ok ? parsed.value.orderId : parsed.error.orderId

/** Chooses the redirect for a message that was not accepted, by its order id. */
function chooseFallbackAddress({ events, gateway }: Deps, read: MessageText | null): string {
  const fields = read === null ? null : readFields(read.body, read.contentType)
  const orderId = fields === null ? null : getOrder(gateway.readReturnOrWebhook(fields).parsed)
  const event = orderId === null ? null : events.findByOrderId(orderId)
  return event === null || orderId === null
    ? UNKNOWN_PAYMENT_PAGE
    : buildLookupUrl(event.config, orderId)
}

/**
 * Returns the page that looks up the order, guarded like every other look-up. The URL is the same whether or not
 * the order exists.
 */
export function buildLookupUrl(event: EventConfig, orderId: string): string {
  return `${event.routes.success}?${new URLSearchParams({ orderId }).toString()}`
}

/** Returns the URL of the result page. The page itself reads the stored state. */
function buildResultAddress(
  routes: { readonly success: string; readonly failed: string },
  registration: StoredRegistration | null,
  payment: StoredPayment,
  at: Instant,
): string {
  const route = registration?.paymentStatus === 'failed' ? routes.failed : routes.success
  const query = new URLSearchParams({
    orderId: payment.orderId,
    amount: formatPlainAmount(payment.amount, payment.currency),
    ...toWireCurrency(payment.currency),
    date: formatIsoIndia(registration?.paidAt ?? at),
  })
  return `${route}?${query.toString()}`
}

async function handleWebhook(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { deps, guard, messageStore } = context
  const gatewayMessage = await readMessage(request)
  if (gatewayMessage === null)
    return sendError(reply, 413, getErrorForStatus(413).code, getErrorForStatus(413).message)
  const checkedMessage = await checkMessage(deps, 'notice', gatewayMessage)
  const { message, fields, problem, payment, event } = checkedMessage
  const address = getAddressKey(request)
  let waitMs = await guard.wait(address, event?.id ?? '', message.orderId ?? '')
  const lookup =
    payment === null && waitMs === 0
      ? await lookUpClaim(context, checkedMessage, BACKGROUND_QUERY_TIMEOUT_MS)
      : null
  if (lookup === 'kept') return reply.send({ status: 'success' })
  if (lookup === 'unsure') {
    reply.header('retry-after', '60')
    return sendError(reply, 503, 'not_verified', NOT_VERIFIED_MESSAGE)
  }
  if (payment === null) {
    if (problem !== 'malformed' && waitMs === 0)
      waitMs = await guard.count(address, event?.id ?? '', message.orderId ?? '')
    if (lookup === null) await messageStore.storeRejected(message)
    deps.log.warn({ code: problem ?? 'unknown_order' }, 'a webhook was rejected')
    // Sends the same response as for an existing order: the gateway retries, and an attacker who guesses learns
    // nothing.
    if (waitMs > 0) return sendTooMany(reply, waitMs, 'messages')
    return rejectWebhook(reply, fields === null ? 'unreadable' : (problem ?? 'unknown_order'))
  }
  if (!(await acceptWebhook(context, checkedMessage))) return sendNotStored(reply)
  if (waitMs === 0 && event !== null)
    waitMs = await guard.admit(address, event.id, payment.regNo, payment.orderId)
  if (waitMs > 0) return sendTooMany(reply, waitMs, 'messages')
  return reply.send({ status: 'success' })
}

/**
 * Stores a webhook about a known payment, schedules polling and queries the gateway in the background. Returns false
 * if it could not be stored.
 */
export async function acceptWebhook(
  { deps, messageStore }: RouteContext,
  checkedMessage: CheckedMessage,
): Promise<boolean> {
  // Stores and schedules before responding, so that polling queries the gateway even if this process dies now.
  const isStored =
    (await messageStore.storeGenuine(checkedMessage.message)) &&
    (await resumePolling(deps, checkedMessage))
  if (isStored)
    void verifyClaim(deps, checkedMessage, BACKGROUND_QUERY_TIMEOUT_MS).catch((error: unknown) =>
      deps.log.error({ error: String(error) }, 'a webhook could not be verified'),
    )
  return isStored
}

export function sendNotStored(reply: FastifyReply): FastifyReply {
  reply.header('retry-after', '5')
  return sendError(reply, 503, 'not_stored', 'The webhook could not be stored. Send it again.')
}

const NOT_VERIFIED_MESSAGE =
  'The order is unknown, and the gateway could not be queried about it. Send the webhook again.'

function rejectWebhook(
  reply: FastifyReply,
  code: InvalidGatewayMessage['code'] | 'unreadable',
): FastifyReply {
  switch (code) {
    case 'unreadable':
      return sendError(
        reply,
        400,
        'malformed',
        'No fields could be read from this message. Send a form or a JSON object with at least one field.',
      )
    case 'malformed':
      return sendError(reply, 400, 'malformed', 'The webhook contains no order id.')
    case 'unknown_order':
      return sendError(reply, 404, 'unknown_order', 'There is no such order.')
    default:
      return assertNever(code)
  }
}

/** Defines the routes for paying for a stored registration: a retry by number, and the emailed link. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SERVER_MESSAGES } from '../../engine/messages.ts'
import type { EventConfig, RegNo } from '../../engine/index.ts'
import type { RegisterResponse } from '../../engine/api.ts'
import type { Deps } from '../dependencies.ts'
import { readBrowser, readConfirmedRegNo } from '../http/browser-cookie.ts'
import type { SamePersonRegistration } from '../storage/index.ts'
import { getAddressKey, createAddressLimit, sendTooMany } from '../http/rate-limit.ts'
import type { Allowance } from '../http/rate-limit.ts'
import { sendError } from '../http/error-response.ts'
import { rejectNonText } from '../http/text-only-json.ts'
import { readFields } from './gateways/message-fields.ts'
import type { Fields } from './gateways/message-fields.ts'
import { keepBodiesUnparsed, readMessage } from './gateway-message-body.ts'
import {
  isRegisteringBrowser,
  isGuessableNumber,
  isDelegateEmail,
} from '../registration/find-registration.ts'
import type { LookupGuard } from '../registration/find-registration.ts'
import { hashToken, resolveLink, UNKNOWN_LINK } from '../registration/access-link.ts'
import { askToPayAgain } from '../registration/same-person.ts'
import { retryPayment } from '../registration/retry-payment.ts'
import { refuseRetry, sendRefusal } from '../registration/registration-errors.ts'

/** More attempts per minute than several delegates behind one address would make. */
const ATTEMPTS_PER_ADDRESS: Allowance = { maxAttempts: 20, windowMs: 60_000 }

const NOT_FOUND = SERVER_MESSAGES.notFound
const USE_LINK_MESSAGE = SERVER_MESSAGES.payment.openLink

export async function addPaymentRoutes(
  app: FastifyInstance,
  deps: Deps,
  guard: LookupGuard,
): Promise<void> {
  const isRateLimited = createAddressLimit(deps, ATTEMPTS_PER_ADDRESS)
  await app.register(async (scope) => {
    keepBodiesUnparsed(scope)
    for (const slash of ['/', '']) {
      scope.post(`/api/payment/retry${slash}`, async (request, reply) =>
        (await isRateLimited(request, reply)) ? reply : payByNumber(deps, guard, request, reply),
      )
      scope.post(`/api/payment/resume${slash}`, async (request, reply) =>
        (await isRateLimited(request, reply)) ? reply : payByLink(deps, guard, request, reply),
      )
    }
  })
}

/**
 * Reads the fields of the request. Null if there are none; `refused` if they are not text and an error response was
 * sent.
 */
async function readRequestFields(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Fields | null | 'refused'> {
  const message = await readMessage(request)
  if (message === null) return null
  const isJson = message.contentType.toLowerCase().includes('json')
  return isJson && rejectNonText(reply, parseJson(message.body), FIELDS)
    ? 'refused'
    : readFields(message.body, message.contentType)
}

const FIELDS = ['order_id', 'email', 'token', 'price'] as const

/** Parses JSON. Undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns true if the delegate must first confirm a second payment. Only our pages can ask this question. */
const shouldAskFirst = (
  request: FastifyRequest,
  otherPaid: SamePersonRegistration | null,
): otherPaid is SamePersonRegistration => {
  const confirmedRegNo = readConfirmedRegNo(request)
  return otherPaid !== null && confirmedRegNo !== undefined && confirmedRegNo !== otherPaid.regNo
}

async function payByNumber(
  deps: Deps,
  guard: LookupGuard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.header('cache-control', 'no-store')
  const fields = await readRequestFields(request, reply)
  if (fields === 'refused') return reply
  const orderId = fields?.['order_id']?.trim() ?? ''
  const address = getAddressKey(request)
  const eventId = deps.events.findByOrderId(orderId)?.config.id ?? ''
  const waitMs = await guard.wait(address, eventId, orderId)
  if (waitMs > 0) return sendTooMany(reply, waitMs)
  const regNo = orderId === '' ? null : ((await deps.store.payment(orderId))?.regNo ?? orderId)
  const registration = regNo === null ? null : await deps.store.registration(regNo)
  const event =
    registration === null ? undefined : deps.events.findById(registration.eventId)?.config
  if (
    registration === null ||
    event === undefined ||
    event.payment === null ||
    (isGuessableNumber(registration, orderId) &&
      !isDelegateEmail(event, registration, fields?.['email']))
  ) {
    const waitAfterCountMs = await guard.count(address, eventId, orderId)
    if (waitAfterCountMs > 0) return sendTooMany(reply, waitAfterCountMs)
    return sendError(reply, 404, 'not_found', NOT_FOUND)
  }
  const waitAfterAdmitMs = await guard.admit(address, event.id, registration.regNo, orderId)
  if (waitAfterAdmitMs > 0) return sendTooMany(reply, waitAfterAdmitMs)
  const isDelegate =
    isDelegateEmail(event, registration, fields?.['email']) ||
    (await isRegisteringBrowser(deps, request, registration))
  // The number is printed on badges, so without further proof it cannot replace an expected transfer by a card
  // payment.
  if (!isDelegate && (registration.payments[0]?.way ?? null) !== null)
    return sendError(reply, 403, 'email_needed', USE_LINK_MESSAGE)
  const browser = readBrowser(event, request)
  const otherPaid =
    browser === null || !isDelegate
      ? null
      : await deps.store.paidRegistrationOfSamePerson(registration.regNo, browser)
  if (shouldAskFirst(request, otherPaid)) return sendRefusal(reply, askToPayAgain(otherPaid))
  return sendPayableOrder(deps, { event, regNo: registration.regNo, isDelegate }, fields, reply)
}

async function payByLink(
  deps: Deps,
  guard: LookupGuard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.header('cache-control', 'no-store')
  const fields = await readRequestFields(request, reply)
  if (fields === 'refused') return reply
  const token = fields?.['token']?.trim() ?? ''
  const link = await resolveLink(deps, token)
  if (link === null || link.isExpired) return sendRefusal(reply, UNKNOWN_LINK)
  const { served, registration } = link
  const event = served.config
  await guard.addKnown(getAddressKey(request), event.id, registration.regNo)
  await deps.store.recordLinkUse(hashToken(token), deps.clock())
  const otherPaid = await deps.store.paidRegistrationOfSamePerson(registration.regNo)
  if (shouldAskFirst(request, otherPaid)) return sendRefusal(reply, askToPayAgain(otherPaid))
  return sendPayableOrder(
    deps,
    { event, regNo: registration.regNo, isDelegate: true },
    fields,
    reply,
  )
}

/** Sends the order to pay, or an error. The field `price` is the total that the delegate accepted. */
async function sendPayableOrder(
  deps: Deps,
  {
    event,
    regNo,
    isDelegate,
  }: { readonly event: EventConfig; readonly regNo: RegNo; readonly isDelegate: boolean },
  fields: Fields | null,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const payer = isDelegate ? 'delegate' : 'stranger'
  const order = await retryPayment(deps, event, regNo, deps.clock(), {
    acceptedTotal: fields?.['price'] ?? null,
    requester: payer,
  })
  if (!order.ok) return sendRefusal(reply, refuseRetry(event, order.error))
  const response: RegisterResponse = {
    status: 'success',
    message: SERVER_MESSAGES.recorded.payNow,
    reg_no: regNo,
    stands: 'not-paid',
    payment_data: order.value.data,
  }
  return reply.code(201).send(response)
}

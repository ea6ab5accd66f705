/** Defines the routes that pay for a stored registration: retry by number, and the emailed link. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readAmount } from '../../engine/index.ts'
import { REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { EventConfig, Paise, RegNo } from '../../engine/index.ts'
import type { RegisterAnswer } from '../../engine/api.ts'
import type { Deps } from '../dependencies.ts'
import { addressOf, limitByAddress, refuseTooMany } from '../http/rate-limit.ts'
import type { Allowance } from '../http/rate-limit.ts'
import { refuse } from '../http/error-response.ts'
import { refusesOtherThanText } from '../http/text-only-json.ts'
import { readFields } from './gateways/airpay/parse-message.ts'
import type { Fields } from './gateways/airpay/parse-message.ts'
import { keepsBodies, readMessage } from './gateway-message-body.ts'
import { hasItsKey, isCountable, isEmailOf } from '../registration/find-registration.ts'
import type { LookupGuard } from '../registration/find-registration.ts'
import { hashOf, linked, LINK_UNKNOWN } from '../registration/access-link.ts'
import { payAgain } from '../registration/retry-payment.ts'
import { payAgainRefused, sendRefusal } from '../registration/registration-errors.ts'

/** Nobody pays this often in a minute, even several delegates behind one address. */
const TRIES_PER_ADDRESS: Allowance = { triesMax: 20, windowMs: 60_000 }

const NOT_FOUND = REFUSAL_MESSAGES.notFound
const USE_LINK = REFUSAL_MESSAGES.payment.openLink

export async function payCalls(
  app: FastifyInstance,
  deps: Deps,
  guard: LookupGuard,
): Promise<void> {
  const tooManyTries = limitByAddress(deps, TRIES_PER_ADDRESS)
  await app.register(async (scope) => {
    keepsBodies(scope)
    for (const slash of ['/', '']) {
      scope.post(`/api/payment/retry${slash}`, async (request, reply) =>
        (await tooManyTries(request, reply)) ? reply : payByNumber(deps, guard, request, reply),
      )
      scope.post(`/api/payment/resume${slash}`, async (request, reply) =>
        (await tooManyTries(request, reply)) ? reply : payByLink(deps, guard, request, reply),
      )
    }
  })
}

/** Null: there are none. `refused`: they are not text, and the request has been answered. */
async function fieldsOf(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Fields | null | 'refused'> {
  const read = await readMessage(request)
  if (read === null) return null
  const isJson = read.contentType.toLowerCase().includes('json')
  return isJson && refusesOtherThanText(reply, jsonIn(read.body), FIELDS)
    ? 'refused'
    : readFields(read.body, read.contentType)
}

const FIELDS = ['order_id', 'email', 'token', 'price'] as const

/** Undefined: not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function payByNumber(
  deps: Deps,
  guard: LookupGuard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.header('cache-control', 'no-store')
  const fields = await fieldsOf(request, reply)
  if (fields === 'refused') return reply
  const orderId = fields?.['order_id']?.trim() ?? ''
  const address = addressOf(request)
  const named = deps.events.byOrderId(orderId)?.config.id ?? ''
  const waitMs = await guard.wait(address, named, orderId)
  if (waitMs > 0) return refuseTooMany(reply, waitMs)
  const known = orderId === '' ? null : ((await deps.store.payment(orderId))?.regNo ?? orderId)
  const registration = known === null ? null : await deps.store.registration(known)
  const event = registration === null ? undefined : deps.events.byId(registration.eventId)?.config
  if (
    registration === null ||
    event === undefined ||
    event.payment === null ||
    (isCountable(registration, orderId) && !isEmailOf(event, registration, fields?.['email']))
  ) {
    await guard.count(address, named)
    return refuse(reply, 404, 'not_found', NOT_FOUND)
  }
  await guard.know(address, event.id, registration.regNo)
  const isProven =
    isEmailOf(event, registration, fields?.['email']) ||
    (await hasItsKey(deps, request, registration))
  // The number is printed on badges, so without further proof it cannot replace an expected transfer by a card
  // payment.
  if (!isProven && (registration.payments[0]?.way ?? null) !== null)
    return refuse(reply, 403, 'email_needed', USE_LINK)
  return pay(deps, { event, regNo: registration.regNo, isProven }, fields, reply)
}

async function payByLink(
  deps: Deps,
  guard: LookupGuard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.header('cache-control', 'no-store')
  const fields = await fieldsOf(request, reply)
  if (fields === 'refused') return reply
  const token = fields?.['token']?.trim() ?? ''
  const found = await linked(deps, token)
  if (found === null || found.isExpired) return refuse(reply, 404, 'link_unknown', LINK_UNKNOWN)
  const { served, registration } = found
  const event = served.config
  await guard.know(addressOf(request), event.id, registration.regNo)
  await deps.store.linkUsed(hashOf(token), deps.clock())
  return pay(deps, { event, regNo: registration.regNo, isProven: true }, fields, reply)
}

/** Returns the order to pay, or why there is none. `price` is the total that the delegate has agreed to. */
async function pay(
  deps: Deps,
  {
    event,
    regNo,
    isProven,
  }: { readonly event: EventConfig; readonly regNo: RegNo; readonly isProven: boolean },
  fields: Fields | null,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const by = isProven ? 'delegate' : 'stranger'
  const due = await payAgain(deps, event, regNo, deps.clock(), { accepted: acceptedIn(fields), by })
  if (!due.ok) return sendRefusal(reply, payAgainRefused(event, due.error))
  const answer: RegisterAnswer = {
    status: 'success',
    message: REFUSAL_MESSAGES.recorded.payNow,
    reg_no: regNo,
    stands: 'not-paid',
    payment_data: due.value.data,
  }
  return reply.code(201).send(answer)
}

/** A value that is not an amount agrees to nothing. */
function acceptedIn(fields: Fields | null): Paise | null {
  return readAmount(fields?.['price'] ?? '')
}

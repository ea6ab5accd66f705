/** The calls that pay for a registration that is there: another try by its number, and the link of a mail. */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readAmount } from '../../engine/index.ts'
import type {
  EventConfig,
  Paise,
  RegisterAnswer,
  RegistrationAnswer,
  RegNo,
} from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { addressOf, limitByAddress, refuseTooMany } from '../http/limit.ts'
import type { Allowance } from '../http/limit.ts'
import { refuse } from '../http/refuse.ts'
import { readFields } from '../paying/gateway/fields.ts'
import type { Fields } from '../paying/gateway/fields.ts'
import { keepsBodies, readMessage } from '../paying/message-body.ts'
import type { StoredRegistration } from '../store/store.ts'
import { isCountable, isEmailOf } from './lookup.ts'
import type { LookupGuard } from './lookup.ts'
import { payAgain } from './pay-again.ts'
import { payAgainRefused, sendRefusal } from './refusals.ts'
import { publicView } from './view.ts'

/** Nobody pays this often in a minute, even with a hall behind the address. */
const TRIES_PER_ADDRESS: Allowance = { triesMax: 20, windowMs: 60_000 }
/** A page that a link opens looks again by itself. */
const LOOKS_PER_ADDRESS: Allowance = { triesMax: 120, windowMs: 60_000 }

const NOT_FOUND = 'Registration details not found'
const NO_LINK =
  'This link is not known, or it has expired. Your registration is not lost: please write to the organisers, or register again.'

/** What a link leads to, whether or not it may be paid. */
export type Linked = {
  readonly event: EventConfig
  readonly registration: StoredRegistration
  readonly isExpired: boolean
}

/** Tokens are long and random; only their hashes are stored. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Null: nobody made this link, or its event is not served. */
export async function linked(deps: Deps, token: string): Promise<Linked | null> {
  const link = await deps.store.link(hashOf(token))
  const registration = link === null ? null : await deps.store.registration(link.regNo)
  const event = registration === null ? null : deps.events.byId(registration.eventId)
  if (link === null || registration === null || event === null) return null
  return { event: event.config, registration, isExpired: deps.clock() >= link.expiresAt }
}

export async function payCalls(
  app: FastifyInstance,
  deps: Deps,
  guard: LookupGuard,
): Promise<void> {
  const tooManyTries = limitByAddress(deps, TRIES_PER_ADDRESS)
  const tooManyLooks = limitByAddress(deps, LOOKS_PER_ADDRESS)
  await app.register(async (scope) => {
    keepsBodies(scope)
    for (const slash of ['/', '']) {
      scope.post(`/api/payment/retry${slash}`, async (request, reply) =>
        tooManyTries(request, reply) ? reply : payByNumber(deps, guard, request, reply),
      )
      scope.post(`/api/payment/resume${slash}`, async (request, reply) =>
        tooManyTries(request, reply) ? reply : payByLink(deps, guard, request, reply),
      )
      scope.get(`/api/payment/resume/:token${slash}`, async (request, reply) =>
        tooManyLooks(request, reply) ? reply : showByLink(deps, request, reply),
      )
    }
  })
}

async function fieldsOf(request: FastifyRequest): Promise<Fields | null> {
  const read = await readMessage(request)
  return read === null ? null : readFields(read.body, read.contentType)
}

async function payByNumber(
  deps: Deps,
  guard: LookupGuard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.header('cache-control', 'no-store')
  const fields = await fieldsOf(request)
  const orderId = fields?.['order_id']?.trim() ?? ''
  const address = addressOf(request)
  const named = deps.events.byOrderId(orderId)?.config.id ?? ''
  const waitMs = guard.wait(address, named, orderId)
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
    guard.count(address, named)
    return refuse(reply, 404, 'not_found', NOT_FOUND)
  }
  guard.know(address, event.id, registration.regNo)
  return pay(deps, event, registration.regNo, fields, reply)
}

async function payByLink(
  deps: Deps,
  guard: LookupGuard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.header('cache-control', 'no-store')
  const fields = await fieldsOf(request)
  const token = fields?.['token']?.trim() ?? ''
  const found = await linked(deps, token)
  if (found === null || found.isExpired) return refuse(reply, 404, 'link_unknown', NO_LINK)
  const { event, registration } = found
  guard.know(addressOf(request), event.id, registration.regNo)
  await deps.store.linkUsed(hashOf(token), deps.clock())
  return pay(deps, event, registration.regNo, fields, reply)
}

/** The order to pay, or why there is none. `price` is the total that the delegate has agreed to. */
async function pay(
  deps: Deps,
  event: EventConfig,
  regNo: RegNo,
  fields: Fields | null,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const due = await payAgain(deps, event, regNo, deps.clock(), acceptedIn(fields))
  if (!due.ok) return sendRefusal(reply, payAgainRefused(event, due.error))
  const answer: RegisterAnswer = {
    status: 'success',
    message: 'You can make the payment now.',
    reg_no: regNo,
    stands: 'not-paid',
    payment_data: due.value.data,
  }
  return reply.code(201).send(answer)
}

/** What cannot be read as an amount agrees to nothing. */
function acceptedIn(fields: Fields | null): Paise | null {
  return readAmount(fields?.['price'] ?? '')
}

/** Without any other proof: a token opens one registration, and cannot be guessed. */
async function showByLink(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  const { token } = request.params as { readonly token: string }
  const found = await linked(deps, token)
  if (found === null || found.isExpired) return refuse(reply, 404, 'link_unknown', NO_LINK)
  const registration = publicView(found.event, found.registration, deps.clock())
  const answer: RegistrationAnswer = { status: 'success', registration }
  return reply.send(answer)
}

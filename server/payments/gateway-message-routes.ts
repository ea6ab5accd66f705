/** Receives gateway messages: the browser's return and the webhook. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { amountText, assertNever, isOpen, isoIndia } from '../../engine/index.ts'
import type { EventConfig, Instant, OrderId } from '../../engine/index.ts'
import { refuse, toldOf } from '../http/error-response.ts'
import type { Call } from '../http/event-route-table.ts'
import type { InvalidGatewayMessage, Deps } from '../dependencies.ts'
import { inCapitals, readFields } from './gateways/airpay/parse-message.ts'
import type { Fields } from './gateways/airpay/parse-message.ts'
import { noticePath, usualReturnPath } from './gateways/select-gateway.ts'
import { addressOf, openLimit, refuseTooMany } from '../http/rate-limit.ts'
import type { Allowance, RateLimit } from '../http/rate-limit.ts'
import { openKeeping } from './gateway-message-limits.ts'
import type { Keeping, Message } from './gateway-message-limits.ts'
import { within } from '../ops/clock.ts'
import { keepsBodies, readMessage } from './gateway-message-body.ts'
import type { Read } from './gateway-message-body.ts'
import type { LookupGuard } from '../registration/find-registration.ts'
import { UNKNOWN_PAYMENT_PAGE } from '../pages/page-routes.ts'
import type { StoredPayment, StoredRegistration } from '../storage/index.ts'

/** A delegate who returns is waiting for a page; after this we show that we are still confirming. */
const RETURN_WAIT_MS = 5_000
/** No browser is waiting for a response here. */
const NOTICE_ASK_MS = 20_000
/** Many delegates behind one address may pay at once, and a gateway repeats messages. More than this is neither. */
const MESSAGES_PER_ADDRESS: Allowance = { triesMax: 600, windowMs: 60_000 }

/**
 * Queries about orders that are not in the database, from all senders: more than a gateway sends in some minutes
 * after a restore.
 */
const UNKNOWN_QUESTIONS: Allowance = { triesMax: 30, windowMs: 60_000 }

/** Dependencies that both routes share. */
type Doors = {
  readonly deps: Deps
  readonly guard: LookupGuard
  readonly keeping: Keeping
  /** Limits queries about orders that are not in the database: anybody can name some. */
  readonly questions: RateLimit
}

export async function paymentRoutes(
  app: FastifyInstance,
  deps: Deps,
  guard: LookupGuard,
): Promise<void> {
  const doors: Doors = {
    deps,
    guard,
    keeping: openKeeping(deps),
    questions: openLimit(deps, UNKNOWN_QUESTIONS),
  }
  const messages = openLimit(deps, MESSAGES_PER_ADDRESS)
  /** Counts the request; returns the milliseconds to wait if there were too many. */
  const waitOf = async (request: FastifyRequest): Promise<number> =>
    messages.take(addressOf(request), deps.clock())

  /** A delegate who returns may just have paid, so this route always responds with a page. */
  const back: Call['handle'] = async (request, reply) => {
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
    const read = await readMessage(request)
    if ((await waitOf(request)) > 0) return reply.redirect(greeting(deps, read), 303)
    try {
      return await comeBack(doors, request, reply, read)
    } catch (error) {
      deps.log.error({ id: request.id, error: String(error) }, 'a return could not be taken in')
      return reply.redirect(greeting(deps, read), 303)
    }
  }
  app.eventCalls.add(({ config }) => {
    const path = config.api.gatewayReturn
    return path === null
      ? []
      : (['POST', 'GET'] as const).map((method) => ({ method, path, handle: back }))
  })

  await app.register(async (scope) => {
    keepsBodies(scope)
    for (const slash of [true, false]) {
      const at = (path: string): string => (slash ? path : path.slice(0, -1))
      scope.route({
        method: ['GET', 'POST'],
        url: at(usualReturnPath),
        handler: (request, reply) => back(request, reply, {}),
      })
      scope.post(at(noticePath), async (request, reply) => {
        const waitMs = await waitOf(request)
        return waitMs > 0 ? refuseTooMany(reply, waitMs) : takeNotice(doors, request, reply)
      })
    }
  })
}

/** A message after checking: its claim, with its payment and event, or null if it belongs to none. */
type Judged = {
  readonly message: Message
  readonly fields: Fields | null
  readonly refused: InvalidGatewayMessage['code'] | null
  readonly payment: StoredPayment | null
  readonly event: EventConfig | null
  readonly claimsMoney: boolean
}

async function judged(deps: Deps, kind: Message['kind'], read: Read): Promise<Judged> {
  const fields = readFields(read.body, read.contentType)
  const orderId = fields === null ? null : (inCapitals(fields)['TRANSACTIONID'] ?? null)
  const notice = fields === null ? null : deps.gateway.readNotice(fields)
  // An order stays ours if its event is no longer served or takes no payments any more.
  const unserved = notice?.ok === false && notice.error.code === 'unknown_order'
  const ordered = notice?.ok === true ? notice.value.orderId : unserved ? orderId : null
  const payment = ordered === null ? null : await deps.store.payment(ordered)
  // A hash that never matches suggests that the account or protocol differs from our settings; it blocks nothing.
  if (payment !== null && notice?.ok === true && notice.value.hash === 'wrong')
    deps.log.warn({ hash: 'wrong' }, 'the hash of a message of the gateway does not fit')
  const event =
    payment === null ? deps.events.byOrderId(orderId ?? '') : deps.events.byId(payment.eventId)
  return {
    message: { kind, orderId, ...read },
    fields,
    refused: notice === null ? 'malformed' : notice.ok ? null : notice.error.code,
    payment,
    event: event?.config ?? null,
    claimsMoney: unserved || (notice?.ok === true && notice.value.claimsMoney),
  }
}

/**
 * A message claims money for a payment that has ended: queues it for polling, even if the first query gets no
 * answer. False: not stored.
 */
async function watchAnew(deps: Deps, { payment, claimsMoney }: Judged): Promise<boolean> {
  if (payment === null || isOpen(payment) || !claimsMoney) return true
  try {
    await deps.store.rearm(payment.orderId, deps.clock())
    return true
  } catch (error) {
    deps.log.error({ error: String(error) }, 'a claim of money could not be stored')
    return false
  }
}

/**
 * Queries the gateway. Money that is claimed but unknown to the gateway may be on its way, so nobody is asked to
 * pay again.
 */
async function verifyClaim(
  { payments, store, clock }: Deps,
  { payment, claimsMoney }: Judged,
  timeoutMs: number,
): Promise<void> {
  if (payment === null) return
  const verified = await payments.verify(payment.orderId, timeoutMs)
  if (claimsMoney && verified === 'pending') await store.claimed(payment.orderId, clock())
}

/**
 * Handles a claim of money for an order that is not in the database: queries the gateway at once, or schedules
 * the query; null: the message claims no money, or names no event of ours. Stores the message first, because it
 * may name the payer.
 */
async function lookUpClaim(
  { deps, keeping, questions }: Doors,
  { message, event, claimsMoney }: Judged,
  timeoutMs: number,
): Promise<'kept' | 'none' | 'unsure' | null> {
  const { orderId } = message
  if (!claimsMoney || event === null || event.payment === null || orderId === null) return null
  if (!ORDER_ID.test(orderId)) return null
  await keeping.refused(message)
  const at = deps.clock()
  const mayAsk = (await questions.take('', at)) === 0
  const looked = mayAsk ? await deps.payments.lookUp(event, orderId, timeoutMs) : 'unsure'
  if (looked !== 'unsure') return looked
  const order = { orderId: orderId as OrderId, eventId: event.id }
  return (await deps.store.noteUnknownOrder(order, at)) ? 'unsure' : null
}
/** Format that the gateway accepts. */
const ORDER_ID = /^[A-Za-z0-9]{1,20}$/

/**
 * Handles the browser's return: checks and stores it, verifies the payment for at most five seconds, then
 * redirects to the page of the stored result. The request comes from another site and carries no cookie; it needs
 * none, because it changes nothing by itself. Serves the path that an event file names, and the default one.
 */
async function comeBack(
  doors: Doors,
  request: FastifyRequest,
  reply: FastifyReply,
  read: Read | null,
): Promise<unknown> {
  const { deps, guard, keeping } = doors
  if (read === null || read.body === '') return reply.redirect(UNKNOWN_PAYMENT_PAGE, 303)
  const judgement = await judged(deps, 'return', read)
  const { message, refused, payment, event } = judgement
  const address = addressOf(request)
  const isBarred = (await guard.wait(address, event?.id ?? '', message.orderId ?? '')) > 0
  const looked =
    payment === null && !isBarred ? await lookUpClaim(doors, judgement, RETURN_WAIT_MS) : null
  // The page says whom to contact; staff see the payment.
  if (looked === 'kept') return reply.redirect(UNKNOWN_PAYMENT_PAGE, 303)
  if (payment === null) {
    // Attempts while the event is locked do not count as guesses, so they cannot prolong the lock for everybody
    // else.
    if (!isBarred) await guard.count(address, event?.id ?? '')
    if (looked === null) await keeping.refused(message)
    deps.log.warn({ code: refused ?? 'unknown_order' }, 'a return that fits no payment')
    return reply.redirect(
      isBarred && event !== null && message.orderId !== null
        ? untoldAddress(event, message.orderId)
        : UNKNOWN_PAYMENT_PAGE,
      303,
    )
  }
  const kept = await keeping.genuine(message)
  if (kept) await watchAnew(deps, judgement)
  const verified = kept
    ? within(RETURN_WAIT_MS, verifyClaim(deps, judgement, RETURN_WAIT_MS), (error) =>
        deps.log.error({ error: String(error) }, 'a payment could not be verified'),
      )
    : null
  // The event file was removed, so its pages are gone. The payment is verified all the same.
  if (event === null) return reply.redirect(UNKNOWN_PAYMENT_PAGE, 303)
  // A guesser learns nothing, not even from the response time; a payer gets the page all the same.
  if (isBarred) return reply.redirect(untoldAddress(event, payment.orderId), 303)
  await guard.know(address, event.id, payment.regNo)
  await verified
  const now = await deps.store.registration(payment.regNo)
  return reply.redirect(resultAddress(event.routes, now, payment, deps.clock()), 303)
}

/** Chooses the redirect for a message that was not accepted: only the order that it names is known. */
function greeting({ events }: Deps, read: Read | null): string {
  const fields = read === null ? null : readFields(read.body, read.contentType)
  const orderId = fields === null ? undefined : inCapitals(fields)['TRANSACTIONID']
  const event = orderId === undefined ? null : events.byOrderId(orderId)
  return event === null || orderId === undefined
    ? UNKNOWN_PAYMENT_PAGE
    : untoldAddress(event.config, orderId)
}

/**
 * Returns the page that looks the order up, through the guard like every other look-up. It is the same whether or
 * not the order exists.
 */
function untoldAddress(event: EventConfig, orderId: string): string {
  return `${event.routes.success}?${new URLSearchParams({ orderId }).toString()}`
}

/** The address only selects the page; the page reads the stored state. */
function resultAddress(
  routes: { readonly success: string; readonly failed: string },
  registration: StoredRegistration | null,
  payment: StoredPayment,
  at: Instant,
): string {
  const route = registration?.paymentStatus === 'failed' ? routes.failed : routes.success
  const query = new URLSearchParams({
    orderId: payment.orderId,
    amount: amountText(payment.amount),
    date: isoIndia(registration?.paidAt ?? at),
  })
  return `${route}?${query.toString()}`
}

async function takeNotice(
  doors: Doors,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { deps, guard, keeping } = doors
  const read = await readMessage(request)
  if (read === null) return refuse(reply, 413, toldOf(413).code, toldOf(413).message)
  const judgement = await judged(deps, 'notice', read)
  const { message, fields, refused, payment, event } = judgement
  const address = addressOf(request)
  const waitMs = await guard.wait(address, event?.id ?? '', message.orderId ?? '')
  const looked =
    payment === null && waitMs === 0 ? await lookUpClaim(doors, judgement, NOTICE_ASK_MS) : null
  if (looked === 'kept') return reply.send({ status: 'success' })
  if (looked === 'unsure') {
    reply.header('retry-after', '60')
    return refuse(reply, 503, 'not_verified', NOT_VERIFIED)
  }
  if (payment === null) {
    if (refused !== 'malformed' && waitMs === 0) await guard.count(address, event?.id ?? '')
    if (looked === null) await keeping.refused(message)
    deps.log.warn({ code: refused ?? 'unknown_order' }, 'a notice was refused')
    // The same response as for an existing order: the gateway sends it again, and a guesser learns nothing.
    if (waitMs > 0) return refuseTooMany(reply, waitMs, 'messages')
    return refuseNotice(reply, fields === null ? 'unreadable' : (refused ?? 'unknown_order'))
  }
  // Stored and scheduled before responding: if this process dies now, polling still queries the gateway.
  if (!(await keeping.genuine(message)) || !(await watchAnew(deps, judgement))) {
    reply.header('retry-after', '5')
    return refuse(reply, 503, 'not_stored', 'The notice could not be stored. Please send it again.')
  }
  void verifyClaim(deps, judgement, NOTICE_ASK_MS).catch((error: unknown) =>
    deps.log.error({ error: String(error) }, 'a notice could not be verified'),
  )
  if (waitMs > 0) return refuseTooMany(reply, waitMs, 'messages')
  if (event !== null) await guard.know(address, event.id, payment.regNo)
  return reply.send({ status: 'success' })
}

const NOT_VERIFIED =
  'The order is not known here, and the gateway could not be asked about it. Please send the notice again.'

function refuseNotice(
  reply: FastifyReply,
  code: InvalidGatewayMessage['code'] | 'unreadable',
): FastifyReply {
  switch (code) {
    case 'unreadable':
      return refuse(
        reply,
        400,
        'malformed',
        'No fields could be read from this message. Send a form or a JSON object with at least one field.',
      )
    case 'malformed':
      return refuse(reply, 400, 'malformed', 'The notice names no order.')
    case 'unknown_order':
      return refuse(reply, 404, 'unknown_order', 'Nobody placed this order.')
    default:
      return assertNever(code)
  }
}

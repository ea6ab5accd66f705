/** What comes from the gateway by itself: the browser's return and the server's notice. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { amountText, assertNever, isOpen, isoIndia } from '../../engine/index.ts'
import type { EventConfig, Instant, OrderId } from '../../engine/index.ts'
import { refuse, toldOf } from '../http/error-response.ts'
import type { Call } from '../http/event-route-table.ts'
import type { BadNotice, Deps } from '../dependencies.ts'
import { inCapitals, readFields } from './gateways/airpay/parse-message.ts'
import type { Fields } from './gateways/airpay/parse-message.ts'
import { noticePath, usualReturnPath } from './gateways/select-gateway.ts'
import { addressOf, openLimit, refuseTooMany } from '../http/rate-limit.ts'
import type { Allowance, Limit } from '../http/rate-limit.ts'
import { openKeeping } from './gateway-message-limits.ts'
import type { Keeping, Message } from './gateway-message-limits.ts'
import { within } from '../ops/clock.ts'
import { keepsBodies, readMessage } from './gateway-message-body.ts'
import type { Read } from './gateway-message-body.ts'
import type { LookupGuard } from '../registration/find-registration.ts'
import { UNKNOWN_PAYMENT_PAGE } from '../pages/page-routes.ts'
import type { StoredPayment, StoredRegistration } from '../storage/index.ts'

/** A person who comes back waits for a page: after this we say that we are still confirming. */
const RETURN_WAIT_MS = 5_000
/** Nobody waits for a page here. */
const NOTICE_ASK_MS = 20_000
/** A hall behind one address pays at the same time; a gateway repeats itself. More than this is neither. */
const MESSAGES_PER_ADDRESS: Allowance = { triesMax: 600, windowMs: 60_000 }

/** About orders that are not here, whoever names them: more than a gateway has after a restore, in some minutes. */
const UNKNOWN_QUESTIONS: Allowance = { triesMax: 30, windowMs: 60_000 }

/** What stands at both doors. */
type Doors = {
  readonly deps: Deps
  readonly guard: LookupGuard
  readonly keeping: Keeping
  /** Questions about orders that are not here: anybody can name some. */
  readonly questions: Limit
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
  /** Counts it; milliseconds to wait where there were too many. */
  const waitOf = async (request: FastifyRequest): Promise<number> =>
    messages.take(addressOf(request), deps.clock())

  /** Whoever comes back may just have paid: whatever happens here, they get a page. */
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

/** A message, judged: what it claims, and the payment and event that it is of, null where it is of none. */
type Judged = {
  readonly message: Message
  readonly fields: Fields | null
  readonly refused: BadNotice['code'] | null
  readonly payment: StoredPayment | null
  readonly event: EventConfig | null
  readonly claimsMoney: boolean
}

async function judged(deps: Deps, kind: Message['kind'], read: Read): Promise<Judged> {
  const fields = readFields(read.body, read.contentType)
  const orderId = fields === null ? null : (inCapitals(fields)['TRANSACTIONID'] ?? null)
  const notice = fields === null ? null : deps.gateway.readNotice(fields)
  // An order of an event that is not served, or takes no money any more, is still ours.
  const unserved = notice?.ok === false && notice.error.code === 'unknown_order'
  const ordered = notice?.ok === true ? notice.value.orderId : unserved ? orderId : null
  const payment = ordered === null ? null : await deps.store.payment(ordered)
  // A hash that never fits tells that account or protocol are not as we believe; it stops nothing.
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

/** Money claimed for a payment that has ended is looked for, however often the first question stays without an answer. False: not stored. */
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

/** Asks; and money that is claimed and that the gateway does not know of is on its way, so that nobody is asked to pay again. */
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
 * Money that is claimed for an order that is not in the database: asked about at once, or noted to be asked about; null: it claims no
 * money, or names no event of ours. The message is kept first, because it may name who paid.
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
/** As the gateway takes it. */
const ORDER_ID = /^[A-Za-z0-9]{1,20}$/

/**
 * The browser coming back: judged, stored, verified for at most five seconds, then sent to the page of
 * what is stored. It comes from another site and carries no cookie; it needs none, because it changes
 * nothing by itself. Dispatched to for the path an event file names, and under the usual one.
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
  // The page says whom to write to; staff see the money.
  if (looked === 'kept') return reply.redirect(UNKNOWN_PAYMENT_PAGE, 303)
  if (payment === null) {
    // What is tried at a shut door is nobody's guess: it does not help to shut the event to all others.
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
  // The event's file was removed: its pages are gone, and the money is looked for all the same.
  if (event === null) return reply.redirect(UNKNOWN_PAYMENT_PAGE, 303)
  // Whoever guesses learns nothing, also not from how long it takes; whoever paid gets the page all the same.
  if (isBarred) return reply.redirect(untoldAddress(event, payment.orderId), 303)
  await guard.know(address, event.id, payment.regNo)
  await verified
  const now = await deps.store.registration(payment.regNo)
  return reply.redirect(resultAddress(event.routes, now, payment, deps.clock()), 303)
}

/** Where a message leads that was not taken in: nothing is known but the order that it names. */
function greeting({ events }: Deps, read: Read | null): string {
  const fields = read === null ? null : readFields(read.body, read.contentType)
  const orderId = fields === null ? undefined : inCapitals(fields)['TRANSACTIONID']
  const event = orderId === undefined ? null : events.byOrderId(orderId)
  return event === null || orderId === undefined
    ? UNKNOWN_PAYMENT_PAGE
    : untoldAddress(event.config, orderId)
}

/** The page that looks the order up, through the guard like everybody; said of an order whether it is there or not. */
function untoldAddress(event: EventConfig, orderId: string): string {
  return `${event.routes.success}?${new URLSearchParams({ orderId }).toString()}`
}

/** The address is a greeting only: the page reads what is stored. */
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
    // The same for an order that is there: the gateway sends it again, and a guesser learns nothing.
    if (waitMs > 0) return refuseTooMany(reply, waitMs, 'messages')
    return refuseNotice(reply, fields === null ? 'unreadable' : (refused ?? 'unknown_order'))
  }
  // Stored and due before it is answered: whatever happens to us now, the reconciler asks.
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

function refuseNotice(reply: FastifyReply, code: BadNotice['code'] | 'unreadable'): FastifyReply {
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

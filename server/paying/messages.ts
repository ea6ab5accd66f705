/** What comes back from the gateway (the browser's return, the server's notice), and a further attempt for a payment that failed. */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { amountText, assertNever, isoIndia } from '../../engine/index.ts'
import type { Instant, RegisterAnswer } from '../../engine/index.ts'
import { refuse, toldOf } from '../http/refuse.ts'
import { pathOf } from '../http/event-calls.ts'
import type { Call } from '../http/event-calls.ts'
import type { Deps } from '../deps.ts'
import { MESSAGE_BYTES_MAX, readFields } from './gateway/fields.ts'
import { noticePath, usualReturnPath } from './gateway/open.ts'
import { limitByAddress } from '../http/limit.ts'
import type { Allowance } from '../http/limit.ts'
import { within } from '../machine/clock.ts'
import { handOff, payAgain } from '../registering/pay-again.ts'
import { payAgainRefused, sendRefusal } from '../registering/refusals.ts'
import { UNKNOWN_PAYMENT_PAGE } from '../pages/pages.ts'
import type { StoredPayment, StoredRegistration } from '../store/store.ts'

/** A person who comes back waits for a page: after this we say that we are still confirming. */
const RETURN_WAIT_MS = 5_000
/** Nobody waits for a page here. */
const NOTICE_ASK_MS = 20_000
/** A hall behind one address pays at the same time; a gateway repeats itself. More than this is neither. */
const MESSAGES_PER_ADDRESS: Allowance = { triesMax: 600, windowMs: 60_000 }
/** Nobody fails this often in a minute, even with a hall behind the address. */
const RETRIES_PER_ADDRESS: Allowance = { triesMax: 20, windowMs: 60_000 }

type Read = { readonly body: string; readonly contentType: string }

export async function paymentRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const tooManyMessages = limitByAddress(deps, MESSAGES_PER_ADDRESS)
  const tooManyRetries = limitByAddress(deps, RETRIES_PER_ADDRESS)

  const comeBack = gatewayReturn(deps)
  const back: Call['handle'] = async (request, reply) =>
    tooManyMessages(request, reply) ? reply : comeBack(request, reply)
  app.eventCalls.add(({ config }) => {
    const path = config.api.gatewayReturn
    return path === null
      ? []
      : (['POST', 'GET'] as const).map((method) => ({ method, path, handle: back }))
  })

  await app.register(async (scope) => {
    // Bodies stay as they came: they are stored verbatim before anybody reads them.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    for (const slash of [true, false]) {
      const at = (path: string): string => (slash ? path : path.slice(0, -1))
      scope.route({
        method: ['GET', 'POST'],
        url: at(usualReturnPath),
        handler: (request, reply) => back(request, reply, {}),
      })
      scope.post(at(noticePath), async (request, reply) =>
        tooManyMessages(request, reply) ? reply : takeNotice(deps, request, reply),
      )
      scope.post(at('/api/payment/retry/'), async (request, reply) =>
        tooManyRetries(request, reply) ? reply : tryAgain(deps, request, reply),
      )
    }
  })
}

/**
 * The browser coming back: stored, verified for at most five seconds, then sent to the page of what is
 * stored. It comes from another site and carries no cookie; it needs none, because it changes nothing
 * by itself. Dispatched to for the path an event file names, and under the usual one.
 */
export function gatewayReturn(
  deps: Deps,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  return async (request, reply) => {
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
    const read = await readMessage(request)
    if (read === null || read.body === '') return reply.redirect(UNKNOWN_PAYMENT_PAGE, 303)
    const fields = readFields(read.body, read.contentType)
    const named = fields?.['TRANSACTIONID']?.trim() ?? null
    const kept = await keep(deps, 'return', named, read)
    const notice = fields === null ? null : deps.gateway.readNotice(fields)
    const payment =
      notice === null || !notice.ok ? null : await deps.store.payment(notice.value.orderId)
    const event = payment === null ? undefined : deps.events.byId(payment.eventId)?.config
    if (payment === null || event === undefined) {
      deps.log.warn(
        { code: notice === null ? 'malformed' : notice.ok ? 'unknown_order' : notice.error.code },
        'a return that fits no payment',
      )
      return reply.redirect(UNKNOWN_PAYMENT_PAGE, 303)
    }
    if (kept)
      await within(RETURN_WAIT_MS, deps.payments.verify(payment.orderId, RETURN_WAIT_MS), (error) =>
        deps.log.error({ error: String(error) }, 'a payment could not be verified'),
      )
    const now = await deps.store.registration(payment.regNo)
    return reply.redirect(resultAddress(event.routes, now, payment, deps.clock()), 303)
  }
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
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const read = await readMessage(request)
  if (read === null) return refuse(reply, 413, toldOf(413).code, toldOf(413).message)
  const fields = readFields(read.body, read.contentType)
  const named = fields?.['TRANSACTIONID']?.trim() ?? null
  if (!(await keep(deps, 'notice', named, read))) {
    reply.header('retry-after', '5')
    return refuse(reply, 503, 'not_stored', 'The notice could not be stored. Please send it again.')
  }
  if (fields === null)
    return refuse(reply, 400, 'malformed', 'The notice is neither a posted form nor a JSON object.')
  const notice = deps.gateway.readNotice(fields)
  if (!notice.ok) {
    deps.log.warn({ code: notice.error.code }, 'a notice was refused')
    switch (notice.error.code) {
      case 'malformed':
        return refuse(reply, 400, 'malformed', 'The notice lacks fields that every notice has.')
      case 'wrong_crc':
        return refuse(reply, 400, 'wrong_crc', 'The hash of the notice does not fit its fields.')
      case 'unknown_order':
        return refuse(reply, 404, 'unknown_order', 'Nobody placed this order.')
      default:
        return assertNever(notice.error.code)
    }
  }
  const payment = await deps.store.payment(notice.value.orderId)
  if (payment === null) return refuse(reply, 404, 'unknown_order', 'Nobody placed this order.')
  const verified = deps.payments.verify(payment.orderId, NOTICE_ASK_MS).catch((error: unknown) => {
    deps.log.error({ error: String(error) }, 'a notice could not be verified')
    return 'pending' as const
  })
  // It is stored, and the reconciler asks about whatever is pending: the gateway need not wait for us. Nobody asks
  // about a failed payment again, so a notice of late money is taken only once we know what it is about.
  if (payment.status === 'failed' && (await verified) === 'pending') {
    reply.header('retry-after', '60')
    return refuse(
      reply,
      503,
      'not_verified',
      'The notice is stored and could not be verified yet. Please send it again.',
    )
  }
  return reply.send({ status: 'success' })
}

/** Whether the message is on disk. */
async function keep(
  deps: Deps,
  kind: 'return' | 'notice',
  orderId: string | null,
  { body, contentType }: Read,
): Promise<boolean> {
  const gateway =
    (orderId === null ? null : deps.events.byOrderId(orderId)?.config.payment?.gateway.name) ??
    'unknown'
  try {
    await deps.store.recordNotice({
      gateway,
      kind,
      orderId: orderId === '' ? null : orderId,
      body,
      contentType,
      at: deps.clock(),
    })
    return true
  } catch (error) {
    deps.log.error({ kind, error: String(error) }, 'a message of the gateway could not be stored')
    return false
  }
}

/** The text of the body, or of the query for a GET; null when it is too long or broke off. */
async function readMessage(request: FastifyRequest): Promise<Read | null> {
  if (request.method === 'GET')
    return {
      body: request.url.slice(pathOf(request).length + 1),
      contentType: 'application/x-www-form-urlencoded',
    }
  const contentType = request.headers['content-type'] ?? ''
  const stream = request.body as Readable | null | undefined
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream ?? []) {
      length += (chunk as Buffer).length
      if (length <= MESSAGE_BYTES_MAX) chunks.push(chunk as Buffer)
    }
  } catch {
    return null
  }
  return length > MESSAGE_BYTES_MAX
    ? null
    : { body: Buffer.concat(chunks).toString('utf8'), contentType }
}

async function tryAgain(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.header('cache-control', 'no-store')
  const read = await readMessage(request)
  const orderId =
    (read === null ? null : readFields(read.body, read.contentType))?.['order_id']?.trim() ?? ''
  const known =
    orderId === ''
      ? null
      : ((await deps.store.payment(orderId))?.regNo ??
        (await deps.store.registration(orderId))?.regNo ??
        null)
  const registration = known === null ? null : await deps.store.registration(known)
  const event = registration === null ? undefined : deps.events.byId(registration.eventId)?.config
  if (registration === null || event === undefined || event.payment === null)
    return refuse(reply, 404, 'not_found', 'Registration details not found')
  const at = deps.clock()
  const due = await payAgain(deps, event, registration.regNo, at)
  if (!due.ok) return sendRefusal(reply, payAgainRefused(due.error))
  // An open order is not tried again: its page may still be in front of the delegate.
  if (!due.value.isNew) return sendRefusal(reply, payAgainRefused({ code: 'nothing_due' }))
  const answer: RegisterAnswer = {
    status: 'success',
    message: 'You can try the payment again.',
    reg_no: registration.regNo,
    payment_data: handOff(deps, event, due.value, at),
  }
  return reply.code(201).send(answer)
}

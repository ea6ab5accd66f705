/** Emails a delegate the access links of all registrations with a given email address. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readDelegate, foldText, isEmail } from '../../engine/index.ts'
import { buildLostLinkEmail, SERVER_MESSAGES } from '../../engine/messages.ts'
import type { Deps } from '../dependencies.ts'
import { getAddressKey, openLimit, sendTooMany, takeFromAll } from '../http/rate-limit.ts'
import type { Allowance, NestedLimits } from '../http/rate-limit.ts'
import { sendError } from '../http/error-response.ts'

/** Several delegates behind one address may have lost their links. The limit slows down scripts. */
const REQUESTS_PER_CLIENT: Allowance = { maxAttempts: 10, windowMs: 10 * 60_000 }
/**
 * A delegate who cannot find any of three emails within an hour needs other help. The limit also applies to emails
 * that someone else triggers.
 */
const REQUESTS_PER_EMAIL: Allowance = { maxAttempts: 3, windowMs: 60 * 60_000 }
/** If staff register many delegates under the office's address, the email contains only the newest links. */
const MAX_LINKS = 50
/** The maximum length; no address is longer. */
const MAX_EMAIL_CHARACTERS = 254

const SENT_MESSAGE = SERVER_MESSAGES.link.sent

/**
 * Adds the route. Registrations are private, so the response and its timing are the same whether or not the address has
 * registrations. The email is queued after the response.
 */
export function addLostLinkRoute(app: FastifyInstance, deps: Deps): void {
  const perClient = openLimit(deps, REQUESTS_PER_CLIENT)
  const perEmail = openLimit(deps, REQUESTS_PER_EMAIL)

  const handleRequest = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
    const email = readEmail(request.body)
    const at = deps.clock()
    if (email === null) return sendError(reply, 422, 'invalid_email', SERVER_MESSAGES.link.noEmail)
    const limits: NestedLimits = [
      [perClient, getAddressKey(request)],
      [perEmail, foldText(email)],
    ]
    const waitMs = await takeFromAll(limits, at)
    if (waitMs > 0) return sendTooMany(reply, waitMs)
    setImmediate(() => {
      sendLinks(deps, email).catch((error: unknown) =>
        deps.log.error({ error: String(error) }, 'an email with access links could not be queued'),
      )
    })
    return reply.send({ status: 'success', message: SENT_MESSAGE })
  }

  for (const slash of ['', '/']) app.post(`/api/my${slash}`, handleRequest)
}

function readEmail(body: unknown): string | null {
  const email =
    typeof body === 'object' && body !== null && 'email' in body && typeof body.email === 'string'
      ? body.email.trim()
      : ''
  return email.length <= MAX_EMAIL_CHARACTERS && isEmail(email) ? email : null
}

/** Sends one email per event, to the stored address. */
async function sendLinks({ store, events, clock }: Deps, email: string): Promise<void> {
  const configs = events.all().map(({ config }) => config)
  const foundRegistrations = await store.searchEvents(
    configs.map(({ id }) => id),
    email,
    MAX_LINKS,
  )
  for (const event of configs) {
    const registrations = foundRegistrations.filter(
      ({ eventId, answers }) =>
        eventId === event.id && foldText(readDelegate(event, answers).email) === foldText(email),
    )
    const [newest] = registrations
    if (newest === undefined) continue
    const linkEmail = buildLostLinkEmail(
      event,
      readDelegate(event, newest.answers).email,
      registrations,
    )
    if (linkEmail !== null) await store.queueAccessLinks(newest.regNo, linkEmail, clock())
  }
}

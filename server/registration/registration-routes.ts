/** Defines the routes that an event file names: register, read a registration, price list. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getOwn } from '../../engine/index.ts'
import { buildTariff } from '../../engine/api.ts'
import { REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { RegistrationAnswer } from '../../engine/api.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'
import { readBody } from '../http/request-body.ts'
import type { Call } from '../http/event-route-table.ts'
import { addressOf, refuseTooMany } from '../http/rate-limit.ts'
import { refuse } from '../http/error-response.ts'
import { refusesOtherThanText } from '../http/text-only-json.ts'
import type { Guesses } from './code-guessing-limit.ts'
import { leftOf } from './look-up-pricing-context.ts'
import { findRegistration, hasItsKey, isCountable, isEmailOf } from './find-registration.ts'
import type { LookupGuard } from './find-registration.ts'
import { withoutNewHolder, withOwnAnswers } from './answers-after-transfer.ts'
import { bodyRefused, sendRefusal } from './registration-errors.ts'
import { registerCall } from './submit-registration.ts'
import { publicView } from './registration-for-emails-and-public.ts'

const { emailNeeded: EMAIL_NEEDED, emailDiffers: EMAIL_DIFFERS } = REFUSAL_MESSAGES.lookup

/** Adds the routes of every served event to the routing table. */
export function registeringCalls(
  app: FastifyInstance,
  deps: Deps,
  guard: LookupGuard,
  guesses: Guesses,
): void {
  const register = registerCall(deps, guard, guesses)

  /** `email` undefined: the request has no email address. */
  const answer = async (
    served: ServedEvent,
    request: FastifyRequest,
    reply: FastifyReply,
    text: string,
    email: unknown,
  ): Promise<FastifyReply> => {
    const { config } = served
    const address = addressOf(request)
    const wait = await guard.wait(address, config.id, text)
    if (wait > 0) return refuseTooMany(reply, wait)
    const found = await findRegistration(deps, config, text)
    if (found === null) {
      await guard.count(address, config.id)
      return refuse(reply, 404, 'not_found', config.results.errors.notFound)
    }
    const saidEmail = isEmailOf(config, found, email)
    if (!saidEmail && (isCountable(found, text) || email !== undefined)) {
      await guard.count(address, config.id)
      return email === undefined
        ? refuse(reply, 403, 'email_needed', EMAIL_NEEDED)
        : refuse(reply, 403, 'email_differs', EMAIL_DIFFERS)
    }
    await guard.know(address, config.id, found.regNo, text)
    const isProven = saidEmail || (await hasItsKey(deps, request, found))
    const acts = await deps.store.acts(found.regNo)
    const shown = isProven
      ? withOwnAnswers(config, found, acts)
      : withoutNewHolder(config, found, acts)
    const registration = publicView(config, shown, deps.clock(), isProven)
    const said: RegistrationAnswer = {
      status: 'success',
      registration,
      ...(isProven ? {} : { partial: true }),
    }
    return reply.send(said)
  }

  const read =
    (served: ServedEvent): Call['handle'] =>
    async (request, reply, params) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      return answer(served, request, reply, params.reg_no ?? '', undefined)
    }

  /**
   * The same with the email address, which must not be in a URL. It shows more, and is required where the number
   * can be guessed by counting.
   */
  const readWithEmail =
    (served: ServedEvent): Call['handle'] =>
    async (request, reply, params) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      const body = await readBody(request, new Map(), deps.uploads)
      if (!body.ok) return sendRefusal(reply, bodyRefused(served.config, body.error))
      if (refusesOtherThanText(reply, body.value.values, ['email'])) return reply
      const email = getOwn(body.value.values, 'email') ?? undefined
      return answer(served, request, reply, params.reg_no ?? '', email)
    }

  app.eventCalls.add((served) => {
    const { api } = served.config
    return [
      {
        method: 'POST',
        path: api.register,
        handle: (request, reply) => register(served, request, reply),
      },
      { method: 'GET', path: api.registration, handle: read(served) },
      { method: 'POST', path: api.registration, handle: readWithEmail(served) },
      {
        method: 'GET',
        path: api.tariff,
        handle: async (_request, reply) => {
          const { config } = served
          const at = deps.clock()
          const left = await leftOf(deps, config, at)
          return reply.header('cache-control', 'no-store').send(buildTariff(config, at, left))
        },
      },
    ]
  })
}

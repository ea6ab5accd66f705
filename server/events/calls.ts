/** The calls a delegate's browser makes: register, read a registration, the tariff, the events. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tariff } from '../../engine/index.ts'
import type { EventsAnswer, RegistrationAnswer } from '../../engine/index.ts'
import { refuse, toldOf } from '../http/refuse.ts'
import type { Call } from '../http/event-calls.ts'
import type { Deps, ServedEvent } from '../deps.ts'
import { findRegistration, lookupGuard } from '../registering/lookup.ts'
import { registerCall } from '../registering/register.ts'
import { registrationView } from '../registering/view.ts'
import { eventAnswer, validatorModule } from './validators.ts'

/** A validator's address holds the hash of its content, so it may be kept for ever. */
const forEver = 'public, max-age=31536000, immutable'

export async function publicRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const register = registerCall(app, deps)
  const guard = lookupGuard(deps)

  const registration =
    (served: ServedEvent): Call['handle'] =>
    async (request, reply, params) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      const text = params.reg_no ?? ''
      const wait = guard.wait(request.ip, served.config.id)
      if (wait > 0) {
        reply.header('retry-after', String(Math.ceil(wait / 1000)))
        return refuse(reply, 429, toldOf(429).code, toldOf(429).message)
      }
      const found = await findRegistration(deps, served.config, text)
      if (found === null) {
        guard.count(request.ip, served.config.id)
        return refuse(reply, 404, 'not_found', served.config.results.errors.notFound)
      }
      const answer: RegistrationAnswer = {
        status: 'success',
        registration: registrationView(served.config, found),
      }
      return reply.send(answer)
    }

  app.eventCalls.add((served) => [
    {
      method: 'POST',
      path: served.config.api.register,
      handle: (request, reply) => register(served, request, reply),
    },
    { method: 'GET', path: served.config.api.registration, handle: registration(served) },
    {
      method: 'GET',
      path: served.config.api.tariff,
      handle: async (_request, reply) =>
        reply.header('cache-control', 'no-store').send(tariff(served.config, deps.clock())),
    },
  ])

  const events = async (_request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const answer: EventsAnswer = { status: 'success', events: [...deps.events.cards(deps.clock())] }
    return reply.header('cache-control', 'no-cache').send(answer)
  }
  const event = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const served = deps.events.byId(request.params.id)
    if (served === null)
      return refuse(reply, 404, 'no_such_event', 'There is no event of this name.')
    return reply.header('cache-control', 'no-cache').send(eventAnswer(served, deps.clock()))
  }
  for (const slash of ['', '/']) {
    app.get(`/api/events${slash}`, events)
    app.get(`/api/events/:id${slash}`, event)
  }
  app.get<{ Params: { id: string; file: string } }>(
    '/api/events/:id/:file',
    async (request, reply) => {
      const hash = /^validator\.([0-9a-f]{16})\.js$/.exec(request.params.file)?.[1]
      const module =
        hash === undefined ? null : validatorModule(deps.events.byId(request.params.id), hash)
      if (module === null) return refuse(reply, 404, toldOf(404).code, toldOf(404).message)
      reply
        .header('cache-control', forEver)
        .header('vary', 'accept-encoding')
        .type('text/javascript; charset=utf-8')
      return /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
        ? reply.header('content-encoding', 'gzip').send(module.gzip)
        : reply.send(module.text)
    },
  )
}

/** The calls that an event file names: register, read a registration, the tariff. */
import type { FastifyInstance } from 'fastify'
import { tariff } from '../../engine/index.ts'
import type { RegistrationAnswer } from '../../engine/index.ts'
import type { Deps, ServedEvent } from '../deps.ts'
import type { Call } from '../http/event-calls.ts'
import { addressOf, refuseTooMany } from '../http/limit.ts'
import { refuse } from '../http/refuse.ts'
import { findRegistration, lookupGuard } from './lookup.ts'
import { registerCall } from './register.ts'
import { registrationView } from './view.ts'

/** Adds the three calls of every served event to the table of calls. */
export function registeringCalls(app: FastifyInstance, deps: Deps): void {
  const register = registerCall(deps)
  const guard = lookupGuard(deps)

  const read =
    (served: ServedEvent): Call['handle'] =>
    async (request, reply, params) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      const text = params.reg_no ?? ''
      const wait = guard.wait(addressOf(request), served.config.id)
      if (wait > 0) return refuseTooMany(reply, wait)
      const found = await findRegistration(deps, served.config, text)
      if (found === null) {
        guard.count(addressOf(request), served.config.id)
        return refuse(reply, 404, 'not_found', served.config.results.errors.notFound)
      }
      const answer: RegistrationAnswer = {
        status: 'success',
        registration: registrationView(served.config, found),
      }
      return reply.send(answer)
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
      {
        method: 'GET',
        path: api.tariff,
        handle: async (_request, reply) =>
          reply.header('cache-control', 'no-store').send(tariff(served.config, deps.clock())),
      },
    ]
  })
}

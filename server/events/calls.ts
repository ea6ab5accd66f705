/** What a browser asks of the events: all of them, one of them, and the module that checks its form. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EventsAnswer } from '../../engine/index.ts'
import { refuse, toldOf } from '../http/refuse.ts'
import type { Deps } from '../deps.ts'
import { eventAnswer, validatorModule } from './validators.ts'

/** A validator's address holds the hash of its content, so it may be kept for ever. */
const FOR_EVER = 'public, max-age=31536000, immutable'

export async function eventRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
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
      return refuse(reply, 404, 'no_such_event', 'There is no event with this name.')
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
        .header('cache-control', FOR_EVER)
        .header('vary', 'accept-encoding')
        .type('text/javascript; charset=utf-8')
      return /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
        ? reply.header('content-encoding', 'gzip').send(module.gzip)
        : reply.send(module.text)
    },
  )
}

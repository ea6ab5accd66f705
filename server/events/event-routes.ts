/** Serves events to the browser: list, details, form validator, share image and calendar entry. */
import { REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EventsAnswer } from '../../engine/api.ts'
import { refuse, toldOf } from '../http/error-response.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'
import { pictureBytes } from './share-image.ts'
import { calendarOf } from './calendar-entry.ts'
import { earlierModule, eventAnswer, validatorModule } from './answer-validators.ts'

/** An address that contains the hash of its content can be cached permanently. */
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
    const served = await known(deps, request.params.id)
    if (served === null) return refuse(reply, 404, 'no_such_event', REFUSAL_MESSAGES.noSuchEvent)
    return reply.header('cache-control', 'no-cache').send(eventAnswer(served, deps.clock()))
  }
  for (const slash of ['', '/']) {
    app.get(`/api/events${slash}`, events)
    app.get(`/api/events/:id${slash}`, event)
  }
  app.get<{ Params: { id: string; file: string } }>(
    '/api/events/:id/:file',
    async (request, reply) => {
      const { id, file } = request.params
      const served = await known(deps, id)
      if (file === 'calendar.ics' && served !== null)
        return reply
          .header('cache-control', 'no-cache')
          .header('content-disposition', `attachment; filename="${id}.ics"`)
          .type('text/calendar; charset=utf-8')
          .send(calendarOf(served.config, deps.environment.publicUrl, deps.clock()))
      const drawn = /^picture\.([0-9a-f]{16})\.png$/.exec(file)?.[1]
      const picture = drawn === undefined ? null : await pictureUnder(deps, id, drawn)
      if (picture !== null)
        return reply.header('cache-control', FOR_EVER).type('image/png').send(picture)
      const hash = /^validator\.([0-9a-f]{16})\.js$/.exec(file)?.[1]
      const module =
        hash === undefined
          ? null
          : (validatorModule(served, hash) ?? (await earlierModule(deps, id, hash)))
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

/** Also finds an event that another server has activated a moment ago. */
async function known({ events }: Pick<Deps, 'events'>, id: string): Promise<ServedEvent | null> {
  const served = events.byId(id)
  return served === null && (await events.follow()) ? events.byId(id) : served
}

async function pictureUnder(
  { events }: Pick<Deps, 'events'>,
  id: string,
  hash: string,
): Promise<Buffer | null> {
  const picture = async (): Promise<Buffer | null> => {
    const served = events.byId(id)
    return served === null ? null : pictureBytes(served.config, hash)
  }
  return (await picture()) ?? ((await events.follow()) ? picture() : null)
}

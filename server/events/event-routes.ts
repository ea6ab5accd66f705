/** Serves events to the browser: list, details, form validator, share image and calendar entry. */
import { SERVER_MESSAGES } from '../../engine/messages.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getLastPriceInstant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { EventsResponse } from '../../engine/api.ts'
import { buildSecurityHeaders } from '../http/security-headers.ts'
import { sendStored } from '../http/stored-responses.ts'
import type { BuiltResponse, StoredResponses } from '../http/stored-responses.ts'
import { sendError, getErrorForStatus } from '../http/error-response.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'
import { getShareImageBytes } from './share-image.ts'
import { createCalendarEntry } from './calendar-entry.ts'
import { findEarlierModule, buildEventResponse, findModule } from './answer-validators.ts'

/** A URL that contains the hash of its content can be cached permanently. */
const PERMANENT_CACHE = 'public, max-age=31536000, immutable'
const JSON_TYPE = 'application/json; charset=utf-8'

export async function addEventRoutes(
  app: FastifyInstance,
  deps: Deps,
  responses: StoredResponses,
): Promise<void> {
  const headers = buildSecurityHeaders(deps.environment)
  /** Sends a response that is the same for every visitor. */
  const sendPublic = async (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    buildResponse: (validSince: Instant) => Omit<BuiltResponse, 'headers'>,
  ): Promise<FastifyReply> => {
    const validSince = getLastPriceInstant(deps.clock())
    const storedResponse = responses.get(validSince, key, () => ({
      ...buildResponse(validSince),
      headers,
    }))
    return sendStored(request, reply, await storedResponse)
  }

  const handleEvents = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
    sendPublic(request, reply, 'events', (validSince) => {
      const response: EventsResponse = {
        status: 'success',
        events: [...deps.events.cards(validSince)],
      }
      return { text: JSON.stringify(response), type: JSON_TYPE }
    })
  const handleEvent = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const served = await findEvent(deps, request.params.id)
    if (served === null) return sendError(reply, 404, 'no_such_event', SERVER_MESSAGES.noSuchEvent)
    return sendPublic(request, reply, `event ${served.config.id}`, (validSince) => ({
      text: JSON.stringify(buildEventResponse(served, validSince)),
      type: JSON_TYPE,
    }))
  }
  for (const slash of ['', '/']) {
    app.get(`/api/events${slash}`, handleEvents)
    app.get(`/api/events/:id${slash}`, handleEvent)
  }
  app.get<{ Params: { id: string; file: string } }>(
    '/api/events/:id/:file',
    async (request, reply) => {
      const { id, file } = request.params
      const served = await findEvent(deps, id)
      if (file === 'calendar.ics' && served !== null)
        return reply
          .header('cache-control', 'no-cache')
          .header('content-disposition', `attachment; filename="${id}.ics"`)
          .type('text/calendar; charset=utf-8')
          .send(createCalendarEntry(served.config, deps.environment.publicUrl, deps.clock()))
      const imageHash = /^picture\.([0-9a-f]{16})\.png$/.exec(file)?.[1]
      const image = imageHash === undefined ? null : await findImage(deps, id, imageHash)
      if (image !== null)
        return reply.header('cache-control', PERMANENT_CACHE).type('image/png').send(image)
      const hash = /^validator\.([0-9a-f]{16})\.js$/.exec(file)?.[1]
      const module =
        hash === undefined
          ? null
          : (findModule(served, hash) ?? (await findEarlierModule(deps, id, hash)))
      if (module === null)
        return sendError(reply, 404, getErrorForStatus(404).code, getErrorForStatus(404).message)
      return sendPublic(request, reply, `validator ${hash}`, () => ({
        text: module,
        type: 'text/javascript; charset=utf-8',
        cacheControl: PERMANENT_CACHE,
      }))
    },
  )
}

/** Finds an event, even if another server has activated it only a moment ago. */
async function findEvent(
  { events }: Pick<Deps, 'events'>,
  id: string,
): Promise<ServedEvent | null> {
  const served = events.findById(id)
  return served === null && (await events.refresh()) ? events.findById(id) : served
}

async function findImage(
  { events }: Pick<Deps, 'events'>,
  id: string,
  hash: string,
): Promise<Buffer | null> {
  const readImage = async (): Promise<Buffer | null> => {
    const served = events.findById(id)
    return served === null ? null : getShareImageBytes(served.config, hash)
  }
  return (await readImage()) ?? ((await events.refresh()) ? readImage() : null)
}

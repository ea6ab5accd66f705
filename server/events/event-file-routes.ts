/** Serves event files as their authors wrote them, for the page that shows the effects of a file. */
import { SERVER_MESSAGES } from '../../engine/messages.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EventFile, EventFileResponse } from '../../engine/api.ts'
import type { SharedFiles } from '../../engine/authoring.ts'
import { collapseEmptyLines, removeComments } from '../../engine/authoring.ts'
import { sendError } from '../http/error-response.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'

/**
 * Returns the public part of a served event's file: everything except the authors' comments and the office's address,
 * which is replaced by the support address (docs/decisions.md, Event files). The file contains no credentials; those
 * are in the environment. Organisers start their own file from it, so runs of empty lines are reduced to one.
 */
export function buildPublicFile({ config, text }: ServedEvent): EventFile {
  const { id, office, support } = config
  const publicText = withoutEmptyLines.get(text)
  return {
    path: `events/${id}.yaml`,
    text: office === undefined ? publicText : publicText.replaceAll(office, support),
  }
}

/** More texts than are usually viewed. The oldest are dropped first. */
const MAX_CACHED_TEXTS = 100

/** Caches the results of `convert`, because a file does not change while it is served. */
function cacheTexts(convert: (text: string) => string): { get: (text: string) => string } {
  const results = new Map<string, string>()
  return {
    get: (text) => {
      const cachedResult = results.get(text)
      if (cachedResult !== undefined) return cachedResult
      const result = convert(text)
      results.set(text, result)
      for (const oldest of results.keys())
        if (results.size > MAX_CACHED_TEXTS) results.delete(oldest)
      return result
    },
  }
}
const withoutComments = cacheTexts(removeComments)
const withoutEmptyLines = cacheTexts((text) => collapseEmptyLines(removeComments(text)))

/** Returns the shared files that the event was compiled with, without comments. */
export function buildSharedFiles({ shared }: ServedEvent): SharedFiles {
  const texts = JSON.parse(shared) as Record<keyof SharedFiles, string>
  const findFile = (name: keyof SharedFiles) => ({
    path: `events/_shared/${name}.yaml`,
    text: withoutComments.get(texts[name]),
  })
  return { lists: findFile('lists'), gateways: findFile('gateways'), texts: findFile('texts') }
}

export async function addEventFileRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const handleFile = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const served = deps.events.findById(request.params.id)
    if (served === null) return sendError(reply, 404, 'no_such_event', SERVER_MESSAGES.noSuchEvent)
    const file: EventFileResponse = { status: 'success', ...buildPublicFile(served) }
    return reply.header('cache-control', 'no-cache').send(file)
  }
  for (const slash of ['', '/']) app.get(`/api/events/:id/file${slash}`, handleFile)
}

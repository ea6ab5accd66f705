/** Serves event files as their authors wrote them, for the page that shows what a file produces. */
import { REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EventFile, EventFileAnswer } from '../../engine/api.ts'
import type { SharedFiles } from '../../engine/authoring.ts'
import { withoutComments } from '../../engine/authoring.ts'
import { refuse } from '../http/error-response.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'

/**
 * Returns the public part of a served event's file: everything except the authors' comments, whose lines stay
 * empty, and the office's address, which is replaced by the support address (docs/decisions.md, Event files). The file
 * holds no credentials; those are in the environment.
 */
export function eventFile({ config, text }: ServedEvent): EventFile {
  const { id, office, support } = config
  const bare = withoutRemarks(text)
  return {
    path: `events/${id}.yaml`,
    text: office === undefined ? bare : bare.replaceAll(office, support),
  }
}

/** Cache: a text does not change while it is served, nor does the result. */
const remarksOut = new Map<string, string>()
/** More than the texts of any folder that is viewed; the oldest are dropped first. */
const TEXTS_KEPT_MAX = 100

function withoutRemarks(text: string): string {
  const known = remarksOut.get(text)
  if (known !== undefined) return known
  const made = withoutComments(text)
  remarksOut.set(text, made)
  for (const oldest of remarksOut.keys())
    if (remarksOut.size > TEXTS_KEPT_MAX) remarksOut.delete(oldest)
  return made
}

/** Returns the shared files that the event was compiled with, without comments. */
export function sharedFiles({ shared }: ServedEvent): SharedFiles {
  const texts = JSON.parse(shared) as Record<keyof SharedFiles, string>
  const file = (name: keyof SharedFiles) => ({
    path: `events/_shared/${name}.yaml`,
    text: withoutRemarks(texts[name]),
  })
  return { lists: file('lists'), gateways: file('gateways'), texts: file('texts') }
}

export async function eventFileRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const answer = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const served = deps.events.byId(request.params.id)
    if (served === null) return refuse(reply, 404, 'no_such_event', REFUSAL_MESSAGES.noSuchEvent)
    const file: EventFileAnswer = { status: 'success', ...eventFile(served) }
    return reply.header('cache-control', 'no-cache').send(file)
  }
  for (const slash of ['', '/']) app.get(`/api/events/:id/file${slash}`, answer)
}

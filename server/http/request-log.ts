/** One line of the log per request: no address, no query, and in the path no number that names a registration. */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../dependencies.ts'
import { pathOf } from './event-route-table.ts'

/** Longer than any path of ours; the log is not a place to write into. */
const PATH_CHARACTERS_MAX = 200
/** What is looked at of a longer one: every character of the above may come encoded, and encoded again. */
const LOOKED_AT_CHARACTERS_MAX = 5 * PATH_CHARACTERS_MAX
/** Encoded more often than this, a path is nobody's mistake. */
const DECODINGS_MAX = 4

/** The token of a link, which opens a registration; no other segment of ours is so long. */
const TOKEN = /^[\w-]{32,}$/

export function logRequests(app: FastifyInstance, deps: Deps): void {
  // In a rush nearly every request asks for the same path as the one before.
  let last: { readonly path: string; readonly blanked: string } | null = null
  deps.events.onChange(() => {
    last = null
  })
  const blankedPath = (path: string): string => {
    if (last?.path !== path) last = { path, blanked: blanked(path, deps) }
    return last.blanked
  }
  app.addHook('onResponse', (request, reply, done) => {
    deps.log.info(
      {
        id: request.id,
        method: request.method,
        path: blankedPath(pathOf(request)),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
    done()
  })
}

/** A path whose segments could name a registration, without them, however they are written; cut where it is long. */
export function blanked(path: string, deps: Pick<Deps, 'events'>): string {
  const plain = decoded(path.slice(0, LOOKED_AT_CHARACTERS_MAX))
  if (plain === null) return '…'
  const isCut = plain.length > PATH_CHARACTERS_MAX || path.length > LOOKED_AT_CHARACTERS_MAX
  // Cut at a segment, so that no half of a number is left that is not known for one.
  const kept = isCut ? plain.slice(0, plain.lastIndexOf('/', PATH_CHARACTERS_MAX) + 1) : plain
  const segments = kept
    .split('/')
    .map((part) =>
      (part !== '' && deps.events.byOrderId(part) !== null) || TOKEN.test(part)
        ? '…'
        : part.replaceAll(/\d{6,}/g, '…'),
    )
    .join('/')
  return isCut ? `${segments}…` : segments
}

/** The ASCII letters of a path, whatever stands around them; null: encoded without end. */
function decoded(path: string): string | null {
  let plain = path
  for (let times = 0; times <= DECODINGS_MAX; times++) {
    const next = plain.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (next === plain) return plain
    plain = next
  }
  return null
}

/** Logs one line per request, without addresses, query strings or registration numbers in the path. */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../dependencies.ts'
import { pathOf } from './event-route-table.ts'

/** Longer than any path of ours, so that clients cannot write at length into the log. */
const PATH_CHARACTERS_MAX = 200
/** Characters examined of a longer path: each of the above may be percent-encoded, even twice. */
const LOOKED_AT_CHARACTERS_MAX = 5 * PATH_CHARACTERS_MAX
/** A path encoded more often than this is not a mistake. */
const DECODINGS_MAX = 4

/** The token of an access link, which opens a registration; no other segment of ours is this long. */
const TOKEN = /^[\w-]{32,}$/

export function logRequests(app: FastifyInstance, deps: Deps): void {
  // At peak load nearly every request has the same path as the previous one.
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

/** Removes path segments that could name a registration, however they are encoded; truncates long paths. */
export function blanked(path: string, deps: Pick<Deps, 'events'>): string {
  const plain = decoded(path.slice(0, LOOKED_AT_CHARACTERS_MAX))
  if (plain === null) return '…'
  const isCut = plain.length > PATH_CHARACTERS_MAX || path.length > LOOKED_AT_CHARACTERS_MAX
  // Truncated between segments, so that no part of a number remains unrecognised.
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

/** Returns the path with its ASCII letters decoded; null: encoded too many times. */
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

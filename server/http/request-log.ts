/** Logs one line per request, without addresses, query strings or registration numbers in the path. */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../dependencies.ts'
import { getPath } from './event-route-table.ts'

/** Longer than all our paths. Clients cannot write longer ones into the log. */
const PATH_CHARACTERS_MAX = 200
/** The number of characters examined in a longer path: each of the above may be percent-encoded, even twice. */
const EXAMINED_CHARACTERS_MAX = 5 * PATH_CHARACTERS_MAX
/** A path that is encoded more often is malicious. */
const DECODINGS_MAX = 4

/** The token of an access link, which opens a registration; no other segment of our paths is this long. */
const TOKEN = /^[\w-]{32,}$/

export function logRequests(app: FastifyInstance, deps: Deps): void {
  // At peak load nearly every request has the same path as the previous one.
  let last: { readonly path: string; readonly redacted: string } | null = null
  deps.events.onChange(() => {
    last = null
  })
  const redactCached = (path: string): string => {
    if (last?.path !== path) last = { path, redacted: redactPath(path, deps) }
    return last.redacted
  }
  app.addHook('onResponse', (request, reply, done) => {
    deps.log.info(
      {
        id: request.id,
        method: request.method,
        path: redactCached(getPath(request)),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
    done()
  })
}

/** Removes path segments that could name a registration, however they are encoded; truncates long paths. */
export function redactPath(path: string, deps: Pick<Deps, 'events'>): string {
  const decodedPath = decodePath(path.slice(0, EXAMINED_CHARACTERS_MAX))
  if (decodedPath === null) return '…'
  const isCut = decodedPath.length > PATH_CHARACTERS_MAX || path.length > EXAMINED_CHARACTERS_MAX
  // Truncated between segments, so that no part of a number remains unrecognised.
  const shortened = isCut
    ? decodedPath.slice(0, decodedPath.lastIndexOf('/', PATH_CHARACTERS_MAX) + 1)
    : decodedPath
  const segments = shortened
    .split('/')
    .map((part) =>
      (part !== '' && deps.events.byOrderId(part) !== null) || TOKEN.test(part)
        ? '…'
        : part.replaceAll(/\d{6,}/g, '…'),
    )
    .join('/')
  return isCut ? `${segments}…` : segments
}

/** Returns the path with its ASCII letters decoded; null if it is encoded too many times. */
function decodePath(path: string): string | null {
  let decodedPath = path
  for (let times = 0; times <= DECODINGS_MAX; times++) {
    const next = decodedPath.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (next === decodedPath) return decodedPath
    decodedPath = next
  }
  return null
}

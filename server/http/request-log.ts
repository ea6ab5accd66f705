/** Logs one line per request; its path contains no query, link token, email address or registration number. */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../dependencies.ts'
import { getPath } from './event-route-table.ts'

/** Longer than all our paths. Clients cannot write longer ones into the log. */
const MAX_PATH_CHARACTERS = 200
/** The number of characters examined in a longer path, because each character may be percent-encoded, even twice. */
const MAX_EXAMINED_CHARACTERS = 5 * MAX_PATH_CHARACTERS
/** A path that is encoded more often than this is malicious. */
const MAX_DECODINGS = 4

/** The path of an access link, which opens a registration. Copied links contain punctuation, or are split in two. */
const LINK_PATTERN = /(?<=^|\/)(my|pay)(\/+)[^/]+/gi
/** A token in any other path, with the text around it; no other segment of our paths has this many such characters. */
const TOKEN_PATTERN = /[\w-]{32,}/

export function logRequests(app: FastifyInstance, deps: Deps): void {
  // At peak load nearly every request has the same path as the previous one.
  let lastPath: { readonly path: string; readonly redactedPath: string } | null = null
  deps.events.onChange(() => {
    lastPath = null
  })
  const redactCached = (path: string): string => {
    if (lastPath?.path !== path) lastPath = { path, redactedPath: redactPath(path, deps) }
    return lastPath.redactedPath
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

/**
 * Removes path segments that could be link tokens, email addresses or registration numbers, however they are encoded;
 * truncates long paths.
 */
export function redactPath(path: string, deps: Pick<Deps, 'events'>): string {
  const decodedPath = decodePath(path.slice(0, MAX_EXAMINED_CHARACTERS))
  if (decodedPath === null) return '…'
  const isCut = decodedPath.length > MAX_PATH_CHARACTERS || path.length > MAX_EXAMINED_CHARACTERS
  // Truncated between segments, so that no part of a number remains unrecognised.
  const shortenedPath = isCut
    ? decodedPath.slice(0, decodedPath.lastIndexOf('/', MAX_PATH_CHARACTERS) + 1)
    : decodedPath
  const segments = shortenedPath
    .replaceAll(LINK_PATTERN, '$1$2…')
    .split('/')
    .map((part) =>
      (part !== '' && deps.events.findByOrderId(part) !== null) ||
      part.includes('@') ||
      TOKEN_PATTERN.test(part)
        ? '…'
        : part.replaceAll(/\d{6,}/g, '…'),
    )
    .join('/')
  return isCut ? `${segments}…` : segments
}

/** Returns the path with its ASCII letters decoded; null if it is encoded too many times. */
function decodePath(path: string): string | null {
  let decodedPath = path
  for (let times = 0; times <= MAX_DECODINGS; times++) {
    const decodedOnce = decodedPath.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (decodedOnce === decodedPath) return decodedPath
    decodedPath = decodedOnce
  }
  return null
}

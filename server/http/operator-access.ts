/** Recognises the operator: direct requests from this machine, or with the metrics token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Environment } from '../dependencies.ts'

/** If a token is set, only requests with it. */
export function isOperator(
  request: FastifyRequest,
  { metricsToken }: Pick<Environment, 'metricsToken'>,
): boolean {
  if (metricsToken === null) return isDirect(request)
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  return given !== undefined && isSame(given, metricsToken)
}

/** All headers that curl, wget, Prometheus and Node's fetch (so also `rollcall health`) send. */
const SENT_DIRECTLY: ReadonlySet<string> = new Set([
  'host',
  'user-agent',
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'connection',
  'sec-fetch-mode',
  'x-prometheus-scrape-timeout-seconds',
])
/** Host names of this machine. A proxy may pass on the visitor's host. */
const OWN_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/**
 * No list has the headers of all proxies, and some add none, so only the headers of those clients are allowed.
 * nginx uses HTTP/1.0 or closes each connection; the other headers of a visitor's browser reveal it.
 */
function isDirect({ raw, headers }: FastifyRequest): boolean {
  return (
    /^(?:::ffff:)?127\.|^::1$/.test(raw.socket.remoteAddress ?? '') &&
    raw.httpVersion === '1.1' &&
    OWN_HOST.test(headers.host ?? '') &&
    /^(?:keep-alive)?$/i.test(headers.connection ?? '') &&
    Object.keys(headers).every((name) => SENT_DIRECTLY.has(name))
  )
}

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}

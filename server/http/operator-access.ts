/** Recognises the operator: direct requests from this machine, or with the metrics token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Environment } from '../dependencies.ts'

/** Returns true if the operator sent the request: if a metrics token is set, only a request with this token. */
export function isOperator(
  request: FastifyRequest,
  { metricsToken }: Pick<Environment, 'metricsToken'>,
): boolean {
  if (metricsToken === null) return isDirectRequest(request)
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  return token !== undefined && isEqual(token, metricsToken)
}

/** All headers that curl, wget, Prometheus and Node's fetch (and therefore `rollcall health`) send. */
const DIRECT_HEADERS: ReadonlySet<string> = new Set([
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
/** Host names of this machine. A proxy may forward the visitor's host. */
const LOCAL_HOST_PATTERN = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/**
 * No list contains the headers of all proxies, and some add none, so only the headers of the clients above are allowed.
 * nginx uses HTTP/1.0 or closes each connection; other proxies forward headers of the visitor's browser.
 */
function isDirectRequest({ raw, headers }: FastifyRequest): boolean {
  return (
    /^(?:::ffff:)?127\.|^::1$/.test(raw.socket.remoteAddress ?? '') &&
    raw.httpVersion === '1.1' &&
    LOCAL_HOST_PATTERN.test(headers.host ?? '') &&
    /^(?:keep-alive)?$/i.test(headers.connection ?? '') &&
    Object.keys(headers).every((name) => DIRECT_HEADERS.has(name))
  )
}

/** Compares in constant time. */
function isEqual(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}

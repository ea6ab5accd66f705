/** Whether a request comes from whoever runs the machine: from the machine itself and through no proxy, or with the token for figures. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Environment } from '../dependencies.ts'

/** With a token, only who brings it. */
export function isOperator(
  request: FastifyRequest,
  { metricsToken }: Pick<Environment, 'metricsToken'>,
): boolean {
  if (metricsToken === null) return isDirect(request)
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  return given !== undefined && isSame(given, metricsToken)
}

/** All that curl, wget, Prometheus and Node's fetch send, and with it `rollcall health`. */
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
/** What the machine calls itself. A proxy may pass on the visitor's host. */
const OWN_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/**
 * No list knows the headers of all proxies, and some write none, so that only what those clients send passes. nginx asks
 * in HTTP/1.0 or closes each connection; what visitors' browsers send besides shows them.
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

/** In a time that tells nothing about either. */
function isSame(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}

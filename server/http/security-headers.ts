/** Sets the security headers of every response: pages, data, framework errors and raw connections. */
import { createHash } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import helmet from 'helmet'
import type { Deps, Environment } from '../dependencies.ts'
import { buildErrorBody, getErrorForStatus } from './error-response.ts'
import type { HeaderList } from './stored-responses.ts'

/** One year: a browser that used https once does not return to http. */
const HSTS_SECONDS = 31_536_000
/** Browser features that our pages do not use, denied so that injected code cannot use them. */
const DENIED_FEATURES =
  'accelerometer bluetooth camera display-capture geolocation gyroscope hid magnetometer microphone midi payment serial usb xr-spatial-tracking'

/**
 * Builds the headers of data responses. Pages get their policy from helmet, with the hashes of their inline parts.
 * Every other response is data: nothing in it may be executed, framed or sniffed. These headers are built once, because
 * building them for each request took a fifth of the time of a registration.
 */
export function buildSecurityHeaders({
  publicUrl,
}: Pick<Environment, 'publicUrl'>): readonly (readonly [name: string, value: string])[] {
  return Object.entries({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'permissions-policy': DENIED_FEATURES.split(' ')
      .map((feature) => `${feature}=()`)
      .join(', '),
    ...(isSecure(publicUrl) ? { 'strict-transport-security': `max-age=${HSTS_SECONDS}` } : {}),
  })
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}

/** Adds the headers of data responses to every response of a route. */
export function addHeaders(app: FastifyInstance, deps: Pick<Deps, 'environment'>): void {
  const dataHeaders = buildSecurityHeaders(deps.environment)
  app.addHook('onRequest', (_request, reply, done) => {
    for (const [name, value] of dataHeaders) void reply.header(name, value)
    done()
  })
}

/** A page's inline parts. The policy allows only these inline parts, each by its hash. */
export type InlineParts = {
  readonly scripts: readonly string[]
  readonly styles: readonly string[]
}

/** Returns a function that builds a page's headers from its inline parts: the policy, and helmet's other headers. */
export function createPagePolicy(
  deps: Pick<Deps, 'environment' | 'gateway'>,
): (inline: InlineParts) => Promise<HeaderList> {
  const { publicUrl } = deps.environment
  const dataHeaders = buildSecurityHeaders(deps.environment)
  return (inline) =>
    new Promise((resolve, reject) => {
      const setHelmetHeaders = helmet({
        contentSecurityPolicy: {
          useDefaults: false,
          directives: {
            defaultSrc: ["'self'"],
            scriptSrc: ["'self'", ...inline.scripts.map(buildHashSource)],
            styleSrc: ["'self'", ...inline.styles.map(buildHashSource)],
            imgSrc: ["'self'", 'data:'],
            fontSrc: ["'self'"],
            connectSrc: ["'self'"],
            // The page for organisers checks files in its own worker.
            workerSrc: ["'self'"],
            objectSrc: ["'none'"],
            baseUri: ["'none'"],
            frameAncestors: ["'none'"],
            // Event files, and with them gateways, change while the server runs.
            formAction: ["'self'", ...deps.gateway.origins()],
          },
        },
        frameguard: { action: 'deny' },
        hsts: isSecure(publicUrl) ? { maxAge: HSTS_SECONDS, includeSubDomains: false } : false,
        referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
        // Pages are opened from the gateway's window and from emails; cross-origin isolation has no benefit here.
        crossOriginEmbedderPolicy: false,
      })
      const request = new IncomingMessage(new Socket())
      const response = new ServerResponse(request)
      for (const [name, value] of dataHeaders) response.setHeader(name, value)
      setHelmetHeaders(request, response, (error?: unknown) => {
        if (error === undefined)
          resolve(
            Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
          )
        else reject(error instanceof Error ? error : new Error(String(error)))
      })
    })
}

/** Browsers hash the element's text as UTF-8. */
const buildHashSource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Replaces the headers of data responses with page headers. */
export function setPageHeaders(reply: FastifyReply, headers: HeaderList): FastifyReply {
  for (const [name, value] of headers) void reply.header(name, value)
  return reply
}

/** Answers requests that are not valid HTTP, or that arrive too slowly, with an error in the usual format. */
export function createConnectionErrorHandler(
  environment: Pick<Environment, 'publicUrl'>,
): (error: Error & { readonly code?: string }, socket: Socket) => void {
  const headers = [...buildSecurityHeaders(environment), ['cache-control', 'no-store']]
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const [status, reason] =
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? [408, 'Request Timeout'] : [400, 'Bad Request']
    const { code, message } = getErrorForStatus(status)
    const body = JSON.stringify(buildErrorBody(code, message))
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${headers}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
}

/** What protects every answer in its headers, whoever makes it: a page, a call, the framework, or the connection itself. */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import helmet from 'helmet'
import { remember } from '../../engine/index.ts'
import type { Deps, Environment } from '../dependencies.ts'
import { errorAnswer, toldOf } from './error-response.ts'

/** A year: whoever came by https once does not come back without. */
const HSTS_SECONDS = 31_536_000
/** What no page of ours asks a browser for, so that nothing that slips into one can. */
const UNUSED_POWERS =
  'accelerometer bluetooth camera display-capture geolocation gyroscope hid magnetometer microphone midi payment serial usb xr-spatial-tracking'

/**
 * Pages get their policy from helmet, with a nonce of their own. Every other answer is data: nothing in
 * it may be run, framed or guessed at, and the same constant headers say so without being worked out
 * for each request (which took a fifth of the time of a registration).
 */
export function protectiveHeaders({
  publicUrl,
}: Pick<Environment, 'publicUrl'>): readonly (readonly [name: string, value: string])[] {
  return Object.entries({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'permissions-policy': UNUSED_POWERS.split(' ')
      .map((power) => `${power}=()`)
      .join(', '),
    ...(isSecure(publicUrl) ? { 'strict-transport-security': `max-age=${HSTS_SECONDS}` } : {}),
  })
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}

/** Puts them on every answer that a route gives. */
export function addHeaders(app: FastifyInstance, deps: Pick<Deps, 'environment'>): void {
  const data = protectiveHeaders(deps.environment)
  app.addHook('onRequest', (_request, reply, done) => {
    for (const [name, value] of data) void reply.header(name, value)
    done()
  })
}

/** The nonce of an answer: the same in its header and in its page. */
export const nonceOf = remember((_response: object) => randomBytes(16).toString('base64url'))

/** Puts the policy of pages in their place. What helmet has nothing to say about stays. */
export function pagePolicy(
  deps: Pick<Deps, 'environment' | 'gateway'>,
): (reply: FastifyReply) => Promise<void> {
  const { publicUrl } = deps.environment
  const data = protectiveHeaders(deps.environment)
  const nonce = (_request: unknown, response: object): string => `'nonce-${nonceOf(response)}'`
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", nonce],
        styleSrc: ["'self'", nonce],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        // The page for organisers checks files in a worker of its own.
        workerSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        // Asked each time: event files, and with them gateways, change while the server runs.
        formAction: ["'self'", () => deps.gateway.origins().join(' ')],
      },
    },
    frameguard: { action: 'deny' },
    hsts: isSecure(publicUrl) ? { maxAge: HSTS_SECONDS, includeSubDomains: false } : false,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    // Pages are opened from the gateway's window and from mails; isolation buys nothing here.
    crossOriginEmbedderPolicy: false,
  })
  return (reply) =>
    new Promise((resolve, reject) => {
      const { raw, request } = reply
      for (const [name, value] of data) {
        reply.removeHeader(name)
        raw.setHeader(name, value)
      }
      protect(request.raw, raw, (error?: unknown) => {
        if (error === undefined) resolve()
        else reject(error instanceof Error ? error : new Error(String(error)))
      })
    })
}

/** Answers what is no HTTP, or came too slowly, in the same shape as every other refusal. */
export function refusesConnections(
  environment: Pick<Environment, 'publicUrl'>,
): (error: Error & { readonly code?: string }, socket: Socket) => void {
  const headers = [...protectiveHeaders(environment), ['cache-control', 'no-store']]
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const [status, reason] =
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? [408, 'Request Timeout'] : [400, 'Bad Request']
    const { code, message } = toldOf(status)
    const body = JSON.stringify(errorAnswer(code, message))
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${headers}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
}

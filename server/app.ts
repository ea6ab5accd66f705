/** The HTTP side as a whole, built from its parts and ready to listen or to be injected into. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import Fastify from 'fastify'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from './deps.ts'
import { errorAnswer, refuse, toldOf } from './http/refuse.ts'
import { callRoutes, listFixedRoutes, makeEventCalls, pathOf } from './http/event-calls.ts'
import { healthRoutes } from './health.ts'
import { nonceOf, pageRoutes } from './pages/pages.ts'
import { adminRoutes } from './office/calls.ts'
import { paymentRoutes } from './paying/messages.ts'
import { eventFileRoutes } from './events/file-call.ts'
import { eventRoutes } from './events/calls.ts'
import { lookupGuard } from './registering/lookup.ts'
import { registeringCalls } from './registering/calls.ts'
import { endConnectionsAtClose } from './http/connections.ts'
import { StoreBusy } from './store/store.ts'

/** JSON of the fixed routes: a sign-in, a notice. Registrations have limits of their own. */
const BODY_BYTES_MAX = 128 * 1024
/** A slow phone sends 5 MB in this time at 20 KB/s; after it, the connection is closed. */
const REQUEST_TIMEOUT_MS = 300_000
/** Seconds after which a browser may ask again when the writer's queue was full. */
const RETRY_AFTER_SECONDS = 2

export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: deps.environment.trustProxy ?? false,
    genReqId: () => randomUUID(),
    forceCloseConnections: false,
    return503OnClosing: false,
    // A field called __proto__ is an unknown field like any other; nobody merges bodies into objects here.
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    // An address that cannot be decoded never reaches a route.
    frameworkErrors: (error, _request, reply) =>
      refuse(
        reply,
        error.code === 'FST_ERR_BAD_URL' ? 404 : 400,
        ...told(error.code === 'FST_ERR_BAD_URL' ? 404 : 400),
      ),
    clientErrorHandler: refuseConnection,
  })
  endConnectionsAtClose(app)
  app.decorate('eventCalls', makeEventCalls(deps.events))
  listFixedRoutes(app)
  await securityHeaders(app, deps)
  await app.register(cookie)
  await app.register(formbody, { bodyLimit: BODY_BYTES_MAX })
  logRequests(app, deps)
  app.setErrorHandler((error: FastifyError, request, reply) =>
    answerError(error, request, reply, deps),
  )

  healthRoutes(app, deps)
  // One guard for every door that a number opens.
  const guard = lookupGuard(deps)
  registeringCalls(app, deps, guard)
  await eventRoutes(app, deps)
  await eventFileRoutes(app, deps)
  await paymentRoutes(app, deps, guard)
  await adminRoutes(app, deps)
  const pages = await pageRoutes(app, deps)
  const notFound = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const path = pathOf(request)
    if (
      path === '/api' ||
      path.startsWith('/api/') ||
      !(request.method === 'GET' || request.method === 'HEAD')
    )
      return refuse(reply, 404, ...told(404))
    return pages.serve(request, reply)
  }
  await callRoutes(app, notFound)
  app.setNotFoundHandler(notFound)
  return app
}

/** What is no HTTP, or came too slowly, in the same shape as every other refusal. */
function refuseConnection(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, reason] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? [408, 'Request Timeout'] : [400, 'Bad Request']
  const body = JSON.stringify(errorAnswer(...told(status)))
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/**
 * Pages get their policy from helmet, with a nonce of their own. Every other answer is data: nothing in
 * it may be run, framed or guessed at, and the same constant headers say so without being worked out
 * for each request (which took a fifth of the time of a registration).
 */
async function securityHeaders(app: FastifyInstance, deps: Deps): Promise<void> {
  const hsts = deps.environment.publicUrl.startsWith('https:')
    ? { maxAge: 31_536_000, includeSubDomains: false }
    : false
  const data = Object.entries({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    ...(hsts === false ? {} : { 'strict-transport-security': `max-age=${hsts.maxAge}` }),
  })
  app.addHook('onRequest', (_request, reply, done) => {
    // Beneath Fastify's own headers, where helmet overwrites them for a page.
    for (const [name, value] of data) reply.raw.setHeader(name, value)
    done()
  })
  const nonce = (_request: unknown, response: object): string => `'nonce-${nonceOf(response)}'`
  await app.register(helmet, {
    global: false,
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
    hsts,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    // Pages are opened from the gateway's window and from mails; isolation buys nothing here.
    crossOriginEmbedderPolicy: false,
  })
}

/** One line per request: no addresses, no query, and order ids blanked. */
function logRequests(app: FastifyInstance, deps: Deps): void {
  app.addHook('onResponse', (request, reply, done) => {
    deps.log.info(
      {
        id: request.id,
        method: request.method,
        path: blanked(pathOf(request), deps),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
    done()
  })
}

/** A path whose segments could name a registration, without them. */
export function blanked(path: string, deps: Pick<Deps, 'events'>): string {
  return path
    .split('/')
    .map((part) =>
      part !== '' && deps.events.byOrderId(part) !== null ? '…' : part.replaceAll(/\d{6,}/g, '…'),
    )
    .join('/')
}

function answerError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): unknown {
  if (error instanceof StoreBusy) {
    reply.header('retry-after', String(RETRY_AFTER_SECONDS))
    return refuse(reply, 503, ...told(503))
  }
  const status = error.statusCode ?? 500
  if (status < 500) {
    const isJson =
      error.code === 'FST_ERR_CTP_INVALID_JSON_BODY' || error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY'
    return isJson
      ? refuse(reply, 400, 'bad_request', notJson)
      : refuse(reply, status, ...told(status))
  }
  deps.log.error(
    { id: request.id, error: error.stack ?? error.message, path: blanked(pathOf(request), deps) },
    'a request failed',
  )
  return refuse(reply, status === 503 ? 503 : 500, ...told(status))
}

function told(status: number): [code: string, message: string] {
  const { code, message } = toldOf(status)
  return [code, message]
}

export const notJson = 'The request says it is JSON, but it cannot be read as JSON.'

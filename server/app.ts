/** Builds the HTTP application from its parts, ready to listen or for injected requests. */
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import cookie from '@fastify/cookie'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Instant } from '../engine/index.ts'
import { openCondition } from './ops/health/health-checks.ts'
import type { Deps } from './dependencies.ts'
import { addBodies } from './http/request-body-limits.ts'
import { isDeeperThan, NESTING_MAX } from './http/request-body.ts'
import { answersErrors } from './http/error-handler.ts'
import { addHeaders, protectiveHeaders, refusesConnections } from './http/security-headers.ts'
import { tellUnknownProxy } from './http/unknown-proxy-warning.ts'
import { logRequests } from './http/request-log.ts'
import { refuse, toldOf } from './http/error-response.ts'
import { callRoutes, listFixedRoutes, makeEventCalls, pathOf } from './http/event-route-table.ts'
import { healthRoutes } from './ops/health/health-routes.ts'
import { pageRoutes } from './pages/page-routes.ts'
import { registerOfficeRoutes } from './office/office-routes.ts'
import { rejectUnguardedRoutes } from './office/auth/authorization.ts'
import { paymentRoutes } from './payments/gateway-message-routes.ts'
import { eventFileRoutes } from './events/event-file-routes.ts'
import { eventRoutes } from './events/event-routes.ts'
import { openGuesses } from './registration/code-guessing-limit.ts'
import { outsideCalls } from './registration/code-and-member-lookup-routes.ts'
import { lookupGuard } from './registration/find-registration.ts'
import { payCalls } from './payments/payment-routes.ts'
import { delegateCalls } from './self-service/self-service-routes.ts'
import { confirmationCall } from './self-service/resend-confirmation.ts'
import { proofCalls } from './registration/uploads/upload-routes.ts'
import { registeringCalls } from './registration/registration-routes.ts'
import { answerWhateverIsExpected, endConnectionsAtClose } from './http/connections.ts'

/** Fixed routes receive small inputs: username and password, a decision and its reason. */
const BODY_BYTES_MAX = 128 * 1024
/** Makes the ids of many thousand runs start differently. */
const RUN_BYTES = 6
/** A slow phone sends 5 MB in this time at 20 KB/s; after it, the connection is closed, whatever has arrived. */
const REQUEST_TIMEOUT_MS = 300_000

export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const headers = protectiveHeaders(deps.environment)
  const app = Fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: deps.environment.trustProxy ?? false,
    genReqId: countedIds(),
    forceCloseConnections: false,
    return503OnClosing: false,
    // A field called __proto__ is an unknown field like any other; bodies are never merged into objects here.
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    // A request with an undecodable address reaches no route, nor the headers that routes add.
    frameworkErrors: (error, _request, reply) => {
      for (const [name, value] of headers) reply.raw.setHeader(name, value)
      const status = error.code === 'FST_ERR_BAD_URL' ? 404 : 400
      return refuse(reply, status, ...told(status))
    },
    clientErrorHandler: refusesConnections(deps.environment),
  })
  endConnectionsAtClose(app)
  answerWhateverIsExpected(app)
  app.decorate('eventCalls', makeEventCalls(deps.events))
  listFixedRoutes(app)
  rejectUnguardedRoutes(app)
  addHeaders(app, deps)
  // Handlers that need cookies parse them: most requests have none.
  await app.register(cookie, { hook: false })
  addBodies(app)
  readSmallBodies(app)
  logRequests(app, deps)
  tellUnknownProxy(app, deps)
  let noRoomAt: Instant | null = null
  app.setErrorHandler(
    answersErrors(deps, (at) => {
      noRoomAt = at
    }),
  )

  healthRoutes(app, deps, openCondition({ ...deps, noRoomAt: () => noRoomAt }))
  // One guard for every route that takes a registration number.
  const guard = lookupGuard(deps)
  const guesses = openGuesses(deps)
  registeringCalls(app, deps, guard, guesses)
  await outsideCalls(app, deps, guesses)
  await proofCalls(app, deps)
  await eventRoutes(app, deps)
  await eventFileRoutes(app, deps)
  await paymentRoutes(app, deps, guard)
  await payCalls(app, deps, guard)
  await confirmationCall(app, deps, guard)
  await delegateCalls(app, deps, guard)
  await registerOfficeRoutes(app, deps)
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
  await callRoutes(app, notFound, deps.events.follow)
  app.setNotFoundHandler(notFound)
  return app
}

/** Returns request ids for the log: a counter after a prefix that no other run of the server has. */
function countedIds(): () => string {
  const run = randomBytes(RUN_BYTES).toString('base64url')
  let count = 0
  return () => {
    count += 1
    return `${run}.${count.toString(36)}`
  }
}

/** Parses bodies of the fixed routes: JSON or a form. Wildcard and gateway routes parse their own. */
function readSmallBodies(app: FastifyInstance): void {
  const asJson = app.getDefaultJsonParser('remove', 'remove')
  const read = async (payload: Readable): Promise<string> => {
    const body = await app.bodies.read(payload, BODY_BYTES_MAX)
    if (body.ok) return body.value.toString('utf8')
    throw Object.assign(new Error(body.error), {
      statusCode: body.error === 'too_large' ? 413 : 400,
    })
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const judged: typeof done = (error, value) =>
      error === null && isDeeperThan(NESTING_MAX, value)
        ? done(Object.assign(new Error('too deep'), { statusCode: 422 }))
        : done(error, value)
    read(payload).then((text) => asJson(request, text, judged), done)
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (_request: FastifyRequest, payload: Readable) =>
      formOf(new URLSearchParams(await read(payload))),
  )
}

/**
 * Without a prototype, so that every name is an ordinary key. A name sent twice has both values, so that neither
 * is used unnoticed.
 */
function formOf(fields: URLSearchParams): Record<string, string | readonly string[]> {
  const body: Record<string, string | readonly string[]> = Object.create(null)
  for (const name of new Set(fields.keys())) {
    const values = fields.getAll(name)
    const [only = ''] = values
    body[name] = values.length === 1 ? only : values
  }
  return body
}

function told(status: number): [code: string, message: string] {
  const { code, message } = toldOf(status)
  return [code, message]
}

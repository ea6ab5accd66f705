/** Builds the HTTP application from its parts, ready to listen or to handle injected requests. */
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import cookie from '@fastify/cookie'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Instant } from '../engine/index.ts'
import { createHealthChecks } from './ops/health/health-checks.ts'
import type { Deps } from './dependencies.ts'
import { addBodyBudget } from './http/request-body-limits.ts'
import { isDeeperThan, MAX_NESTING } from './http/request-body.ts'
import { watchOutages } from './http/database-outage.ts'
import { createErrorHandler } from './http/error-handler.ts'
import {
  addHeaders,
  buildSecurityHeaders,
  createConnectionErrorHandler,
} from './http/security-headers.ts'
import { warnAboutUnknownProxy } from './http/unknown-proxy-warning.ts'
import { openStoredResponses } from './http/stored-responses.ts'
import { logRequests } from './http/request-log.ts'
import { sendError, getErrorForStatus } from './http/error-response.ts'
import {
  addWildcardRoutes,
  multipartConstraint,
  recordFixedRoutes,
  createEventRouteTable,
  getPath,
} from './http/event-route-table.ts'
import { registerHealthRoutes } from './ops/health/health-routes.ts'
import { registerPageRoutes } from './pages/page-routes.ts'
import { registerOfficeRoutes } from './office/office-routes.ts'
import { rejectUnguardedRoutes } from './office/auth/authorization.ts'
import { addGatewayMessageRoutes } from './payments/gateway-message-routes.ts'
import { addOrderReturnRoutes } from './payments/order-return-and-signed-webhook-routes.ts'
import { addEventFileRoutes } from './events/event-file-routes.ts'
import { addEventRoutes } from './events/event-routes.ts'
import { openGuessLimit } from './registration/guessing-limits.ts'
import { addLookupRoutes } from './registration/code-and-member-lookup-routes.ts'
import { openLookupGuard } from './registration/find-registration.ts'
import { addPaymentRoutes } from './payments/payment-routes.ts'
import { addSelfServiceRoutes } from './self-service/self-service-routes.ts'
import { addConfirmationRoute } from './self-service/resend-confirmation.ts'
import { addUploadRoutes } from './registration/uploads/upload-routes.ts'
import { addRegistrationRoutes } from './registration/registration-routes.ts'
import { ignoreExpectHeader, closeIdleConnections } from './http/connections.ts'

/** Fixed routes receive small inputs, such as a username and password, or a decision and its reason. */
const MAX_BODY_BYTES = 128 * 1024
/** Enough random bytes for unique prefixes across many thousands of runs. */
const RUN_PREFIX_BYTES = 6
/** Long enough for a slow phone to send 5 MB at 20 KB/s. The connection is closed after this time. */
const REQUEST_TIMEOUT_MS = 300_000

export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const headers = buildSecurityHeaders(deps.environment)
  const app = Fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: deps.environment.trustProxy ?? false,
    genReqId: createRequestIds(),
    forceCloseConnections: false,
    return503OnClosing: false,
    // A field named __proto__ is an unknown field like any other; bodies are never merged into objects here.
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    // A request whose URL cannot be decoded reaches no route, so the headers that routes usually add are added here.
    frameworkErrors: (error, _request, reply) => {
      for (const [name, value] of headers) reply.raw.setHeader(name, value)
      const status = error.code === 'FST_ERR_BAD_URL' ? 404 : 400
      return sendError(reply, status, ...getErrorText(status))
    },
    clientErrorHandler: createConnectionErrorHandler(deps.environment),
  })
  app.addConstraintStrategy(multipartConstraint)
  closeIdleConnections(app)
  ignoreExpectHeader(app)
  app.decorate('eventRoutes', createEventRouteTable(deps.events))
  recordFixedRoutes(app)
  rejectUnguardedRoutes(app)
  addHeaders(app, deps)
  // Handlers parse cookies on demand, because most requests have none.
  await app.register(cookie, { hook: false })
  addBodyBudget(app)
  addSmallBodyParsers(app)
  logRequests(app, deps)
  warnAboutUnknownProxy(app, deps)
  let lastNoSpaceAt: Instant | null = null
  const recordNoSpace = (at: Instant): void => {
    lastNoSpaceAt = at
  }
  const outages = watchOutages(deps)
  app.addHook('onClose', async () => outages.close())
  app.setErrorHandler(createErrorHandler(deps, recordNoSpace, outages))

  registerHealthRoutes(
    app,
    deps,
    createHealthChecks({ ...deps, getLastNoSpaceTime: () => lastNoSpaceAt }),
  )
  // All routes that accept a registration number share one guard.
  const guard = openLookupGuard(deps)
  const guessLimit = openGuessLimit(deps)
  const responses = openStoredResponses(deps.events)
  addRegistrationRoutes(app, deps, guard, guessLimit)
  await addLookupRoutes(app, deps, guessLimit)
  await addUploadRoutes(app, deps)
  await addEventRoutes(app, deps, responses)
  await addEventFileRoutes(app, deps)
  await addOrderReturnRoutes(app, await addGatewayMessageRoutes(app, deps, guard))
  await addPaymentRoutes(app, deps, guard)
  await addConfirmationRoute(app, deps, guard)
  await addSelfServiceRoutes(app, deps, guard)
  await registerOfficeRoutes(app, deps)
  const pages = await registerPageRoutes(app, deps, responses)
  const sendNotFound = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const path = getPath(request)
    if (
      path === '/api' ||
      path.startsWith('/api/') ||
      !(request.method === 'GET' || request.method === 'HEAD')
    )
      return sendError(reply, 404, ...getErrorText(404))
    return pages.serve(request, reply)
  }
  await addWildcardRoutes(app, sendNotFound, deps.events.refresh)
  app.setNotFoundHandler(sendNotFound)
  return app
}

/**
 * Returns a function that creates request ids for the log: a prefix unique to this server run, and a counter.
 */
function createRequestIds(): () => string {
  const runPrefix = randomBytes(RUN_PREFIX_BYTES).toString('base64url')
  let count = 0
  return () => {
    count += 1
    return `${runPrefix}.${count.toString(36)}`
  }
}

/** Adds parsers for the bodies of fixed routes: JSON or a form. Wildcard and gateway routes parse their own bodies. */
function addSmallBodyParsers(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('remove', 'remove')
  const readText = async (payload: Readable): Promise<string> => {
    const body = await app.bodies.read(payload, MAX_BODY_BYTES)
    if (body.ok) return body.value.toString('utf8')
    throw Object.assign(new Error(body.error), {
      statusCode: body.error === 'too_large' ? 413 : 400,
    })
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const checkDepth: typeof done = (error, value) =>
      error === null && isDeeperThan(MAX_NESTING, value)
        ? done(Object.assign(new Error('too deep'), { statusCode: 422 }))
        : done(error, value)
    readText(payload).then((text) => parseJson(request, text, checkDepth), done)
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (_request: FastifyRequest, payload: Readable) =>
      parseForm(new URLSearchParams(await readText(payload))),
  )
}

/**
 * Parses a form into an object without a prototype, so that every name is an ordinary key. If a name is sent
 * twice, its value is a list of both values, so neither is silently ignored.
 */
function parseForm(fields: URLSearchParams): Record<string, string | readonly string[]> {
  const body: Record<string, string | readonly string[]> = Object.create(null)
  for (const name of new Set(fields.keys())) {
    const values = fields.getAll(name)
    const [single = ''] = values
    body[name] = values.length === 1 ? single : values
  }
  return body
}

function getErrorText(status: number): [code: string, message: string] {
  const { code, message } = getErrorForStatus(status)
  return [code, message]
}

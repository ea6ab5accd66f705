/**
 * Routes requests to paths that event files define.
 * Event files change while the server runs, but a router's routes do not. So wildcard routes look up the path in a
 * table that is replaced when the events change. The fixed routes, which no event file can use, are listed separately.
 */
import type { IncomingMessage } from 'node:http'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../../engine/index.ts'
import type { EventRegistry, ServedEvent } from '../dependencies.ts'
import { getMediaType, MULTIPART_TYPE } from './request-body.ts'
import { guardedHandlers } from './office-route-rule-types.ts'
import type { OfficeRule } from './office-route-rule-types.ts'

export type EventRoute = {
  readonly method: 'GET' | 'POST'
  /** As written in the event file, with or without a trailing slash; a segment `{name}` matches any one segment. */
  readonly path: string
  /** An office route's permission rule. */
  readonly office?: OfficeRule
  /**
   * For a POST, `request.body` is the unread stream: read it with `readBody` from request-body.ts. `params` contains
   * the decoded values of the `{name}` segments.
   */
  readonly handle: (
    request: FastifyRequest,
    reply: FastifyReply,
    params: Readonly<Record<string, string>>,
  ) => Promise<unknown>
}
/** The routes that one event adds to the table. */
export type RouteMaker = (served: ServedEvent) => readonly EventRoute[]
export type EventRouteTable = {
  add(maker: RouteMaker): void
  /** Returns all routes that are active now. */
  all(): readonly EventRoute[]
  /** Finds the route for a path, with or without a trailing slash. */
  find(
    method: string,
    path: string,
  ): { readonly route: EventRoute; readonly params: Readonly<Record<string, string>> } | null
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The routes that event files define. Route modules add them: `.add((served) => [{method, path, handle}])`. */
    eventRoutes: EventRouteTable
    /** Every route of the router itself, including wildcards, in order of registration. */
    fixedRoutes: readonly FixedRoute[]
  }
}

export type FixedRoute = {
  readonly method: string
  readonly url: string
  /** The permission rule; null if it is not an office route. */
  readonly office: OfficeRule | null
}

/** Records the fixed routes. Call it before the first of them is registered. */
export function recordFixedRoutes(app: FastifyInstance): void {
  const routes: FixedRoute[] = []
  app.decorate('fixedRoutes', routes)
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const methodName of [method].flat())
      routes.push({ method: methodName, url, office: config?.office ?? null })
  })
}

/** Routes by `METHOD /path`, with `{}` for a `{name}` segment; `shapes` lists the positions of such segments. */
type Table = {
  readonly routesByPath: ReadonlyMap<string, EventRoute>
  readonly shapes: readonly Shape[]
}
type Shape = { readonly length: number; readonly parameterPositions: readonly number[] }

const methods = ['GET', 'POST'] as const

export function createEventRouteTable(events: EventRegistry): EventRouteTable {
  const makers: RouteMaker[] = []
  let table: Table | null = null
  events.onChange(() => {
    table = null
  })
  const getCurrentTable = (): Table => (table ??= buildTable(events.all(), makers))
  const find: EventRouteTable['find'] = (method, path) => {
    const strippedPath = stripSlash(path)
    const { routesByPath, shapes } = getCurrentTable()
    const route = routesByPath.get(`${method} ${strippedPath}`)
    if (route !== undefined) return { route, params: {} }
    const parts = strippedPath.split('/')
    for (const shape of shapes) {
      if (shape.length !== parts.length) continue
      const parameterRoute = routesByPath.get(
        `${method} ${parts.map((part, index) => (shape.parameterPositions.includes(index) ? '{}' : part)).join('/')}`,
      )
      const params = parameterRoute === undefined ? null : decodeParams(parameterRoute.path, parts)
      if (parameterRoute !== undefined && params !== null) return { route: parameterRoute, params }
    }
    return null
  }
  return {
    add: (maker) => {
      makers.push(maker)
      table = null
    },
    all: () => [...getCurrentTable().routesByPath.values()],
    find,
  }
}

function buildTable(events: readonly ServedEvent[], makers: readonly RouteMaker[]): Table {
  const routesByPath = new Map<string, EventRoute>()
  const shapes = new Map<string, Shape>()
  for (const served of events) {
    for (const call of makers.flatMap((maker) => maker(served))) {
      assert(
        call.office === undefined || guardedHandlers.has(call.handle),
        `${call.method} ${call.path} reads the request itself: create it with listCall`,
      )
      const parts = stripSlash(call.path).split('/')
      const parameterPositions = parts.flatMap((part, index) => (isParameter(part) ? [index] : []))
      if (parameterPositions.length > 0)
        shapes.set(`${parts.length}:${parameterPositions.join()}`, {
          length: parts.length,
          parameterPositions: parameterPositions,
        })
      const key = `${call.method} ${parts.map((part) => (isParameter(part) ? '{}' : part)).join('/')}`
      if (!routesByPath.has(key)) routesByPath.set(key, call)
    }
  }
  return { routesByPath, shapes: [...shapes.values()] }
}

function isParameter(part: string): boolean {
  return part.startsWith('{') && part.endsWith('}')
}

/** Decodes the parameters of a path. Null if a segment is empty or cannot be decoded. */
function decodeParams(path: string, parts: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {}
  for (const [index, part] of stripSlash(path).split('/').entries()) {
    if (!isParameter(part)) continue
    const value = decodeSegment(parts[index] ?? '')
    if (value === null || value === '') return null
    params[part.slice(1, -1)] = value
  }
  return params
}

function decodeSegment(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

export function stripSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** Returns a request's path without the query string. */
export function getPath(request: FastifyRequest): string {
  const end = request.url.indexOf('?')
  return end === -1 ? request.url : request.url.slice(0, end)
}

/**
 * Registers the two wildcard routes, in scopes whose bodies stay streams. Paths that no event defines go to `fallback`:
 * a page, or "not found". Fixed routes take precedence. Multipart bodies have a separate scope, because their parser
 * would add a tenth to the time of a JSON registration. `refresh` checks for events that another server has activated.
 */
export async function addWildcardRoutes(
  app: FastifyInstance,
  fallback: (request: FastifyRequest, reply: FastifyReply) => unknown,
  refresh: EventRegistry['refresh'] = async () => false,
): Promise<void> {
  const dispatch = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const path = getPath(request)
    const match = app.eventRoutes.find(method, path)
    if (match !== null) return handle(match, request, reply)
    // Pages look up the event themselves.
    if (method === 'GET' && !path.startsWith('/api/')) return fallback(request, reply)
    return refresh().then((hasChanged) => {
      const newMatch = hasChanged ? app.eventRoutes.find(method, path) : null
      return newMatch === null ? fallback(request, reply) : handle(newMatch, request, reply)
    })
  }
  const handle = (
    { route, params }: NonNullable<ReturnType<EventRouteTable['find']>>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): unknown => route.handle(request, reply, params)
  const wildcards = ['/api/*', '/*']
  await app.register(async (scope) => {
    keepBodiesAsStreams(scope)
    for (const url of wildcards) scope.route({ method: [...methods], url, handler: dispatch })
  })
  await addMultipartRoutes(app, (scope) => {
    for (const url of wildcards)
      scope.route({ method: 'POST', url, handler: dispatch, constraints: { parts: true } })
  })
}

/**
 * Registers routes in a scope that keeps bodies as streams and can read multipart bodies with `readBody` from
 * request-body.ts.
 */
export async function addMultipartRoutes(
  app: FastifyInstance,
  add: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    keepBodiesAsStreams(scope)
    await scope.register(multipart)
    add(scope)
  })
}

function keepBodiesAsStreams(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  // JSON is also listed by name, because a named type is found faster than the wildcard.
  const types = ['application/json', '*']
  scope.addContentTypeParser(types, (_request, payload, done) => done(null, payload))
}

/**
 * Recognises requests with a multipart body; a route with this constraint gets only those. Added before the first
 * route, because adding it later would rebuild the router.
 */
export const multipartConstraint = {
  name: 'parts',
  storage: () => {
    const stored = new Map<unknown, never>()
    return {
      get: (key: unknown) => stored.get(key) ?? null,
      set: (key: unknown, handler: never) => void stored.set(key, handler),
    }
  },
  deriveConstraint: ({ headers }: Pick<IncomingMessage, 'headers'>): true | undefined =>
    getMediaType(headers) === MULTIPART_TYPE ? true : undefined,
}

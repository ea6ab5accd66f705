/**
 * Routes requests to paths that event files name.
 * Event files change while the server runs and a router's routes do not, so wildcard routes look the path up in a
 * table that is replaced as a whole when the events change. The fixed routes, which no event file can name, are
 * listed beside it.
 */
import type { IncomingMessage } from 'node:http'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../../engine/index.ts'
import type { EventRegistry, ServedEvent } from '../dependencies.ts'
import { mediaOf, MULTIPART } from './request-body.ts'
import { guardedHandlers } from './office-route-permissions.ts'
import type { OfficeRule } from './office-route-permissions.ts'

export type Call = {
  readonly method: 'GET' | 'POST'
  /** As written in the event file, with or without a trailing slash; a segment `{name}` matches any one segment. */
  readonly path: string
  /** Permission rule, for an office route. */
  readonly office?: OfficeRule
  /**
   * For a POST, `request.body` is the unread stream: read it with `readBody` of request-body.ts. `params` holds
   * the decoded values of the `{name}` segments.
   */
  readonly handle: (
    request: FastifyRequest,
    reply: FastifyReply,
    params: Readonly<Record<string, string>>,
  ) => Promise<unknown>
}
/** The routes that one event adds to the table. */
export type CallMaker = (served: ServedEvent) => readonly Call[]
export type EventCalls = {
  add(maker: CallMaker): void
  /** Every route that is active now. */
  all(): readonly Call[]
  /** Finds the route of a path, with or without a trailing slash. */
  find(
    method: string,
    path: string,
  ): { readonly call: Call; readonly params: Readonly<Record<string, string>> } | null
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Route modules add the routes that event files name: `app.eventCalls.add((served) => [{method, path,
     * handle}])`.
     */
    eventCalls: EventCalls
    /** Every route of the router itself, including wildcards, in order of registration. */
    fixedRoutes: readonly FixedRoute[]
  }
}

export type FixedRoute = {
  readonly method: string
  readonly url: string
  /** Null: not an office route. */
  readonly office: OfficeRule | null
}

/** Records the fixed routes. Call it before the first of them is registered. */
export function listFixedRoutes(app: FastifyInstance): void {
  const routes: FixedRoute[] = []
  app.decorate('fixedRoutes', routes)
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const each of [method].flat())
      routes.push({ method: each, url, office: config?.office ?? null })
  })
}

/** Routes by `METHOD /path`, with `{}` for a `{name}` segment; `shapes` says where such segments may be. */
type Table = { readonly calls: ReadonlyMap<string, Call>; readonly shapes: readonly Shape[] }
type Shape = { readonly length: number; readonly open: readonly number[] }

const methods = ['GET', 'POST'] as const

export function makeEventCalls(events: EventRegistry): EventCalls {
  const makers: CallMaker[] = []
  let table: Table | null = null
  events.onChange(() => {
    table = null
  })
  const current = (): Table => (table ??= tableOf(events.all(), makers))
  const find: EventCalls['find'] = (method, path) => {
    const bare = withoutSlash(path)
    const { calls, shapes } = current()
    const call = calls.get(`${method} ${bare}`)
    if (call !== undefined) return { call, params: {} }
    const parts = bare.split('/')
    for (const shape of shapes) {
      if (shape.length !== parts.length) continue
      const open = calls.get(
        `${method} ${parts.map((part, index) => (shape.open.includes(index) ? '{}' : part)).join('/')}`,
      )
      const params = open === undefined ? null : paramsOf(open.path, parts)
      if (open !== undefined && params !== null) return { call: open, params }
    }
    return null
  }
  return {
    add: (maker) => {
      makers.push(maker)
      table = null
    },
    all: () => [...current().calls.values()],
    find,
  }
}

function tableOf(events: readonly ServedEvent[], makers: readonly CallMaker[]): Table {
  const calls = new Map<string, Call>()
  const shapes = new Map<string, Shape>()
  for (const served of events) {
    for (const call of makers.flatMap((maker) => maker(served))) {
      assert(
        call.office === undefined || guardedHandlers.has(call.handle),
        `${call.method} ${call.path} reads the request itself: make it with listCall`,
      )
      const parts = withoutSlash(call.path).split('/')
      const open = parts.flatMap((part, index) => (isOpen(part) ? [index] : []))
      if (open.length > 0)
        shapes.set(`${parts.length}:${open.join()}`, { length: parts.length, open })
      const key = `${call.method} ${parts.map((part) => (isOpen(part) ? '{}' : part)).join('/')}`
      if (!calls.has(key)) calls.set(key, call)
    }
  }
  return { calls, shapes: [...shapes.values()] }
}

function isOpen(part: string): boolean {
  return part.startsWith('{') && part.endsWith('}')
}

/** Null when a segment is empty or cannot be decoded. */
function paramsOf(path: string, parts: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {}
  for (const [index, part] of withoutSlash(path).split('/').entries()) {
    if (!isOpen(part)) continue
    const value = decoded(parts[index] ?? '')
    if (value === null || value === '') return null
    params[part.slice(1, -1)] = value
  }
  return params
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

export function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** Returns the path of a request without the query string. */
export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?')
  return end === -1 ? request.url : request.url.slice(0, end)
}

/**
 * Registers the two wildcard routes, in scopes whose bodies stay streams. Paths that no event names go to
 * `otherwise`: a page, or "not found". Fixed routes take precedence. Multipart bodies have a separate scope:
 * their parser waits at the beginning and end of every request there, which would add a tenth to the time of a
 * JSON registration. `follow` checks for events that another server has activated.
 */
export async function callRoutes(
  app: FastifyInstance,
  otherwise: (request: FastifyRequest, reply: FastifyReply) => unknown,
  follow: EventRegistry['follow'] = async () => false,
): Promise<void> {
  const dispatch = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const path = pathOf(request)
    const found = app.eventCalls.find(method, path)
    if (found !== null) return handle(found, request, reply)
    // Pages look up the event themselves.
    if (method === 'GET' && !path.startsWith('/api/')) return otherwise(request, reply)
    return follow().then((isNews) => {
      const now = isNews ? app.eventCalls.find(method, path) : null
      return now === null ? otherwise(request, reply) : handle(now, request, reply)
    })
  }
  const handle = (
    { call, params }: NonNullable<ReturnType<EventCalls['find']>>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): unknown => call.handle(request, reply, params)
  const wildcards = ['/api/*', '/*']
  app.addConstraintStrategy(byParts)
  await app.register(async (scope) => {
    keepStreams(scope)
    for (const url of wildcards) scope.route({ method: [...methods], url, handler: dispatch })
  })
  await partsRoutes(app, (scope) => {
    for (const url of wildcards)
      scope.route({ method: 'POST', url, handler: dispatch, constraints: { parts: true } })
  })
}

/**
 * Registers routes in a scope whose bodies stay streams and that can read multipart bodies, with `readBody` of
 * request-body.ts.
 */
export async function partsRoutes(
  app: FastifyInstance,
  add: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    keepStreams(scope)
    await scope.register(multipart)
    add(scope)
  })
}

function keepStreams(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  // Listed by name besides the wildcard, because a named type is found faster.
  const types = ['application/json', '*']
  scope.addContentTypeParser(types, (_request, payload, done) => done(null, payload))
}

/** Recognises requests with a multipart body; a route with this constraint gets only those. */
const byParts = {
  name: 'parts',
  storage: () => {
    const stored = new Map<unknown, never>()
    return {
      get: (key: unknown) => stored.get(key) ?? null,
      set: (key: unknown, handler: never) => void stored.set(key, handler),
    }
  },
  deriveConstraint: ({ headers }: Pick<IncomingMessage, 'headers'>): true | undefined =>
    mediaOf(headers) === MULTIPART ? true : undefined,
}

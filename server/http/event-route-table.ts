/**
 * The calls whose paths event files name. Event files change while the server runs and a router's
 * routes do not, so wildcard routes look the path up in a table that is replaced whole when the events
 * change. The fixed routes, which no event can name, are listed beside it.
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
  /** As the event file writes it, slash at the end or not; a segment `{name}` takes any one segment. */
  readonly path: string
  /** Who may make it, where it is the office's. */
  readonly office?: OfficeRule
  /**
   * `request.body` is the unread stream for a POST: read it with `readBody` of request-body.ts.
   * `params` holds what stood in place of the `{name}` segments, decoded.
   */
  readonly handle: (
    request: FastifyRequest,
    reply: FastifyReply,
    params: Readonly<Record<string, string>>,
  ) => Promise<unknown>
}
/** The calls one event adds to the table. */
export type CallMaker = (served: ServedEvent) => readonly Call[]
export type EventCalls = {
  add(maker: CallMaker): void
  /** Every call that answers now. */
  all(): readonly Call[]
  /** The call at a path, with or without the slash at its end. */
  find(
    method: string,
    path: string,
  ): { readonly call: Call; readonly params: Readonly<Record<string, string>> } | null
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Route modules add the calls that event files name: `app.eventCalls.add((served) => [{method, path, handle}])`. */
    eventCalls: EventCalls
    /** Every route of the router itself, wildcards among them, in the order in which they were made. */
    fixedRoutes: readonly FixedRoute[]
  }
}

export type FixedRoute = {
  readonly method: string
  readonly url: string
  /** Null: it is none of the office. */
  readonly office: OfficeRule | null
}

/** Keeps the list of fixed routes; to be called before the first of them is made. */
export function listFixedRoutes(app: FastifyInstance): void {
  const routes: FixedRoute[] = []
  app.decorate('fixedRoutes', routes)
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const each of [method].flat())
      routes.push({ method: each, url, office: config?.office ?? null })
  })
}

/** Calls by `METHOD /path`, a `{name}` segment standing as `{}`; `shapes` says where such segments may be. */
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

/** Null when a segment is empty or not decodable. */
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

/** The path of a request without its query. */
export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?')
  return end === -1 ? request.url : request.url.slice(0, end)
}

/**
 * The two wildcards, in scopes whose bodies stay streams. What no event names goes to `otherwise`:
 * a page, or "not found". Fixed routes come first in any case. Multipart bodies have a scope of their
 * own: its reader waits at the beginning and the end of every request there, which costs a
 * registration in JSON a tenth of its time. `follow` learns of events that another server has activated.
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
    // A page looks for itself.
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

/** Routes in a scope whose bodies stay streams, and where those in parts can be read: by `readBody` of request-body.ts. */
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
  // Named as well as caught by the rest, because what is named is found at once.
  const types = ['application/json', '*']
  scope.addContentTypeParser(types, (_request, payload, done) => done(null, payload))
}

/** Tells requests whose body comes in parts; a route that asks for it by `constraints` gets those alone. */
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

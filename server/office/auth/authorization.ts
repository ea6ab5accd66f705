/** Guards every office route: session, cross-site requests, second factor, role and target. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assert, isAtLeast, canSee, getOwn } from '../../../engine/index.ts'
import type { EventConfig, PermissionHolder, Role } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import type { EventRoute as EventCall } from '../../http/event-route-table.ts'
import { guardedHandlers, isOfficePath, hasKind } from '../../http/office-route-rule-types.ts'
import type { GuardedRule, JsonKind, TargetKind } from '../../http/office-route-rule-types.ts'
import { sendError, getErrorForStatus } from '../../http/error-response.ts'
import { readInput } from '../../http/request-input.ts'
import { findUser, getStatusMessage, isCrossSite, rejectCrossSite, toSender } from './sessions.ts'
import type { User } from './sessions.ts'
import { createTargetResolver, describeUnguardedInput } from './request-targets.ts'
import type { Targets } from './request-targets.ts'

/** The checked target and the declared inputs of a request: all that an office handler receives. */
export type Call<
  K extends TargetKind = TargetKind,
  Q extends string = never,
  B extends string = never,
  P extends string = never,
> = {
  readonly user: User
  /** The store for writes of this request: each transaction checks the user's session and permissions again. */
  readonly store: Store
  readonly target: Targets[K]
  /** A missing parameter is ''. */
  readonly query: Readonly<Record<Q, string>>
  readonly body: Readonly<Partial<Record<B, unknown>>>
  readonly params: Readonly<Record<P, string>>
  /** The filters of a list, named as in the event file. Empty if the rule declares none. */
  readonly filters: URLSearchParams
  /** Without the query string. */
  readonly path: string
  readonly file: Buffer | null
  readonly caller: Pick<FastifyRequest, 'ip' | 'headers'>
}

type Register = <
  K extends TargetKind,
  const Q extends string = never,
  const B extends string = never,
  const P extends string = never,
>(
  path: string,
  rule: GuardedRule<K, Q, B, P>,
  handle: (call: Call<K, Q, B, P>, reply: FastifyReply) => Promise<unknown>,
) => void
/** Registers office routes, each with its rule, at the root and under /api, with and without a trailing slash. */
export type OfficeRoutes = {
  readonly get: Register
  readonly post: Register
  /** Registers a route whose path an event file defines. */
  listCall(
    path: string,
    rule: GuardedRule<'list'>,
    handle: (call: Call<'list'>, reply: FastifyReply) => Promise<unknown>,
  ): EventCall
  /** Registers the same routes in a scope of the app that parses bodies differently. */
  inScope(scope: FastifyInstance): OfficeRoutes
}

/** Returns an office route's paths: at the root and under /api, with and without a trailing slash. */
export const buildPaths = (path: string): readonly string[] =>
  ['', '/api'].flatMap((root) => [`${root}${path}`, `${root}${path}/`])

/** Makes startup fail on an unguarded office route. Call this before the first office route is registered. */
export function rejectUnguardedRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config, handler }) => {
    const rule = config?.office
    assert(
      rule !== undefined || !isOfficePath(url),
      `${[method].flat().join(', ')} ${url} declares no rule: register it with createOfficeRoutes`,
    )
    assert(
      rule === undefined || rule === 'unauthenticated' || guardedHandlers.has(handler),
      `${[method].flat().join(', ')} ${url} reads the request itself: register it with createOfficeRoutes`,
    )
  })
}

export function createOfficeRoutes(app: FastifyInstance, deps: Deps): OfficeRoutes {
  const checkRequest = createGuard(deps)
  const guardHandler = <K extends TargetKind, Q extends string, B extends string, P extends string>(
    rule: GuardedRule<K, Q, B, P>,
    handle: (call: Call<K, Q, B, P>, reply: FastifyReply) => Promise<unknown>,
  ) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const call = await checkRequest(rule, request, reply)
      return call === null ? reply : handle(call, reply)
    }
    guardedHandlers.add(handler)
    return handler
  }
  const registerIn = (scope: FastifyInstance): OfficeRoutes => {
    const register =
      (method: 'GET' | 'POST'): Register =>
      (path, rule, handle) => {
        const problem = describeUnguardedInput(path, rule)
        assert(problem === null, `${method} ${path}: ${problem ?? ''}`)
        const handler = guardHandler(rule, handle)
        for (const url of buildPaths(path))
          scope.route({ method, url, config: { office: rule }, handler })
      }
    return {
      get: register('GET'),
      post: register('POST'),
      listCall: (path, rule, handle) => ({
        method: 'GET',
        path,
        office: rule,
        handle: guardHandler(rule, handle),
      }),
      inScope: registerIn,
    }
  }
  return registerIn(app)
}

/** Returns a function that checks a request against a rule. The function returns null if it sent an error response. */
function createGuard(deps: Deps) {
  const resolve = createTargetResolver(deps)
  return async <K extends TargetKind, Q extends string, B extends string, P extends string>(
    rule: GuardedRule<K, Q, B, P>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Call<K, Q, B, P> | null> => {
    const user = await findUser(deps, request)
    if (user === null) {
      sendError(reply, 401, getErrorForStatus(401).code, getStatusMessage(deps, 401))
      return null
    }
    if (user.by === 'cookie' && !isReadOnly(request) && isCrossSite(deps, request)) {
      rejectCrossSite(deps, reply)
      return null
    }
    const refusal = findDenial(rule, user)
    if (refusal !== null) {
      sendError(reply, 403, refusal.code, refusal.message)
      return null
    }
    const input = readInput(request)
    const resolvedTarget = await resolve(rule, input, user)
    if (resolvedTarget.eventIds.some((id) => !canSee(user, id))) {
      sendError(reply, 403, 'not_your_event', buildEventDenial(deps, user))
      return null
    }
    if (resolvedTarget.is === 'malformed') {
      const { status, message } = resolvedTarget
      sendError(reply, status, status === 400 ? 'bad_query' : 'bad_data', message)
      return null
    }
    if (resolvedTarget.is === 'missing') {
      sendError(reply, 404, resolvedTarget.code, resolvedTarget.message)
      return null
    }
    const { query = [], params = [], filters } = rule
    const body = rule.body ?? ({} as Readonly<Record<B, JsonKind>>)
    const invalidName = listParameterNames(body).find(
      (name) => !hasKind(body[name], getOwn(input.body, name)),
    )
    if (invalidName !== undefined) {
      sendError(reply, 422, 'bad_data', `“${invalidName}” has the wrong type of value.`)
      return null
    }
    return {
      user,
      get store() {
        return deps.store.forSender(toSender(user))
      },
      target: resolvedTarget.target,
      query: pickNames(query, (name) => input.query.get(name) ?? ''),
      body: pickNames(listParameterNames(body), (name) => getOwn(input.body, name)),
      params: pickNames(params, (name) => String(getOwn(input.params, name) ?? '')),
      filters: filters === true ? input.query : new URLSearchParams(),
      path: input.path,
      file: input.file,
      caller: { ip: request.ip, headers: request.headers },
    }
  }
}

const listParameterNames = <N extends string>(record: Readonly<Partial<Record<N, unknown>>>): N[] =>
  Object.keys(record) as N[]

/** Picks only the declared names from a request. */
function pickNames<N extends string, V>(names: readonly N[], read: (name: N) => V): Record<N, V> {
  const result: Record<string, V> = Object.create(null)
  for (const name of names) {
    const value = read(name)
    if (value !== undefined) result[name] = value
  }
  return result
}

/** Returns the served events that the user has access to. */
export function findUserEvents(
  deps: Pick<Deps, 'events'>,
  user: Pick<PermissionHolder, 'events'>,
): EventConfig[] {
  return deps.events
    .all()
    .map(({ config }) => config)
    .filter(({ id }) => canSee(user, id))
}

/**
 * Returns the events that a list covers: the requested one, otherwise all the user's events. Null means all events,
 * including those no longer served.
 */
export function findListedEventIds(
  deps: Pick<Deps, 'events'>,
  user: Pick<PermissionHolder, 'events'>,
  requestedId: string | null,
): readonly string[] | null {
  if (requestedId !== null) return [requestedId]
  return user.events === null ? null : findUserEvents(deps, user).map(({ id }) => id)
}

/**
 * Returns the event for the audit entry of a view: the requested one, or the user's only event, so that the
 * owner of that event sees the entry. Null for a view of several events, because its figures cover all of them.
 */
export function getViewedEventId(
  { events }: Pick<PermissionHolder, 'events'>,
  requestedId: string | null = null,
): string | null {
  return requestedId ?? (events?.length === 1 ? (events[0] ?? null) : null)
}

function isReadOnly(request: FastifyRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

type Denial = { readonly code: string; readonly message: string }

/** Returns the reason why the user's role forbids this kind of request for every target. Null if it is allowed. */
function findDenial(
  { minRole, target }: Pick<GuardedRule, 'minRole' | 'target'>,
  user: User,
): Denial | null {
  if (target !== 'own' && lacksSecondFactor(user))
    return {
      code: 'second_factor_needed',
      message: 'Your role needs two-step sign-in. Set it up under Your account first.',
    }
  if (!isAtLeast(user.role, minRole))
    return {
      code: 'role_may_not',
      message: `You need the ${formatRole(minRole)} for this. Your role is ${user.role}.`,
    }
  if (target === 'all events' && user.events !== null)
    return { code: 'not_your_event', message: 'You need access to all events for this.' }
  return null
}

export function lacksSecondFactor(user: User): boolean {
  return needsSecondFactor(user) && !user.hasSecondFactor
}

/** Returns true for treasurers and owners, once an owner has required a second factor. */
export function needsSecondFactor({ secondFactorRequired, role }: User): boolean {
  return secondFactorRequired && isAtLeast(role, 'treasurer')
}

function formatRole(minimumRole: Role): string {
  return minimumRole === 'owner' ? 'owner role' : `${minimumRole} role or a higher one`
}

function buildEventDenial(deps: Deps, user: User): string {
  const titles = findUserEvents(deps, user).map((event) => event.title)
  return titles.length === 0
    ? 'You do not have access to this event, or to any other live event.'
    : `You do not have access to this event. Your events: ${titles.join(', ')}.`
}

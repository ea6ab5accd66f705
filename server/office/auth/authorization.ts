/** Guards every office route: session, cross-site requests, second factor, role and target. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assert, isAtLeast, maySee, getOwn } from '../../../engine/index.ts'
import type { EventConfig, Person, Role } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { Call as EventCall } from '../../http/event-route-table.ts'
import { guardedHandlers, isOfficePath, isOfKind } from '../../http/office-route-permissions.ts'
import type { GuardedRule, JsonKind, TargetKind } from '../../http/office-route-permissions.ts'
import { refuse, toldOf } from '../../http/error-response.ts'
import { readSent } from '../../http/request-input.ts'
import { adminOf, callText, isForeign, refuseForeign } from './sessions.ts'
import type { Admin } from './sessions.ts'
import { makeResolve, uncoveredInput } from './request-targets.ts'
import type { Targets } from './request-targets.ts'

/** Everything a handler of the office gets from a request: what the guard has checked, and the declared inputs. */
export type Call<
  K extends TargetKind = TargetKind,
  Q extends string = never,
  B extends string = never,
  P extends string = never,
> = {
  readonly admin: Admin
  readonly target: Targets[K]
  /** '' where a parameter is missing. */
  readonly query: Readonly<Record<Q, string>>
  readonly body: Readonly<Partial<Record<B, unknown>>>
  readonly params: Readonly<Record<P, string>>
  /** The filters of a list, under the names in its event file; empty where the rule declares none. */
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
  /** Registers a route whose path an event file names. */
  listCall(
    path: string,
    rule: GuardedRule<'list'>,
    handle: (call: Call<'list'>, reply: FastifyReply) => Promise<unknown>,
  ): EventCall
  /** The same routes in a scope of the app that parses bodies differently. */
  in(scope: FastifyInstance): OfficeRoutes
}

/** Returns the paths of an office route: at the root and under /api, with and without a trailing slash. */
export const pathsOf = (path: string): readonly string[] =>
  ['', '/api'].flatMap((root) => [`${root}${path}`, `${root}${path}/`])

/** Refuses to start with an unguarded office route. Call it before the first office route is registered. */
export function refuseUnguarded(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config, handler }) => {
    const rule = config?.office
    assert(
      rule !== undefined || !isOfficePath(url),
      `${[method].flat().join(', ')} ${url} declares no rule: register it with officeRoutes`,
    )
    assert(
      rule === undefined || rule === 'anybody' || guardedHandlers.has(handler),
      `${[method].flat().join(', ')} ${url} reads the request itself: register it with officeRoutes`,
    )
  })
}

export function officeRoutes(app: FastifyInstance, deps: Deps): OfficeRoutes {
  const admit = makeGuard(deps)
  const guarded = <K extends TargetKind, Q extends string, B extends string, P extends string>(
    rule: GuardedRule<K, Q, B, P>,
    handle: (call: Call<K, Q, B, P>, reply: FastifyReply) => Promise<unknown>,
  ) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const call = await admit(rule, request, reply)
      return call === null ? reply : handle(call, reply)
    }
    guardedHandlers.add(handler)
    return handler
  }
  const on = (scope: FastifyInstance): OfficeRoutes => {
    const register =
      (method: 'GET' | 'POST'): Register =>
      (path, rule, handle) => {
        const problem = uncoveredInput(path, rule)
        assert(problem === null, `${method} ${path}: ${problem ?? ''}`)
        const handler = guarded(rule, handle)
        for (const url of pathsOf(path))
          scope.route({ method, url, config: { office: rule }, handler })
      }
    return {
      get: register('GET'),
      post: register('POST'),
      listCall: (path, rule, handle) => ({
        method: 'GET',
        path,
        office: rule,
        handle: guarded(rule, handle),
      }),
      in: on,
    }
  }
  return on(app)
}

/** Returns a function that checks a request against a rule. Null: the request has been answered. */
function makeGuard(deps: Deps) {
  const resolve = makeResolve(deps)
  return async <K extends TargetKind, Q extends string, B extends string, P extends string>(
    rule: GuardedRule<K, Q, B, P>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Call<K, Q, B, P> | null> => {
    const admin = await adminOf(deps, request)
    if (admin === null) {
      refuse(reply, 401, toldOf(401).code, callText(deps, 401))
      return null
    }
    if (admin.by === 'cookie' && !readsOnly(request) && isForeign(deps, request)) {
      refuseForeign(deps, reply)
      return null
    }
    const refusal = refusalOf(rule, admin)
    if (refusal !== null) {
      refuse(reply, 403, refusal.code, refusal.message)
      return null
    }
    const sent = readSent(request)
    const resolved = await resolve(rule, sent, admin)
    if (resolved.of.some((id) => !maySee(admin, id))) {
      refuse(reply, 403, 'not_your_event', notYours(deps, admin))
      return null
    }
    if (resolved.is === 'malformed') {
      const { status, message } = resolved
      refuse(reply, status, status === 400 ? 'bad_query' : 'bad_data', message)
      return null
    }
    if (resolved.is === 'missing') {
      refuse(reply, 404, resolved.code, resolved.message)
      return null
    }
    const { query = [], params = [], filters } = rule
    const body = rule.body ?? ({} as Readonly<Record<B, JsonKind>>)
    const wrong = namesIn(body).find((name) => !isOfKind(body[name], getOwn(sent.body, name)))
    if (wrong !== undefined) {
      refuse(reply, 422, 'bad_data', `“${wrong}” does not hold what belongs there.`)
      return null
    }
    return {
      admin,
      target: resolved.target,
      query: picked(query, (name) => sent.query.get(name) ?? ''),
      body: picked(namesIn(body), (name) => getOwn(sent.body, name)),
      params: picked(params, (name) => String(getOwn(sent.params, name) ?? '')),
      filters: filters === true ? sent.query : new URLSearchParams(),
      path: sent.path,
      file: sent.file,
      caller: { ip: request.ip, headers: request.headers },
    }
  }
}

const namesIn = <N extends string>(record: Readonly<Partial<Record<N, unknown>>>): N[] =>
  Object.keys(record) as N[]

/** Picks the declared names from a request, and no others. */
function picked<N extends string, V>(names: readonly N[], read: (name: N) => V): Record<N, V> {
  const said: Record<string, V> = Object.create(null)
  for (const name of names) {
    const value = read(name)
    if (value !== undefined) said[name] = value
  }
  return said
}

/** Returns the served events that the user works for. */
export function eventsOf(
  deps: Pick<Deps, 'events'>,
  person: Pick<Person, 'events'>,
): EventConfig[] {
  return deps.events
    .all()
    .map(({ config }) => config)
    .filter(({ id }) => maySee(person, id))
}

/**
 * Returns the events that a list covers: the named one, else all of the user's. Null: all, including those no
 * longer served.
 */
export function idsOf(
  deps: Pick<Deps, 'events'>,
  admin: Pick<Person, 'events'>,
  named: string | null,
): readonly string[] | null {
  if (named !== null) return [named]
  return admin.events === null ? null : eventsOf(deps, admin).map(({ id }) => id)
}

function readsOnly(request: FastifyRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

type No = { readonly code: string; readonly message: string }

/** Returns why the user may not make this kind of request, whatever its target. Null: they may. */
function refusalOf(
  { least, about }: Pick<GuardedRule, 'least' | 'about'>,
  admin: Admin,
): No | null {
  if (about !== 'own' && lacksSecondFactor(admin))
    return {
      code: 'second_factor_needed',
      message: 'Your role needs two-step sign-in. Set it up under Your account first.',
    }
  if (!isAtLeast(admin.role, least))
    return {
      code: 'role_may_not',
      message: `You need the ${orMore(least)} for this. You have ${admin.role}.`,
    }
  if (about === 'every' && admin.events !== null)
    return { code: 'not_your_event', message: 'You need an account for all events for this.' }
  return null
}

export function lacksSecondFactor(admin: Admin): boolean {
  return asksSecondFactor(admin) && !admin.hasSecondFactor
}

/** True for treasurers and owners, once an owner has required it. */
export function asksSecondFactor({ secondFactorRequired, role }: Admin): boolean {
  return secondFactorRequired && isAtLeast(role, 'treasurer')
}

function orMore(least: Role): string {
  return least === 'owner' ? 'owner role' : `${least} role or a higher one`
}

function notYours(deps: Deps, admin: Admin): string {
  const theirs = eventsOf(deps, admin).map((event) => event.title)
  return theirs.length === 0
    ? 'Your account is not for this event or any other live event.'
    : `Your account is not for this event. It is for ${theirs.join(', ')}.`
}

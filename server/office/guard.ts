/**
 * The one place that lets a call of the office through: somebody is signed in, no foreign page rides on
 * their cookie, a second factor is there where one is asked for, their role may it, and its event is theirs.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assert, assertNever, isAtLeast, maySee, own } from '../../engine/index.ts'
import type { EventConfig, Person, Role } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import type { MayCall } from '../http/event-calls.ts'
import type { About, OfficeRule } from '../http/office-rule.ts'
import { refuse, toldOf } from '../http/refuse.ts'
import { adminOf, callText, isForeign, refuseForeign } from './session.ts'
import type { Admin } from './session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom the guard has let through; null: nobody, or not yet. */
    admin: Admin | null
  }
}

/** Puts the guard before every route that declares who may call it; to be called before the first of them is made. */
export function guardRoutes(app: FastifyInstance, deps: Deps): void {
  const may = makeGuard(deps)
  app.decorateRequest('admin', null)
  app.addHook('onRoute', (route) => {
    const rule = route.config?.office
    if (rule === undefined || rule === 'anybody') return
    route.preHandler = [
      async (request: FastifyRequest, reply: FastifyReply) => {
        if (!(await may(rule, request, reply))) return reply
      },
      ...[route.preHandler ?? []].flat(),
    ]
  })
}

export function makeGuard(deps: Deps): MayCall {
  return async (rule, request, reply) => {
    if (rule === 'anybody') return true
    const admin = await adminOf(deps, request)
    if (admin === null) {
      refuse(reply, 401, toldOf(401).code, callText(deps, 401))
      return false
    }
    if (admin.by === 'cookie' && !readsOnly(request) && isForeign(deps, request)) {
      refuseForeign(deps, reply)
      return false
    }
    const refusal = await refusalOf(deps, rule, admin, request)
    if (refusal !== null) {
      refuse(reply, 403, refusal.code, refusal.message)
      return false
    }
    request.admin = admin
    return true
  }
}

/** Whoever is signed in, once the guard has let the request through. A route that declares nothing is the owners' of all events. */
export async function requireAdmin(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Admin | null> {
  if (request.admin === null)
    await makeGuard(deps)({ least: 'owner', about: 'every' }, request, reply)
  return request.admin
}

/** The events that are served and that the person works for. */
export function eventsOf(
  deps: Pick<Deps, 'events'>,
  person: Pick<Person, 'events'>,
): EventConfig[] {
  return deps.events
    .all()
    .map(({ config }) => config)
    .filter(({ id }) => maySee(person, id))
}

function readsOnly(request: FastifyRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

type No = { readonly code: string; readonly message: string }

async function refusalOf(
  deps: Deps,
  { least, about }: Exclude<OfficeRule, 'anybody'>,
  admin: Admin,
  request: FastifyRequest,
): Promise<No | null> {
  if (about !== 'own' && lacksSecondFactor(admin))
    return {
      code: 'second_factor_needed',
      message:
        'Your role needs a second factor. Please set one up on the page of your account first.',
    }
  if (!isAtLeast(admin.role, least))
    return {
      code: 'role_may_not',
      message: `This takes the role ${orMore(least)}; yours is ${admin.role}.`,
    }
  if (admin.events === null) return null
  if (about === 'every')
    return { code: 'not_your_event', message: 'This takes an account for all events.' }
  for (const eventId of await eventsAskedFor(deps, about, request))
    if (eventId === null || !maySee(admin, eventId))
      return { code: 'not_your_event', message: notYours(deps, admin, eventId) }
  return null
}

export function lacksSecondFactor(admin: Admin): boolean {
  return asksSecondFactor(admin) && !admin.hasSecondFactor
}

/** Of treasurers and owners, once an owner has said so. */
export function asksSecondFactor({ secondFactorRequired, role }: Admin): boolean {
  return secondFactorRequired && isAtLeast(role, 'treasurer')
}

function orMore(least: Role): string {
  return least === 'owner' ? 'owner' : `${least} or a higher one`
}

function notYours(deps: Deps, admin: Admin, eventId: string | null): string {
  const what =
    eventId === null
      ? 'what belongs to no event'
      : (deps.events.byId(eventId)?.config.title ?? 'another event')
  const theirs = eventsOf(deps, admin).map((event) => event.title)
  return theirs.length === 0
    ? `Your account is not for ${what}, nor for any event that is served.`
    : `Your account is not for ${what}. It is for ${theirs.join(', ')}.`
}

/**
 * Every event that the request names; null: it is about something of no event, which is the whole office's.
 * Nothing where none is named, or none of that name is there: the call says so itself.
 */
async function eventsAskedFor(
  deps: Deps,
  about: About,
  request: FastifyRequest,
): Promise<readonly (string | null)[]> {
  if (typeof about === 'function') return [about(request) ?? []].flat()
  const params = recordOf(request.params)
  switch (about) {
    case 'own':
    case 'any':
    case 'every':
      return []
    case 'event':
      return namedEvents(request)
    case 'registration':
      return eventsOfRegistration(deps, named(own(params, 'reg_no') ?? own(params, 'regNo')))
    case 'review': {
      const review = await deps.store.review(named(own(params, 'id')))
      // Money can be decided to be another registration's, which may be of another event.
      const others = await eventsOfRegistration(deps, own(recordOf(request.body), 'to'))
      return review === null ? others : [review.eventId, ...others]
    }
    default:
      return assertNever(about)
  }
}

function named(param: unknown): string {
  assert(typeof param === 'string', 'the address of the route names what the call is about')
  return param
}

async function eventsOfRegistration(deps: Deps, regNo: unknown): Promise<readonly string[]> {
  if (typeof regNo !== 'string') return []
  const registration = await deps.store.registration(regNo)
  return registration === null ? [] : [registration.eventId]
}

/** Under every name and however often: a call reads one of them, and the guard need not know which. */
function namedEvents({ query, body }: FastifyRequest): readonly string[] {
  return [recordOf(query), recordOf(body)]
    .flatMap((said) => [own(said, 'event'), own(said, 'event_id')])
    .flat()
    .filter((id) => typeof id === 'string' && id !== '')
    .map(String)
}

function recordOf(said: unknown): Readonly<Record<string, unknown>> {
  return typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {}
}

/**
 * Defines the types of an office route's permission rule. Each route file states its rule where it registers the
 * route.
 */
import { assertNever } from '../../engine/index.ts'
import type { Role } from '../../engine/index.ts'

/**
 * The object that an office request refers to. `server/office/auth/request-targets.ts` resolves each kind to stored
 * objects.
 */
export type TargetKind =
  /** The user's own account. Also open to a user who still has to set up a second factor. */
  | 'own'
  /** No object: the response covers the user's events. */
  | 'none'
  /** The whole office; requires access to all events. */
  | 'all events'
  /** The event in `event` or `event_id`, in the query string or body. */
  | 'event'
  /** Like `event`, but optional: if no event is given, the response covers the user's events. */
  | 'events'
  /** The registration in the path; its event must be served. A body may contain the id of one of its reviews. */
  | 'registration'
  /** The registration in the path, even after its event file was removed. */
  | 'stored registration'
  /** The review in the path, and the registration in the body's `to`. */
  | 'review'
  /** The registrations in the body's `reg_nos`. */
  | 'registrations'
  /** The event, and the registration of each entry in the body's `lines`. */
  | 'statement'
  /** The saved bank statement in the path, and the registration of each entry in the body's `lines`. */
  | 'bank statement'
  /** The list whose path the event file sets. */
  | 'list'

/** The type of a field in a body; a field that is missing or null is always accepted. */
export type JsonKind =
  /** A string or a number. */
  | 'text'
  /** A boolean, or a string from a form. */
  | 'flag'
  | 'list'
  | 'object'
  /** Any type; the handler checks it with its own message. */
  | 'any'

/** Everything that a handler may read from a request, except the fields that identify its target. */
export type Inputs<
  Q extends string = string,
  B extends string = string,
  P extends string = string,
> = {
  readonly query?: readonly Q[]
  readonly body?: Readonly<Record<B, JsonKind>>
  readonly params?: readonly P[]
  /** The query string also contains the filters that the event file defines. */
  readonly filters?: true
}

export type GuardedRule<
  K extends TargetKind = TargetKind,
  Q extends string = string,
  B extends string = string,
  P extends string = string,
> = Inputs<Q, B, P> & { readonly minRole: Role; readonly target: K }

export type OfficeRule =
  /** No session is required: sign-in, and the routes needed before it. */
  'unauthenticated' | GuardedRule

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The permission rule; every office route has one. */
    office?: OfficeRule
  }
}

/** Returns true if a value in a body has the declared type. */
export function hasKind(kind: JsonKind, value: unknown): boolean {
  if (value === undefined || value === null) return true
  switch (kind) {
    case 'text':
      return typeof value === 'string' || typeof value === 'number'
    case 'flag':
      return typeof value === 'boolean' || typeof value === 'string'
    case 'list':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && !Array.isArray(value)
    case 'any':
      return true
    default:
      return assertNever(kind)
  }
}

/** Handlers that run behind the guard. Only `server/office/auth/authorization.ts` adds to them. */
export const guardedHandlers = new WeakSet<object>()

/** Returns true if a path belongs to the office. */
export const isOfficePath = (path: string): boolean => /^(?:\/api)?\/admin\//.test(path)

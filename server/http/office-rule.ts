/** What a call of the office declares about itself: who may make it. The office enforces it before the call is run. */
import type { FastifyRequest } from 'fastify'
import type { Role } from '../../engine/index.ts'

/** Which events a call is about, of which the person must work for those that it names. */
export type About =
  /** The person's own account; open also to whoever has to set up a second factor first. */
  | 'own'
  /** No event in particular: the call itself shows only those of the person. */
  | 'any'
  /** The whole office: only for whoever works for all events. */
  | 'every'
  /** The one that `event` or `event_id` of the query or the body names. */
  | 'event'
  /** That of the registration that the address names by `reg_no`. */
  | 'registration'
  /** That of the review that the address names by `id`. */
  | 'review'
  /** The id of the event; null: there is none of that name, and the call says so itself. */
  | ((request: FastifyRequest) => string | null)

export type OfficeRule =
  /** Signing in, and what leads there. */
  'anybody' | { readonly least: Role; readonly about: About }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may make this call of the office; every route of the office has one. */
    office?: OfficeRule
  }
}

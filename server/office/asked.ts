/** The event or the registration that a call of the office names, for whoever is signed in; what is not there is answered here. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { own } from '../../engine/index.ts'
import type { Deps, ServedEvent } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import type { StoredRegistration } from '../store/store.ts'
import { requireAdmin } from './guard.ts'
import type { Admin } from './session.ts'

export type Asked = { readonly admin: Admin; readonly registration: StoredRegistration }

/** Null: the request is answered. What is kept of a registration outlives its event's file. */
export async function registrationAsked(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Asked | null> {
  const admin = await requireAdmin(deps, request, reply)
  if (admin === null) return null
  const { reg_no: regNo } = request.params as { readonly reg_no: string }
  const registration = await deps.store.registration(regNo)
  if (registration !== null) return { admin, registration }
  refuse(reply, 404, 'not_found', 'There is no registration with this number.')
  return null
}

/** The same, where nothing can be shown or done without the event's file. */
export async function servedAsked(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<(Asked & { readonly served: ServedEvent }) | null> {
  const asked = await registrationAsked(deps, request, reply)
  if (asked === null) return null
  const served = deps.events.byId(asked.registration.eventId)
  if (served !== null) return { ...asked, served }
  refuse(reply, 404, 'not_found', 'This registration belongs to an event that is not being served.')
  return null
}

/** The event that a call names in its words. */
export async function eventAsked(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  words: unknown,
): Promise<{ readonly admin: Admin; readonly served: ServedEvent } | null> {
  const admin = await requireAdmin(deps, request, reply)
  if (admin === null) return null
  const id =
    typeof words === 'object' && words !== null
      ? own(words as Record<string, unknown>, 'event')
      : null
  const served = typeof id === 'string' ? deps.events.byId(id.trim()) : null
  reply.header('cache-control', 'no-store')
  if (served !== null) return { admin, served }
  refuse(reply, 404, 'no_such_event', 'There is no event with this name.')
  return null
}

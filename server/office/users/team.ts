/** Manages users for owners: list, permissions and password links. */
import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { err, instant, isoIndia, isRole, ok } from '../../../engine/index.ts'
import type { Instant, Result } from '../../../engine/index.ts'
import type { PasswordLinkAnswer, UsersAnswer, UserChangedAnswer } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { limitByAddress } from '../../http/rate-limit.ts'
import type { Allowance } from '../../http/rate-limit.ts'
import { refuse } from '../../http/error-response.ts'
import { recordOf } from '../../http/request-input.ts'
import type { MayWhat, StoredUser } from '../../storage/index.ts'
import { pathsOf } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { hashPassword, makePassword, passwordRefusal } from '../auth/passwords.ts'
import { isForeign, refuseForeign } from '../auth/sessions.ts'

/** Three days: covers a weekend. */
const LINK_MS = 3 * 24 * 60 * 60_000
/** A link has 256 bits; this limit only protects the server from load. */
const LINK_TRIES: Allowance = { triesMax: 60, windowMs: 5 * 60_000 }
const USERNAME_CHARACTERS_MAX = 64
/** Letters and digits of any script, and the signs used in email addresses. */
const USERNAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.@_+-]*$/u
/** Names of actors in the audit log that are not users. */
const NOT_PEOPLE = ['delegate', 'import', 'migration', 'gateway', 'rollcall']

/** Returns why a username is not allowed, as a sentence; null: it is allowed. */
export function usernameRefusal(username: string): string | null {
  if (username.length > USERNAME_CHARACTERS_MAX)
    return `A username has at most ${USERNAME_CHARACTERS_MAX} characters.`
  if (!USERNAME.test(username))
    return 'A username can have letters, digits, dots, hyphens and @, but no spaces.'
  return NOT_PEOPLE.includes(username.toLowerCase())
    ? `“${username}” is reserved. Choose another name.`
    : null
}

/** Parses permissions from a form or command line; `events` null: all. */
export function readMay(
  { events: served }: Pick<Deps, 'events'>,
  role: unknown,
  events: unknown,
): Result<MayWhat, string> {
  if (!isRole(role)) return err('Choose one of the roles viewer, desk, treasurer and owner.')
  if (events === null) return ok({ role, events: null })
  const named: readonly unknown[] = Array.isArray(events) ? events : []
  const ids = [...new Set(named.filter((id) => typeof id === 'string'))]
  if (ids.length === 0 || named.some((id) => typeof id !== 'string'))
    return err('Choose at least one event, or all events.')
  const unknown = ids.find((id) => served.byId(id) === null)
  return unknown === undefined ? ok({ role, events: ids }) : err(`No event is called “${unknown}”.`)
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Creates a link for setting a password; null: no user of this name. */
async function makeLink(deps: Deps, username: string, at: Instant): Promise<string | null> {
  const token = randomBytes(32).toString('base64url')
  const isThere = await deps.store.addPasswordLink(username, hashOf(token), instant(at + LINK_MS))
  // After a #, which browsers do not send and logs do not contain.
  return isThere ? `${deps.environment.publicUrl}/admin/password#${token}` : null
}

export function peopleRoutes(office: OfficeRoutes, deps: Deps): void {
  const { store } = deps
  const done = async (
    { admin }: Pick<Call<'every'>, 'admin'>,
    reply: FastifyReply,
    did: string,
    message: string,
    link: string | null = null,
  ): Promise<FastifyReply> => {
    const at = deps.clock()
    await store.audit({ at, who: admin.username, what: did, eventId: null, regNo: null })
    const answer: UserChangedAnswer = { status: 'success', message, link }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  const list = async (_call: Call<'every'>, reply: FastifyReply): Promise<FastifyReply> => {
    const answer: UsersAnswer = {
      status: 'success',
      people: (await store.people(deps.clock())).map(wirePerson),
      events: deps.events.all().map(({ config: { id, title } }) => ({ id, title })),
      second_factor_required: await store.secondFactorRequired(),
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  const add = async (
    by: Call<'every', never, 'username' | 'role' | 'events'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const said = by.body
    const at = deps.clock()
    const username = typeof said.username === 'string' ? said.username.trim() : ''
    const refusal = username === '' ? 'Required' : usernameRefusal(username)
    if (refusal !== null) return wrong(reply, 'username', refusal)
    const may = readMay(deps, said.role, said.events)
    if (!may.ok) return wrong(reply, isRole(said.role) ? 'events' : 'role', may.error)
    // Nobody knows this password; the user sets one with the link.
    const added = await store.addAdmin(username, await hashPassword(makePassword()), at, may.value)
    if (!added.ok) return wrong(reply, 'username', `A user named “${username}” already exists.`)
    const link = await makeLink(deps, username, at)
    return done(
      by,
      reply,
      `added ${username}, ${mayText(may.value)}`,
      `${username} added. Send them this link: they use it to set a password and sign in.`,
      link,
    )
  }

  const setMay = async (
    by: Call<'every', never, 'role' | 'events', 'username'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { username } = by.params
    const may = readMay(deps, by.body.role, by.body.events)
    if (!may.ok) return wrong(reply, isRole(by.body.role) ? 'events' : 'role', may.error)
    const is = await store.setMay(username, may.value)
    return is === 'done'
      ? done(
          by,
          reply,
          `made ${username} ${mayText(may.value)}`,
          `${username} is now ${mayText(may.value)}.`,
        )
      : refuseChange(reply, is, username)
  }

  const remove = async (by: PersonCall, reply: FastifyReply): Promise<FastifyReply> => {
    const { username } = by.params
    const is = await store.removeAdmin(username)
    return is === 'removed'
      ? done(by, reply, `removed ${username}`, `${username} removed and signed out everywhere.`)
      : refuseChange(reply, is, username)
  }

  const renew = async (by: PersonCall, reply: FastifyReply): Promise<FastifyReply> => {
    const { username } = by.params
    if (isOwn(by)) return refuseOwn(reply)
    const at = deps.clock()
    // The old password no longer works.
    await store.setPassword(username, await hashPassword(makePassword()), at)
    const link = await makeLink(deps, username, at)
    if (link === null) return refuseChange(reply, 'unknown', username)
    return done(
      by,
      reply,
      `gave ${username} a link for a new password`,
      `The old password of ${username} no longer works. Send them this link to set a new one.`,
      link,
    )
  }

  const resetFactor = async (by: PersonCall, reply: FastifyReply): Promise<FastifyReply> => {
    const { username } = by.params
    if (isOwn(by)) return refuseOwn(reply)
    return (await store.dropSecondFactor(username))
      ? done(
          by,
          reply,
          `took the second factor of ${username} away`,
          `${username} signs in with the password only until they set up two-step sign-in again.`,
        )
      : refuse(reply, 404, 'not_found', `${username} has no two-step sign-in.`)
  }

  const require = async (
    by: Call<'every', never, 'required'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { required } = by.body
    if (typeof required !== 'boolean')
      return wrong(reply, 'required', 'Choose whether it is required: true or false.')
    if (required && !by.admin.hasSecondFactor)
      return refuse(
        reply,
        409,
        'set_up_yours_first',
        'First set up two-step sign-in for yourself, under Your account.',
      )
    await store.requireSecondFactor(required)
    return done(
      by,
      reply,
      required
        ? 'asked a second factor of treasurers and owners'
        : 'stopped asking a second factor of treasurers and owners',
      required
        ? 'Two-step sign-in is now required for treasurers and owners.'
        : 'Two-step sign-in is now optional.',
    )
  }

  const owners = { least: 'owner', about: 'every' } as const
  const ofPerson = { ...owners, params: ['username'] } as const
  office.get('/admin/admins', owners, list)
  office.post(
    '/admin/admins',
    { ...owners, body: { username: 'text', role: 'text', events: 'any' } },
    add,
  )
  office.post('/admin/admins/second-factor', { ...owners, body: { required: 'flag' } }, require)
  office.post(
    '/admin/admins/:username/may',
    { ...ofPerson, body: { role: 'text', events: 'any' } },
    setMay,
  )
  office.post('/admin/admins/:username/remove', ofPerson, remove)
  office.post('/admin/admins/:username/link', ofPerson, renew)
  office.post('/admin/admins/:username/reset-second-factor', ofPerson, resetFactor)
}

type PersonCall = Call<'every', never, never, 'username'>

/** Compares as the store does: `usernameRefusal` allows no other names. */
const isOwn = ({ admin, params }: PersonCall): boolean =>
  admin.username.toLowerCase() === params.username.toLowerCase()

/** A stolen session could otherwise take over the account; the account page asks for password and code. */
function refuseOwn(reply: FastifyReply): FastifyReply {
  return refuse(
    reply,
    409,
    'own_account',
    'Change your own password and two-step sign-in under Your account.',
  )
}

/** Sets a password with a link, for a user who is not signed in. */
export function passwordLinkRoutes(app: FastifyInstance, deps: Deps): void {
  const { store } = deps
  const limited = limitByAddress(deps, LINK_TRIES)
  const over = (reply: FastifyReply): FastifyReply =>
    refuse(
      reply,
      404,
      'link_over',
      'This link has been used, has expired, or was replaced by a newer one. Ask the person who gave it to you for another.',
    )
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (isForeign(deps, request)) return refuseForeign(deps, reply)
    if (await limited(request, reply)) return reply
    const at = deps.clock()
    const said = recordOf(request.body)
    const { token, password } = said
    const tokenHash = hashOf(typeof token === 'string' ? token : '')
    const owner = await store.passwordLink(tokenHash, at)
    if (owner === null) return over(reply)
    if (password === undefined) {
      const answer: PasswordLinkAnswer = { status: 'success', username: owner.username }
      return reply.header('cache-control', 'no-store').send(answer)
    }
    const names = [owner.username, ...deps.events.all().map(({ config }) => config.id)]
    const given = typeof password === 'string' ? password : ''
    const refusal = given === '' ? 'Required' : passwordRefusal(given, names)
    if (refusal !== null) return wrong(reply, 'password', refusal)
    if ((await store.usePasswordLink(tokenHash, await hashPassword(given), at)) === null)
      return over(reply)
    await store.audit({
      at,
      who: owner.username,
      what: 'set a password with a link',
      eventId: null,
      regNo: null,
    })
    return reply.header('cache-control', 'no-store').send({
      status: 'success',
      message: 'Your password is set. Please sign in with it.',
    })
  }
  for (const path of pathsOf('/admin/set-password'))
    app.post(path, { config: { office: 'anybody' } }, handle)
}

function refuseChange(reply: FastifyReply, is: 'unknown' | 'last', username: string): FastifyReply {
  return is === 'unknown'
    ? refuse(reply, 404, 'not_found', `No user named “${username}”.`)
    : refuse(
        reply,
        409,
        'last_owner',
        `${username} is the last owner of all events who can sign in. Add another owner first.`,
      )
}

function wrong(reply: FastifyReply, field: string, message: string): FastifyReply {
  return refuse(reply, 422, 'invalid_answers', message, { errors: { [field]: message } })
}

/** "desk for sample2026", "owner for all events". */
export function mayText({ role, events }: MayWhat): string {
  return `${role} for ${events === null ? 'all events' : events.join(', ')}`
}

function wirePerson(person: StoredUser): UsersAnswer['people'][number] {
  return {
    username: person.username,
    role: person.role,
    events: person.events === null ? null : [...person.events],
    has_second_factor: person.hasSecondFactor,
    added_at: isoIndia(person.createdAt),
    signed_in_at: person.signedInAt === null ? null : isoIndia(person.signedInAt),
    invited_until: person.invitedUntil === null ? null : isoIndia(person.invitedUntil),
  }
}

/** Manages users for owners: list, permissions and password links. */
import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { err, instant, formatIsoIndia, isRole, ok, ROLE_LABELS } from '../../../engine/index.ts'
import type { Instant, Result } from '../../../engine/index.ts'
import type {
  PasswordLinkResponse,
  UsersResponse,
  UserUpdatedResponse,
} from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { createAddressLimit } from '../../http/rate-limit.ts'
import type { Allowance } from '../../http/rate-limit.ts'
import { sendError } from '../../http/error-response.ts'
import { asRecord } from '../../http/request-input.ts'
import type { NewPasswordLink, Permissions, StoredUser } from '../../storage/index.ts'
import { buildPaths } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { hashPassword, generatePassword, findPasswordProblem } from '../auth/passwords.ts'
import { isCrossSite, rejectCrossSite } from '../auth/sessions.ts'

/** Three days, which covers a weekend. */
const LINK_LIFETIME_MS = 3 * 24 * 60 * 60_000
/** A link has 256 random bits and cannot be guessed; this limit only protects the server from load. */
const LINK_REQUEST_LIMIT: Allowance = { maxAttempts: 60, windowMs: 5 * 60_000 }
const MAX_USERNAME_CHARACTERS = 64
/** Letters and digits of any script, and the punctuation used in email addresses. */
const USERNAME_PATTERN = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.@_+-]*$/u
/** Names of actors in the audit log that are not users. */
const RESERVED_NAMES = ['delegate', 'import', 'migration', 'gateway', 'rollcall']

/** Returns why a username is not allowed, as a sentence. Null if it is allowed. */
export function findUsernameProblem(username: string): string | null {
  if (username.length > MAX_USERNAME_CHARACTERS)
    return `A username can have at most ${MAX_USERNAME_CHARACTERS} characters.`
  if (!USERNAME_PATTERN.test(username))
    return 'A username can have letters, digits, dots, hyphens and @, but no spaces.'
  return RESERVED_NAMES.includes(username.toLowerCase())
    ? `“${username}” is reserved. Choose another name.`
    : null
}

/** Parses permissions from a form or command line. `events` is null for all events. */
export function parsePermissions(
  { events: allEvents }: Pick<Deps, 'events'>,
  role: unknown,
  events: unknown,
): Result<Permissions, string> {
  if (!isRole(role)) return err('Choose one of the roles viewer, desk, treasurer and owner.')
  if (events === null) return ok({ role, events: null })
  const eventList: readonly unknown[] = Array.isArray(events) ? events : []
  const ids = [...new Set(eventList.filter((id) => typeof id === 'string'))]
  if (ids.length === 0 || eventList.some((id) => typeof id !== 'string'))
    return err('Choose at least one event, or all events.')
  const unknownId = ids.find((id) => allEvents.findById(id) === null)
  return unknownId === undefined
    ? ok({ role, events: ids })
    : err(`No event has the id “${unknownId}”.`)
}

const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Creates a link for setting a password: the part that is stored, and its URL. */
function createPasswordLink(
  { environment }: Pick<Deps, 'environment'>,
  at: Instant,
): { readonly link: NewPasswordLink; readonly url: string } {
  const token = randomBytes(32).toString('base64url')
  return {
    link: { tokenHash: hashToken(token), expiresAt: instant(at + LINK_LIFETIME_MS) },
    // The token follows a #, so browsers do not send it and logs do not contain it.
    url: `${environment.publicUrl}/admin/password#${token}`,
  }
}

export function addUserRoutes(office: OfficeRoutes, deps: Deps): void {
  const { store } = deps
  const sendChanged = async (
    { user }: Pick<Call<'all events'>, 'user'>,
    reply: FastifyReply,
    action: string,
    message: string,
    link: string | null = null,
  ): Promise<FastifyReply> => {
    const at = deps.clock()
    await store.addAuditEntry({ at, who: user.username, what: action, eventId: null, regNo: null })
    const response: UserUpdatedResponse = { status: 'success', message, link }
    return reply.header('cache-control', 'no-store').send(response)
  }

  const sendUsers = async (
    _call: Call<'all events'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const response: UsersResponse = {
      status: 'success',
      people: (await store.staffAccounts(deps.clock())).map(toWireUser),
      events: deps.events.all().map(({ config: { id, title } }) => ({ id, title })),
      second_factor_required: await store.secondFactorRequired(),
    }
    return reply.header('cache-control', 'no-store').send(response)
  }

  const addUser = async (
    call: Call<'all events', never, 'username' | 'role' | 'events'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const input = call.body
    const at = deps.clock()
    const username = typeof input.username === 'string' ? input.username.trim() : ''
    const refusal = username === '' ? 'Required' : findUsernameProblem(username)
    if (refusal !== null) return sendFieldError(reply, 'username', refusal)
    const permissions = parsePermissions(deps, input.role, input.events)
    if (!permissions.ok)
      return sendFieldError(reply, isRole(input.role) ? 'events' : 'role', permissions.error)
    // This random password is never shown; the user sets a new one with the link.
    const { link, url } = createPasswordLink(deps, at)
    const newUser = await call.store.addAdmin(
      username,
      await hashPassword(generatePassword()),
      at,
      permissions.value,
      link,
    )
    if (!newUser.ok)
      return sendFieldError(reply, 'username', `A user named “${username}” already exists.`)
    return sendChanged(
      call,
      reply,
      `added ${username}: ${formatPermissions(permissions.value)}`,
      `${username} added. Send them this link, so that they can set a password and sign in.`,
      url,
    )
  }

  const setPermissions = async (
    call: Call<'all events', never, 'role' | 'events', 'username'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { username } = call.params
    const permissions = parsePermissions(deps, call.body.role, call.body.events)
    if (!permissions.ok)
      return sendFieldError(reply, isRole(call.body.role) ? 'events' : 'role', permissions.error)
    const result = await call.store.setPermissions(username, permissions.value)
    return result === 'done'
      ? sendChanged(
          call,
          reply,
          `changed the role of ${username}: ${formatPermissions(permissions.value)}`,
          `${username} is now ${formatPermissions(permissions.value)}.`,
        )
      : rejectChange(reply, result, username)
  }

  const removeUser = async (call: UserCall, reply: FastifyReply): Promise<FastifyReply> => {
    const { username } = call.params
    const result = await call.store.removeAdmin(username)
    return result === 'removed'
      ? sendChanged(
          call,
          reply,
          `removed ${username}`,
          `${username} removed and signed out everywhere.`,
        )
      : rejectChange(reply, result, username)
  }

  const replaceLink = async (call: UserCall, reply: FastifyReply): Promise<FastifyReply> => {
    const { username } = call.params
    if (isOwnAccount(call)) return rejectOwnAccount(reply)
    const at = deps.clock()
    // Makes the old password invalid.
    const { link, url } = createPasswordLink(deps, at)
    const passwordHash = await hashPassword(generatePassword())
    if (!(await call.store.setPassword(username, passwordHash, at, link)))
      return rejectChange(reply, 'unknown', username)
    return sendChanged(
      call,
      reply,
      `created a password link for ${username}`,
      `The old password of ${username} no longer works. Send them this link to set a new one.`,
      url,
    )
  }

  const resetFactor = async (call: UserCall, reply: FastifyReply): Promise<FastifyReply> => {
    const { username } = call.params
    if (isOwnAccount(call)) return rejectOwnAccount(reply)
    return (await call.store.removeSecondFactor(username))
      ? sendChanged(
          call,
          reply,
          `reset the second factor of ${username}`,
          `${username} can sign in with only a password until they set up two-step sign-in again.`,
        )
      : sendError(reply, 404, 'not_found', `User “${username}” has no two-step sign-in.`)
  }

  const setFactorRequired = async (
    call: Call<'all events', never, 'required'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { required: isRequired } = call.body
    if (typeof isRequired !== 'boolean')
      return sendFieldError(reply, 'required', 'Choose whether it is required: true or false.')
    if (isRequired && !call.user.hasSecondFactor)
      return sendError(
        reply,
        409,
        'set_up_yours_first',
        'First set up two-step sign-in for yourself, under Your account.',
      )
    await call.store.requireSecondFactor(isRequired)
    return sendChanged(
      call,
      reply,
      isRequired
        ? 'required a second factor for treasurers and owners'
        : 'made the second factor optional for treasurers and owners',
      isRequired
        ? 'Two-step sign-in is now required for treasurers and owners.'
        : 'Two-step sign-in is now optional.',
    )
  }

  const ownerRule = { minRole: 'owner', target: 'all events' } as const
  const userRule = { ...ownerRule, params: ['username'] } as const
  office.get('/admin/admins', ownerRule, sendUsers)
  office.post(
    '/admin/admins',
    { ...ownerRule, body: { username: 'text', role: 'text', events: 'any' } },
    addUser,
  )
  office.post(
    '/admin/admins/second-factor',
    { ...ownerRule, body: { required: 'flag' } },
    setFactorRequired,
  )
  office.post(
    '/admin/admins/:username/may',
    { ...userRule, body: { role: 'text', events: 'any' } },
    setPermissions,
  )
  office.post('/admin/admins/:username/remove', userRule, removeUser)
  office.post('/admin/admins/:username/link', userRule, replaceLink)
  office.post('/admin/admins/:username/reset-second-factor', userRule, resetFactor)
}

type UserCall = Call<'all events', never, never, 'username'>

/**
 * Returns true if the request is about the user's own account. Ignores case, as the store does when it compares
 * usernames.
 */
const isOwnAccount = ({ user, params }: UserCall): boolean =>
  user.username.toLowerCase() === params.username.toLowerCase()

/**
 * Rejects a change that users would make to their own account on this page, so that a stolen session cannot take the
 * account over. The account page requires the password and a code.
 */
function rejectOwnAccount(reply: FastifyReply): FastifyReply {
  return sendError(
    reply,
    409,
    'own_account',
    'Change your own password and two-step sign-in under Your account.',
  )
}

/** Sets a password with a link, for a user who is not signed in. */
export function addPasswordLinkRoutes(app: FastifyInstance, deps: Deps): void {
  const { store } = deps
  const isLimited = createAddressLimit(deps, LINK_REQUEST_LIMIT)
  const sendLinkExpired = (reply: FastifyReply): FastifyReply =>
    sendError(
      reply,
      404,
      'link_over',
      'This link has been used, has expired, or was replaced by a newer one. Ask the person who sent it for a new link.',
    )
  const handlePasswordLink = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    if (isCrossSite(deps, request)) return rejectCrossSite(deps, reply)
    if (await isLimited(request, reply)) return reply
    const at = deps.clock()
    const input = asRecord(request.body)
    const { token, password } = input
    const tokenHash = hashToken(typeof token === 'string' ? token : '')
    const owner = await store.passwordLink(tokenHash, at)
    if (owner === null) return sendLinkExpired(reply)
    if (password === undefined) {
      const response: PasswordLinkResponse = { status: 'success', username: owner.username }
      return reply.header('cache-control', 'no-store').send(response)
    }
    const names = [owner.username, ...deps.events.all().map(({ config }) => config.id)]
    const newPassword = typeof password === 'string' ? password : ''
    const refusal = newPassword === '' ? 'Required' : findPasswordProblem(newPassword, names)
    if (refusal !== null) return sendFieldError(reply, 'password', refusal)
    if ((await store.usePasswordLink(tokenHash, await hashPassword(newPassword), at)) === null)
      return sendLinkExpired(reply)
    await store.addAuditEntry({
      at,
      who: owner.username,
      what: 'set a password with a link',
      eventId: null,
      regNo: null,
    })
    return reply.header('cache-control', 'no-store').send({
      status: 'success',
      message: 'Your password is set. You can now sign in with it.',
    })
  }
  for (const path of buildPaths('/admin/set-password'))
    app.post(path, { config: { office: 'unauthenticated' } }, handlePasswordLink)
}

function rejectChange(
  reply: FastifyReply,
  reason: 'unknown' | 'last',
  username: string,
): FastifyReply {
  return reason === 'unknown'
    ? sendError(reply, 404, 'not_found', `No user named “${username}”.`)
    : sendError(
        reply,
        409,
        'last_owner',
        `${username} is the last owner with access to all events who can sign in. Add another owner first.`,
      )
}

function sendFieldError(reply: FastifyReply, field: string, message: string): FastifyReply {
  return sendError(reply, 422, 'invalid_answers', message, { errors: { [field]: message } })
}

/** Formats permissions: "front desk (sample2026)", "owner (all events)". */
export function formatPermissions({ role, events }: Permissions): string {
  return `${ROLE_LABELS[role].toLowerCase()} (${events === null ? 'all events' : events.join(', ')})`
}

function toWireUser(storedUser: StoredUser): UsersResponse['people'][number] {
  return {
    username: storedUser.username,
    role: storedUser.role,
    events: storedUser.events === null ? null : [...storedUser.events],
    has_second_factor: storedUser.hasSecondFactor,
    added_at: formatIsoIndia(storedUser.createdAt),
    signed_in_at: storedUser.signedInAt === null ? null : formatIsoIndia(storedUser.signedInAt),
    invited_until:
      storedUser.invitedUntil === null ? null : formatIsoIndia(storedUser.invitedUntil),
  }
}

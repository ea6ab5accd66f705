/**
 * Who may see the office: signing in and out, and the guard of every office call. A session is a random
 * token, stored as its hash only; it travels as a cookie (our own web app) or as a bearer token.
 */
import { createHash, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LoginAnswer, SessionAnswer } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import { slidingLimit } from '../http/limit.ts'

export const SESSION_COOKIE = 'rollcall_session'
/** A person who went for lunch stays signed in; a forgotten browser does not. */
const IDLE_MS = 2 * 60 * 60_000
/** One working day, whatever happens. */
const SESSION_MS = 12 * 60 * 60_000
/** Enough for an office behind one address and for fingers that slip, not for guessing. */
const PER_ADDRESS = { max: 20, windowMs: 5 * 60_000 }
const PER_ACCOUNT = { max: 10, windowMs: 15 * 60_000 }
/** Longer input is nobody's password, and hashing it would be free work for a stranger. */
const CREDENTIAL_MAX = 256

export type Admin = {
  readonly adminId: number
  readonly username: string
  readonly by: 'cookie' | 'bearer'
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The session a request brings, or null. Touches the session. */
export async function adminOf(deps: Deps, request: FastifyRequest): Promise<Admin | null> {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const token = bearer ?? request.cookies[SESSION_COOKIE]
  if (token === undefined || token === '') return null
  const session = await deps.store.session(hashOf(token), deps.clock(), IDLE_MS)
  return session === null ? null : { ...session, by: bearer === undefined ? 'cookie' : 'bearer' }
}

/** The signed-in admin; otherwise answers 401 (or 403 for a foreign page riding on the cookie) and gives null. */
export async function requireAdmin(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Admin | null> {
  const admin = await adminOf(deps, request)
  if (admin === null) {
    refuse(reply, 401, 'unauthorized', textOf(deps, '401'))
    return null
  }
  if (admin.by === 'cookie' && !readsOnly(request) && !isSameOrigin(deps, request)) {
    refuse(reply, 403, 'foreign_origin', textOf(deps, '403'))
    return null
  }
  return admin
}

const readsOnly = (request: FastifyRequest): boolean =>
  request.method === 'GET' || request.method === 'HEAD'

/** Browsers always say where a POST comes from; one that says nothing is not taken for ours. */
function isSameOrigin(deps: Deps, request: FastifyRequest): boolean {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return site === 'same-origin'
  if (origin === new URL(deps.environment.publicUrl).origin) return true
  return URL.canParse(origin) && new URL(origin).host === request.headers.host
}

/** What a status says when the server has nothing better to say, as the texts file has it. */
function textOf(deps: Deps, status: '401' | '403'): string {
  const fallback = {
    401: 'Unauthorized. Please check your credentials.',
    403: 'Access forbidden.',
  }[status]
  return deps.events.all()[0]?.config.texts.calls[status] ?? fallback
}

const signInText = (deps: Deps): string =>
  deps.events.all()[0]?.config.texts.admin.signIn ?? 'Invalid username or password'

export function signInRoutes(
  app: FastifyInstance,
  deps: Deps,
  paths: (path: string) => readonly string[],
): void {
  const byAddress = slidingLimit(PER_ADDRESS.max, PER_ADDRESS.windowMs)
  const byAccount = slidingLimit(PER_ACCOUNT.max, PER_ACCOUNT.windowMs)
  // Verified against when the name is unknown, so that both answers take the same time.
  const nobody = hash(randomBytes(16).toString('hex'))

  const login = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = (
      typeof request.body === 'object' && request.body !== null ? request.body : {}
    ) as { username?: unknown; password?: unknown }
    const username = typeof body.username === 'string' ? body.username.trim() : ''
    const password = typeof body.password === 'string' ? body.password : ''
    if (username === '' || password === '') {
      const errors = {
        ...(username === '' && { username: 'Required' }),
        ...(password === '' && { password: 'Required' }),
      }
      return refuse(reply, 422, 'invalid_answers', 'Please enter your username and password.', {
        errors,
      })
    }
    if (request.headers.origin !== undefined && !isSameOrigin(deps, request))
      return refuse(reply, 403, 'foreign_origin', textOf(deps, '403'))

    const at = deps.clock()
    const account = username.toLowerCase()
    if (deps.environment.rateLimits) {
      const wait = Math.max(byAddress.wait(request.ip, at), byAccount.wait(account, at))
      if (wait > 0) {
        const minutes = Math.ceil(wait / 60_000)
        reply.header('retry-after', Math.ceil(wait / 1000))
        return refuse(
          reply,
          429,
          'too_many_attempts',
          `Too many attempts to sign in. Please wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`,
        )
      }
      // Counted before the check: tries sent at the same moment all count.
      byAddress.count(request.ip, at)
      byAccount.count(account, at)
    }

    const tooLong = username.length > CREDENTIAL_MAX || password.length > CREDENTIAL_MAX
    const admin = tooLong ? null : await deps.store.admin(username)
    const matches = await verify(admin?.passwordHash ?? (await nobody), tooLong ? '' : password)
    if (admin === null || !matches) return refuse(reply, 401, 'invalid_login', signInText(deps))

    byAccount.forget(account)
    const token = randomBytes(32).toString('base64url')
    await deps.store.openSession({
      tokenHash: hashOf(token),
      adminId: admin.id,
      at,
      expiresAt: (at + SESSION_MS) as typeof at,
    })
    await deps.store.audit({
      at,
      who: admin.username,
      what: 'signed in',
      eventId: null,
      regNo: null,
    })
    reply.setCookie(SESSION_COOKIE, token, { ...cookieOptions(deps), maxAge: SESSION_MS / 1000 })
    const answer: LoginAnswer = { status: 'success', token, username: admin.username }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  // Ends whatever session the request brings; a second logout is as good as the first.
  const logout = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const admin = await adminOf(deps, request)
    if (admin?.by === 'cookie' && !isSameOrigin(deps, request))
      return refuse(reply, 403, 'foreign_origin', textOf(deps, '403'))
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    for (const token of [bearer, request.cookies[SESSION_COOKIE]]) {
      if (token !== undefined && token !== '') await deps.store.closeSession(hashOf(token))
    }
    if (admin !== null)
      await deps.store.audit({
        at: deps.clock(),
        who: admin.username,
        what: 'signed out',
        eventId: null,
        regNo: null,
      })
    reply.clearCookie(SESSION_COOKIE, cookieOptions(deps))
    return reply.header('cache-control', 'no-store').send({ status: 'success' })
  }

  const session = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const admin = await requireAdmin(deps, request, reply)
    if (admin === null) return reply
    // The earliest conference first, as the office met them.
    const events = deps.events
      .all()
      .map(({ config }) => config)
      .toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))
    const texts = events[0]?.texts
    if (texts === undefined)
      return refuse(reply, 503, 'no_events', 'No event file is being served.')
    const answer: SessionAnswer = {
      status: 'success',
      username: admin.username,
      events: events.map(({ id, title, look, status, admin: { dashboard, lists }, routes }) => ({
        id,
        title,
        look,
        status,
        dashboard,
        lists,
        routes,
      })),
      texts,
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  for (const path of paths('/admin/login')) app.post(path, login)
  for (const path of paths('/admin/logout')) app.post(path, logout)
  for (const path of paths('/admin/session')) app.get(path, session)
}

const cookieOptions = (deps: Deps) =>
  ({
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: deps.environment.publicUrl.startsWith('https:'),
  }) as const

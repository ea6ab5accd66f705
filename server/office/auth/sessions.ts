/**
 * Opens, finds and closes staff sessions.
 * Permissions are in authorization.ts. A session is a random token, of which only the hash is stored. It is sent
 * as a cookie (our own web app) or as a bearer token.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { NewSession, OpenSession, StaffSender } from '../../storage/index.ts'
import { getAddressKey } from '../../http/rate-limit.ts'
import { sendError, getErrorForStatus } from '../../http/error-response.ts'

export const SESSION_COOKIE = 'rollcall_session'
/** Long enough for a lunch break, but ends the session of a forgotten browser. */
export const IDLE_TIMEOUT_MS = 2 * 60 * 60_000
/** One working day, even with activity. */
const SESSION_LIFETIME_MS = 12 * 60 * 60_000

/** The user of a session. */
export type User = OpenSession & {
  readonly by: 'cookie' | 'bearer'
  /** The request's session. */
  readonly tokenHash: string
}

/** Returns the session and permissions that the transaction of a request checks again. */
export const toSender = ({ tokenHash: sessionHash, role, events }: User): StaffSender => ({
  sessionHash,
  role,
  events,
})

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Returns a request's bearer token. Null if it has none. */
const readBearer = (request: FastifyRequest): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
/** Returns the token in a request's cookie. Null if it has none. */
const readCookie = ({ server, headers }: FastifyRequest): string | null =>
  headers.cookie === undefined ? null : server.parseCookie(headers.cookie)[SESSION_COOKIE] || null

/** Returns a request's session and renews its idle time. Null without a valid session. */
export async function findUser(deps: Deps, request: FastifyRequest): Promise<User | null> {
  const bearer = readBearer(request)
  const token = bearer ?? readCookie(request)
  if (token === null) return null
  const tokenHash = hashToken(token)
  const session = await deps.store.session(tokenHash, deps.clock(), IDLE_TIMEOUT_MS)
  return session === null
    ? null
    : { ...session, by: bearer === null ? 'cookie' : 'bearer', tokenHash }
}

/**
 * Returns true if a page of another site sent the request. Browsers always send the origin of a POST, so a
 * request without one counts as foreign.
 */
export function isCrossSite(deps: Deps, request: FastifyRequest): boolean {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  if (origin === undefined) return site !== 'same-origin'
  if (origin === new URL(deps.environment.publicUrl).origin) return false
  return !(URL.canParse(origin) && new URL(origin).host === request.headers.host)
}

export function rejectCrossSite(deps: Deps, reply: FastifyReply): FastifyReply {
  return sendError(reply, 403, 'foreign_origin', getStatusMessage(deps, 403))
}

/** Returns the text for a status from the texts file. */
export function getStatusMessage(deps: Deps, status: 401 | 403): string {
  return (
    deps.events.all()[0]?.config.texts.calls[String(status)] ?? getErrorForStatus(status).message
  )
}

/**
 * Opens a session, sets its cookie and returns the token. Null if the user was removed, or has new credentials since
 * these were verified.
 */
export async function openSession(
  deps: Deps,
  request: Pick<FastifyRequest, 'ip' | 'headers'>,
  reply: FastifyReply,
  { adminId, verified }: Pick<NewSession, 'adminId' | 'verified'>,
  at: Instant,
): Promise<string | null> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = instant(at + SESSION_LIFETIME_MS)
  const isOpened = await deps.store.openSession({
    tokenHash: hashToken(token),
    adminId,
    at,
    expiresAt,
    verified,
    network: getAddressKey(request),
    browser: describeBrowser(request.headers['user-agent'] ?? ''),
  })
  if (!isOpened) return null
  reply.setCookie(SESSION_COOKIE, token, {
    ...buildCookieOptions(deps),
    maxAge: SESSION_LIFETIME_MS / 1000,
  })
  return token
}

/** Closes every session that the request identifies, by cookie and by token, and deletes the cookie. */
export async function closeSessions(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  for (const token of [readBearer(request), readCookie(request)])
    if (token !== null) await deps.store.closeSession(hashToken(token))
  reply.clearCookie(SESSION_COOKIE, buildCookieOptions(deps))
}

const buildCookieOptions = (deps: Deps) =>
  ({
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: deps.environment.publicUrl.startsWith('https:'),
  }) as const

/** Returns the common names of the browser and system. The rest of the user agent is not stored. */
export function describeBrowser(agent: string): string {
  const findName = (table: readonly (readonly [RegExp, string])[]): string | undefined =>
    table.find(([pattern]) => pattern.test(agent))?.[1]
  const browser = findName(BROWSERS)
  const system = findName(SYSTEMS)
  if (browser === undefined) return system === undefined ? '' : `a browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}
/** The user agent of each browser also contains the names of those below it. */
const BROWSERS = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/(Headless)?Chrom(e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
] as const
const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const

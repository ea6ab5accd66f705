/**
 * A session of the office: how it is opened, recognised and ended. Who may do what with it is in authorization.ts. A session is a random token, stored as its
 * hash only; it travels as a cookie (our own web app) or as a bearer token.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { OpenSession } from '../../storage/index.ts'
import { addressOf } from '../../http/rate-limit.ts'
import { refuse, toldOf } from '../../http/error-response.ts'

export const SESSION_COOKIE = 'rollcall_session'
/** A person who went for lunch stays signed in; a forgotten browser does not. */
export const IDLE_MS = 2 * 60 * 60_000
/** One working day, whatever happens. */
const SESSION_MS = 12 * 60 * 60_000

/** Whoever a session belongs to. */
export type Admin = OpenSession & {
  readonly by: 'cookie' | 'bearer'
  /** The session that the request came with. */
  readonly tokenHash: string
}

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The bearer token that a request brings, or null. */
const bearerOf = (request: FastifyRequest): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
/** The token in the cookie of a request, or null. */
const cookieOf = ({ server, headers }: FastifyRequest): string | null =>
  headers.cookie === undefined ? null : server.parseCookie(headers.cookie)[SESSION_COOKIE] || null

/** The session a request brings, or null. Touches the session. */
export async function adminOf(deps: Deps, request: FastifyRequest): Promise<Admin | null> {
  const bearer = bearerOf(request)
  const token = bearer ?? cookieOf(request)
  if (token === null) return null
  const tokenHash = hashOf(token)
  const session = await deps.store.session(tokenHash, deps.clock(), IDLE_MS)
  return session === null
    ? null
    : { ...session, by: bearer === null ? 'cookie' : 'bearer', tokenHash }
}

/**
 * Whether a page of another site sends it. Browsers always say where a POST comes from; one that says
 * nothing is not taken for ours.
 */
export function isForeign(deps: Deps, request: FastifyRequest): boolean {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  if (origin === undefined) return site !== 'same-origin'
  if (origin === new URL(deps.environment.publicUrl).origin) return false
  return !(URL.canParse(origin) && new URL(origin).host === request.headers.host)
}

export function refuseForeign(deps: Deps, reply: FastifyReply): FastifyReply {
  return refuse(reply, 403, 'foreign_origin', callText(deps, 403))
}

/** What a status says, in the words of the texts file. */
export function callText(deps: Deps, status: 401 | 403): string {
  return deps.events.all()[0]?.config.texts.calls[String(status)] ?? toldOf(status).message
}

/** Opens a session and gives the browser its cookie; answers the token. */
export async function openSession(
  deps: Deps,
  request: Pick<FastifyRequest, 'ip' | 'headers'>,
  reply: FastifyReply,
  adminId: number,
  at: Instant,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = instant(at + SESSION_MS)
  await deps.store.openSession({
    tokenHash: hashOf(token),
    adminId,
    at,
    expiresAt,
    network: addressOf(request),
    browser: browserOf(request.headers['user-agent'] ?? ''),
  })
  reply.setCookie(SESSION_COOKIE, token, { ...cookieOptions(deps), maxAge: SESSION_MS / 1000 })
  return token
}

/** Ends whatever sessions the request brings, by cookie and by token, and takes the cookie back. */
export async function closeSessions(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  for (const token of [bearerOf(request), cookieOf(request)])
    if (token !== null) await deps.store.closeSession(hashOf(token))
  reply.clearCookie(SESSION_COOKIE, cookieOptions(deps))
}

const cookieOptions = (deps: Deps) =>
  ({
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: deps.environment.publicUrl.startsWith('https:'),
  }) as const

/** The browser and the system as people call them, which is all that is kept of what a browser says of itself. */
export function browserOf(agent: string): string {
  const named = (table: readonly (readonly [RegExp, string])[]): string | undefined =>
    table.find(([pattern]) => pattern.test(agent))?.[1]
  const browser = named(BROWSERS)
  const system = named(SYSTEMS)
  if (browser === undefined) return system === undefined ? '' : `a browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}
/** Each of them also says the names of those below it. */
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

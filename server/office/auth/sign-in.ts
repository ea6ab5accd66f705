/** Handles sign-in and sign-out of the office, and describes the session to the web app. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assertNever, priceSteps } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { LoginAnswer, SessionAnswer } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { addressOf, openLimit, refuseTooMany } from '../../http/rate-limit.ts'
import type { Allowance } from '../../http/rate-limit.ts'
import { refuse } from '../../http/error-response.ts'
import { CREDENTIAL_CHARACTERS_MAX, hashPassword, isPassword } from './passwords.ts'
import { openSecondFactors } from './two-step-sign-in.ts'
import { adminOf, closeSessions, isForeign, openSession, refuseForeign } from './sessions.ts'
import { eventsOf, lacksSecondFactor, pathsOf } from './authorization.ts'
import type { Call, OfficeRoutes } from './authorization.ts'

/** Enough for an office behind one address and for typing errors, but not for guessing. */
const TRIES_PER_ADDRESS: Allowance = { triesMax: 20, windowMs: 5 * 60_000 }
/** For one account from one address: an attacker locks out their own address, not the office. */
const TRIES_PER_PAIR: Allowance = { triesMax: 10, windowMs: 15 * 60_000 }
/**
 * For one account from all addresses: 9,600 guesses a day, at which guessing a generated password takes thousands
 * of years.
 */
const TRIES_PER_ACCOUNT: Allowance = { triesMax: 100, windowMs: 15 * 60_000 }
/** Where an account has signed in recently, guesses by strangers do not lock it out. */
const KNOWN: Allowance = { triesMax: 1, windowMs: 30 * 24 * 60 * 60_000 }
/** Limits the log entries for failures of one account, and for all unknown names together: 1,000 rows a day. */
const TRACES: Allowance = { triesMax: 10, windowMs: 15 * 60_000 }

/**
 * Verified when the username is unknown, so that both responses take the same time. Computed once, with the first
 * app.
 */
let nobodysHash: Promise<string> | null = null

const signInText = (deps: Deps): string =>
  deps.events.all()[0]?.config.texts.admin.signIn ?? 'Invalid username or password'

export function signInRoutes(app: FastifyInstance, office: OfficeRoutes, deps: Deps): void {
  const byAddress = openLimit(deps, TRIES_PER_ADDRESS)
  const byPair = openLimit(deps, TRIES_PER_PAIR)
  const byAccount = openLimit(deps, TRIES_PER_ACCOUNT)
  const known = openLimit(deps, KNOWN)
  const written = openLimit(deps, TRACES)
  const factors = openSecondFactors(deps)
  const nobody = (nobodysHash ??= hashPassword(randomBytes(16).toString('hex')))

  /**
   * Records a wrong password: in the audit log under the user whose name was given, otherwise in the server log.
   * An unknown name may be a password typed in the wrong field, so it is not logged.
   */
  const leaveTrace = async (who: string | null, at: Instant): Promise<void> => {
    const key = who ?? ''
    if ((await written.take(key, at)) > 0) return
    if (who === null) deps.log.warn({}, 'somebody tried to sign in under a name nobody has')
    else {
      deps.log.warn({}, 'somebody tried to sign in with a wrong password or code')
      await deps.store.audit({ at, who, what: 'failed to sign in', eventId: null, regNo: null })
    }
  }

  const login = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = (
      typeof request.body === 'object' && request.body !== null ? request.body : {}
    ) as { username?: unknown; password?: unknown; code?: unknown }
    const username = typeof body.username === 'string' ? body.username.trim() : ''
    const password = typeof body.password === 'string' ? body.password : ''
    const code = typeof body.code === 'string' ? body.code.trim() : ''
    if (username === '' || password === '') {
      const errors = {
        ...(username === '' && { username: 'Required' }),
        ...(password === '' && { password: 'Required' }),
      }
      return refuse(reply, 422, 'invalid_answers', 'Please enter your username and password.', {
        errors,
      })
    }
    if (request.headers.origin !== undefined && isForeign(deps, request))
      return refuseForeign(deps, reply)

    const at = deps.clock()
    const address = addressOf(request)
    const account = username.slice(0, CREDENTIAL_CHARACTERS_MAX).toLowerCase()
    const pair = `${address} ${account}`
    const isKnown = (await known.wait(pair, at)) > 0
    // Counted before the check, and only if all limits allow it, so that simultaneous attempts all count.
    for (const ask of ['wait', 'take'] as const) {
      const waitMs = Math.max(
        await byAddress[ask](address, at),
        await byPair[ask](pair, at),
        isKnown ? 0 : await byAccount[ask](account, at),
      )
      if (waitMs > 0) return refuseTooMany(reply, waitMs, 'attempts to sign in')
    }

    const tooLong =
      username.length > CREDENTIAL_CHARACTERS_MAX || password.length > CREDENTIAL_CHARACTERS_MAX
    const admin = tooLong ? null : await deps.store.admin(username)
    const matches = await isPassword(tooLong ? '' : password, admin?.passwordHash ?? (await nobody))
    if (admin === null || !matches) {
      await leaveTrace(admin?.username ?? null, at)
      return refuse(reply, 401, 'invalid_login', signInText(deps))
    }

    await byPair.forget(pair)
    const factor =
      admin.totpSecret === null
        ? null
        : await secondFactor(
            { id: admin.id, username: admin.username, secret: admin.totpSecret },
            code,
            isKnown ? pair : account,
            reply,
            at,
          )
    if (factor === 'refused') return reply
    await known.count(pair, at)
    const token = await openSession(deps, request, reply, admin.id, at)
    await deps.store.audit({
      at,
      who: admin.username,
      what: factor === 'recovery' ? 'signed in with a recovery code' : 'signed in',
      eventId: null,
      regNo: null,
    })
    const answer: LoginAnswer = { status: 'success', token, username: admin.username }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  /** Returns how the second factor was proved; `refused`: it was not, and the request has been answered. */
  const secondFactor = async (
    admin: { readonly id: number; readonly username: string; readonly secret: string },
    code: string,
    from: string,
    reply: FastifyReply,
    at: Instant,
  ): Promise<'app' | 'recovery' | 'refused'> => {
    if (code === '') {
      refuse(reply, 401, 'code_needed', 'Enter the code from your authenticator app.')
      return 'refused'
    }
    const checked = await factors.take(admin, code.slice(0, CREDENTIAL_CHARACTERS_MAX), from, at)
    switch (checked.is) {
      case 'right':
        return checked.by
      case 'too-many':
        refuseTooMany(reply, checked.waitMs, 'wrong codes')
        return 'refused'
      case 'wrong':
        await leaveTrace(admin.username, at)
        refuse(reply, 401, 'wrong_code', checked.message)
        return 'refused'
      default:
        return assertNever(checked)
    }
  }

  // Closes every session of the request; a repeated logout succeeds too.
  const logout = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const admin = await adminOf(deps, request)
    if (admin?.by === 'cookie' && isForeign(deps, request)) return refuseForeign(deps, reply)
    await closeSessions(deps, request, reply)
    if (admin !== null)
      await deps.store.audit({
        at: deps.clock(),
        who: admin.username,
        what: 'signed out',
        eventId: null,
        regNo: null,
      })
    return reply.header('cache-control', 'no-store').send({ status: 'success' })
  }

  const session = async ({ admin }: Call<'own'>, reply: FastifyReply): Promise<FastifyReply> => {
    // The earliest conference first, as in the rest of the office.
    const events = eventsOf(deps, admin).toSorted((a, b) =>
      a.from < b.from ? -1 : a.from > b.from ? 1 : 0,
    )
    const texts = (events[0] ?? deps.events.all()[0]?.config)?.texts
    if (texts === undefined)
      return refuse(reply, 503, 'no_events', 'No event file is being served.')
    const answer: SessionAnswer = {
      status: 'success',
      username: admin.username,
      role: admin.role,
      all_events: admin.events === null,
      needs_second_factor: lacksSecondFactor(admin),
      in_recovery: (await deps.store.recovery()) !== null,
      events: events.map(({ id, title, look, status, admin: { dashboard, lists }, ...event }) => ({
        id,
        title,
        look,
        status,
        from: event.from,
        to: event.to,
        always: {
          name: event.roles.fullName ?? null,
          category: event.categoryChoice.by === 'field' ? event.categoryChoice.field : 'category',
        },
        price_steps: priceSteps(event),
        dashboard,
        lists,
        routes: event.routes,
        gives_codes: event.codeKinds.length > 0,
        sells:
          event.fees.items.length > 0 ||
          event.quotas.length > 0 ||
          event.fields.some(({ type }) => type === 'people'),
      })),
      texts,
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  for (const path of pathsOf('/admin/login'))
    app.post(path, { config: { office: 'anybody' } }, login)
  for (const path of pathsOf('/admin/logout'))
    app.post(path, { config: { office: 'anybody' } }, logout)
  office.get('/admin/session', { least: 'viewer', about: 'own' }, session)
}

/** Handles sign-in and sign-out of staff, and describes the session to the web app. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listCurrenciesWithRate } from '../reconciliation/exchange-rates.ts'
import {
  assertNever,
  checkRegistrationOpen,
  listCurrenciesOfEvent,
  dayOf,
  withDeskDays,
  INR,
  isEventOver,
  listPriceSteps,
} from '../../../engine/index.ts'
import type { Day, EventConfig, Instant } from '../../../engine/index.ts'
import type { LoginResponse, SessionResponse } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { getAddressKey, openLimit, sendTooMany, takeFromAll } from '../../http/rate-limit.ts'
import type { Allowance, NestedLimits } from '../../http/rate-limit.ts'
import { sendError } from '../../http/error-response.ts'
import { MAX_CREDENTIAL_CHARACTERS, hashPassword, verifyPassword } from './passwords.ts'
import { openSecondFactors } from './two-step-sign-in.ts'
import { findUser, closeSessions, isCrossSite, openSession, rejectCrossSite } from './sessions.ts'
import { findUserEvents, lacksSecondFactor, buildPaths } from './authorization.ts'
import type { Call, OfficeRoutes } from './authorization.ts'

/** Enough for an office behind one address and for typos, but not for guessing. */
const TRIES_PER_ADDRESS: Allowance = { maxAttempts: 20, windowMs: 5 * 60_000 }
/** For one account from one address: an attacker locks out only their own address, not the office. */
const TRIES_PER_PAIR: Allowance = { maxAttempts: 10, windowMs: 15 * 60_000 }
/**
 * For one account from all addresses: 9,600 guesses a day. At that rate, guessing a generated password takes
 * thousands of years.
 */
const TRIES_PER_ACCOUNT: Allowance = { maxAttempts: 100, windowMs: 15 * 60_000 }
/** Guesses from elsewhere do not lock an account out at an address where it signed in recently. */
const KNOWN_ADDRESS_LIMIT: Allowance = { maxAttempts: 1, windowMs: 30 * 24 * 60 * 60_000 }
/** Limits the log entries for failures of one account, and for all unknown names together: 1,000 rows a day. */
const LOGGED_FAILURES_LIMIT: Allowance = { maxAttempts: 10, windowMs: 15 * 60_000 }

/**
 * The hash to verify when the username is unknown, so that both responses take the same time. Computed once per
 * process.
 */
let placeholderHash: Promise<string> | null = null

const getInvalidSignInText = (deps: Deps): string =>
  deps.events.all()[0]?.config.texts.admin.signIn ?? 'Invalid username or password'

export function addSignInRoutes(app: FastifyInstance, office: OfficeRoutes, deps: Deps): void {
  const addressLimit = openLimit(deps, TRIES_PER_ADDRESS)
  const pairLimit = openLimit(deps, TRIES_PER_PAIR)
  const accountLimit = openLimit(deps, TRIES_PER_ACCOUNT)
  const knownAddresses = openLimit(deps, KNOWN_ADDRESS_LIMIT)
  const loggedFailures = openLimit(deps, LOGGED_FAILURES_LIMIT)
  const factors = openSecondFactors(deps)
  const placeholderHashPromise = (placeholderHash ??= hashPassword(randomBytes(16).toString('hex')))

  /**
   * Records a failed sign-in: in the audit log if the username exists, otherwise in the server log.
   * An unknown name may be a password typed in the wrong field, so it is not logged.
   */
  const logFailure = async (user: string | null, at: Instant): Promise<void> => {
    const key = user ?? ''
    if ((await loggedFailures.take(key, at)) > 0) return
    if (user === null) deps.log.warn({}, 'failed sign-in: unknown username')
    else {
      deps.log.warn({}, 'failed sign-in: wrong password or code')
      await deps.store.addAuditEntry({
        at,
        who: user,
        what: 'failed to sign in',
        eventId: null,
        regNo: null,
      })
    }
  }

  const signIn = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
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
      return sendError(reply, 422, 'invalid_answers', 'Please enter your username and password.', {
        errors,
      })
    }
    if (request.headers.origin !== undefined && isCrossSite(deps, request))
      return rejectCrossSite(deps, reply)

    const at = deps.clock()
    const address = getAddressKey(request)
    const account = username.slice(0, MAX_CREDENTIAL_CHARACTERS).toLowerCase()
    const pair = `${address} ${account}`
    const isKnown = (await knownAddresses.wait(pair, at)) > 0
    const limits: NestedLimits = [
      [pairLimit, pair],
      [addressLimit, address],
      ...(isKnown ? [] : [[accountLimit, account] as const]),
    ]
    // Counted before the password is checked, so that concurrent attempts cannot exceed the limits.
    const waitMs = await takeFromAll(limits, at)
    if (waitMs > 0) return sendTooMany(reply, waitMs, 'attempts to sign in')

    const isTooLong =
      username.length > MAX_CREDENTIAL_CHARACTERS || password.length > MAX_CREDENTIAL_CHARACTERS
    const user = isTooLong ? null : await deps.store.admin(username)
    const isMatch = await verifyPassword(
      isTooLong ? '' : password,
      user?.passwordHash ?? (await placeholderHashPromise),
    )
    if (user === null || !isMatch) {
      await logFailure(user?.username ?? null, at)
      return sendError(reply, 401, 'invalid_login', getInvalidSignInText(deps))
    }

    await pairLimit.forget(pair)
    const factor =
      user.totpSecret === null
        ? null
        : await checkSecondFactor(
            { id: user.id, username: user.username, secret: user.totpSecret },
            code,
            isKnown ? pair : account,
            reply,
            at,
          )
    if (factor === 'refused') return reply
    const verified = { passwordHash: user.passwordHash, hasSecondFactor: user.totpSecret !== null }
    const token = await openSession(deps, request, reply, { adminId: user.id, verified }, at)
    if (token === null) {
      await logFailure(user.username, at)
      return sendError(reply, 401, 'invalid_login', getInvalidSignInText(deps))
    }
    await knownAddresses.count(pair, at)
    await deps.store.addAuditEntry({
      at,
      who: user.username,
      what: factor === 'recovery' ? 'signed in with a recovery code' : 'signed in',
      eventId: null,
      regNo: null,
    })
    const response: LoginResponse = { status: 'success', token, username: user.username }
    return reply.header('cache-control', 'no-store').send(response)
  }

  /** Returns the method by which the second factor was verified. `refused` means that the error response was sent. */
  const checkSecondFactor = async (
    user: { readonly id: number; readonly username: string; readonly secret: string },
    code: string,
    clientKey: string,
    reply: FastifyReply,
    at: Instant,
  ): Promise<'app' | 'recovery' | 'refused'> => {
    if (code === '') {
      sendError(reply, 401, 'code_needed', 'Enter the code from your authenticator app.')
      return 'refused'
    }
    const codeCheck = await factors.consumeCode(
      user,
      code.slice(0, MAX_CREDENTIAL_CHARACTERS),
      clientKey,
      at,
    )
    switch (codeCheck.is) {
      case 'right':
        return codeCheck.by
      case 'too-many':
        sendTooMany(reply, codeCheck.waitMs, 'wrong codes')
        return 'refused'
      case 'wrong':
        await logFailure(user.username, at)
        sendError(reply, 401, 'wrong_code', codeCheck.message)
        return 'refused'
      default:
        return assertNever(codeCheck)
    }
  }

  // Closes every session that the request identifies. A repeated sign-out also succeeds.
  const logout = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const user = await findUser(deps, request)
    if (user?.by === 'cookie' && isCrossSite(deps, request)) return rejectCrossSite(deps, reply)
    await closeSessions(deps, request, reply)
    if (user !== null)
      await deps.store.addAuditEntry({
        at: deps.clock(),
        who: user.username,
        what: 'signed out',
        eventId: null,
        regNo: null,
      })
    return reply.header('cache-control', 'no-store').send({ status: 'success' })
  }

  const sendSession = async ({ user }: Call<'own'>, reply: FastifyReply): Promise<FastifyReply> => {
    // Sorts the earliest conference first, as on the other office pages.
    const events = findUserEvents(deps, user).toSorted((a, b) =>
      a.from < b.from ? -1 : a.from > b.from ? 1 : 0,
    )
    const texts = (events[0] ?? deps.events.all()[0]?.config)?.texts
    if (texts === undefined)
      return sendError(reply, 503, 'no_events', 'No event file is being served.')
    const response: SessionResponse = {
      status: 'success',
      username: user.username,
      role: user.role,
      all_events: user.events === null,
      needs_second_factor: lacksSecondFactor(user),
      in_recovery: (await deps.store.recovery()) !== null,
      today: dayOf(deps.clock()),
      events: events.map((event) => ({
        id: event.id,
        title: event.title,
        look: event.look,
        adds_registrations: canAddRegistrations(event, dayOf(deps.clock())),
        from: event.from,
        to: event.to,
        always: {
          name: event.roles.fullName ?? null,
          category: event.categoryChoice.by === 'field' ? event.categoryChoice.field : 'category',
        },
        price_steps: listPriceSteps(event),
        dashboard: event.admin.dashboard,
        lists: event.admin.lists,
        routes: event.routes,
        gives_codes: event.codeKinds.length > 0,
        checks_documents: event.approvals.length > 0,
        ...(listCurrenciesWithRate(event).length > 0 && {
          rate_currencies: [...listCurrenciesWithRate(event)],
        }),
        ...(listCurrenciesOfEvent(event).some((currency) => currency !== INR) && {
          currencies: [...listCurrenciesOfEvent(event)],
        }),
        sells:
          event.fees.items.length > 0 ||
          event.quotas.length > 0 ||
          event.fields.some(({ type }) => type === 'people'),
      })),
      texts,
    }
    return reply.header('cache-control', 'no-store').send(response)
  }

  for (const path of buildPaths('/admin/login'))
    app.post(path, { config: { office: 'unauthenticated' } }, signIn)
  for (const path of buildPaths('/admin/logout'))
    app.post(path, { config: { office: 'unauthenticated' } }, logout)
  office.get('/admin/session', { minRole: 'viewer', target: 'own' }, sendSession)
}

/**
 * Returns true if staff can add a registration on that date: registration is open online or at the front desk, and the
 * event is not over.
 */
const canAddRegistrations = (event: EventConfig, day: Day): boolean =>
  !isEventOver(event, day) && checkRegistrationOpen(withDeskDays(event, day), day).open

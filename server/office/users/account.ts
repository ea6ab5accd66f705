/** Manages a user's own account: password, second factor and sessions. */
import type { FastifyReply } from 'fastify'
import { isoIndia } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type {
  AccountAnswer,
  RecoveryCodesAnswer,
  SecondFactorAnswer,
  WireSession,
} from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { openLimit, refuseTooMany } from '../../http/rate-limit.ts'
import type { Allowance } from '../../http/rate-limit.ts'
import { refuse } from '../../http/error-response.ts'
import type { SessionSeen, StoredAccount } from '../../storage/index.ts'
import { asksSecondFactor, eventsOf } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import {
  CREDENTIAL_CHARACTERS_MAX,
  hashPassword,
  isPassword,
  passwordRefusal,
} from '../auth/passwords.ts'
import {
  appAddress,
  makeRecoveryCodes,
  makeSecret,
  openSecondFactors,
  stepOf,
} from '../auth/two-step-sign-in.ts'
import { IDLE_MS, openSession } from '../auth/sessions.ts'
import type { Admin } from '../auth/sessions.ts'

/** Limits guesses of the password by somebody who has the user's open browser. */
const TRIES: Allowance = { triesMax: 10, windowMs: 15 * 60_000 }
/** A session is identified by the first characters of its token's hash, which grant no access. */
const SESSION_ID_CHARACTERS = 16

type Asked = {
  readonly admin: Admin
  readonly account: StoredAccount
  readonly at: Instant
  /** Returns a field of the body; '' if it is missing. */
  said(name: OwnWord): string
}
const OWN_WORDS = { password: 'text', new_password: 'text', code: 'text', id: 'text' } as const
type OwnWord = keyof typeof OWN_WORDS
type OwnCall = Call<'own', never, OwnWord>

export function accountRoutes(office: OfficeRoutes, deps: Deps): void {
  const factors = openSecondFactors(deps)
  const tries = openLimit(deps, TRIES)
  const { store } = deps

  const asked = async ({ admin, body }: OwnCall, reply: FastifyReply): Promise<Asked | null> => {
    const account = await store.account(admin.adminId)
    reply.header('cache-control', 'no-store')
    if (account === null) {
      refuse(reply, 404, 'not_found', 'This account was removed.')
      return null
    }
    const said = (name: OwnWord): string => {
      const value = body[name]
      return typeof value === 'string' ? value.slice(0, CREDENTIAL_CHARACTERS_MAX + 1) : ''
    }
    return { admin, account, at: deps.clock(), said }
  }
  const did = ({ admin, at }: Asked, what: string): Promise<void> =>
    store.audit({ at, who: admin.username, what, eventId: null, regNo: null })

  /** Proves the user's identity: by password, and by a code if there is a second factor. */
  const proves = async (by: Asked, reply: FastifyReply): Promise<boolean> => {
    const { admin, account, at, said } = by
    const waitMs = await tries.take(admin.username, at)
    if (waitMs > 0) {
      refuseTooMany(reply, waitMs, 'wrong passwords')
      return false
    }
    if (
      said('password').length > CREDENTIAL_CHARACTERS_MAX ||
      !(await isPassword(said('password'), account.passwordHash))
    ) {
      wrong(reply, 'password', 'This password is wrong.')
      return false
    }
    await tries.forget(admin.username)
    if (account.totpSecret === null) return true
    if (said('code').trim() === '') {
      wrong(reply, 'code', 'Enter the code from your authenticator app.')
      return false
    }
    const taken = await factors.take(
      { id: admin.adminId, secret: account.totpSecret },
      said('code').trim(),
      `account ${admin.username}`,
      at,
    )
    if (taken.is === 'too-many') refuseTooMany(reply, taken.waitMs, 'wrong codes')
    if (taken.is === 'wrong') wrong(reply, 'code', taken.message)
    return taken.is === 'right'
  }

  const show = async (call: OwnCall, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(call, reply)
    if (by === null) return reply
    const { admin, account, at } = by
    const sessions = await store.sessionsOf(admin.adminId, at, IDLE_MS)
    const answer: AccountAnswer = {
      status: 'success',
      username: admin.username,
      role: admin.role,
      events: admin.events === null ? null : eventsOf(deps, admin).map(({ title }) => title),
      second_factor: {
        is_on: account.totpSecret !== null,
        is_required: asksSecondFactor(admin),
        recovery_codes_left: account.recoveryCodesLeft,
      },
      sessions: sessions.map((session) => wireSession(session, admin)),
    }
    return reply.send(answer)
  }

  const setPassword = async (call: OwnCall, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(call, reply)
    if (by === null) return reply
    const { admin, at, said } = by
    const names = [admin.username, ...deps.events.all().map(({ config }) => config.id)]
    const refusal = passwordRefusal(said('new_password'), names)
    if (refusal !== null) return wrong(reply, 'new_password', refusal)
    if (!(await proves(by, reply))) return reply
    await store.setPassword(admin.username, await hashPassword(said('new_password')), at)
    // All sessions are closed, including this one; the user who changed the password continues in a new one.
    await openSession(deps, call.caller, reply, admin.adminId, at)
    await did(by, 'set a new password and signed out everywhere')
    return reply.send({
      status: 'success',
      message: 'Your new password is set. You are signed out everywhere else.',
    })
  }

  const want = async (call: OwnCall, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(call, reply)
    if (by === null || !(await proves(by, reply))) return reply
    const secret = makeSecret()
    await store.wantSecondFactor(by.admin.adminId, secret)
    const answer: SecondFactorAnswer = {
      status: 'success',
      secret: secret.replaceAll(/(.{4})(?=.)/g, '$1 '),
      address: appAddress(secret, by.admin.username, new URL(deps.environment.publicUrl).hostname),
    }
    return reply.send(answer)
  }

  const confirm = async (call: OwnCall, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(call, reply)
    if (by === null) return reply
    const { admin, account, at, said } = by
    if (account.totpWanted === null)
      return refuse(reply, 409, 'not_begun', 'Start the setup again.')
    // The secret is new and the user's own: guessing its code gains nothing, but is still counted.
    const waitMs = await tries.take(admin.username, at)
    if (waitMs > 0) return refuseTooMany(reply, waitMs, 'wrong codes')
    const step = stepOf(account.totpWanted, said('code').replaceAll(/\s/g, ''), at)
    if (step === null)
      return wrong(
        reply,
        'code',
        'This code is wrong. Scan the QR code again, and check the clock of your phone.',
      )
    const { codes, hashes } = makeRecoveryCodes()
    if (!(await store.confirmSecondFactor(admin.adminId, account.totpWanted, step, hashes)))
      return refuse(
        reply,
        409,
        'not_begun',
        'Start again: the setup was started elsewhere in the meantime.',
      )
    await tries.forget(admin.username)
    await store.closeOtherSessions(admin.adminId, admin.tokenHash)
    await did(by, 'set up a second factor')
    const answer: RecoveryCodesAnswer = {
      status: 'success',
      message: 'Two-step sign-in is on. You are signed out everywhere else.',
      recovery_codes: [...codes],
    }
    return reply.send(answer)
  }

  const renew = async (call: OwnCall, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(call, reply)
    if (by === null) return reply
    if (by.account.totpSecret === null)
      return refuse(
        reply,
        409,
        'not_on',
        'Two-step sign-in is off, so there are no recovery codes.',
      )
    if (!(await proves(by, reply))) return reply
    const { codes, hashes } = makeRecoveryCodes()
    await store.renewRecoveryCodes(by.admin.adminId, hashes)
    await did(by, 'made new recovery codes')
    const answer: RecoveryCodesAnswer = {
      status: 'success',
      message: 'These codes replace the earlier ones.',
      recovery_codes: [...codes],
    }
    return reply.send(answer)
  }

  const off = async (call: OwnCall, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(call, reply)
    if (by === null) return reply
    if (asksSecondFactor(by.admin))
      return refuse(
        reply,
        409,
        'is_required',
        'Your role needs two-step sign-in. You can set it up again, but not turn it off.',
      )
    if (!(await proves(by, reply))) return reply
    await store.dropSecondFactor(by.admin.username)
    await did(by, 'switched the second factor off')
    return reply.send({ status: 'success', message: 'Two-step sign-in is off.' })
  }

  const end = async (call: OwnCall, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(call, reply)
    if (by === null) return reply
    const { admin, at, said } = by
    const id = said('id')
    if (id === '') {
      const ended = await store.closeOtherSessions(admin.adminId, admin.tokenHash)
      await did(by, `signed out everywhere else (${ended})`)
      return reply.send({ status: 'success', message: 'You are signed out everywhere else.' })
    }
    const sessions = await store.sessionsOf(admin.adminId, at, IDLE_MS)
    const session = sessions.find(({ tokenHash }) => idOf(tokenHash) === id)
    if (session === undefined)
      return refuse(reply, 404, 'not_found', 'This session has already ended.')
    await store.closeSession(session.tokenHash)
    await did(by, 'signed out another session')
    return reply.send({ status: 'success', message: 'Session ended.' })
  }

  const mine = { least: 'viewer', about: 'own', body: OWN_WORDS } as const
  office.get('/admin/me', mine, show)
  office.post('/admin/me/password', mine, setPassword)
  office.post('/admin/me/second-factor', mine, want)
  office.post('/admin/me/second-factor/confirm', mine, confirm)
  office.post('/admin/me/second-factor/off', mine, off)
  office.post('/admin/me/recovery-codes', mine, renew)
  office.post('/admin/me/sessions/end', mine, end)
}

const idOf = (tokenHash: string): string => tokenHash.slice(0, SESSION_ID_CHARACTERS)

function wrong(reply: FastifyReply, field: string, message: string): FastifyReply {
  return refuse(reply, 422, 'invalid_answers', message, { errors: { [field]: message } })
}

function wireSession(session: SessionSeen, admin: Admin): WireSession {
  return {
    id: idOf(session.tokenHash),
    is_this: session.tokenHash === admin.tokenHash,
    signed_in_at: isoIndia(session.at),
    seen_at: isoIndia(session.seenAt),
    network: session.network,
    browser: session.browser,
  }
}

/** Manages a user's own account: password, second factor and sessions. */
import type { FastifyReply } from 'fastify'
import { formatIsoIndia } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type {
  AccountResponse,
  RecoveryCodesResponse,
  SecondFactorResponse,
  WireSession,
} from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { openLimit, sendTooMany } from '../../http/rate-limit.ts'
import type { Allowance } from '../../http/rate-limit.ts'
import { sendError } from '../../http/error-response.ts'
import { LostPermissionError } from '../../storage/index.ts'
import type { SessionUse, Store, StoredAccount } from '../../storage/index.ts'
import { needsSecondFactor, findUserEvents } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import {
  MAX_CREDENTIAL_CHARACTERS,
  hashPassword,
  verifyPassword,
  findPasswordProblem,
} from '../auth/passwords.ts'
import {
  buildAppUri,
  generateRecoveryCodes,
  generateSecret,
  openSecondFactors,
  findStep,
} from '../auth/two-step-sign-in.ts'
import { IDLE_TIMEOUT_MS, openSession } from '../auth/sessions.ts'
import type { User } from '../auth/sessions.ts'

/** Limits password guesses by someone who finds the user's browser unlocked. */
const IDENTITY_CHECK_LIMIT: Allowance = { maxAttempts: 10, windowMs: 15 * 60_000 }
/** A session is identified by the first characters of its token's hash, which grant no access. */
const SESSION_ID_CHARACTERS = 16

const NO_KEY_MESSAGE =
  'Two-step sign-in cannot be set up yet: the operator must set SECOND_FACTOR_KEY, the same on every server.'

type AccountRequest = {
  readonly user: User
  /** As in `Call`. */
  readonly senderStore: Store
  readonly account: StoredAccount
  readonly at: Instant
  /** Returns a field from the body; '' if it is missing. */
  readField(name: AccountField): string
}
const ACCOUNT_FIELDS = { password: 'text', new_password: 'text', code: 'text', id: 'text' } as const
type AccountField = keyof typeof ACCOUNT_FIELDS
type AccountCall = Call<'own', never, AccountField>

export function addAccountRoutes(office: OfficeRoutes, deps: Deps): void {
  const factors = openSecondFactors(deps)
  const attemptLimit = openLimit(deps, IDENTITY_CHECK_LIMIT)
  const { store } = deps

  const loadRequest = async (
    { user, store: senderStore, body }: AccountCall,
    reply: FastifyReply,
  ): Promise<AccountRequest> => {
    const account = await store.account(user.adminId)
    reply.header('cache-control', 'no-store')
    // The user was removed after the session was checked.
    if (account === null) throw new LostPermissionError({ lostPermission: 'session' })
    const readField = (name: AccountField): string => {
      const value = body[name]
      return typeof value === 'string' ? value.slice(0, MAX_CREDENTIAL_CHARACTERS + 1) : ''
    }
    return { user, senderStore, account, at: deps.clock(), readField }
  }
  const recordAction = ({ user, at }: AccountRequest, description: string): Promise<void> =>
    store.addAuditEntry({ at, who: user.username, what: description, eventId: null, regNo: null })

  /** Verifies the user's identity: by password, and by a code if there is a second factor. */
  const verifyIdentity = async (
    accountRequest: AccountRequest,
    reply: FastifyReply,
  ): Promise<boolean> => {
    const { user, account, at, readField } = accountRequest
    const waitMs = await attemptLimit.take(user.username, at)
    if (waitMs > 0) {
      sendTooMany(reply, waitMs, 'wrong passwords')
      return false
    }
    if (
      readField('password').length > MAX_CREDENTIAL_CHARACTERS ||
      !(await verifyPassword(readField('password'), account.passwordHash))
    ) {
      sendFieldError(reply, 'password', 'Incorrect password.')
      return false
    }
    await attemptLimit.forget(user.username)
    if (account.totpSecret === null) return true
    if (readField('code').trim() === '') {
      sendFieldError(reply, 'code', 'Enter the code from your authenticator app.')
      return false
    }
    const codeCheck = await factors.consumeCode(
      { id: user.adminId, secret: account.totpSecret },
      readField('code').trim(),
      `account ${user.username}`,
      at,
    )
    if (codeCheck.is === 'too-many') sendTooMany(reply, codeCheck.waitMs, 'wrong codes')
    if (codeCheck.is === 'wrong') sendFieldError(reply, 'code', codeCheck.message)
    return codeCheck.is === 'right'
  }

  const sendAccount = async (call: AccountCall, reply: FastifyReply): Promise<FastifyReply> => {
    const accountRequest = await loadRequest(call, reply)
    const { user, account, at } = accountRequest
    const sessions = await store.sessionsOf(user.adminId, at, IDLE_TIMEOUT_MS)
    const response: AccountResponse = {
      status: 'success',
      username: user.username,
      role: user.role,
      events: user.events === null ? null : findUserEvents(deps, user).map(({ title }) => title),
      second_factor: {
        is_on: account.totpSecret !== null,
        is_required: needsSecondFactor(user),
        recovery_codes_left: account.recoveryCodesLeft,
      },
      sessions: sessions.map((session) => toWireSession(session, user)),
    }
    return reply.send(response)
  }

  const setPassword = async (call: AccountCall, reply: FastifyReply): Promise<FastifyReply> => {
    const accountRequest = await loadRequest(call, reply)
    const { user, senderStore, account, at, readField } = accountRequest
    const names = [user.username, ...deps.events.all().map(({ config }) => config.id)]
    const refusal = findPasswordProblem(readField('new_password'), names)
    if (refusal !== null) return sendFieldError(reply, 'new_password', refusal)
    if (!(await verifyIdentity(accountRequest, reply))) return reply
    const passwordHash = await hashPassword(readField('new_password'))
    await senderStore.setPassword(user.username, passwordHash, at)
    // All sessions are closed, including this one; the user who changed the password continues in a new one.
    const verified = { passwordHash, hasSecondFactor: account.totpSecret !== null }
    const signedIn = { adminId: user.adminId, verified }
    const token = await openSession(deps, call.caller, reply, signedIn, at)
    await recordAction(accountRequest, 'set a new password and signed out everywhere')
    // An owner has replaced the new password, or removed the user, in the meantime.
    if (token === null) throw new LostPermissionError({ lostPermission: 'session' })
    return reply.send({
      status: 'success',
      message: 'Your new password is set. You are signed out everywhere else.',
    })
  }

  const startSecondFactor = async (
    call: AccountCall,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const accountRequest = await loadRequest(call, reply)
    if (!(await verifyIdentity(accountRequest, reply))) return reply
    const secret = generateSecret()
    const { user, senderStore } = accountRequest
    const { adminId } = user
    const encryptedSecret = factors.secretCipher.encrypt(secret, adminId)
    if (encryptedSecret === null) return sendError(reply, 409, 'no_key', NO_KEY_MESSAGE)
    await senderStore.startSecondFactorSetup(adminId, encryptedSecret)
    const response: SecondFactorResponse = {
      status: 'success',
      secret: secret.replaceAll(/(.{4})(?=.)/g, '$1 '),
      address: buildAppUri(secret, user.username, new URL(deps.environment.publicUrl).hostname),
    }
    return reply.send(response)
  }

  const finishSecondFactor = async (
    call: AccountCall,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const accountRequest = await loadRequest(call, reply)
    const { user, senderStore, account, at, readField } = accountRequest
    if (account.totpWanted === null)
      return sendError(reply, 409, 'not_begun', 'Start the setup again.')
    // Attempts are counted, although guessing would gain nothing: the secret is new and the user already has it.
    const waitMs = await attemptLimit.take(user.username, at)
    if (waitMs > 0) return sendTooMany(reply, waitMs, 'wrong codes')
    const secret = factors.secretCipher.decrypt(account.totpWanted, user.adminId)
    if (secret === null)
      return sendError(reply, 409, 'not_begun', 'Start the setup again on this server.')
    const step = findStep(secret, readField('code').replaceAll(/\s/g, ''), at)
    if (step === null)
      return sendFieldError(
        reply,
        'code',
        'Incorrect code. Scan the QR code again, and check your phone’s clock.',
      )
    const { codes, hashes } = generateRecoveryCodes()
    const { totpWanted } = account
    if (!(await senderStore.confirmSecondFactor(user.adminId, totpWanted, step, hashes)))
      return sendError(
        reply,
        409,
        'not_begun',
        'A newer setup replaced this one. Start the setup again.',
      )
    await attemptLimit.forget(user.username)
    await store.closeOtherSessions(user.adminId, user.tokenHash)
    await recordAction(accountRequest, 'set up a second factor')
    const response: RecoveryCodesResponse = {
      status: 'success',
      message: 'Two-step sign-in is on. You are signed out everywhere else.',
      recovery_codes: [...codes],
    }
    return reply.send(response)
  }

  const sendNewRecoveryCodes = async (
    call: AccountCall,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const accountRequest = await loadRequest(call, reply)
    if (accountRequest.account.totpSecret === null)
      return sendError(
        reply,
        409,
        'not_on',
        'Two-step sign-in is off, so there are no recovery codes.',
      )
    if (!(await verifyIdentity(accountRequest, reply))) return reply
    const { codes, hashes } = generateRecoveryCodes()
    const { user, senderStore, account } = accountRequest
    if (!(await senderStore.renewRecoveryCodes(user.adminId, hashes, account.recoveryCodeSet)))
      return sendError(
        reply,
        409,
        'codes_replaced',
        'Another request created new recovery codes. Use those, or create new ones.',
      )
    await recordAction(accountRequest, 'created new recovery codes')
    const response: RecoveryCodesResponse = {
      status: 'success',
      message: 'These codes replace the earlier ones.',
      recovery_codes: [...codes],
    }
    return reply.send(response)
  }

  const disableSecondFactor = async (
    call: AccountCall,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const accountRequest = await loadRequest(call, reply)
    if (needsSecondFactor(accountRequest.user))
      return sendError(
        reply,
        409,
        'is_required',
        'Your role needs two-step sign-in. You can set it up again, but not turn it off.',
      )
    if (!(await verifyIdentity(accountRequest, reply))) return reply
    const { user, senderStore } = accountRequest
    await senderStore.removeSecondFactor(user.username)
    await recordAction(accountRequest, 'turned off the second factor')
    return reply.send({ status: 'success', message: 'Two-step sign-in is off.' })
  }

  const endSessions = async (call: AccountCall, reply: FastifyReply): Promise<FastifyReply> => {
    const accountRequest = await loadRequest(call, reply)
    const { user, senderStore, at, readField } = accountRequest
    const id = readField('id')
    if (id === '') {
      const closedCount = await senderStore.closeOtherSessions(user.adminId, user.tokenHash)
      await recordAction(accountRequest, `signed out everywhere else (${closedCount})`)
      return reply.send({ status: 'success', message: 'You are signed out everywhere else.' })
    }
    const sessions = await store.sessionsOf(user.adminId, at, IDLE_TIMEOUT_MS)
    const session = sessions.find(({ tokenHash }) => shortenId(tokenHash) === id)
    if (session === undefined)
      return sendError(reply, 404, 'not_found', 'This session has already ended.')
    await senderStore.closeSession(session.tokenHash)
    await recordAction(accountRequest, 'signed out another session')
    return reply.send({ status: 'success', message: 'Session ended.' })
  }

  const rule = { minRole: 'viewer', target: 'own', body: ACCOUNT_FIELDS } as const
  office.get('/admin/me', rule, sendAccount)
  office.post('/admin/me/password', rule, setPassword)
  office.post('/admin/me/second-factor', rule, startSecondFactor)
  office.post('/admin/me/second-factor/confirm', rule, finishSecondFactor)
  office.post('/admin/me/second-factor/off', rule, disableSecondFactor)
  office.post('/admin/me/recovery-codes', rule, sendNewRecoveryCodes)
  office.post('/admin/me/sessions/end', rule, endSessions)
}

const shortenId = (tokenHash: string): string => tokenHash.slice(0, SESSION_ID_CHARACTERS)

function sendFieldError(reply: FastifyReply, field: string, message: string): FastifyReply {
  return sendError(reply, 422, 'invalid_answers', message, { errors: { [field]: message } })
}

function toWireSession(session: SessionUse, user: User): WireSession {
  return {
    id: shortenId(session.tokenHash),
    is_this: session.tokenHash === user.tokenHash,
    signed_in_at: formatIsoIndia(session.at),
    seen_at: formatIsoIndia(session.seenAt),
    network: session.network,
    browser: session.browser,
  }
}

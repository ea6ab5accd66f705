/**
 * Verifies the second factor: TOTP codes (RFC 6238) and recovery codes for a lost phone.
 * The secret is encrypted rather than hashed, because the server has to compute the same codes.
 */
import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { openLimit } from '../../http/rate-limit.ts'
import type { Allowance } from '../../http/rate-limit.ts'
import { generatePassword } from './passwords.ts'
import { createSecretCipher } from './seal-secrets.ts'
import type { SecretCipher } from './seal-secrets.ts'

/** 160 bits, the length of the hash used (RFC 4226, section 4). */
const SECRET_BYTES = 20
/** A phone's clock may be this many 30-second steps off, and typing takes time. */
const MAX_STEPS_OFF = 1
const RECOVERY_CODE_COUNT = 10
/** For one account, from unknown addresses: 240 guesses a day, with three of a million codes valid at any time. */
const TRIES_PER_ACCOUNT: Allowance = { maxAttempts: 10, windowMs: 60 * 60_000 }

const buildTotp = (secret: string, label = '', issuer = ''): TOTP =>
  new TOTP({ secret: Secret.fromBase32(secret), label, issuer })

export function generateSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/** Returns the QR code content for an authenticator app. `host` distinguishes several Rollcall installations. */
export function buildAppUri(secret: string, username: string, host: string): string {
  return buildTotp(secret, username, `Rollcall ${host}`).toString()
}

/** Returns the 30-second step of a code. Null if the code is not valid now. */
export function findStep(secret: string, code: string, at: Instant): number | null {
  const totp = buildTotp(secret)
  const stepsOff = totp.validate({ token: code, timestamp: at, window: MAX_STEPS_OFF })
  return stepsOff === null ? null : totp.counter({ timestamp: at }) + stepsOff
}

/** Generates codes of 79 bits each, so that a plain hash of a code reveals nothing. */
export function generateRecoveryCodes(): {
  readonly codes: readonly string[]
  readonly hashes: readonly string[]
} {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, generatePassword)
  return { codes, hashes: codes.map(hashCode) }
}

function hashCode(code: string): string {
  return createHash('sha256').update(normaliseCode(code)).digest('hex')
}

/** Normalises a code for comparison: apps show codes in groups, and people type upper-case letters. */
function normaliseCode(code: string): string {
  return code.toLowerCase().replaceAll(/[\s-]/g, '')
}

export type CodeCheck =
  | { readonly is: 'right'; readonly by: 'app' | 'recovery' }
  | { readonly is: 'wrong'; readonly message: string }
  | { readonly is: 'too-many'; readonly waitMs: number }

export type SecondFactors = {
  readonly secretCipher: SecretCipher
  /**
   * Checks a code and marks it as used. Attempts are counted under `clientKey`, so that an attacker elsewhere does not
   * lock out a user at their usual address.
   */
  consumeCode(
    user: { readonly id: number; readonly secret: string },
    code: string,
    clientKey: string,
    at: Instant,
  ): Promise<CodeCheck>
}

export function openSecondFactors(deps: Pick<Deps, 'environment' | 'store'>): SecondFactors {
  const attemptLimit = openLimit(deps, TRIES_PER_ACCOUNT)
  const secretCipher = createSecretCipher(deps.environment)
  return {
    secretCipher,
    async consumeCode({ id, secret }, code, clientKey, at) {
      // Counted before the check, so that simultaneous attempts all count.
      const waitMs = await attemptLimit.take(clientKey, at)
      if (waitMs > 0) return { is: 'too-many', waitMs }
      const codeCheck = await checkCode(
        { store: deps.store, secretCipher },
        id,
        secret,
        normaliseCode(code),
        at,
      )
      if (codeCheck.is === 'right') await attemptLimit.forget(clientKey)
      return codeCheck
    },
  }
}

const OTHER_KEY_MESSAGE =
  'This server cannot read your second factor because it uses a different key. Sign in with a recovery code, or ask an owner to reset your second factor.'

async function checkCode(
  { store, secretCipher }: Pick<Deps, 'store'> & { readonly secretCipher: SecretCipher },
  id: number,
  stored: string,
  code: string,
  at: Instant,
): Promise<CodeCheck> {
  if (!/^\d{6}$/.test(code))
    return (await store.useRecoveryCode(id, hashCode(code), at))
      ? { is: 'right', by: 'recovery' }
      : { is: 'wrong', message: 'This recovery code is wrong or was already used.' }
  const secret = secretCipher.decrypt(stored, id)
  if (secret === null) return { is: 'wrong', message: OTHER_KEY_MESSAGE }
  const step = findStep(secret, code, at)
  if (step === null)
    return {
      is: 'wrong',
      message: 'Incorrect code. The code changes every 30 seconds, so check the app again.',
    }
  const encryptedSecret = secretCipher.isEncrypted(stored) ? null : secretCipher.encrypt(secret, id)
  return (await store.acceptSecondFactorCode(id, step, encryptedSecret))
    ? { is: 'right', by: 'app' }
    : { is: 'wrong', message: 'This code was already used. Wait for the next one.' }
}

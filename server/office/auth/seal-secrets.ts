/**
 * Encrypts the secrets of second factors, so a copy of the database does not reveal them.
 * The key is outside the database. AES-256-GCM also authenticates the user's id, so a secret cannot be copied to
 * another user.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../dependencies.ts'

/** The key file in the data folder, used if SECOND_FACTOR_KEY is not set. Backups do not contain it. */
export const KEY_FILE = 'second-factor.key'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Base32 secrets, which earlier versions stored, contain no full stop. */
const ENCRYPTED_PREFIX = 'v1.'

export type SecretCipher = {
  /** Encrypts a secret for a user. Null if the servers that use this database share no key. */
  encrypt(secret: string, adminId: number): string | null
  /** Returns the secret. Null if it was encrypted with another key, or for another user. */
  decrypt(encryptedSecret: string, adminId: number): string | null
  isEncrypted(stored: string): boolean
}

export function createSecretCipher(
  environment: Pick<Environment, 'dataDir' | 'databaseUrl' | 'secondFactorKey'>,
): SecretCipher {
  return {
    encrypt(secret, adminId) {
      const key = findKey(environment, true)
      if (key === null) return null
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(encodeUserId(adminId))
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      const encryptedSecret = Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
      return ENCRYPTED_PREFIX + encryptedSecret.toString('base64url')
    },
    decrypt(stored, adminId) {
      if (!stored.startsWith(ENCRYPTED_PREFIX)) return stored
      const key = findKey(environment, false)
      if (key === null) return null
      const bytes = Buffer.from(stored.slice(ENCRYPTED_PREFIX.length), 'base64url')
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      try {
        decipher.setAAD(encodeUserId(adminId))
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        const ciphertext = bytes.subarray(NONCE_BYTES + TAG_BYTES)
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
    isEncrypted: (stored) => stored.startsWith(ENCRYPTED_PREFIX),
  }
}

const encodeUserId = (adminId: number): Buffer => Buffer.from(`user ${adminId}`)

/**
 * Returns SECOND_FACTOR_KEY, or the content of the key file if the database is in the same folder. Servers that share
 * a PostgreSQL database have separate folders: a key file on one would lock users out on the others.
 */
function findKey(
  {
    dataDir,
    databaseUrl,
    secondFactorKey = null,
  }: Pick<Environment, 'dataDir' | 'databaseUrl' | 'secondFactorKey'>,
  canCreate: boolean,
): Buffer | null {
  if (secondFactorKey !== null) return deriveKey(secondFactorKey)
  if (databaseUrl !== null) return null
  const file = join(dataDir, KEY_FILE)
  try {
    if (canCreate)
      writeFileSync(file, randomBytes(KEY_BYTES).toString('base64url'), {
        flag: 'wx',
        mode: 0o600,
        flush: true,
      })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  try {
    return deriveKey(readFileSync(file, 'utf8').trim())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

const deriveKey = (text: string): Buffer =>
  Buffer.from(hkdfSync('sha256', text, '', 'rollcall second factors', KEY_BYTES))

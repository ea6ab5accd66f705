/** Second-factor secrets are useless in a copy of the database. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEY_FILE, createSecretCipher } from '../../../server/office/auth/seal-secrets.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { hashCheaply, PASSWORD } from './office.ts'

let server: TestApp
let keyFile: string
beforeAll(async () => {
  server = await startTestApp({ clock: '2026-11-22' })
  keyFile = join(server.deps.environment.dataDir, KEY_FILE)
})
afterAll(() => server.close())

const post = (url: string, payload: object, token = '') =>
  server.app.inject({
    method: 'POST',
    url,
    payload,
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
  })
const signIn = (username: string, code: string) =>
  post('/admin/login/', { username, password: PASSWORD, code })
const generateCode = (secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server.now() })
const dumpAdminRows = (): string => JSON.stringify(server.rows('SELECT * FROM admins'))

test('a copy of the database does not contain second-factor secrets in plain text', async () => {
  await server.deps.store.addAdmin('asha', await hashCheaply(PASSWORD), server.now())
  const { token } = (await signIn('asha', '')).json()
  const setupResponse = await post('/admin/me/second-factor/', { password: PASSWORD }, token)
  const secret = String(setupResponse.json().secret).replaceAll(' ', '')
  expect(dumpAdminRows()).not.toContain(secret)
  const confirmResponse = await post(
    '/admin/me/second-factor/confirm/',
    { code: generateCode(secret) },
    token,
  )
  expect(confirmResponse.statusCode, confirmResponse.body).toBe(200)
  const [recoveryCode = ''] = confirmResponse.json().recovery_codes as string[]
  expect(dumpAdminRows()).not.toContain(secret)
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  server.setTime('2026-11-22T12:10:00+05:30')
  expect((await signIn('asha', generateCode(secret))).statusCode).toBe(200)
  // After a restore to another machine, the server has a different key.
  const key = readFileSync(keyFile)
  writeFileSync(keyFile, 'the key of another machine')
  server.setTime('2026-11-22T12:20:00+05:30')
  const refusal = await signIn('asha', generateCode(secret))
  expect([refusal.statusCode, refusal.json().message]).toEqual([
    401,
    'This server cannot read your second factor because it uses a different key. Sign in with a recovery code, or ask an owner to reset your second factor.',
  ])
  expect((await signIn('asha', recoveryCode)).statusCode).toBe(200)
  writeFileSync(keyFile, key)
  expect((await signIn('asha', generateCode(secret))).statusCode).toBe(200)
})

test('a secret that an earlier version stored is encrypted at the next sign-in', async () => {
  const addResult = await server.deps.store.addAdmin(
    'ravi',
    await hashCheaply(PASSWORD),
    server.now(),
  )
  if (!addResult.ok) throw new Error(addResult.error.code)
  const secret = new Secret({ size: 20 }).base32
  await server.deps.store.startSecondFactorSetup(addResult.value, secret)
  await server.deps.store.confirmSecondFactor(addResult.value, secret, 0, [])
  expect(dumpAdminRows()).toContain(secret)
  expect((await signIn('ravi', generateCode(secret))).statusCode).toBe(200)
  expect(dumpAdminRows()).not.toContain(secret)
  server.setTime('2026-11-22T12:40:00+05:30')
  expect((await signIn('ravi', generateCode(secret))).statusCode).toBe(200)
})

test("a user cannot take over another user's second factor by copying its encrypted secret", () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-seal-'))
  const secretCipher = createSecretCipher({ dataDir, databaseUrl: null })
  const encryptedSecret = secretCipher.encrypt('SECRET', 1) ?? ''
  expect([
    secretCipher.decrypt(encryptedSecret, 1),
    secretCipher.decrypt(encryptedSecret, 2),
  ]).toEqual(['SECRET', null])
  const changedSecret = encryptedSecret.replace(/..$/, (end) => (end === 'AA' ? 'QA' : 'AA'))
  expect(secretCipher.decrypt(changedSecret, 1)).toBeNull()
  rmSync(dataDir, { recursive: true })
})

test('servers that share a database encrypt second-factor secrets only if they share a key, so no server can lock a user out', () => {
  const sharedDatabaseOptions = { databaseUrl: 'postgres://127.0.0.1/rollcall', dataDir: tmpdir() }
  expect(createSecretCipher(sharedDatabaseOptions).encrypt('SECRET', 1)).toBeNull()
  const optionsWithKey = {
    ...sharedDatabaseOptions,
    secondFactorKey: '0123456789abcdef0123456789abcdef',
  }
  const encryptedSecret = createSecretCipher(optionsWithKey).encrypt('SECRET', 1) ?? ''
  expect(
    createSecretCipher({ ...optionsWithKey, dataDir: '/elsewhere' }).decrypt(encryptedSecret, 1),
  ).toBe('SECRET')
  expect(createSecretCipher(sharedDatabaseOptions).decrypt(encryptedSecret, 1)).toBeNull()
})

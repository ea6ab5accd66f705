/** Attacks on accounts and rate limits: a stolen session and password, and forged addresses. */
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand, createAddress, startTarget } from './target.ts'
import type { Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

const NEW_PASSWORD = 'three words apart'

test('a stolen session and password are not enough to change the password of an account with a second factor', async () => {
  const output = await runCommand(target, 'user', 'add', 'usha', '--role', 'treasurer')
  const password = /password[^:]*: *(\S+)/i.exec(output)?.[1] ?? ''
  const signIn = (extraFields: object) =>
    target.post('/admin/login/', { username: 'usha', ...extraFields })
  const { token } = JSON.parse((await signIn({ password })).body) as { token: string }
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await target.post(`/admin/me/${path}/`, body, createAddress(), headers)
    return { status: response.status, body: JSON.parse(response.body) as Record<string, unknown> }
  }
  const setupResponse = await post('second-factor', { password })
  const totp = new TOTP({
    secret: Secret.fromBase32(String(setupResponse.body['secret']).replaceAll(' ', '')),
  })
  // The server uses its own clock, not the test's.
  const now = Number(target.readRows('SELECT max(at) AS at FROM audit_log')[0]?.['at'])
  const usedCode = totp.generate({ timestamp: now })
  const confirmResponse = await post('second-factor/confirm', { code: usedCode })
  expect(confirmResponse.status, JSON.stringify(confirmResponse.body)).toBe(200)
  const readStoredAdmin = () => target.readRows("SELECT * FROM admins WHERE username = 'usha'")
  const adminBefore = readStoredAdmin()
  const codes: readonly unknown[] = [
    undefined,
    null,
    '',
    ' ',
    '000000',
    usedCode,
    [usedCode],
    [[usedCode]],
    { 0: usedCode },
    { toString: usedCode },
    true,
    totp.generate({ timestamp: now + 600_000 }),
    '%',
    "' OR 1=1 --",
  ]
  const statuses: unknown[] = []
  for (const code of codes)
    for (const extraFields of [{ code }, { code, new_password_again: NEW_PASSWORD }])
      statuses.push(
        (await post('password', { password, new_password: NEW_PASSWORD, ...extraFields })).status,
      )
  expect(statuses.filter((status) => Number(status) < 400 || Number(status) >= 500)).toEqual([])
  expect(readStoredAdmin()).toEqual(adminBefore)
  expect((await signIn({ password: NEW_PASSWORD })).status).toBe(401)
})

describe('one visitor', () => {
  const guessTwentyTimes = async (
    createVisitorAddress: (n: number) => string,
  ): Promise<readonly number[]> => {
    const statuses: number[] = []
    for (let n = 0; n < 21; n += 1) {
      const path = `/api/afpicon/registrations/AFPI${String(n).padStart(13, '0')}/`
      statuses.push((await target.send({ path }, createVisitorAddress(n))).status)
    }
    return statuses
  }
  test.each<[string, (n: number) => string]>([
    ['with a different port each time', (n) => `198.51.100.9:${2000 + n}`],
    ['with a different IPv6 port each time', (n) => `[2001:db8:9:7::${n + 1}]:${2000 + n}`],
    ['of an IPv6 network, in different spellings', (n) => `2001:0DB8:0009:0008::${n + 1}`],
    ['who sends values that are not addresses', (n) => (n % 2 ? `made-up-${n}` : `host:${n}`)],
  ])('%s gets twenty guesses', async (_who, createVisitorAddress) => {
    expect(await guessTwentyTimes(createVisitorAddress)).toEqual([
      ...Array.from({ length: 20 }, () => 404),
      429,
    ])
  })
})

test('the figures and messages of the health check are hidden from requests through any proxy on the same machine', async () => {
  const readShownParts = async (headers: Readonly<Record<string, string>>) => {
    const metrics = await fetch(`${target.url}/metrics`, { headers })
    const health = await fetch(`${target.url}/healthz`, { headers })
    await metrics.arrayBuffer()
    return [metrics.status === 200, (await health.text()).includes('"process"')]
  }
  // A request from the machine itself gets the figures, so the requests below are refused because of their headers.
  expect(await readShownParts({})).toEqual([true, true])
  const headers: Readonly<Record<string, string>> = {
    via: '1.1 proxy',
    forwarded: 'for=127.0.0.1',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-real-ip': '127.0.0.1',
    'x-client-ip': '127.0.0.1',
    'cf-connecting-ip': '127.0.0.1',
    'true-client-ip': '127.0.0.1',
    'x-anything-else': '1',
  }
  const shownValues: unknown[] = []
  for (const [name, value] of Object.entries(headers)) {
    const shownParts = await readShownParts({ [name]: value })
    if (shownParts.includes(true)) shownValues.push([name, ...shownParts])
  }
  expect(shownValues).toEqual([])
})

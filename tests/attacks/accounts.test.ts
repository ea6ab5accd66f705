/**
 * Attacks on accounts and limits: a stolen session and password, addresses with ports, forged addresses, and health
 * requests through a proxy on the same machine.
 */
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand, createAddress, startTarget } from './target.ts'
import type { Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

const NEW = 'three words apart'

test('a stolen session and password cannot change the password of an account with a second factor', async () => {
  const output = await runCommand(target, 'user', 'add', 'usha', '--role', 'treasurer')
  const password = /password[^:]*: *(\S+)/i.exec(output)?.[1] ?? ''
  const signIn = (extra: object) => target.post('/admin/login/', { username: 'usha', ...extra })
  const { token } = JSON.parse((await signIn({ password })).body) as { token: string }
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await target.post(`/admin/me/${path}/`, body, createAddress(), headers)
    return { status: answer.status, body: JSON.parse(answer.body) as Record<string, unknown> }
  }
  const setupResponse = await post('second-factor', { password })
  const totp = new TOTP({
    secret: Secret.fromBase32(String(setupResponse.body['secret']).replaceAll(' ', '')),
  })
  // The server has its own clock.
  const now = Number(target.readRows('SELECT max(at) AS at FROM audit_log')[0]?.['at'])
  const usedCode = totp.generate({ timestamp: now })
  const confirmResponse = await post('second-factor/confirm', { code: usedCode })
  expect(confirmResponse.status, JSON.stringify(confirmResponse.body)).toBe(200)
  const readStoredAdmin = () => target.readRows("SELECT * FROM admins WHERE username = 'usha'")
  const before = readStoredAdmin()
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
    for (const extra of [{ code }, { code, new_password_again: NEW }])
      statuses.push((await post('password', { password, new_password: NEW, ...extra })).status)
  expect(statuses.filter((status) => Number(status) < 400 || Number(status) >= 500)).toEqual([])
  expect(readStoredAdmin()).toEqual(before)
  expect((await signIn({ password: NEW })).status).toBe(401)
})

describe('one visitor', () => {
  const guessTwentyTimes = async (visitor: (n: number) => string): Promise<readonly number[]> => {
    const statuses: number[] = []
    for (let n = 0; n < 21; n += 1) {
      const path = `/api/afpicon/registrations/AFPI${String(n).padStart(13, '0')}/`
      statuses.push((await target.send({ path }, visitor(n))).status)
    }
    return statuses
  }
  test.each<[string, (n: number) => string]>([
    ['with a different port each time', (n) => `198.51.100.9:${2000 + n}`],
    ['with a different IPv6 port each time', (n) => `[2001:db8:9:7::${n + 1}]:${2000 + n}`],
    ['of an IPv6 network, in different spellings', (n) => `2001:0DB8:0009:0008::${n + 1}`],
    ['who sends values that are not addresses', (n) => (n % 2 ? `made-up-${n}` : `host:${n}`)],
  ])('%s gets twenty guesses', async (_who, visitor) => {
    expect(await guessTwentyTimes(visitor)).toEqual([...Array.from({ length: 20 }, () => 404), 429])
  })
})

test('figures and messages of the health check are hidden behind any proxy on the same machine', async () => {
  const isShown = async (headers: Readonly<Record<string, string>>) => {
    const metrics = await fetch(`${target.url}/metrics`, { headers })
    const health = await fetch(`${target.url}/healthz`, { headers })
    await metrics.arrayBuffer()
    return [metrics.status === 200, (await health.text()).includes('"process"')]
  }
  // A request from the machine itself gets the figures, so the other requests are refused because of the header.
  expect(await isShown({})).toEqual([true, true])
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
    const seen = await isShown({ [name]: value })
    if (seen.includes(true)) shownValues.push([name, ...seen])
  }
  expect(shownValues).toEqual([])
})

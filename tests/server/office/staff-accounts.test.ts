/** Staff accounts: second factors, sessions and account administration. */
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import { instant } from '../../../engine/index.ts'
import type {
  AccountResponse,
  AuditLogResponse,
  UsersResponse,
  RecoveryCodesResponse,
  SecondFactorResponse,
} from '../../../engine/api.ts'
import { describeBrowser } from '../../../server/office/auth/sessions.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { hashCheaply, PASSWORD } from './office.ts'

const STEP_MS = 30_000
let server: TestApp
let passwordHash: string
let minute = 0

beforeAll(async () => {
  server = await startTestApp()
  passwordHash = await hashCheaply(PASSWORD)
  await server.deps.store.addAdmin('owner', passwordHash, server.now())
})
afterAll(() => server.close())
// Each test runs in a separate minute, because a code is accepted only once per time step.
beforeEach(() => {
  minute += 5
  server.setTime(new Date(Date.UTC(2026, 10, 22, 5, minute)).toISOString())
})

const post = (
  url: string,
  payload: object,
  token?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> =>
  server.app.inject({
    method: 'POST',
    url,
    payload,
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  })
const get = async <T>(url: string, token: string): Promise<T> => {
  const response = await server.app.inject({ url, headers: { authorization: `Bearer ${token}` } })
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}
const login = (
  username: string,
  extraFields: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> =>
  post('/admin/login/', { username, password: PASSWORD, ...extraFields }, undefined, headers)
const signIn = async (username: string, extra: object = {}): Promise<string> => {
  const response = await login(username, extra)
  expect(response.statusCode, response.body).toBe(200)
  return response.json<{ token: string }>().token
}
const addUser = async (username: string): Promise<string> => {
  await server.deps.store.addAdmin(username, passwordHash, server.now())
  return signIn(username)
}
/** Computes the code that an authenticator app (RFC 6238) shows now, or `steps` time steps later. */
const getCode = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }).generate({
    timestamp: server.now() + steps * STEP_MS,
  })
const advance = (ms: number): void =>
  server.setTime(new Date(instant(server.now() + ms)).toISOString())

/** Adds a user with a second factor, and returns the secret, the recovery codes and the session token. */
async function addFactorUser(
  username: string,
): Promise<{ token: string; secret: string; codes: string[] }> {
  const token = await addUser(username)
  const setup = await post('/admin/me/second-factor/', { password: PASSWORD }, token)
  expect(setup.statusCode, setup.body).toBe(200)
  const { secret } = setup.json<SecondFactorResponse>()
  const reply = await post('/admin/me/second-factor/confirm/', { code: getCode(secret) }, token)
  expect(reply.statusCode, reply.body).toBe(200)
  advance(2 * STEP_MS)
  return { token, secret, codes: reply.json<RecoveryCodesResponse>().recovery_codes }
}

describe('a second factor', () => {
  test('works with authenticator apps: it has a label and a secret, and its codes follow RFC 6238', async () => {
    const token = await addUser('asha')
    const { address, secret } = (
      await post('/admin/me/second-factor/', { password: PASSWORD }, token)
    ).json<SecondFactorResponse>()
    expect(address).toMatch(
      /^otpauth:\/\/totp\/Rollcall%20127\.0\.0\.1:asha\?issuer=Rollcall%20127\.0\.0\.1&secret=[A-Z2-7]{32}&algorithm=SHA1&digits=6&period=30$/,
    )
    expect(address).toContain(secret.replaceAll(' ', ''))
    // The example in the RFC: this secret gives these six digits at this time.
    expect(
      new TOTP({ secret: Secret.fromUTF8('12345678901234567890') }).generate({ timestamp: 59_000 }),
    ).toBe('287082')
  })

  test('is required after the password, and only the correct code signs the user in', async () => {
    const { secret } = await addFactorUser('ravi')
    const passwordOnly = await login('ravi')
    expect([passwordOnly.statusCode, passwordOnly.json().code]).toEqual([401, 'code_needed'])
    const wrongCode = await login('ravi', { code: getCode(secret, 5) })
    expect([wrongCode.statusCode, wrongCode.json().code]).toEqual([401, 'wrong_code'])
    for (const response of [passwordOnly, wrongCode])
      expect(response.headers['set-cookie']).toBeUndefined()
    const wrongPassword = await login('ravi', { password: 'not this one', code: getCode(secret) })
    expect(wrongPassword.json().code).toBe('invalid_login')
    // The wrong password did not use up the code, and the user's clock may be one step off.
    expect((await login('ravi', { code: ` ${getCode(secret, -1)} ` })).statusCode).toBe(200)
  })

  test('accepts each code once, even in concurrent requests', async () => {
    const { secret } = await addFactorUser('meera')
    const code = getCode(secret)
    const responses = await Promise.all([login('meera', { code }), login('meera', { code })])
    expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 401])
    const repeated = await login('meera', { code })
    expect(repeated.json().message).toBe('This code was already used. Wait for the next one.')
    advance(STEP_MS)
    expect((await login('meera', { code: getCode(secret) })).statusCode).toBe(200)
  })

  test('accepts each recovery code once, in any format, and counts the remaining ones', async () => {
    const { codes } = await addFactorUser('anil')
    expect(new Set(codes).size).toBe(10)
    const [firstCode = ''] = codes
    expect(server.rows('SELECT * FROM recovery_codes').map(String).join()).not.toContain(firstCode)
    const token = await signIn('anil', { code: firstCode.toUpperCase().replaceAll('-', ' ') })
    expect((await login('anil', { code: firstCode })).json().message).toBe(
      'This recovery code is wrong or was already used.',
    )
    const { second_factor } = await get<AccountResponse>('/admin/me/', token)
    expect(second_factor).toEqual({ is_on: true, is_required: false, recovery_codes_left: 9 })
    expect(
      server.rows("SELECT what FROM audit_log WHERE who = 'anil' ORDER BY id DESC LIMIT 2"),
    ).toContainEqual({ what: 'signed in with a recovery code' })
  })

  test('is enabled with a correct code, which ends other sessions', async () => {
    const earlierToken = await addUser('devi')
    const token = await signIn('devi')
    const setup = await post('/admin/me/second-factor/', { password: PASSWORD }, token)
    const { secret } = setup.json<SecondFactorResponse>()
    expect((await login('devi')).statusCode).toBe(200)
    const wrongCode = await post(
      '/admin/me/second-factor/confirm/',
      { code: getCode(secret, 7) },
      token,
    )
    expect([wrongCode.statusCode, Object.keys(wrongCode.json().errors)]).toEqual([422, ['code']])
    const rightCode = { code: getCode(secret) }
    expect((await post('/admin/me/second-factor/confirm/', rightCode, token)).statusCode).toBe(200)
    expect((await post('/admin/me/second-factor/confirm/', rightCode, token)).json().code).toBe(
      'not_begun',
    )
    expect((await post('/admin/me/sessions/end/', {}, earlierToken)).statusCode).toBe(401)
    expect((await login('devi')).json().code).toBe('code_needed')
  })

  test('can be changed only with the password and a code', async () => {
    const { token, secret } = await addFactorUser('latha')
    for (const url of [
      '/admin/me/second-factor/',
      '/admin/me/second-factor/off/',
      '/admin/me/recovery-codes/',
    ]) {
      const empty = await post(url, {}, token)
      expect([empty.statusCode, Object.keys(empty.json().errors)], url).toEqual([422, ['password']])
      const noCode = await post(url, { password: PASSWORD }, token)
      expect([noCode.statusCode, Object.keys(noCode.json().errors)], url).toEqual([422, ['code']])
      const wrongGuess = await post(url, { password: PASSWORD, code: '000000' }, token)
      expect([wrongGuess.statusCode, Object.keys(wrongGuess.json().errors)], url).toEqual([
        422,
        ['code'],
      ])
    }
    const disableRequest = { password: PASSWORD, code: getCode(secret) }
    expect((await post('/admin/me/second-factor/off/', disableRequest, token)).statusCode).toBe(200)
    expect((await login('latha')).statusCode).toBe(200)
  })

  test('can be made mandatory for owners only by an owner who has one, and then cannot be disabled', async () => {
    const plainToken = await signIn('owner')
    const refusal = await post('/admin/admins/second-factor/', { required: true }, plainToken)
    expect([refusal.statusCode, refusal.json().code]).toEqual([409, 'set_up_yours_first'])
    const { token, secret } = await addFactorUser('kavya')
    await post('/admin/admins/second-factor/', { required: true }, token)
    const disableResponse = await post(
      '/admin/me/second-factor/off/',
      { password: PASSWORD, code: getCode(secret) },
      token,
    )
    expect([disableResponse.statusCode, disableResponse.json().code]).toEqual([409, 'is_required'])
    const blocked = await server.app.inject({
      url: '/admin/admins/',
      headers: { authorization: `Bearer ${plainToken}` },
    })
    expect([blocked.statusCode, blocked.json().code]).toEqual([403, 'second_factor_needed'])
    expect(await get('/admin/session/', plainToken)).toMatchObject({ needs_second_factor: true })
    await post('/admin/admins/second-factor/', { required: false }, token)
    expect(await get('/admin/session/', plainToken)).toMatchObject({ needs_second_factor: false })
  })
})

test("code guesses are limited to ten an hour across all addresses, without locking out the user's usual address", async () => {
  const limitedServer = await startTestApp({
    clock: '2026-11-22',
    variables: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
  })
  const added = await limitedServer.deps.store.addAdmin('owner', passwordHash, limitedServer.now())
  if (!added.ok) throw new Error(added.error.code)
  const secret = new Secret({ size: 20 }).base32
  await limitedServer.deps.store.startSecondFactorSetup(added.value, secret)
  await limitedServer.deps.store.confirmSecondFactor(added.value, secret, 0, [])
  const computeRightCode = (): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: limitedServer.now() })
  const computeWrongCode = (): string =>
    String((Number(computeRightCode()) + 500_000) % 1_000_000).padStart(6, '0')
  const guessCode = (code: string, address: string): Promise<LightMyRequestResponse> =>
    limitedServer.app.inject({
      method: 'POST',
      url: '/admin/login/',
      payload: { username: 'owner', password: PASSWORD, code },
      headers: { 'x-forwarded-for': address },
    })
  expect((await guessCode(computeRightCode(), '203.0.113.1')).statusCode).toBe(200)
  limitedServer.setTime('2026-11-22T12:10:00+05:30')
  const statuses: number[] = []
  for (let attempt = 0; attempt < 12; attempt += 1)
    statuses.push((await guessCode(computeWrongCode(), `198.51.100.${attempt}`)).statusCode)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
  // New addresses are refused even with a correct code or a recovery code; the usual address is not.
  for (const code of [computeRightCode(), 'aaaa-bbbb-cccc-dddd'])
    expect((await guessCode(code, '198.51.100.99')).statusCode).toBe(429)
  expect((await guessCode(computeRightCode(), '203.0.113.1')).statusCode).toBe(200)
  expect(
    limitedServer.rows("SELECT count(*) AS n FROM audit_log WHERE what = 'failed to sign in'"),
  ).toEqual([{ n: 10 }])
  await limitedServer.close()
})

describe("the user's own account", () => {
  test('a new password requires the old one and ends other sessions', async () => {
    const otherUser = await addUser('nita')
    const token = await signIn('nita')
    const setOwnPassword = (password: string, new_password: string) =>
      post('/admin/me/password/', { password, new_password }, token)
    expect((await setOwnPassword('not mine', 'three words apart')).json().errors).toEqual({
      password: 'Incorrect password.',
    })
    expect(Object.keys((await setOwnPassword(PASSWORD, 'nita')).json().errors)).toEqual([
      'new_password',
    ])
    const changeResponse = await setOwnPassword(PASSWORD, 'three words apart')
    expect(changeResponse.statusCode, changeResponse.body).toBe(200)
    const [cookie = ''] = [changeResponse.headers['set-cookie']].flat()
    for (const [sessionToken, status] of [
      [otherUser, 401],
      [token, 401],
      [/rollcall_session=([^;]+)/.exec(String(cookie))?.[1] ?? '', 200],
    ] as const) {
      const { statusCode } = await server.app.inject({
        url: '/admin/me/',
        headers: { authorization: `Bearer ${sessionToken}` },
      })
      expect(statusCode).toBe(status)
    }
    expect((await login('nita')).statusCode).toBe(401)
    expect((await login('nita', { password: 'three words apart' })).statusCode).toBe(200)
  })

  test('an attacker with a stolen session and password cannot change the password of an account with a second factor', async () => {
    const { token, secret } = await addFactorUser('usha')
    const changePassword = (extra: object) =>
      post(
        '/admin/me/password/',
        { password: PASSWORD, new_password: 'three words apart', ...extra },
        token,
      )
    for (const extra of [{}, { code: '' }, { code: getCode(secret, 5) }, { code: null }]) {
      const { statusCode, body } = await changePassword(extra)
      expect([statusCode, Object.keys(JSON.parse(body).errors)]).toEqual([422, ['code']])
    }
    expect((await login('usha', { code: getCode(secret) })).statusCode).toBe(200)
    advance(STEP_MS)
    expect((await changePassword({ code: getCode(secret) })).statusCode).toBe(200)
    expect((await login('usha')).statusCode).toBe(401)
  })

  test('the user can see sessions by browser and network, and end one or all of them', async () => {
    const token = await addUser('omar')
    const phone =
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Mobile Safari/537.36'
    advance(1000)
    await login('omar', {}, { 'user-agent': phone })
    advance(1000)
    await login('omar', {}, { 'user-agent': 'curl/8.5' })
    const listSessions = async () => (await get<AccountResponse>('/admin/me/', token)).sessions
    const sessions = await listSessions()
    expect(sessions.map(({ browser, network, is_this }) => [browser, network, is_this])).toEqual([
      ['curl', '127.0.0.1', false],
      ['Chrome on Android', '127.0.0.1', false],
      ['', '127.0.0.1', true],
    ])
    const id = sessions[1]?.id ?? ''
    expect((await post('/admin/me/sessions/end/', { id }, token)).statusCode).toBe(200)
    expect((await post('/admin/me/sessions/end/', { id }, token)).statusCode).toBe(404)
    expect((await listSessions()).map(({ browser }) => browser)).toEqual(['curl', ''])
    await post('/admin/me/sessions/end/', {}, token)
    expect((await listSessions()).map(({ is_this }) => is_this)).toEqual([true])
  })

  test("users cannot end other users' sessions", async () => {
    const ownToken = await addUser('paul')
    const { sessions } = await get<AccountResponse>('/admin/me/', ownToken)
    const otherToken = await addUser('quin')
    const id = sessions[0]?.id ?? ''
    expect((await post('/admin/me/sessions/end/', { id }, otherToken)).statusCode).toBe(404)
    await get('/admin/me/', ownToken)
  })

  test.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605 Version/26.0 Safari/604',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/18 Safari/605',
      'Safari on macOS',
    ],
    ['<script>alert(1)</script>', ''],
    ['', ''],
  ])('the user agent %s is shown as %j', (agent, label) => {
    expect(describeBrowser(agent)).toBe(label)
  })
})

describe('users', () => {
  const getEventId = (): string => server.deps.events.all()[0]!.config.id

  test('are invited with a link that sets the password once, and get the chosen permissions', async () => {
    const owner = await signIn('owner')
    const addResponse = await post(
      '/admin/admins/',
      { username: 'sita', role: 'desk', events: [getEventId()] },
      owner,
    )
    expect(addResponse.statusCode, addResponse.body).toBe(200)
    const { link } = addResponse.json<{ link: string }>()
    const token = /\/admin\/password#([\w-]{43})$/.exec(link)?.[1] ?? ''
    expect((await login('sita')).statusCode).toBe(401)
    const sameOrigin = { 'sec-fetch-site': 'same-origin' }
    const setPassword = (body: object) =>
      post('/admin/set-password/', { token, ...body }, undefined, sameOrigin)
    expect((await setPassword({})).json()).toEqual({ status: 'success', username: 'sita' })
    expect(Object.keys((await setPassword({ password: 'sita' })).json().errors)).toEqual([
      'password',
    ])
    expect((await setPassword({ password: 'three words apart' })).statusCode).toBe(200)
    expect((await setPassword({ password: 'three other words' })).json().code).toBe('link_over')
    const deskToken = await signIn('sita', { password: 'three words apart' })
    expect(await get('/admin/me/', deskToken)).toMatchObject({
      role: 'desk',
      events: [server.deps.events.all()[0]!.config.title],
    })
  })

  test("an owner's session alone cannot create a link for their own password or remove their second factor", async () => {
    const token = await signIn('owner')
    for (const endpoint of ['link', 'reset-second-factor'])
      for (const name of ['owner', 'OWNER']) {
        const response = await post(`/admin/admins/${name}/${endpoint}/`, {}, token)
        expect([endpoint, response.statusCode, response.json<{ code: string }>().code]).toEqual([
          endpoint,
          409,
          'own_account',
        ])
      }
    expect((await login('owner')).statusCode).toBe(200)
  })

  test('have a link that expires after three days, or when a new link is created', async () => {
    const owner = await signIn('owner')
    await addUser('tara')
    const sameOrigin = { 'sec-fetch-site': 'same-origin' }
    const renewLink = async (): Promise<string> =>
      (await post('/admin/admins/tara/link/', {}, owner))
        .json<{ link: string }>()
        .link.split('#')[1] ?? ''
    const readLink = (token: string) =>
      post('/admin/set-password/', { token }, undefined, sameOrigin)
    const [firstToken, secondToken] = [await renewLink(), await renewLink()]
    expect((await login('tara')).statusCode, 'the previous password').toBe(401)
    expect((await readLink(firstToken)).statusCode).toBe(404)
    expect((await readLink(secondToken)).statusCode).toBe(200)
    advance(3 * 24 * 3_600_000)
    expect((await readLink(secondToken)).statusCode).toBe(404)
  })

  test('can be given other roles and events, have their second factor reset, and be removed, unless they are the last owner', async () => {
    const owner = await signIn('owner')
    const umaToken = await addUser('uma')
    const changeRole = (username: string, role: string, events: unknown) =>
      post(`/admin/admins/${username}/may/`, { role, events }, owner)
    for (const [role, events, field] of [
      ['king', null, 'role'],
      ['desk', [], 'events'],
      ['desk', ['no-such-event'], 'events'],
      ['desk', 'all', 'events'],
    ] as const)
      expect(Object.keys((await changeRole('uma', role, events)).json().errors)).toEqual([field])
    expect((await changeRole('uma', 'viewer', [getEventId()])).json().message).toBe(
      `uma is now viewer (${getEventId()}).`,
    )
    expect(await get('/admin/session/', umaToken)).toMatchObject({
      role: 'viewer',
      all_events: false,
    })
    expect((await changeRole('nobody-here', 'viewer', null)).statusCode).toBe(404)
    for (const { username } of (await get<UsersResponse>('/admin/admins/', owner)).people)
      if (username !== 'owner') await post(`/admin/admins/${username}/remove/`, {}, owner)
    expect((await get<UsersResponse>('/admin/admins/', owner)).people).toHaveLength(1)
    for (const response of [
      await post('/admin/admins/owner/remove/', {}, owner),
      await changeRole('owner', 'desk', null),
    ])
      expect([response.statusCode, response.json().code]).toEqual([409, 'last_owner'])
    expect(
      (
        await server.app.inject({
          url: '/admin/me/',
          headers: { authorization: `Bearer ${umaToken}` },
        })
      ).statusCode,
    ).toBe(401)
  })

  test('a request without events does not give a user access to all events', async () => {
    const owner = await signIn('owner')
    await addUser('vani')
    for (const [path, payload] of [
      ['/admin/admins/', { username: 'veer', role: 'viewer' }],
      ['/admin/admins/vani/may/', { role: 'viewer' }],
    ] as const) {
      const response = await post(path, payload, owner)
      expect([response.statusCode, response.json().errors]).toEqual([
        422,
        { events: 'Choose at least one event, or all events.' },
      ])
    }
  })

  test.each([
    ['', 'Required'],
    ['two words', 'A username can have letters, digits, dots, hyphens and @, but no spaces.'],
    ['x'.repeat(65), 'A username can have at most 64 characters.'],
    ['Delegate', '“Delegate” is reserved. Choose another name.'],
    ['OWNER', 'A user named “OWNER” already exists.'],
  ])('%j is not a valid username for a new user', async (username, message) => {
    const owner = await signIn('owner')
    const response = await post('/admin/admins/', { username, role: 'desk', events: null }, owner)
    expect([response.statusCode, response.json().errors]).toEqual([422, { username: message }])
  })
})

describe('the audit log', () => {
  test('lists changes without access entries, newest first, page by page and as a file', async () => {
    const owner = await signIn('owner')
    await get('/admin/dashboard/stats/', owner)
    await get('/admin/dashboard/stats/', owner)
    for (let n = 0; n < 55; n += 1)
      await server.deps.store.addAuditEntry({
        at: server.now(),
        who: 'asha',
        what: `=wrote note ${n}`,
        eventId: null,
        regNo: null,
      })
    const readLog = (query: string) => get<AuditLogResponse>(`/admin/log/?${query}`, owner)
    const firstPage = await readLog('who=asha&words=note')
    expect(firstPage.rows.map(({ what }) => what)).toEqual(
      Array.from({ length: 50 }, (_, index) => `=wrote note ${54 - index}`),
    )
    const nextPage = await readLog(`who=asha&words=note&before=${firstPage.before}`)
    expect([nextPage.rows.length, nextPage.before]).toEqual([5, null])
    expect(firstPage.people).toContain('owner')
    expect((await readLog('kind=looks&who=owner')).rows.map(({ what }) => what)).toContain(
      'viewed the dashboard',
    )
    expect((await readLog('')).rows.map(({ what }) => what)).not.toContain('viewed the dashboard')
    expect((await readLog('kind=signing-in')).rows[0]).toMatchObject({
      who: 'owner',
      what: 'signed in',
    })
    expect((await readLog('from=2001-01-01&to=2001-01-02')).rows).toEqual([])
    const csv = await server.app.inject({
      url: '/admin/log/export/?who=asha&words=note',
      headers: { authorization: `Bearer ${owner}` },
    })
    expect(csv.headers['content-disposition']).toMatch(/filename="activity_\d{4}-\d\d-\d\d\.csv"/)
    expect(csv.body.split('\r\n')).toHaveLength(57)
    expect(csv.body).toContain(",asha,'=wrote note 54,")
  })

  test.each([
    ['from=soon', '“from” must be a date such as 2026-01-31, not “soon”.'],
    [
      'kind=secret',
      '“kind” must be one of changes, exports, signing-in, looks, all, not “secret”.',
    ],
    [`words=${'x'.repeat(101)}`, 'Search for at most 100 characters.'],
  ])('%s is rejected with a sentence', async (query, message) => {
    const owner = await signIn('owner')
    const response = await server.app.inject({
      url: `/admin/log/?${query}`,
      headers: { authorization: `Bearer ${owner}` },
    })
    expect([response.statusCode, response.json().message]).toEqual([400, message])
  })
})

describe("a user's list settings", () => {
  const LIST = { event: 'afpicon2026', list: 'afpicon', columns: [], views: [] }
  let token: string
  beforeAll(async () => {
    await server.deps.store.addAdmin('list-keeper', passwordHash, server.now())
    await server.deps.store.addAdmin('list-other', passwordHash, server.now())
    token = await signIn('list-keeper')
  })
  const saveList = (payload: object) => post('/admin/my-lists/', { ...LIST, ...payload }, token)

  test('store columns and views for all browsers of the user, without search terms', async () => {
    const views = [
      {
        name: ' Unpaid PG ',
        query: 'ticket_type=afpi-pg&search=Asha&payment_status=pending&page=3',
      },
    ]
    const savedList = await saveList({ columns: ['city', 'no such column', 'gst'], views })
    expect(savedList.statusCode, savedList.body).toBe(200)
    const lists = {
      'afpicon2026/afpicon': {
        columns: ['city', 'gst'],
        views: [{ name: 'Unpaid PG', query: 'ticket_type=afpi-pg&payment_status=pending' }],
      },
    }
    expect(await get('/admin/my-lists/', token)).toEqual({ status: 'success', lists })
    expect(await get('/admin/my-lists/', await signIn('list-other'))).toEqual({
      status: 'success',
      lists: {},
    })
    expect((await saveList({ columns: ['city'] })).json()).toMatchObject({
      lists: { 'afpicon2026/afpicon': { columns: ['city'], views: [] } },
    })
  })

  test.each([
    [{ list: 'nothing' }, 404, 'No list has this name.'],
    [{ views: 'all' }, 422, 'Send the columns and the views, each as a list.'],
    [{ views: [{ query: 'a=b' }] }, 422, 'Enter a name for the view.'],
    [
      { views: [{ name: 'x'.repeat(61), query: '' }] },
      422,
      'The name of a view can have at most 60 characters.',
    ],
    [
      { views: [{ name: 'Mine', query: 'x'.repeat(1001) }] },
      422,
      'A view cannot have so many filters. Remove some of them.',
    ],
    [
      { views: Array.from({ length: 21 }, (_, n) => ({ name: `${n}`, query: '' })) },
      422,
      'You can save 20 views of a list. Delete one first.',
    ],
    [
      { views: [1, 2].map(() => ({ name: 'Mine', query: '' })) },
      422,
      'You already have a view with this name. Choose another name.',
    ],
  ])('%o is rejected with a sentence', async (payload, status, message) => {
    const response = await saveList(payload)
    expect(response.statusCode).toBe(status)
    expect(response.json()).toMatchObject({ message })
  })
})

/** Signing in to the office: sessions, requests from other sites, limits on password guesses, and password rules. */
import { afterAll, beforeAll, describe, expect, test as sessionServer } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import { findPasswordProblem } from '../../../../server/office/auth/passwords.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { PASSWORD, buildRegNo, signIn } from '../office.ts'

let office: TestApp
beforeAll(async () => {
  office = await startTestApp()
  await signIn(office)
})
afterAll(() => office.close())

const requestSignIn = (
  server: TestApp,
  payload: object,
  headers: Record<string, string> = {},
  url = '/admin/login/',
): Promise<LightMyRequestResponse> => server.app.inject({ method: 'POST', url, payload, headers })

describe('signing in', () => {
  sessionServer('a wrong password and an unknown username get the same response', async () => {
    const wrongPassword = await requestSignIn(office, { username: 'office', password: 'nope nope' })
    const unknownName = await requestSignIn(office, { username: 'nobody', password: PASSWORD })
    for (const response of [wrongPassword, unknownName]) {
      expect(response.statusCode).toBe(401)
      expect(response.json()).toEqual({
        status: 'error',
        code: 'invalid_login',
        message: 'Invalid username or password',
      })
      expect(response.headers['set-cookie']).toBeUndefined()
    }
  })

  sessionServer.each([
    [{}, ['username', 'password']],
    [{ username: ' ', password: 'x' }, ['username']],
    [{ username: 'office' }, ['password']],
    [{ username: ['office'], password: { x: 1 } }, ['username', 'password']],
  ])('reports the missing field: %j', async (payload, missingFields) => {
    const response = await requestSignIn(office, payload)
    expect(response.statusCode).toBe(422)
    expect(Object.keys(response.json<{ errors: object }>().errors)).toEqual(missingFields)
  })

  sessionServer.each(['/admin/login', '/admin/login/', '/api/admin/login', '/api/admin/login/'])(
    '%s returns a token and a cookie',
    async (url) => {
      const response = await requestSignIn(
        office,
        { username: 'office', password: PASSWORD },
        {},
        url,
      )
      expect(response.statusCode).toBe(200)
      const { token } = response.json<{ token: string }>()
      expect(response.json()).toEqual({ status: 'success', token, username: 'office' })
      expect(response.headers['set-cookie']).toBe(
        `rollcall_session=${token}; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict`,
      )
      expect(response.headers['cache-control']).toBe('no-store')
    },
  )

  sessionServer('GET requests to the same address return the page', async () => {
    const response = await office.app.inject({ method: 'GET', url: '/admin/login/' })
    expect(response.headers['content-type']).toMatch(/text\/html/)
  })

  sessionServer('the cookie has the Secure attribute when the site uses HTTPS', async () => {
    const secureServer = await startTestApp({
      variables: { PUBLIC_URL: 'https://register.example', PUBLIC_SANDBOX: 'no-real-money' },
    })
    try {
      await signIn(secureServer)
      const response = await requestSignIn(secureServer, { username: 'office', password: PASSWORD })
      expect(response.headers['set-cookie']).toMatch(/; Secure/)
    } finally {
      await secureServer.close()
    }
  })

  sessionServer('the database does not contain the token', async () => {
    const { token } = await signIn(office)
    expect(JSON.stringify(office.rows('SELECT * FROM sessions'))).not.toContain(token)
  })

  sessionServer('another site cannot sign in a browser', async () => {
    const response = await requestSignIn(
      office,
      { username: 'office', password: PASSWORD },
      { origin: 'https://evil.example' },
    )
    expect(response.statusCode).toBe(403)
    expect(response.headers['set-cookie']).toBeUndefined()
  })
})

describe('the session', () => {
  const readSession = (headers: Record<string, string>): Promise<LightMyRequestResponse> =>
    office.app.inject({ method: 'GET', url: '/admin/session/', headers })

  sessionServer('is identified by its cookie or its bearer token', async () => {
    const { token, cookie } = await signIn(office)
    for (const headers of [{ cookie }, { authorization: `Bearer ${token}` }]) {
      const response = await readSession(headers)
      expect(response.statusCode).toBe(200)
      expect(response.json()).toMatchObject({ username: 'office' })
    }
  })

  sessionServer(
    'lists all events and lists for the navigation, earliest conference first',
    async () => {
      const { cookie } = await signIn(office)
      const { events } = (await readSession({ cookie })).json<{
        events: { id: string; lists: { route: string }[] }[]
      }>()
      expect(events.map(({ id }) => id)).toEqual([
        'pulmocon2025',
        'midzone2025',
        'afpicon2026',
        'chirurgia2026',
      ])
      expect(events.flatMap(({ lists }) => lists.map(({ route }) => route))).toEqual([
        '/admin/pulmocon',
        '/admin/midzone2025',
        '/admin/afpicon',
        '/admin/afpicon2026',
        '/admin/chirurgia2026',
      ])
    },
  )

  sessionServer('signing out ends the session for both the cookie and the token', async () => {
    const { token, cookie } = await signIn(office)
    const response = await office.app.inject({
      method: 'POST',
      url: '/admin/logout/',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    })
    expect(response.statusCode).toBe(200)
    expect(response.headers['set-cookie']).toMatch(/^rollcall_session=; .*Expires=Thu, 01 Jan 1970/)
    expect((await readSession({ cookie })).statusCode).toBe(401)
    expect((await readSession({ authorization: `Bearer ${token}` })).statusCode).toBe(401)
    expect(
      (await office.app.inject({ method: 'POST', url: '/admin/logout/', headers: { cookie } }))
        .statusCode,
    ).toBe(200)
  })

  sessionServer(
    'ends two hours after its last use, and twelve hours after it started',
    async () => {
      const test = await startTestApp({ clock: '2025-10-10T08:00:00+05:30' })
      try {
        const { get } = await signIn(test)
        test.setTime('2025-10-10T09:59:59+05:30')
        expect((await get('/admin/session/')).statusCode).toBe(200)
        test.setTime('2025-10-10T12:00:01+05:30')
        expect((await get('/admin/session/')).statusCode).toBe(401)
        test.setTime('2025-10-10T08:00:00+05:30')
        const secondSession = await signIn(test)
        for (let hour = 9; hour < 20; hour += 1) {
          test.setTime(`2025-10-10T${String(hour).padStart(2, '0')}:00:00+05:30`)
          expect((await secondSession.get('/admin/session/')).statusCode).toBe(200)
        }
        test.setTime('2025-10-10T20:00:01+05:30')
        expect((await secondSession.get('/admin/session/')).statusCode).toBe(401)
      } finally {
        await test.close()
      }
    },
  )

  sessionServer.each([
    '/admin/session/',
    '/admin/dashboard/stats/',
    '/api/admin/dashboard/stats',
    '/admin/pulmocon/registrations/',
    '/admin/afpicon/registrations/',
    '/afpicon/admin/registrations/',
    '/api/afpicon/admin/registrations',
    '/afpicon/download-csv/',
    '/admin/export/?event_type=pulmocon',
    '/admin/export/?event_type=nothing',
    '/admin/registrations/AFPI1/',
    '/admin/registrations/AFPI1/files/pg_proof/',
  ])('%s returns 401 without a session', async (url) => {
    for (const headers of [
      {},
      { authorization: 'Bearer guess' },
      { cookie: 'rollcall_session=guess' },
    ]) {
      const response = await office.app.inject({ method: 'GET', url, headers })
      expect(response.statusCode).toBe(401)
      expect(response.json()).toEqual({
        status: 'error',
        code: 'unauthorized',
        message: 'Unauthorized. Please check your credentials.',
      })
    }
  })
})

describe('another site cannot use the cookie', () => {
  const postAction = async (headers: Record<string, string>): Promise<number> => {
    const url = `/admin/registrations/${buildRegNo(office, 'afpicon2026', 404)}/acts/`
    return (await office.app.inject({ method: 'POST', url, headers })).statusCode
  }
  sessionServer.each<[string, Record<string, string>, number]>([
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['no origin at all', {}, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    [
      'our origin, but a cross-site fetch',
      { origin: 'http://127.0.0.1:3199', 'sec-fetch-site': 'cross-site' },
      403,
    ],
    ['our public address', { origin: 'http://127.0.0.1:3199' }, 404],
    ['the browser reports same-origin', { 'sec-fetch-site': 'same-origin' }, 404],
  ])('%s', async (_name, headers, status) => {
    const { cookie } = await signIn(office)
    expect(await postAction({ cookie, ...headers })).toBe(status)
  })
  sessionServer(
    'a request with a bearer token needs no origin check, because browsers never send the token on their own',
    async () => {
      const { token } = await signIn(office)
      expect(
        await postAction({ authorization: `Bearer ${token}`, origin: 'https://script.example' }),
      ).toBe(404)
    },
  )
})

describe('guessing passwords', () => {
  const createHeaders = (address: number) => ({
    'x-forwarded-for': `10.0.${address >> 8}.${address & 255}`,
  })
  const credentials = { username: 'office', password: PASSWORD }
  const wrongGuess = { username: 'Office', password: 'guess' }

  sessionServer(
    'ten wrong passwords lock out the sender’s address for 15 minutes, but no other user',
    async () => {
      const limitedServer = await startTestApp({
        variables: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
      })
      try {
        await signIn(limitedServer)
        await signIn(limitedServer, 'second')
        for (let attempt = 0; attempt < 10; attempt += 1)
          expect(
            (await requestSignIn(limitedServer, wrongGuess, createHeaders(7))).statusCode,
          ).toBe(401)
        const rejection = await requestSignIn(limitedServer, credentials, createHeaders(7))
        expect(rejection.statusCode).toBe(429)
        expect(rejection.headers['retry-after']).toBe('900')
        expect(rejection.json()).toMatchObject({
          code: 'too_many_requests',
          message: 'There were too many attempts to sign in. Please wait 15 minutes and try again.',
        })
        expect((await requestSignIn(limitedServer, credentials)).statusCode).toBe(200)
        expect((await requestSignIn(limitedServer, credentials, createHeaders(8))).statusCode).toBe(
          200,
        )
        expect(
          (
            await requestSignIn(
              limitedServer,
              { ...credentials, username: 'second' },
              createHeaders(7),
            )
          ).statusCode,
        ).toBe(200)
        limitedServer.setTime('2025-10-10T12:15:01+05:30')
        expect((await requestSignIn(limitedServer, credentials, createHeaders(7))).statusCode).toBe(
          200,
        )
      } finally {
        await limitedServer.close()
      }
    },
  )

  sessionServer(
    'after a hundred wrong passwords from different addresses, new addresses are refused, but staff can still sign in from known addresses',
    async () => {
      const limitedServer = await startTestApp({
        variables: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
      })
      try {
        await signIn(limitedServer)
        expect((await requestSignIn(limitedServer, credentials, createHeaders(1))).statusCode).toBe(
          200,
        )
        // The user's own sign-ins from new addresses count too, because only checking the password shows that they are
        // genuine.
        const statuses: number[] = []
        for (let attempt = 0; attempt < 110; attempt += 1)
          statuses.push(
            (await requestSignIn(limitedServer, wrongGuess, createHeaders(1000 + attempt)))
              .statusCode,
          )
        expect(statuses.slice(0, 95)).toEqual(Array.from({ length: 95 }, () => 401))
        expect(statuses.slice(100)).toEqual(Array.from({ length: 10 }, () => 429))
        expect((await requestSignIn(limitedServer, credentials, createHeaders(2))).statusCode).toBe(
          429,
        )
        expect((await requestSignIn(limitedServer, credentials, createHeaders(1))).statusCode).toBe(
          200,
        )
      } finally {
        await limitedServer.close()
      }
    },
  )

  sessionServer(
    'an address may make at most twenty attempts in five minutes, whatever the username',
    async () => {
      const limitedServer = await startTestApp({ variables: { RATE_LIMITS: 'on' } })
      try {
        for (let attempt = 0; attempt < 20; attempt += 1)
          expect(
            (await requestSignIn(limitedServer, { username: `name${attempt}`, password: 'guess' }))
              .statusCode,
          ).toBe(401)
        expect(
          (await requestSignIn(limitedServer, { username: 'name20', password: 'guess' }))
            .statusCode,
        ).toBe(429)
      } finally {
        await limitedServer.close()
      }
    },
  )
})

describe('a failed sign-in', () => {
  const SENT_PASSWORD = 'a wrong password that must not be logged'
  sessionServer(
    'is in the audit log under the entered username, without the entered password',
    async () => {
      const app = await startTestApp()
      await signIn(app)
      await requestSignIn(app, { username: 'office', password: SENT_PASSWORD })
      await requestSignIn(app, { username: SENT_PASSWORD, password: 'x' })
      expect(app.rows('SELECT who, what FROM audit_log')).toContainEqual({
        who: 'office',
        what: 'failed to sign in',
      })
      expect(app.log.map(({ message }) => message)).toContain('failed sign-in: unknown username')
      expect(JSON.stringify([app.log, app.rows('SELECT * FROM audit_log')])).not.toContain(
        SENT_PASSWORD,
      )
      await app.close()
    },
  )

  sessionServer('does not fill the disk, however often it is repeated', async () => {
    const app = await startTestApp({ variables: { RATE_LIMITS: 'on' } })
    await signIn(app)
    const buildRequest = (index: number) => ({
      method: 'POST' as const,
      url: '/admin/login/',
      remoteAddress: `192.0.2.${index}`,
    })
    for (let at = 0; at < 25; at += 1) {
      await app.app.inject({
        ...buildRequest(at),
        payload: { username: 'office', password: SENT_PASSWORD },
      })
      await app.app.inject({
        ...buildRequest(at),
        payload: { username: `nobody${at}`, password: SENT_PASSWORD },
      })
    }
    const storedRows = app.rows("SELECT 1 FROM audit_log WHERE what = 'failed to sign in'")
    const logEntries = app.log.filter(({ message }) => /failed sign-in/.test(String(message)))
    expect([storedRows.length, logEntries.length]).toEqual([10, 20])
    await app.close()
  })
})

describe('a password', () => {
  const USERNAMES = ['meera', 'springmeet2026']
  sessionServer.each([
    ['short', /at least 8/],
    ['password', /too easy to guess/],
    ['P@ssw0rd!', /too easy to guess/],
    ['Welcome123', /too easy to guess/],
    ['rollcall2026', /too easy to guess/],
    ['Meera@1990', /username or the name of an event/],
    ['Springmeet#26', /username or the name of an event/],
    ['12345678', /keyboard row/],
    ['87654321', /keyboard row/],
    ['12341234', /keyboard row/],
    ['qwertyui', /keyboard row/],
    ['abababab', /few different/],
  ])('%s is rejected', (password, problemPattern) =>
    expect(findPasswordProblem(password, USERNAMES)).toMatch(problemPattern),
  )
  sessionServer.each([
    'seven green tables',
    'k7xm-2wqp-9hba-rr4t',
    'Trivandrum-monsoon-7',
    'zebra4coffee',
  ])('%s is accepted', (password) => expect(findPasswordProblem(password, USERNAMES)).toBeNull())
})

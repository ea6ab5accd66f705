/** Looking up registrations by number, limits on guessing, and the tariff at every period boundary. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { RegisterResponse, RegistrationResponse, TariffResponse } from '../../../engine/api.ts'
import { getAddressKey } from '../../../server/http/rate-limit.ts'
import { openLookupGuard } from '../../../server/registration/find-registration.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

let server: TestApp | null = null
const startServer = async (options: Parameters<typeof startTestApp>[0] = {}): Promise<TestApp> =>
  (server = await startTestApp(options))
afterEach(async () => {
  await server?.close()
  server = null
})
const delegate = {
  full_name: 'Asha Nair',
  email: 'asha@example.org',
  phone_number: '9876543210',
  ticket_type: 'afpi-pg',
  afpi_member: 'false',
}
const proof = {
  pg_proof: {
    name: 'proof.png',
    bytes: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  },
}

describe('a registration read by its number', () => {
  test("contains the answers and the engine's values, under the specification's names", async () => {
    const { post, app } = await startServer({ clock: '2025-11-21T12:00:00+05:30' })
    const { reg_no } = (
      await post('/api/afpicon/register/', delegate, proof)
    ).json<RegisterResponse>()
    const response = await app.inject(`/api/afpicon/registrations/${reg_no}/`)
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    expect(response.json<RegistrationResponse>()).toEqual({
      status: 'success',
      registration: {
        full_name: 'Asha Nair',
        ticket_type: 'afpi-pg',
        reg_no,
        order_id: reg_no,
        payment_status: 'pending',
        in_review: false,
        failed_as: null,
        card_failed_as: null,
        payment_date: null,
        payment_id: null,
        attempted_at: '2025-11-21T12:00:00+05:30',
        created_at: '2025-11-21T12:00:00+05:30',
        decide_by: null,
        category: 'afpi-pg',
        category_label: 'AFPI Member – Post Graduate',
        period: 'sep-1-dec-31',
        base: 5250,
        gst: 945,
        total: 6195,
        lines: [
          {
            id: 'registration',
            option: null,
            label: 'AFPI Member – Post Graduate',
            quantity: 1,
            unit: 5250,
            base: 5250,
            gst: 945,
            total: 6195,
          },
        ],
        stands: 'not-paid',
        held_until: '2026-01-02T00:00:00+05:30',
        price_until: '2025-12-31',
        review_since: null,
        second_payment: false,
        refunded_amount: 0,
        difference_due: 0,
        may_pay: true,
        registration_category: 'afpi-pg',
        final_amount: 6195,
        amount: 6195,
      },
      partial: true,
    })
    expect((await app.inject(`/api/afpicon/registrations/${reg_no}`)).json()).toEqual(
      response.json(),
    )
  })

  test('shows the phone number and email address to the browser that registered and to a visitor who enters the email address, but not to a visitor who has only the number', async () => {
    const { post, app, setTime } = await startServer({ clock: '2025-11-21T12:00:00+05:30' })
    const key = { 'idempotency-key': 'a'.repeat(32) }
    const { reg_no } = (
      await post('/api/afpicon/register/', delegate, proof, key)
    ).json<RegisterResponse>()
    const otherRegistration = (
      await post('/api/afpicon/register/', delegate, proof)
    ).json<RegisterResponse>()
    const url = `/api/afpicon/registrations/${reg_no}/`
    const ownContact = { email: 'asha@example.org', phone_number: '9876543210' }
    const readVisible = async (headers: Readonly<Record<string, string>>, payload?: object) => {
      const method = payload === undefined ? 'GET' : 'POST'
      const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
      const { registration, partial, code } = response.json<
        RegistrationResponse & { code?: string }
      >()
      return code ?? [partial ?? false, registration['email'], registration['phone_number']]
    }
    const allVisible = [false, ownContact.email, ownContact.phone_number]
    const publicOnly = [true, undefined, undefined]
    expect(await readVisible({})).toEqual(publicOnly)
    expect(await readVisible({ 'idempotency-key': 'b'.repeat(32) })).toEqual(publicOnly)
    expect(await readVisible(key)).toEqual(allVisible)
    expect(await readVisible({}, { email: ' Asha@Example.org' })).toEqual(allVisible)
    expect(await readVisible(key, { email: 'somebody@example.org' })).toBe('email_differs')
    // The key gives access only to its own registration, and for a limited time.
    const otherKeyResponse = await app.inject({
      method: 'GET',
      url: url.replace(reg_no, otherRegistration.reg_no),
      headers: key,
    })
    expect(otherKeyResponse.json()).toMatchObject({ partial: true })
    setTime('2025-11-22T12:00:01+05:30')
    expect(await readVisible(key)).toEqual(publicOnly)
  })

  test('shows only the answers that result pages show: no address, council number or membership', async () => {
    const { post, app } = await startServer({ clock: '2025-11-21T12:00:00+05:30' })
    const secrets = {
      address: '12 Hidden Lane',
      city: 'Hiddenpur',
      medical_council_reg_no: 'HIDDEN-1',
      afpi_member: 'true',
      afpi_membership_number: 'HIDDEN-2',
      designation: 'Hidden Consultant',
    }
    const { reg_no } = (
      await post('/api/afpicon/register/', { ...delegate, ...secrets }, proof)
    ).json<RegisterResponse>()
    const { body } = await app.inject({
      method: 'POST',
      url: `/api/afpicon/registrations/${reg_no}/`,
      payload: { email: delegate.email },
    })
    expect(body).toContain(delegate.phone_number)
    expect(body).not.toMatch(/hidden/i)
    for (const name of Object.keys(secrets)) expect(body).not.toContain(`"${name}"`)
  })

  test("for another event returns 404 with the event's message", async () => {
    const { post, app } = await startServer()
    const { reg_no } = (
      await post('/api/afpicon/register/', delegate, proof)
    ).json<RegisterResponse>()
    for (const [path, message] of [
      [`/api/chirurgia/registrations/${reg_no}/`, 'Failed to fetch registration details'],
      ['/api/afpicon/registrations/AFPI0000000000000/', 'Failed to fetch registration details'],
      ['/api/registrations/PULMO1/', 'Registration details not found'],
    ] as const) {
      const response = await app.inject(path)
      expect([response.statusCode, response.json()]).toEqual([
        404,
        { status: 'error', code: 'not_found', message },
      ])
    }
  })

  test('whose payment failed can be paid in a new attempt, and is also found by the order id of that attempt', async () => {
    const { post, app, deps, sandbox } = await startServer({
      clock: '2026-01-10',
      events: { 'sample2026.yaml': buildFixtureEvent() },
    })
    const { reg_no, payment_data } = (
      await post('/api/sample2026/register/', fixtureDelegate)
    ).json<RegisterResponse>()
    await deps.store.applyPaymentEvent(
      payment_data?.orderid as never,
      { type: 'declined', code: '400', message: 'no', at: deps.clock() },
      null,
    )
    const read = async (number: string) =>
      (await app.inject(`/api/sample2026/registrations/${number}/`)).json<RegistrationResponse>()
        .registration
    expect(await read(reg_no)).toMatchObject({
      payment_status: 'failed',
      failed_as: 'declined',
      may_pay: true,
    })
    const retryResponse = (
      await app.inject({
        method: 'POST',
        url: '/api/payment/retry/',
        payload: { order_id: reg_no },
      })
    ).json<RegisterResponse>()
    const order = retryResponse.payment_data?.orderid ?? ''
    expect(order).toMatch(new RegExp(`^${reg_no}\\d\\d$`))
    expect(await read(order)).toMatchObject({
      reg_no,
      order_id: order,
      payment_status: 'pending',
      failed_as: null,
    })
    // The second attempt is also unpaid, but only the first is known to have failed.
    await deps.store.applyPaymentEvent(order as never, { type: 'expired', at: deps.clock() }, null)
    expect(await read(reg_no)).toMatchObject({ payment_status: 'failed', failed_as: 'expired' })
    expect(sandbox).not.toBeNull()
  })
})

describe('limits on guessing', () => {
  const guessNumber = (app: TestApp['app'], serial: number, address: string) =>
    app.inject({
      url: `/api/sample2026/registrations/SMPL${String(serial).padStart(13, '0')}/`,
      remoteAddress: address,
    })
  const startLimited = (variables: Readonly<Record<string, string>> = {}) =>
    startServer({
      clock: '2026-01-10',
      events: { 'sample2026.yaml': buildFixtureEvent() },
      variables: { RATE_LIMITS: 'on', ...variables },
    })

  test('allow twenty wrong numbers from one address, and then return 429 for ten minutes; other addresses are not affected', async () => {
    const { app, setTime } = await startLimited()
    for (let serial = 0; serial < 20; serial++)
      expect((await guessNumber(app, serial, '192.0.2.1')).statusCode).toBe(404)
    const rejection = await guessNumber(app, 21, '192.0.2.1')
    expect([
      rejection.statusCode,
      rejection.json<{ code: string }>().code,
      rejection.headers['retry-after'],
    ]).toEqual([429, 'too_many_requests', '600'])
    expect((await guessNumber(app, 22, '192.0.2.2')).statusCode).toBe(404)
    setTime('2026-01-10T12:10:01+05:30')
    expect((await guessNumber(app, 23, '192.0.2.1')).statusCode).toBe(404)
  })

  test('withhold a correct number that was looked up while other requests used up the limit', async () => {
    const { deps } = await startLimited()
    const guard = openLookupGuard(deps)
    const [address, eventId, regNo] = ['192.0.2.1', 'sample2026', 'SMPL1']
    expect(await guard.wait(address, eventId, regNo)).toBe(0)
    for (let n = 0; n < 20; n += 1) expect(await guard.count(address, eventId, 'SMPL2')).toBe(0)
    expect(await guard.count(address, eventId, 'SMPL2')).toBe(600_000)
    expect(await guard.admit(address, eventId, regNo, regNo)).toBe(600_000)
  })

  test('an address that sends four hundred wrong numbers at once does not block the event for other addresses', async () => {
    const { app, post } = await startLimited()
    const { reg_no } = (
      await post('/api/sample2026/register/', fixtureDelegate)
    ).json<RegisterResponse>()
    const requests: Readonly<Record<string, (serial: number) => Promise<{ statusCode: number }>>> =
      {
        '192.0.2.1': (serial) => guessNumber(app, serial, '192.0.2.1'),
        '192.0.2.2': () =>
          app.inject({
            method: 'POST',
            url: `/api/sample2026/registrations/${reg_no}/`,
            payload: { email: 'wrong@sample.example' },
            remoteAddress: '192.0.2.2',
          }),
      }
    for (const [address, request] of Object.entries(requests)) {
      const statuses = (
        await Promise.all(Array.from({ length: 400 }, (_, serial) => request(serial)))
      ).map(({ statusCode }) => statusCode)
      expect([address, statuses.filter((status) => status !== 429).length]).toEqual([address, 20])
      expect((await guessNumber(app, 401, `${address}00`)).statusCode).toBe(404)
    }
  })

  test('count the addresses of one IPv6 network as one', async () => {
    const { app } = await startLimited()
    for (let serial = 0; serial < 20; serial++)
      expect((await guessNumber(app, serial, `2001:db8:0:7::${serial + 1}`)).statusCode).toBe(404)
    expect((await guessNumber(app, 21, '2001:db8:0:7:ffff::1')).statusCode).toBe(429)
    expect((await guessNumber(app, 22, '2001:db8:0:8::1')).statusCode).toBe(404)
  })

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:7::1', '2001:db8:0:7::/64'],
    ['2001:0db8::0007:0:0:0:1', '2001:db8:0:7::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    // Proxies may send an address and its port in these forms.
    ['192.0.2.1:54321', '192.0.2.1'],
    [' 192.0.2.1:1 ', '192.0.2.1'],
    ['[2001:db8:0:7::1]:443', '2001:db8:0:7::/64'],
    ['[2001:db8:0:7::1]', '2001:db8:0:7::/64'],
    ['[::ffff:192.0.2.1]:80', '192.0.2.1'],
    ['[fe80::1%eth0]:80', 'fe80:0:0:0::/64'],
    // Invalid addresses are counted together.
    ...['', 'unknown', '_hidden', 'a:1', 'b:2', '192.0.2.256', '[x]:1', '1.2.3', '::1]:1'].map(
      (ip) => [ip, 'no address'] as [string, string],
    ),
  ])('count %s under %s', (ip, key) => expect(getAddressKey({ ip })).toBe(key))

  test('are the same for a client behind a trusted proxy that changes its port or invents addresses', async () => {
    const { app } = await startLimited({ TRUST_PROXY: '127.0.0.1' })
    const guessThroughProxy = (serial: number, visitor: string) =>
      app.inject({
        url: `/api/sample2026/registrations/SMPL${String(serial).padStart(13, '0')}/`,
        headers: { 'x-forwarded-for': visitor },
      })
    for (const visitor of [
      (serial: number) => `192.0.2.9:${1000 + serial}`,
      (serial: number) => `[2001:db8:0:9::${serial + 1}]:${1000 + serial}`,
      (serial: number) => `made-up-${serial}`,
    ]) {
      const statuses = []
      for (let serial = 0; serial < 21; serial++)
        statuses.push((await guessThroughProxy(serial, visitor(serial))).statusCode)
      expect(statuses).toEqual([...Array.from({ length: 20 }, () => 404), 429])
    }
  })

  test('do not count correct numbers', async () => {
    const { app, post } = await startLimited()
    const { reg_no } = (
      await post('/api/sample2026/register/', fixtureDelegate)
    ).json<RegisterResponse>()
    for (let times = 0; times < 40; times++)
      expect((await app.inject(`/api/sample2026/registrations/${reg_no}/`)).statusCode).toBe(200)
  })

  test('close an event to new addresses after 300 guesses', { tags: ['slow'] }, async () => {
    const { app, post, setTime } = await startLimited()
    const { reg_no } = (
      await post('/api/sample2026/register/', fixtureDelegate)
    ).json<RegisterResponse>()
    const readWithCorrectNumber = (address: string) =>
      app.inject({
        url: `/api/sample2026/registrations/${reg_no}/`,
        remoteAddress: address,
      })
    expect((await readWithCorrectNumber('203.0.113.1')).statusCode).toBe(200)
    const statuses = []
    for (let serial = 0; serial < 900; serial++)
      statuses.push(
        (await guessNumber(app, serial, `198.51.${Math.floor(serial / 250)}.${serial % 250}`))
          .statusCode,
      )
    expect(statuses).toEqual([
      ...Array.from({ length: 300 }, () => 404),
      ...Array.from({ length: 600 }, () => 429),
    ])
    // The address that registered, and an address that has already read the registration, are still accepted.
    expect((await readWithCorrectNumber('127.0.0.1')).statusCode).toBe(200)
    expect((await readWithCorrectNumber('203.0.113.1')).statusCode).toBe(200)
    expect((await readWithCorrectNumber('203.0.113.2')).statusCode).toBe(429)
    setTime('2026-01-10T12:10:01+05:30')
    expect((await readWithCorrectNumber('203.0.113.2')).statusCode).toBe(200)
  })

  test('allow an attacker with one correct number and many addresses at most three hundred guesses', async () => {
    const { app, post } = await startLimited()
    const { reg_no } = (
      await post('/api/sample2026/register/', fixtureDelegate)
    ).json<RegisterResponse>()
    const createAddress = (network: number): string => `2001:db8:1:${network.toString(16)}::1`
    for (let network = 0; network < 50; network++)
      await app.inject({
        url: `/api/sample2026/registrations/${reg_no}/`,
        remoteAddress: createAddress(network),
      })
    const statuses = []
    for (let serial = 0; serial < 500; serial++)
      statuses.push((await guessNumber(app, serial, createAddress(serial % 50))).statusCode)
    expect(statuses.filter((status) => status === 404)).toHaveLength(300)
    const registrationPath = `/api/sample2026/registrations/${reg_no}`
    for (const [path, status] of [
      [`${registrationPath}/`, 200],
      // No retry has this order id, but the registration number in it is known.
      [`${registrationPath}02/`, 404],
    ] as const)
      expect((await app.inject({ url: path, remoteAddress: createAddress(3) })).statusCode).toBe(
        status,
      )
  })

  describe('apply to every route that accepts a number', () => {
    const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }
    const buildFailedReturn = (orderId: string) =>
      new URLSearchParams({ TRANSACTIONID: orderId, TRANSACTIONSTATUS: '400' }).toString()
    type LookupRoute = (app: TestApp['app'], orderId: string) => Promise<[number, string]>
    const lookupRoutes: Readonly<Record<string, LookupRoute>> = {
      read: async (app, orderId) => {
        const { statusCode, body } = await app.inject(`/api/sample2026/registrations/${orderId}/`)
        return [statusCode, body]
      },
      return: async (app, orderId) => {
        const url = '/api/payment/return/'
        const payload = buildFailedReturn(orderId)
        const response = await app.inject({ method: 'POST', url, headers: formHeaders, payload })
        return [response.statusCode, String(response.headers.location)]
      },
      webhook: async (app, orderId) => {
        const url = '/api/payment/webhook/'
        const payload = buildFailedReturn(orderId)
        const response = await app.inject({ method: 'POST', url, headers: formHeaders, payload })
        return [response.statusCode, response.body]
      },
      retry: async (app, orderId) => {
        const url = '/api/payment/retry/'
        const response = await app.inject({ method: 'POST', url, payload: { order_id: orderId } })
        return [response.statusCode, response.body]
      },
    }
    const wrongNumbers = Array.from(
      { length: 20 },
      (_, index) => `SMPL${String(index).padStart(13, '0')}`,
    )

    test.each(Object.entries(lookupRoutes))(
      'after twenty wrong numbers in “%s” requests, all routes are blocked, and none distinguishes correct from wrong numbers',
      async (_name, lookupRoute) => {
        const { app, post } = await startLimited()
        const { reg_no } = (
          await post('/api/sample2026/register/', fixtureDelegate)
        ).json<RegisterResponse>()
        for (const wrongNumber of wrongNumbers) await lookupRoute(app, wrongNumber)
        for (const [name, otherRoute] of Object.entries(lookupRoutes)) {
          const [status, responseText] = await otherRoute(app, reg_no)
          expect([name, status]).toEqual([name, name === 'return' ? 303 : 429])
          const [wrongStatus, wrongText] = await otherRoute(app, 'SMPL0000000000777')
          expect([name, wrongStatus, wrongText]).toEqual([
            name,
            status,
            responseText.replaceAll(reg_no, 'SMPL0000000000777'),
          ])
          expect(responseText.replaceAll(reg_no, '')).not.toMatch(/amount|1180/)
        }
      },
    )

    test('a delegate who returns after paying gets the page despite the limit, and the payment is queried', async () => {
      const { app, post, rows } = await startLimited()
      const { reg_no } = (
        await post('/api/sample2026/register/', fixtureDelegate)
      ).json<RegisterResponse>()
      for (const wrongNumber of wrongNumbers) await lookupRoutes['return']?.(app, wrongNumber)
      expect(await lookupRoutes['return']?.(app, reg_no)).toEqual([
        303,
        `/sample2026/payment/success?orderId=${reg_no}`,
      ])
      expect(
        rows("SELECT order_id FROM gateway_notices WHERE kind = 'return' AND order_id = ?", reg_no),
      ).toHaveLength(1)
    })
  })

  test('allow 30 registrations a minute from one address', async () => {
    const { post } = await startLimited()
    const statuses = []
    for (let times = 0; times < 31; times++)
      statuses.push(
        (await post('/api/sample2026/register/', { ...fixtureDelegate, email: '' })).statusCode,
      )
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 422), 429])
  })
})

describe("the period is correct at every boundary, whatever the server's time zone", () => {
  // The whole table uses one server, and only its clock is changed.
  let calendarServer: TestApp
  beforeAll(async () => {
    calendarServer = await startTestApp()
  })
  afterAll(() => calendarServer.close())
  // The table in the specification. The last two columns are the afpi-pg price without and with tax.
  test.each([
    ['2025-06-30T23:59:59+05:30', 'july-1-aug-31', 4250, 5015],
    ['2025-07-01T00:00:00+05:30', 'july-1-aug-31', 4250, 5015],
    ['2025-08-31T23:59:59+05:30', 'july-1-aug-31', 4250, 5015],
    ['2025-08-31T18:29:59Z', 'july-1-aug-31', 4250, 5015],
    ['2025-08-31T18:30:00Z', 'sep-1-dec-31', 5250, 6195],
    ['2025-09-01T00:00:00+05:30', 'sep-1-dec-31', 5250, 6195],
    ['2025-12-31T23:59:59+05:30', 'sep-1-dec-31', 5250, 6195],
    ['2026-01-01T00:00:00+05:30', 'jan-1-jan-25', 7250, 8555],
    ['2026-01-25', 'jan-1-jan-25', 7250, 8555],
    ['2026-01-25T23:59:59+05:30', 'jan-1-jan-25', 7250, 8555],
    ['2026-01-26T00:00:00+05:30', 'jan-25-jan-31', 10_000, 11_800],
    ['2026-01-31T23:59:59+05:30', 'jan-25-jan-31', 10_000, 11_800],
    ['2026-02-01T00:00:00+05:30', 'july-1-aug-31', 4250, 5015],
    ['2026-11-21', 'july-1-aug-31', 4250, 5015],
  ])(
    'at %s, the period is %s, and afpi-pg costs %i, or %i with tax',
    async (clock, period, base, total) => {
      const zones = ['Pacific/Kiritimati', 'America/Adak', 'Asia/Kolkata']
      const originalZone = process.env.TZ
      const offsets = new Set<number>()
      const { app, post, rows, setTime, countRows } = calendarServer
      setTime(clock)
      const lastId = countRows()['registrations']
      try {
        for (const zone of zones) {
          process.env.TZ = zone
          offsets.add(new Date(0).getTimezoneOffset())
          const answer = (await app.inject('/api/afpicon/tariff-info/')).json<TariffResponse>()
          expect([answer.current_period, answer.pricing['afpi-pg']]).toEqual([
            period,
            { base, gst: total - base, total },
          ])
          expect(
            (
              await post(
                '/api/afpicon/register/',
                { ...delegate, total_amount: String(total) },
                proof,
              )
            ).statusCode,
          ).toBe(201)
        }
        const sql = 'SELECT DISTINCT period, base, total FROM registrations WHERE id > ?'
        expect(rows(sql, lastId)).toEqual([{ period, base: base * 100, total: total * 100 }])
        // Proves that the process has run in each of these time zones.
        expect(offsets.size).toBe(zones.length)
      } finally {
        if (originalZone === undefined) delete process.env.TZ
        else process.env.TZ = originalZone
      }
    },
  )
})

describe('an event without payment', () => {
  test('completes a registration immediately, with a queued email and no checkout', async () => {
    const { post, rows, app } = await startServer({
      clock: '2026-01-10',
      events: { 'sample2026.yaml': buildFixtureEvent({ payment: 'none' }) },
    })
    const response = await post('/api/sample2026/register/', fixtureDelegate)
    expect(response.statusCode).toBe(201)
    const answer = response.json<RegisterResponse>()
    expect(answer).toEqual({
      status: 'success',
      message:
        'Registration submitted successfully! You will receive a confirmation email shortly.',
      reg_no: answer.reg_no,
      stands: 'complete',
    })
    expect(rows('SELECT payment_status, total FROM registrations')).toEqual([
      { payment_status: 'success', total: 0 },
    ])
    expect(rows('SELECT count(*) AS n FROM payments')).toEqual([{ n: 0 }])
    expect(rows('SELECT recipient, subject, body FROM mail_queue')).toEqual([
      {
        recipient: 'delegate@sample.example',
        subject: `Sample 2026: ${answer.reg_no}`,
        body: expect.stringMatching(
          /^Dear Test Delegate, you are registered as Member\.\n\nSee your ticket/,
        ),
      },
    ])
    const { registration } = (
      await app.inject(`/api/sample2026/registrations/${answer.reg_no}/`)
    ).json<RegistrationResponse>()
    expect(registration).toMatchObject({ payment_status: 'success' })
  })
})

test("registration is closed on a day without a period, with the event's message", async () => {
  const { post, app, countRows } = await startServer({
    clock: '2026-03-01',
    events: { 'sample2026.yaml': buildFixtureEvent() },
  })
  const response = await post('/api/sample2026/register/', fixtureDelegate)
  expect([response.statusCode, response.json()]).toEqual([
    409,
    {
      status: 'error',
      code: 'registration_closed',
      message: 'Registration for Sample 2026 is closed.',
    },
  ])
  expect(countRows()['registrations']).toBe(0)
  expect((await app.inject('/api/sample2026/tariff-info/')).json<TariffResponse>()).toMatchObject({
    open: false,
    current_period: null,
    pricing: {},
  })
})

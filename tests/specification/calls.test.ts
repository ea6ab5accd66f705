/** Tests the specification's calls, fields and responses with the complete server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INR, toAmount } from '../../engine/index.ts'
import { getResultValues } from '../../engine/messages.ts'
import type { Answers } from '../../engine/index.ts'
import type {
  ListResponse,
  PaymentData,
  RegisterResponse,
  StatsResponse,
  TariffResponse,
} from '../../engine/api.ts'
import { toNoon, buildRegNo, PASSWORD, register, signIn } from '../server/office/office.ts'
import type { Office } from '../server/office/office.ts'
import { createPdf } from '../server/sample-uploads.ts'
import { startTestApp } from '../server/harness.ts'
import type { TestApp } from '../server/harness.ts'

let server: TestApp
let officeSession: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2025-11-10T12:00:00+05:30' })
  officeSession = await signIn(server)
})
afterAll(() => server.close())

/** Builds the header with a form's idempotency key, with which the browser that registered can read the answers. */
const buildKeyHeader = (name: string) => ({ 'idempotency-key': `${name}-`.repeat(4) })

const get = async (url: string, headers = {}): Promise<Record<string, unknown>> => {
  const httpResponse = await server.app.inject({ method: 'GET', url, headers })
  expect(httpResponse.statusCode, httpResponse.body).toBe(200)
  return httpResponse.json()
}
const readRegistration = async (url: string, headers = {}): Promise<Record<string, unknown>> => {
  const response = await get(url, headers)
  expect(response['status']).toBe('success')
  return response['registration'] as Record<string, unknown>
}
const sendRequest = (url: string, json: object, headers = {}) =>
  server.app.inject({ method: 'POST', url, payload: json, headers })

const AFPICON_ANSWERS = {
  full_name: 'Dr. Example Menon',
  email: 'example@example.org',
  phone_number: '+91 98470 00000',
  ticket_no: 'T-1',
  ticket_type: 'afpi-pg',
  designation: 'Resident',
  qualification: 'MBBS',
  present_institute: 'Sample College',
  medical_council_reg_no: 'TC-1',
  afpi_member: 'true',
  afpi_membership_number: 'K-1',
  address: 'Sample Street',
  city: 'Kottayam',
  state: 'Kerala',
  base_amount: '5250',
  gst_amount: '945',
  total_amount: '6195',
}
const CHIRURGIA_ANSWERS = {
  full_name: 'Dr. Sample Surgeon',
  email: 'surgeon@example.org',
  phone_number: '98470',
  hospital: 'Sample Hospital',
  designation: 'pg',
  tcmc_reg_no: 'T-2',
  asi_member: true,
  asi_membership_number: 'A-2',
  paper_presentation: true,
  poster_presentation: false,
  food_preference: 'non-vegetarian',
  registration_category: 'pg-asi',
}
const MIDZONE_ANSWERS = {
  full_name: 'Dr. Family Physician',
  email: 'family@example.org',
  phone_number: '98470',
  designation: 'GP',
  institution: 'Sample Clinic',
  medical_council_reg_no: 'T-3',
  address: 'Line one\nLine two',
  afpi_member: true,
  afpi_membership_number: 'K-3',
  is_pg: false,
}
const PAYMENT_FIELDS = [
  'email',
  'first_name',
  'last_name',
  'orderid',
  'amount',
  'privatekey',
  'checksum',
  'payment_url',
]

const checkHandOff = (data: PaymentData | undefined, regNo: string, amount: string): void => {
  expect(Object.keys(data ?? {})).toEqual(expect.arrayContaining(PAYMENT_FIELDS))
  expect(data).toMatchObject({ orderid: regNo, amount })
}

describe('registering', () => {
  test('S014 S083 S087 S088 S135 S136 S142 S145: AFPICON accepts multipart with a document and without a session, and returns the checkout', async () => {
    const response = await server.post('/api/afpicon/register/', AFPICON_ANSWERS, {
      pg_proof: { name: 'proof.pdf', bytes: createPdf() },
    })
    expect(response.statusCode).toBe(201)
    const responseBody = response.json<RegisterResponse>()
    expect(responseBody).toMatchObject({ status: 'success', message: expect.stringMatching(/\w/) })
    checkHandOff(responseBody.payment_data, responseBody.reg_no, '6195.00')
    expect(responseBody.payment_data).toMatchObject({ email: 'example@example.org' })
  })

  test('S086 S146 S155: an AFPICON registration can be read by order id', async () => {
    const { reg_no, payment_data } = (
      await server.post(
        '/api/afpicon/register/',
        {
          ...AFPICON_ANSWERS,
          ticket_type: 'intern-mbbs-accompanying',
          base_amount: '3000',
          gst_amount: '540',
          total_amount: '3540',
        },
        {},
        buildKeyHeader('afpicon'),
      )
    ).json<RegisterResponse>()
    expect(
      await readRegistration(
        `/api/afpicon/registrations/${payment_data?.orderid}/`,
        buildKeyHeader('afpicon'),
      ),
    ).toMatchObject({
      reg_no,
      full_name: 'Dr. Example Menon',
      email: 'example@example.org',
      phone_number: '+91 98470 00000',
      ticket_type: 'intern-mbbs-accompanying',
      registration_category: 'intern-mbbs-accompanying',
      final_amount: 3540,
      amount: 3540,
    })
  })

  test('S089 S090 S149 S150: Chirurgia accepts JSON with the browser’s category, and compares it with the category from the answers', async () => {
    const response = await sendRequest(
      '/api/chirurgia/register/',
      CHIRURGIA_ANSWERS,
      buildKeyHeader('chirurgia'),
    )
    expect(response.statusCode).toBe(201)
    const { reg_no, payment_data } = response.json<RegisterResponse>()
    expect(reg_no).toMatch(/^CHIR\d+$/)
    checkHandOff(payment_data, reg_no, '3540.00')
    expect(
      await readRegistration(
        `/api/chirurgia/registrations/${reg_no}/`,
        buildKeyHeader('chirurgia'),
      ),
    ).toMatchObject({
      reg_no,
      full_name: 'Dr. Sample Surgeon',
      email: 'surgeon@example.org',
      phone_number: '98470',
      registration_category: 'pg-asi',
    })
    // This deviates from the specification: a category that does not follow from the answers is rejected.
    const cheaperResponse = await sendRequest('/api/chirurgia/register/', {
      ...CHIRURGIA_ANSWERS,
      asi_member: false,
      asi_membership_number: undefined,
      registration_category: 'pg-asi',
    })
    expect([cheaperResponse.statusCode, cheaperResponse.json<{ code: string }>().code]).toEqual([
      409,
      'category_changed',
    ])
  })

  test('S095 S096 S152 S153: Mid Zone accepts JSON', async () => {
    const response = await sendRequest(
      '/api/midzone/register/',
      MIDZONE_ANSWERS,
      buildKeyHeader('midzone'),
    )
    expect(response.statusCode).toBe(201)
    const { status, message, reg_no, payment_data } = response.json<RegisterResponse>()
    expect(status).toBe('success')
    expect(message).toMatch(/\w/)
    checkHandOff(payment_data, reg_no, '1180.00')
    expect(
      await readRegistration(`/api/midzone/registrations/${reg_no}/`, buildKeyHeader('midzone')),
    ).toMatchObject({
      reg_no,
      full_name: 'Dr. Family Physician',
      email: 'family@example.org',
      phone_number: '98470',
      registration_category: 'afpi-delegate',
      afpi_member: true,
      afpi_membership_number: 'K-3',
      base_fee: 1000,
      gst_amount: 180,
      total_amount: 1180,
    })
  })

  test('S106 S144: a request can neither mark the registration as paid nor set the price', async () => {
    const { reg_no } = (
      await sendRequest('/api/midzone/register/', { ...MIDZONE_ANSWERS, payment_status: 'success' })
    ).json<RegisterResponse>()
    expect(await readRegistration(`/api/midzone/registrations/${reg_no}/`)).toMatchObject({
      payment_status: 'pending',
    })
    const cheapResponse = await server.post('/api/afpicon/register/', {
      ...AFPICON_ANSWERS,
      ticket_type: 'intern-mbbs-accompanying',
      total_amount: '1',
    })
    expect(cheapResponse.statusCode).toBe(409)
  })

  test.each([
    '/api/afpicon/register/',
    '/api/afpicon/register',
    '/api/midzone/register',
    '/api/chirurgia/register/',
  ])('S142: %s works with and without a trailing slash', async (url) => {
    expect((await sendRequest(url, {})).statusCode).toBe(422)
  })
})

describe('prices', () => {
  test("S094 S148: Chirurgia's tariff contains the current period, and a price per category and period", async () => {
    const { current_period, tariff_data } = (await get(
      '/api/chirurgia/tariff-info/',
    )) as unknown as TariffResponse
    expect(current_period).toBe('early-bird')
    expect(tariff_data['asi-member']).toEqual({
      'early-bird': { price: 5900 },
      regular: { price: 7080 },
    })
    expect(Object.keys(tariff_data).length).toBe(7)
  })
  test("S098 S151: Mid Zone's pricing contains base and total per category", async () => {
    const { pricing } = (await get('/api/midzone/pricing/')) as unknown as TariffResponse
    expect(pricing).toEqual({
      'afpi-delegate': { base: 1000, gst: 180, total: 1180 },
      'non-afpi-delegate': { base: 1250, gst: 225, total: 1475 },
      'afpi-pg': { base: 750, gst: 135, total: 885 },
      'non-afpi-pg': { base: 900, gst: 162, total: 1062 },
    })
  })
  test('S154: endpoints that no page uses also work', async () => {
    expect((await get('/api/afpicon/tariff-info/'))['current_period']).toBe('sep-1-dec-31')
    const closedResponse = await sendRequest('/api/register/', {})
    expect([closedResponse.statusCode, closedResponse.json<{ code: string }>().code]).toEqual([
      409,
      'registration_closed',
    ])
    expect((await sendRequest('/api/payment/webhook/', {})).statusCode).toBe(400)
    expect((await sendRequest('/api/afpicon/airpay-response', {})).statusCode).toBe(303)
  })
})

/** Imports a PULMOCON registration made in another system on 2 August 2025. Returns its registration number. */
async function importRegistration(n: number): Promise<string> {
  const regNo = buildRegNo(server, 'pulmocon2025', n)
  const servedEvent = server.deps.events.findById('pulmocon2025')
  const row = {
    eventId: 'pulmocon2025',
    eventHash: servedEvent?.hash ?? '',
    regNo,
    formerNo: `PULMO${n}`,
    answers: pulmoAnswers,
    searchable: {
      fullName: 'Dr. Closed Delegate',
      email: 'closed@example.org',
      phone: '+91 98470 11111',
      councilNo: 'K-9',
    },
    category: 'pg-students',
    period: 'tier-2',
    base: null,
    gst: null,
    total: toAmount(350_000),
    currency: INR,
    paymentStatus: 'success' as const,
    paymentId: `OLD${n}`,
    createdAt: toNoon('2025-08-02'),
    paidAt: toNoon('2025-08-02'),
  }
  expect(await server.deps.store.importRegistrations([row])).toEqual({
    ok: true,
    value: { added: 1, unchanged: 0 },
  })
  return regNo
}
const pulmoAnswers: Answers = {
  full_name: 'Dr. Closed Delegate',
  email: 'closed@example.org',
  phone_number: '+91 98470 11111',
  ksmc_reg_no: 'K-9',
  food_preference: 'vegetarian',
  registration_category: 'pg-students',
}

describe('the office', () => {
  let pulmoNo = ''
  beforeAll(async () => {
    pulmoNo = await importRegistration(901)
    await register(server, 'afpicon2026', {
      n: 902,
      on: toNoon('2025-11-10'),
      answers: {
        full_name: 'Dr. Paid Example',
        email: 'paid@example.org',
        phone_number: '1',
        ticket_type: 'afpi-pg',
        afpi_member: true,
        afpi_membership_number: 'K-4',
        state: 'Kerala',
      },
      pays: 'success',
    })
    await register(server, 'afpicon2026', {
      n: 903,
      on: toNoon('2025-11-09'),
      answers: {
        full_name: 'Dr. Failed Example',
        email: 'failed@example.org',
        phone_number: '1',
        ticket_type: 'non-afpi-pg',
      },
      pays: 'failed',
    })
  })

  test('S137 S156: signing in returns a bearer token for further calls', async () => {
    const response = await sendRequest('/api/admin/login/', {
      username: 'office',
      password: PASSWORD,
    })
    expect(response.statusCode).toBe(200)
    const { token } = response.json<{ token: string }>()
    expect(
      (
        await server.app.inject({
          method: 'GET',
          url: '/api/admin/dashboard/stats/',
          headers: { authorization: `Bearer ${token}` },
        })
      ).statusCode,
    ).toBe(200)
    expect(
      (await server.app.inject({ method: 'GET', url: '/api/admin/dashboard/stats/' })).statusCode,
    ).toBe(401)
  })
  test('S074: a wrong username and a wrong password lead to the same message', async () => {
    for (const wrongLogin of [
      { username: 'office', password: 'no' },
      { username: 'nobody', password: PASSWORD },
    ]) {
      const response = await sendRequest('/admin/login/', wrongLogin)
      expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
        401,
        'Invalid username or password',
      ])
    }
  })
  test('S139: every admin has the same permissions', async () => {
    const secondUser = await signIn(server, 'second')
    for (const url of [
      '/admin/dashboard/stats/',
      '/admin/afpicon/registrations/',
      '/afpicon/admin/registrations/',
      '/admin/pulmocon/registrations/',
      '/admin/export/?event_type=afpicon',
    ])
      expect((await secondUser.get(url)).statusCode).toBe(200)
  })
  test('S140: a token expires on sign-out and after inactivity', async () => {
    const shortSession = await signIn(server, 'leaves')
    expect((await shortSession.get('/admin/session/')).statusCode).toBe(200)
    await server.app.inject({
      method: 'POST',
      url: '/admin/logout/',
      headers: { authorization: `Bearer ${shortSession.token}` },
    })
    expect((await shortSession.get('/admin/session/')).statusCode).toBe(401)
    const idleSession = await signIn(server, 'idles')
    server.setTime('2025-12-10T12:00:00+05:30')
    expect((await idleSession.get('/admin/session/')).statusCode).toBe(401)
    server.setTime('2025-11-10T12:00:00+05:30')
  })

  test('S103 S138 S157: the dashboard returns figures per event, the revenue and the newest registrations', async () => {
    const { data } = (await officeSession.json(
      '/admin/dashboard/stats/',
    )) as unknown as StatsResponse
    const figures = [
      'total_registrations',
      'paid_registrations',
      'pending_registrations',
      'failed_registrations',
      'today_registrations',
      'total_revenue',
    ]
    for (const key of ['pulmocon_stats', 'afpicon_stats'])
      expect(Object.keys(data[key] as object)).toEqual(expect.arrayContaining(figures))
    expect(data['afpicon_stats']).toMatchObject({
      paid_registrations: 1,
      failed_registrations: 1,
      total_revenue: 6195,
    })
    expect(data.revenue_stats.total_revenue).toBe(6195 + 3500)
    expect(data.recent_registrations['pulmocon']?.[0]).toMatchObject({
      full_name: 'Dr. Closed Delegate',
      reg_no: pulmoNo,
    })
    expect(data.recent_registrations['afpicon']?.length).toBeGreaterThan(2)
  })

  test("S100 S102 S158 S159: PULMOCON's list has its filters and fields", async () => {
    const { status, count, next, previous, results, registrations } = (await officeSession.json(
      '/admin/pulmocon/registrations/?payment_status=&category=pg-students&search=closed&date_from=2025-08-01&date_to=2025-08-31&page=1',
    )) as unknown as ListResponse
    expect([status, count, next, previous]).toEqual(['success', 1, null, null])
    expect(results.registrations).toEqual(registrations)
    const [row] = registrations
    expect(Object.keys(row ?? {})).toEqual(
      expect.arrayContaining([
        'id',
        'reg_no',
        'full_name',
        'ksmc_reg_no',
        'email',
        'phone_number',
        'registration_category_display',
        'food_preference_display',
        'final_amount',
        'registration_fee',
        'accompanying_persons_fee',
        'accompanying_persons_count',
        'payment_status',
        'payment_status_display',
        'payment_id',
        'created_at',
      ]),
    )
    expect(row).toMatchObject({
      reg_no: pulmoNo,
      ksmc_reg_no: 'K-9',
      registration_category_display: 'PG Students',
      food_preference_display: 'Vegetarian',
    })
    expect(
      (
        (await officeSession.json(
          '/admin/pulmocon/registrations/?category=apccm-member',
        )) as unknown as ListResponse
      ).count,
    ).toBe(0)
  })

  test("S101 S160: AFPICON's older list has its filters and fields", async () => {
    const { registrations, count } = (await officeSession.json(
      '/admin/afpicon/registrations/?payment_status=success&ticket_type=afpi-pg&search=paid@&date_from=2025-11-10&date_to=2025-11-10&afpi_member=true&page=1',
    )) as unknown as ListResponse
    expect(count).toBe(1)
    expect(Object.keys(registrations[0] ?? {})).toEqual(
      expect.arrayContaining([
        'ticket_no',
        'ticket_type',
        'ticket_type_display',
        'city',
        'state',
        'designation',
        'qualification',
        'present_institute',
        'medical_council_reg_no',
        'gst_amount',
        'afpi_member',
        'afpi_membership_number',
      ]),
    )
    expect(registrations[0]).toMatchObject({
      ticket_type: 'afpi-pg',
      gst_amount: 945,
      final_amount: 6195,
      payment_status_display: expect.any(String),
    })
  })

  test('S141 S162 S163: the newer list requires only a session cookie, and no header', async () => {
    const url =
      '/afpicon/admin/registrations/?page=1&page_size=10&search=&payment_status=&ticket_type=&afpi_member=&date_from=2025-11-09&date_to=2025-11-10'
    const cookieResponse = await server.app.inject({
      method: 'GET',
      url,
      headers: { cookie: officeSession.cookie },
    })
    expect(cookieResponse.statusCode).toBe(200)
    const list = cookieResponse.json<ListResponse>()
    expect(list.status).toBe('success')
    expect(list.count).toBe(list.registrations.length)
    expect(list.results.registrations.length).toBe(list.count)
    expect(list.page_size).toBe(10)
    // In the specification, these calls have no authorization header, but it does not say that access is public.
    for (const path of [url, '/afpicon/download-csv/', `/api${url}`]) {
      const anonymousResponse = await server.app.inject({ method: 'GET', url: path })
      expect(anonymousResponse.statusCode).toBe(401)
      expect(anonymousResponse.body).not.toContain('Example')
    }
  })

  test.each([
    ['S161', '/admin/export/?event_type=pulmocon', /filename="?pulmocon_registrations\.csv/],
    ['S161', '/admin/export/?event_type=afpicon', /filename="?afpicon_registrations\.csv/],
    ['S164', '/afpicon/download-csv/', /filename="?afpicon_2026_registrations_2025-11-10\.csv/],
  ])('%s: %s returns a CSV file with the expected name', async (_sentence, url, name) => {
    const response = await officeSession.get(url)
    expect(response.headers['content-type']).toContain('text/csv')
    expect(response.headers['content-disposition']).toMatch(name)
    expect(response.body.trim().split('\n').length).toBeGreaterThan(1)
  })
})

describe('reading a PULMOCON registration', () => {
  test('S147: is possible by its PULMO order id', async () => {
    const regNo = await importRegistration(911)
    const foundRegistration = await readRegistration(`/api/registrations/${regNo}/`)
    expect(foundRegistration).toMatchObject({
      reg_no: regNo,
      full_name: 'Dr. Closed Delegate',
      registration_category: 'pg-students',
    })
    expect(Object.keys(foundRegistration)).toEqual(
      expect.arrayContaining(['final_amount', 'amount']),
    )
  })
  test('an imported registration shows its former number as the Transaction ID', async () => {
    const regNo = await importRegistration(912)
    const foundResponse = await server.app.inject({
      method: 'POST',
      url: '/api/registrations/PULMO912/',
      payload: { email: pulmoAnswers['email'] },
    })
    expect(foundResponse.json()).toMatchObject({
      registration: { reg_no: regNo, order_id: 'PULMO912', payment_id: 'OLD912' },
    })
    expect(await readRegistration(`/api/registrations/${regNo}/`)).toMatchObject({
      reg_no: regNo,
      order_id: 'PULMO912',
    })
    const storedRegistration = await server.deps.store.registration(regNo)
    const event = server.deps.events.findById('pulmocon2025')?.config
    if (storedRegistration === null || event === undefined)
      throw new Error('no registration was imported')
    expect(getResultValues(event, storedRegistration, {})['order_id']).toBe('PULMO912')
  })
  test('S041: returns 404 for an unknown order', async () => {
    const response = await server.app.inject({ method: 'GET', url: '/api/registrations/PULMO0/' })
    expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
      404,
      'Registration details not found',
    ])
  })
})

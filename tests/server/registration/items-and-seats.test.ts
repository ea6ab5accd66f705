/** Items of a conference on a real server: stored bills never change, and no seat is sold twice. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { quote } from '../../../engine/index.ts'
import type { Instant, OrderId, SalesResponse } from '../../../engine/index.ts'
import type {
  ErrorResponse,
  RegisterResponse,
  RegistrationResponse,
  TariffResponse,
  WireQuote,
} from '../../../engine/api.ts'
import { readVersion } from '../../../server/events/versions/version-approval.ts'
import { signIn } from '../office/office.ts'
import type { Office } from '../office/office.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { buildSale } from '../sample-registrations.ts'
import { chooseRuns } from '../../runs.ts'

/** Creates an event file whose quotas are small enough for a test to fill. */
const createEvent = (prices = '[1500, 2000]'): string =>
  buildFixtureEvent({
    total: 1062,
    extra: `
quotas:
  - {id: trainees, when: {category: trainee}, max: 1, full: {offer: non-member, message: All places for trainees are taken.}}
  - {id: seats, each_option_of: workshops, max: {scan: 1, airway: 2, ecg: 100}, full: This workshop is full., few: 1}
hold_seats_for: 30 minutes
`,
  })
    .replace(
      '  - {id: non-member, label: Non-member}\n',
      '  - {id: non-member, label: Non-member}\n  - {id: trainee, label: Trainee}\n',
    )
    .replace(
      '    - {when: {is_member: true}, then: member}\n',
      '    - {when: {is_trainee: true}, then: trainee}\n    - {when: {is_member: true}, then: member}\n',
    )
    .replace(
      '    non-member: [3000, 4000]\n',
      `    non-member: [3000, 4000]
    trainee:    [free, free]
  items:
    - {id: accompanying, label: Accompanying person, count: {companions: {age: {at_least: 5}}}, prices: {period: [early, late], each: [999.5, 1200]}}
    - id: workshop
      label: "Workshop: {option}"
      by: workshops
      prices:
        - {when: {category: [member, trainee]}, table: {period: [early, late], scan: ${prices}, airway: [free, free], ecg: [250, 250], film: [50, none]}}
        - {otherwise: {period: [early, late], scan: [2000, 2500], airway: [100, 100], ecg: [333.33, 400], film: [50, none]}}
    - {id: room, label: "Room, {nights} nights", when: {needs_room: true}, times: nights, tax: {name: GST, percent: 5, prices: inclusive}, prices: {period: [early, late], each: [2250.5, 3000]}}
  adjustments:
    - {id: presenter, label: Presenter, when: {presents: true}, on: registration, amount: -500}
    - {id: early-bird, label: Early bird, to: 2026-01-15, on: all, percent: -10}
`,
    )
    .replace(
      '        - {id: letter,',
      `        - {id: is_trainee, type: yes-no, label: Trainee, default: false}
        - {id: presents, type: yes-no, label: Presenter, default: false}
        - {id: needs_room, type: yes-no, label: Room, default: false}
        - {id: nights, type: number, label: Nights, min: 1, max: 5, show_when: {needs_room: true}, required: For how many nights?}
        - {id: workshops, type: many, label: Workshops, options: [{id: scan, label: Scan}, {id: airway, label: Airway}, {id: ecg, label: ECG}, {id: film, label: Film}]}
        - {id: companions, type: people, label: Companions, max: 3, fields: [{id: name, label: Name, required: A name is needed}, {id: age, type: number, label: Age, min: 0, max: 99, required: An age is needed}]}
        - {id: letter,`,
    )

/** An event with one seat for members. Further delegates may register in another category. */
const smallEvent = buildFixtureEvent({
  id: 'small2026',
  prefix: 'SMLL',
  title: 'Small 2026',
  extra: `
quotas:
  - {id: members, when: {category: member}, max: 1, full: {offer: non-member, message: All places for members are taken.}}
`,
})

const path = '/api/sample2026/register/'
let server: TestApp

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10T10:00:00+05:30',
    events: { 'sample2026.yaml': createEvent(), 'small2026.yaml': smallEvent },
  })
})
afterAll(() => server.close())

type RegisterResult = Omit<RegisterResponse, 'status'> & Omit<ErrorResponse, 'status'>
async function submitForm(
  answers: object,
): Promise<{ readonly status: number; readonly body: RegisterResult }> {
  const payload = { ...fixtureDelegate, is_member: false, ...answers }
  const response = await server.app.inject({ method: 'POST', url: path, payload })
  return { status: response.statusCode, body: response.json() }
}
async function registerDelegate(answers: object): Promise<RegisterResult> {
  const { status, body } = await submitForm(answers)
  expect([status, body.message]).toEqual([201, expect.any(String)])
  return body
}
const readRegistration = async (regNo: string): Promise<RegistrationResponse['registration']> =>
  (await server.app.inject(`/api/sample2026/registrations/${regNo}/`)).json<RegistrationResponse>()
    .registration
const readSeatsLeft = async (): Promise<TariffResponse['left']> =>
  (await server.app.inject('/api/sample2026/tariff-info/')).json<TariffResponse>().left
/** Confirms the payment for an order, as the gateway's response to a query would. */
const markPaid = async (
  { payment_data: data }: Pick<RegisterResponse, 'payment_data'>,
  reference: string,
) =>
  server.deps.store.applyPaymentEvent(
    data?.orderid as OrderId,
    buildSale(reference, Math.round(Number(data?.amount) * 100) as never, server.now()),
    null,
  )
const summariseLines = (lines: WireQuote['lines']): readonly unknown[] =>
  lines.map(({ id, option, label, quantity, unit, total }) => [
    id,
    option,
    label,
    quantity,
    unit,
    total,
  ])

test('a registration returns its bill line by line, as quoted', async () => {
  const registration = await registerDelegate({
    is_member: true,
    workshops: ['ecg'],
    companions: [
      { name: 'Ravi', age: 40 },
      { name: 'Mini', age: 4 },
      { name: 'Sita', age: 5 },
    ],
    needs_room: true,
    nights: 3,
    presents: true,
  })
  const { lines, base, gst, total } = await readRegistration(registration.reg_no)
  // 10% off each line: 50 of 500, 199.90 of 1,999, 25 of 250, and 675.15 of 6,751.50, which includes 5% tax.
  expect(summariseLines(lines)).toEqual([
    ['registration', null, 'Member', 1, 1000, 1180],
    ['accompanying', null, 'Accompanying person', 2, 999.5, 2358.82],
    ['workshop', 'ecg', 'Workshop: ECG', 1, 250, 295],
    ['room', null, 'Room, 3 nights', 3, 2250.5, 6751.5],
    ['presenter', null, 'Presenter', 1, -500, -590],
    ['early-bird', null, 'Early bird', 1, -950.05, -999.53],
  ])
  expect([registration.payment_data?.amount, base, gst, total]).toEqual([
    '8995.79',
    8261.1,
    734.69,
    8995.79,
  ])
})

describe('the last seat', () => {
  test('goes to exactly one of 64 delegates who request it; the others get an error, and none of their data is stored', async () => {
    expect(await readSeatsLeft()).toEqual({ 'seats.scan': 1 })
    const rowsBefore = server.countRows()
    const responses = await Promise.all(
      Array.from({ length: 64 }, () => submitForm({ workshops: ['scan'] })),
    )
    const acceptedResponses = responses.filter(({ status }) => status === 201)
    const rejectedResponses = responses.filter(({ status }) => status !== 201)
    expect([acceptedResponses.length, rejectedResponses.length]).toEqual([1, 63])
    for (const rejection of rejectedResponses)
      expect(rejection).toEqual({
        status: 409,
        body: {
          status: 'error',
          code: 'full',
          message: 'Scan: This workshop is full.',
          errors: { workshops: 'Scan: This workshop is full.' },
          place: 'seats.scan',
          left: 0,
          quote: null,
        },
      })
    expect(server.countRows()['registrations']).toBe((rowsBefore['registrations'] ?? 0) + 1)
    expect(await readSeatsLeft()).toEqual({ 'seats.scan': 0 })
  })

  test('is released when its hold ends and sold again; a retry by the first delegate gets an error, and a late payment goes to review', async () => {
    const [first] = server.rows(
      "SELECT reg_no, (SELECT order_id FROM payments p WHERE p.registration_id = r.id) AS order_id FROM registrations r WHERE answers LIKE '%scan%'",
    )
    const [regNo, orderId] = [String(first?.['reg_no']), String(first?.['order_id'])]
    server.setTime('2026-01-10T10:29:59+05:30')
    expect((await submitForm({ workshops: ['scan'] })).body.code).toBe('full')
    server.setTime('2026-01-10T10:30:00+05:30')
    expect(await readSeatsLeft()).toEqual({ 'seats.scan': 1 })
    const second = await registerDelegate({ workshops: ['scan'] })
    const retryResponse = await server.app.inject({
      method: 'POST',
      url: '/api/payment/retry/',
      payload: { order_id: regNo },
    })
    expect([retryResponse.statusCode, retryResponse.json()]).toEqual([
      409,
      expect.objectContaining({
        code: 'full',
        message: 'Scan: This workshop is full.',
        place: 'seats.scan',
        left: 0,
      }),
    ])
    expect((await markPaid(second, 'AP2')).payment.status).toBe('success')
    const amount = server.rows('SELECT amount FROM payments WHERE order_id = ?', orderId)[0]
    await server.deps.store.applyPaymentEvent(
      orderId as OrderId,
      buildSale('AP1', Number(amount?.['amount']) as never, server.now()),
      null,
    )
    expect(await readRegistration(regNo)).toMatchObject({
      payment_status: 'pending',
      stands: 'organisers',
    })
    expect(await server.deps.store.reviews('sample2026')).toMatchObject([
      { regNo, why: expect.stringContaining('after the seat was released: Scan is full') },
    ])
  })

  test('is still held for the delegate who sends the form again', async () => {
    const payload = { ...fixtureDelegate, is_member: false, workshops: ['airway'] }
    const headers = { 'idempotency-key': 'the-same' }
    const resubmitForm = () => server.app.inject({ method: 'POST', url: path, payload, headers })
    const first = (await resubmitForm()).json<RegisterResponse>()
    await registerDelegate({ workshops: ['airway'] })
    expect((await submitForm({ workshops: ['airway'] })).body.code).toBe('full')
    expect((await resubmitForm()).json()).toMatchObject({
      reg_no: first.reg_no,
      stands: 'not-paid',
    })
    // Once the hold has ended and the seat is sold, the same form gets an error instead of a success.
    server.setTime('2026-01-10T11:30:00+05:30')
    await registerDelegate({ workshops: ['airway'] })
    await registerDelegate({ workshops: ['airway'] })
    expect((await resubmitForm()).json()).toMatchObject({ code: 'full', place: 'seats.airway' })
  })
})

describe('a seat for which another category is offered', () => {
  test('is assigned while available; after that, the offer must be accepted, and the acceptance is stored', async () => {
    server.setTime('2026-01-20')
    const traineeAnswers = { is_trainee: true, workshops: ['ecg'] }
    const first = await registerDelegate(traineeAnswers)
    expect(await readRegistration(first.reg_no)).toMatchObject({ category: 'trainee', total: 295 })
    const rejection = await submitForm({ ...traineeAnswers, total_amount: '295' })
    expect(rejection).toMatchObject({
      status: 409,
      body: {
        code: 'full',
        message: 'All places for trainees are taken.',
        place: 'trainees',
        left: 0,
        quote: { category: 'non-member', total: 3933.33 },
      },
    })
    expect(rejection.body.quote?.lines.length).toBe(2)
    // A form without a category or total, or with the requested category, does not accept the offer.
    expect((await submitForm(traineeAnswers)).body.code).toBe('full')
    expect(
      (await submitForm({ ...traineeAnswers, registration_category: 'trainee' })).body.code,
    ).toBe('full')
    for (const acceptance of [
      { registration_category: 'non-member' },
      { total_amount: '3933.33' },
    ]) {
      const second = await registerDelegate({ ...traineeAnswers, ...acceptance })
      expect(await readRegistration(second.reg_no)).toMatchObject({
        category: 'non-member',
        total: 3933.33,
      })
      const registration = await server.deps.store.registration(second.reg_no)
      expect(registration?.answers['full.trainees']).toBe(true)
    }
    expect(await readSeatsLeft()).toMatchObject({ trainees: 0 })
  })
})

test('a delegate who accepts the offer once the last seat is sold is registered', async () => {
  server.setTime('2026-01-20')
  const registerSmall = (changes: object) =>
    server.app.inject({
      method: 'POST',
      url: '/api/small2026/register/',
      payload: { ...fixtureDelegate, ...changes },
    })
  // The seats are checked immediately, while the clock stands still.
  expect((await registerSmall({ is_member: false })).statusCode).toBe(201)
  expect((await registerSmall({})).statusCode).toBe(201)
  const acceptedOffer = await registerSmall({ registration_category: 'non-member' })
  expect(acceptedOffer.json()).toMatchObject({ payment_data: { amount: '3540.00' } })
  expect((await registerSmall({})).json()).toMatchObject({
    code: 'full',
    quote: { category: 'non-member' },
  })
})

describe('the office', () => {
  let office: Office
  const list = '/api/admin/sample2026/registrations/'
  const readSales = async (query = ''): Promise<SalesResponse> => {
    const list = server.deps.events.findById('sample2026')?.config.admin.lists[0]
    const response = await office.get(
      `/admin/sold/?event_id=sample2026&list_id=${list?.id}${query}`,
    )
    return response.json()
  }
  const countRegistrations = async (query: string): Promise<unknown> =>
    (await office.json(`${getListApi()}?${query}`))['count']
  const getListApi = (): string =>
    server.deps.events.findById('sample2026')?.config.admin.lists[0]?.api ?? list
  const countStored = (condition: string): number =>
    Number(
      server.rows(
        `SELECT count(*) AS n FROM registrations r WHERE event_id = 'sample2026' AND ${condition}`,
      )[0]?.['n'],
    )
  beforeAll(async () => {
    server.setTime('2026-01-21')
    office = await signIn(server)
    const [adult, child] = [
      { name: 'A Person', age: 40 },
      { name: 'A Child', age: 4 },
    ]
    const paidRegistration = await registerDelegate({
      workshops: ['ecg'],
      companions: [adult, child],
      presents: true,
    })
    await markPaid(paidRegistration, 'AP-SOLD')
    await registerDelegate({ workshops: ['ecg'], needs_room: true, nights: 2 })
  })

  test('filters by items, options and accompanying people', async () => {
    const countWithItem = (item: string) =>
      countStored(
        `EXISTS (SELECT 1 FROM bill_lines l WHERE l.registration_id = r.id AND l.bill = r.bill AND ${item})`,
      )
    expect(await countRegistrations('items.sold=workshop.ecg')).toBe(
      countWithItem("l.item = 'workshop' AND l.option = 'ecg'"),
    )
    expect(await countRegistrations('items.sold=workshop')).toBe(
      countWithItem("l.item = 'workshop'"),
    )
    expect(await countRegistrations('items.sold=presenter&date_from=2026-01-21')).toBe(1)
    expect(await countRegistrations('workshops=airway')).toBe(
      countStored("r.answers LIKE '%airway%'"),
    )
    expect(await countRegistrations('companions=true&date_from=2026-01-21')).toBe(1)
    expect(await countRegistrations('companions=false')).toBe(
      countStored('true') - Number(await countRegistrations('companions=true')),
    )
    expect(await countRegistrations('companions=true&items.sold=room&date_from=2026-01-21')).toBe(0)
    const listDescription = (
      await office.json(
        `${getListApi()}?items.sold=workshop.ecg&companions=true&date_from=2026-01-21`,
      )
    )['shown']
    expect(listDescription).toBe(
      '1 registration, Companions: yes, with Workshop: ECG, since 21 January 2026',
    )
    const csv = await office.get(`${getExportApi()}&companions=true&date_from=2026-01-21`)
    expect(csv.body.trim().split('\r\n').length).toBe(2)
  })
  test('the registration page lists by label the options that were already full', async () => {
    const { reg_no: regNo } = await registerDelegate({ workshops: ['ecg'] })
    const { answers } = (await office.get(`/admin/registrations/${regNo}/`)).json<{
      answers: readonly { readonly id: string; readonly label: string; readonly text: string }[]
    }>()
    expect(answers.filter(({ label }) => /\bfull\b|sold out/i.test(label))).toMatchObject([
      { label: 'Full Name' },
      { label: 'Sold out before this registration', text: 'Scan' },
    ])
  })
  const getExportApi = (): string =>
    server.deps.events.findById('sample2026')?.config.admin.lists[0]?.export.api ?? ''

  test.each([
    'items.sold=nothing',
    'items.sold=workshop.nothing',
    'workshops=nothing',
    'companions=2',
  ])('rejects %s as a filter', async (query) => {
    const response = await office.get(`${getListApi()}?${query}`)
    expect([response.statusCode, response.json()]).toMatchObject([400, { code: 'bad_query' }])
  })

  test("a list's sales report agrees with the bills to the paisa, and its seats with the event's", async () => {
    const allSales = await readSales()
    const [storedSums] = server.rows(
      "SELECT sum(l.total) AS lines, sum(iif(payment_status = 'success', l.total, 0)) AS paid FROM registrations r JOIN bill_lines l ON l.registration_id = r.id AND l.bill = r.bill WHERE event_id = 'sample2026'",
    )
    const addUpColumn = (sumColumn: 'total' | 'paid_total') =>
      allSales.rows.reduce((sum, row) => sum + Math.round(row[sumColumn] * 100), 0)
    expect([addUpColumn('total'), addUpColumn('paid_total')]).toEqual([
      storedSums?.['lines'],
      storedSums?.['paid'],
    ])
    expect(allSales.rows[0]?.label).toBe('Registration')
    expect(allSales.places).toContainEqual({
      id: 'seats.scan',
      label: 'Workshops: Scan',
      taken: 1,
      max: 1,
    })
    // The overview needs only the seats, so the server does not add up all bills.
    const { places } = allSales
    expect(await readSales('&as=seats')).toEqual({ status: 'success', places })
    const filteredSales = await readSales('&companions=true&date_from=2026-01-21')
    expect(
      filteredSales.rows.map(({ label, option_label, quantity, total, paid_total }) => [
        label,
        option_label,
        quantity,
        total,
        paid_total,
      ]),
    ).toEqual([
      ['Registration', null, 1, 3540, 3540],
      ['Accompanying person', null, 1, 1179.41, 1179.41],
      ['Workshop', 'ECG', 1, 393.33, 393.33],
      ['Presenter', null, 1, -590, -590],
    ])
    expect(filteredSales.people).toEqual([
      { id: 'companions', label: 'Companions', count: 2, paid: 2 },
    ])
    expect((await readSales('&search=nobody-of-this-name')).rows).toEqual([])
    expect((await office.get('/admin/sold/?event_id=sample2026&list_id=none')).statusCode).toBe(404)
  })

  test('the sales report counts seats whose hold has expired as free', async () => {
    const readTakenSeats = async () =>
      (await readSales()).places.find(({ id }) => id === 'seats.ecg')?.taken ?? 0
    const takenWithHolds = await readTakenSeats()
    server.setTime('2026-01-21T13:00:00+05:30')
    const takenBefore = await readTakenSeats()
    expect(takenBefore).toBeLessThan(takenWithHolds)
    await registerDelegate({ workshops: ['ecg'] })
    expect(await readTakenSeats()).toBe(takenBefore + 1)
    server.setTime('2026-01-21T14:00:00+05:30')
    expect(await readTakenSeats()).toBe(takenBefore)
  })
})

test('the error states which item is not on sale', async () => {
  server.setTime('2026-02-01')
  expect(await submitForm({ workshops: ['film'] })).toMatchObject({
    status: 409,
    body: { code: 'not_on_sale', message: expect.stringMatching(/^Film is not on sale/) },
  })
})

test('for any answers, a stored bill equals the bill computed again from the same version of the event file', async () => {
  const answers = fc.record({
    is_member: fc.boolean(),
    is_trainee: fc.boolean(),
    presents: fc.boolean(),
    needs_room: fc.boolean(),
    nights: fc.integer({ min: 1, max: 5 }),
    workshops: fc.constantFrom([], ['ecg']),
    companions: fc.array(
      fc.record({ name: fc.constant('Ravi'), age: fc.integer({ min: 0, max: 9 }) }),
      { maxLength: 3 },
    ),
    agreed: fc.constantFrom('non-member', 'trainee'),
    day: fc.constantFrom('2026-01-12', '2026-01-15', '2026-01-16', '2026-02-20'),
  })
  const registrations: { readonly regNo: string; readonly at: Instant }[] = []
  await fc.assert(
    fc.asyncProperty(answers, async ({ day, agreed: category, ...answers }) => {
      server.setTime(day)
      const sentAnswers = answers.is_trainee
        ? { ...answers, registration_category: category }
        : answers
      const { status, body } = await submitForm(sentAnswers)
      if (status === 201) registrations.push({ regNo: body.reg_no, at: server.now() })
      else expect(['full', 'category_changed']).toContain(body.code)
    }),
    { numRuns: chooseRuns(60) },
  )
  // Prices change, but existing bills stay unchanged.
  server.writeEvent('sample2026.yaml', createEvent('[1600, 2100]').replace('999.5', '1500'))
  await server.deps.events.reload()
  expect(registrations.length).toBeGreaterThan(chooseRuns(20))
  const { store } = server.deps
  const hash = (await store.registration(registrations[0]?.regNo ?? ''))?.eventHash ?? ''
  const version = await readVersion(store, hash)
  expect(version?.hash).not.toBe(server.deps.events.findById('sample2026')?.hash)
  for (const { regNo, at } of registrations) {
    const registration = await store.registration(regNo)
    if (registration === null || version === null)
      throw new Error(`${regNo} or its file was not found`)
    expect(registration.eventHash).toBe(hash)
    expect(quote(version.config, registration.answers, at)).toEqual({
      ok: true,
      value: {
        category: registration.category,
        period: registration.period,
        base: registration.base,
        gst: registration.gst,
        total: registration.total,
        currency: registration.currency,
        lines: registration.lines,
      },
    })
  }
})

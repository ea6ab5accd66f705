/** Staff register a delegate who pays at the front desk: registration and payment are stored together or not at all. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildFixtureEvent, APPROVAL_RULE, addMemberLetter } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn } from '../office.ts'
import type { Office } from '../office.ts'
import type { SimilarRegistrationsResponse } from '../../../../engine/api.ts'

const eventFileName = 'lekhacon2027.yaml'
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', eventFileName),
  'utf8',
)
const event = 'lekhacon2027'

const DESK_METHODS = `payment:
  methods:
    - {id: card, gateway: airpay, account: $1}
    - {id: desk, label: At the desk, office_only: true, fields: [{id: slip, label: Slip number}]}`
const GATEWAY_PATTERN = /payment: \{gateway: airpay, account: (\w+)\}/
/** An event with one seat for members. */
const FEW_SEATS_EVENT = buildFixtureEvent({
  extra: `
quotas:
  - {id: members, when: {category: member}, max: 1, full: {offer: non-member, message: No place for members is left.}}
`,
}).replace(GATEWAY_PATTERN, DESK_METHODS)
/** An event in which members' documents are checked before payment. */
const REVIEWED_EVENT = addMemberLetter(buildFixtureEvent({ extra: APPROVAL_RULE })).replace(
  GATEWAY_PATTERN,
  DESK_METHODS,
)

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [eventFileName]: eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

const buildDelegate = (name: string) => ({
  full_name: name,
  email: `${name.split(' ')[0]}@delegate.example`,
  phone_number: '9847000000',
  registered_as: 'member',
})
const buildCashPayment = (slip: string) => ({ way: 'desk', paid: { mode: 'cash', slip } })

let requestCount = 0
const addRegistration = async (name: string, payload: Readonly<Record<string, unknown>>) => {
  const headers = { authorization: `Bearer ${office.token}` }
  const body = {
    event,
    key: `click-of-the-desk-${++requestCount}`,
    answers: buildDelegate(name),
    ...payload,
  }
  const response = await server.app.inject({
    method: 'POST',
    url: '/admin/add/',
    headers,
    payload: body,
  })
  return { status: response.statusCode, body: response.json<Readonly<Record<string, unknown>>>() }
}
const findByName = async (name: string) =>
  (await server.deps.store.listPage({ eventId: event, answers: {} }, 1, 100)).rows.filter(
    ({ answers }) => answers['full_name'] === name,
  )

test('a slip number that is already recorded is rejected; with a corrected number, one paid registration is created', async () => {
  const firstResponse = await addRegistration('Anu Joseph', buildCashPayment('C-001'))
  expect(firstResponse, JSON.stringify(firstResponse.body)).toMatchObject({
    status: 201,
    body: { state: 'complete' },
  })
  const rejection = await addRegistration('Binu Thomas', buildCashPayment('C-001'))
  expect(rejection).toMatchObject({
    status: 409,
    body: {
      code: 'taken',
      message: `C-001 is already recorded: it is the payment of ${String(firstResponse.body['reg_no'])}. Nothing was registered.`,
      errors: { slip: expect.stringContaining('C-001 is already recorded') },
    },
  })
  expect(await findByName('Binu Thomas')).toEqual([])
  const correctedResponse = await addRegistration('Binu Thomas', buildCashPayment('C-002'))
  expect(correctedResponse).toMatchObject({ status: 201, body: { state: 'complete' } })
  const [foundRow, ...otherRows] = await findByName('Binu Thomas')
  expect([foundRow?.paymentStatus, otherRows]).toEqual(['success', []])
})

test('a delegate who pays at the front desk receives a confirmation, and the same text if it is resent', async () => {
  const { body } = await addRegistration('Divya Menon', buildCashPayment('C-010'))
  const regNo = String(body['reg_no'])
  expect((await office.act(regNo, { act: 'resend', why: '' })).status).toBe(200)
  const storedRegistration = await server.deps.store.registration(regNo as never)
  const [resentEmail, firstEmail, ...otherEmails] = await server.deps.store.emailsOfRegistration(
    storedRegistration?.regNo as never,
  )
  expect(otherEmails).toEqual([])
  expect(firstEmail?.text).toContain(regNo)
  expect([resentEmail?.to, resentEmail?.subject, resentEmail?.text]).toEqual([
    firstEmail?.to,
    firstEmail?.subject,
    firstEmail?.text,
  ])
})

test('two concurrent requests with the same slip number create one registration', async () => {
  const responses = await Promise.all([
    addRegistration('Esha Pillai', buildCashPayment('C-020')),
    addRegistration('Farid Khan', buildCashPayment('C-020')),
  ])
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409])
  expect([...(await findByName('Esha Pillai')), ...(await findByName('Farid Khan'))]).toHaveLength(
    1,
  )
})

test('a repeated click returns the first registration; a click with a different slip number is rejected', async () => {
  const key = 'a-click-without-an-answer'
  const firstResponse = await addRegistration('Gita Rao', { ...buildCashPayment('C-030'), key })
  expect(await addRegistration('Gita Rao', { ...buildCashPayment('C-030'), key })).toEqual(
    firstResponse,
  )
  expect(await addRegistration('Gita Rao', { ...buildCashPayment('C-031'), key })).toMatchObject({
    status: 409,
    body: { code: 'idempotency_key_reused', message: expect.stringContaining('Check the list') },
  })
  expect(await findByName('Gita Rao')).toHaveLength(1)
})

test('a delegate whose registration needs approval before payment cannot be registered with a payment', async () => {
  const reviewServer = await startTestApp({
    clock: '2026-01-30T16:00:00+05:30',
    events: { 'sample2026.yaml': REVIEWED_EVENT },
  })
  try {
    const headers = { authorization: `Bearer ${(await signIn(reviewServer)).token}` }
    const answers = { ...buildDelegate('Hari Das'), is_member: 'true' }
    const body = { event: 'sample2026', key: 'first-click', answers }
    const url = '/admin/add/'
    const paidBody = { ...body, way: 'desk', paid: { slip: '1' } }
    const rejection = await reviewServer.app.inject({
      method: 'POST',
      url,
      headers,
      payload: paidBody,
    })
    expect([rejection.statusCode, rejection.json<{ message: string }>().message]).toEqual([
      409,
      'This registration needs approval before payment. Choose “Pay later (send link)”. Nothing was registered.',
    ])
    const payLaterResponse = await reviewServer.app.inject({
      method: 'POST',
      url,
      headers,
      payload: body,
    })
    expect(payLaterResponse.json()).toMatchObject({ status: 'success', state: 'to_approve' })
    const query = { eventId: 'sample2026', answers: {} }
    expect((await reviewServer.deps.store.listPage(query, 1, 10)).count).toBe(1)
  } finally {
    await reviewServer.close()
  }
})

test('staff see that a workshop is full before they take a payment, and no delegate is registered', async () => {
  const url = `/admin/add/?event=${event}`
  const readSeatsLeft = async () => (await office.json(url))['left'] as unknown
  expect(await readSeatsLeft()).toEqual({})
  const buildAnswers = (name: string) => ({ ...buildDelegate(name), workshop: 'records' })
  for (const [name, slip] of [
    ['Indu Nair', 'C-040'],
    ['Jaya Nair', 'C-041'],
  ] as const)
    expect(
      await addRegistration(name, { ...buildCashPayment(slip), answers: buildAnswers(name) }),
    ).toMatchObject({
      status: 201,
    })
  expect(await readSeatsLeft()).toEqual({ 'workshop-seats.records': 0 })
  const rejection = await addRegistration('Kiran Nair', {
    ...buildCashPayment('C-042'),
    answers: buildAnswers('Kiran Nair'),
  })
  expect(rejection).toMatchObject({
    status: 409,
    body: { code: 'full', place: 'workshop-seats.records' },
  })
  expect(await findByName('Kiran Nair')).toEqual([])
  expect(await addRegistration('Kiran Nair', buildCashPayment('C-042'))).toMatchObject({
    status: 201,
  })
})

test('a category offered in place of a full one is paid at its own price, after staff confirm', async () => {
  const smallServer = await startTestApp({
    clock: '2026-01-30T16:00:00+05:30',
    events: { 'sample2026.yaml': FEW_SEATS_EVENT },
  })
  try {
    const headers = { authorization: `Bearer ${(await signIn(smallServer)).token}` }
    let attemptCount = 0
    const send = async (slip: string, otherAnswers: Readonly<Record<string, unknown>> = {}) => {
      const answers = { ...buildDelegate(`Member ${slip}`), is_member: 'true', ...otherAnswers }
      const key = `a-click-of-${++attemptCount}`
      const payload = { event: 'sample2026', key, answers, way: 'desk', paid: { slip } }
      return smallServer.app.inject({ method: 'POST', url: '/admin/add/', headers, payload })
    }
    expect((await send('1')).statusCode).toBe(201)
    expect((await send('2')).json()).toMatchObject({ code: 'full', place: 'members' })
    const confirmResponse = await send('2', { registration_category: 'non-member' })
    expect(confirmResponse.json()).toMatchObject({ status: 'success', state: 'complete' })
    const registration = await smallServer.deps.store.registration(
      confirmResponse.json<{ reg_no: string }>().reg_no,
    )
    expect(registration).toMatchObject({ category: 'non-member', paymentStatus: 'success' })
  } finally {
    await smallServer.close()
  }
})

test('cash from a walk-in delegate can be recorded even if the event file defines no front desk method', async () => {
  const cardServer = await startTestApp({
    clock: '2026-01-30T16:00:00+05:30',
    events: { 'sample2026.yaml': buildFixtureEvent() },
  })
  try {
    const cardOffice = await signIn(cardServer)
    const form = (await cardOffice.json('/admin/add/?event=sample2026')) as unknown as {
      ways: { id: string; label: string; asks: { id: string; required: boolean }[] }[]
    }
    expect(form.ways.map(({ id, label }) => [id, label])).toEqual([
      ['cash', 'Cash'],
      ['machine', 'Card machine'],
    ])
    expect(form.ways[0]?.asks).toMatchObject([{ id: 'slip', required: false }])
    const payload = {
      event: 'sample2026',
      key: 'walk-in-with-cash',
      answers: buildDelegate('Lata Nair'),
      way: 'cash',
      paid: {},
    }
    const headers = { authorization: `Bearer ${cardOffice.token}` }
    const url = '/admin/add/'
    const addResponse = await cardServer.app.inject({ method: 'POST', url, headers, payload })
    expect(addResponse.json()).toMatchObject({ status: 'success', state: 'complete' })
    const regNo = addResponse.json<{ reg_no: string }>().reg_no
    const trail = (await cardOffice.json(`/admin/registrations/${regNo}/acts/`))['trail']
    expect(trail).toContainEqual(
      expect.objectContaining({ text: expect.stringMatching(/^Payment recorded: .* in cash, /) }),
    )
    // A registration's page shows the balance, and accepts cash without a slip number.
    const payLaterBody = {
      event: 'sample2026',
      key: 'pays-later',
      answers: buildDelegate('Mala Nair'),
    }
    const unpaidResponse = await cardServer.app.inject({
      method: 'POST',
      url,
      headers,
      payload: payLaterBody,
    })
    const unpaidNo = unpaidResponse.json<{ reg_no: string }>().reg_no
    const readActions = () => cardOffice.json(`/admin/registrations/${unpaidNo}/acts/`)
    const { to_pay: toPay } = await readActions()
    expect([toPay, (await readActions())['kept']]).toEqual([3540, 0])
    const cash = { why: '', way: 'cash', reference: '', amount: String(toPay), day: '' }
    expect(await cardOffice.act(unpaidNo, { act: 'confirm', ...cash })).toMatchObject({
      status: 200,
      body: { state: 'complete' },
    })
    expect(await readActions()).toMatchObject({ to_pay: 0, kept: 3540 })
    // A second payment by the same person has a different slip number.
    const extraPayment = { act: 'came_again', ...cash }
    expect(await cardOffice.act(unpaidNo, extraPayment)).toMatchObject({ status: 200 })
    expect((await readActions())['reviews']).toMatchObject([
      { came: { reference: `${unpaidNo}-2` } },
    ])
    const transfer = { act: 'came_again', ...cash, way: 'transfer' }
    expect(await cardOffice.act(unpaidNo, transfer)).toMatchObject({ status: 422 })
  } finally {
    await cardServer.close()
  }
})

test.each([
  [
    'a payment under `method` instead of `way`',
    { method: 'desk', paid: { mode: 'cash', slip: 'C-900' } },
    'State the payment method in “way”, not in “method”: desk.',
  ],
  [
    'another method under `method` than under `way`',
    { ...buildCashPayment('C-901'), method: 'card' },
    'State the payment method in “way”, not in “method”: desk.',
  ],
  [
    'a payment without a payment method',
    { paid: { mode: 'cash', slip: 'C-902' } },
    'Choose a payment method for the payment details, or remove them.',
  ],
])('a request with %s is refused, not added as unpaid', async (name, payload, message) => {
  const response = await addRegistration(`Desk ${name.length}`, payload)
  expect(response).toMatchObject({ status: 422, body: { errors: { way: message } } })
  expect(await findByName(`Desk ${name.length}`)).toEqual([])
})

test('a registration without a payment method and with empty payment details is added as unpaid', async () => {
  const response = await addRegistration('Latha Menon', { way: '', paid: { slip: '' }, method: '' })
  expect(response).toMatchObject({ status: 201, body: { state: 'to_pay' } })
})

test('front desk staff see a warning if a person is already registered', async () => {
  const { body } = await addRegistration('Manoj Varma', buildCashPayment('C-060'))
  const regNo = String(body['reg_no'])
  const findSimilar = async (answers: Readonly<Record<string, unknown>>) => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/admin/add/similar/',
      headers: { authorization: `Bearer ${office.token}` },
      payload: { event, answers },
    })
    return response.json<SimilarRegistrationsResponse>().similar
  }
  const knownPerson = { reg_no: regNo, name: 'Manoj Varma', payment_status: 'success' }
  expect(await findSimilar({ full_name: 'Dr. Varma Manoj' })).toMatchObject([
    { ...knownPerson, matches: ['name'] },
  ])
  expect(
    await findSimilar({ full_name: 'M. Varma', email: 'MANOJ@delegate.example' }),
  ).toMatchObject([{ ...knownPerson, matches: ['email'] }])
  // All people in this file have the same phone number.
  const samePhone = await findSimilar({ phone_number: '+91 98470 00000' })
  expect(samePhone.length).toBeGreaterThan(1)
  expect(samePhone.every(({ matches }) => matches.join() === 'phone')).toBe(true)
  for (const answers of [{}, { full_name: 'Varma' }, { full_name: 'Other Person', email: 'manoj' }])
    expect(await findSimilar(answers)).toEqual([])
})

test.each([
  ['1', 409, 'price_changed'],
  [1, 409, 'price_changed'],
  ['abc', 422, 'invalid_answers'],
  [true, 422, 'bad_data'],
])(
  'nothing is recorded if the page showed %j as the total, which is not the price',
  async (total, status, code) => {
    const name = `Shown ${String(total)} ${typeof total}`
    const response = await addRegistration(name, { ...buildCashPayment('C-090'), total })
    expect([response.status, response.body['code']]).toEqual([status, code])
    expect(await findByName(name)).toEqual([])
  },
)

test('a total sent as text is compared as an amount', async () => {
  const response = await addRegistration('Text Total', {
    ...buildCashPayment('C-091'),
    total: '4720.00',
  })
  expect(response).toMatchObject({ status: 201, body: { state: 'complete' } })
})

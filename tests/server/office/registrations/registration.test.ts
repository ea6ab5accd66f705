/** The office page for one registration: its data, files, payments under review, and emails. */
import { parse } from 'csv-parse/sync'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  ActionsResponse,
  ListResponse,
  OfficeRegistrationResponse,
} from '../../../../engine/api.ts'
import { readImportText } from '../../cli/import-text.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, toNoon, buildRegNo, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'

let server: TestApp
let office: Office
const EVENT = 'afpicon2026'
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')

beforeAll(async () => {
  server = await startTestApp({ clock: '2025-10-10T16:00:00+05:30' })
  office = await signIn(server)
})
afterAll(() => server.close())

const openRegistration = async (regNo: string): Promise<OfficeRegistrationResponse> =>
  (await office.json(`/admin/registrations/${regNo}/`)) as unknown as OfficeRegistrationResponse
const buildAnswers = (n: number) => ({
  full_name: `Delegate ${n}`,
  email: `delegate${n}@example.org`,
  phone_number: '+919876500000',
  ticket_type: 'afpi-gp-specialist',
  afpi_member: true,
  afpi_membership_number: 'EXAMPLE-1',
})

test('shows all data of a registration and logs that it was opened', async () => {
  const regNo = await register(server, EVENT, {
    n: 1,
    on: toNoon('2025-10-10'),
    answers: buildAnswers(1),
    pays: 'success',
    mail: { to: 'delegate1@example.org', copyTo: null, subject: 'Confirmed', text: 'Yes.' },
  })
  const response = await openRegistration(regNo)
  expect(response.registration).toMatchObject({
    reg_no: regNo,
    payment_status: 'success',
    payment_status_display: 'Paid',
    payment_id: 'REF1',
    total: 7080,
    period_display: expect.any(String),
  })
  expect(response.answers.map(({ id, text }) => [id, text])).toEqual(
    [
      ['full_name', 'Delegate 1'],
      ['email', 'delegate1@example.org'],
      ['phone_number', '+919876500000'],
      ['afpi_member', 'Yes'],
      ['afpi_membership_number', 'EXAMPLE-1'],
      ['ticket_type', 'AFPI Member – GP / Specialist'],
    ].toSorted(([a = ''], [b = '']) => findFieldIndex(a) - findFieldIndex(b)),
  )
  expect(response.payments).toEqual([
    {
      order_id: regNo,
      amount: 7080,
      status: 'success',
      review: null,
      reference: 'REF1',
      created_at: '2025-10-10T12:00:00+05:30',
      asked: 'Sent to the payment gateway.',
      facts: [
        {
          at: '2025-10-10T12:01:00+05:30',
          type: 'confirmed',
          text: 'The gateway confirmed ₹\u00a07,080, reference REF1.',
        },
      ],
    },
  ])
  expect(response.mails).toMatchObject([
    { to: 'delegate1@example.org', subject: 'Confirmed', status: 'queued' },
  ])
  expect(response.audit[0]).toEqual({
    at: '2025-10-10T16:00:00+05:30',
    who: 'office',
    what: 'opened the registration',
    is_access: true,
  })
  expect(response.audit.at(-1)).toMatchObject({
    who: 'delegate',
    what: 'registered',
    is_access: false,
  })
  expect(response.event).toEqual({ id: EVENT, title: 'AFPICON 2026', route: '/admin/afpicon' })

  // Viewing the documents is not listed as a change.
  await office.json(`/admin/registrations/${regNo}/documents/`)
  expect((await openRegistration(regNo)).audit).toContainEqual(
    expect.objectContaining({ what: 'viewed the documents', is_access: true }),
  )
})

test('an answer that another user has corrected in the meantime is not overwritten', async () => {
  const regNo = await register(server, EVENT, {
    n: 42,
    on: toNoon('2025-10-10'),
    answers: buildAnswers(2),
    pays: 'success',
  })
  const shownAnswers = { email: 'delegate2@example.org', full_name: 'Delegate 2' }
  const [firstChange, secondChange] = [
    { email: 'first@example.org' },
    { email: 'second@example.org' },
  ]
  const correct = (answers: object, seenAnswers: object) =>
    office.act(regNo, { act: 'correct', why: 'By phone.', answers, seen: seenAnswers })
  expect((await correct(firstChange, shownAnswers)).status).toBe(200)
  expect(await correct(secondChange, shownAnswers)).toMatchObject({
    status: 409,
    body: {
      code: 'moved_on',
      message:
        'Email Address has changed since you opened it. It is now “first@example.org”. Nothing was saved.',
    },
  })
  expect((await openRegistration(regNo)).contact.email).toBe('first@example.org')
  expect((await correct(secondChange, firstChange)).status).toBe(200)
})

test('shows other registrations with the same email address, however it is written', async () => {
  const email = 'twice@example.org'
  const registrations = [email, 'Twice@Example.Org', `not-${email}`].map((address, index) =>
    register(server, EVENT, {
      n: 20 + index,
      on: toNoon('2025-10-10'),
      answers: { ...buildAnswers(20 + index), email: address },
      pays: 'success',
    }),
  )
  const [firstRegNo = '', secondRegNo = ''] = await Promise.all(registrations)
  expect((await openRegistration(firstRegNo)).same_email).toEqual([
    { reg_no: secondRegNo, payment_status_display: 'Paid' },
  ])
})

const findFieldIndex = (id: string): number =>
  server.deps.events.findById(EVENT)?.config.fields.findIndex((field) => field.id === id) ?? -1

test('describes a payment that does not match', async () => {
  const regNo = await register(server, EVENT, {
    n: 2,
    on: toNoon('2025-10-10'),
    answers: buildAnswers(2),
    pays: 'wrong-amount',
  })
  const response = await openRegistration(regNo)
  expect(response.registration).toMatchObject({
    in_review: true,
    payment_status_display: 'Needs review',
  })
  expect(response.payments[0]?.review).not.toBeNull()
  expect(response.payments[0]?.facts[0]?.text).toBe(
    'The gateway confirmed ₹\u00a01 instead of ₹\u00a07,080, reference REF2.',
  )
})

test('the CSV does not state only "Paid" for a registration with a second payment', async () => {
  const at = toNoon('2025-10-10')
  const registrations = [3, 4].map((n) =>
    register(server, EVENT, { n, on: at, answers: buildAnswers(n), pays: 'success' }),
  )
  const [regNo = ''] = await Promise.all(registrations)
  const payment = await server.deps.store.payment(regNo)
  if (payment === null) throw new Error('the registration has no payment')
  const { orderId, amount } = payment
  await server.deps.store.applyPaymentEvent(
    orderId,
    { type: 'confirmed', reference: 'SECOND', amount, currency: 'INR', kind: 'sale', at },
    null,
  )
  const lines = (await office.get('/afpicon/download-csv/')).body.split('\r\n')
  const readStatus = (name: string): readonly string[] =>
    ['Paid, in review', 'Paid'].filter((status) =>
      lines.find((line) => line.includes(name))?.includes(status),
    )
  expect(readStatus('Delegate 3')).toEqual(['Paid, in review', 'Paid'])
  expect(readStatus('Delegate 4')).toEqual(['Paid'])
})

test('the list, the CSV and Excel state the amount due of a paid registration after a correction', async () => {
  const regNo = await register(server, EVENT, {
    n: 75,
    on: toNoon('2025-10-10'),
    answers: buildAnswers(75),
    pays: 'success',
  })
  const corrected = await office.act(regNo, {
    act: 'correct',
    why: 'Not a member.',
    answers: { ticket_type: 'non-afpi-gp-specialist' },
    total: 8260,
  })
  expect(corrected, JSON.stringify(corrected.body)).toMatchObject({ status: 200 })
  const { registrations } = (await office.json(
    '/afpicon/admin/registrations/?search=Delegate%2075&rows=listed',
  )) as unknown as ListResponse
  // The specification's name of the state does not change. The list shows the amount due next to it.
  expect(registrations).toMatchObject([{ payment_status_display: 'Paid', 'money.owed': 1180 }])
  const csv = (await office.get('/afpicon/download-csv/?search=Delegate%2075')).body
  const [row] = parse(csv, { bom: true, columns: true }) as Record<string, string>[]
  expect(row).toMatchObject({ 'Payment Status': 'Paid, ₹\u00a01,180 due', 'Amount due': '1180.00' })
  // Imported elsewhere, the row does not become a fully paid registration.
  const event = server.deps.events.findById(EVENT)?.config
  const imported = event === undefined ? null : readImportText(event, 'hash', csv)
  expect(imported).toMatchObject({
    ok: false,
    error: [{ message: expect.stringContaining('means that an amount is due. Write pending') }],
  })
  const excel = await office.get('/afpicon/download-csv/?search=Delegate%2075&as=xlsx')
  const strings = unzipSync(excel.rawPayload)['xl/sharedStrings.xml'] ?? new Uint8Array()
  expect(strFromU8(strings)).toContain('Paid, ₹\u00a01,180 due')
})

test('a cancellation is rejected with the new amount if a payment arrives after the dialog is opened, and is then accepted', async () => {
  const regNo = await register(server, EVENT, {
    n: 70,
    on: toNoon('2025-10-10'),
    answers: buildAnswers(70),
  })
  const readActions = () => office.json(actionsUrl(regNo))
  const { kept } = await readActions()
  const confirmAction = { act: 'confirm', way: 'transfer', reference: 'HDFCN52025101001' }
  const confirmResponse = await office.act(regNo, {
    ...confirmAction,
    amount: 7080,
    day: '2025-10-10',
  })
  expect(confirmResponse).toMatchObject({ status: 200 })
  const body = { act: 'cancel', why: 'Never paid.', pay_back: 0, kept }
  expect(await office.act(regNo, { ...body, kept: 'all' })).toMatchObject({ status: 422 })
  expect(await office.act(regNo, body)).toMatchObject({
    status: 409,
    body: {
      code: 'not_now',
      message:
        'The payments or refunds have changed: ₹\u00a07,080 can still be refunded. The registration was not cancelled. Check it again.',
    },
  })
  expect(await readActions()).toMatchObject({ state: 'complete', kept: 7080 })
  const shownAmounts = { ...body, kept: 7080, pay_back: 7080 }
  expect(await office.act(regNo, shownAmounts)).toMatchObject({
    status: 200,
    body: { state: 'cancelled' },
  })
  expect(await readActions()).toMatchObject({ pay_back: 7080 })
})

test('reports an unknown registration number', async () => {
  const response = await office.get('/admin/registrations/AFPI0000000000000/')
  expect(response.statusCode).toBe(404)
  expect(response.json()).toMatchObject({
    status: 'error',
    code: 'not_found',
    message: 'No registration has this number.',
  })
})

describe('an uploaded document', () => {
  test('is sent as an attachment under its own name, and opening it is logged', async () => {
    const { afpi_member: _, afpi_membership_number: __, ...answers } = buildAnswers(3)
    const registerResponse = await server.post(
      '/api/afpicon/register/',
      { ...answers, ticket_type: 'non-afpi-pg' },
      { pg_proof: { name: 'proof ü.pdf', bytes: PDF } },
    )
    expect(registerResponse.statusCode, registerResponse.body).toBe(201)
    const regNo = registerResponse.json<{ reg_no: string }>().reg_no
    const { answers: shownAnswers } = await openRegistration(regNo)
    const { href } = shownAnswers.find(({ id }) => id === 'pg_proof') ?? {}
    expect(href).toBe(`/admin/registrations/${regNo}/files/pg_proof/`)
    const file = await office.get(String(href))
    expect(file.statusCode).toBe(200)
    expect(file.rawPayload.equals(PDF)).toBe(true)
    expect(file.headers['content-type']).toBe('application/pdf')
    expect(file.headers['content-disposition']).toMatch(
      /^attachment; filename="[^"]+\.pdf"; filename\*=UTF-8''/,
    )
    expect(file.headers['x-content-type-options']).toBe('nosniff')
    expect(file.headers['content-security-policy']).toBe("default-src 'none'; sandbox")
    expect((await server.app.inject({ url: String(href) })).statusCode).toBe(401)
    expect((await office.get(`/admin/registrations/${regNo}/files/full_name/`)).statusCode).toBe(
      404,
    )
    expect((await openRegistration(regNo)).audit.map(({ what }) => what)).toContain(
      'opened the file pg_proof',
    )
  })
})

const readActions = async (regNo: string): Promise<ActionsResponse> =>
  (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse

test('includes contact details and payments under review', async () => {
  const regNo = await register(server, EVENT, {
    n: 7,
    on: toNoon('2025-10-10'),
    answers: buildAnswers(7),
    pays: 'wrong-amount',
  })
  expect((await openRegistration(regNo)).contact).toEqual({
    email: 'delegate7@example.org',
    phone: '+919876500000',
  })
  const { reviews, allowed } = await readActions(regNo)
  expect(reviews).toMatchObject([{ due: 7080, came: { amount: 1, reference: 'REF7' } }])
  expect(reviews[0]?.decisions).toEqual(expect.arrayContaining(['accept', 'dismiss']))
  expect(allowed).toEqual(expect.arrayContaining(['accept', 'dismiss']))
  const otherRegNo = await register(server, EVENT, {
    n: 8,
    on: toNoon('2025-10-10'),
    answers: buildAnswers(8),
  })
  expect((await readActions(otherRegNo)).reviews).toEqual([])
})

describe('resending the confirmation', () => {
  const resend = (regNo: string) => office.act(regNo, { act: 'resend' })

  test('sends one email per click, and logs it', async () => {
    const regNo = await register(server, EVENT, {
      n: 5,
      on: toNoon('2025-10-10'),
      answers: buildAnswers(5),
      pays: 'success',
    })
    const response = await resend(regNo)
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({
      status: 'success',
      message: 'Email sent to delegate5@example.org.',
    })
    const { mails } = await openRegistration(regNo)
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({ to: 'delegate5@example.org', status: 'queued' })
    const { trail: history } = await readActions(regNo)
    expect(history.map(({ act, who }) => [act, who])).toEqual([['resend', 'office']])
  })

  test('is rejected before the payment is confirmed', async () => {
    const regNo = await register(server, EVENT, {
      n: 6,
      on: toNoon('2025-10-10'),
      answers: buildAnswers(6),
    })
    const response = await resend(regNo)
    expect(response.status).toBe(409)
    expect(response.body).toMatchObject({ code: 'not_now' })
    expect((await openRegistration(regNo)).mails).toEqual([])
  })

  test('is rejected for an unknown number', async () =>
    expect((await resend(buildRegNo(server, EVENT, 999))).status).toBe(404))
})

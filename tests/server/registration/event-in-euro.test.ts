/** An event in euros with payments by transfer and at the front desk, from the form to the refund. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { signIn } from '../office/office.ts'

const EVENT = `format: 1
currency: EUR
event:
  id: euro2027
  title: Sample Congress
  from: 2027-02-19
  to: 2027-02-20
  venue: Sample Hall
  status: open
  support: desk@sample.example
registration: {closes: 2027-02-05}
routes: {form: /euro2027, success: /euro2027/registered, failed: /euro2027/not-paid}
categories:
  - {id: member, label: Member}
category: {chosen_in: registered_as}
fees:
  tax: {name: VAT, percent: 19, prices: inclusive}
  periods: [{id: early, to: 2027-01-15}, {id: regular, from: 2027-01-16}]
  prices: {period: [early, regular], member: [150, 199.5]}
order_id: {prefix: EURO, followed_by: digits}
payment:
  methods:
    - id: transfer
      label: Bank transfer
      until: 2027-02-05
      instructions: |
        Sample Congress, account DE02120300000000202051
      fields:
        - {id: reference, label: Transfer reference, format: utr, unique: true, required: true}
      price_date: registration
      expires_after: 10 days
    - id: desk
      label: At the desk
      office_only: true
      fields: [{id: slip, label: Slip number, required: true}]
form:
  sections:
    - title: About you
      fields:
        - {id: full_name, label: Full name, required: true}
        - {id: email, type: email, label: Email, required: true}
        - {id: registered_as, type: select, as: radio, label: Registering as, options: categories, required: true}
  summary: {lines: [category, base, gst, total]}
results:
  success: {title: You are registered, details: [reg_no, full_name, total]}
  failed: {title: Payment not completed, details: [order_id]}
cancellation:
  steps: [{until: 2027-02-10, refund: 50%, charge: 25}, {otherwise: none}]
email:
  subject: "Sample Congress: {reg_no}"
  text: |
    Dear {full_name}, we have received {total}.
admin:
  lists:
    - {id: euro2027, title: Registrations, route: /admin/euro2027, filters: [search], columns: [reg_no, full_name, total]}
examples:
  delegate: {full_name: Asha Sample, email: asha@delegate.example, registered_as: member}
  cases:
    - {name: Early, on: 2027-01-10, expect: {total: 150}}
    - {name: Regular, on: 2027-01-20, expect: {total: 199.5}}
`

const delegate = {
  full_name: 'Asha Sample',
  email: 'asha@delegate.example',
  registered_as: 'member',
  way: 'transfer',
}
const replaceSpaces = (text: string | undefined): string => (text ?? '').replaceAll('\u00a0', ' ')

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-20', events: { 'euro2027.yaml': EVENT } })
})
afterAll(() => server.close())

async function register(): Promise<{ readonly regNo: string; readonly page: string }> {
  const response = await server.post('/api/euro2027/register/', delegate)
  expect(response.statusCode).toBe(201)
  const { reg_no: regNo, page } = response.json<{ reg_no: string; page: string }>()
  return { regNo, page }
}
const readEmails = async (regNo: string) => {
  const registration = await server.deps.store.registration(regNo)
  return registration === null ? [] : server.deps.store.emailsOfRegistration(registration.regNo)
}

test('a delegate pays in euros by transfer, the payment is matched in a statement in euros, and half of it is refunded', async () => {
  const { regNo, page } = await register()
  const readPage = async () =>
    (await server.app.inject({ method: 'GET', url: `/api${page}/` })).json<{
      registration: Record<string, unknown>
      paying: Record<string, unknown> | null
      documents: readonly Record<string, unknown>[]
    }>()
  const unpaidPage = await readPage()
  expect(unpaidPage.registration).toMatchObject({
    total: 199.5,
    currency: 'EUR',
    difference_due: 0,
  })
  expect(unpaidPage.paying).toMatchObject({ total: 199.5, upi: null })
  expect(replaceSpaces((await readEmails(regNo))[0]?.text)).toContain('€ 199.50')

  const office = await signIn(server)
  const statement = [
    'Date,Description,Reference,Credit,Currency',
    `20/01/2027,Transfer ${regNo},SEPA2027012000001,"199,50",EUR`,
    '20/01/2027,Transfer of another account,SEPA2027012000002,"1.500,00",USD',
  ].join('\n')
  const statementResponse = await server.app.inject({
    method: 'POST',
    url: '/admin/reconcile/?event=euro2027',
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: statement,
  })
  expect(statementResponse.json()).toMatchObject({
    lines: [{ as: 'matched', amount: 199.5, currency: 'EUR', of: [{ reg_no: regNo, due: 199.5 }] }],
    unread: [3],
  })

  const confirmResponse = await office.act(regNo, {
    act: 'confirm',
    way: 'transfer',
    reference: 'SEPA2027012000001',
    amount: '199.50',
    day: '2027-01-20',
  })
  expect(confirmResponse).toMatchObject({ status: 200, body: { state: 'complete' } })
  expect(replaceSpaces((await readEmails(regNo)).map(({ text }) => text).join())).toContain(
    'we have received € 199.50',
  )
  const [receipt] = (await readPage()).documents
  expect(receipt).toMatchObject({ kind: 'receipt', total: 199.5, currency: 'EUR' })
  const registration = await server.deps.store.registration(regNo)
  const body = await server.deps.store.document(
    registration?.regNo ?? ('' as never),
    Number(receipt?.['id']),
  )
  expect(body).toMatchObject({
    currency: 'EUR',
    inWords: 'One hundred ninety-nine euros and 50/100 only',
  })

  const cancelResponse = await office.act(regNo, {
    act: 'cancel',
    why: 'Requested by the delegate',
    pay_back: '74.75',
    kept: '199.5',
  })
  expect(cancelResponse.status).toBe(200)
  expect(replaceSpaces(cancelResponse.body.message)).toBe(
    'Registration cancelled. To refund: € 74.75.',
  )
})

test('euros are never added to rupees: the dashboard shows them separately', async () => {
  const { regNo } = await register()
  const office = await signIn(server)
  const confirmation = {
    act: 'confirm',
    way: 'transfer',
    reference: 'SEPA2027012000009',
    amount: '199.50',
  }
  expect((await office.act(regNo, confirmation)).status).toBe(200)
  const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as {
    data: Record<string, unknown>
  }
  expect(data['revenue_stats']).toMatchObject({
    total_revenue: 0,
    other_currencies: [{ currency: 'EUR' }],
  })
  expect(data['euro2027_stats']).toMatchObject({ currency: 'EUR' })
})

test('an amount with more decimal places than the currency has is rejected with a specific message', async () => {
  const { regNo } = await register()
  const office = await signIn(server)
  const confirmation = {
    act: 'confirm',
    way: 'transfer',
    reference: 'SEPA2027012000011',
    amount: '199.505',
  }
  expect(await office.act(regNo, confirmation)).toMatchObject({
    status: 422,
    body: { message: 'Enter the amount in EUR, such as 985 or 985.50.' },
  })
})

test('an Excel export of the list states the currency of the amounts, which have the decimal places of that currency', async () => {
  await register()
  const office = await signIn(server)
  const csv = (await office.get('/admin/export/?event_type=euro2027&list_id=euro2027')).body
  expect(csv.split('\r\n')[0]).toContain('Total Amount (EUR)')
  expect(csv).toContain(',199.50')
})

test('staff can send a delegate who pays by transfer the payment instructions', async () => {
  const { regNo } = await register()
  const office = await signIn(server)
  expect((await office.act(regNo, { act: 'send_pay_link' })).status).toBe(200)
  expect(replaceSpaces((await readEmails(regNo)).map(({ text }) => text).join())).toContain(
    '€ 199.50',
  )
})

test('if two users send a reminder at the same time, the delegate gets one email', async () => {
  const { regNo } = await register()
  const sendReminder = async (token: string): Promise<string> => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/admin/registrations/bulk/',
      headers: { authorization: `Bearer ${token}` },
      payload: { act: 'send_pay_link', reg_nos: [regNo] },
    })
    return response.body
  }
  const [first, second] = [await signIn(server), await signIn(server)]
  const emailCount = (await readEmails(regNo)).length
  const reminderResponses = await Promise.all([
    sendReminder(first.token),
    sendReminder(second.token),
  ])
  expect(reminderResponses.filter((text) => text.includes('No email was sent.'))).toHaveLength(1)
  expect(JSON.parse(await sendReminder(first.token))).toMatchObject({
    refused: [{ message: expect.stringContaining('No email was sent.'), is_reminded: true }],
  })
  expect(await readEmails(regNo)).toHaveLength(emailCount + 1)
})

test('without a category column in the event file, the list shows the category, and the tax has the name from the event file', async () => {
  const { regNo } = await register()
  const office = await signIn(server)
  const list = await office.json('/admin/euro2027/registrations/?rows=listed')
  expect(list['registrations']?.[0]).toMatchObject({ category_display: 'Member' })
  expect(await office.json(`/admin/registrations/${regNo}/`)).toMatchObject({ tax_name: 'VAT' })
})

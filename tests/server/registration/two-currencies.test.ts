/** An event whose foreign delegates pay in dollars: each bill has one currency, and no total mixes currencies. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { INR, findInvoiceErrors, readCurrency, toAmount } from '../../../engine/index.ts'
import type { SalesResponse } from '../../../engine/index.ts'
import { formatDocument } from '../../../server/documents/document-contents.ts'
import { generateEmail } from '../../../server/mail/generate-email.ts'
import { collectTicket } from '../../../server/mail/ticket-contents.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { signIn } from '../office/office.ts'
import { addInvoices, addOfficeList } from '../small-event.ts'

const FILE = join(import.meta.dirname, '..', '..', 'events', 'dunecon2027.yaml')
const EVENT = addOfficeList(addInvoices(readFileSync(FILE, 'utf8')), 'dunecon2027')
const delegate = {
  full_name: 'Asha Sample',
  email: 'asha@delegate.example',
  phone_number: '+91 98765 43210',
  country: 'india',
  privacy_consent: true,
  way: 'transfer',
}
const FOREIGN_ANSWERS = { ...delegate, country: 'other', way: 'wire' }
const replaceSpaces = (text: unknown): string => String(text).replaceAll('\u00a0', ' ')

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-07-20', events: { 'dunecon2027.yaml': EVENT } })
})
afterAll(() => server.close())

let delegateCount = 0
const register = async (answers: Readonly<Record<string, unknown>>) => {
  delegateCount += 1
  const response = await server.post('/api/dunecon2027/register/', {
    ...answers,
    email: `delegate${delegateCount}@sample.example`,
  })
  expect(response.statusCode, response.body).toBe(201)
  return response.json<{ reg_no: string; page: string; total?: number; currency?: string }>()
}
const confirmPayment = async (regNo: string, reference: string, amount: string) => {
  const office = await signIn(server)
  const response = await office.act(regNo, {
    act: 'confirm',
    way: 'transfer',
    reference,
    amount,
    day: '2027-07-20',
  })
  expect(response.status, replaceSpaces(response.body.message)).toBe(200)
}
const matchStatement = async (lines: readonly string[], currency: string) => {
  const office = await signIn(server)
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/?event=dunecon2027&statement_currency=${currency}`,
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: ['Date,Description,Reference,Credit', ...lines].join('\n'),
  })
  return response
}

test("a foreign delegate pays in dollars, and the payment is found in the dollar account's statement", async () => {
  const { reg_no: regNo, page } = await register({ ...FOREIGN_ANSWERS, gala_tickets: 1 })
  const { registration, paying } = (
    await server.app.inject({ method: 'GET', url: `/api${page}/` })
  ).json<{ registration: Record<string, unknown>; paying: Record<string, unknown> }>()
  expect(registration).toMatchObject({ total: 212.4, currency: 'USD' })
  expect(paying).toMatchObject({ total: 212.4, currency: 'USD', upi: null })
  const [email] = await server.deps.store.emailsOfRegistration(regNo as never)
  expect(replaceSpaces(email?.text)).toContain('US$ 212.40')

  const line = `20/07/2027,Transfer ${regNo},WIRE2027072000001,212.40`
  expect((await matchStatement([line], 'INR')).json()).toMatchObject({
    lines: [
      { as: 'unmatched', why: `The line mentions ${regNo}, which has nothing to pay in rupees.` },
    ],
  })
  expect((await matchStatement([line], 'USD')).json()).toMatchObject({
    lines: [{ as: 'matched', amount: 212.4, currency: 'USD', of: [{ reg_no: regNo, due: 212.4 }] }],
  })
  expect((await matchStatement([line], 'EUR')).json()).toMatchObject({
    message: 'Choose the currency of the account: INR or USD.',
  })
  await confirmPayment(regNo, 'WIRE2027072000001', '212.40')
  const office = await signIn(server)
  const cancelResponse = await office.act(regNo, {
    act: 'cancel',
    why: 'Requested by the delegate',
    pay_back: '159.30',
    kept: '212.4',
  })
  expect(replaceSpaces(cancelResponse.body.message)).toBe(
    'Registration cancelled. To refund: US$ 159.30.',
  )
})

test('a payment method that does not accept dollars is not used for a foreign delegate', async () => {
  const { reg_no: regNo, page } = await register(FOREIGN_ANSWERS)
  const registration = await server.deps.store.registration(regNo as never)
  expect(registration).toMatchObject({ currency: 'USD', payments: [{ way: 'wire' }] })
  // The registration page does not offer card payment, which is possible only in rupees.
  const pageResponse = await server.app.inject({ method: 'GET', url: `/api${page}/` })
  expect(pageResponse.json<{ registration: unknown }>().registration).toMatchObject({
    may_pay: false,
  })
  const retryResponse = await server.app.inject({
    method: 'POST',
    url: '/api/payment/resume/',
    payload: { token: /[^/]{20,}/.exec(page)?.[0] },
  })
  expect([retryResponse.statusCode, retryResponse.body]).toMatchObject([
    409,
    expect.stringContaining('You cannot pay by card in USD.'),
  ])
})

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['no method is sent and the preselected method', { ...FOREIGN_ANSWERS, way: undefined }, 'USD'],
  ['the preselected method', { ...FOREIGN_ANSWERS, way: 'card' }, 'USD'],
  ['another method', { ...FOREIGN_ANSWERS, way: 'transfer' }, 'USD'],
  ['another method', { ...delegate, way: 'wire' }, 'INR'],
])(
  'if %s does not accept the currency, the request is rejected with the methods that do',
  async (_what, answers, currency) => {
    const refusal = await server.app.inject({
      method: 'POST',
      url: '/api/dunecon2027/register/',
      payload: { ...answers, email: 'caller@sample.example' },
    })
    const message = {
      USD: 'These payment methods accept USD: “International bank transfer”. Please choose one.',
      INR: 'These payment methods accept INR: “Card, UPI or net banking”, “Bank transfer or UPI”. Please choose one.',
    }[currency]
    expect([refusal.statusCode, refusal.json()]).toMatchObject([
      422,
      { message, errors: { way: message } },
    ])
  },
)

test('dollars and rupees are never added together: list, sales, dashboard and spreadsheet show both', async () => {
  const [foreignRegistration, indianRegistration] = [
    await register(FOREIGN_ANSWERS),
    await register(delegate),
  ]
  await confirmPayment(foreignRegistration.reg_no, 'WIRE2027072000011', '177')
  await confirmPayment(indianRegistration.reg_no, 'UTRN2027072000011', '7080')
  const office = await signIn(server)
  const search = `search=${foreignRegistration.reg_no.slice(0, 4)}`
  for (const filter of ['', `&${search}`]) {
    const list = await office.json(`/admin/dunecon2027/registrations/?rows=listed${filter}`)
    expect(list['sums'], filter).toMatchObject({
      money: 7080,
      others: [{ currency: 'USD', money: 389.4, due: 177 }],
    })
    const rows = list['registrations'] as unknown as readonly Record<string, unknown>[]
    expect(rows.find((row) => row['reg_no'] === foreignRegistration.reg_no)).toMatchObject({
      total: 177,
      'money.currency': 'USD',
    })
  }
  const sales = await office.json('/admin/sold?event_id=dunecon2027&list_id=dunecon2027')
  expect(sales['rows']).toMatchObject([
    { item: 'registration', total: 7080, paid_total: 7080 },
    { item: 'registration', currency: 'USD', total: 354, paid_total: 177 },
  ])
  expect(sales).toMatchObject({
    paid_beside: 0,
    others_beside: [{ currency: 'USD', amount: 212.4 }],
  })
  // Figures per category, period and day also keep currencies separate. The amount retained from a cancelled
  // registration counts as received.
  const {
    by_category: byCategory,
    by_period: byPeriod,
    by_day: byDay,
  } = sales as unknown as SalesResponse
  for (const groups of [byCategory, byPeriod, byDay]) {
    const sums = ['', 'USD'].map((code) => {
      const groupsInCurrency = groups.filter(({ currency = '' }) => currency === code)
      return {
        received: groupsInCurrency.reduce(
          (sum, { received }) => sum + Math.round(received * 100),
          0,
        ),
        paid: groupsInCurrency.reduce((sum, { paid }) => sum + paid, 0),
      }
    })
    expect(sums).toEqual([
      { received: 708_000, paid: 1 },
      { received: 38_940, paid: 1 },
    ])
  }
  const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as {
    data: Record<string, unknown>
  }
  expect(data['dunecon2027_stats']).toMatchObject({
    total_revenue: 7080,
    // The daily figures include revenue in dollars.
    other_currencies: [
      {
        currency: 'USD',
        total_revenue: 389.4,
        by_day: [{ day: '2027-07-20', revenue: 389.4 }],
      },
    ],
  })
  expect(data['revenue_stats']).toMatchObject({
    total_revenue: 7080,
    other_currencies: [{ currency: 'USD', total_revenue: 389.4 }],
  })
  const csv = (await office.get('/admin/export/?event_type=dunecon2027&list_id=dunecon2027')).body
  const [header = '', ...rows] = csv.split('\r\n')
  expect(header).toMatch(/,Total Amount,.*,Currency$/)
  expect(rows.find((row) => row.includes(foreignRegistration.reg_no))).toMatch(/,USD$/)
  expect(rows.find((row) => row.includes(indianRegistration.reg_no))).toMatch(/,INR$/)
})

test('a registration keeps its currency: a correction to a category with another currency is rejected', async () => {
  const { reg_no: regNo } = await register(delegate)
  const office = await signIn(server)
  const correctResponse = await office.act(regNo, {
    act: 'correct',
    why: 'Lives abroad',
    answers: { country: 'other' },
    total: '177',
  })
  expect(correctResponse).toMatchObject({
    status: 422,
    body: {
      message:
        'With these answers, the price is in USD, but this registration was priced in rupees. Cancel it, and ask the delegate to register again.',
    },
  })
})

test('a line in the dollar statement that belongs to no registration is saved in dollars', async () => {
  const office = await signIn(server)
  const response = await server.app.inject({
    method: 'POST',
    url: '/admin/reconcile/confirm/',
    headers: { authorization: `Bearer ${office.token}` },
    payload: {
      event: 'dunecon2027',
      lines: [],
      keep: [
        {
          reference: 'WIRE2027072000099',
          also: [],
          amount: 55.5,
          currency: 'USD',
          day: '2027-07-20',
          narration: 'Unknown payer',
        },
      ],
    },
  })
  expect(response.statusCode, response.body).toBe(200)
  const { reviews } = (await office.json('/admin/reviews/')) as unknown as {
    reviews: readonly Record<string, unknown>[]
  }
  expect(reviews.find(({ left }) => left === 55.5)).toMatchObject({ currency: 'USD' })
})

test('an invoice in dollars is issued once the exchange rate on the payment date is known, and states its value in rupees', async () => {
  const { reg_no: regNo } = await register(FOREIGN_ANSWERS)
  await confirmPayment(regNo, 'WIRE2027072000021', '177')
  const listDocumentKinds = async () =>
    (await server.deps.store.documents(regNo as never)).map(({ kind, currency }) => [
      kind,
      currency,
    ])
  expect(await listDocumentKinds()).toEqual([['receipt', 'USD']])
  const office = await signIn(server)
  const readStats = async () =>
    (await office.json('/admin/dashboard/stats/')) as unknown as {
      data: { waiting: readonly Record<string, unknown>[] }
    }
  expect((await readStats()).data.waiting).toContainEqual({
    id: 'rate_missing',
    label: 'Invoices waiting for an exchange rate',
    events: [{ id: 'dunecon2027', count: 3, more: false }],
  })
  const enterRate = async (rate: Readonly<Record<string, string>>) => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/admin/exchange-rates/',
      headers: { authorization: `Bearer ${office.token}` },
      payload: { event: 'dunecon2027', currency: 'USD', source: 'FBIL reference rate', ...rate },
    })
    return response.json<{ message: string }>().message
  }
  expect(await enterRate({ day: '2027-07-20', rate: '83,41' })).toBe(
    'Enter the value of 1 USD in rupees, such as 83.4125, with at most six decimal places.',
  )
  expect(await enterRate({ day: '2027-07-21', rate: '83.4125' })).toBe(
    'The date of the rate cannot be in the future.',
  )
  expect(await enterRate({ day: '2027-07-11', rate: '83.2' })).toMatch('The rate is saved.')
  expect(await enterRate({ day: '2027-07-12', rate: '831' })).toBe(
    '1 USD was INR 83.2 on 11 Jul 2027. Check the decimal point in 831. If the rate for 11 Jul 2027 is wrong, correct it first.',
  )
  expect(await enterRate({ day: '2027-07-12', rate: '83.1' })).toBe(
    'The rate is saved. No invoice was waiting for this rate.',
  )
  expect(await enterRate({ day: '2027-07-19', rate: '83.4125' })).toBe(
    'The rate is saved. 3 invoices were issued.',
  )
  expect(await listDocumentKinds()).toEqual([
    ['receipt', 'USD'],
    ['invoice', 'USD'],
  ])
  const documents = await server.deps.store.documents(regNo as never)
  const invoice = await server.deps.store.document(regNo as never, documents[1]?.id ?? 0)
  expect(invoice).toMatchObject({
    currency: 'USD',
    total: 17_700,
    rupees: {
      rate: '83.4125',
      day: '2027-07-19',
      source: 'FBIL reference rate',
      taxable: 1_251_188,
      cgst: 112_607,
      sgst: 112_607,
      roundOff: 0,
      total: 1_476_402,
    },
  })
  const formatted = formatDocument(invoice ?? ({} as never))
  expect(formatted.notes.map(([name, value]) => [name, replaceSpaces(value)])).toEqual(
    expect.arrayContaining([
      [
        'Value in rupees',
        'Taxable value ₹ 12,511.88, CGST ₹ 1,126.07, SGST ₹ 1,126.07, Total ₹ 14,764.02',
      ],
      ['Exchange rate', '1 USD = INR 83.4125, FBIL reference rate, 19 July 2027'],
    ]),
  )

  const cancelResponse = await office.act(regNo, {
    act: 'cancel',
    why: 'Requested by the delegate',
    pay_back: '132.75',
    kept: '177',
  })
  expect(cancelResponse.status).toBe(200)
  const refundResponse = await office.act(regNo, {
    act: 'refund',
    why: 'Requested by the delegate',
    amount: '132.75',
    by_hand: true,
    reference: 'WIREBACK0001',
  })
  expect(refundResponse.status, replaceSpaces(refundResponse.body.message)).toBe(200)
  const [, , credit] = await server.deps.store.documents(regNo as never)
  expect(await server.deps.store.document(regNo as never, credit?.id ?? 0)).toMatchObject({
    kind: 'credit',
    currency: 'USD',
    rupees: { rate: '83.4125', total: 1_107_301 },
  })
})

test('delegates who are waiting for an invoice get an email when it is issued', async () => {
  const { store, events, clock } = server.deps
  const config = events.findById('dunecon2027')?.config ?? null
  const emails = (await store.dueMails(clock(), 500)).filter(({ kind }) => kind === 'documents')
  expect(emails.map(({ subject }) => subject)).toEqual(
    Array.from({ length: 3 }, () => 'Your invoice for DuneCon 2027'),
  )
  for (const mail of emails) {
    expect(mail.text).toContain(`The invoice for your registration ${mail.regNo} for DuneCon 2027`)
    const ticket = await collectTicket(store, config, mail, clock())
    const job = { mail, theme: null, replyTo: null, ticket }
    const attached = generateEmail(job, 'https://register.example').attachments.map(
      ({ filename, content }) => [filename, content.subarray(0, 4).toString()],
    )
    expect(attached).toContainEqual([expect.stringMatching(/^Tax-?invoice.*\.pdf$/i), '%PDF'])
    expect(attached.flat().join(' ')).not.toMatch(/receipt|png|ics/i)
  }
})

test('an invoice that waited for the exchange rate states the price charged, and each later refund has a credit note', async () => {
  const server = await startTestApp({ clock: '2027-07-20', events: { 'dunecon2027.yaml': EVENT } })
  try {
    const office = await signIn(server)
    const performAction = async (regNo: string, action: Readonly<Record<string, unknown>>) => {
      const { status, body } = await office.act(regNo, { why: 'Requested', ...action } as never)
      expect(status, replaceSpaces(body.message)).toBe(200)
    }
    const register = async (n: number): Promise<string> => {
      const answers = { ...FOREIGN_ANSWERS, email: `late${n}@sample.example`, gala_tickets: 1 }
      const response = await server.app.inject({
        method: 'POST',
        url: '/api/dunecon2027/register/',
        payload: answers,
      })
      const { reg_no: regNo } = response.json<{ reg_no: string }>()
      const reference = `WIRE202707200010${n}`
      await performAction(regNo, { act: 'confirm', way: 'transfer', reference, amount: '212.40' })
      return regNo
    }
    const refund = { act: 'refund', by_hand: true }
    const goodwillRegNo = await register(1)
    await performAction(goodwillRegNo, { ...refund, amount: '50.01', reference: 'WIREBACK000011' })
    await performAction(goodwillRegNo, { ...refund, amount: '20', reference: 'WIREBACK000012' })
    const cancelledRegNo = await register(2)
    await performAction(cancelledRegNo, { act: 'cancel', pay_back: '82.87', kept: '212.4' })
    await performAction(cancelledRegNo, { ...refund, amount: '82.87', reference: 'WIREBACK000021' })
    const refundedRegNo = await register(3)
    await performAction(refundedRegNo, { ...refund, amount: '212.40', reference: 'WIREBACK000031' })
    const response = await server.app.inject({
      method: 'POST',
      url: '/admin/exchange-rates/',
      headers: { authorization: `Bearer ${office.token}` },
      payload: {
        event: 'dunecon2027',
        currency: 'USD',
        source: 'FBIL reference rate',
        day: '2027-07-20',
        rate: '83.4125',
      },
    })
    expect(response.json<{ message: string }>().message).toBe(
      'The rate is saved. 3 invoices were issued.',
    )
    const listDocuments = async (regNo: string) => {
      const documents = await server.deps.store.documents(regNo as never)
      const bodies = await Promise.all(
        documents.map(({ id }) => server.deps.store.document(regNo as never, id)),
      )
      return bodies.slice(1).map((body) => [body?.kind, body?.total, body?.paid?.reference ?? null])
    }
    expect(await listDocuments(goodwillRegNo)).toEqual([
      ['invoice', 21_240, 'WIRE2027072000101'],
      ['credit', 5001, 'WIREBACK000011'],
      ['credit', 2000, 'WIREBACK000012'],
    ])
    expect(await listDocuments(cancelledRegNo)).toEqual([
      ['invoice', 21_240, 'WIRE2027072000102'],
      ['credit', 8287, 'WIREBACK000021'],
    ])
    expect(await listDocuments(refundedRegNo)).toEqual([
      ['invoice', 21_240, 'WIRE2027072000103'],
      ['credit', 21_240, 'WIREBACK000031'],
    ])
  } finally {
    await server.close()
  }
})

test("an invoice in dollars worth more than 50,000 rupees requires the buyer's address", () => {
  const config = server.deps.events.findById('dunecon2027')?.config
  if (config === undefined || config.invoice === null) throw new Error('there is no invoice')
  // A field of the form serves as the address, and a buyer abroad is not asked for an Indian state.
  const buyerFields = { address: 'phone_number', state: 'country' }
  const event = { ...config, invoice: { ...config.invoice, buyer: buyerFields } }
  const line = { id: 'registration', option: null, label: 'Registration', quantity: 1 }
  const createBill = (dollars: number) => {
    const base = toAmount(dollars * 100)
    const bill = { ...line, unit: base, base, gst: toAmount(0), total: base, rate: 18 }
    return { lines: [bill], currency: readCurrency('USD') ?? INR }
  }
  expect(findInvoiceErrors(event, { phone_number: '' }, createBill(600))).toEqual({
    phone_number: 'This is required on your invoice. Please enter it.',
  })
  expect(findInvoiceErrors(event, { phone_number: '' }, createBill(150))).toEqual({})
})

test("a payment in a currency other than the bill's is not recorded", async () => {
  const { reg_no: regNo } = await register(FOREIGN_ANSWERS)
  const office = await signIn(server)
  const confirmation = {
    act: 'confirm',
    way: 'transfer',
    reference: 'UTRN2027072000099',
    amount: '177',
  }
  expect(await office.act(regNo, { ...confirmation, currency: 'INR' })).toMatchObject({
    status: 422,
    body: { message: 'This payment is in INR, and the registration is in USD.' },
  })
  expect(await office.act(regNo, { ...confirmation, way: 'upi' })).toMatchObject({
    status: 422,
    body: { message: 'UPI payments can be made only in rupees, but this registration is in USD.' },
  })
})

test("a line from the rupee account's statement that is sent without its currency is not recorded in dollars", async () => {
  const { reg_no: regNo } = await register(FOREIGN_ANSWERS)
  const office = await signIn(server)
  const confirmLine = async (currency: object) => {
    const line = { reg_no: regNo, reference: 'WIRE2027072000031', amount: 177, day: '2027-07-20' }
    const response = await server.app.inject({
      method: 'POST',
      url: '/admin/reconcile/confirm/',
      headers: { authorization: `Bearer ${office.token}` },
      payload: { event: 'dunecon2027', keep: [], lines: [{ ...line, ...currency }] },
    })
    return response.json<object>()
  }
  const message = 'This payment is in INR, and the registration is in USD.'
  expect(await confirmLine({})).toMatchObject({ done: [], refused: [{ message }] })
  expect(await confirmLine({ currency: 'USD' })).toMatchObject({ done: [regNo], refused: [] })
})

test('a statement line in rupees can be confirmed or sent to review even if a delegate with a bill in dollars reported its reference', async () => {
  const indianDelegate = await register(delegate)
  const office = await signIn(server)
  const post = async (url: string, payload: object) =>
    (
      await server.app.inject({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${office.token}` },
        payload,
      })
    ).json<{ message: string; done: readonly string[] }>()
  const reportPayment = async (reference: string) => {
    const { reg_no: regNo, page } = await register(FOREIGN_ANSWERS)
    const claim = { act: 'tell', answers: { wire_reference: reference } }
    expect(await post(`/api${page}/acts/`, claim)).toMatchObject({ status: 'success' })
    return { regNo, reference }
  }
  const [first, second, third] = [
    await reportPayment('WIRE2027072000051'),
    await reportPayment('WIRE2027072000052'),
    await reportPayment('WIRE2027072000053'),
  ]
  const lines = [
    `20/07/2027,NEFT CR UNNAMED PAYER,${first.reference},7080`,
    `20/07/2027,NEFT CR ${indianDelegate.reg_no},${second.reference},7080`,
  ]
  const statement = (await matchStatement(lines, 'INR')).json<{ lines: readonly object[] }>()
  expect(statement.lines).toMatchObject([
    { as: 'unmatched', of: [] },
    { as: 'matched', of: [{ reg_no: indianDelegate.reg_no }] },
  ])
  expect((await matchStatement([lines[0] ?? ''], 'USD')).json()).toMatchObject({
    lines: [{ as: 'differs', of: [{ reg_no: first.regNo, due: 177 }] }],
  })
  const [unmatchedLine, matchedLine] = statement.lines
  // A payment entered manually is not on any statement, so staff must first decide on the claim.
  const confirmation = {
    act: 'confirm',
    way: 'transfer',
    reference: second.reference,
    amount: '7080',
  }
  expect((await office.act(indianDelegate.reg_no, confirmation)).body.message).toMatch(
    `The delegate with registration ${second.regNo} reported ${second.reference}.`,
  )
  const confirmResponse = await post('/admin/reconcile/confirm/', {
    event: 'dunecon2027',
    lines: [{ ...matchedLine, reg_no: indianDelegate.reg_no }],
    keep: [unmatchedLine],
  })
  expect(confirmResponse).toMatchObject({ done: [indianDelegate.reg_no], refused: [] })
  expect(confirmResponse.message).toMatch('1 unmatched payment sent for review.')
  const { reviews } = (await office.json('/admin/reviews/')) as unknown as {
    reviews: readonly object[]
  }
  expect(reviews).toContainEqual(
    expect.objectContaining({
      came: expect.objectContaining({ reference: first.reference, currency: 'INR' }),
      left: 7080,
      why: expect.stringContaining(first.regNo),
    }),
  )
  // The same works for another event that shares the account.
  const otherEventLine = {
    reference: third.reference,
    amount: toAmount(708_000),
    currency: INR,
    day: '2027-07-20' as never,
    narration: 'NEFT CR UNNAMED PAYER',
    eventId: 'other2027',
    who: 'treasurer',
    at: server.now(),
  }
  const { store } = server.deps
  expect(await store.saveUnmatchedLines([{ ...otherEventLine, currency: 'USD' as never }])).toEqual(
    {
      added: 0,
      elsewhere: 1,
      reported: 0,
    },
  )
  expect(await store.saveUnmatchedLines([otherEventLine])).toMatchObject({ added: 1, elsewhere: 0 })
})

/** Attacks on permissions: a treasurer of one event tries to access another event in every spelling. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { placeOrder, clickPaymentButton, waitForStatus } from './gateway.ts'
import { runCommand, delegate, createAddress, registerDelegate, startTarget } from './target.ts'
import type { PaymentData, Target } from './target.ts'
import type { HttpResponse, RequestParts } from './wire.ts'

const OWN_EVENT = 'midzone2025'
const OTHER_EVENT = 'afpicon2026'
const SECRET_ANSWERS = { full_name: 'Zyxwv Qponm', email: 'zyxwv@victim.example' }

let target: Target
let headers: Readonly<Record<string, string>>
let ownRegNo: string
let otherRegNo: string
/** The order id of the second payment attempt, which succeeded after the first one failed. */
let orderId: string
beforeAll(async () => {
  target = await startTarget()
  const { regNo, data } = await registerDelegate(target, { ...delegate, ...SECRET_ANSWERS })
  otherRegNo = regNo
  await clickPaymentButton(await placeOrder(data), 'decline')
  await waitForStatus(target, data.orderid, 'failed')
  const retryResponse = await target.post('/api/payment/retry/', { order_id: regNo })
  const { payment_data: secondPayment } = JSON.parse(retryResponse.body) as {
    payment_data: PaymentData & Record<string, string>
  }
  orderId = secondPayment.orderid
  await clickPaymentButton(await placeOrder(secondPayment), 'pay')
  await waitForStatus(target, orderId, 'success')
  const { full_name, email, phone_number } = delegate
  const ownResponse = await target.post('/api/midzone/register/', {
    full_name,
    email,
    phone_number,
  })
  const ownAnswer = JSON.parse(ownResponse.body) as {
    reg_no: string
    payment_data: PaymentData & Record<string, string>
  }
  ownRegNo = ownAnswer.reg_no
  await clickPaymentButton(await placeOrder(ownAnswer.payment_data), 'pay')
  await waitForStatus(target, ownRegNo, 'success')
  headers = await signInAs('keeper', 'treasurer', OWN_EVENT)
})
afterAll(() => target.stop())

/** Adds a user with the command, signs in, and returns the headers of the session. */
async function signInAs(username: string, role: string, event: string) {
  const commandOutput = await runCommand(
    target,
    'user',
    'add',
    username,
    '--role',
    role,
    '--event',
    event,
  )
  const password = /password[^:]*: *(\S+)/i.exec(commandOutput)?.[1]
  const loginResponse = await target.post('/admin/login/', { username, password })
  const { token } = JSON.parse(loginResponse.body) as { token?: string }
  if (token === undefined) throw new Error(`not signed in: ${loginResponse.body} ${commandOutput}`)
  return { authorization: `Bearer ${token}` }
}

const sendAsTreasurer = (request: RequestParts): Promise<HttpResponse> =>
  target.send({ ...request, headers: { ...headers, ...request.headers } })
const postAsTreasurer = (path: string, body: unknown): Promise<HttpResponse> =>
  target.post(path, body, createAddress(), headers)

/** Returns whether the response contains data of the other event. */
const isDisclosure = ({ body }: HttpResponse): boolean =>
  [otherRegNo, SECRET_ANSWERS.full_name, SECRET_ANSWERS.email].some((word) => body.includes(word))
/** Reads the rows that an attack must not change. */
const readStoredData = () =>
  ['registrations', 'payments', 'captures', 'admins', 'tellings'].map((table) =>
    target.readRows(`SELECT * FROM ${table}`),
  )

const listSpellings = (): readonly string[] =>
  [otherRegNo, orderId].flatMap((number) => [
    number,
    number.toLowerCase(),
    number.replaceAll(/.{4}(?=.)/g, '$&%20'),
    number.replaceAll(/.{4}(?=.)/g, '$&-'),
    `%${number.charCodeAt(0).toString(16)}${number.slice(1)}`,
    `%25${number.charCodeAt(0).toString(16)}${number.slice(1)}`,
    `%20${number}`,
    `${number}%00`,
    `${number};${ownRegNo}`,
    `${number}%2f`,
    `${ownRegNo}/../${number}`,
    `${ownRegNo}%2f..%2f${number}`,
    `${ownRegNo},${number}`,
    `${number}?event=${OWN_EVENT}`,
    `${number}??event=${OWN_EVENT}`,
  ])
const OFFICE_ROOTS = [
  '/admin',
  '/api/admin',
  '//admin',
  '/ADMIN',
  '/%61dmin',
  '/admin;x',
  '/x/../admin',
]

/** Returns the responses that gave access or disclosed data of the other event. */
async function findSuccessfulAttacks(
  requests: readonly RequestParts[],
): Promise<readonly string[]> {
  const successfulAttacks: string[] = []
  for (const request of requests) {
    const response = await sendAsTreasurer(request)
    // An unknown office path returns the not-found page.
    const hasAccess = response.status < 400 && !response.body.startsWith('<!doctype html>')
    if (hasAccess || response.status >= 500 || isDisclosure(response))
      successfulAttacks.push(
        `${request.method ?? 'GET'} ${request.path} ${String(request.body)}: ${response.status}`,
      )
  }
  return successfulAttacks
}
const buildJsonRequest = (
  path: string,
  body: unknown,
  extraHeaders: RequestParts['headers'] = {},
): RequestParts => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...extraHeaders },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const REFUND = { act: 'refund', amount: '1', why: 'A reason.', key: 'one-click-of-refund' }
const NOTE = { act: 'note', why: 'A reason.', key: 'one-click-of-note' }

describe('a treasurer of another event', () => {
  test('can use a registration of their own event, so the event is the reason for the rejections below', async () => {
    expect(orderId).not.toBe(otherRegNo)
    expect((await sendAsTreasurer({ path: `/admin/registrations/${ownRegNo}/` })).status).toBe(200)
    expect((await postAsTreasurer(`/admin/registrations/${ownRegNo}/acts/`, NOTE)).status).toBe(200)
  })

  test('cannot read or refund a payment by its number or by the order of its second attempt, in any spelling', async () => {
    const storedBefore = readStoredData()
    const paths = OFFICE_ROOTS.flatMap((root) =>
      listSpellings().map((name) => [root, name] as const),
    )
    const requests = paths.flatMap(([root, name]): readonly RequestParts[] => [
      { path: `${root}/registrations/${name}` },
      { path: `${root}/registrations/${name}/documents/1` },
      buildJsonRequest(`${root}/registrations/${name}/acts/`, REFUND),
      buildJsonRequest(`${root}/registrations/${name}/acts/`, NOTE),
    ])
    expect(await findSuccessfulAttacks(requests)).toEqual([])
    expect(readStoredData()).toEqual(storedBefore)
  })

  test.each([
    `?event=${OTHER_EVENT}`,
    `??event=${OTHER_EVENT}`,
    `??event=${OTHER_EVENT}&event=${OWN_EVENT}`,
    `?event=${OWN_EVENT}&event=${OTHER_EVENT}`,
    `?event=${OWN_EVENT}&event_id=${OTHER_EVENT}`,
    `?event[]=${OTHER_EVENT}&event=${OWN_EVENT}`,
    `?event=${OWN_EVENT}&%3Fevent=${OTHER_EVENT}`,
    `?event=${OTHER_EVENT}%00`,
  ])('cannot read a settlement, review, discount code or member list with %s', async (query) => {
    const officeCalls = ['settlements', 'settlements/export', 'reviews', 'codes', 'rolls', 'add']
    expect(
      await findSuccessfulAttacks(officeCalls.map((call) => ({ path: `/admin/${call}${query}` }))),
    ).toEqual([])
    expect(
      await findSuccessfulAttacks([buildJsonRequest(`/admin/reconcile/keep${query}`, {})]),
    ).toEqual([])
  })

  test('cannot change anything with lists of numbers, nested lists or unexpected JSON', async () => {
    const line = { reference: '612345678901', amount: 7080, day: '2025-10-09' }
    const numberForms = [
      otherRegNo,
      [otherRegNo],
      [[otherRegNo]],
      { 0: otherRegNo, length: 1 },
      { reg_no: otherRegNo },
    ]
    const requestBodies: readonly unknown[] = [
      ...numberForms.flatMap((name) => [
        { ...NOTE, reg_nos: [name] },
        { ...NOTE, reg_nos: [ownRegNo, name] },
        { ...NOTE, reg_nos: name },
        { event: OWN_EVENT, lines: [{ ...line, reg_no: name }] },
        { event: OWN_EVENT, lines: [[{ ...line, reg_no: name }]] },
        { event: [OWN_EVENT, OTHER_EVENT], lines: [{ ...line, reg_no: name }] },
      ]),
      `{"reg_nos":["${ownRegNo}"],"reg_nos":["${otherRegNo}"],"act":"note","why":"A reason."}`,
      `{"__proto__":{"event":"${OTHER_EVENT}"},"reg_nos":["${otherRegNo}"]}`,
      `\ufeff{"reg_nos":["${otherRegNo}"]}`,
      'null',
      '1',
      '"text"',
      '[]',
      `[{"reg_nos":["${otherRegNo}"]}]`,
    ]
    const types = ['application/json', 'application/json; charset=utf-16', 'text/plain']
    const storedBefore = readStoredData()
    const requests = requestBodies.flatMap((body) =>
      ['/admin/registrations/bulk', '/admin/reconcile/confirm'].flatMap((path) =>
        types.map((type) => buildJsonRequest(path, body, { 'content-type': type })),
      ),
    )
    expect(await findSuccessfulAttacks(requests)).toEqual([])
    expect(readStoredData()).toEqual(storedBefore)
  })

  test('cannot act as another user by sending proxy headers, another method or another path in a header', async () => {
    const path = `/admin/registrations/${ownRegNo}`
    const otherPath = `/admin/registrations/${orderId}/acts/`
    const forgedHeaders: readonly Readonly<Record<string, string>>[] = [
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-for': '::1, 127.0.0.1' },
      { forwarded: 'for=127.0.0.1;host=127.0.0.1' },
      { 'x-real-ip': '127.0.0.1' },
      { 'x-forwarded-user': 'office', 'x-remote-user': 'office' },
      { 'x-http-method-override': 'GET' },
      { 'x-original-url': path, 'x-rewrite-url': path },
      { 'x-forwarded-prefix': '/admin', 'x-forwarded-host': '127.0.0.1' },
    ]
    const storedBefore = readStoredData()
    expect(
      await findSuccessfulAttacks(
        forgedHeaders.map((extraHeaders) => buildJsonRequest(otherPath, REFUND, extraHeaders)),
      ),
    ).toEqual([])
    expect(
      await findSuccessfulAttacks(
        forgedHeaders.map((extraHeaders) => ({ path: '/metrics', headers: extraHeaders })),
      ),
    ).toEqual([])
    expect(readStoredData()).toEqual(storedBefore)
  })

  test('finds no data of the other event in searches, figures, emails, the audit log or lists', async () => {
    const paths = [
      '/admin/dashboard/stats/',
      '/admin/session/',
      '/admin/me',
      `/admin/find?q=${otherRegNo.slice(-6)}`,
      '/admin/find?q=Zyxwv',
      '/admin/mail',
      '/admin/log',
      '/admin/log/export',
      '/admin/reviews',
      `/admin/settlements?event=${OWN_EVENT}`,
      '/admin/export/?event_type=afpicon',
      '/admin/afpicon/registrations/',
      '/afpicon/admin/registrations/?search=Zyxwv',
      '/afpicon/download-csv/',
    ]
    const disclosures: string[] = []
    for (const path of paths) {
      const { body } = await sendAsTreasurer({ path })
      if (
        [otherRegNo, SECRET_ANSWERS.full_name, SECRET_ANSWERS.email, OTHER_EVENT].some((word) =>
          body.includes(word),
        )
      )
        disclosures.push(path)
    }
    expect(disclosures).toEqual([])
  })

  test('a bank reference recorded for another event does not disclose the registration number to staff of this event', async () => {
    const bankPayment = {
      act: 'came_again',
      why: 'Seen at the bank.',
      way: 'transfer',
      reference: '612345678901',
      amount: '7080',
    }
    const otherHeaders = await signInAs('there', 'treasurer', OTHER_EVENT)
    const path = `/admin/registrations/${otherRegNo}/acts/`
    expect((await target.post(path, bankPayment, createAddress(), otherHeaders)).status).toBe(200)
    const response = await postAsTreasurer(`/admin/registrations/${ownRegNo}/acts/`, bankPayment)
    expect([response.status, JSON.parse(response.body)]).toEqual([
      409,
      {
        status: 'error',
        code: 'taken',
        message:
          '612345678901 is already recorded: it is the payment of a registration of another event. A transfer counts only once. If this transfer is not for this registration, do not record it here (“Mark payment as not found” rejects a claim). If it is, ask a treasurer with access to all events, who can dismiss the other payment if it is under review.',
      },
    ])
  })
})

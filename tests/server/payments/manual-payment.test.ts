/** Manual payments: chosen on the form, reported by delegates, confirmed or rejected by staff, or expired. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActionsResponse, SelfServiceResponse, RegisterResponse } from '../../../engine/api.ts'
import { actionsUrl, hashCheaply, PASSWORD, signIn, readShownVersion } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const file = 'lekhacon2027.yaml'
const text = readFileSync(join(import.meta.dirname, '..', '..', 'events', file), 'utf8')

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [file]: text } })
})
afterAll(() => server.close())

const asha = {
  full_name: 'Asha Nair',
  email: 'asha@delegate.example',
  phone_number: '9847000000',
  registered_as: 'member',
}
let numberCount = 0
/** Returns an unused UTR. */
const createUtr = (): string => String(500_000_000_000 + ++numberCount)
const register = async (answers: Readonly<Record<string, string>>) => {
  const response = await server.post('/api/lekhacon2027/register/', { ...asha, ...answers })
  return { status: response.statusCode, body: response.json<RegisterResponse>() }
}
/** Returns the API calls of a delegate's self-service page, whose path is in the response to the registration. */
const openSelfService = (page: string | undefined) => {
  const path = `/api${page ?? ''}/`
  return {
    read: async () =>
      (await server.app.inject({ method: 'GET', url: path })).json<SelfServiceResponse>(),
    claim: async (answers: Readonly<Record<string, unknown>>, key?: string) => {
      const payload = { act: 'tell', answers, ...(key === undefined ? {} : { key }) }
      const response = await server.app.inject({ method: 'POST', url: `${path}acts/`, payload })
      return { status: response.statusCode, body: response.json<Record<string, unknown>>() }
    },
  }
}
/** Signs in and performs an office action. Sessions expire when the clock advances, so each action needs a new one. */
const act = async (regNo: string, payload: object) => (await signIn(server)).act(regNo, payload)
const read = async (regNo: string) => {
  const registration = await server.deps.store.registration(regNo)
  if (registration === null) throw new Error(`no registration ${regNo}`)
  return registration
}
const listEmails = async (regNo: string) => (
  await read(regNo),
  server.deps.store.emailsOfRegistration((await read(regNo)).regNo)
)

test('a delegate who pays by transfer reads the instructions and reports the payment; the registration is complete once it is confirmed', async () => {
  const { status, body } = await register({ way: 'transfer' })
  expect(status).toBe(201)
  expect(body).toMatchObject({ stands: 'by-hand' })
  expect(body.payment_data).toBeUndefined()
  expect((await listEmails(body.reg_no))[0]?.text).toContain('account 50200012345678')
  const page = openSelfService(body.page)
  const pageBefore = await page.read()
  expect(pageBefore.state).toBe('to_pay')
  expect(pageBefore.paying).toMatchObject({
    way: 'transfer',
    total: 4720,
    numbers: [
      { label: 'UPI ID', text: 'lekhacon@mlbr' },
      { label: 'Account', text: '50200012345678' },
      { label: 'IFSC', text: 'MLBR0000032' },
    ],
    upi: `upi://pay?pa=lekhacon@mlbr&pn=LEKHACON%202027&am=4720.00&cu=INR&tn=${body.reg_no}`,
    pay_until: '2027-01-21T00:00:00+05:30',
    told: null,
  })
  const number = createUtr()
  const claim = await page.claim({ utr: number, paid_on: '2027-01-09' }, 'key-of-a-click')
  expect(claim).toMatchObject({ status: 200, body: { state: 'told' } })
  // The delegate clicks again.
  expect(await page.claim({ utr: number, paid_on: '2027-01-09' }, 'key-of-a-click')).toMatchObject({
    status: 200,
    body: { repeated: true },
  })
  expect((await page.read()).paying?.told).toMatchObject({
    reference: number,
    paid_on: '2027-01-09',
    stands: 'looking',
  })
  const confirmed = await act(body.reg_no, {
    act: 'confirm',
    way: 'transfer',
    reference: number,
    amount: '4720',
    day: '2027-01-09',
  })
  expect(confirmed).toMatchObject({ status: 200, body: { state: 'complete' } })
  const pageAfter = await page.read()
  expect(pageAfter).toMatchObject({ state: 'complete', paying: null })
  expect(pageAfter.registration).toMatchObject({ stands: 'complete', payment_status: 'success' })
  expect((await listEmails(body.reg_no)).map(({ subject }) => subject)).toEqual([
    'How to pay for LEKHACON 2027',
    'You reported a payment for LEKHACON 2027',
    `LEKHACON 2027: ${body.reg_no}`,
  ])
})

test('a delegate can report a reference again if staff recorded it with too low an amount and the wrong method', async () => {
  const { body } = await register({ way: 'transfer' })
  const page = openSelfService(body.page)
  const number = 'HDFCN52027010977'
  const claim = { utr: number, paid_on: '2027-01-09' }
  const confirm = (method: string) =>
    act(body.reg_no, {
      act: 'confirm',
      way: method,
      reference: number,
      amount: '1180',
      day: '2027-01-09',
    })
  expect((await page.claim(claim)).status).toBe(200)
  expect((await confirm('cash')).status).toBe(200)
  const why = 'Nothing of this amount came'
  expect((await act(body.reg_no, { act: 'not_found', why })).status).toBe(200)
  expect(await page.claim(claim)).toMatchObject({ status: 200, body: { state: 'told' } })
  expect((await page.read()).paying?.told).toMatchObject({ reference: number, stands: 'looking' })
  // The payment has now been confirmed with a different amount and is under review, so it cannot be reported again.
  expect((await confirm('transfer')).status).toBe(200)
  const secondClaim = await page.claim(claim)
  expect(secondClaim).toMatchObject({ status: 409, body: { code: 'taken' } })
  expect(secondClaim.body['message']).toContain('has already been found')
})

test('a UTR can be reported for only one registration, however it is written', async () => {
  const [first, second] = [await register({ way: 'transfer' }), await register({ way: 'transfer' })]
  const number = 'HDFCN52027010912'
  const day = { paid_on: '2027-01-09' }
  expect((await openSelfService(first.body.page).claim({ utr: number, ...day })).status).toBe(200)
  const refusal = await openSelfService(second.body.page).claim({
    utr: number.toLowerCase(),
    ...day,
  })
  expect(refusal).toMatchObject({ status: 409, body: { code: 'taken' } })
  expect(refusal.body['message']).toContain('already been reported for another registration')
  expect((await read(second.body.reg_no)).state).toBe('to_pay')
})

test("a payment claim is validated against its method's fields, and each error is shown at its field", async () => {
  const page = openSelfService((await register({ way: 'transfer' })).body.page)
  const utr = createUtr()
  for (const [fields, errors] of [
    [{ utr: '12', paid_on: '2027-01-09' }, { utr: expect.any(String) }],
    [{ utr, paid_on: '2027-01-11' }, { paid_on: expect.stringContaining('in the future') }],
    [{ utr, paid_on: '2006-01-09' }, { paid_on: expect.stringContaining('check the year') }],
    [{ paid_on: '2027-01-09' }, { utr: expect.any(String) }],
  ] as const)
    expect(await page.claim(fields)).toMatchObject({ status: 422, body: { errors } })
  expect((await page.read()).state).toBe('to_pay')
})

test('if staff cannot find a reported payment at the bank, they reject the claim, and the delegate can report again', async () => {
  const { body } = await register({ way: 'transfer' })
  const page = openSelfService(body.page)
  const [wrongUtr, rightUtr] = [createUtr(), createUtr()]
  await page.claim({ utr: wrongUtr, paid_on: '2027-01-09' })
  const refusal = { act: 'not_found', why: 'No such number in the statement of 9 January.' }
  expect(await act(body.reg_no, refusal)).toMatchObject({ status: 200, body: { state: 'to_pay' } })
  expect((await page.read()).paying?.told).toMatchObject({ stands: 'not_found', why: refusal.why })
  expect((await listEmails(body.reg_no)).at(-1)?.text).toContain(refusal.why)
  expect(await page.claim({ utr: rightUtr, paid_on: '2027-01-10' })).toMatchObject({
    body: { state: 'told' },
  })
  // The rejected number may be that of another delegate's payment.
  const otherPage = openSelfService((await register({ way: 'transfer' })).body.page)
  expect((await otherPage.claim({ utr: wrongUtr, paid_on: '2027-01-09' })).status).toBe(200)
})

test('a registration that is unpaid after ten days releases its workshop seat, and a later payment can still be reported', async () => {
  const workshop = { way: 'transfer', workshop: 'records' }
  const [first, second] = [await register(workshop), await register(workshop)]
  expect((await register(workshop)).body).toMatchObject({ code: 'full' })
  await openSelfService(second.body.page).claim({ utr: createUtr(), paid_on: '2027-01-10' })
  server.setTime('2027-01-21')
  try {
    await server.expiry.run()
    expect((await read(first.body.reg_no)).state).toBe('lapsed')
    // The other registration has been reported as paid: it waits for staff and does not expire.
    expect((await read(second.body.reg_no)).state).toBe('told')
    expect((await listEmails(first.body.reg_no)).at(-1)?.subject).toContain('has expired')
    const third = await register(workshop)
    expect(third.status).toBe(201)
    // The seat of the expired registration is sold, so staff cannot reopen it.
    const reopenResponse = await act(first.body.reg_no, { act: 'take_up' })
    expect(reopenResponse).toMatchObject({ status: 409, body: { code: 'taken' } })
    await act(third.body.reg_no, { act: 'cancel', why: 'Registered twice.' })
    expect(await act(first.body.reg_no, { act: 'take_up' })).toMatchObject({
      status: 200,
      body: { state: 'to_pay' },
    })
  } finally {
    server.setTime('2027-01-10')
  }
})

test('a registration that expired while the clock was a month ahead can be paid until its original deadline', async () => {
  const { body } = await register({ way: 'transfer' })
  const { payUntil } = await read(body.reg_no)
  server.setClock('2027-02-10')
  await server.expiry.run()
  server.setClock('2027-01-10')
  expect((await read(body.reg_no)).state).toBe('lapsed')
  await server.expiry.run()
  expect(await read(body.reg_no)).toMatchObject({ state: 'to_pay', payUntil })
  expect((await listEmails(body.reg_no)).at(-1)?.subject).toContain('is open again')
  expect(
    (await server.deps.store.actions(body.reg_no as never)).map(({ act: name }) => name),
  ).toEqual(['lapse', 'reopen'])
  const number = createUtr()
  await openSelfService(body.page).claim({ utr: number, paid_on: '2027-01-10' })
  const action = { act: 'confirm', way: 'transfer', reference: number, amount: '4720' }
  expect(await act(body.reg_no, action)).toMatchObject({ body: { state: 'complete' } })
})

test('if the credit date sets the price, a payment is compared with the price on that date', async () => {
  const { body } = await register({ way: 'transfer' })
  const number = createUtr()
  server.setTime('2027-01-20')
  try {
    await openSelfService(body.page).claim({ utr: number, paid_on: '2027-01-18' })
    const action = { act: 'confirm', way: 'transfer', reference: number, day: '2027-01-18' }
    expect(await act(body.reg_no, { ...action, amount: '5900' })).toMatchObject({
      body: { state: 'complete' },
    })
    expect(await read(body.reg_no)).toMatchObject({ period: 'regular', total: 590_000 })
  } finally {
    server.setTime('2027-01-10')
  }
})

test('a payment that does not match goes to review, and a treasurer can accept it with a reason', async () => {
  const { body } = await register({ way: 'transfer' })
  const number = createUtr()
  await openSelfService(body.page).claim({ utr: number, paid_on: '2027-01-09' })
  const action = { act: 'confirm', way: 'transfer', reference: number, day: '2027-01-09' }
  await act(body.reg_no, { ...action, amount: '4700' })
  expect(await read(body.reg_no)).toMatchObject({ inReview: true, state: 'told' })
  const reviews = await server.deps.store.reviews('lekhacon2027')
  const review = reviews.find(({ regNo }) => regNo === body.reg_no)
  const reason = 'The bank took 20 rupees.'
  expect(await act(body.reg_no, { act: 'accept', review: review?.id, why: reason })).toMatchObject({
    status: 200,
    body: { state: 'complete' },
  })
})

test('selected registrations are confirmed as reported, each one separately', async () => {
  const claim = await register({ way: 'transfer' })
  const unclaimed = await register({ way: 'transfer' })
  await openSelfService(claim.body.page).claim({ utr: createUtr(), paid_on: '2027-01-09' })
  const regNos = [claim.body.reg_no, unclaimed.body.reg_no]
  const response = await server.app.inject({
    method: 'POST',
    url: '/admin/registrations/bulk/',
    headers: { authorization: `Bearer ${(await signIn(server)).token}` },
    payload: { event: 'lekhacon2027', act: 'confirm', reg_nos: regNos },
  })
  expect(response.json()).toMatchObject({
    done: [claim.body.reg_no],
    refused: [
      {
        reg_no: unclaimed.body.reg_no,
        message: expect.stringContaining('is waiting for confirmation'),
      },
    ],
  })
  expect((await read(claim.body.reg_no)).state).toBe('complete')
})

test('selected registrations are confirmed at the price on the payment date if that date sets the price', async () => {
  const { body } = await register({ way: 'transfer' })
  try {
    server.setTime('2027-01-17')
    await openSelfService(body.page).claim({ utr: createUtr(), paid_on: '2027-01-16' })
    const response = await server.app.inject({
      method: 'POST',
      url: '/admin/registrations/bulk/',
      headers: { authorization: `Bearer ${(await signIn(server)).token}` },
      payload: { event: 'lekhacon2027', act: 'confirm', reg_nos: [body.reg_no] },
    })
    expect(response.json()).toMatchObject({ done: [body.reg_no] })
    const { regNo, state, total, inReview } = await read(body.reg_no)
    expect([state, total, inReview]).toEqual(['complete', 590_000, false])
    expect(await server.deps.store.captures(regNo)).toMatchObject([
      { amount: 590_000, state: 'fits' },
    ])
  } finally {
    server.setTime('2027-01-10')
  }
})

/** Confirms a card payment for the newest order or an earlier one, as the gateway would. */
async function payByCard(regNo: string, reference: string, orderIndex = 0): Promise<void> {
  const order = (await read(regNo)).payments[orderIndex]
  if (order === undefined) throw new Error('the registration has no order')
  const { orderId, amount } = order
  const sale = { type: 'confirmed', reference, amount, currency: '356', kind: 'sale' } as const
  await server.deps.store.applyPaymentEvent(orderId, { ...sale, at: server.now() }, null)
}

test('a delegate who chose a transfer can pay by card instead, at the same price', async () => {
  const { body } = await register({ way: 'transfer' })
  const payload = { token: body.page?.split('/')[2] }
  const url = '/api/payment/resume/'
  const paymentResponse = await server.app.inject({ method: 'POST', url, payload })
  expect(paymentResponse.json()).toMatchObject({ payment_data: { amount: '4720.00' } })
  await payByCard(body.reg_no, 'CARD1')
  expect((await read(body.reg_no)).state).toBe('complete')
})

test('after the account changes, a delegate who continues to pay gets an order for the new account at the same price', async () => {
  const { body } = await register({ way: 'transfer' })
  const payload = { token: body.page?.split('/')[2] }
  const resume = async () =>
    (await server.app.inject({ method: 'POST', url: '/api/payment/resume/', payload })).json<{
      payment_data: Record<string, string>
    }>().payment_data
  const [first, second] = [await resume(), await resume()]
  expect(second['orderid']).toBe(first['orderid'])
  try {
    const allowChange = 'allow: [{code: EV1006, because: The society has another account.}]\n'
    server.writeEvent(file, allowChange + text.replace(/account: \w+/, 'account: chirurgia'))
    await server.deps.events.reload()
    const newOrder = await resume()
    expect(newOrder['amount']).toBe(first['amount'])
    expect(newOrder['mercid']).not.toBe(first['mercid'])
    expect(newOrder['orderid']).not.toBe(first['orderid'])
    const [newest, previous] = (await read(body.reg_no)).payments
    expect(newest).toMatchObject({ orderId: newOrder['orderid'], merchantId: newOrder['mercid'] })
    // A delegate may still pay on the first gateway page, so the previous account is still queried.
    expect(previous).toMatchObject({ merchantId: first['mercid'], status: 'failed' })
    expect(previous?.watchUntil).not.toBeNull()
  } finally {
    server.writeEvent(file, text)
    await server.deps.events.reload()
  }
})

test('once the delegate has paid by card, a reported transfer is not expected; if it still arrives, it goes to review and can be refunded outside Rollcall', async () => {
  const { body } = await register({ way: 'transfer' })
  const page = openSelfService(body.page)
  const number = createUtr()
  expect((await page.claim({ utr: number, paid_on: '2027-01-09' })).status).toBe(200)
  const payload = { token: body.page?.split('/')[2] }
  await server.app.inject({ method: 'POST', url: '/api/payment/resume/', payload })
  await payByCard(body.reg_no, 'CARD2')
  expect((await read(body.reg_no)).state).toBe('complete')
  expect(await server.deps.store.paymentClaims((await read(body.reg_no)).regNo)).toMatchObject([
    { reference: number, endedAs: 'again' },
  ])
  const office = await signIn(server)
  const readActions = async () =>
    (await office.json(`/admin/registrations/${body.reg_no}/acts/`)) as unknown as ActionsResponse
  expect(await readActions()).toMatchObject({
    told: { reference: number, stands: 'unconfirmed' },
    state: 'complete',
  })
  const readRevenue = async () =>
    (await server.deps.store.dashboardFigures('lekhacon2027', '2027-01-10' as never)).revenue
  const revenueBefore = await readRevenue()
  const action = { act: 'came_again', way: 'transfer', reference: number, amount: '4720' }
  expect(await act(body.reg_no, { ...action, amount: '0' })).toMatchObject({ status: 422 })
  expect(await act(body.reg_no, action)).toMatchObject({
    status: 200,
    body: { state: 'complete', message: expect.stringContaining('needs review') },
  })
  expect(await act(body.reg_no, action)).toMatchObject({ status: 409, body: { code: 'taken' } })
  const actions = await readActions()
  expect(actions).toMatchObject({ kept: 4720, due: 0, pay_back: 0 })
  const [review] = actions.reviews
  expect(review).toMatchObject({ kind: 'second', decisions: ['refund', 'move', 'dismiss'] })
  expect(actions.trail[0]).toMatchObject({
    act: 'came_again',
    text: expect.stringContaining(number),
  })
  const sendDecision = async (decision: object) =>
    server.app.inject({
      method: 'POST',
      url: `/admin/reviews/${review?.id}/decide/`,
      headers: { authorization: `Bearer ${office.token}` },
      payload: {
        decision: 'refund',
        version: await readShownVersion(server, review?.id),
        why: 'Paid twice.',
        ...decision,
      },
    })
  expect((await sendDecision({})).json()).toMatchObject({ code: 'not_by_gateway' })
  const part = await sendDecision({ amount: 720, by_hand: true, reference: 'NEFT 1' })
  expect(part.json()).toMatchObject({ message: '₹\u00a0720 was refunded outside Rollcall.' })
  expect((await readActions()).reviews).toMatchObject([{ left: 4000 }])
  const rest = await sendDecision({ by_hand: true, reference: 'NEFT 2' })
  expect(rest.json()).toMatchObject({ message: '₹\u00a04,000 was refunded outside Rollcall.' })
  expect(await readActions()).toMatchObject({ reviews: [], kept: 4720, state: 'complete' })
  expect(await read(body.reg_no)).toMatchObject({ inReview: false, paymentStatus: 'success' })
  expect(await readRevenue()).toBe(revenueBefore)
})

test('a delegate who pays the previous order after a correction reports only the difference, and is not asked for the full price', async () => {
  const { body } = await register({ way: 'transfer' })
  const payload = { token: body.page?.split('/')[2] }
  await server.app.inject({ method: 'POST', url: '/api/payment/resume/', payload })
  const higherAnswers = { registered_as: 'non-member' }
  const correction = { act: 'correct', answers: higherAnswers, total: 7080, why: 'No member.' }
  expect((await act(body.reg_no, correction)).status).toBe(200)
  await payByCard(body.reg_no, 'CARD3', 1)
  expect(await read(body.reg_no)).toMatchObject({ state: 'to_pay', due: 236_000 })
  const page = openSelfService(body.page)
  const number = createUtr()
  const claim = await page.claim({ utr: number, paid_on: '2027-01-10' })
  expect(claim).toMatchObject({ status: 200, body: { state: 'told' } })
  expect((await read(body.reg_no)).payments[0]).toMatchObject({ amount: 236_000 })
  const action = { act: 'confirm', way: 'transfer', reference: number, amount: '2360' }
  expect(await act(body.reg_no, action)).toMatchObject({ status: 200, body: { state: 'complete' } })
  expect(await read(body.reg_no)).toMatchObject({ due: 0, inReview: false })
})

test('a cash slip and a card machine slip with the same number both count, even after an online payment was started', async () => {
  const payWithSlip = async (method: string) => {
    const { body } = await register({ way: 'card' })
    const slip = { act: 'confirm', way: method, reference: '4711', amount: '4720' }
    expect(await act(body.reg_no, slip), method).toMatchObject({ body: { state: 'complete' } })
    expect(await act(body.reg_no, slip)).toMatchObject({ status: 409 })
    return body.reg_no
  }
  await payWithSlip('cash')
  const second = await payWithSlip('machine')
  const { payments, paymentStatus, inReview, regNo } = await read(second)
  expect([paymentStatus, inReview]).toEqual(['success', false])
  expect(payments).toMatchObject([
    { status: 'success', reference: '4711', way: 'machine' },
    // The delegate may still be on the gateway's page.
    { status: 'failed', way: null, watchUntil: expect.any(Number) },
  ])
  await payByCard(second, 'CARD4', 1)
  expect(await read(second)).toMatchObject({ paymentStatus: 'success', inReview: true })
  const documents = await server.deps.store.documents(regNo)
  expect(documents.filter(({ kind }) => kind === 'receipt')).toHaveLength(1)
})

test('a payment for a cancelled registration goes to review; one for an unpaid registration is confirmed', async () => {
  const { body } = await register({ way: 'transfer' })
  const action = { act: 'came_again', way: 'transfer', reference: createUtr(), amount: '4720' }
  expect(await act(body.reg_no, action)).toMatchObject({ status: 409, body: { code: 'not_now' } })
  expect((await act(body.reg_no, { act: 'cancel', why: 'Ill.' })).status).toBe(200)
  expect(await act(body.reg_no, action)).toMatchObject({
    status: 200,
    body: { state: 'cancelled' },
  })
  const office = await signIn(server)
  const url = `/admin/registrations/${body.reg_no}/acts/`
  expect(await office.json(url)).toMatchObject({ reviews: [{ kind: 'ended' }], kept: 0 })
})

test('a screenshot is uploaded first, then stored with the registration, and shown only to staff', async () => {
  const { body } = await register({ way: 'transfer' })
  const page = openSelfService(body.page)
  const image = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const files = { 'transfer.screenshot': { name: 'paid.png', bytes: image, type: 'image/png' } }
  const upload = await server.post(`/api${body.page ?? ''}/proofs/`, {}, files)
  expect(upload.statusCode, upload.body).toBe(201)
  const { token } = upload.json<{ token: string }>()
  const number = createUtr()
  const answers = { utr: number, paid_on: '2027-01-09', screenshot: token }
  // A token in a list is rejected. If it were ignored, the claim would be stored without its screenshot.
  expect((await page.claim({ ...answers, screenshot: [token] })).status).toBe(422)
  expect((await page.claim(answers)).status).toBe(200)
  const office = await signIn(server)
  const actions = await office.json(actionsUrl(body.reg_no))
  const { told: claim } = actions as unknown as ActionsResponse
  const [answer] = claim?.answers ?? []
  expect(answer).toMatchObject({ label: 'Screenshot' })
  expect((await office.get(answer?.href ?? '')).rawPayload.subarray(1, 4).toString()).toBe('PNG')
  expect(JSON.stringify(await page.read())).not.toContain('/admin/')
})

test('a payment method cannot be chosen after its final date, and the response lists the other methods', async () => {
  server.setTime('2027-02-06')
  try {
    expect(await register({ way: 'transfer' })).toMatchObject({
      status: 422,
      body: { errors: { way: expect.stringContaining('Please choose Card') } },
    })
    expect((await register({ way: 'card' })).status).toBe(201)
  } finally {
    server.setTime('2027-01-10')
  }
})

describe('the front desk', () => {
  const add = async (
    payload: Readonly<Record<string, unknown>>,
    role: 'desk' | 'viewer' = 'desk',
  ) => {
    const username = `at the ${role}`
    if ((await server.deps.store.admin(username)) === null)
      await server.deps.store.addAdmin(username, await hashCheaply(PASSWORD), server.now(), {
        role,
        events: ['lekhacon2027'],
      })
    const { token } = await signIn(server, username)
    const headers = { authorization: `Bearer ${token}` }
    const body = {
      event: 'lekhacon2027',
      key: `click-of-${++numberCount}`,
      answers: asha,
      ...payload,
    }
    const url = '/admin/add/'
    const response = await server.app.inject({ method: 'POST', url, headers, payload: body })
    return { status: response.statusCode, body: response.json<Record<string, unknown>>(), headers }
  }
  const cash = { way: 'desk', paid: { mode: 'cash', slip: '17' } }

  test('a user with the desk role can register a delegate and record the payment, but cannot refund it', async () => {
    const { status, body, headers } = await add({
      ...cash,
      answers: { ...asha, full_name: 'Binu Nair' },
    })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body['state']).toBe('complete')
    const regNo = String(body['reg_no'])
    expect(await read(regNo)).toMatchObject({ total: 472_000, paymentStatus: 'success' })
    expect((await read(regNo)).answers).not.toHaveProperty('way')
    const history = await server.deps.store.actions((await read(regNo)).regNo)
    expect(history.map(({ act, who }) => [act, who])).toEqual([
      ['add', 'at the desk'],
      ['confirm', 'at the desk'],
    ])
    expect((await listEmails(regNo)).map(({ subject }) => subject)).toEqual([
      `LEKHACON 2027: ${regNo}`,
    ])
    const url = actionsUrl(regNo)
    const payload = { act: 'refund', why: 'She asked for it.', by_hand: true, reference: '18' }
    const refund = await server.app.inject({ method: 'POST', url, headers, payload })
    expect(refund.json()).toMatchObject({ code: 'not_your_role' })
    const actions = await server.app.inject({ method: 'GET', url, headers })
    expect(actions.json<ActionsResponse>().allowed).not.toContain('refund')
  })

  test('a changed price is shown before the registration is stored', async () => {
    const count = async () =>
      (await server.deps.store.dashboardFigures('lekhacon2027', '2027-01-10' as never)).total
    const countBefore = await count()
    expect(await add({ ...cash, total: 4000 })).toMatchObject({
      status: 409,
      body: { code: 'price_changed', message: expect.stringContaining('now ₹\u00a04,720') },
    })
    expect(await count()).toBe(countBefore)
    expect((await add({ ...cash, total: 4720, paid: { mode: 'cash', slip: '170' } })).status).toBe(
      201,
    )
  })

  test('a repeated click registers the delegate and records the payment only once', async () => {
    const repeatedBody = { ...cash, key: 'the-same-click', paid: { mode: 'card', slip: '21' } }
    const [first, second] = [await add(repeatedBody), await add(repeatedBody)]
    expect(second).toMatchObject({ status: 201, body: first.body })
    expect(
      await server.deps.store.captures((await read(String(first.body['reg_no']))).regNo),
    ).toHaveLength(1)
  })

  test('a delegate who is registered without a payment is emailed the payment instructions', async () => {
    const { body } = await add({ answers: { ...asha, way: 'transfer' } })
    expect(body['state']).toBe('to_pay')
    expect((await listEmails(String(body['reg_no'])))[0]?.text).toContain('account 50200012345678')
  })

  test('errors in the form and in the payment are shown at their fields', async () => {
    expect(await add({ ...cash, answers: { ...asha, email: 'nobody' } })).toMatchObject({
      status: 422,
      body: { errors: { email: expect.any(String) } },
    })
    expect(await add({ way: 'desk', paid: { mode: 'gold' } })).toMatchObject({
      status: 422,
      body: { errors: { mode: expect.any(String), slip: expect.any(String) } },
    })
    expect(await add({ way: 'transfer', paid: {} })).toMatchObject({ status: 422 })
    expect((await add(cash, 'viewer')).status).toBe(403)
  })
})

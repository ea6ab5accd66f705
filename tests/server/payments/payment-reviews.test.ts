/** Reviews of payments that do not match, through the office's API and with commands. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toAmount, getReviewVersion } from '../../../engine/index.ts'
import type { PaymentEvent, RegNo } from '../../../engine/index.ts'
import type {
  DebtorsResponse,
  DecisionResponse,
  ErrorResponse,
  ReviewsResponse,
  StatsResponse,
} from '../../../engine/api.ts'
import { startDailyReviewEmail } from '../../../server/mail/send-daily-payment-reviews.ts'
import { startRefundEmails } from '../../../server/mail/send-refund-emails.ts'
import { decideReview } from '../../../server/payments/decide-payment-review.ts'
import { openPayments } from '../../../server/payments/poll-payments.ts'
import { main } from '../../../server/cli/run-command.ts'
import { normaliseSpaces } from '../cli/cli.ts'
import { hashCheaply } from '../office/office.ts'
import { openTestServer } from './server-with-gateway.ts'
import type { PlacedOrder, TestServer } from './server-with-gateway.ts'
import { withoutThreads } from '../store-without-threads.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const PASSWORD = 'a password for tests'
let testServer: TestServer
let token: string
beforeAll(async () => {
  testServer = await openTestServer()
  const { store } = testServer.parts().deps
  await store.addAdmin('treasurer', await hashCheaply(PASSWORD), testServer.now())
})
afterAll(() => testServer.close())

/** Signs in and stores the token, because idle sessions expire when a test advances the clock. */
const signIn = async (): Promise<void> => {
  const response = await fetch(`${testServer.url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'treasurer', password: PASSWORD }),
  })
  token = ((await response.json()) as { token: string }).token
}
const callOffice = async <A>(
  path: string,
  body?: object,
): Promise<{ status: number; answer: A }> => {
  await signIn()
  const response = await fetch(`${testServer.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, answer: (await response.json()) as A }
}
const readReviews = async () =>
  (await callOffice<ReviewsResponse>('/admin/reviews/?event=afpicon2026')).answer.reviews
/** Reads the review version that a page shows at this time. Returns "decided" if the review is closed. */
const readVersion = async (id: string): Promise<string> => {
  const review = await testServer.parts().deps.store.review(id)
  return review === null ? 'decided' : getReviewVersion(review)
}
const sendDecision = async (id: string, decision: object) =>
  callOffice<DecisionResponse & ErrorResponse>(`/admin/reviews/${id}/decide/`, {
    version: await readVersion(id),
    ...decision,
  })
const refund = (regNo: string, decision: object) =>
  callOffice<DecisionResponse & ErrorResponse>(`/admin/registrations/${regNo}/acts/`, {
    act: 'refund',
    ...decision,
  })
const reconcile = () => testServer.parts().deps.payments.queryDue()
const registerAndPay = async (): Promise<PlacedOrder> => {
  const order = await testServer.placeOrder()
  await testServer.sandbox().runAction(order.orderId, 'stay')
  await testServer.waitUntilIdle()
  return order
}
/** Pays 7,079 rupees instead of 7,080, and returns the order and the id of its review. */
const payWrongAmount = async (): Promise<PlacedOrder & { readonly id: string }> => {
  const order = await testServer.placeOrder()
  await testServer.sandbox().runAction(order.orderId, 'wrong')
  await testServer.waitUntilIdle()
  const review = (await readReviews()).find(({ order_id: id }) => id === order.orderId)
  if (review === undefined) throw new Error('no open review')
  return { ...order, id: review.id }
}
const reason = 'Spoke to the delegate.'

describe('a payment that does not match', () => {
  test('does not count once refunded if it was an authorisation: the sale in the same response pays the registration, with one email', async () => {
    const { orderId } = await testServer.placeOrder()
    const { deps } = testServer.parts()
    const [{ amount } = { amount: 0 }] = testServer.rows(
      'SELECT amount FROM payments WHERE order_id = ?',
      orderId,
    )
    let paymentEvent: PaymentEvent = {
      type: 'confirmed',
      reference: 'AUTH77',
      amount: toAmount(Number(amount)),
      currency: 'INR',
      kind: 'other',
      at: testServer.now(),
      further: [{ reference: 'SALE77', amount: toAmount(Number(amount)), kind: 'sale' }],
    }
    const payments = openPayments(
      {
        ...deps,
        gateway: {
          ...deps.gateway,
          status: async () => ({ is: 'payment-event', paymentEvent, raw: '' }),
        },
      },
      { isEnabled: false },
    )
    expect(await payments.verify(orderId, 1000)).toBe('review')
    paymentEvent = {
      ...paymentEvent,
      refunds: [{ reference: 'BACK77', amount: toAmount(Number(amount)) }],
    }
    await payments.verify(orderId, 1000)
    expect(await payments.verify(orderId, 1000)).toBe('success')
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'success', emails: 1 })
  })

  test('can be accepted after its event file was removed, and the delegate then receives the confirmation', async () => {
    const { orderId, id } = await payWrongAmount()
    const { deps } = testServer.parts()
    const depsWithoutEvent = { ...deps, events: { ...deps.events, findById: () => null } }
    const decision = { decision: 'accept', version: await readVersion(id), why: reason }
    expect(await decideReview(depsWithoutEvent, id, decision, 'treasurer')).toMatchObject({
      ok: true,
    })
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'success', emails: 1 })
  })

  test('appears in the list, on the dashboard, in the metrics and in the log; accepting it confirms the registration', async () => {
    const { regNo, orderId, id } = await payWrongAmount()
    const [review] = (await readReviews()).filter((review) => review.id === id)
    expect(review).toMatchObject({
      kind: 'misfit',
      decisions: ['accept', 'ask', 'refund', 'move', 'dismiss'],
      reg_no: regNo,
      came: { amount: 7079, currency: 'INR', source: 'airpay' },
      due: 7080,
      left: 7079,
      why: 'The payment is ₹\u00a07,079 instead of ₹\u00a07,080.',
    })
    const dashboard = (await callOffice<StatsResponse>('/admin/dashboard/stats/')).answer.data
    expect(dashboard['afpicon_stats']).toMatchObject({ needs_decision: 1 })
    expect(await (await fetch(`${testServer.url}/metrics`)).text()).toMatch(
      /rollcall_reviews\{is="all"\} 1/,
    )
    await testServer.parts().dailyReviewEmail.run()
    expect(testServer.log).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        reviews: 1,
        message: 'payment reviews are pending',
      }),
    )
    expect(await sendDecision(id, { decision: 'accept', why: '' })).toMatchObject({
      status: 422,
      answer: { code: 'no_grounds' },
    })
    expect(await sendDecision(id, { decision: 'accept', why: reason })).toMatchObject({
      status: 200,
      answer: { status: 'success', reg_no: regNo, refund: null },
    })
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'success',
      review: null,
      emails: 1,
    })
    expect(await sendDecision(id, { decision: 'dismiss', why: reason })).toMatchObject({
      status: 409,
      answer: { code: 'decided_already' },
    })
    // Polling returns the same result again.
    testServer.advance(2 * HOUR_MS)
    await reconcile()
    expect(await readReviews()).toEqual([])
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'success', emails: 1 })
    expect(
      testServer.rows('SELECT who, why FROM decisions WHERE capture_id = ?', Number(id.slice(1))),
    ).toEqual([{ who: 'treasurer', why: reason }])
  })

  test('can count as a part payment: the balance is due, and the delegate receives a payment link instead of a confirmation', async () => {
    const { regNo, id } = await payWrongAmount()
    expect(await sendDecision(id, { decision: 'ask', why: reason })).toMatchObject({
      answer: {
        message: expect.stringMatching(/^₹.7,079 counts, and ₹.1 is still due\. Email sent to /),
      },
    })
    const { store } = testServer.parts().deps
    expect(await store.emailsOfRegistration(regNo as RegNo)).toMatchObject([
      {
        subject: expect.stringMatching(/^AFPICON 2026: ₹.1 more to pay$/),
        text: expect.stringContaining(
          `Your registration ${regNo} for AFPICON 2026 costs ₹\u00a07,080, of which ₹\u00a01 is still to pay.`,
        ),
      },
    ])
    expect(await store.registration(regNo as RegNo)).toMatchObject({ state: 'to_pay', due: 100 })
    const { answer } = await callOffice<DebtorsResponse>('/admin/debtors/')
    expect(answer.debtors.find(({ reg_no: debtor }) => debtor === regNo)).toMatchObject({
      amount: 1,
      state: 'to_pay',
      payment_status: 'success',
    })
    const response = await fetch(`${testServer.url}/admin/debtors/export/`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect((await response.text()).split('\r\n').find((line) => line.includes(regNo))).toMatch(
      /,1\.00,INR,.*,Partly paid$/,
    )
  })

  test('can be refunded, and the delegate can then pay again', async () => {
    const { regNo, orderId, id } = await payWrongAmount()
    const { answer } = await sendDecision(id, { decision: 'refund', why: reason })
    expect(answer).toMatchObject({ status: 'success', refund: 'asked' })
    expect(testServer.sandbox().order(orderId)?.refunds).toMatchObject([{ amount: '7079.00' }])
    testServer.advance(2 * MINUTE_MS)
    await reconcile()
    expect(await testServer.parts().deps.store.refunds(regNo as RegNo)).toMatchObject([
      { state: 'done' },
    ])
    expect(await readReviews()).toEqual([])
    expect(testServer.readOrderState(orderId)).toMatchObject({
      registration: 'failed',
      review: null,
      emails: 0,
    })
    // The stored reason for the failure is not "unknown".
    const registration = await testServer.parts().deps.store.registration(regNo as RegNo)
    expect(registration?.payments[0]?.failure).toBe('given-back')
    const retryResponse = await fetch(`${testServer.url}/api/payment/retry/`, {
      method: 'POST',
      body: new URLSearchParams({ order_id: orderId }),
    })
    expect([retryResponse.status, await retryResponse.json()]).toMatchObject([
      201,
      { reg_no: regNo },
    ])
  })

  test("can be decided only with a session, and not from another site's page", async () => {
    const postDecision = (headers: Record<string, string>) =>
      fetch(`${testServer.url}/admin/reviews/C1/decide/`, { method: 'POST', headers })
    expect((await postDecision({})).status).toBe(401)
    await signIn()
    const cookie = `rollcall_session=${token}`
    expect((await postDecision({ cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await fetch(`${testServer.url}/admin/reviews/`)).status).toBe(401)
  })
})

describe('a refund', () => {
  test('of part of the payment leaves the registration paid; a refund of the rest changes its status to refunded, and the figures are updated', async () => {
    const { regNo, orderId } = await registerAndPay()
    const revenueBefore = (await callOffice<StatsResponse>('/admin/dashboard/stats/')).answer.data
      .revenue_stats
    expect(await refund(regNo, { amount: 80, why: reason })).toMatchObject({
      status: 200,
      answer: {
        refund: 'asked',
        message: expect.stringContaining('The gateway has started the refund'),
      },
    })
    testServer.advance(2 * MINUTE_MS)
    await reconcile()
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'success',
      registration: 'success',
    })
    expect(await refund(regNo, { amount: '7000.01', why: reason })).toMatchObject({
      status: 422,
      answer: { code: 'bad_amount' },
    })
    await refund(regNo, { why: reason })
    testServer.advance(2 * MINUTE_MS)
    await reconcile()
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'refunded',
      registration: 'refunded',
    })
    const revenueAfter = (await callOffice<StatsResponse>('/admin/dashboard/stats/')).answer.data
      .revenue_stats
    expect(revenueBefore.total_revenue - revenueAfter.total_revenue).toBe(7080)
  })

  test('that is made in the merchant panel is detected, whether it is partial, full or a second refund', async () => {
    const { orderId } = await registerAndPay()
    testServer.sandbox().refundInPanel(orderId, toAmount(8_000))
    testServer.advance(2 * HOUR_MS)
    await reconcile()
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'success', review: null })
    expect(testServer.rows('SELECT amount, state FROM refunds ORDER BY id DESC LIMIT 1')).toEqual([
      { amount: 8_000, state: 'done' },
    ])
    const refundEmails = startRefundEmails(testServer.parts().deps, { isEnabled: false })
    expect(await refundEmails.run()).toBeGreaterThan(0)
    expect(
      testServer.rows(
        `SELECT m.subject FROM mail_queue m JOIN payments p ON p.registration_id = m.registration_id
         WHERE p.order_id = '${orderId}' AND m.kind = 'given-back'`,
      ),
    ).toEqual([{ subject: 'Your refund for AFPICON 2026: ₹ 80' }])
    testServer.sandbox().refundInPanel(orderId, toAmount(700_000))
    testServer.advance(4 * HOUR_MS)
    await reconcile()
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'refunded', review: null })
  })

  test('that is requested twice concurrently is created once', async () => {
    const { regNo, orderId } = await registerAndPay()
    await Promise.all([
      refund(regNo, { why: reason }),
      refund(regNo, { why: reason }),
      reconcile(),
      reconcile(),
    ])
    expect(testServer.sandbox().order(orderId)?.refunds.length).toBe(1)
  })

  test('that gets no response is not requested again; the status query decides', async () => {
    const { regNo, orderId } = await registerAndPay()
    const { deps } = testServer.parts()
    let refundRequests = 0
    const losingGateway = {
      ...deps.gateway,
      refund: async (...args: Parameters<typeof deps.gateway.refund>) => {
        refundRequests += 1
        await deps.gateway.refund(...args)
        return { is: 'unsure', error: 'no answer in time', raw: '' } as const
      },
    }
    const payments = openPayments({ ...deps, gateway: losingGateway }, { isEnabled: false })
    await deps.store.requestRefund({
      of: regNo,
      amount: null,
      why: reason,
      who: 'treasurer',
      at: testServer.now(),
    })
    await payments.sendRefunds()
    await payments.sendRefunds()
    testServer.advance(10 * MINUTE_MS)
    await payments.sendRefunds()
    expect(refundRequests).toBe(1)
    await reconcile()
    expect(testServer.readOrderState(orderId)).toMatchObject({ registration: 'refunded' })
    expect(testServer.sandbox().order(orderId)?.refunds.length).toBe(1)
  })
})

test("the treasurer's commands (review, decide, refund) work while the server is running", async () => {
  const runCommand = async (...args: readonly string[]) => {
    const [output, errorOutput]: [string[], string[]] = [[], []]
    const status = await main(args, {
      print: (line) => void output.push(line),
      printError: (line) => void errorOutput.push(line),
      environment: () =>
        withoutThreads({ ...testServer.environment, clockStart: testServer.now() }),
    })
    return { status, out: output.join('\n'), err: errorOutput.join('\n') }
  }
  const [{ regNo, id }, otherOrder] = [await payWrongAmount(), await testServer.placeOrder()]
  const listResult = await runCommand('payment', 'reviews')
  expect([listResult.status, listResult.err]).toEqual([0, ''])
  expect(normaliseSpaces(listResult.out)).toContain(`${id}`)
  expect(normaliseSpaces(listResult.out)).toContain('The payment is ₹ 7,079 instead of ₹ 7,080.')
  const json = await runCommand('payment', 'reviews', '--event', 'afpicon2026', '--json')
  expect(JSON.parse(json.out)).toMatchObject([{ id, reg_no: regNo }])
  const userOptions = ['--who', 'Meera', '--why', reason]
  const buildDecisionOptions = async () => ['--version', await readVersion(id), ...userOptions]
  expect((await runCommand('payment', 'decide', id, 'accept')).status).toBe(2)
  expect((await runCommand('payment', 'decide', id, 'move', ...userOptions)).status).toBe(2)
  const wrongTarget = await runCommand(
    'payment',
    'decide',
    id,
    'move',
    '--to',
    'AFPI0',
    ...(await buildDecisionOptions()),
  )
  expect([wrongTarget.status, wrongTarget.err]).toEqual([
    1,
    expect.stringContaining('No registration has this number'),
  ])
  const staleOptions = await buildDecisionOptions()
  expect(normaliseSpaces(listResult.out)).toContain(`Version: ${staleOptions[1]}`)
  const moveResult = await runCommand(
    'payment',
    'decide',
    id,
    'move',
    '--to',
    otherOrder.regNo,
    ...staleOptions,
  )
  expect([moveResult.status, normaliseSpaces(moveResult.out)]).toEqual([
    0,
    expect.stringContaining('where it needs review'),
  ])
  expect((await runCommand('payment', 'decide', id, 'accept', ...userOptions)).status).toBe(2)
  const staleResult = await runCommand('payment', 'decide', id, 'accept', ...staleOptions)
  expect([staleResult.status, staleResult.err]).toEqual([
    1,
    expect.stringContaining('was moved after you opened this page'),
  ])
  expect(
    (await runCommand('payment', 'decide', id, 'accept', ...(await buildDecisionOptions()))).status,
  ).toBe(0)
  expect(testServer.readOrderState(otherOrder.orderId)).toMatchObject({
    status: 'success',
    emails: 1,
  })
  const refundResult = await runCommand(
    'payment',
    'refund',
    otherOrder.regNo,
    '--amount',
    '79',
    ...userOptions,
  )
  expect([refundResult.status, normaliseSpaces(refundResult.out)]).toEqual([
    0,
    expect.stringContaining('The gateway has started the refund'),
  ])
  expect(
    (await runCommand('payment', 'refund', otherOrder.regNo, '--amount', 'much', ...userOptions))
      .status,
  ).toBe(2)
  expect((await runCommand('payment', 'decide', id, 'dismiss', ...staleOptions)).status).toBe(1)
  expect(normaliseSpaces((await runCommand('payment', 'reviews')).out)).toContain(
    'No payment needs review.',
  )
})

test(
  'on days with open reviews, the server sends the organisers one email at nine',
  { tags: ['slow'] },
  async () => {
    const { id } = await payWrongAmount()
    const { deps } = testServer.parts()
    const readReviewEmails = () =>
      testServer.rows(
        "SELECT recipient, subject, body FROM mail_queue WHERE kind = 'reviews' ORDER BY id",
      )
    testServer.setTime('2025-12-01T08:59:00+05:30')
    const dailyEmail = startDailyReviewEmail(deps, { isEnabled: false })
    expect(await dailyEmail.run()).toBe(0)
    testServer.advance(MINUTE_MS)
    expect(await dailyEmail.run()).toBe(1)
    expect(await dailyEmail.run()).toBe(0)
    // A server that starts at noon does not send the email again.
    testServer.advance(3 * HOUR_MS)
    expect(await startDailyReviewEmail(deps, { isEnabled: false }).run()).toBe(0)
    expect(readReviewEmails()).toMatchObject([
      {
        recipient: deps.events.findById('afpicon2026')?.config.office,
        subject: expect.stringContaining('one payment needs review'),
        body: expect.stringContaining(id),
      },
    ])
    testServer.advance(DAY_MS)
    await sendDecision(id, { decision: 'dismiss', why: reason })
    expect(await startDailyReviewEmail(deps, { isEnabled: false }).run()).toBe(0)
    expect(readReviewEmails().length).toBe(1)
    await testServer.parts().mailer.run()
    expect(testServer.rows("SELECT status FROM mail_queue WHERE kind = 'reviews'")).toEqual([
      { status: 'sent' },
    ])
  },
)

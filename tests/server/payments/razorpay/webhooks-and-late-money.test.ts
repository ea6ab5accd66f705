/** Webhooks, refunds, and late, failed and second payments, on a real server with the simulator. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHealthChecks } from '../../../../server/ops/health/health-checks.ts'
import { computeSignature } from '../../../../server/payments/gateways/razorpay/signatures.ts'
import type { SimulatedOrder } from '../../../../server/payments/gateways/razorpay/simulator/simulator-state.ts'
import { sendRefunds } from '../../../../server/payments/send-gateway-refunds.ts'
import { signIn } from '../../office/office.ts'
import { NOON, openRazorpayServer } from './razorpay-server.ts'
import type { RazorpayServer } from './razorpay-server.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let server: RazorpayServer
beforeAll(async () => {
  server = await openRazorpayServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.setTime(NOON)
  Object.assign(server.simulator().faults, {
    responses: [],
    withoutCapture: false,
    refundDelayMs: 0,
    refundOutcome: 'processed',
    balance: Number.MAX_SAFE_INTEGER,
  })
})

const getSimulatedOrder = (orderId: string): SimulatedOrder => {
  const order = server.simulator().order(orderId)
  if (order === null) throw new Error('the gateway has no such order')
  return order
}
const reconcile = () => server.parts().deps.payments.queryDue(true)
const createWebhook = (orderId: string, type = 'payment.captured'): string =>
  JSON.stringify({
    event: type,
    payload: { payment: { entity: { id: 'pay_x', order_id: getSimulatedOrder(orderId).id } } },
  })
const SECRET = 'sandbox-webhook-of-society'
const createHeaders = (body: string, eventId: string, secret = SECRET) => ({
  'x-razorpay-signature': computeSignature(body, secret),
  'x-razorpay-event-id': eventId,
})

describe('a webhook', () => {
  test('that arrives before the browser returns completes the payment', async () => {
    const { orderId, page } = await server.pay('first')
    await server.waitUntilIdle()
    expect(page?.pathname).toBe('/razorinr/success')
    expect(server.readOrderState(orderId)).toMatchObject({ status: 'success', emails: 1 })
  })
  test('completes the payment of a delegate who does not return', async () => {
    const { orderId } = await server.pay('stay')
    await server.waitUntilIdle()
    await server.waitForStatus(orderId, 'success')
    expect(server.readOrderState(orderId)).toMatchObject({ emails: 1, returns: 0 })
  })
  test('that is received five times and out of order is processed once', async () => {
    const { orderId } = await server.pay('often')
    await server.waitUntilIdle()
    const orderState = server.readOrderState(orderId)
    expect(orderState).toMatchObject({ status: 'success', events: ['confirmed'], emails: 1 })
    const body = createWebhook(orderId)
    const webhookCount = server.readOrderState(orderId).webhooks
    for (let n = 0; n < 3; n++)
      expect((await server.postWebhook(body, createHeaders(body, 'evt_same'))).status).toBe(200)
    expect(server.readOrderState(orderId).webhooks).toBe(webhookCount + 1)
  })
  test('with a forged signature is refused, and changes nothing', async () => {
    const checkout = await server.registerFor('razorinr')
    await server.openCheckout(checkout.data)
    const body = createWebhook(checkout.orderId)
    expect((await server.postWebhook(body, createHeaders(body, 'evt_f', 'guess'))).status).toBe(400)
    expect((await server.postWebhook(body.slice(0, -3), createHeaders(body, 'evt_t'))).status).toBe(
      400,
    )
    await server.waitUntilIdle()
    expect(server.readOrderState(checkout.orderId)).toMatchObject({
      status: 'pending',
      webhooks: 0,
    })
  })
  test('that is signed with the previous secret is accepted', async () => {
    const checkout = await server.registerFor('razorinr')
    const body = createWebhook(checkout.orderId)
    const headers = createHeaders(body, 'evt_old', 'earlier-webhook-of-society')
    expect((await server.postWebhook(body, headers)).status).toBe(200)
  })
  test('that reports a payment unknown to the gateway changes nothing', async () => {
    const checkout = await server.registerFor('razorinr')
    const body = createWebhook(checkout.orderId, 'order.paid')
    expect((await server.postWebhook(body, createHeaders(body, 'evt_claim'))).status).toBe(200)
    await server.waitUntilIdle()
    expect(server.readOrderState(checkout.orderId)).toMatchObject({ status: 'pending', events: [] })
  })
  test('for another application of the same merchant is accepted', async () => {
    const body = JSON.stringify({
      event: 'payment.captured',
      payload: { payment: { entity: { id: 'pay_y', order_id: 'order_of_the_shop' } } },
    })
    expect((await server.postWebhook(body, createHeaders(body, 'evt_shop'))).status).toBe(200)
  })
  test('that is lost does not matter, because polling completes the payment', async () => {
    const checkout = await server.registerFor('razorinr')
    const id = await server.openCheckout(checkout.data)
    await server.simulator().run(id, 'silent')
    await reconcile()
    expect(server.readOrderState(checkout.orderId)).toMatchObject({ status: 'success', emails: 1 })
  })
})

describe('a payment that arrives late', () => {
  test('after a failure completes the registration', async () => {
    const { orderId, page } = await server.pay('late')
    await server.waitUntilIdle()
    expect(page?.pathname).toBe('/razorinr/failed')
    expect(server.readOrderState(orderId)).toMatchObject({ status: 'failed', events: ['declined'] })
    server.advance(10 * MINUTE_MS)
    await server.simulator().authoriseLatePayment(getSimulatedOrder(orderId).id)
    await server.waitUntilIdle()
    await server.waitForStatus(orderId, 'success')
    expect(server.readOrderState(orderId)).toMatchObject({
      events: ['declined', 'confirmed'],
      emails: 1,
    })
  })
  test("after the gateway's deadline is returned to the payer and not recorded", async () => {
    const { orderId } = await server.pay('late')
    server.advance(4 * DAY_MS)
    await server.simulator().authoriseLatePayment(getSimulatedOrder(orderId).id)
    await server.waitUntilIdle()
    await reconcile()
    expect(getSimulatedOrder(orderId).payments.at(-1)?.status).toBe('returned')
    expect(server.readOrderState(orderId)).toMatchObject({
      status: 'failed',
      registration: 'failed',
    })
  })
  test('and is authorised but not captured is captured by our query', async () => {
    server.simulator().faults.isCaptureDisabled = true
    const { orderId, page } = await server.pay('silent')
    expect(page?.pathname).toBe('/razorinr/success')
    expect(getSimulatedOrder(orderId).payments.at(-1)?.status).toBe('captured')
    expect(server.readOrderState(orderId)).toMatchObject({ status: 'success' })
  })
  test('for one attempt is not captured if another attempt has paid the registration', async () => {
    const first = await server.pay('decline')
    await server.waitUntilIdle()
    const { payment_data: data } = (await server.retry(first.orderId)).body
    if (data === undefined) throw new Error('no form')
    server.simulator().faults.isCaptureDisabled = true
    await server.simulator().run(await server.openCheckout(data), 'silent')
    server.simulator().faults.isCaptureDisabled = false
    await server.simulator().authoriseLatePayment(getSimulatedOrder(first.orderId).id)
    await server.waitUntilIdle()
    await server.waitForStatus(first.orderId, 'success')
    await reconcile()
    expect(getSimulatedOrder(data.orderid).payments.at(-1)?.status).toBe('authorized')
    expect(server.readOrderState(first.orderId)).toMatchObject({
      registration: 'success',
      review: null,
    })
    expect(server.readOrderState(data.orderid)).toMatchObject({ status: 'pending', review: null })
  })
  test('for an order that is already paid is left to staff, and the first payment counts', async () => {
    const { orderId } = await server.pay('twice')
    await server.waitUntilIdle()
    const orderState = server.readOrderState(orderId)
    expect(orderState).toMatchObject({ status: 'success', registration: 'success' })
    expect(orderState.review).toContain('a second time')
  })
  test('a declined payment can be retried with a new order at the gateway', async () => {
    const { orderId, page } = await server.pay('decline')
    await server.waitUntilIdle()
    expect(page?.pathname).toBe('/razorinr/failed')
    const retryResponse = await server.retry(orderId)
    expect(retryResponse.status, JSON.stringify(retryResponse.body)).toBe(201)
    const { payment_data: data } = retryResponse.body
    expect(data?.['checkout_id']).not.toBe(getSimulatedOrder(orderId).id)
    if (data === undefined) throw new Error('no form')
    const fields = await server.simulator().run(await server.openCheckout(data), 'silent')
    await server.returnTo(data.orderid, fields)
    expect(server.readOrderState(data.orderid)).toMatchObject({
      status: 'success',
      registration: 'success',
    })
  })
  test('a cancelled checkout can be paid with the same order', async () => {
    const { orderId, page } = await server.pay('cancel')
    expect(page?.pathname).toBe('/razorinr/success')
    expect(server.readOrderState(orderId).status).toBe('pending')
    server.advance(MINUTE_MS)
    const retryResponse = await server.retry(orderId)
    expect(retryResponse.body.payment_data?.['checkout_id']).toBe(getSimulatedOrder(orderId).id)
  })
})

describe('a gateway that fails', () => {
  test('while an order is being created leaves a registration that can be paid later', async () => {
    server.simulator().faults.responses = [500, 500, 500]
    const response = await server.submit('razorinr')
    expect(response).toMatchObject({ status: 201, body: { stands: 'not-paid' } })
    expect(response.body.payment_data).toBeUndefined()
    server.simulator().faults.responses = []
    server.advance(MINUTE_MS)
    const retryResponse = await server.retry(response.body.reg_no ?? '')
    expect(retryResponse.body.payment_data?.['checkout_id']).toMatch(/^order_/)
  })
  test('after it has created an order does not get a second request: the order is found', async () => {
    server.simulator().faults.responses = ['lost']
    const orderCount = server.simulator().orders().length
    const checkout = await server.registerFor('razorinr')
    expect(server.simulator().orders()).toHaveLength(orderCount + 1)
    expect(checkout.data['checkout_id']).toBe(getSimulatedOrder(checkout.orderId).id)
  })
  test('at its rate limit is queried again later, and the payment stays open', async () => {
    const checkout = await server.registerFor('razorinr')
    const id = await server.openCheckout(checkout.data)
    const fields = await server.simulator().run(id, 'silent')
    server.simulator().faults.responses = [429]
    await server.returnTo(checkout.orderId, fields)
    expect(server.readOrderState(checkout.orderId)).toMatchObject({ status: 'pending', events: [] })
    server.advance(10 * MINUTE_MS)
    await reconcile()
    expect(server.readOrderState(checkout.orderId)).toMatchObject({ status: 'success' })
  })
})

describe('a refund', () => {
  const requestRefund = (orderId: string) =>
    server.parts().deps.store.requestRefund({
      of: orderId,
      amount: null,
      why: 'cancelled',
      who: 'treasurer',
      at: server.now(),
    })
  const readRefundStates = (orderId: string): readonly unknown[] =>
    server
      .rows(
        'SELECT f.state, f.said FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.payment_id WHERE p.order_id = ?',
        orderId,
      )
      .map(({ state }) => state)

  test('stays pending for days, and is done once the gateway reports it', async () => {
    server.simulator().faults.refundDelayMs = 2 * DAY_MS
    const { orderId } = await server.pay('silent')
    await requestRefund(orderId)
    expect(await server.parts().deps.payments.sendRefunds()).toBe(1)
    expect(readRefundStates(orderId)).toEqual(['asked'])
    server.advance(DAY_MS)
    await reconcile()
    expect(readRefundStates(orderId)).toEqual(['asked'])
    server.advance(DAY_MS + HOUR_MS)
    await reconcile()
    expect(readRefundStates(orderId)).toEqual(['done'])
    expect(server.readOrderState(orderId).status).toBe('refunded')
  })
  test('that fails after three days is rejected and can be requested again', async () => {
    Object.assign(server.simulator().faults, {
      refundDelayMs: 3 * DAY_MS,
      refundOutcome: 'failed',
    })
    const { orderId } = await server.pay('silent')
    await requestRefund(orderId)
    await server.parts().deps.payments.sendRefunds()
    server.advance(3 * DAY_MS + HOUR_MS)
    await reconcile()
    expect(readRefundStates(orderId)).toEqual(['refused'])
    expect(server.readOrderState(orderId).status).toBe('success')
    await requestRefund(orderId)
    expect(readRefundStates(orderId)).toEqual(['refused', 'wanted'])
  })
  test('is requested in the currency of its payment', async () => {
    const { orderId } = await server.pay('silent', 'razorusd')
    await requestRefund(orderId)
    const { deps } = server.parts()
    const requestedAmounts: unknown[] = []
    const gateway: typeof deps.gateway = {
      ...deps.gateway,
      refund: (...request) => {
        const [, , amount, , , key = ''] = request
        if (key.startsWith(orderId)) requestedAmounts.push(amount)
        return deps.gateway.refund(...request)
      },
    }
    await sendRefunds({ ...deps, gateway }, async () => null)
    expect(requestedAmounts).toEqual([{ amount: 17_700, currency: 'USD' }])
    expect(readRefundStates(orderId)).toEqual(['asked'])
  })
  test('that exceeds the gateway balance is refused', async () => {
    server.simulator().faults.balance = 100
    const { orderId } = await server.pay('silent')
    await requestRefund(orderId)
    await server.parts().deps.payments.sendRefunds()
    expect(readRefundStates(orderId)).toEqual(['refused'])
  })
  test('whose response is lost is requested only once', async () => {
    const { orderId } = await server.pay('silent')
    await requestRefund(orderId)
    server.simulator().faults.responses = ['lost']
    await server.parts().deps.payments.sendRefunds()
    expect(getSimulatedOrder(orderId).payments.at(-1)?.refunds).toHaveLength(1)
    await reconcile()
    expect(readRefundStates(orderId)).toEqual(['done'])
  })
  test('that is made in the merchant panel is recorded', async () => {
    const { orderId } = await server.pay('silent')
    server.simulator().refundInPanel(getSimulatedOrder(orderId).payments.at(-1)?.id ?? '', 5_000)
    server.advance(2 * HOUR_MS)
    await reconcile()
    expect(readRefundStates(orderId)).toEqual(['done'])
    expect(server.readOrderState(orderId).status).toBe('success')
  })
  test('of a payment older than six months is not sent to the gateway; staff make it by bank transfer', async () => {
    const { orderId, regNo } = await server.pay('silent')
    // By the new time, the office session has expired.
    const signInAgain = () => signIn({ ...server.parts(), now: server.now })
    const readActions = async () =>
      (await (await signInAgain()).json(`/admin/registrations/${regNo}/acts/`)) as unknown as {
        back_by_gateway: number
        refund_notes: readonly string[]
      }
    server.setTime('2026-07-10T23:00:00+05:30')
    expect(await readActions()).toMatchObject({ back_by_gateway: 177, refund_notes: [] })
    server.setTime('2026-07-11T00:00:00+05:30')
    expect(await readActions()).toMatchObject({
      back_by_gateway: 0,
      refund_notes: [
        expect.stringContaining('more than 6 months old, so Razorpay cannot refund it'),
      ],
    })
    expect(await requestRefund(orderId)).toMatchObject({
      error: {
        code: 'not_by_gateway',
        message: expect.stringContaining('Ask the delegate for their bank details'),
      },
    })
    expect(await server.parts().deps.payments.sendRefunds()).toBe(0)
    expect(readRefundStates(orderId)).toEqual([])
    const response = await (
      await signInAgain()
    ).act(regNo, {
      act: 'refund',
      why: 'cancelled',
      by_hand: true,
      reference: 'UTIB0000123456789',
    })
    expect(response.body).toMatchObject({ status: 'success' })
    expect(readRefundStates(orderId)).toEqual(['done'])
    expect(server.readOrderState(orderId).status).toBe('refunded')
  })
})

test('an order is still known after the server restarts', async () => {
  const checkout = await server.registerFor('razorinr')
  const id = await server.openCheckout(checkout.data)
  await server.restart()
  const fields = await server.simulator().run(id, 'silent')
  await server.returnTo(checkout.orderId, fields)
  expect(server.readOrderState(checkout.orderId)).toMatchObject({ status: 'success' })
})

test('a payment for an order that is missing from the database goes to review, with its payer', async () => {
  const { orderId, data } = await server.registerFor('razorinr')
  await server.simulator().run(await server.openCheckout(data), 'silent')
  const order = getSimulatedOrder(orderId)
  // As after a restore, the order exists at the gateway but is unknown here.
  const lostOrderId = `${orderId.slice(0, -1)}${orderId.endsWith('9') ? '8' : '9'}`
  server.simulator().changeReceipt(order.id, lostOrderId)
  const event = server.parts().deps.events.findById('razorinr')?.config
  if (event === undefined) throw new Error('no event')
  expect(await server.parts().deps.payments.lookUpOrder(event, lostOrderId, 20_000)).toBe('kept')
  const [capture] = server.rows(
    'SELECT payer, amount FROM captures WHERE unknown_order = ?',
    lostOrderId,
  )
  expect(capture).toMatchObject({ amount: 17_700 })
  expect(JSON.parse(String(capture?.['payer']))).toMatchObject({ email: 'asha@example.org' })
})

test('the health check reports missing webhooks until one arrives', async () => {
  const freshServer = await openRazorpayServer()
  const { deps } = freshServer.parts()
  const healthChecks = createHealthChecks({ ...deps, getLastNoSpaceTime: () => null })
  const listProblems = async () =>
    (await healthChecks.check()).filter(({ code }) => code === 'gateway').map(({ text }) => text)
  for (let n = 0; n < 3; n++) await freshServer.pay('silent')
  expect(await listProblems()).toEqual([])
  freshServer.advance(2 * HOUR_MS)
  expect(await listProblems()).toEqual([
    expect.stringMatching(/^Razorpay confirmed 3 payments since/),
  ])
  await freshServer.pay('stay')
  await freshServer.waitUntilIdle()
  freshServer.advance(2 * HOUR_MS)
  expect(await listProblems()).toEqual([])
  await freshServer.close()
})

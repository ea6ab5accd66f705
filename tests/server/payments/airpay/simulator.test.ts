/** The simulator is as strict as the gateway's documentation requires; each button has its documented effect. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INR, toAmount } from '../../../../engine/index.ts'
import type { PaymentData } from '../../../../engine/api.ts'
import { ACTIONS } from '../../../../server/payments/gateways/airpay/simulator/simulator-pages.ts'
import type { Action } from '../../../../server/payments/gateways/airpay/simulator/simulator-pages.ts'
import { openTestServer } from '../server-with-gateway.ts'
import type { PlacedOrder, TestServer } from '../server-with-gateway.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await openTestServer()
})
afterAll(() => testServer.close())

/** Follows the redirect to the gateway's page, as the browser does. */
async function openPage(
  data: PaymentData,
): Promise<{ readonly addresses: URL[]; readonly page: Response }> {
  const addresses: URL[] = []
  let response = await testServer.handOff(data)
  while (response.status === 303) {
    const pageUrl = new URL(response.headers.get('location') ?? '', data.payment_url)
    addresses.push(pageUrl)
    response = await fetch(pageUrl, { redirect: 'manual' })
  }
  return { addresses, page: response }
}
const pressButton = async ({ data }: PlacedOrder, action: Action): Promise<Response> => {
  const { addresses } = await openPage(data)
  return fetch(addresses.at(-1) ?? '', {
    method: 'POST',
    body: new URLSearchParams({ do: action }),
    redirect: 'manual',
  })
}

describe('the checkout', () => {
  test("uses separate origins for the app, the redirect and the page; the app's form-action lists the other two", async () => {
    const { data } = await testServer.register()
    const { addresses, page } = await openPage(data)
    const origins = [
      testServer.url,
      new URL(data.payment_url).origin,
      ...addresses.map(({ origin }) => origin),
    ]
    expect(new Set(origins).size).toBe(3)
    expect(addresses.map(({ pathname }) => pathname.split('/')[1])).toEqual(['hop', 'page'])
    expect(page.status).toBe(200)
    const policy = (await fetch(`${testServer.url}/`)).headers.get('content-security-policy') ?? ''
    const formAction = policy.split(';').find((part) => part.trim().startsWith('form-action')) ?? ''
    for (const { origin } of addresses) expect(formAction).toContain(origin)
  })

  test('shows the requested payment on a page whose policy forbids inline scripts', async () => {
    const { data, orderId } = await testServer.register()
    const { page } = await openPage(data)
    const text = await page.text()
    expect(text).toContain('₹\u00a07,080')
    expect(text).toContain(orderId)
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style| on[a-z]+=/i)
  })

  const changes: readonly [string, (data: PaymentData) => PaymentData][] = [
    ['another amount', (data) => ({ ...data, amount: '1.00' })],
    ['another order', (data) => ({ ...data, orderid: `${data.orderid}9` })],
    ['another name', (data) => ({ ...data, first_name: 'Eve' })],
    ['a name with symbols', (data) => ({ ...data, first_name: '<b>' })],
    ['no name', (data) => ({ ...data, last_name: '' })],
    ['an amount without decimals', (data) => ({ ...data, amount: '7080' })],
    ['another merchant', (data) => ({ ...data, mercid: '1', merchant_id: '1' })],
    ['a different private key', (data) => ({ ...data, privatekey: '0'.repeat(64) })],
    ['another checksum', (data) => ({ ...data, checksum: '0'.repeat(64) })],
  ]
  test.each(changes)('rejects %s', async (_name, change) => {
    const { data } = await testServer.register()
    const response = await testServer.handOff(change(data))
    expect(response.status).toBe(400)
    expect(testServer.sandbox().order(data.orderid)).toBe(null)
  })

  test("rejects yesterday's checkout, because the checksum contains the date in India", async () => {
    const { data } = await testServer.register()
    testServer.setTime('2025-10-11T00:00:00+05:30')
    expect((await testServer.handOff(data)).status).toBe(400)
    testServer.setTime('2025-10-10T12:00:00+05:30')
    expect((await testServer.handOff(data)).status).toBe(303)
  })

  test('accepts an order id once; going back before payment shows the same page', async () => {
    const order = await testServer.placeOrder()
    const secondPage = await openPage(order.data)
    expect(secondPage.page.status).toBe(200)
    await testServer.sandbox().runAction(order.orderId, 'decline')
    expect((await testServer.handOff(order.data)).status).toBe(400)
  })
})

describe('the buttons', () => {
  const buttonEffects: Readonly<
    Record<
      Action,
      {
        readonly isReturned: boolean
        readonly heldAmount: string | null
        readonly status: string
        readonly isInReview: boolean
        readonly emails: number
        readonly webhooks: number
      }
    >
  > = {
    pay: {
      isReturned: true,
      heldAmount: '7080.00',
      status: 'success',
      isInReview: false,
      emails: 1,
      webhooks: 1,
    },
    decline: {
      isReturned: true,
      heldAmount: null,
      status: 'failed',
      isInReview: false,
      emails: 0,
      webhooks: 1,
    },
    leave: {
      isReturned: false,
      heldAmount: null,
      status: 'pending',
      isInReview: false,
      emails: 0,
      webhooks: 0,
    },
    later: {
      isReturned: true,
      heldAmount: null,
      status: 'pending',
      isInReview: false,
      emails: 0,
      webhooks: 0,
    },
    wrong: {
      isReturned: true,
      heldAmount: '7079.00',
      status: 'pending',
      isInReview: true,
      emails: 0,
      webhooks: 1,
    },
    twice: {
      isReturned: true,
      heldAmount: '7080.00',
      status: 'success',
      isInReview: false,
      emails: 1,
      webhooks: 2,
    },
    first: {
      isReturned: true,
      heldAmount: '7080.00',
      status: 'success',
      isInReview: false,
      emails: 1,
      webhooks: 1,
    },
    silent: {
      isReturned: true,
      heldAmount: '7080.00',
      status: 'pending',
      isInReview: false,
      emails: 0,
      webhooks: 0,
    },
    stay: {
      isReturned: false,
      heldAmount: '7080.00',
      status: 'success',
      isInReview: false,
      emails: 1,
      webhooks: 1,
    },
  }
  test.each(Object.keys(ACTIONS) as Action[])('%s', async (action) => {
    const order = await testServer.placeOrder()
    const response = await pressButton(order, action)
    const text = await response.text()
    await testServer.waitUntilIdle()
    const orderState = testServer.readOrderState(order.orderId)
    const { isReturned, ...expectedState } = buttonEffects[action]
    expect({
      heldAmount: testServer.sandbox().order(order.orderId)?.paid ?? null,
      status: orderState.status,
      isInReview: orderState.review !== null,
      emails: orderState.emails,
      webhooks: orderState.webhooks,
    }).toEqual(expectedState)
    expect(text.includes(`action="${testServer.url}/api/afpicon/airpay-response"`)).toBe(isReturned)
    if (!isReturned) return
    expect(response.headers.get('content-security-policy')).toContain(
      `form-action ${testServer.url}`,
    )
    const fields = Object.fromEntries(
      [...text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    )
    const target = await testServer.returnFromGateway(fields, '/api/afpicon/airpay-response')
    const verifiedStatus =
      { decline: 'failed', later: 'pending', wrong: 'pending' }[action as string] ?? 'success'
    expect(target.pathname).toBe(
      verifiedStatus === 'failed' ? '/afpicon/payment/failed' : '/afpicon/payment/success',
    )
    expect(testServer.readOrderState(order.orderId).status).toBe(verifiedStatus)
  })

  test('an unknown button, or any button after the checkout has ended, changes nothing', async () => {
    const order = await testServer.placeOrder()
    expect((await pressButton(order, '__proto__' as Action)).status).toBe(409)
    expect(testServer.sandbox().order(order.orderId)?.stage).toBe('open')
    await pressButton(order, 'decline')
    const { token } = testServer.sandbox().order(order.orderId) ?? { token: '' }
    const lateResponse = await fetch(`${testServer.gatewayUrl()}/page/${token}`, {
      method: 'POST',
      body: new URLSearchParams({ do: 'pay' }),
    })
    expect(lateResponse.status).toBe(409)
    expect(testServer.sandbox().order(order.orderId)?.paid).toBe(null)
    await testServer.waitUntilIdle()
  })

  test('the start page shows an order only to its payer or to a visitor who enters its id', async () => {
    const order = await testServer.placeOrder()
    const readOrderList = async (path: string, cookie = ''): Promise<string> =>
      (await fetch(`${testServer.gatewayUrl()}${path}`, { headers: { cookie } })).text()
    expect(await readOrderList('/')).not.toContain(order.orderId)
    const { token } = testServer.sandbox().order(order.orderId) ?? { token: '' }
    const openedPage = await fetch(`${testServer.gatewayUrl()}/page/${token}`)
    const [cookie = ''] = (openedPage.headers.get('set-cookie') ?? '').split(';')
    expect(openedPage.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/)
    expect(await readOrderList('/', `other=1; ${cookie}`)).toContain(order.orderId)
    expect(await readOrderList(`/?order=${order.orderId}`)).toContain(order.orderId)
    expect(await readOrderList('/?order=')).not.toContain(order.orderId)
  })

  test('a payment after a decline still counts', async () => {
    const order = await testServer.placeOrder()
    await pressButton(order, 'decline')
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(order.orderId)).toMatchObject({ status: 'failed', emails: 0 })
    const { token } = testServer.sandbox().order(order.orderId) ?? { token: '' }
    await fetch(`${testServer.gatewayUrl()}/orders/${token}/settle`, {
      method: 'POST',
      redirect: 'manual',
    })
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(order.orderId)).toMatchObject({
      status: 'success',
      registration: 'success',
      events: ['declined', 'confirmed'],
      emails: 1,
    })
  })
})

describe('stored payments', () => {
  test('survive a restart, and payments in progress arrive afterwards', async () => {
    const paidOrder = await testServer.placeOrder()
    const otherOrder = await testServer.placeOrder()
    await testServer.sandbox().runAction(paidOrder.orderId, 'silent')
    await testServer.sandbox().runAction(otherOrder.orderId, 'later')
    const ordersBefore = [
      testServer.sandbox().order(paidOrder.orderId),
      testServer.sandbox().order(otherOrder.orderId),
    ]
    await testServer.restart()
    expect([
      testServer.sandbox().order(paidOrder.orderId),
      testServer.sandbox().order(otherOrder.orderId),
    ]).toEqual(ordersBefore)
    const { payments } = testServer.parts().deps
    expect(await payments.verify(paidOrder.orderId, 5_000)).toBe('success')
    expect(await payments.verify(otherOrder.orderId, 5_000)).toBe('pending')
    testServer.setTime('2025-10-10T12:00:15+05:30')
    await testServer.restart()
    await expect.poll(() => testServer.sandbox().order(otherOrder.orderId)?.stage).toBe('paid')
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(otherOrder.orderId)).toMatchObject({
      status: 'success',
      emails: 1,
    })
  })

  test('a webhook that the app did not accept is sent again after a restart', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'decline')
    await testServer.waitUntilIdle()
    await testServer.parts().app.close()
    testServer.sandbox().settle(orderId)
    await testServer.sandbox().idle()
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'failed', webhooks: 1 })
    await testServer.restart()
    await expect
      .poll(() => testServer.readOrderState(orderId))
      .toMatchObject({ status: 'success', webhooks: 2, emails: 1 })
  })

  test('can be refunded once, up to the amount', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'stay')
    await testServer.waitUntilIdle()
    const { deps } = testServer.parts()
    const event = deps.events.findById('afpicon2026')?.config
    const reference = testServer.sandbox().order(orderId)?.reference ?? ''
    if (event === undefined) throw new Error('the event is not served')
    const refundAmount = async (amount: number, paymentReference = reference) =>
      deps.gateway.refund(
        event,
        paymentReference,
        { amount: toAmount(amount), currency: INR },
        deps.clock(),
        5_000,
      )
    expect(await refundAmount(708_001)).toMatchObject({
      is: 'refused',
      message: 'Nothing to refund',
    })
    expect(await refundAmount(708_000, '1')).toMatchObject({ is: 'refused' })
    const refund = await refundAmount(708_000)
    expect(refund).toMatchObject({ is: 'begun' })
    expect(await refundAmount(1)).toMatchObject({ is: 'refused' })
    // The refund has started, but no response has confirmed its completion yet.
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'success',
      registration: 'success',
    })
    if (refund.is !== 'begun') throw new Error('refused')
    const { reference: refundReference } = refund
    const refundEvent = {
      type: 'refunded' as const,
      reference: refundReference,
      amount: toAmount(708_000),
      at: testServer.now(),
    }
    await deps.store.applyPaymentEvent(orderId, refundEvent, null)
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'refunded',
      registration: 'refunded',
    })
  })
})

test('a name with unsupported characters is transliterated for the checkout only', async () => {
  const { regNo, orderId } = await testServer.placeOrder({ full_name: 'ആശ നായർ' })
  expect(testServer.sandbox().order(orderId)?.name).toMatch(/^[A-Za-z ]+$/)
  expect(testServer.rows('SELECT full_name FROM registrations WHERE reg_no = ?', regNo)).toEqual([
    { full_name: 'ആശ നായർ' },
  ])
})

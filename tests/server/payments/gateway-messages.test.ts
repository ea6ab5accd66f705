/** Browser returns and webhooks: the responses to them, and the stored data. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import type { Fields } from '../../../server/payments/gateways/message-fields.ts'
import { createSandboxAccount } from '../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { forgeMessage, FORM_TYPE, openTestServer } from './server-with-gateway.ts'
import type { TestServer } from './server-with-gateway.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await openTestServer()
})
afterAll(() => testServer.close())

const pendingState = {
  status: 'pending',
  registration: 'pending',
  review: null,
  events: [],
  returns: 0,
  webhooks: 0,
  emails: 0,
}
const paidState = {
  status: 'success',
  registration: 'success',
  review: null,
  events: ['confirmed'],
  returns: 0,
  webhooks: 0,
  emails: 1,
}
/** Returns the length of the secret part of the text that a webhook's hash covers. */
const getSecretLength = (): number => {
  const { merchantId, username } = createSandboxAccount(
    testServer.parts().deps.events.findById('afpicon2026')?.config.payment?.account ?? '',
  )
  return `${merchantId}:${username}`.length
}
const readResponse = async (response: Response): Promise<unknown> => ({
  status: response.status,
  ...((await response.json()) as object),
})

describe('a webhook', () => {
  test('for a payment returns 200, and once verified, the payment is successful, with one email', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    expect(
      await readResponse(await testServer.sendWebhook(testServer.sandbox().getMessage(orderId))),
    ).toEqual({
      status: 'success',
    })
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toEqual({ ...paidState, webhooks: 1 })
    const [storedMessage] = testServer.rows(
      "SELECT body, content_type FROM gateway_notices WHERE order_id = ? AND kind = 'notice'",
      orderId,
    )
    expect(storedMessage).toEqual({
      body: new URLSearchParams(testServer.sandbox().getMessage(orderId)).toString(),
      content_type: `${FORM_TYPE};charset=UTF-8`,
    })
  })

  test('as JSON, with and without CUSTOMERVPA in its hash, has the same effect', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    for (const fields of [
      testServer.sandbox().getMessage(orderId),
      { ...testServer.sandbox().getMessage(orderId), CUSTOMERVPA: 'asha@okbank' },
    ]) {
      const response = await fetch(`${testServer.url}/api/payment/webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      })
      expect(response.status).toBe(200)
    }
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toEqual({ ...paidState, webhooks: 2 })
  })

  test('with a wrong hash returns 200, is logged, and starts a query whose result counts', async () => {
    const [paidOrder, unpaidOrder] = [await testServer.placeOrder(), await testServer.placeOrder()]
    await testServer.sandbox().runAction(paidOrder.orderId, 'silent')
    const logLength = testServer.log.length
    for (const { orderId } of [paidOrder, unpaidOrder]) {
      const genuineMessage = testServer.sandbox().getMessage(orderId)
      const forgedMessage = { ...genuineMessage, TRANSACTIONSTATUS: '200', ap_SecureHash: '1' }
      expect((await testServer.sendWebhook(forgedMessage)).status).toBe(200)
    }
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(paidOrder.orderId)).toEqual({ ...paidState, webhooks: 1 })
    expect(testServer.readOrderState(unpaidOrder.orderId)).toEqual({ ...pendingState, webhooks: 1 })
    expect(testServer.log.slice(logLength).filter(({ hash }) => hash === 'wrong')).toHaveLength(2)
  })

  test('with a valid CRC but a wrong amount (forged without the secret) returns 200 and is stored, and the real amount counts', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'wrong')
    await testServer.waitUntilIdle()
    const genuineMessage = testServer.sandbox().getMessage(orderId)
    expect(genuineMessage['AMOUNT']).toBe('7079.00')
    const forgedMessage = forgeMessage(genuineMessage, { AMOUNT: '7080.00' }, getSecretLength())
    expect(forgedMessage['ap_SecureHash']).not.toBe(genuineMessage['ap_SecureHash'])
    expect((await testServer.sendWebhook(forgedMessage)).status).toBe(200)
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toEqual({
      status: 'pending',
      registration: 'pending',
      review: 'The payment is ₹\u00a07,079 instead of ₹\u00a07,080.',
      events: ['confirmed'],
      returns: 0,
      webhooks: 2,
      emails: 0,
    })
  })

  test("with a valid CRC and a status that the gateway does not confirm (a decline changed to a success) is ignored, and the gateway's status counts", async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'decline')
    await testServer.waitUntilIdle()
    const forgedMessage = forgeMessage(
      { ...testServer.sandbox().getMessage(orderId) },
      { TRANSACTIONSTATUS: '200' },
      getSecretLength(),
    )
    expect((await testServer.sendWebhook(forgedMessage)).status).toBe(200)
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toEqual({
      status: 'failed',
      registration: 'failed',
      review: null,
      events: ['declined'],
      returns: 0,
      webhooks: 2,
      emails: 0,
    })
  })

  test('that claims success before a payment leaves the payment pending', async () => {
    const { orderId } = await testServer.placeOrder()
    const { orderId: otherOrderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(otherOrderId, 'pay')
    await testServer.waitUntilIdle()
    const falseMessage = forgeMessage(
      testServer.sandbox().getMessage(otherOrderId),
      { TRANSACTIONID: orderId },
      getSecretLength(),
    )
    expect((await testServer.sendWebhook(falseMessage)).status).toBe(200)
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toEqual({ ...pendingState, webhooks: 1 })
  })

  test('for an unknown order returns 404 and is stored, and creates no registration', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    const paymentCount = testServer.rows('SELECT * FROM payments').length
    const unknownOrder = `${orderId.slice(0, -2)}${orderId.endsWith('77') ? '78' : '77'}`
    const response = await testServer.sendWebhook(
      forgeMessage(
        testServer.sandbox().getMessage(orderId),
        { TRANSACTIONID: unknownOrder },
        getSecretLength(),
      ),
    )
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      status: 'error',
      code: 'unknown_order',
      message: 'There is no such order.',
    })
    const unknownOrderResponse = await testServer.sendWebhook({
      TRANSACTIONID: 'NOEVENT1234',
      TRANSACTIONSTATUS: '200',
      AMOUNT: '1.00',
      APTRANSACTIONID: '1',
      ap_SecureHash: '1',
    })
    expect(unknownOrderResponse.status).toBe(404)
    expect(testServer.rows('SELECT * FROM payments').length).toBe(paymentCount)
    expect(
      testServer.rows(
        'SELECT 1 FROM gateway_notices WHERE order_id IN (?, ?)',
        unknownOrder,
        'NOEVENT1234',
      ),
    ).toHaveLength(2)
  })

  test.each<[string, string, string]>([
    ['nothing', '', FORM_TYPE],
    ['invalid JSON', '{"TRANSACTIONID":', 'application/json'],
    ['a form without an order', 'TRANSACTIONSTATUS=200', FORM_TYPE],
    ['a list', '[1,2]', 'application/json'],
    ['an empty JSON object', '{}', 'application/json'],
  ])('that is malformed (%s) returns 400 and is stored unchanged', async (_name, body, type) => {
    const response = await fetch(`${testServer.url}/api/payment/webhook/`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    expect(response.status).toBe(400)
    const answer = (await response.json()) as { message: string }
    expect(answer).toMatchObject({ status: 'error', code: 'malformed' })
    // `{}` is a JSON object, and an empty form is still a form, so the message must not say this.
    expect(answer.message).not.toContain('neither a posted form nor a JSON object')
    expect(testServer.rows('SELECT body FROM gateway_notices ORDER BY id DESC LIMIT 1')).toEqual([
      { body },
    ])
  })

  test.each(['ap_SecureHash', 'APTRANSACTIONID', 'AMOUNT', 'TRANSACTIONSTATUS'])(
    'without %s still starts a query',
    async (name) => {
      const { orderId } = await testServer.placeOrder()
      await testServer.sandbox().runAction(orderId, 'silent')
      const response = await testServer.sendWebhook({
        ...testServer.sandbox().getMessage(orderId),
        [name]: '',
      })
      expect(response.status).toBe(200)
      await testServer.waitUntilIdle()
      expect(testServer.readOrderState(orderId)).toEqual({ ...paidState, webhooks: 1 })
    },
  )

  test('of 1 MB returns 413 and is not stored', async () => {
    const messageCount = testServer.rows('SELECT 1 FROM gateway_notices').length
    const response = await fetch(`${testServer.url}/api/payment/webhook/`, {
      method: 'POST',
      headers: { 'content-type': FORM_TYPE },
      body: `TRANSACTIONID=${'1'.repeat(1_000_000)}`,
    })
    expect(response.status).toBe(413)
    expect(testServer.rows('SELECT 1 FROM gateway_notices').length).toBe(messageCount)
  })

  test('that is sent a hundred times concurrently leads to one success and one email; each message is stored and returns 200', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    const fields = testServer.sandbox().getMessage(orderId)
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => (await testServer.sendWebhook(fields)).status),
    )
    expect(statuses).toEqual(Array.from({ length: 100 }, () => 200))
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toEqual({ ...paidState, webhooks: 100 })
  })
})

describe("the browser's return", () => {
  const returnForms: readonly [string, string][] = [
    ['the usual path', '/api/payment/return/'],
    ['the usual path without its trailing slash', '/api/payment/return'],
    ['the path in the event file', '/api/afpicon/airpay-response'],
    ['the path in the event file with a trailing slash', '/api/afpicon/airpay-response/'],
  ]
  test.each(returnForms)(
    'at %s is stored and verified, and the browser is redirected to the success page',
    async (_name, path) => {
      const { orderId } = await testServer.placeOrder()
      await testServer.sandbox().runAction(orderId, 'silent')
      const target = await testServer.returnFromGateway(
        testServer.sandbox().getMessage(orderId),
        path,
      )
      expect([target.pathname, Object.fromEntries(target.searchParams)]).toEqual([
        '/afpicon/payment/success',
        { orderId, amount: '7080.00', date: '2025-10-10T12:00:00+05:30' },
      ])
      expect(testServer.readOrderState(orderId)).toEqual({ ...paidState, returns: 1 })
    },
  )

  test.each(returnForms)('at %s is also accepted by GET', async (_name, path) => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    const response = await fetch(
      `${testServer.url}${path}?${new URLSearchParams(testServer.sandbox().getMessage(orderId)).toString()}`,
      { redirect: 'manual' },
    )
    expect([
      response.status,
      new URL(response.headers.get('location') ?? '', testServer.url).pathname,
    ]).toEqual([303, '/afpicon/payment/success'])
    expect(testServer.readOrderState(orderId)).toEqual({ ...paidState, returns: 1 })
  })

  test('gets a response that is not cached and sends no referrer', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    const response = await fetch(`${testServer.url}/api/payment/return/`, {
      method: 'POST',
      body: new URLSearchParams(testServer.sandbox().getMessage(orderId)),
      redirect: 'manual',
    })
    expect([
      response.headers.get('cache-control'),
      response.headers.get('referrer-policy'),
      response.headers.get('set-cookie'),
    ]).toEqual(['no-store', 'no-referrer', null])
  })

  test('after a decline redirects to the failed page', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'decline')
    const target = await testServer.returnFromGateway(testServer.sandbox().getMessage(orderId))
    expect(target.pathname).toBe('/afpicon/payment/failed')
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'failed',
      events: ['declined'],
      emails: 0,
      returns: 1,
    })
  })

  test('after a failure without fields starts a query, and redirects according to the stored state', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'decline')
    const target = await testServer.returnFromGateway({
      TRANSACTIONID: orderId,
      TRANSACTIONSTATUS: '400',
    })
    expect(target.pathname).toBe('/afpicon/payment/failed')
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'failed',
      events: ['declined'],
    })
  })

  test('of a delegate who left the payment page does not count as a failure yet, because a payment may still arrive', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'leave')
    const target = await testServer.returnFromGateway({
      TRANSACTIONID: orderId,
      TRANSACTIONSTATUS: '401',
    })
    expect(target.pathname).toBe('/afpicon/payment/success')
    expect(testServer.readOrderState(orderId)).toEqual({ ...pendingState, returns: 1 })
    testServer.sandbox().settle(orderId)
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toEqual({ ...paidState, returns: 1, webhooks: 1 })
  })

  test.each<[string, (genuineMessage: Fields) => Fields]>([
    ['with a wrong hash', (message) => ({ ...message, ap_SecureHash: '1' })],
    [
      'that claims success without a hash',
      ({ TRANSACTIONID = '' }) => ({ TRANSACTIONID, TRANSACTIONSTATUS: '200' }),
    ],
  ])(
    '%s redirects the browser to the page for the status that the gateway reports',
    async (_name, change) => {
      const { orderId } = await testServer.placeOrder()
      await testServer.sandbox().runAction(orderId, 'silent')
      const target = await testServer.returnFromGateway(
        change(testServer.sandbox().getMessage(orderId)),
      )
      expect(target.pathname).toBe('/afpicon/payment/success')
      expect(testServer.readOrderState(orderId)).toEqual({ ...paidState, returns: 1 })
    },
  )

  test('while the bank is processing the payment leads to a success page that says so; then the payment arrives', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'later')
    expect(
      (await testServer.returnFromGateway(testServer.sandbox().getMessage(orderId))).pathname,
    ).toBe('/afpicon/payment/success')
    expect(testServer.readOrderState(orderId)).toEqual({ ...pendingState, returns: 1 })
    testServer.sandbox().settle(orderId)
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toEqual({ ...paidState, returns: 1, webhooks: 1 })
  })

  test.each<[string, (genuine: Fields) => Fields]>([
    ['for an unknown order', (message) => ({ ...message, TRANSACTIONID: 'NOEVENT1' })],
    ['without an order', (message) => ({ ...message, TRANSACTIONID: '' })],
    ['without usable fields', () => ({})],
  ])(
    '%s redirects the browser to the landing page with a message, and nothing changes',
    async (_name, change) => {
      const { orderId } = await testServer.placeOrder()
      await testServer.sandbox().runAction(orderId, 'silent')
      const target = await testServer.returnFromGateway(
        change(testServer.sandbox().getMessage(orderId)),
      )
      const page = await (await fetch(target)).text()
      expect([target.pathname, page.includes('We could not match your payment')]).toEqual([
        '/',
        true,
      ])
      expect(testServer.readOrderState(orderId)).toMatchObject({
        status: 'pending',
        events: [],
        emails: 0,
      })
    },
  )

  test('while the gateway is unreachable leads to the page for the stored state; polling finds the payment later', async () => {
    const server = await openTestServer({ clock: '2025-10-10T12:00:00+05:30' })
    try {
      const { orderId } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'silent')
      const fields = server.sandbox().getMessage(orderId)
      const { gateway, events } = server.parts().deps
      await server.closeGateways()
      const config = events.findById('afpicon2026')?.config
      if (config === undefined) throw new Error('the event is not served')
      expect((await gateway.status(config, orderId, instant(0), 5_000)).is).toBe('unreachable')
      expect((await server.returnFromGateway(fields)).pathname).toBe('/afpicon/payment/success')
      expect(server.readOrderState(orderId)).toEqual({ ...pendingState, returns: 1 })
      await server.restart()
      server.setTime('2025-10-10T12:30:00+05:30')
      expect(await server.parts().deps.payments.queryDue()).toEqual({
        queriedCount: 1,
        finalCount: 1,
      })
      expect(server.readOrderState(orderId)).toEqual({ ...paidState, returns: 1 })
    } finally {
      await server.close()
    }
  })
})

describe("outsiders' requests to the return and webhook URLs", () => {
  const KB = 1024
  test('do not fill the disk: at most sixty rejected messages a minute are stored, each up to 1 KB, and genuine messages up to 8 KB', async () => {
    const server = await openTestServer({ variables: { RATE_LIMITS: 'on' } })
    try {
      const send = async (order: string, bytes: number): Promise<number> =>
        (
          await server.sendWebhook({
            TRANSACTIONID: order,
            TRANSACTIONSTATUS: '400',
            MESSAGE: 'x'.repeat(bytes),
          })
        ).status
      const measureStoredMessages = (): { n: unknown; longest: unknown } => {
        const [row] = server.rows(
          "SELECT count(*) AS n, max(length(CAST(body AS BLOB))) AS longest FROM gateway_notices WHERE kind = 'notice'",
        )
        return { n: row?.['n'], longest: row?.['longest'] }
      }
      for (let n = 0; n < 100; n++) await send(`NOEVENT${n}`, 60 * KB)
      expect(measureStoredMessages()).toEqual({ n: 60, longest: KB })
      server.advance(60_001)
      await send('NOEVENT', 60 * KB)
      expect(measureStoredMessages()).toEqual({ n: 61, longest: KB })

      const { orderId } = await server.register()
      for (let n = 0; n < 100; n++) expect([200, 429]).toContain(await send(orderId, 60 * KB))
      await server.waitUntilIdle()
      expect(measureStoredMessages()).toEqual({ n: 121, longest: 8 * KB })
    } finally {
      await server.close()
    }
  })
})

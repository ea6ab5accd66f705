/** Polling failed and expired payments: late payments, second captures, and changed files and accounts. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RegNo } from '../../../engine/index.ts'
import { createSandboxAccount } from '../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { openPayments } from '../../../server/payments/poll-payments.ts'
import { forgeMessage, openTestServer } from './server-with-gateway.ts'
import type { TestServer } from './server-with-gateway.ts'

const MINUTE_MS = 60_000
let testServer: TestServer
beforeAll(async () => {
  testServer = await openTestServer()
})
afterAll(() => testServer.close())

const reconcile = () => testServer.parts().deps.payments.queryDue()
/**
 * Advances the clock by nine days in small steps, so that each query is sent when it is due. After a single long pause,
 * queries would be frequent again.
 */
async function advanceUntilQueriesAreRare(server: TestServer): Promise<void> {
  const stepMs = 45 * MINUTE_MS
  for (let passedMs = 0; passedMs < 9 * 24 * 60 * MINUTE_MS; passedMs += stepMs) {
    server.advance(stepMs)
    await server.parts().deps.payments.queryDue()
  }
}

describe('payments that arrive after polling has ended', () => {
  test('a webhook that arrives while the gateway is unreachable is stored, and the payment is queried until the gateway responds', async () => {
    const server = await openTestServer()
    try {
      const { orderId } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'decline')
      await server.waitUntilIdle()
      expect(server.readOrderState(orderId)).toMatchObject({ status: 'failed' })
      await advanceUntilQueriesAreRare(server)
      await server.closeGateways()
      server.sandbox().settle(orderId)
      expect((await server.sendWebhook(server.sandbox().getMessage(orderId))).status).toBe(200)
      await server.parts().deps.payments.waitUntilIdle()
      expect(server.readOrderState(orderId)).toMatchObject({
        status: 'failed',
        webhooks: 2,
        emails: 0,
      })
      await server.restart()
      server.advance(10 * MINUTE_MS)
      await server.parts().deps.payments.queryDue()
      expect(server.readOrderState(orderId)).toMatchObject({
        status: 'success',
        events: ['declined', 'confirmed'],
        emails: 1,
      })
    } finally {
      await server.close()
    }
  })

  test('if a webhook claims a late payment that the status query still reports as declined, the payment is queried again soon, not in half a day', async () => {
    const server = await openTestServer()
    try {
      const { orderId } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'decline')
      await server.waitUntilIdle()
      await advanceUntilQueriesAreRare(server)
      const { merchantId, username } = createSandboxAccount('afpi')
      const claim = forgeMessage(
        server.sandbox().getMessage(orderId),
        { TRANSACTIONSTATUS: '200' },
        `${merchantId}:${username}`.length,
      )
      expect((await server.sendWebhook(claim)).status).toBe(200)
      await server.waitUntilIdle()
      expect(server.readOrderState(orderId)).toMatchObject({ status: 'failed' })
      // The payment arrives a moment later, and its webhook is lost.
      await server.closeGateways()
      server.sandbox().settle(orderId)
      await server.restart()
      server.advance(10 * MINUTE_MS)
      await server.parts().deps.payments.queryDue()
      expect(server.readOrderState(orderId)).toMatchObject({ status: 'success', emails: 1 })
    } finally {
      await server.close()
    }
  })

  test('a late payment for a failed attempt is found without its webhook', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'decline')
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'failed' })
    await testServer.closeGateways()
    testServer.sandbox().settle(orderId)
    await testServer.restart()
    testServer.advance(10 * MINUTE_MS)
    await reconcile()
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'success', emails: 1 })
  })

  test('a second capture for a paid order (from a second tab) goes to review with both references', async () => {
    const { orderId, regNo } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    testServer.advance(2 * MINUTE_MS)
    await reconcile()
    const first = testServer.sandbox().order(orderId)?.reference
    const { deps } = testServer.parts()
    // Responds as the gateway does after the payment in the second tab.
    const gatewayWithSecondCapture = {
      ...deps.gateway,
      status: async (...args: Parameters<typeof deps.gateway.status>) => {
        const response = await deps.gateway.status(...args)
        return args[1] === orderId &&
          response.is === 'payment-event' &&
          response.paymentEvent.type === 'confirmed'
          ? { ...response, paymentEvent: { ...response.paymentEvent, reference: 'SECOND1' } }
          : response
      },
    }
    testServer.advance(60 * MINUTE_MS)
    await openPayments(
      { ...deps, gateway: gatewayWithSecondCapture },
      { isEnabled: false },
    ).queryDue()
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'success',
      registration: 'success',
      review: `Payment received a second time, as SECOND1. The first payment is ${first}.`,
      emails: 1,
    })
    expect((await deps.store.captures(regNo as RegNo)).map(({ state }) => state)).toEqual([
      'fits',
      'review',
    ])
  })

  test('a pending payment is still queried, and succeeds, after its event is changed to "payment: none"', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    const { deps } = testServer.parts()
    const servedEvent = deps.events.findById('afpicon2026')
    if (servedEvent === null) throw new Error('the event is not served')
    const eventWithoutPayment = {
      ...servedEvent,
      hash: 'new',
      config: { ...servedEvent.config, payment: null },
    }
    const events = { ...deps.events, findById: () => eventWithoutPayment }
    const payments = openPayments({ ...deps, events }, { isEnabled: false })
    expect(await payments.verify(orderId, 5_000)).toBe('success')
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'success', emails: 1 })
  })

  test('a payment whose event file was removed is still queried, and its webhook is accepted', async () => {
    const server = await openTestServer()
    try {
      const [unansweredOrder, notifiedOrder] = [
        await server.placeOrder(),
        await server.placeOrder(),
      ]
      for (const { orderId } of [unansweredOrder, notifiedOrder])
        await server.sandbox().runAction(orderId, 'silent')
      rmSync(join(server.environment.eventsDir, 'afpicon2026.yaml'))
      await server.restart()
      const { events, payments } = server.parts().deps
      // The version that was served last replaces the file, so that every payer gets a response.
      expect(events.findById('afpicon2026')).toMatchObject({
        isGone: true,
        config: { status: 'closed' },
      })
      await expect(server.register()).rejects.toThrow('registration_closed')
      expect(
        (await server.sendWebhook(server.sandbox().getMessage(notifiedOrder.orderId))).status,
      ).toBe(200)
      await payments.waitUntilIdle()
      expect(server.readOrderState(notifiedOrder.orderId)).toMatchObject({
        status: 'success',
        emails: 1,
      })
      server.advance(2 * MINUTE_MS)
      await payments.queryDue()
      expect(server.readOrderState(unansweredOrder.orderId)).toMatchObject({
        status: 'success',
        emails: 1,
      })
    } finally {
      await server.close()
    }
  })

  test('a webhook for an order that does not belong to any served event is accepted', async () => {
    const server = await openTestServer()
    try {
      const { orderId } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'silent')
      const { events, payments } = server.parts().deps
      Object.assign(events, { findByOrderId: () => null })
      expect((await server.sendWebhook(server.sandbox().getMessage(orderId))).status).toBe(200)
      await payments.waitUntilIdle()
      expect(server.readOrderState(orderId)).toMatchObject({ status: 'success', emails: 1 })
    } finally {
      await server.close()
    }
  })

  test('after the credentials are replaced with those of another merchant, that merchant is not queried, and no payment expires', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    const { deps } = testServer.parts()
    const queriedOrders: string[] = []
    const otherMerchant = {
      ...deps.gateway,
      getMerchantId: () => '999999',
      status: async (...args: Parameters<typeof deps.gateway.status>) => {
        queriedOrders.push(args[1])
        return { is: 'no-record', raw: '' } as const
      },
    }
    testServer.advance(25 * 60 * MINUTE_MS)
    expect(
      await openPayments({ ...deps, gateway: otherMerchant }, { isEnabled: false }).verify(
        orderId,
        5_000,
      ),
    ).toBe('pending')
    expect(queriedOrders).toEqual([])
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'pending', events: [] })
    testServer.advance(20 * MINUTE_MS)
    await reconcile()
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'success' })
  })

  test('after an event changes its account, the gateway is queried with the account of the payment request', async () => {
    const { orderId } = await testServer.placeOrder()
    const { deps } = testServer.parts()
    const event = deps.events.findById('afpicon2026')
    if (event === null || event.config.payment === null) throw new Error('the event is not served')
    const { payment } = event.config
    const movedEvent = {
      ...event,
      config: { ...event.config, payment: { ...payment, account: 'elsewhere' } },
    }
    const accounts: (string | undefined)[] = []
    const recordingGateway = {
      ...deps.gateway,
      status: async (...args: Parameters<typeof deps.gateway.status>) => {
        accounts.push(args[0].payment?.account)
        return deps.gateway.status(...args)
      },
    }
    const events = { ...deps.events, findById: () => movedEvent }
    await openPayments({ ...deps, events, gateway: recordingGateway }, { isEnabled: false }).verify(
      orderId,
      5_000,
    )
    expect(accounts).toEqual([payment.account])
  })

  test('polling many abandoned payments pauses after a few queries if the gateway does not respond', async () => {
    const server = await openTestServer()
    try {
      for (let at = 0; at < 30; at += 1) await server.placeOrder()
      server.advance(10 * MINUTE_MS)
      const { deps } = server.parts()
      let queryCount = 0
      const silentGateway = {
        ...deps.gateway,
        status: async () => {
          queryCount += 1
          return { is: 'unreachable', error: 'silence' } as const
        },
      }
      const payments = openPayments({ ...deps, gateway: silentGateway }, { isEnabled: false })
      await payments.queryDue()
      // At most five queries, plus those already in progress.
      expect(queryCount).toBeLessThan(10)
      await payments.queryDue()
      expect(queryCount).toBeLessThan(10)
      server.advance(2 * MINUTE_MS)
      await payments.queryDue()
      expect(queryCount).toBeLessThan(16)
    } finally {
      await server.close()
    }
  })
})

/**
 * Payments that ended unpaid are still polled: late payments, second captures, changed files and accounts, silent
 * gateways.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RegNo } from '../../../engine/index.ts'
import { createSandboxAccount } from '../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { openPayments } from '../../../server/payments/poll-payments.ts'
import { forgeMessage, openTestServer } from './server-with-gateway.ts'
import type { TestServer } from './server-with-gateway.ts'

const minute = 60_000
let testServer: TestServer
beforeAll(async () => {
  testServer = await openTestServer()
})
afterAll(() => testServer.close())

const reconcile = () => testServer.parts().deps.payments.reconcile()
/** Advances nine days, sending each query when it is due; after a pause, queries would be frequent again. */
async function advanceUntilQueriesAreRare(other: TestServer): Promise<void> {
  const step = 45 * minute
  for (let passed = 0; passed < 9 * 24 * 60 * minute; passed += step) {
    other.advance(step)
    await other.parts().deps.payments.reconcile()
  }
}

describe('payments that arrive after polling ended', () => {
  test('a webhook while the gateway is unreachable is stored, and the payment is queried until it responds', async () => {
    const other = await openTestServer()
    try {
      const { orderId } = await other.place()
      await other.sandbox().runAction(orderId, 'decline')
      await other.settled()
      expect(other.holds(orderId)).toMatchObject({ status: 'failed' })
      await advanceUntilQueriesAreRare(other)
      await other.closeGateways()
      other.sandbox().settle(orderId)
      expect((await other.notice(other.sandbox().messageOf(orderId))).status).toBe(200)
      await other.parts().deps.payments.idle()
      expect(other.holds(orderId)).toMatchObject({ status: 'failed', notices: 2, mails: 0 })
      await other.restart()
      other.advance(10 * minute)
      await other.parts().deps.payments.reconcile()
      expect(other.holds(orderId)).toMatchObject({
        status: 'success',
        facts: ['declined', 'confirmed'],
        mails: 1,
      })
    } finally {
      await other.close()
    }
  })

  test('a webhook claims a late payment that the status query still declines: it is queried again soon, not in half a day', async () => {
    const other = await openTestServer()
    try {
      const { orderId } = await other.place()
      await other.sandbox().runAction(orderId, 'decline')
      await other.settled()
      await advanceUntilQueriesAreRare(other)
      const { merchantId, username } = createSandboxAccount('afpi')
      const claim = forgeMessage(
        other.sandbox().messageOf(orderId),
        { TRANSACTIONSTATUS: '200' },
        `${merchantId}:${username}`.length,
      )
      expect((await other.notice(claim)).status).toBe(200)
      await other.settled()
      expect(other.holds(orderId)).toMatchObject({ status: 'failed' })
      // The payment arrives a moment later, and its webhook is lost.
      await other.closeGateways()
      other.sandbox().settle(orderId)
      await other.restart()
      other.advance(10 * minute)
      await other.parts().deps.payments.reconcile()
      expect(other.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
    } finally {
      await other.close()
    }
  })

  test('a late payment of a failed attempt is found without its webhook', async () => {
    const { orderId } = await testServer.place()
    await testServer.sandbox().runAction(orderId, 'decline')
    await testServer.settled()
    expect(testServer.holds(orderId)).toMatchObject({ status: 'failed' })
    await testServer.closeGateways()
    testServer.sandbox().settle(orderId)
    await testServer.restart()
    testServer.advance(10 * minute)
    await reconcile()
    expect(testServer.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
  })

  test('a second capture of a paid order (two tabs) goes to review with both references', async () => {
    const { orderId, regNo } = await testServer.place()
    await testServer.sandbox().runAction(orderId, 'silent')
    testServer.advance(2 * minute)
    await reconcile()
    const first = testServer.sandbox().order(orderId)?.reference
    const { deps } = testServer.parts()
    // The gateway's response after the payment in the second tab.
    const withSecondCapture = {
      ...deps.gateway,
      status: async (...about: Parameters<typeof deps.gateway.status>) => {
        const answer = await deps.gateway.status(...about)
        return about[1] === orderId && answer.is === 'fact' && answer.fact.type === 'confirmed'
          ? { ...answer, fact: { ...answer.fact, reference: 'SECOND1' } }
          : answer
      },
    }
    testServer.advance(60 * minute)
    await openPayments({ ...deps, gateway: withSecondCapture }, { isEnabled: false }).reconcile()
    expect(testServer.holds(orderId)).toMatchObject({
      status: 'success',
      registration: 'success',
      review: `Payment received a second time, as SECOND1. The first payment is ${first}.`,
      mails: 1,
    })
    expect((await deps.store.captures(regNo as RegNo)).map(({ state }) => state)).toEqual([
      'fits',
      'review',
    ])
  })

  test('the pending payment of an event changed to "payment: none" is still queried, and succeeds', async () => {
    const { orderId } = await testServer.place()
    await testServer.sandbox().runAction(orderId, 'silent')
    const { deps } = testServer.parts()
    const servedEvent = deps.events.byId('afpicon2026')
    if (servedEvent === null) throw new Error('the event is not served')
    const withoutPayment = {
      ...servedEvent,
      hash: 'new',
      config: { ...servedEvent.config, payment: null },
    }
    const events = { ...deps.events, byId: () => withoutPayment }
    const payments = openPayments({ ...deps, events }, { isEnabled: false })
    expect(await payments.verify(orderId, 5_000)).toBe('success')
    expect(testServer.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
  })

  test('a removed event file: its payment is still queried, and its webhook accepted', async () => {
    const other = await openTestServer()
    try {
      const [unansweredOrder, notifiedOrder] = [await other.place(), await other.place()]
      for (const { orderId } of [unansweredOrder, notifiedOrder])
        await other.sandbox().runAction(orderId, 'silent')
      rmSync(join(other.environment.eventsDir, 'afpicon2026.yaml'))
      await other.restart()
      const { events, payments } = other.parts().deps
      // The last served version replaces the file, so that every payer gets a response.
      expect(events.byId('afpicon2026')).toMatchObject({
        isGone: true,
        config: { status: 'closed' },
      })
      await expect(other.register()).rejects.toThrow('registration_closed')
      expect((await other.notice(other.sandbox().messageOf(notifiedOrder.orderId))).status).toBe(
        200,
      )
      await payments.idle()
      expect(other.holds(notifiedOrder.orderId)).toMatchObject({ status: 'success', mails: 1 })
      other.advance(2 * minute)
      await payments.reconcile()
      expect(other.holds(unansweredOrder.orderId)).toMatchObject({ status: 'success', mails: 1 })
    } finally {
      await other.close()
    }
  })

  test('an order that belongs to no served event: its webhook got 404', async () => {
    const other = await openTestServer()
    try {
      const { orderId } = await other.place()
      await other.sandbox().runAction(orderId, 'silent')
      const { events, payments } = other.parts().deps
      Object.assign(events, { byOrderId: () => null })
      expect((await other.notice(other.sandbox().messageOf(orderId))).status).toBe(200)
      await payments.idle()
      expect(other.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
    } finally {
      await other.close()
    }
  })

  test('replaced credentials: the other merchant is not queried, and nothing expires', async () => {
    const { orderId } = await testServer.place()
    await testServer.sandbox().runAction(orderId, 'silent')
    const { deps } = testServer.parts()
    const unansweredOrder: string[] = []
    const otherMerchant = {
      ...deps.gateway,
      merchantOf: () => '999999',
      status: async (...about: Parameters<typeof deps.gateway.status>) => {
        unansweredOrder.push(about[1])
        return { is: 'no-record', raw: '' } as const
      },
    }
    testServer.advance(25 * 60 * minute)
    expect(
      await openPayments({ ...deps, gateway: otherMerchant }, { isEnabled: false }).verify(
        orderId,
        5_000,
      ),
    ).toBe('pending')
    expect(unansweredOrder).toEqual([])
    expect(testServer.holds(orderId)).toMatchObject({ status: 'pending', facts: [] })
    testServer.advance(20 * minute)
    await reconcile()
    expect(testServer.holds(orderId)).toMatchObject({ status: 'success' })
  })

  test('after an event changes its account, the account that requested the payment is queried', async () => {
    const { orderId } = await testServer.place()
    const { deps } = testServer.parts()
    const event = deps.events.byId('afpicon2026')
    if (event === null || event.config.payment === null) throw new Error('the event is not served')
    const { payment } = event.config
    const movedEvent = {
      ...event,
      config: { ...event.config, payment: { ...payment, account: 'elsewhere' } },
    }
    const accounts: (string | undefined)[] = []
    const recordingGateway = {
      ...deps.gateway,
      status: async (...about: Parameters<typeof deps.gateway.status>) => {
        accounts.push(about[0].payment?.account)
        return deps.gateway.status(...about)
      },
    }
    const events = { ...deps.events, byId: () => movedEvent }
    await openPayments({ ...deps, events, gateway: recordingGateway }, { isEnabled: false }).verify(
      orderId,
      5_000,
    )
    expect(accounts).toEqual([payment.account])
  })

  test('two thousand abandoned payments at a silent gateway: polling pauses after a few queries', async () => {
    const other = await openTestServer()
    try {
      for (let at = 0; at < 30; at += 1) await other.place()
      other.advance(10 * minute)
      const { deps } = other.parts()
      let unansweredOrder = 0
      const silentGateway = {
        ...deps.gateway,
        status: async () => {
          unansweredOrder += 1
          return { is: 'unreachable', error: 'silence' } as const
        },
      }
      const payments = openPayments({ ...deps, gateway: silentGateway }, { isEnabled: false })
      await payments.reconcile()
      // At most five, and those that are in progress.
      expect(unansweredOrder).toBeLessThan(10)
      await payments.reconcile()
      expect(unansweredOrder).toBeLessThan(10)
      other.advance(2 * minute)
      await payments.reconcile()
      expect(unansweredOrder).toBeLessThan(16)
    } finally {
      await other.close()
    }
  })
})

/** What has ended stays in sight: late money, second captures, files and accounts that change, gateways that are silent. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RegNo } from '../../../engine/index.ts'
import { sandboxAccount } from '../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { openPayments } from '../../../server/payments/poll-payments.ts'
import { forged, openRig } from './server-with-gateway.ts'
import type { Rig } from './server-with-gateway.ts'

const minute = 60_000
let rig: Rig
beforeAll(async () => {
  rig = await openRig()
})
afterAll(() => rig.close())

const reconcile = () => rig.parts().deps.payments.reconcile()
/** Nine days in which each query is made when it is due: after a pause, they would be frequent again. */
async function untilQueriesAreRare(other: Rig): Promise<void> {
  const step = 45 * minute
  for (let passed = 0; passed < 9 * 24 * 60 * minute; passed += step) {
    other.advance(step)
    await other.parts().deps.payments.reconcile()
  }
}

describe('payments that arrive after polling ended', () => {
  test('a webhook while the gateway is unreachable is stored, and the payment is queried until it responds', async () => {
    const other = await openRig()
    try {
      const { orderId } = await other.place()
      await other.sandbox().runAction(orderId, 'decline')
      await other.settled()
      expect(other.holds(orderId)).toMatchObject({ status: 'failed' })
      await untilQueriesAreRare(other)
      await other.sandbox().close()
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
    const other = await openRig()
    try {
      const { orderId } = await other.place()
      await other.sandbox().runAction(orderId, 'decline')
      await other.settled()
      await untilQueriesAreRare(other)
      const { merchantId, username } = sandboxAccount('afpi')
      const claim = forged(
        other.sandbox().messageOf(orderId),
        { TRANSACTIONSTATUS: '200' },
        `${merchantId}:${username}`.length,
      )
      expect((await other.notice(claim)).status).toBe(200)
      await other.settled()
      expect(other.holds(orderId)).toMatchObject({ status: 'failed' })
      // The money is there a moment later, and its own notice is lost.
      await other.sandbox().close()
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
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'decline')
    await rig.settled()
    expect(rig.holds(orderId)).toMatchObject({ status: 'failed' })
    await rig.sandbox().close()
    rig.sandbox().settle(orderId)
    await rig.restart()
    rig.advance(10 * minute)
    await reconcile()
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
  })

  test('a second capture of a paid order (two tabs) goes to review with both references', async () => {
    const { orderId, regNo } = await rig.place()
    await rig.sandbox().runAction(orderId, 'silent')
    rig.advance(2 * minute)
    await reconcile()
    const first = rig.sandbox().order(orderId)?.reference
    const { deps } = rig.parts()
    // What the gateway says once the money of the second tab has come.
    const twice = {
      ...deps.gateway,
      status: async (...about: Parameters<typeof deps.gateway.status>) => {
        const answer = await deps.gateway.status(...about)
        return about[1] === orderId && answer.is === 'fact' && answer.fact.type === 'confirmed'
          ? { ...answer, fact: { ...answer.fact, reference: 'SECOND1' } }
          : answer
      },
    }
    rig.advance(60 * minute)
    await openPayments({ ...deps, gateway: twice }, { isEnabled: false }).reconcile()
    expect(rig.holds(orderId)).toMatchObject({
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

  test('an event changed to "payment: none" still queries its pending payment, which succeeds', async () => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'silent')
    const { deps } = rig.parts()
    const served = deps.events.byId('afpicon2026')
    if (served === null) throw new Error('not served')
    const free = { ...served, hash: 'new', config: { ...served.config, payment: null } }
    const events = { ...deps.events, byId: () => free }
    const payments = openPayments({ ...deps, events }, { isEnabled: false })
    expect(await payments.verify(orderId, 5_000)).toBe('success')
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
  })

  test('a removed event file: its payment is still queried, and its webhook accepted', async () => {
    const other = await openRig()
    try {
      const [asked, told] = [await other.place(), await other.place()]
      for (const { orderId } of [asked, told]) await other.sandbox().runAction(orderId, 'silent')
      rmSync(join(other.environment.eventsDir, 'afpicon2026.yaml'))
      await other.restart()
      const { events, payments } = other.parts().deps
      // What was served last stands in for the file, so that nobody who paid is left without an answer.
      expect(events.byId('afpicon2026')).toMatchObject({
        isGone: true,
        config: { status: 'closed' },
      })
      await expect(other.register()).rejects.toThrow('registration_closed')
      expect((await other.notice(other.sandbox().messageOf(told.orderId))).status).toBe(200)
      await payments.idle()
      expect(other.holds(told.orderId)).toMatchObject({ status: 'success', mails: 1 })
      other.advance(2 * minute)
      await payments.reconcile()
      expect(other.holds(asked.orderId)).toMatchObject({ status: 'success', mails: 1 })
    } finally {
      await other.close()
    }
  })

  test('an order that belongs to no served event: its webhook got 404', async () => {
    const other = await openRig()
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
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'silent')
    const { deps } = rig.parts()
    const asked: string[] = []
    const moved = {
      ...deps.gateway,
      merchantOf: () => '999999',
      status: async (...about: Parameters<typeof deps.gateway.status>) => {
        asked.push(about[1])
        return { is: 'no-record', raw: '' } as const
      },
    }
    rig.advance(25 * 60 * minute)
    expect(
      await openPayments({ ...deps, gateway: moved }, { isEnabled: false }).verify(orderId, 5_000),
    ).toBe('pending')
    expect(asked).toEqual([])
    expect(rig.holds(orderId)).toMatchObject({ status: 'pending', facts: [] })
    rig.advance(20 * minute)
    await reconcile()
    expect(rig.holds(orderId)).toMatchObject({ status: 'success' })
  })

  test('an event that changes its account queries the account that requested the payment', async () => {
    const { orderId } = await rig.place()
    const { deps } = rig.parts()
    const event = deps.events.byId('afpicon2026')
    if (event === null || event.config.payment === null) throw new Error('not served')
    const { payment } = event.config
    const movedEvent = {
      ...event,
      config: { ...event.config, payment: { ...payment, account: 'elsewhere' } },
    }
    const accounts: (string | undefined)[] = []
    const listening = {
      ...deps.gateway,
      status: async (...about: Parameters<typeof deps.gateway.status>) => {
        accounts.push(about[0].payment?.account)
        return deps.gateway.status(...about)
      },
    }
    const events = { ...deps.events, byId: () => movedEvent }
    await openPayments({ ...deps, events, gateway: listening }, { isEnabled: false }).verify(
      orderId,
      5_000,
    )
    expect(accounts).toEqual([payment.account])
  })

  test('two thousand abandoned payments at a silent gateway: polling pauses after a few queries', async () => {
    const other = await openRig()
    try {
      for (let at = 0; at < 30; at += 1) await other.place()
      other.advance(10 * minute)
      const { deps } = other.parts()
      let asked = 0
      const silent = {
        ...deps.gateway,
        status: async () => {
          asked += 1
          return { is: 'unreachable', error: 'silence' } as const
        },
      }
      const payments = openPayments({ ...deps, gateway: silent }, { isEnabled: false })
      await payments.reconcile()
      // Five, and what was on its way beside the fifth.
      expect(asked).toBeLessThan(10)
      await payments.reconcile()
      expect(asked).toBeLessThan(10)
      other.advance(2 * minute)
      await payments.reconcile()
      expect(asked).toBeLessThan(16)
    } finally {
      await other.close()
    }
  })
})

/** Store contract for payment lists and month closings: pages, totals, amounts due, tax documents. */
import { beforeEach, describe, expect, test } from 'vitest'
import { day, INR, instant, toAmount } from '../../../engine/index.ts'
import type { MovementQuery, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  HOUR_MS,
  addMs,
  newEmail,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'

const ALL: MovementQuery = { eventIds: null, from: instant(0), to: addMs(1000 * HOUR_MS) }
const refundRequest = { who: 'office', why: 'Agreed' } as const

export function defineReportsContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const pay = async (reference: string) => {
    const registration = await registerSample(store, {
      gateway: 'razorpay',
      merchantAccount: { account: 'a', merchantId: '1' },
    })
    await store.applyPaymentEvent(registration.orderId, buildSale(reference), newEmail)
    return registration
  }

  describe('payment lists', () => {
    test('the next page starts after the last row of the previous page; totals count every row once', async () => {
      const { regNo } = await pay('pay_1')
      await pay('pay_2')
      await pay('pay_3')
      const amount = toAmount(10_050)
      await store.requestRefund({
        ...refundRequest,
        of: regNo,
        amount,
        at: addMs(HOUR_MS),
        manualReference: 'SLIP 1',
      })
      const references: string[] = []
      for (let after: string | null = null, isLast = false; !isLast;) {
        const page = await store.movementPage(ALL, after, 1)
        references.push(...page.rows.map(({ reference }) => reference))
        after = page.next
        isLast = after === null
      }
      expect(references).toEqual(['SLIP 1', 'pay_3', 'pay_2', 'pay_1'])
      const sums = await store.movementSums({ ...ALL, eventIds: ['demo'] })
      expect(
        sums.map(({ method, payments, refunds, refunded }) => [
          method,
          payments,
          refunds,
          refunded,
        ]),
      ).toEqual([
        ['outside', 0, 1, 10_050],
        ['razorpay', 3, 0, 0],
      ])
      expect(await store.movementSums({ ...ALL, eventIds: ['other'] })).toEqual([])
      expect(await store.movementSums({ ...ALL, method: 'cash' })).toEqual([])
      const unsettledSums = await store.movementSums({ ...ALL, isUnsettled: true })
      expect(unsettledSums.map(({ payments, refunds }) => [payments, refunds])).toEqual([[3, 0]])
      expect((await store.movementPage({ ...ALL, changedAfter: noon }, null, 9)).rows).toHaveLength(
        4,
      )
      expect(
        (await store.movementPage({ ...ALL, changedAfter: addMs(2 * HOUR_MS) }, null, 9)).rows,
      ).toEqual([])
    })

    test('amounts due and open refunds are listed, for the given events only', async () => {
      const { regNo } = await pay('pay_1')
      const debtor = await registerSample(store)
      const page = await store.debtorPage(['demo'], null, 9)
      expect(page.rows.map((row) => [row.regNo, row.remindedAt])).toEqual([[debtor.regNo, null]])
      const amountDue = page.rows[0]?.amount
      expect(await store.debtorSums(['demo', 'other'])).toEqual([
        { eventId: 'demo', currency: INR, registrations: 1, amount: amountDue },
      ])
      await store.requestRefund({
        ...refundRequest,
        of: regNo,
        amount: toAmount(100),
        at: addMs(HOUR_MS),
      })
      expect(await store.openRefunds(['other'])).toEqual([])
      expect(await store.openRefunds(null)).toMatchObject([{ regNo, amount: 100, state: 'wanted' }])
    })

    test('the newest closing of a month is returned', async () => {
      await pay('pay_1')
      const closing = {
        eventId: 'demo',
        month: '2026-01',
        who: 'Meera',
        at: noon,
        figures: await store.movementSums(ALL),
      }
      await store.closeMonth([closing])
      await store.closeMonth([{ ...closing, who: 'Asha', at: addMs(HOUR_MS) }])
      expect(await store.monthClosings('2026-01', null)).toEqual([
        { ...closing, who: 'Asha', at: addMs(HOUR_MS) },
      ])
      expect(await store.monthClosings('2026-01', ['other'])).toEqual([])
      expect(await store.monthClosings('2026-02', null)).toEqual([])
      expect(await store.taxDocuments(ALL)).toEqual([])
      expect(await store.settlementFees(day('2026-01-01'), day('2026-02-01'))).toEqual([])
    })
  })
}

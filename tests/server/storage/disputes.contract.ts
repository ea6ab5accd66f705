/**
 * Store contract for disputes: stored once, with responses in any order, and in the work queue until they are
 * answered.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { INR, toAmount } from '../../../engine/index.ts'
import type { Instant, OrderId, RegNo } from '../../../engine/index.ts'
import type { GatewayDispute, Store } from '../../../server/storage/index.ts'
import {
  confirmedBy,
  hour,
  later,
  newEmail,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'

const createDispute = (changes: Partial<GatewayDispute> = {}): GatewayDispute => ({
  disputeId: 'disp_1',
  reference: 'pay_1',
  amount: toAmount(177_000),
  currency: INR,
  deducted: toAmount(0),
  reason: 'services_not_provided',
  phase: 'chargeback',
  status: 'open',
  respondBy: later(100 * hour),
  ...changes,
})

export function disputesContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const paid = async (): Promise<{ readonly regNo: RegNo; readonly orderId: OrderId }> => {
    const registration = await registerSample(store, {
      gateway: 'razorpay',
      askedOf: { account: 'a', merchantId: '1' },
    })
    await store.applyPaymentEvent(registration.orderId, confirmedBy('pay_1'), newEmail)
    return registration
  }
  const waiting = async (at = later(hour)) =>
    (await store.workQueue(['demo'], at)).flatMap(({ is, count }) =>
      is.startsWith('dispute') ? [[is, count]] : [],
    )
  const due = async (at = later(hour)) =>
    (await store.disputesToQuery(at, 9)).map(({ disputeId }) => disputeId)

  describe('disputes', () => {
    test('are stored once each, and described by the gateway’s response', async () => {
      const { regNo, orderId } = await paid()
      expect(await store.noteDispute('disp_1', orderId, noon)).toBe(true)
      expect(await store.noteDispute('disp_1', orderId, later(1))).toBe(true)
      expect(await store.disputesOf(regNo)).toMatchObject([
        { disputeId: 'disp_1', orderId, status: 'unknown', amount: 0, statusAt: noon },
      ])
      expect(await due()).toEqual(['disp_1'])
      expect(await waiting()).toEqual([['dispute', 1]])
      await store.recordDispute(createDispute(), later(2))
      expect(await store.disputesOf(regNo)).toEqual([
        { ...createDispute(), orderId, statusAt: later(2) },
      ])
      expect(await store.openDisputes(['demo', 'other'], 5)).toEqual([
        { ...createDispute(), orderId, statusAt: later(2), eventId: 'demo', regNo },
      ])
      expect(await store.openDisputes(['other'], 5)).toEqual([])
    })
    test('of an order that does not exist are not stored', async () => {
      expect(await store.noteDispute('disp_1', 'DEMO9' as OrderId, noon)).toBe(false)
      expect(await due()).toEqual([])
    })
    test('keep the newest response, in whatever order the responses arrive', async () => {
      const { regNo, orderId } = await paid()
      await store.noteDispute('disp_1', orderId, noon)
      await store.recordDispute(createDispute({ status: 'won' }), later(20))
      await store.recordDispute(createDispute(), later(10))
      await store.recordDispute(createDispute({ status: 'won' }), later(30))
      expect(await store.disputesOf(regNo)).toMatchObject([{ status: 'won', statusAt: later(20) }])
    })
    test('are queried again while they are open, and no longer once they are decided', async () => {
      const { orderId } = await paid()
      await store.noteDispute('disp_1', orderId, noon)
      await store.postponeDispute('disp_1', noon)
      expect(await due(later(1))).toEqual([])
      expect(await due(later(hour))).toEqual(['disp_1'])
      await store.recordDispute(createDispute(), later(hour))
      expect(await due(later(2 * hour))).toEqual([])
      expect(await due(later(8 * hour))).toEqual(['disp_1'])
      await store.recordDispute(createDispute({ status: 'closed' }), later(8 * hour))
      expect(await due(later(999 * hour))).toEqual([])
      await store.noteDispute('disp_1', orderId, later(9 * hour))
      expect(await due(later(9 * hour))).toEqual(['disp_1'])
    })
    test('need staff until evidence is sent, and again when they are lost, until the loss is recorded', async () => {
      const { regNo, orderId } = await paid()
      await store.noteDispute('disp_1', orderId, noon)
      await store.recordDispute(createDispute(), later(10))
      expect(await waiting()).toEqual([['dispute', 1]])
      await store.recordDispute(createDispute({ status: 'under_review' }), later(20))
      expect(await waiting()).toEqual([])
      await store.recordDispute(
        createDispute({ status: 'lost', amount: toAmount(300), deducted: toAmount(300) }),
        later(hour),
      )
      expect(await waiting()).toEqual([['dispute_lost', 1]])
      // Another refund does not record the loss.
      const byHand = (reference: string, amount: number, at = later(2 * hour)) =>
        store.requestRefund({
          of: regNo,
          amount: toAmount(amount),
          byHand: reference,
          why: 'Taken back by the bank.',
          who: 'admin',
          at,
        })
      expect(await byHand('UTIB0000123456789', 100)).toMatchObject({ ok: true })
      expect(await waiting()).toEqual([['dispute_lost', 1]])
      expect(await byHand('disp_1', 300)).toMatchObject({ ok: true })
      expect(await waiting()).toEqual([])
    })
    test('that are lost still need staff after a smaller refund under their number', async () => {
      const { regNo, orderId } = await paid()
      await store.noteDispute('disp_1', orderId, noon)
      await store.recordDispute(
        createDispute({ status: 'lost', amount: toAmount(300) }),
        later(hour),
      )
      const recorded = await store.requestRefund({
        of: regNo,
        amount: toAmount(100),
        byHand: 'disp_1',
        why: 'Taken back by the bank.',
        who: 'admin',
        at: later(2 * hour),
      })
      expect(recorded).toMatchObject({ ok: true })
      expect(await waiting()).toEqual([['dispute_lost', 1]])
    })
    test('that are lost stayed listed when staff recorded them with the bank’s number; one refund covers one loss', async () => {
      const { regNo, orderId } = await paid()
      const lose = async (disputeId: string, at: Instant) => {
        await store.noteDispute(disputeId, orderId, noon)
        await store.recordDispute(
          createDispute({ disputeId, status: 'lost', amount: toAmount(300) }),
          at,
        )
      }
      const record = (at: Instant, byHand: string) =>
        store.requestRefund({
          of: regNo,
          amount: toAmount(300),
          byHand,
          why: 'Taken back by the bank.',
          who: 'admin',
          at,
        })
      // A refund before the loss does not record it.
      await record(later(10), 'UTIB0000123456788')
      await lose('disp_1', later(hour))
      expect(await waiting()).toEqual([['dispute_lost', 1]])
      await record(later(2 * hour), 'UTIB0000123456789')
      expect(await waiting()).toEqual([])
      await lose('disp_2', later(3 * hour))
      await lose('disp_3', later(3 * hour))
      await record(later(4 * hour), 'UTIB0000123456790')
      expect(await waiting(later(5 * hour))).toEqual([['dispute_lost', 1]])
      await record(later(6 * hour), 'disp_3')
      expect(await waiting(later(7 * hour))).toEqual([])
    })
    test('that are lost need no staff attention after a note', async () => {
      const { regNo, orderId } = await paid()
      await store.noteDispute('disp_1', orderId, noon)
      await store.recordDispute(createDispute({ status: 'lost' }), later(hour))
      expect(await waiting()).toEqual([['dispute_lost', 1]])
      await store.addNote({
        regNo,
        act: 'note',
        actor: 'desk',
        who: 'Meera',
        why: 'Refunded before.',
        at: later(2 * hour),
        once: null,
      })
      expect(await waiting()).toEqual([])
      await store.undoNote({
        regNo,
        act: 'undo_note',
        actor: 'desk',
        who: 'Meera',
        why: 'Refunded before.',
        at: later(3 * hour),
        once: null,
      })
      expect(await waiting()).toEqual([['dispute_lost', 1]])
    })
  })
}

/** Store contract for disputes: stored once each, updated in any order, and queued until they are answered. */
import { beforeEach, describe, expect, test } from 'vitest'
import { INR, toAmount } from '../../../engine/index.ts'
import type { Instant, OrderId, RegNo } from '../../../engine/index.ts'
import type { GatewayDispute, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  HOUR_MS,
  addMs,
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
  respondBy: addMs(100 * HOUR_MS),
  ...changes,
})

export function defineDisputesContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const registerPaid = async (): Promise<{ readonly regNo: RegNo; readonly orderId: OrderId }> => {
    const registration = await registerSample(store, {
      gateway: 'razorpay',
      merchantAccount: { account: 'a', merchantId: '1' },
    })
    await store.applyPaymentEvent(registration.orderId, buildSale('pay_1'), newEmail)
    return registration
  }
  const listQueueCounts = async (at = addMs(HOUR_MS)) =>
    (await store.workQueue(['demo'], at)).flatMap(({ is, count }) =>
      is.startsWith('dispute') ? [[is, count]] : [],
    )
  const listDueDisputes = async (at = addMs(HOUR_MS)) =>
    (await store.disputesToQuery(at, 9)).map(({ disputeId }) => disputeId)

  describe('disputes', () => {
    test('are stored once each, with the details from the gateway’s response', async () => {
      const { regNo, orderId } = await registerPaid()
      expect(await store.addDispute('disp_1', orderId, noon)).toBe(true)
      expect(await store.addDispute('disp_1', orderId, addMs(1))).toBe(true)
      expect(await store.disputesOf(regNo)).toMatchObject([
        { disputeId: 'disp_1', orderId, status: 'unknown', amount: 0, statusAt: noon },
      ])
      expect(await listDueDisputes()).toEqual(['disp_1'])
      expect(await listQueueCounts()).toEqual([['dispute', 1]])
      await store.recordDispute(createDispute(), addMs(2))
      expect(await store.disputesOf(regNo)).toEqual([
        { ...createDispute(), orderId, statusAt: addMs(2) },
      ])
      expect(await store.openDisputes(['demo', 'other'], 5)).toEqual([
        { ...createDispute(), orderId, statusAt: addMs(2), eventId: 'demo', regNo },
      ])
      expect(await store.openDisputes(['other'], 5)).toEqual([])
    })
    test('are not stored if their order does not exist', async () => {
      expect(await store.addDispute('disp_1', 'DEMO9' as OrderId, noon)).toBe(false)
      expect(await listDueDisputes()).toEqual([])
    })
    test('keep the details of the newest response, in whatever order the responses arrive', async () => {
      const { regNo, orderId } = await registerPaid()
      await store.addDispute('disp_1', orderId, noon)
      await store.recordDispute(createDispute({ status: 'won' }), addMs(20))
      await store.recordDispute(createDispute(), addMs(10))
      await store.recordDispute(createDispute({ status: 'won' }), addMs(30))
      expect(await store.disputesOf(regNo)).toMatchObject([{ status: 'won', statusAt: addMs(20) }])
    })
    test('are queried at intervals while they are open, until they are decided', async () => {
      const { orderId } = await registerPaid()
      await store.addDispute('disp_1', orderId, noon)
      await store.postponeDisputeQuery('disp_1', noon)
      expect(await listDueDisputes(addMs(1))).toEqual([])
      expect(await listDueDisputes(addMs(HOUR_MS))).toEqual(['disp_1'])
      await store.recordDispute(createDispute(), addMs(HOUR_MS))
      expect(await listDueDisputes(addMs(2 * HOUR_MS))).toEqual([])
      expect(await listDueDisputes(addMs(8 * HOUR_MS))).toEqual(['disp_1'])
      await store.recordDispute(createDispute({ status: 'closed' }), addMs(8 * HOUR_MS))
      expect(await listDueDisputes(addMs(999 * HOUR_MS))).toEqual([])
      await store.addDispute('disp_1', orderId, addMs(9 * HOUR_MS))
      expect(await listDueDisputes(addMs(9 * HOUR_MS))).toEqual(['disp_1'])
    })
    test('need staff attention until evidence is sent, and, if they are lost, until the loss is recorded', async () => {
      const { regNo, orderId } = await registerPaid()
      await store.addDispute('disp_1', orderId, noon)
      await store.recordDispute(createDispute(), addMs(10))
      expect(await listQueueCounts()).toEqual([['dispute', 1]])
      await store.recordDispute(createDispute({ status: 'under_review' }), addMs(20))
      expect(await listQueueCounts()).toEqual([])
      await store.recordDispute(
        createDispute({ status: 'lost', amount: toAmount(300), deducted: toAmount(300) }),
        addMs(HOUR_MS),
      )
      expect(await listQueueCounts()).toEqual([['dispute_lost', 1]])
      // A refund with another reference does not record the loss.
      const refundManually = (reference: string, amount: number, at = addMs(2 * HOUR_MS)) =>
        store.requestRefund({
          of: regNo,
          amount: toAmount(amount),
          manualReference: reference,
          why: 'Taken back by the bank.',
          who: 'admin',
          at,
        })
      expect(await refundManually('UTIB0000123456789', 100)).toMatchObject({ ok: true })
      expect(await listQueueCounts()).toEqual([['dispute_lost', 1]])
      expect(await refundManually('disp_1', 300)).toMatchObject({ ok: true })
      expect(await listQueueCounts()).toEqual([])
    })
    test('that are lost still need staff attention after a smaller refund with their reference', async () => {
      const { regNo, orderId } = await registerPaid()
      await store.addDispute('disp_1', orderId, noon)
      await store.recordDispute(
        createDispute({ status: 'lost', amount: toAmount(300) }),
        addMs(HOUR_MS),
      )
      const refundResult = await store.requestRefund({
        of: regNo,
        amount: toAmount(100),
        manualReference: 'disp_1',
        why: 'Taken back by the bank.',
        who: 'admin',
        at: addMs(2 * HOUR_MS),
      })
      expect(refundResult).toMatchObject({ ok: true })
      expect(await listQueueCounts()).toEqual([['dispute_lost', 1]])
    })
    test('that are lost are listed until staff record a refund with the bank’s reference; each refund covers one loss', async () => {
      const { regNo, orderId } = await registerPaid()
      const loseDispute = async (disputeId: string, at: Instant) => {
        await store.addDispute(disputeId, orderId, noon)
        await store.recordDispute(
          createDispute({ disputeId, status: 'lost', amount: toAmount(300) }),
          at,
        )
      }
      const recordRefund = (at: Instant, manualReference: string) =>
        store.requestRefund({
          of: regNo,
          amount: toAmount(300),
          manualReference,
          why: 'Taken back by the bank.',
          who: 'admin',
          at,
        })
      // A refund made before the loss does not record it.
      await recordRefund(addMs(10), 'UTIB0000123456788')
      await loseDispute('disp_1', addMs(HOUR_MS))
      expect(await listQueueCounts()).toEqual([['dispute_lost', 1]])
      await recordRefund(addMs(2 * HOUR_MS), 'UTIB0000123456789')
      expect(await listQueueCounts()).toEqual([])
      await loseDispute('disp_2', addMs(3 * HOUR_MS))
      await loseDispute('disp_3', addMs(3 * HOUR_MS))
      await recordRefund(addMs(4 * HOUR_MS), 'UTIB0000123456790')
      expect(await listQueueCounts(addMs(5 * HOUR_MS))).toEqual([['dispute_lost', 1]])
      await recordRefund(addMs(6 * HOUR_MS), 'disp_3')
      expect(await listQueueCounts(addMs(7 * HOUR_MS))).toEqual([])
    })
    test('that are lost need no staff attention after a note, until the note is undone', async () => {
      const { regNo, orderId } = await registerPaid()
      await store.addDispute('disp_1', orderId, noon)
      await store.recordDispute(createDispute({ status: 'lost' }), addMs(HOUR_MS))
      expect(await listQueueCounts()).toEqual([['dispute_lost', 1]])
      await store.addNote({
        regNo,
        act: 'note',
        actor: 'desk',
        who: 'Meera',
        why: 'Refunded before.',
        at: addMs(2 * HOUR_MS),
        idempotencyKey: null,
      })
      expect(await listQueueCounts()).toEqual([])
      await store.undoNote({
        regNo,
        act: 'undo_note',
        actor: 'desk',
        who: 'Meera',
        why: 'Refunded before.',
        at: addMs(3 * HOUR_MS),
        idempotencyKey: null,
      })
      expect(await listQueueCounts()).toEqual([['dispute_lost', 1]])
    })
  })
}

/** Store contract for a recovery: held work, a new number series, and payments for unknown orders. */
import { beforeEach, describe, expect, test } from 'vitest'
import { instant, createOrderId, toAmount } from '../../../engine/index.ts'
import type { Store, UnknownPayment } from '../../../server/storage/index.ts'
import {
  buildSale,
  HOUR_MS,
  addMs,
  newEmail,
  nextRegNo,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'
import { due, grounds } from './payment-decisions.ts'

const ALL_ENTRIES = { who: null, events: null, kinds: null, words: '', from: null, to: null }

export function defineRecoveryContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const registerWithAirpay = (changes: object = {}) =>
    registerSample(store, {
      gateway: 'airpay',
      merchantAccount: { account: 'demo', merchantId: '1' },
      ...changes,
    })
  const beginRecovery = (
    at = addMs(HOUR_MS),
    exactSince: number | null = null,
    takenCodes: readonly string[] = [],
  ) =>
    store.beginRecovery(
      { at, who: 'rollcall', why: 'Restored.', copyAt: noon, servedAt: null, taken: takenCodes },
      exactSince === null ? null : instant(exactSince),
    )
  const endRecovery = (mails: 'send' | 'copy' | 'discard', at = addMs(2 * HOUR_MS)) =>
    store.endRecovery({ at, who: 'owner', mails })
  const readFigures = (retainedIds: readonly string[] = []) => store.recoveryFigures(retainedIds)

  describe('a recovery', () => {
    test('holds emails that were queued in the copy until staff send or discard them', async () => {
      const { regNo } = await registerWithAirpay()
      await store.queueMail(regNo, newEmail, noon)
      expect(await store.recovery()).toBe(null)
      const recovery = await beginRecovery()
      expect(await store.recovery()).toEqual(recovery)
      expect(recovery).toMatchObject({
        begunAt: addMs(HOUR_MS),
        copyAt: noon,
        code: expect.stringMatching(/^R[0-9A-Z]{3}$/),
      })
      expect(await store.dueMails(addMs(9 * HOUR_MS), 9)).toEqual([])
      expect((await store.operatingFigures()).mailsQueued.count).toBe(0)
      expect(await store.makeUnreachedEmailsDue(addMs(9 * HOUR_MS))).toBe(0)
      expect((await readFigures()).mails).toMatchObject([
        { to: newEmail.to, subject: newEmail.subject },
      ])
      // An email requested after the restore is sent.
      await store.queueMail(regNo, { ...newEmail, subject: 'Asked for' }, addMs(HOUR_MS))
      expect((await store.dueMails(addMs(9 * HOUR_MS), 9)).map(({ subject }) => subject)).toEqual([
        'Asked for',
      ])
      expect(await endRecovery('send')).toMatchObject({ sent: 1, discarded: 0 })
      expect(await store.dueMails(addMs(9 * HOUR_MS), 9)).toHaveLength(2)
      expect([await store.recovery(), await endRecovery('send')]).toEqual([null, null])
      expect((await readFigures()).past).toMatchObject([{ endedBy: 'owner', mails: 'send' }])
      await beginRecovery(addMs(3 * HOUR_MS))
      expect(await endRecovery('discard', addMs(4 * HOUR_MS))).toMatchObject({
        sent: 0,
        discarded: 2,
      })
      expect(await store.dueMails(addMs(9 * HOUR_MS), 9)).toEqual([])
      expect((await store.mailCounts(null)).failed).toBe(2)
      const log = await store.auditLog(ALL_ENTRIES, null, 9)
      expect(log.map(({ what }) => what).filter((what) => what.includes('recovery'))).toHaveLength(
        4,
      )
    })

    test('holds confirmations of earlier payments, and sends those of later ones', async () => {
      const [earlierPayment, untimedPayment, laterPayment] = [
        await registerWithAirpay(),
        await registerWithAirpay(),
        await registerWithAirpay(),
      ]
      await beginRecovery()
      const paidAt = addMs(HOUR_MS / 2)
      const at = addMs(2 * HOUR_MS)
      await store.applyPaymentEvent(
        earlierPayment.orderId,
        { ...buildSale('AP1', due, at), paidAt } as never,
        newEmail,
      )
      // This confirmation was sent before the restore, and the gateway does not report when the payment was made.
      await store.applyPaymentEvent(untimedPayment.orderId, buildSale('AP2', due, at), newEmail)
      await store.applyPaymentEvent(
        laterPayment.orderId,
        { ...buildSale('AP3', due, at), paidAt: addMs(1.5 * HOUR_MS) } as never,
        newEmail,
      )
      const dueEmails = await store.dueMails(addMs(9 * HOUR_MS), 9)
      expect(dueEmails.map(({ regNo }) => regNo)).toEqual([laterPayment.regNo])
      const { pending, held } = await readFigures()
      expect([pending, held.mails, held.since]).toEqual([{ all: 3, asked: 3, ended: 3 }, 2, 2])
      // If only the copy's emails are sent, no payment is confirmed twice.
      expect(await endRecovery('copy', addMs(3 * HOUR_MS))).toMatchObject({ sent: 0, discarded: 2 })
    })

    test('holds scheduled emails, and does not recreate discarded ones', async () => {
      const [pendingRegistration, returnedRegistration] = [
        await registerWithAirpay(),
        await registerWithAirpay(),
      ]
      await store.recordStatusQuery(pendingRegistration.orderId, addMs(10), null, 'no-record')
      await store.applyPaymentEvent(
        returnedRegistration.orderId,
        buildSale('AP1', due, addMs(10)),
        null,
      )
      await beginRecovery()
      const refundEvent = {
        type: 'refunded',
        reference: 'RF1',
        amount: due,
        at: addMs(HOUR_MS + 10),
      } as const
      await store.applyPaymentEvent(returnedRegistration.orderId, refundEvent, null)
      const listOutstanding = async () => [
        (await store.unfinishedPayments(addMs(2 * HOUR_MS), ['demo'], 0, 9)).map(
          ({ regNo }) => regNo,
        ),
        (await store.refundsWithoutEmail(noon, ['demo'], 9)).map(({ regNo }) => regNo),
      ]
      expect(await listOutstanding()).toEqual([
        [pendingRegistration.regNo],
        [returnedRegistration.regNo],
      ])
      expect(
        await store.queuePaymentReminder(pendingRegistration.regNo, newEmail, addMs(2 * HOUR_MS)),
      ).toBe(true)
      expect(await store.dueMails(addMs(9 * HOUR_MS), 9)).toEqual([])
      expect(await endRecovery('copy', addMs(3 * HOUR_MS))).toMatchObject({ sent: 0, discarded: 1 })
      expect(await listOutstanding()).toEqual([[], []])
      const laterRegistration = await registerSample(store, {
        gateway: 'airpay',
        at: addMs(4 * HOUR_MS),
      })
      await store.applyPaymentEvent(
        laterRegistration.orderId,
        buildSale('AP2', due, addMs(5 * HOUR_MS)),
        null,
      )
      await store.applyPaymentEvent(
        laterRegistration.orderId,
        { ...refundEvent, reference: 'RF2', at: addMs(6 * HOUR_MS) },
        null,
      )
      expect(await listOutstanding()).toEqual([[], [laterRegistration.regNo]])
    })

    test('sends no refunds, expires no registrations and erases no data until it ends', async () => {
      const { orderId, regNo } = await registerWithAirpay()
      await store.applyPaymentEvent(orderId, buildSale('AP1', due, addMs(10)), null)
      const refundRequest = { of: regNo, amount: due, ...grounds, at: addMs(20) }
      const refund = await store.requestRefund(refundRequest)
      expect(refund).toMatchObject({ ok: true })
      const [{ id } = { id: 0 }] = await store.refundsToSend(addMs(HOUR_MS), 9)
      await beginRecovery()
      expect(await store.refundsToSend(addMs(2 * HOUR_MS), 9)).toEqual([])
      expect(await store.claimRefund(id, addMs(2 * HOUR_MS))).toBe(false)
      expect(await store.registrationsToErase('demo', 0)).toEqual([])
      expect(await readFigures(['demo'])).toMatchObject({ held: { refunds: 1, erasures: 1 } })
      await endRecovery('send')
      expect(await store.registrationsToErase('demo', 0)).toHaveLength(1)
      expect(await store.claimRefund(id, addMs(3 * HOUR_MS))).toBe(true)
    })

    test('asks the gateway immediately about every pending payment and its next attempt', async () => {
      const { orderId, regNo } = await registerWithAirpay()
      await store.recordStatusQuery(orderId, addMs(10), addMs(90 * HOUR_MS))
      expect(await store.pendingPayments(addMs(HOUR_MS), 9)).toEqual([])
      await beginRecovery()
      expect(
        (await store.pendingPayments(addMs(HOUR_MS), 9)).map((order) => order.orderId),
      ).toEqual([orderId])
      const nextOrderId = createOrderId(regNo, 2)
      const listQueries = async (at = addMs(HOUR_MS)) =>
        (await store.unknownOrders(at, 9)).map((order) => order.orderId)
      expect(await listQueries()).toEqual([nextOrderId])
      await store.postponeUnknownOrder(nextOrderId, addMs(HOUR_MS))
      expect([await listQueries(), await listQueries(addMs(HOUR_MS + 60_000))]).toEqual([
        [],
        [nextOrderId],
      ])
      // The gateway declined the second attempt, so there may have been a third one.
      await store.closeUnknownOrder(nextOrderId, true, addMs(2 * HOUR_MS))
      expect(await listQueries(addMs(2 * HOUR_MS))).toEqual([createOrderId(regNo, 3)])
      await store.closeUnknownOrder(createOrderId(regNo, 3), false, addMs(2 * HOUR_MS))
      expect(await readFigures()).toMatchObject({ unknown: { toAsk: 0 } })
    })

    test('has its own code, and starting it again does not begin a second one', async () => {
      const firstRecovery = await beginRecovery()
      expect(await beginRecovery(addMs(2 * HOUR_MS), addMs(HOUR_MS))).toBe(null)
      const secondRecovery = await beginRecovery(addMs(HOUR_MS + 1), null, ['R000'])
      expect(secondRecovery?.code).not.toBe(firstRecovery?.code)
      const thirdRecovery = await beginRecovery(addMs(3 * HOUR_MS), addMs(2 * HOUR_MS))
      expect(new Set([firstRecovery?.code, secondRecovery?.code, thirdRecovery?.code]).size).toBe(3)
      expect((await readFigures()).past).toHaveLength(2)
    })

    test('a database keeps its first name and reports its row counts', async () => {
      expect((await store.databaseProgress()).name).toBe(null)
      const firstIdentity = await store.identifyDatabase('this one')
      await registerWithAirpay()
      const otherIdentity = await store.identifyDatabase('another')
      expect([firstIdentity.name, otherIdentity.name]).toEqual(['this one', 'this one'])
      expect(otherIdentity.counted['registrations']).toBe(
        (firstIdentity.counted['registrations'] ?? 0) + 1,
      )
      expect(await store.databaseProgress()).toEqual(otherIdentity)
    })
  })

  describe('a payment for an unknown order', () => {
    const createUnknownPayment = (
      orderId: string,
      changes: Partial<UnknownPayment> = {},
    ): UnknownPayment => ({
      orderId,
      eventId: 'demo',
      source: 'airpay',
      account: 'demo',
      payer: { name: 'Ravi Sample', email: 'ravi@example.org', phone: '', way: 'UPI' },
      refunded: toAmount(0),
      at: addMs(HOUR_MS),
      money: [{ reference: 'AP9', amount: due, currency: 'INR', kind: 'sale', paidAt: addMs(10) }],
      ...changes,
    })
    test("goes to review once, with the gateway's data, and can be moved to a registration with the same price", async () => {
      const orderId = nextRegNo()
      expect(await store.reviewUnknownPayment(createUnknownPayment(orderId))).toBe(1)
      expect(await store.reviewUnknownPayment(createUnknownPayment(orderId))).toBe(0)
      const [review] = await store.reviews('demo')
      expect(review).toMatchObject({
        is: 'unmatched',
        eventId: 'demo',
        regNo: null,
        came: { amount: due, reference: 'AP9', source: 'airpay', paidAt: addMs(10) },
        unknown: { orderId, payer: { email: 'ravi@example.org' }, suggested: null },
      })
      expect(await readFigures()).toMatchObject({ unknown: { toDecide: 1 } })
      const { regNo } = await registerWithAirpay()
      const moveResult = await store.decideReview(
        review?.id ?? '',
        { what: 'move', to: regNo, ...grounds },
        addMs(2 * HOUR_MS),
        newEmail,
      )
      expect(moveResult).toMatchObject({ ok: true })
      expect((await store.registration(regNo))?.paymentStatus).toBe('success')
      expect(await store.reviews('demo')).toEqual([])
    })

    test('suggests the registration whose next attempt would have this order id; the id is not issued again', async () => {
      const { orderId, regNo } = await registerWithAirpay()
      const declined = { type: 'declined', code: '400', message: 'No', at: addMs(10) } as const
      await store.applyPaymentEvent(orderId, declined, null)
      await store.reviewUnknownPayment(createUnknownPayment(createOrderId(regNo, 2)))
      expect((await store.reviews('demo'))[0]?.unknown?.suggested).toBe(regNo)
      const retryResult = await store.retry(regNo, addMs(HOUR_MS))
      expect(retryResult).toMatchObject({ ok: true, value: { orderId: createOrderId(regNo, 3) } })
    })

    test('is not duplicated if a settlement also lists it', async () => {
      const [firstOrderId, secondOrderId] = [nextRegNo(), nextRegNo()]
      await store.reviewUnknownPayment(createUnknownPayment(firstOrderId))
      const createSettlementLine = (order: string, reference: string, n: number) =>
        ({
          line: n,
          is: 'sale',
          order,
          reference,
          amount: due,
          fee: toAmount(0),
          tax: toAmount(0),
          net: due,
          day: null,
          utr: 'U1',
          paidOn: null,
          nth: 1,
        }) as const
      const savedSettlement = await store.saveSettlement({
        source: 'airpay',
        account: 'demo',
        eventId: 'demo',
        sha256: 'ab',
        who: 'treasurer',
        at: addMs(2 * HOUR_MS),
        lines: [
          createSettlementLine(firstOrderId, 'AP9', 2),
          createSettlementLine(secondOrderId, 'AP10', 3),
        ],
      })
      expect(savedSettlement.toReview).toBe(1)
      const unknownOrderIds = (await store.reviews('demo')).map((review) => review.unknown?.orderId)
      expect(unknownOrderIds).toEqual([firstOrderId, secondOrderId])
      const tenthPayment = createUnknownPayment(secondOrderId, {
        money: [{ reference: 'AP10', amount: due, currency: 'INR', kind: 'sale', paidAt: null }],
      })
      // For orders that only the settlement lists, the gateway is asked about the payer and refunds.
      const ordersToQuery = await store.unknownOrders(addMs(2 * HOUR_MS), 9)
      expect(ordersToQuery.map(({ orderId }) => orderId)).toEqual([secondOrderId])
      expect((await store.reviews('demo'))[1]?.unknown?.payer).toBe(null)
      expect(await store.reviewUnknownPayment({ ...tenthPayment, refunded: due })).toBe(0)
      expect(await store.reviewUnknownPayment({ ...tenthPayment, refunded: due })).toBe(0)
      const [, settlementReview] = await store.reviews('demo')
      expect(settlementReview?.unknown?.payer?.name).toBe('Ravi Sample')
      expect(settlementReview?.why.match(/was refunded at the gateway\./g)).toHaveLength(1)
      const refundedPayment = createUnknownPayment(nextRegNo(), { refunded: due })
      expect(await store.reviewUnknownPayment({ ...refundedPayment, account: 'other' })).toBe(0)
      expect(await store.reviews('demo')).toHaveLength(2)
    })

    test('the gateway is asked about at most 500 unknown orders', async () => {
      const orders = Array.from({ length: 502 }, () => ({
        orderId: createOrderId(nextRegNo(), 1),
        eventId: 'demo',
      }))
      const addResults = await Promise.all(
        orders.map((order) => store.addUnknownOrder(order, noon)),
      )
      expect(addResults.filter(Boolean)).toHaveLength(500)
    })
  })
}

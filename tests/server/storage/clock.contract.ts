/** Store contract for a clock that is set back: a future time neither delays nor ends anything. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  readStored,
  HOUR_MS,
  addMs,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'
import { createStartedRefundResponse, grounds } from './payment-decisions.ts'

const dayMs = 24 * HOUR_MS
const aheadMs = 30 * dayMs

export function defineClockContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })

  describe('a clock that is set back', () => {
    test('after a clock was a year ahead, no scheduled work waits for a year', async () => {
      const yearMs = 365 * 24 * HOUR_MS
      const [openRegistration, endedRegistration, scheduledRegistration] = [
        await registerSample(store),
        await registerSample(store),
        await registerSample(store),
      ]
      await store.applyPaymentEvent(endedRegistration.orderId, buildDecline(), null)
      await store.recordStatusQuery(
        openRegistration.orderId,
        addMs(yearMs),
        addMs(yearMs + HOUR_MS),
      )
      await store.recordStatusQuery(endedRegistration.orderId, addMs(yearMs), null)
      await store.recordStatusQuery(
        scheduledRegistration.orderId,
        addMs(HOUR_MS),
        addMs(5 * HOUR_MS),
      )
      await store.rescheduleAfterClockChange(addMs(2 * HOUR_MS))
      expect(
        (await store.pendingPayments(addMs(2 * HOUR_MS), 10)).map(({ orderId }) => orderId),
      ).toEqual([openRegistration.orderId])
      expect(
        (await store.watchedPayments(addMs(2 * HOUR_MS), 10)).map(({ orderId }) => orderId),
      ).toEqual([endedRegistration.orderId])
    })

    test('a clock that was set back and has run for days is trusted, and no data is erased because of the later time', async () => {
      const toleranceMs = 3 * dayMs
      const recordClock = (ms: number) => store.recordClock(addMs(ms), toleranceMs)
      await recordClock(aheadMs)
      expect(await recordClock(0)).toEqual({
        at: addMs(aheadMs),
        waitsSince: null,
        movedMs: -aheadMs,
      })
      expect(await recordClock(dayMs)).toEqual({ at: addMs(aheadMs), waitsSince: null, movedMs: 0 })
      expect(await recordClock(aheadMs)).toEqual({
        at: addMs(aheadMs),
        waitsSince: null,
        movedMs: aheadMs - dayMs,
      })
      for (const days of [0, 1, 2, 3, 4]) await recordClock(days * dayMs)
      expect(await store.lastTrustedTime()).toEqual({ at: addMs(4 * dayMs), waitsSince: null })
      expect(await recordClock(aheadMs)).toEqual({
        at: addMs(4 * dayMs),
        waitsSince: addMs(aheadMs),
        movedMs: 0,
      })
    })

    test('the gateway is asked at the right time about an order that ended while the clock was ahead', async () => {
      const { orderId } = await registerSample(store)
      await store.recordStatusQuery(orderId, addMs(HOUR_MS), addMs(2 * HOUR_MS), 'no-record')
      await store.applyPaymentEvent(orderId, { type: 'expired', at: addMs(500 * HOUR_MS) }, null)
      await store.rescheduleAfterClockChange(addMs(26 * HOUR_MS))
      expect(
        (await store.watchedPayments(addMs(26 * HOUR_MS), 10)).map((order) => order.orderId),
      ).toEqual([orderId])
    })

    test('a payment that expired while the clock was weeks ahead is pending again', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.recordStatusQuery(orderId, addMs(HOUR_MS), addMs(2 * HOUR_MS), 'no-record')
      await store.applyPaymentEvent(orderId, { type: 'expired', at: addMs(aheadMs) }, null)
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'failed',
        state: 'lapsed',
      })
      await store.rescheduleAfterClockChange(addMs(2 * HOUR_MS))
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'pending',
        state: 'to_pay',
      })
      expect(await store.pendingPayments(addMs(2 * HOUR_MS), 10)).toMatchObject([{ orderId }])
      // A day later, the payment expires at the correct time, and a late payment still counts.
      await store.applyPaymentEvent(orderId, { type: 'expired', at: addMs(dayMs) }, null)
      await store.rescheduleAfterClockChange(addMs(2 * dayMs))
      expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'failed' })
      await store.applyPaymentEvent(
        orderId,
        buildSale('AP1', sampleQuote.total, addMs(3 * dayMs)),
        null,
      )
      expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'success' })
    })

    test('a payment declined while the clock was ahead stays declined', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildDecline(addMs(aheadMs)), null)
      await store.rescheduleAfterClockChange(addMs(HOUR_MS))
      expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'failed' })
    })

    test('a payment that was put under review while the clock was ahead is pending for the usual five days', async () => {
      const { regNo, orderId } = await registerSample(store)
      const applyUndecided = (at: number) =>
        store.applyPaymentEvent(orderId, { type: 'undecided', at: addMs(at) }, null)
      await applyUndecided(aheadMs)
      expect(await store.reviews(null)).toMatchObject([{ regNo, is: 'undecided' }])
      await store.rescheduleAfterClockChange(addMs(HOUR_MS))
      expect(await store.reviews(null)).toEqual([])
      expect(await store.pendingPayments(addMs(HOUR_MS), 10)).toMatchObject([{ orderId }])
      await applyUndecided(5 * dayMs)
      expect(await store.reviews(null)).toMatchObject([{ regNo, is: 'undecided' }])
    })

    test('if a server claimed the query of a payment while the clock was ahead, the payment is queried again', async () => {
      const { orderId } = await registerSample(store)
      expect(await store.claimStatusQuery(orderId, addMs(aheadMs), addMs(aheadMs))).toBe(true)
      await store.recordStatusQuery(orderId, addMs(aheadMs), addMs(aheadMs + HOUR_MS), 'no-record')
      await store.rescheduleAfterClockChange(addMs(HOUR_MS))
      expect(await store.claimStatusQuery(orderId, addMs(HOUR_MS), addMs(HOUR_MS))).toBe(true)
    })

    test('a seat held while the clock was ahead is held for the usual time', async () => {
      const quotas = { seats: { id: 'seats', max: 1, full: { message: 'Full' } } }
      await store.saveEventFile({
        hash: 'hash-1',
        eventId: 'demo',
        text: '',
        shared: '',
        at: addMs(0),
        limits: [quotas.seats],
        holdPlaceMs: HOUR_MS / 2,
        placeNames: { seats: 'Seats' },
      })
      await registerSample(store, { at: addMs(aheadMs) })
      await store.rescheduleAfterClockChange(addMs(HOUR_MS))
      expect(await store.availableSeats('demo', {}, addMs(HOUR_MS))).toEqual({ seats: 0 })
      expect(await store.availableSeats('demo', {}, addMs(2 * HOUR_MS))).toEqual({ seats: 1 })
    })

    test('a refund that was marked as unsure while the clock was ahead is pending again', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildSale('AP1'), null)
      await store.requestRefund({
        of: regNo,
        amount: sampleQuote.total,
        ...grounds,
        at: addMs(HOUR_MS),
      })
      const [dueRefund] = await store.refundsToSend(addMs(HOUR_MS), 1)
      if (dueRefund === undefined) throw new Error('expected a refund to be sent')
      await store.claimRefund(dueRefund.id, addMs(HOUR_MS))
      await store.recordRefundResponse(
        dueRefund.id,
        createStartedRefundResponse('RF1'),
        addMs(HOUR_MS),
      )
      await store.markUnansweredRefunds(addMs(aheadMs))
      expect(await store.reviews(null)).toMatchObject([{ regNo, is: 'refund-unsure' }])
      await store.rescheduleAfterClockChange(addMs(2 * HOUR_MS))
      expect(await store.reviews(null)).toEqual([])
      await store.markUnansweredRefunds(addMs(HOUR_MS + 5 * dayMs))
      expect(await store.reviews(null)).toMatchObject([{ regNo, is: 'refund-unsure' }])
    })
  })
}

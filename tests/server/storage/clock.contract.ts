/** Corrections in the store when the clock is set back: nothing waits for a future time, or is ended by one. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../../server/storage/index.ts'
import {
  confirmedBy,
  declinedAt,
  found,
  hour,
  later,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'
import { createRefundBegun, grounds } from './payment-decisions.ts'

const day = 24 * hour
const aheadMs = 30 * day

export function clockContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })

  describe('a clock that is set back', () => {
    test('a clock set a year ahead and back leaves nothing waiting for a year', async () => {
      const year = 365 * 24 * hour
      const [open, ended, scheduled] = [
        await registerSample(store),
        await registerSample(store),
        await registerSample(store),
      ]
      await store.applyPaymentEvent(ended.orderId, declinedAt(), null)
      await store.recordStatusQuery(open.orderId, later(year), later(year + hour))
      await store.recordStatusQuery(ended.orderId, later(year), null)
      await store.recordStatusQuery(scheduled.orderId, later(hour), later(5 * hour))
      await store.rescheduleAfterClockChange(later(2 * hour))
      expect(
        (await store.pendingPayments(later(2 * hour), 10)).map(({ orderId }) => orderId),
      ).toEqual([open.orderId])
      expect(
        (await store.watchedPayments(later(2 * hour), 10)).map(({ orderId }) => orderId),
      ).toEqual([ended.orderId])
    })

    test('a clock set back that runs for days is right, and the later time does not erase data', async () => {
      const toleranceMs = 3 * day
      const recordClock = (ms: number) => store.recordClock(later(ms), toleranceMs)
      await recordClock(aheadMs)
      expect(await recordClock(0)).toEqual({
        at: later(aheadMs),
        waitsSince: null,
        movedMs: -aheadMs,
      })
      expect(await recordClock(day)).toEqual({ at: later(aheadMs), waitsSince: null, movedMs: 0 })
      expect(await recordClock(aheadMs)).toEqual({
        at: later(aheadMs),
        waitsSince: null,
        movedMs: aheadMs - day,
      })
      for (const days of [0, 1, 2, 3, 4]) await recordClock(days * day)
      expect(await store.lastTrustedTime()).toEqual({ at: later(4 * day), waitsSince: null })
      expect(await recordClock(aheadMs)).toEqual({
        at: later(4 * day),
        waitsSince: later(aheadMs),
        movedMs: 0,
      })
    })

    test('an order that ended while the clock was ahead is polled at the right time', async () => {
      const { orderId } = await registerSample(store)
      await store.recordStatusQuery(orderId, later(hour), later(2 * hour), 'no-record')
      await store.applyPaymentEvent(orderId, { type: 'expired', at: later(500 * hour) }, null)
      await store.rescheduleAfterClockChange(later(26 * hour))
      expect(
        (await store.watchedPayments(later(26 * hour), 10)).map((order) => order.orderId),
      ).toEqual([orderId])
    })

    test('a payment that expired while the clock was weeks ahead is pending again', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.recordStatusQuery(orderId, later(hour), later(2 * hour), 'no-record')
      await store.applyPaymentEvent(orderId, { type: 'expired', at: later(aheadMs) }, null)
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'failed', state: 'lapsed' })
      await store.rescheduleAfterClockChange(later(2 * hour))
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'pending', state: 'to_pay' })
      expect(await store.pendingPayments(later(2 * hour), 10)).toMatchObject([{ orderId }])
      // A day later, the payment expires at the correct time, and a late payment still counts.
      await store.applyPaymentEvent(orderId, { type: 'expired', at: later(day) }, null)
      await store.rescheduleAfterClockChange(later(2 * day))
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'failed' })
      await store.applyPaymentEvent(
        orderId,
        confirmedBy('AP1', sampleQuote.total, later(3 * day)),
        null,
      )
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'success' })
    })

    test('a payment declined while the clock was ahead stays declined', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, declinedAt(later(aheadMs)), null)
      await store.rescheduleAfterClockChange(later(hour))
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'failed' })
    })

    test('a payment put under review after five days gets its five days again', async () => {
      const { regNo, orderId } = await registerSample(store)
      const applyUndecided = (at: number) =>
        store.applyPaymentEvent(orderId, { type: 'undecided', at: later(at) }, null)
      await applyUndecided(aheadMs)
      expect(await store.reviews(null)).toMatchObject([{ regNo, is: 'undecided' }])
      await store.rescheduleAfterClockChange(later(hour))
      expect(await store.reviews(null)).toEqual([])
      expect(await store.pendingPayments(later(hour), 10)).toMatchObject([{ orderId }])
      await applyUndecided(5 * day)
      expect(await store.reviews(null)).toMatchObject([{ regNo, is: 'undecided' }])
    })

    test('a payment whose query was claimed while the clock was ahead is queried again', async () => {
      const { orderId } = await registerSample(store)
      expect(await store.claimStatusQuery(orderId, later(aheadMs), later(aheadMs))).toBe(true)
      await store.recordStatusQuery(orderId, later(aheadMs), later(aheadMs + hour), 'no-record')
      await store.rescheduleAfterClockChange(later(hour))
      expect(await store.claimStatusQuery(orderId, later(hour), later(hour))).toBe(true)
    })

    test('a seat held while the clock was ahead is held for the usual time', async () => {
      const max = { seats: { id: 'seats', max: 1, full: { message: 'Full' } } }
      await store.saveEventFile({
        hash: 'hash-1',
        eventId: 'demo',
        text: '',
        shared: '',
        at: later(0),
        limits: [max.seats],
        holdPlaceMs: hour / 2,
        placeNames: { seats: 'Seats' },
      })
      await registerSample(store, { at: later(aheadMs) })
      await store.rescheduleAfterClockChange(later(hour))
      expect(await store.availableSeats('demo', {}, later(hour))).toEqual({ seats: 0 })
      expect(await store.availableSeats('demo', {}, later(2 * hour))).toEqual({ seats: 1 })
    })

    test('a refund that was unsure after five days is expected again', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, confirmedBy('AP1'), null)
      await store.requestRefund({
        of: regNo,
        amount: sampleQuote.total,
        ...grounds,
        at: later(hour),
      })
      const [dueRefund] = await store.refundsToSend(later(hour), 1)
      if (dueRefund === undefined) throw new Error('no refund is to be sent')
      await store.claimRefund(dueRefund.id, later(hour))
      await store.recordRefundResponse(dueRefund.id, createRefundBegun('RF1'), later(hour))
      await store.markUnansweredRefunds(later(aheadMs))
      expect(await store.reviews(null)).toMatchObject([{ regNo, is: 'refund-unsure' }])
      await store.rescheduleAfterClockChange(later(2 * hour))
      expect(await store.reviews(null)).toEqual([])
      await store.markUnansweredRefunds(later(hour + 5 * day))
      expect(await store.reviews(null)).toMatchObject([{ regNo, is: 'refund-unsure' }])
    })
  })
}

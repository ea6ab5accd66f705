/** Store contract for a payment's life cycle: payment events, retries, and gateway queries. */
import { describe, expect, test, beforeEach } from 'vitest'
import { registerThorough } from '../../runs.ts'
import { dayOf, createOrderId, toAmount } from '../../../engine/index.ts'
import type { Instant, OrderId, PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  readStored,
  HOUR_MS,
  addMs,
  newEmail,
  noon,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import { toRegNos } from './contract-setup.ts'
import type { ContractSetup } from './contract-setup.ts'
export function definePaymentEventsContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })

  describe('a payment event', () => {
    test('a success completes the payment and the registration, and queues the email', async () => {
      const { regNo, orderId } = await registerSample(store)
      const event = buildSale('AP1')
      expect(await store.applyPaymentEvent(orderId, event, newEmail)).toMatchObject({
        changed: true,
        review: null,
        payment: { status: 'success', reference: 'AP1', paidAt: event.at },
      })
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP1',
        paidAt: event.at,
        inReview: false,
      })
      expect(await store.paymentEvents(orderId)).toEqual([
        { at: event.at, type: 'confirmed', body: event },
      ])
      expect(await store.emailsOfRegistration(regNo)).toMatchObject([
        { ...newEmail, status: 'queued', at: event.at, error: null },
      ])
    })

    test('a repeated success changes nothing', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      const registrationBefore = await readStored(store, regNo)
      expect(
        await store.applyPaymentEvent(
          orderId,
          buildSale('AP1', sampleQuote.total, addMs(HOUR_MS)),
          newEmail,
        ),
      ).toMatchObject({ changed: false, review: null })
      expect(await readStored(store, regNo)).toEqual(registrationBefore)
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
      expect((await store.paymentEvents(orderId)).length).toBe(1)
    })

    test('a payment reported again with another time is recorded once', async () => {
      const { orderId } = await registerSample(store)
      const confirmAt = (at: Instant): PaymentEvent =>
        Object.assign(buildSale('12345', sampleQuote.total, at), { paidAt: at })
      await store.applyPaymentEvent(orderId, confirmAt(addMs(60_000)), null)
      await store.applyPaymentEvent(orderId, confirmAt(addMs(61_000)), null)
      expect((await store.paymentEvents(orderId)).length).toBe(1)
    })

    test('a hundred concurrent successes queue one email and count the payment once', async () => {
      const { regNo, orderId } = await registerSample(store)
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          store.applyPaymentEvent(
            orderId,
            buildSale('AP1', sampleQuote.total, addMs(60_000 + index)),
            newEmail,
          ),
        ),
      )
      expect(results.filter(({ changed }) => changed).length).toBe(1)
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
      expect((await store.dashboardFigures('demo', dayOf(noon))).revenue).toBe(501_500)
    })

    registerThorough(() => {
      test('negative control: reading the state before writing, without the guard, queues many emails', async () => {
        const { regNo, orderId } = await registerSample(store)
        const reads = Array.from({ length: 100 }, () => store.payment(orderId))
        for (const payment of await Promise.all(reads))
          if (payment?.status === 'pending') await store.queueMail(regNo, newEmail, noon)
        expect((await store.emailsOfRegistration(regNo)).length).toBeGreaterThan(1)
      })
    })

    test('a decline fails the payment; a late payment still counts', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildDecline(), newEmail)
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'failed',
        payments: [{ status: 'failed' }],
      })
      expect(await store.emailsOfRegistration(regNo)).toEqual([])
      await store.applyPaymentEvent(
        orderId,
        buildSale('AP1', sampleQuote.total, addMs(HOUR_MS)),
        newEmail,
      )
      expect((await readStored(store, regNo)).paymentStatus).toBe('success')
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
    })

    test('a payment is queried only by the server that claimed the query, until the claim expires or the query completes', async () => {
      const { orderId } = await registerSample(store)
      const claim = (at: Instant) => store.claimStatusQuery(orderId, at, at)
      expect([await claim(addMs(1)), await claim(addMs(2))]).toEqual([true, false])
      // The process that claimed the query died.
      expect(await claim(addMs(HOUR_MS))).toBe(true)
      await store.recordStatusQuery(orderId, addMs(HOUR_MS), addMs(3 * HOUR_MS), 'in-process')
      expect(await claim(addMs(2 * HOUR_MS))).toBe(false)
      expect(await claim(addMs(3 * HOUR_MS))).toBe(true)
    })

    test('a different amount is recorded and put under review; the payment is neither a success nor a failure', async () => {
      const { regNo, orderId } = await registerSample(store)
      const event = buildSale('AP1', toAmount(100))
      expect(await store.applyPaymentEvent(orderId, event, newEmail)).toMatchObject({
        changed: true,
        review: expect.stringContaining('instead of'),
        payment: { status: 'pending', review: expect.stringContaining('5,015') },
      })
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'pending',
        inReview: true,
        paymentId: null,
      })
      expect(await store.paymentEvents(orderId)).toEqual([
        { at: event.at, type: 'confirmed', body: event },
      ])
      expect(await store.emailsOfRegistration(regNo)).toEqual([])
      expect(toRegNos(await store.registrationsInReview('demo'))).toEqual([regNo])
      expect(await store.pendingPayments(addMs(HOUR_MS), 10)).toEqual([])
      expect((await store.dashboardFigures('demo', dayOf(noon))).revenue).toBe(0)
    })

    test('a further payment for a paid registration goes to review and does not change the first success', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildDecline(), null)
      const retryResult = await store.retry(regNo, addMs(HOUR_MS))
      if (!retryResult.ok) throw new Error(retryResult.error.code)
      await store.applyPaymentEvent(retryResult.value.orderId, buildSale('AP2'), newEmail)
      expect(await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)).toMatchObject({
        review: expect.stringContaining('AP2'),
        payment: { status: 'failed' },
      })
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP2',
        inReview: true,
      })
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
      expect((await store.dashboardFigures('demo', dayOf(noon))).revenue).toBe(501_500)
    })

    test('a different reference for a successful payment goes to review, and the payment stays a success', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      expect(await store.applyPaymentEvent(orderId, buildSale('AP9'), newEmail)).toMatchObject({
        review: expect.stringContaining('AP1'),
        payment: { status: 'success', reference: 'AP1' },
      })
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP1',
        inReview: true,
      })
      expect((await store.paymentEvents(orderId)).length).toBe(2)
    })

    test('a late decline of a paid payment is stored, but has no effect', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      const registrationBefore = await readStored(store, regNo)
      expect(
        await store.applyPaymentEvent(orderId, buildDecline(addMs(HOUR_MS)), newEmail),
      ).toMatchObject({
        changed: false,
        review: null,
      })
      expect(await readStored(store, regNo)).toEqual(registrationBefore)
      expect((await store.paymentEvents(orderId)).map(({ type }) => type)).toEqual([
        'confirmed',
        'declined',
      ])
    })

    test('two reasons for review are both listed, a repeated reason only once', async () => {
      const { orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildSale('AP1', toAmount(100)), null)
      const secondResult = await store.applyPaymentEvent(
        orderId,
        { ...buildSale('AP1'), currency: 'USD' } as PaymentEvent,
        null,
      )
      expect(secondResult.review).toMatch(/instead of.*USD/)
      expect(
        await store.applyPaymentEvent(orderId, buildSale('AP1', toAmount(100)), null),
      ).toMatchObject({
        changed: false,
        review: secondResult.review,
      })
      expect((await store.paymentEvents(orderId)).length).toBe(2)
    })

    test('a success that is reported again after the refund is recognised and changes nothing', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      await store.applyPaymentEvent(
        orderId,
        { type: 'refunded', reference: 'RF1', amount: sampleQuote.total, at: addMs(HOUR_MS) },
        null,
      )
      expect(await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)).toMatchObject({
        changed: false,
        review: null,
        payment: { status: 'refunded' },
      })
      expect(await store.retry(regNo, addMs(HOUR_MS))).toEqual({
        ok: false,
        error: { code: 'not_failed' },
      })
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
    })

    test('one gateway reference cannot pay two orders', async () => {
      const [first, second] = [await registerSample(store), await registerSample(store)]
      await store.applyPaymentEvent(first.orderId, buildSale('AP1'), newEmail)
      expect(
        await store.applyPaymentEvent(second.orderId, buildSale('AP1'), newEmail),
      ).toMatchObject({
        review: expect.stringContaining(first.orderId),
        payment: { status: 'pending' },
      })
    })

    test('a refund reduces the revenue on the date of the refund', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      await store.applyPaymentEvent(
        orderId,
        { type: 'refunded', reference: 'RF1', amount: sampleQuote.total, at: addMs(48 * HOUR_MS) },
        null,
      )
      const refunded = await readStored(store, regNo)
      expect(refunded).toMatchObject({ paymentStatus: 'refunded', paymentId: 'AP1' })
      const { revenue, byDay } = await store.dashboardFigures('demo', dayOf(noon))
      expect(revenue).toBe(0)
      expect(byDay).toEqual([
        { day: '2026-11-21', registrations: 1, revenue: 501_500 },
        { day: '2026-11-23', registrations: 0, revenue: -501_500 },
      ])
    })

    test('is stored together with its gateway response, or not at all', async () => {
      const { orderId } = await registerSample(store)
      const gatewayResponse = {
        gateway: 'demo',
        body: '<RESPONSE/>',
        contentType: 'text/xml',
        at: addMs(HOUR_MS),
      } as const
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail, gatewayResponse)
      expect(await store.gatewayMessages(orderId)).toEqual([
        { id: expect.any(Number), kind: 'status', ...gatewayResponse },
      ])
      expect((await store.paymentEvents(orderId)).map(({ type }) => type)).toEqual(['confirmed'])
      const unknownOrder = 'DEMO0' as OrderId
      await expect(
        store.applyPaymentEvent(unknownOrder, buildSale('AP2'), newEmail, gatewayResponse),
      ).rejects.toThrow('an unknown order')
      expect(await store.gatewayMessages(unknownOrder)).toEqual([])
    })

    test('for an unknown order throws an error, and nothing is stored', async () => {
      await expect(
        store.applyPaymentEvent('DEMO0' as OrderId, buildSale('AP1'), newEmail),
      ).rejects.toThrow('an unknown order')
      expect(await store.paymentEvents('DEMO0' as OrderId)).toEqual([])
    })
  })

  describe('received payments', () => {
    test('have one row each: a successful payment has the state `fits` and the account that it was requested through', async () => {
      const { regNo, orderId } = await registerSample(store, {
        gateway: 'airpay',
        merchantAccount: { account: 'afpi', merchantId: '123456' },
      })
      expect(await store.captures(regNo)).toEqual([])
      const event = buildSale('AP1')
      await store.applyPaymentEvent(orderId, event, newEmail)
      await store.applyPaymentEvent(
        orderId,
        buildSale('AP1', sampleQuote.total, addMs(HOUR_MS)),
        newEmail,
      )
      expect(await store.captures(regNo)).toEqual([
        {
          id: expect.any(Number),
          regNo,
          eventId: 'demo',
          orderId,
          countsFor: orderId,
          source: 'airpay',
          account: 'afpi',
          reference: 'AP1',
          amount: sampleQuote.total,
          currency: 'INR',
          kind: 'sale',
          paidAt: event.at,
          seenAt: event.at,
          state: 'fits',
          why: null,
          refundableByGateway: sampleQuote.total,
        },
      ])
      expect(await store.payment(orderId)).toMatchObject({ account: 'afpi', merchantId: '123456' })
    })

    test('a second capture for a paid order goes to review, and the reason states both references', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      const { review } = await store.applyPaymentEvent(orderId, buildSale('AP9'), newEmail)
      expect(review).toBe('Payment received a second time, as AP9. The first payment is AP1.')
      expect(
        (await store.captures(regNo)).map(({ reference, state }) => [reference, state]),
      ).toEqual([
        ['AP1', 'fits'],
        ['AP9', 'review'],
      ])
      expect((await store.captures(regNo))[1]?.why).toBe(review)
    })

    test('of two captures in one response, the first succeeds and the second goes to review, both with the time of payment', async () => {
      const { regNo, orderId } = await registerSample(store)
      const paidAt = noon
      const secondCapture = { reference: 'AP7', amount: sampleQuote.total, kind: 'sale' as const }
      const event = {
        ...buildSale('AP6', sampleQuote.total, addMs(HOUR_MS)),
        paidAt,
        further: [secondCapture],
      }
      const { payment, review } = await store.applyPaymentEvent(orderId, event, newEmail)
      expect([payment.status, payment.paidAt]).toEqual(['success', paidAt])
      expect(review).toBe('Payment received a second time, as AP7. The first payment is AP6.')
      expect(await store.captures(regNo)).toMatchObject([
        { reference: 'AP6', state: 'fits', paidAt, why: null },
        { reference: 'AP7', state: 'review', amount: sampleQuote.total, why: review },
      ])
    })

    test('a payment without a currency goes to review, and a later, complete response ends the review', async () => {
      const { regNo, orderId } = await registerSample(store)
      const incomplete = { ...buildSale('AP1'), currency: '' } as PaymentEvent
      expect((await store.applyPaymentEvent(orderId, incomplete, newEmail)).review).toContain(
        'not in rupees',
      )
      expect(await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)).toMatchObject({
        review: null,
        payment: { status: 'success' },
      })
      const stored = await readStored(store, regNo)
      expect(stored).toMatchObject({ paymentStatus: 'success', inReview: false })
      expect(await store.captures(regNo)).toMatchObject([
        { state: 'fits', currency: 'INR', why: null },
      ])
    })

    test('a payment that is reported for two orders is stored once, for the first order', async () => {
      const [first, second] = [await registerSample(store), await registerSample(store)]
      await store.applyPaymentEvent(first.orderId, buildSale('AP1'), newEmail)
      await store.applyPaymentEvent(second.orderId, buildSale('AP1'), newEmail)
      expect((await store.captures(first.regNo)).length).toBe(1)
      expect(await store.captures(second.regNo)).toEqual([])
    })
  })

  describe('retrying', () => {
    test('creates an attempt for the same amount', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildDecline(), null)
      const retryResult = await store.retry(regNo, addMs(HOUR_MS))
      expect(retryResult).toMatchObject({
        ok: true,
        value: {
          orderId: createOrderId(regNo, 2),
          amount: 501_500,
          status: 'pending',
          createdAt: addMs(HOUR_MS),
        },
      })
      const registration = await readStored(store, regNo)
      expect(registration.paymentStatus).toBe('pending')
      expect(registration.payments.map((payment) => payment.orderId)).toEqual([
        createOrderId(regNo, 2),
        orderId,
      ])
      expect((await store.payment(orderId))?.regNo).toBe(regNo)
      // If the first attempt ends again later, the newest attempt still determines the state.
      await store.applyPaymentEvent(orderId, { type: 'expired', at: addMs(2 * HOUR_MS) }, null)
      expect((await readStored(store, regNo)).paymentStatus).toBe('pending')
    })

    test('is rejected while an attempt is pending, after a success, during a review, and for an unknown registration number', async () => {
      const { regNo, orderId } = await registerSample(store)
      expect(await store.retry(regNo, noon)).toEqual({ ok: false, error: { code: 'not_failed' } })
      await store.applyPaymentEvent(orderId, buildSale('AP1'), null)
      expect(await store.retry(regNo, noon)).toEqual({ ok: false, error: { code: 'not_failed' } })
      expect(await store.retry('DEMO0' as RegNo, noon)).toEqual({
        ok: false,
        error: { code: 'not_found' },
      })
      const other = await registerSample(store)
      await store.applyPaymentEvent(other.orderId, buildDecline(), null)
      await store.applyPaymentEvent(other.orderId, buildSale('AP2', toAmount(1)), null)
      expect(await readStored(store, other.regNo)).toMatchObject({
        inReview: true,
        paymentStatus: 'failed',
      })
      expect(await store.retry(other.regNo, noon)).toEqual({
        ok: false,
        error: { code: 'not_failed' },
      })
    })

    test('two concurrent confirmations of a new price create one order and close the old one', async () => {
      const { regNo, orderId } = await registerSample(store)
      const newTotal = toAmount(600_000)
      const price = {
        quote: { ...sampleQuote, period: 'late', total: newTotal, base: toAmount(523_500) },
        holdUntil: null,
      }
      const confirmPrice = () =>
        store.retry(regNo, noon, { expectedOrderId: orderId, replacesOpenOrder: true, price })
      const results = await Promise.all([confirmPrice(), confirmPrice(), confirmPrice()])
      expect(results.filter(({ ok }) => ok)).toHaveLength(1)
      const { payments, period, total } = await readStored(store, regNo)
      expect(payments.map(({ status, amount }) => [status, amount])).toEqual([
        ['pending', 600_000],
        ['failed', 501_500],
      ])
      expect([period, total]).toEqual(['late', 600_000])
    })

    test('many times at once creates one attempt', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildDecline(), null)
      const results = await Promise.all(Array.from({ length: 20 }, () => store.retry(regNo, noon)))
      expect(results.filter(({ ok }) => ok).length).toBe(1)
      expect((await readStored(store, regNo)).payments.length).toBe(2)
    })

    test('is rejected after the 99th attempt', async () => {
      const { regNo } = await registerSample(store)
      for (let attempt = 1; attempt < 99; attempt += 1) {
        await store.applyPaymentEvent(createOrderId(regNo, attempt), buildDecline(), null)
        expect((await store.retry(regNo, noon)).ok).toBe(true)
      }
      await store.applyPaymentEvent(createOrderId(regNo, 99), buildDecline(), null)
      expect(await store.retry(regNo, noon)).toEqual({
        ok: false,
        error: { code: 'too_many_attempts' },
      })
    })
  })

  describe('querying the gateway', () => {
    test('starts with the newest payments until each was queried twice, continues with those due longest, and omits those not yet due', async () => {
      const [first, next, third] = [
        await registerSample(store),
        await registerSample(store, { at: addMs(10) }),
        await registerSample(store, { at: addMs(20) }),
      ]
      await store.applyPaymentEvent(third.orderId, buildSale('AP3'), null)
      const listDuePayments = async (at: number, limit = 10) =>
        (await store.pendingPayments(addMs(at), limit)).map(({ orderId }) => orderId)
      expect(await listDuePayments(30)).toEqual([next.orderId, first.orderId])
      expect(await listDuePayments(5)).toEqual([first.orderId])
      await store.recordStatusQuery(next.orderId, addMs(30), addMs(HOUR_MS))
      expect(await listDuePayments(30)).toEqual([first.orderId])
      expect(
        (await store.pendingPayments(addMs(HOUR_MS), 10)).map((payment) => [
          payment.orderId,
          payment.attempts,
        ]),
      ).toEqual([
        [next.orderId, 1],
        [first.orderId, 0],
      ])
      for (const at of [40, 50])
        await store.recordStatusQuery(next.orderId, addMs(at), addMs(HOUR_MS))
      expect(await listDuePayments(HOUR_MS)).toEqual([first.orderId, next.orderId])
      expect(await listDuePayments(HOUR_MS, 1)).toEqual([first.orderId])
    })

    test('excludes both pending and ended payments through a blocked account', async () => {
      const merchantAccount = { account: 'afpi', merchantId: null }
      const [openPayment, endedPayment] = [
        await registerSample(store, { merchantAccount }),
        await registerSample(store, { merchantAccount }),
      ]
      await store.applyPaymentEvent(endedPayment.orderId, buildDecline(), null)
      expect((await store.pendingPayments(addMs(HOUR_MS), 10)).length).toBe(1)
      expect((await store.watchedPayments(addMs(HOUR_MS), 10)).length).toBe(1)
      expect(await store.pendingPayments(addMs(HOUR_MS), 10, ['afpi'])).toEqual([])
      expect(await store.watchedPayments(addMs(HOUR_MS), 10, ['afpi'])).toEqual([])
      expect((await store.pendingPayments(addMs(HOUR_MS), 10, ['other']))[0]?.orderId).toBe(
        openPayment.orderId,
      )
    })

    test('polls closed payments for ten days, starting ten minutes after a failure and an hour after a success', async () => {
      const minute = 60_000
      const [failed, paid, open] = [
        await registerSample(store),
        await registerSample(store),
        await registerSample(store),
      ]
      await store.applyPaymentEvent(failed.orderId, buildDecline(noon), null)
      await store.applyPaymentEvent(paid.orderId, buildSale('AP1', sampleQuote.total, noon), null)
      const listWatchedIds = async (ms: number) =>
        (await store.watchedPayments(addMs(ms), 10)).map(({ orderId }) => orderId)
      expect(await listWatchedIds(9 * minute)).toEqual([])
      expect(await listWatchedIds(10 * minute)).toEqual([failed.orderId])
      expect(await listWatchedIds(HOUR_MS)).toEqual([failed.orderId, paid.orderId])
      expect((await store.payment(failed.orderId))?.watchUntil).toBe(addMs(240 * HOUR_MS))
      await store.recordStatusQuery(failed.orderId, addMs(HOUR_MS), null)
      expect(await listWatchedIds(1000 * HOUR_MS)).toEqual([paid.orderId])
      // Messages from the gateway report payments for two of the orders.
      await store.scheduleGatewayQueries(failed.orderId, addMs(2 * HOUR_MS))
      await store.scheduleGatewayQueries(open.orderId, addMs(2 * HOUR_MS))
      expect(await listWatchedIds(2 * HOUR_MS)).toEqual([paid.orderId, failed.orderId])
      expect((await store.payment(failed.orderId))?.watchUntil).toBe(addMs(242 * HOUR_MS))
      expect((await store.payment(open.orderId))?.watchUntil).toBe(null)
    })

    test('puts a payment under review after five days without a final response; a late response ends the review', async () => {
      const [paid, failed, unansweredPayment] = [
        await registerSample(store),
        await registerSample(store),
        await registerSample(store),
      ]
      for (const { orderId } of [paid, failed, unansweredPayment])
        expect(
          await store.applyPaymentEvent(
            orderId,
            { type: 'undecided', at: addMs(120 * HOUR_MS) },
            null,
          ),
        ).toMatchObject({ changed: true, review: expect.stringContaining('five days') })
      expect(await store.pendingPayments(addMs(200 * HOUR_MS), 10)).toEqual([])
      expect((await store.watchedPayments(addMs(121 * HOUR_MS), 10)).length).toBe(3)
      await store.applyPaymentEvent(paid.orderId, buildSale('AP1'), newEmail)
      await store.applyPaymentEvent(failed.orderId, buildDecline(), null)
      expect(await readStored(store, paid.regNo)).toMatchObject({
        paymentStatus: 'success',
        inReview: false,
      })
      expect(await readStored(store, failed.regNo)).toMatchObject({
        paymentStatus: 'failed',
        inReview: false,
      })
      expect(toRegNos(await store.registrationsInReview('demo'))).toEqual([unansweredPayment.regNo])
    })

    test('stores a gateway message unchanged', async () => {
      const gatewayMessage = {
        gateway: 'demo',
        kind: 'notice',
        orderId: null,
        body: 'A=1&B=%20\u0000',
        contentType: 'text/plain',
        at: noon,
      } as const
      await store.recordGatewayMessage(gatewayMessage)
      await store.recordGatewayMessage({ ...gatewayMessage, orderId: 'DEMO1', kind: 'return' })
      const { gateway, body, contentType } = gatewayMessage
      expect(await store.gatewayMessages(null)).toEqual([
        { id: expect.any(Number), gateway, kind: 'notice', body, contentType, at: noon },
      ])
      expect(await store.gatewayMessages('DEMO1' as OrderId)).toEqual([
        { id: expect.any(Number), gateway, kind: 'return', body, contentType, at: noon },
      ])
    })
  })
}

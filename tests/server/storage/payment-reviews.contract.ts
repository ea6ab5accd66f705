/** Store contract for payment reviews and decisions, and their effect on refunds. */
import { beforeEach, describe, expect, test } from 'vitest'
import { dayOf, createOrderId, toAmount, getReviewVersion } from '../../../engine/index.ts'
import type { PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { RefundResponse, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  readStored,
  HOUR_MS,
  addMs,
  newEmail,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import { callInOrder } from './contract-setup.ts'
import type { ContractSetup } from './contract-setup.ts'
import {
  acceptDecision,
  askDecision,
  day,
  dismissDecision,
  due,
  grounds,
  buildMoveDecision,
  createStartedRefundResponse,
  createRefundResponse,
  createReviewHelpers,
  buildRefundDecision,
} from './payment-decisions.ts'

export function definePaymentReviewsContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const {
    listOpenReviews,
    readSingleReviewId,
    decide,
    readRevenue,
    sumPayments,
    payWrongAmount,
    payTwice,
  } = createReviewHelpers(() => store)
  const payInCash = (regNo: RegNo, amount = 600_000) =>
    store.recordPayment(
      {
        regNo,
        act: 'confirm',
        actor: 'treasurer',
        ...grounds,
        at: addMs(HOUR_MS),
        idempotencyKey: null,
      },
      { method: 'cash', reference: 'C-001', amount: toAmount(amount), paidAt: addMs(HOUR_MS) },
      null,
    )

  describe('open reviews', () => {
    test('of all kinds are in one list, oldest first, with received and requested amounts', async () => {
      const [unanswered, claimed] = [await registerSample(store), await registerSample(store)]
      const { regNo } = await payWrongAmount()
      await payTwice('AP2', 'AP3')
      await store.applyPaymentEvent(
        unanswered.orderId,
        { type: 'undecided', at: addMs(5 * day) },
        null,
      )
      await store.applyPaymentEvent(claimed.orderId, buildSale('AP2', due, addMs(6 * day)), null)
      expect(await listOpenReviews()).toEqual([
        ['C', 'misfit'],
        ['C', 'second'],
        ['P', 'undecided'],
        ['P', 'unclear'],
      ])
      expect((await store.reviews('demo'))[0]).toMatchObject({
        regNo,
        name: 'Asha Demo',
        due,
        left: 400_000,
        came: { amount: 400_000, reference: 'AP1', kind: 'sale', currency: 'INR' },
        why: 'The payment is ₹\u00a04,000 instead of ₹\u00a05,015.',
        since: addMs(60_000),
      })
      expect(await store.reviews('another')).toEqual([])
      expect(await store.reviewCounts()).toEqual({ reviews: 4, undecided: 1, unsure: 0 })
      expect((await store.reviews(null)).length).toBe(4)
    })

    test('are decided only with a user name and a reason; a decision on an unknown review is rejected', async () => {
      await payWrongAmount()
      const id = await readSingleReviewId()
      for (const invalidGrounds of [{ why: ' ' }, { who: '' }, { why: 'x'.repeat(501) }])
        expect(await decide(id, { ...acceptDecision, ...invalidGrounds })).toMatchObject({
          error: { code: 'no_grounds' },
        })
      for (const invalidId of ['C99999', 'P99999', 'R99999', 'X1', '', "C1' OR 1", 'C0'])
        expect(await decide(invalidId, acceptDecision)).toMatchObject({
          error: { code: 'not_there' },
        })
      expect(await readSingleReviewId()).toBe(id)
    })
  })

  describe('accepting', () => {
    test('counts the payment as a success on its date, queues one email and ends the review', async () => {
      const { regNo, orderId } = await payWrongAmount()
      expect(await decide(await readSingleReviewId(), acceptDecision)).toMatchObject({
        ok: true,
        value: { regNo },
      })
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP1',
        inReview: false,
        paidAt: addMs(60_000),
        payments: [{ orderId, status: 'success', review: null }],
      })
      expect((await store.dashboardFigures('demo', dayOf(noon))).byDay).toEqual([
        { day: '2026-11-21', registrations: 1, revenue: 400_000 },
      ])
      expect(await sumPayments(regNo)).toBe(400_000)
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
      expect(await store.decisions(regNo)).toMatchObject([
        { what: 'accept', amount: 400_000, ...grounds, at: addMs(day) },
      ])
      expect((await store.auditOf(regNo)).at(-1)).toMatchObject({
        who: 'treasurer',
        what: expect.stringContaining('Seen in the panel.'),
      })
    })

    test('at the same time as other decisions: one is applied, and the other users learn that the review is already decided', async () => {
      const { regNo } = await payWrongAmount()
      const id = await readSingleReviewId()
      const results = await Promise.all([
        decide(id, acceptDecision),
        decide(id, buildRefundDecision()),
        decide(id, dismissDecision),
        decide(id, acceptDecision),
      ])
      expect(results.filter(({ ok }) => ok).length).toBe(1)
      expect(results.flatMap((result) => (result.ok ? [] : [result.error.code]))).toEqual(
        Array.from({ length: 3 }, () => 'decided_already'),
      )
      // Any of the four may be processed first.
      const isAccepted = results[0].ok || results[3].ok
      expect((await store.emailsOfRegistration(regNo)).length).toBe(isAccepted ? 1 : 0)
      expect(await readRevenue()).toBe(await sumPayments(regNo))
      expect((await store.decisions(regNo)).length).toBe(1)
    })

    test('a partial payment: the remainder is due through the same gateway, and paying it confirms the registration', async () => {
      const { regNo, orderId } = await payWrongAmount()
      const result = await decide(await readSingleReviewId(), askDecision)
      expect(result).toMatchObject({
        value: { message: '₹\u00a04,000 counts, and ₹\u00a01,015 is still due.' },
      })
      const registration = await readStored(store, regNo)
      const expectedOrder = { isDifference: true, status: 'pending', amount: due - 400_000 }
      expect(registration).toMatchObject({
        paymentStatus: 'success',
        state: 'to_pay',
        due: due - 400_000,
        total: due,
        inReview: false,
      })
      const order = registration.payments.find(({ status }) => status === 'pending')
      expect(order).toMatchObject(expectedOrder)
      expect(await store.paymentsOutsideBill(regNo)).toMatchObject({
        received: 400_000,
        acceptedShortfalls: [],
      })
      expect(await readRevenue()).toBe(400_000)
      expect(await store.emailsOfRegistration(regNo)).toEqual([])
      expect(await store.decisions(regNo)).toMatchObject([{ what: 'ask', amount: 400_000 }])
      // Polling returns the smaller amount again.
      await store.applyPaymentEvent(orderId, buildSale('AP1', toAmount(400_000)), newEmail)
      expect(await listOpenReviews()).toEqual([])
      const remainderPayment = buildSale('AP2', toAmount(due - 400_000), addMs(2 * day))
      await store.applyPaymentEvent(order?.orderId ?? orderId, remainderPayment, newEmail)
      expect(await readStored(store, regNo)).toMatchObject({ state: 'complete', due: 0 })
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
      expect(await sumPayments(regNo)).toBe(due)
      expect(await readRevenue()).toBe(due)
    })

    test('a partial payment: if the remainder is paid through the first order, the order for the remainder is closed', async () => {
      const { regNo, orderId } = await payWrongAmount()
      await decide(await readSingleReviewId(), askDecision)
      const secondPayment = buildSale('AP2', toAmount(due - 400_000), addMs(2 * day))
      await store.applyPaymentEvent(orderId, secondPayment, newEmail)
      expect(await listOpenReviews()).toEqual([['C', 'rest']])
      expect(await decide(await readSingleReviewId(), askDecision)).toMatchObject({
        error: { code: 'not_allowed' },
      })
      expect(await decide(await readSingleReviewId(), acceptDecision)).toMatchObject({ ok: true })
      const { state, due: balance, payments } = await readStored(store, regNo)
      expect({ state, balance }).toEqual({ state: 'complete', balance: 0 })
      expect(payments.map(({ status }) => status).toSorted()).toEqual(['failed', 'success'])
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
    })

    test('while the gateway’s complete response is processed leads to one success and one email, in either order', async () => {
      const { regNo, orderId } = await registerSample(store)
      const incomplete = { ...buildSale('AP1'), currency: '' } as PaymentEvent
      await store.applyPaymentEvent(orderId, incomplete, newEmail)
      const id = await readSingleReviewId()
      await callInOrder(setUp(), [
        () => decide(id, acceptDecision),
        () => store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail),
        () => decide(id, dismissDecision),
      ])
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        inReview: false,
      })
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
      expect(await readRevenue()).toBe(due)
      expect(await sumPayments(regNo)).toBe(due)
      expect(await listOpenReviews()).toEqual([])
    })

    test('another payment turns the review of a different amount into that of a second payment', async () => {
      const { regNo } = await payWrongAmount()
      await payInCash(regNo, due)
      const why = 'Payment received a second time, as AP1. The first payment is C-001.'
      expect(await store.reviews('demo')).toMatchObject([{ is: 'second', due: 0, why }])
    })

    test('a second payment for a paid order is not allowed', async () => {
      const { regNo } = await payTwice()
      expect(await decide(await readSingleReviewId(), acceptDecision)).toMatchObject({
        error: { code: 'not_allowed', message: expect.stringContaining('already paid') },
      })
      expect(await sumPayments(regNo)).toBe(due)
    })

    test('or dismissing both mismatching payments in one response ends both reviews', async () => {
      const { regNo, orderId } = await registerSample(store)
      const otherCapture = { reference: 'AP2', amount: due, currency: 'INR', kind: 'sale' as const }
      const inDollars = {
        ...buildSale('AP1', due, addMs(HOUR_MS)),
        currency: '840',
        further: [otherCapture],
      }
      await store.applyPaymentEvent(orderId, inDollars, null)
      for (const { id } of await store.reviews(null)) await decide(id, dismissDecision)
      expect(await listOpenReviews()).toEqual([])
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'failed',
        inReview: false,
      })
    })

    test('is final: the same payment in a later response, even with another time, does not reopen the review', async () => {
      const { regNo, orderId } = await payWrongAmount()
      await decide(await readSingleReviewId(), acceptDecision)
      const repeatedEvent = buildSale('AP1', toAmount(400_000), addMs(2 * day))
      await store.applyPaymentEvent(orderId, repeatedEvent, newEmail)
      await store.applyPaymentEvent(
        orderId,
        { ...repeatedEvent, paidAt: noon } as PaymentEvent,
        newEmail,
      )
      expect(await listOpenReviews()).toEqual([])
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        inReview: false,
      })
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
    })

    test('an unclear payment requires the reference that the treasurer found in the merchant panel', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, { type: 'undecided', at: addMs(5 * day) }, null)
      const id = await readSingleReviewId()
      expect(await decide(id, acceptDecision)).toMatchObject({ error: { code: 'no_reference' } })
      const acceptWithReference = { ...acceptDecision, reference: ' AP77 ' }
      expect(await decide(id, acceptWithReference, addMs(6 * day))).toMatchObject({ ok: true })
      expect(await store.captures(regNo)).toMatchObject([
        { reference: 'AP77', amount: due, state: 'accepted', paidAt: addMs(6 * day) },
      ])
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        inReview: false,
      })
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
      // The gateway later reports the same payment.
      await store.applyPaymentEvent(orderId, buildSale('AP77', due, addMs(7 * day)), newEmail)
      expect(await listOpenReviews()).toEqual([])
      expect(await readRevenue()).toBe(due)
    })

    test('with a reference that paid for another order is rejected', async () => {
      const [paidRegistration, unclearRegistration] = [
        await registerSample(store),
        await registerSample(store),
      ]
      await store.applyPaymentEvent(paidRegistration.orderId, buildSale('AP1'), newEmail)
      await store.applyPaymentEvent(
        unclearRegistration.orderId,
        { type: 'undecided', at: addMs(5 * day) },
        null,
      )
      expect(
        await decide(await readSingleReviewId(), { ...acceptDecision, reference: 'AP1' }),
      ).toMatchObject({
        error: { code: 'reference_taken' },
      })
      expect(await store.captures(unclearRegistration.regNo)).toEqual([])
      expect(await store.decisions(unclearRegistration.regNo)).toEqual([])
    })
  })

  describe('an unsure refund', () => {
    test('cannot be recorded as done under the reference of another payment’s refund', async () => {
      const gateway = { gateway: 'airpay', merchantAccount: { account: 'a', merchantId: '1' } }
      const [unsure, begun] = [
        await registerSample(store, gateway),
        await registerSample(store, gateway),
      ]
      const send = async (regNo: RegNo, response: RefundResponse): Promise<number> => {
        await store.requestRefund({ of: regNo, amount: null, ...grounds, at: addMs(day) })
        const [refundToSend] = await store.refundsToSend(addMs(day), 1)
        const id = refundToSend?.id ?? 0
        await store.claimRefund(id, addMs(day))
        await store.recordRefundResponse(id, response, addMs(day))
        return id
      }
      for (const [{ orderId }, reference] of [
        [unsure, 'AP1'],
        [begun, 'AP2'],
      ] as const)
        await store.applyPaymentEvent(orderId, buildSale(reference), newEmail)
      const id = await send(unsure.regNo, createRefundResponse('unsure'))
      await send(begun.regNo, createStartedRefundResponse('10008'))
      const acceptUnder = (reference: string) =>
        decide(`R${id}`, { ...acceptDecision, reference }, addMs(2 * day))
      expect(await acceptUnder('10008')).toMatchObject({
        error: {
          code: 'reference_taken',
          message: '10008 is already the reference of another refund.',
        },
      })
      expect((await store.refunds(unsure.regNo)).map(({ state }) => state)).toEqual(['unsure'])
      expect(await acceptUnder('10009')).toMatchObject({ ok: true })
    })
  })

  describe('dismissing', () => {
    test('a test transaction records no payment, ends the review and lets the delegate pay', async () => {
      const { regNo, orderId } = await registerSample(store)
      const testTransaction = { ...buildSale('T1'), kind: 'test' } as PaymentEvent
      await store.applyPaymentEvent(orderId, testTransaction, newEmail)
      expect(await listOpenReviews()).toEqual([['C', 'test']])
      expect(await decide(await readSingleReviewId(), acceptDecision)).toMatchObject({
        error: { code: 'not_allowed' },
      })
      await decide(await readSingleReviewId(), dismissDecision)
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'failed',
        inReview: false,
      })
      await store.applyPaymentEvent(
        orderId,
        { ...testTransaction, paidAt: noon } as PaymentEvent,
        newEmail,
      )
      expect(await listOpenReviews()).toEqual([])
      // The real payment has a different reference and arrives later.
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      expect((await readStored(store, regNo)).paymentStatus).toBe('success')
      expect(await readRevenue()).toBe(due)
    })

    test('one of two reviews leaves the other open', async () => {
      const { regNo, orderId } = await payTwice()
      await store.applyPaymentEvent(orderId, buildSale('AP3'), newEmail)
      const [first, second] = await store.reviews('demo')
      if (first === undefined || second === undefined) throw new Error('expected two reviews')
      await decide(first.id, dismissDecision)
      expect(await readStored(store, regNo)).toMatchObject({ inReview: true })
      expect((await store.payment(orderId))?.review).toBe(second.why)
      await decide(second.id, dismissDecision)
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        inReview: false,
      })
      expect((await store.payment(orderId))?.review).toBeNull()
    })

    test.each(['refund', 'dismiss', 'move'] as const)(
      'cash for an order ends the order if staff have already decided on its card payment (%s)',
      async (decision) => {
        const { regNo } = await registerSample(store, { gateway: 'airpay' })
        const colleague = await registerSample(store)
        await store.applyPaymentEvent(
          createOrderId(regNo, 1),
          buildSale('AP1', toAmount(400_000)),
          newEmail,
        )
        await payInCash(regNo)
        const [card, cash] = await store.reviews('demo')
        if (card === undefined || cash === undefined) throw new Error('expected two reviews')
        await decide(
          card.id,
          decision === 'refund'
            ? buildRefundDecision()
            : decision === 'move'
              ? buildMoveDecision(colleague.regNo)
              : dismissDecision,
        )
        expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'pending' })
        await decide(cash.id, dismissDecision)
        expect(await readStored(store, regNo)).toMatchObject({
          paymentStatus: 'failed',
          inReview: false,
        })
      },
    )

    test('cash leaves an order without a card payment open, so it can still be paid through the gateway', async () => {
      const { regNo, orderId } = await registerSample(store, { gateway: 'airpay' })
      await payInCash(regNo)
      await decide(await readSingleReviewId(), dismissDecision)
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'pending',
        inReview: false,
      })
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'success' })
    })

    test('ends an unclear payment, and a later payment still counts', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, { type: 'undecided', at: addMs(5 * day) }, null)
      await decide(await readSingleReviewId(), dismissDecision)
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'failed',
        inReview: false,
      })
      await store.applyPaymentEvent(orderId, { type: 'undecided', at: addMs(6 * day) }, null)
      expect(await listOpenReviews()).toEqual([])
      await store.applyPaymentEvent(orderId, buildSale('AP1', due, addMs(7 * day)), newEmail)
      expect((await readStored(store, regNo)).paymentStatus).toBe('success')
    })

    test.each(['transfer', 'upi', 'cheque', 'cash', 'machine'] as const)(
      'a payment by %s releases its reference, and the next payment under it is shown with the same reference',
      async (method) => {
        const { regNo } = await registerSample(store)
        const reference = method === 'cash' || method === 'machine' ? 'R-55' : '526123456702'
        const record = (amount: number) =>
          store.recordPayment(
            {
              regNo,
              act: 'confirm',
              actor: 'treasurer',
              ...grounds,
              at: noon,
              idempotencyKey: null,
            },
            { method, reference, amount: toAmount(amount), paidAt: noon },
            null,
          )
        for (const amount of [1, 2]) {
          expect((await record(amount)).ok).toBe(true)
          expect((await record(due)).ok).toBe(false)
          await decide(await readSingleReviewId(), dismissDecision)
        }
        expect((await record(due)).ok).toBe(true)
        expect((await record(due)).ok).toBe(false)
        expect((await readStored(store, regNo)).state).toBe('complete')
        const captures = await store.captures(regNo)
        expect(captures.map((capture) => [capture.reference, capture.state])).toEqual([
          [reference, 'refused'],
          [reference, 'refused'],
          [reference, 'fits'],
        ])
      },
    )
  })

  describe('moving', () => {
    test("a second payment meant for a colleague pays the colleague's registration exactly", async () => {
      const { regNo, orderId } = await payTwice()
      const colleague = await registerSample(store)
      expect(
        await decide(await readSingleReviewId(), buildMoveDecision(colleague.regNo)),
      ).toMatchObject({ ok: true })
      expect(await readStored(store, colleague.regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP2',
        inReview: false,
      })
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        inReview: false,
      })
      expect((await store.emailsOfRegistration(colleague.regNo)).length).toBe(1)
      expect(await readRevenue()).toBe(2 * due)
      expect(await sumPayments(regNo, colleague.regNo)).toBe(2 * due)
      // Polling returns both payments again.
      const twoCaptures = {
        ...buildSale('AP1'),
        further: [{ reference: 'AP2', amount: due, kind: 'sale' }],
      }
      await store.applyPaymentEvent(orderId, twoCaptures as PaymentEvent, newEmail)
      await store.applyPaymentEvent(orderId, buildSale('AP2', due, addMs(3 * day)), newEmail)
      expect(await listOpenReviews()).toEqual([])
      expect(await readRevenue()).toBe(2 * due)
    })

    test('a payment to a registration with another price puts it under review for that registration', async () => {
      const { regNo, orderId } = await payWrongAmount()
      const colleague = await registerSample(store)
      await decide(await readSingleReviewId(), buildMoveDecision(colleague.regNo))
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'failed',
        inReview: false,
      })
      expect(await readStored(store, colleague.regNo)).toMatchObject({
        paymentStatus: 'pending',
        inReview: true,
      })
      await store.applyPaymentEvent(
        orderId,
        buildSale('AP1', toAmount(400_000), addMs(2 * day)),
        newEmail,
      )
      const [review] = await store.reviews('demo')
      expect(review).toMatchObject({ is: 'misfit', regNo: colleague.regNo, due, left: 400_000 })
      await decide(review?.id ?? '', acceptDecision)
      expect((await readStored(store, colleague.regNo)).paymentStatus).toBe('success')
      expect(await readRevenue()).toBe(400_000)
      expect(await sumPayments(regNo, colleague.regNo)).toBe(400_000)
    })

    test('a payment while another user decides on it from the same page applies only one of the decisions', async () => {
      const { regNo } = await payWrongAmount()
      const colleague = await registerSample(store)
      const [review] = await store.reviews('demo')
      if (review === undefined) throw new Error('no open review')
      const version = getReviewVersion(review)
      const results = await Promise.all([
        decide(review.id, { ...buildMoveDecision(colleague.regNo), version }),
        decide(review.id, { ...acceptDecision, version }),
      ])
      expect(results.filter(({ ok }) => ok).length).toBe(1)
      expect((await readStored(store, colleague.regNo)).paymentStatus).toBe('pending')
      const isMoved = results[0].ok
      expect((await readStored(store, regNo)).paymentStatus).toBe(isMoved ? 'failed' : 'success')
      if (isMoved) expect(results[1]).toMatchObject({ error: { code: 'review_changed' } })
    })

    test('is allowed only within the event, to another registration with a balance', async () => {
      const { regNo } = await payWrongAmount()
      const otherEvent = await registerSample(store, { eventId: 'another' })
      const id = await readSingleReviewId()
      for (const targetRegNo of [regNo, otherEvent.regNo, 'DEMO0', ''])
        expect(await decide(id, buildMoveDecision(targetRegNo))).toMatchObject({
          error: { code: 'no_target' },
        })
    })

    test('to a paid registration puts the payment under review for that registration, and it cannot be accepted', async () => {
      await payWrongAmount()
      const paidRegistration = await registerSample(store)
      await store.applyPaymentEvent(paidRegistration.orderId, buildSale('AP5'), newEmail)
      await decide(await readSingleReviewId(), buildMoveDecision(paidRegistration.regNo))
      expect(await listOpenReviews()).toEqual([['C', 'second']])
      expect((await readStored(store, paidRegistration.regNo)).paymentStatus).toBe('success')
    })
  })

  test('a late payment for a failed first attempt, after the retry was paid, can be dismissed or refunded but not accepted', async () => {
    const { regNo, orderId } = await registerSample(store, { gateway: 'airpay' })
    await store.applyPaymentEvent(orderId, buildDecline(), null)
    const retryResult = await store.retry(regNo, addMs(HOUR_MS))
    if (!retryResult.ok) throw new Error(retryResult.error.code)
    await store.applyPaymentEvent(createOrderId(regNo, 2), buildSale('AP2'), newEmail)
    await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
    expect(await decide(await readSingleReviewId(), acceptDecision)).toMatchObject({
      error: { code: 'not_allowed' },
    })
    await decide(await readSingleReviewId(), buildRefundDecision())
    expect(await readStored(store, regNo)).toMatchObject({
      paymentStatus: 'success',
      paymentId: 'AP2',
      inReview: false,
    })
  })
}

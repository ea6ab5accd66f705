/** Store contract for refunds, including those made in the merchant panel. */
import { beforeEach, describe, expect, test } from 'vitest'
import { getReviewVersion, toAmount } from '../../../engine/index.ts'
import type { Instant, PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { RefundResponse, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  readStored,
  HOUR_MS,
  createImportRow,
  addMs,
  newEmail,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'
import {
  acceptDecision,
  createStartedRefundResponse,
  day,
  dismissDecision,
  due,
  grounds,
  createReviewHelpers,
  buildRefundDecision,
  createRefundResponse,
  buildRefund,
} from './payment-decisions.ts'
import type { ConfirmedEvent } from './payment-decisions.ts'

export function defineRefundsContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const { listOpenReviews, readSingleReviewId, decide, readRevenue, sumPayments, payTwice } =
    createReviewHelpers(() => store)

  describe('a refund', () => {
    /** Sends requested refunds as the server does, with a simulated gateway response. */
    const send = async (answer: RefundResponse, at = addMs(day)): Promise<number> => {
      const [dueRefund] = await store.refundsToSend(at, 10)
      if (dueRefund === undefined) throw new Error('expected a refund to be sent')
      expect(await store.claimRefund(dueRefund.id, at)).toBe(true)
      await store.recordRefundResponse(dueRefund.id, answer, at)
      return dueRefund.id
    }
    const listStates = async (regNo: RegNo) =>
      (await store.refunds(regNo)).map(({ state }) => state)
    const gateway = { gateway: 'airpay', merchantAccount: { account: 'a', merchantId: '1' } }
    const registerPaid = async () => {
      const registration = await registerSample(store, gateway)
      await store.applyPaymentEvent(registration.orderId, buildSale('AP1'), newEmail)
      return registration
    }
    const requestRefund = (of: string, amount: number | null = null, at = addMs(day)) =>
      store.requestRefund({ of, amount: amount === null ? null : toAmount(amount), ...grounds, at })

    test('that the gateway started but could not complete counts as rejected; other refunds do not change', async () => {
      const { regNo, orderId } = await registerPaid()
      await requestRefund(regNo, 50_000)
      await send(createStartedRefundResponse('RF1'))
      await store.recordFailedRefunds(orderId, ['RF0'])
      expect(await listStates(regNo)).toEqual(['asked'])
      await store.recordFailedRefunds(orderId, ['RF0', 'RF1'])
      expect(await listStates(regNo)).toEqual(['refused'])
      expect((await store.refunds(regNo))[0]?.said).toContain('did not accept')
    })
    test('is requested, sent and started, and is complete only once the status query confirms it', async () => {
      const { regNo, orderId } = await registerPaid()
      expect(await requestRefund(regNo)).toMatchObject({ ok: true })
      expect(await listStates(regNo)).toEqual(['wanted'])
      await send(createStartedRefundResponse('RF1'))
      expect(await listStates(regNo)).toEqual(['asked'])
      expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'success' })
      expect(await readRevenue()).toBe(due)
      // The refund is queried soon.
      expect((await store.watchedPayments(addMs(day + 60_000), 9)).length).toBe(1)
      await store.applyPaymentEvent(
        orderId,
        {
          ...(buildSale('AP1') as ConfirmedEvent),
          refunds: [{ reference: 'RF1', amount: due }],
        } as PaymentEvent,
        newEmail,
      )
      // The gateway calls this state final. If it were later treated as rejected, the refund could be sent twice.
      await store.recordFailedRefunds(orderId, ['RF1'])
      expect(await listStates(regNo)).toEqual(['done'])
      expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'refunded' })
      expect([await readRevenue(), await sumPayments(regNo)]).toEqual([0, 0])
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
    })

    test.each([
      ['without a reference', null],
      ["with the bank's reference", 'HDFCN52026000777'],
    ] as const)(
      'that staff record as completed %s is the refund that the gateway reports later',
      async (_, reference) => {
        const { regNo, orderId } = await registerPaid()
        await requestRefund(regNo, 50_000)
        await send(createRefundResponse('unsure'))
        const accepted = { ...acceptDecision, reference }
        expect(await decide(await readSingleReviewId(), accepted)).toMatchObject({ ok: true })
        const report = (...references: readonly string[]) =>
          store.applyPaymentEvent(
            orderId,
            {
              ...(buildSale('AP1') as ConfirmedEvent),
              refunds: references.map((id) => ({ reference: id, amount: toAmount(50_000) })),
            } as PaymentEvent,
            newEmail,
          )
        await report('RF1')
        await report('RF1')
        expect(await sumPayments(regNo)).toBe(due - 50_000)
        const completed = (await store.refunds(regNo)).filter(({ state }) => state === 'done')
        expect(completed.map((refund) => refund.reference)).toEqual(['RF1'])
        // A second refund of the same amount in the merchant panel is another refund.
        await report('RF1', 'RF2')
        expect(await sumPayments(regNo)).toBe(due - 100_000)
      },
    )

    test('leads to one email to the delegate, within a few days', async () => {
      const { regNo } = await registerPaid()
      const listWithoutEmail = (after = noon) => store.refundsWithoutEmail(after, ['demo'], 9)
      const refundManually = (sum: number, manualReference: string, at: Instant) =>
        store.requestRefund({ of: regNo, amount: toAmount(sum), ...grounds, manualReference, at })
      await requestRefund(regNo, 100, addMs(HOUR_MS))
      expect(await listWithoutEmail()).toEqual([])
      await refundManually(8_000, 'NEFT 1', addMs(2 * HOUR_MS))
      await refundManually(200, 'NEFT 2', addMs(day))
      const [first, second] = await listWithoutEmail()
      const firstRefund = {
        regNo,
        amount: 8_000,
        reference: 'NEFT 1',
        at: addMs(2 * HOUR_MS),
        attemptedAt: expect.any(Number),
        isDispute: false,
      }
      expect(first).toEqual({ id: expect.any(Number), ...firstRefund })
      expect(await listWithoutEmail(addMs(2 * HOUR_MS))).toEqual([second])
      expect(await store.refundsWithoutEmail(noon, ['other'], 9)).toEqual([])
      expect(await store.refundsWithoutEmail(noon, ['demo'], 1)).toEqual([first])
      const queueResults = Array.from({ length: 3 }, () =>
        store.queueRefundEmail(first?.id ?? 0, regNo, newEmail, addMs(day)),
      )
      expect((await Promise.all(queueResults)).filter((isQueued) => isQueued).length).toBe(1)
      expect(await listWithoutEmail()).toEqual([second])
    })

    test('leads to no email if it was made before an import or the delegate has no address', async () => {
      const earlierRow = createImportRow({ paymentStatus: 'refunded' })
      const withEmail = createImportRow()
      const withoutEmail = createImportRow({ searchable: { ...withEmail.searchable, email: '' } })
      await store.importRegistrations([earlierRow, withoutEmail, withEmail])
      const request = { amount: null, ...grounds, manualReference: '9', at: addMs(1) }
      for (const { regNo } of [withoutEmail, withEmail])
        await store.requestRefund({ of: regNo, ...request })
      const refundsToAnnounce = await store.refundsWithoutEmail(addMs(-day), ['demo'], 9)
      expect(refundsToAnnounce.map(({ regNo }) => regNo)).toEqual([withEmail.regNo])
    })

    test('of an authorisation does not affect the sale in the same response, and the delegate receives one email', async () => {
      const { regNo, orderId } = await registerSample(store, gateway)
      const captureAndRefund = {
        ...(buildSale('AP1') as ConfirmedEvent),
        kind: 'other',
        further: [{ reference: 'AP2', amount: due, kind: 'sale' }],
      } as PaymentEvent
      const response = {
        ...captureAndRefund,
        refunds: [{ reference: 'RF1', amount: due }],
      } as PaymentEvent
      await store.applyPaymentEvent(orderId, captureAndRefund, newEmail)
      await store.applyPaymentEvent(orderId, response, newEmail)
      await store.applyPaymentEvent(orderId, response, newEmail)
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP2',
      })
      expect(await readRevenue()).toBe(due)
      expect((await store.emailsOfRegistration(regNo)).length).toBe(1)
    })

    test('of a first capture in rupees leaves a second capture in dollars under review', async () => {
      const { regNo, orderId } = await registerSample(store, gateway)
      const captureAndRefund = {
        ...(buildSale('AP1', toAmount(400_000)) as ConfirmedEvent),
        further: [{ reference: 'AP2', amount: due, currency: 'USD', kind: 'sale' }],
      } as PaymentEvent
      await store.applyPaymentEvent(orderId, captureAndRefund, newEmail)
      const first = (await store.reviews('demo')).find((review) => review.came?.reference === 'AP1')
      await decide(first?.id ?? '', buildRefundDecision())
      await store.applyPaymentEvent(
        orderId,
        { ...captureAndRefund, at: addMs(2 * day) } as PaymentEvent,
        newEmail,
      )
      expect(await readStored(store, regNo)).toMatchObject({ inReview: true })
      expect((await readStored(store, regNo)).paymentStatus).not.toBe('success')
    })

    test('reported in the same response as its payment leads to no confirmation email', async () => {
      const { regNo, orderId } = await registerSample(store, gateway)
      const twoCaptures = {
        ...(buildSale('AP1') as ConfirmedEvent),
        further: [{ reference: 'AP2', amount: toAmount(100), kind: 'sale' }],
        refunds: [{ reference: 'RF1', amount: due }],
      } as PaymentEvent
      await store.applyPaymentEvent(orderId, twoCaptures, newEmail)
      expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'refunded' })
      expect(await store.emailsOfRegistration(regNo)).toEqual([])
    })

    test('can be made in parts: the payment is successful until it is fully refunded, and the refunds never exceed it', async () => {
      const { regNo, orderId } = await registerPaid()
      expect(await requestRefund(regNo, due + 1)).toMatchObject({ error: { code: 'bad_amount' } })
      expect(await requestRefund(regNo, 0)).toMatchObject({ error: { code: 'bad_amount' } })
      await requestRefund(regNo, 100_000)
      await send(createStartedRefundResponse('RF1'))
      await store.applyPaymentEvent(orderId, buildRefund('RF1', 100_000), newEmail)
      expect((await readStored(store, regNo)).paymentStatus).toBe('success')
      await requestRefund(orderId, 1_500)
      await send(createStartedRefundResponse('RF2'))
      await store.applyPaymentEvent(orderId, buildRefund('RF2', 1_500), newEmail)
      expect(await readRevenue()).toBe(400_000)
      expect(await requestRefund(regNo, 400_001)).toMatchObject({
        error: { code: 'bad_amount', message: expect.stringContaining('4,000') },
      })
      await requestRefund(regNo)
      await send(createStartedRefundResponse('RF3'))
      await store.applyPaymentEvent(orderId, buildRefund('RF3', 400_000), newEmail)
      expect((await readStored(store, regNo)).paymentStatus).toBe('refunded')
      expect([await readRevenue(), await sumPayments(regNo)]).toEqual([0, 0])
      expect(await requestRefund(regNo)).toMatchObject({ error: { code: 'bad_amount' } })
    })

    test('of a payment under review is stated as the outcome, but not if the gateway rejects the refund', async () => {
      const payInReview = async (reference: string) => {
        const registration = await registerSample(store, gateway)
        await store.applyPaymentEvent(
          registration.orderId,
          buildSale(reference, toAmount(400_000)),
          newEmail,
        )
        return { ...registration, id: await readSingleReviewId() }
      }
      const listFailures = async (regNo: RegNo) =>
        (await readStored(store, regNo)).payments.map(({ failure }) => failure)
      const registration = await payInReview('AP1')
      await decide(registration.id, buildRefundDecision())
      expect(await listFailures(registration.regNo)).toEqual(['given-back'])
      await send(createStartedRefundResponse('RF1'))
      await store.applyPaymentEvent(registration.orderId, buildRefund('RF1', 400_000), newEmail)
      expect(await listFailures(registration.regNo)).toEqual(['given-back'])
      const dismissedReview = await payInReview('AP2')
      await decide(dismissedReview.id, dismissDecision)
      expect(await listFailures(dismissedReview.regNo)).toEqual(['unclear'])
      const rejectedRefund = await payInReview('AP3')
      await decide(rejectedRefund.id, buildRefundDecision())
      await send(createRefundResponse('refused'))
      expect(await listFailures(rejectedRefund.regNo)).toEqual(['unclear'])
    })

    test('that is requested twice at the same time is made once', async () => {
      const { regNo } = await registerPaid()
      const results = await Promise.all([
        requestRefund(regNo),
        requestRefund(regNo),
        requestRefund(regNo),
      ])
      expect(results.filter(({ ok }) => ok).length).toBe(1)
      const concurrentRefunds = await Promise.all([
        requestRefund(regNo, 1),
        requestRefund(regNo, 1),
      ])
      expect(concurrentRefunds.some(({ ok }) => ok)).toBe(false)
      const [dueRefund] = await store.refundsToSend(addMs(day), 10)
      const claims = await Promise.all(
        Array.from({ length: 20 }, () => store.claimRefund(dueRefund?.id ?? 0, addMs(day))),
      )
      expect(claims.filter((isClaimed) => isClaimed).length).toBe(1)
    })

    test('is rejected while a refund of the same amount is in progress, because Rollcall could not distinguish the two', async () => {
      const { regNo } = await registerPaid()
      await requestRefund(regNo, 1_000)
      expect(await requestRefund(regNo, 1_000)).toMatchObject({ error: { code: 'under_way' } })
      expect(await requestRefund(regNo, 1_001)).toMatchObject({ ok: true })
    })

    test('that the gateway rejects leaves the payment as it is, and needs attention', async () => {
      const { regNo } = await registerPaid()
      await requestRefund(regNo)
      const id = await send(createRefundResponse('refused'))
      expect(await listStates(regNo)).toEqual(['refused'])
      expect(await store.review(`R${id}`)).toMatchObject({
        is: 'refund-refused',
        gatewayAnswer: 'As it says.',
      })
      await decide(`R${id}`, buildRefundDecision())
      expect(await listStates(regNo)).toEqual(['refused', 'wanted'])
      expect(await listOpenReviews()).toEqual([])
    })

    test('requested again for the same amount ends the review of the refused refund', async () => {
      const { regNo } = await registerPaid()
      await requestRefund(regNo)
      const firstId = await send(createRefundResponse('refused'))
      await requestRefund(regNo)
      expect(await listOpenReviews()).toEqual([])
      const secondId = await send(createRefundResponse('refused'))
      expect(await store.review(`R${firstId}`)).toBeNull()
      expect(await store.review(`R${secondId}`)).toMatchObject({ is: 'refund-refused' })
      expect(await listOpenReviews()).toEqual([['R', 'refund-refused']])
      // A smaller refund does not replace the refused one.
      await requestRefund(regNo, 1_000)
      await send(createStartedRefundResponse('RF1'))
      expect(await listOpenReviews()).toEqual([['R', 'refund-refused']])
      await requestRefund(regNo)
      await send(createStartedRefundResponse('RF2'))
      expect(await listOpenReviews()).toEqual([])
    })

    test('that was made in smaller parts since a refusal is mentioned in the review, and a decision from before is rejected', async () => {
      const { regNo } = await registerPaid()
      await requestRefund(regNo, 30_000)
      await send(createRefundResponse('refused'))
      const [review] = await store.reviews(null)
      if (review === undefined) throw new Error('no review is open')
      const outdated = { ...buildRefundDecision(30_000), version: getReviewVersion(review) }
      for (const [sum, manualReference] of [
        [10_000, 'NEFT 1'],
        [20_000, 'NEFT 2'],
      ] as const)
        await store.requestRefund({
          of: regNo,
          amount: toAmount(sum),
          ...grounds,
          manualReference,
          at: addMs(day + sum),
        })
      expect((await store.review(review.id))?.why.replaceAll('\u00a0', ' ')).toContain(
        'other refunds for this registration have been requested or made: ₹ 300.',
      )
      expect(await decide(review.id, outdated)).toMatchObject({
        ok: false,
        error: { code: 'review_changed' },
      })
      expect(await sumPayments(regNo)).toBe(due - 30_000)
    })

    test('that cannot be sent is retried, and needs attention after a day', async () => {
      const { regNo } = await registerPaid()
      await requestRefund(regNo)
      await send(createRefundResponse('not-sent'))
      expect(await listStates(regNo)).toEqual(['wanted'])
      expect(await store.refundsToSend(addMs(day + 60_000), 9)).toEqual([])
      await send(createRefundResponse('not-sent'), addMs(day + HOUR_MS))
      expect(await listStates(regNo)).toEqual(['wanted'])
      await send(createRefundResponse('not-sent'), addMs(2 * day + HOUR_MS))
      expect(await listOpenReviews()).toEqual([['R', 'refund-refused']])
    })

    test('whose result is unclear is never repeated automatically: the status query completes it, or staff decide', async () => {
      const { regNo, orderId } = await registerPaid()
      await requestRefund(regNo)
      const id = await send(createRefundResponse('unsure'))
      expect(await store.refundsToSend(addMs(9 * day), 9)).toEqual([])
      expect(await store.claimRefund(id, addMs(9 * day))).toBe(false)
      expect(await listOpenReviews()).toEqual([['R', 'refund-unsure']])
      expect(await store.reviewCounts()).toMatchObject({ unsure: 1 })
      await store.applyPaymentEvent(orderId, buildRefund('RF9', due), newEmail)
      expect(await listStates(regNo)).toEqual(['done'])
      expect(await listOpenReviews()).toEqual([])
      expect((await readStored(store, regNo)).paymentStatus).toBe('refunded')
    })

    test('made in the merchant panel while another refund is unclear is detected after staff decide', async () => {
      const { regNo, orderId } = await registerPaid()
      await requestRefund(regNo)
      const id = await send(createRefundResponse('unsure'))
      await store.applyPaymentEvent(orderId, buildRefund('RF7', 10_000), newEmail)
      expect(await readRevenue()).toBe(due)
      await store.recordStatusQuery(orderId, addMs(20 * day), null, null)
      await decide(`R${id}`, dismissDecision, addMs(20 * day))
      expect((await store.watchedPayments(addMs(21 * day), 9)).length).toBe(1)
      await store.applyPaymentEvent(orderId, buildRefund('RF7', 10_000, addMs(21 * day)), newEmail)
      expect(await readRevenue()).toBe(due - 10_000)
    })

    test('is unclear after a crash between request and response, until the status query completes it', async () => {
      const { regNo, orderId } = await registerPaid()
      // The payment is no longer polled.
      await store.recordStatusQuery(orderId, addMs(HOUR_MS), null, null)
      await requestRefund(regNo)
      const [dueRefund] = await store.refundsToSend(addMs(day), 9)
      await store.claimRefund(dueRefund?.id ?? 0, addMs(day))
      store = await setUp().reopen()
      // The gateway is asked about the refund again, however old the payment is.
      expect((await store.watchedPayments(addMs(day + 60_000), 9)).length).toBe(1)
      // Another process may be sending the query at this moment.
      expect(await store.markUnansweredRefunds(addMs(day + 60_000))).toBe(0)
      expect(await store.refundsToSend(addMs(day + 60_000), 9)).toEqual([])
      expect(await store.markUnansweredRefunds(addMs(day + 10 * 60_000))).toBe(1)
      expect(await listOpenReviews()).toEqual([['R', 'refund-unsure']])
      expect(await store.refundsToSend(addMs(30 * day), 9)).toEqual([])
      await store.applyPaymentEvent(orderId, buildRefund('RF1', due), newEmail)
      expect(await listStates(regNo)).toEqual(['done'])
    })

    test('that was started but has not been confirmed after five days goes to review', async () => {
      const { regNo } = await registerPaid()
      await requestRefund(regNo)
      const id = await send(createStartedRefundResponse('RF1'))
      expect(await store.markUnansweredRefunds(addMs(5 * day))).toBe(0)
      expect(await store.markUnansweredRefunds(addMs(6 * day + 1))).toBe(1)
      expect(await listOpenReviews()).toEqual([['R', 'refund-unsure']])
      await decide(`R${id}`, acceptDecision)
      expect(await listStates(regNo)).toEqual(['done'])
      expect((await readStored(store, regNo)).paymentStatus).toBe('refunded')
      expect([await readRevenue(), await sumPayments(regNo)]).toEqual([0, 0])
    })

    test('of a payment under review ends the review if it is full; a partial refund leaves a decision on the remainder', async () => {
      const registration = await registerSample(store, gateway)
      await store.applyPaymentEvent(
        registration.orderId,
        buildSale('AP1', toAmount(600_000)),
        newEmail,
      )
      const id = await readSingleReviewId()
      expect(await decide(id, buildRefundDecision(98_500))).toMatchObject({ ok: true })
      await send(createStartedRefundResponse('RF1'))
      await store.applyPaymentEvent(registration.orderId, buildRefund('RF1', 98_500), newEmail)
      expect(await listOpenReviews()).toEqual([['C', 'misfit']])
      expect(await readRevenue()).toBe(0)
      await decide(id, acceptDecision)
      expect((await readStored(store, registration.regNo)).paymentStatus).toBe('success')
      expect([await readRevenue(), await sumPayments(registration.regNo)]).toEqual([due, due])
      // Later refunds reduce the figures too.
      await requestRefund(registration.regNo)
      await send(createStartedRefundResponse('RF2'))
      await store.applyPaymentEvent(registration.orderId, buildRefund('RF2', due), newEmail)
      expect((await readStored(store, registration.regNo)).paymentStatus).toBe('refunded')
      expect([await readRevenue(), await sumPayments(registration.regNo)]).toEqual([0, 0])
    })

    test('of a second payment, in full, leaves the registration paid', async () => {
      const registration = await registerPaid()
      await store.applyPaymentEvent(registration.orderId, buildSale('AP2'), newEmail)
      await decide(await readSingleReviewId(), buildRefundDecision())
      expect(await listOpenReviews()).toEqual([])
      expect(await readStored(store, registration.regNo)).toMatchObject({
        paymentStatus: 'success',
        inReview: false,
      })
      await send(createStartedRefundResponse('RF1'))
      await store.applyPaymentEvent(registration.orderId, buildRefund('RF1', due), newEmail)
      expect(await readStored(store, registration.regNo)).toMatchObject({
        paymentStatus: 'success',
        inReview: false,
      })
      expect([await readRevenue(), await sumPayments(registration.regNo)]).toEqual([due, due])
    })

    test('of a payment by another method cannot be made through the gateway', async () => {
      const row = createImportRow()
      await store.importRegistrations([row])
      expect(await requestRefund(row.regNo)).toMatchObject({ error: { code: 'not_by_gateway' } })
    })

    test('of a payment that is too old for its kind of gateway is rejected, whatever the gateway is called', async () => {
      const { regNo } = await registerPaid()
      const at = addMs(200 * day)
      const gatewayKinds = { airpay: 'razorpay' } as const
      expect(
        await store.requestRefund({ of: regNo, amount: null, ...grounds, at, gatewayKinds }),
      ).toMatchObject({
        error: { code: 'not_by_gateway', message: expect.stringContaining('6 months') },
      })
      expect(await requestRefund(regNo, null, at)).toMatchObject({ ok: true })
    })

    test('is rejected if the registration is unpaid or unknown', async () => {
      const { regNo } = await registerSample(store, gateway)
      expect(await requestRefund(regNo)).toMatchObject({ error: { code: 'not_paid' } })
      expect(await requestRefund('DEMO0')).toMatchObject({ error: { code: 'not_there' } })
    })
  })

  describe('refunds made in the merchant panel', () => {
    const buildRefunds = (...amounts: readonly (readonly [string, number])[]): PaymentEvent =>
      ({
        ...(buildSale('AP1', due, addMs(3 * day)) as ConfirmedEvent),
        refunds: amounts.map(([reference, amount]) => ({ reference, amount: toAmount(amount) })),
      }) as ConfirmedEvent

    test('are detected once each, whether partial or full', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      await store.applyPaymentEvent(orderId, buildRefunds(['R1', 100_000]), newEmail)
      await store.applyPaymentEvent(orderId, buildRefunds(['R1', 100_000]), newEmail)
      const stored = await readStored(store, regNo)
      expect(stored).toMatchObject({ paymentStatus: 'success', inReview: false })
      expect(await readRevenue()).toBe(401_500)
      await store.applyPaymentEvent(
        orderId,
        buildRefunds(['R1', 100_000], ['R2', 401_500]),
        newEmail,
      )
      expect((await readStored(store, regNo)).paymentStatus).toBe('refunded')
      expect(
        (await store.refunds(regNo)).map(({ reference, amount }) => [reference, amount]),
      ).toEqual([
        ['R1', 100_000],
        ['R2', 401_500],
      ])
      expect([await readRevenue(), await sumPayments(regNo)]).toEqual([0, 0])
      expect(await listOpenReviews()).toEqual([])
    })

    test('of a second payment end its review, and the registration stays paid', async () => {
      const { regNo, orderId } = await payTwice()
      await store.applyPaymentEvent(orderId, buildRefund('R1', due), newEmail)
      const stored = await readStored(store, regNo)
      expect(stored).toMatchObject({ paymentStatus: 'success', inReview: false })
      expect(await listOpenReviews()).toEqual([])
      expect([await readRevenue(), await sumPayments(regNo)]).toEqual([due, due])
    })

    test('complete a requested refund that has not been sent, so it is not made twice', async () => {
      const registration = await registerSample(store, { gateway: 'airpay' })
      await store.applyPaymentEvent(registration.orderId, buildSale('AP1'), newEmail)
      await store.requestRefund({
        of: registration.regNo,
        amount: null,
        ...grounds,
        at: addMs(day),
      })
      await store.applyPaymentEvent(registration.orderId, buildRefund('R1', due), newEmail)
      expect(await store.refundsToSend(addMs(9 * day), 9)).toEqual([])
      expect((await store.refunds(registration.regNo)).map(({ state }) => state)).toEqual(['done'])
    })

    test('go to review if they exceed the amount received or nothing was paid', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildRefund('R0', due), newEmail)
      expect((await readStored(store, regNo)).paymentStatus).toBe('pending')
      expect(await listOpenReviews()).toEqual([['P', 'unclear']])
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      await store.applyPaymentEvent(orderId, buildRefund('R1', due), newEmail)
      await store.applyPaymentEvent(orderId, buildRefund('R2', due), newEmail)
      expect((await store.reviews('demo'))[0]?.why).toContain('for a payment of')
      expect([await readRevenue(), await sumPayments(regNo)]).toEqual([0, 0])
    })

    test('reported together with their payment lead to no confirmation email', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildRefunds(['R1', due]), newEmail)
      expect((await readStored(store, regNo)).paymentStatus).toBe('refunded')
      expect(await store.emailsOfRegistration(regNo)).toEqual([])
    })
  })
}

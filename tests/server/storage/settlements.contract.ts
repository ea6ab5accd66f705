/** Store contract for settlements and unmatched bank payments: stored once, and put under review if unknown. */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  readCurrency,
  INR,
  toBankKey,
  day,
  formatIsoIndia,
  checkSettlementLines,
  toAmount,
  listUnsettledPayments,
} from '../../../engine/index.ts'
import type { OrderId, RegNo, SettlementLine, ManualMethod } from '../../../engine/index.ts'
import type { Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  readStored,
  HOUR_MS,
  addMs,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'
import { due, grounds } from './payment-decisions.ts'

const ACCOUNT = { source: 'airpay', account: 'demo' }

export function defineSettlementsContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  /** Creates an order that was handed over to the account's gateway. */
  const registerWithAirpay = () =>
    registerSample(store, {
      gateway: 'airpay',
      merchantAccount: { account: 'demo', merchantId: '1' },
    })
  const createLine = (order: OrderId | '', reference: string, changes = {}): SettlementLine => ({
    line: 2,
    is: 'sale',
    order,
    reference,
    amount: due,
    fee: toAmount(5_000),
    tax: toAmount(900),
    net: toAmount(due - 5_900),
    day: day('2026-01-30'),
    utr: 'utr1',
    paidOn: null,
    nth: 1,
    ...changes,
  })
  const saveLines = (...lines: readonly SettlementLine[]) =>
    store.saveSettlement({
      ...ACCOUNT,
      eventId: 'demo',
      sha256: 'ab',
      who: 'treasurer',
      at: addMs(1000),
      lines,
    })

  describe('settlements', () => {
    test('of two users who mark a line as handled at the same time, only one succeeds; the line can be reopened', async () => {
      const { orderId } = await registerWithAirpay()
      await saveLines(createLine(orderId, 'CB1', { is: 'other', net: toAmount(-due) }))
      const readLine = async () => (await store.settlementLines(ACCOUNT)).at(-1)?.stored
      const id = (await readLine())?.id ?? 0
      expect(await readLine()).toEqual({ id, decisionId: null, handled: null })
      const decide = async (
        why: string | null,
        who: string,
        seenDecisionId: number | null | undefined = undefined,
      ) =>
        store.handleSettlementLine({
          id,
          why,
          seen:
            seenDecisionId === undefined
              ? ((await readLine())?.decisionId ?? null)
              : seenDecisionId,
          who,
          at: addMs(2000),
          eventId: 'demo',
          name: 'CB1',
          regNo: null,
        })
      expect(await decide(null, 'treasurer')).toMatchObject({ ok: false, error: null })
      const results = await Promise.all([
        decide('Kept.', 'first', null),
        decide('Kept.', 'second', null),
      ])
      expect(results.map(({ ok }) => ok).toSorted()).toEqual([false, true])
      const who = results[0]?.ok === true ? 'first' : 'second'
      const handledLine = { why: 'Kept.', who, at: addMs(2000) }
      expect(await readLine()).toEqual({ id, decisionId: expect.any(Number), handled: handledLine })
      expect(await decide(null, 'second', null)).toMatchObject({ error: { why: 'Kept.', who } })
      expect(await decide(null, 'second')).toMatchObject({ ok: true })
      expect(await readLine()).toMatchObject({ handled: null })

      // If a later report has different deductions, these count, and the line needs attention again.
      await decide('Kept.', 'second')
      const changedLine = createLine(orderId, 'CB1', {
        is: 'other',
        fee: toAmount(9_000),
        net: toAmount(-due - 4_000),
      })
      // A report without deductions changes nothing.
      const counts = { added: 0, changed: 0, known: 1, toReview: 0 }
      expect(await saveLines({ ...changedLine, states: 'none' })).toEqual(counts)
      expect(await readLine()).toMatchObject({ handled: { why: 'Kept.' } })
      const saveResults = await Promise.all([saveLines(changedLine), saveLines(changedLine)])
      expect(saveResults.map((result) => result.changed).toSorted()).toEqual([0, 1])
      expect(await store.settlementLines(ACCOUNT)).toMatchObject([
        { fee: 9_000, net: -due - 4_000, stored: { id, handled: null } },
      ])
    })

    test('are stored line by line, once each, and do not change known payments', async () => {
      const { orderId, regNo } = await registerWithAirpay()
      await store.applyPaymentEvent(orderId, buildSale('AP1', due, addMs(10)), null)
      const lines = [
        createLine(orderId, 'AP1'),
        createLine(orderId, 'AP1', { is: 'refund', net: toAmount(-due) }),
      ]
      expect(await saveLines(...lines)).toEqual({ added: 2, changed: 0, known: 0, toReview: 0 })
      expect(await saveLines(...lines)).toEqual({ added: 0, changed: 0, known: 2, toReview: 0 })
      // A payout is not stored twice if another report has its reference in capitals.
      const upperCaseLines = lines.map((stored) => ({ ...stored, utr: 'UTR1' }))
      expect(await saveLines(...upperCaseLines)).toEqual({
        added: 0,
        changed: 0,
        known: 2,
        toReview: 0,
      })
      const repeatedLine = createLine(orderId, 'AP1', { utr: 'utr2' })
      expect(await saveLines(...lines, repeatedLine)).toEqual({
        added: 1,
        changed: 0,
        known: 2,
        toReview: 0,
      })
      expect(await store.settlementLines(ACCOUNT)).toMatchObject([...lines, repeatedLine])
      expect(await store.settlementLines({ ...ACCOUNT, account: 'other' })).toEqual([])
      expect((await store.settlementLinesOf(regNo)).length).toBe(3)
      const accountPayments = await store.paymentsOfAccount(ACCOUNT)
      expect(accountPayments).toMatchObject([
        { order: orderId, reference: 'AP1', amount: due, refunds: [] },
      ])
      expect(await store.knownOrders([orderId, 'UNKNOWN'])).toEqual([
        { order: orderId, regNo, eventId: 'demo' },
      ])
      expect(checkSettlementLines(lines, accountPayments, []).map(({ as }) => as)).toEqual([
        'settled',
        'unknown',
      ])
      const { payouts } = await store.knownReferences(['UTR1', 'utr2', 'other'].map(toBankKey))
      expect(new Map(payouts)).toEqual(
        new Map([
          [toBankKey('UTR1'), { ...ACCOUNT, utr: 'utr1', lines: 2, net: -5_900 }],
          [toBankKey('UTR2'), { ...ACCOUNT, utr: 'utr2', lines: 1, net: due - 5_900 }],
        ]),
      )
      expect(await store.reviews(null)).toEqual([])
    })

    test('a refund that is still missing from the settlements after five days appears in the work queue', async () => {
      const { orderId, regNo } = await registerWithAirpay()
      await store.applyPaymentEvent(orderId, buildSale('AP1', due, addMs(10)), null)
      const recordRefund = (reference: string) =>
        store.applyPaymentEvent(
          orderId,
          { type: 'refunded', reference, amount: toAmount(5_000), at: addMs(20) },
          null,
        )
      await recordRefund('RF1')
      await recordRefund('RF2')
      const DAY_MS = 24 * HOUR_MS
      const addDays = (days: number) => day(formatIsoIndia(addMs(days * DAY_MS)).slice(0, 10))
      const listUnsettledRefunds = async (at = addMs(9 * DAY_MS)) =>
        (await store.workQueue(['demo'], at)).filter(({ is }) => is === 'refund_unsettled')
      // No settlements are loaded for this account, so the refund is not expected in one.
      expect(await listUnsettledRefunds()).toEqual([])
      await saveLines(createLine(orderId, 'AP1', { day: addDays(0) }))
      expect(await listUnsettledRefunds()).toEqual([])
      await saveLines(createLine('', 'AP7', { day: addDays(8) }))
      expect(await listUnsettledRefunds(addMs(4 * DAY_MS))).toEqual([])
      const expectedEntry = [{ eventId: 'demo', is: 'refund_unsettled', count: 1, more: false }]
      expect(await listUnsettledRefunds()).toEqual(expectedEntry)
      const refundLine = {
        is: 'refund',
        amount: toAmount(5_000),
        net: toAmount(-5_000),
        day: addDays(3),
      } as const
      await saveLines(createLine('', 'RF1', refundLine))
      expect(await listUnsettledRefunds()).toEqual(expectedEntry)
      await saveLines(createLine(orderId, 'AP1', { ...refundLine, utr: 'utr3' }))
      expect(await listUnsettledRefunds()).toEqual([])

      const second = await registerWithAirpay()
      await store.applyPaymentEvent(second.orderId, buildSale('AP2', due, addMs(10)), null)
      await store.applyPaymentEvent(
        second.orderId,
        { type: 'refunded', reference: 'RF3', amount: due, at: addMs(20) },
        null,
      )
      expect(await listUnsettledRefunds()).toEqual(expectedEntry)
      const treasurer = { who: 'treasurer', actor: 'treasurer', idempotencyKey: null } as const
      const note = { ...treasurer, act: 'note', why: 'Called.', at: addMs(8 * DAY_MS) } as const
      await store.addNote({ ...note, regNo: second.regNo })
      expect(await listUnsettledRefunds()).toEqual(expectedEntry)
      const markHandled = (regNo: RegNo, reason: string, at = addMs(9 * DAY_MS)) =>
        store.markRefundHandled({ ...treasurer, act: 'handle_refund', regNo, why: reason, at })
      // Rejected for another registration, and if the refund is not overdue yet.
      expect(await markHandled(regNo, 'Called.')).toMatchObject({ error: { code: 'not_now' } })
      expect(await markHandled(second.regNo, 'Called.', addMs(4 * DAY_MS))).toMatchObject({
        error: { code: 'not_now' },
      })
      expect(await markHandled(second.regNo, ' ')).toMatchObject({ error: { code: 'no_grounds' } })
      expect(await listUnsettledRefunds()).toEqual(expectedEntry)
      const why = 'The gateway credited the card directly.'
      expect(await markHandled(second.regNo, why)).toMatchObject({ ok: true })
      expect(await listUnsettledRefunds()).toEqual([])
      expect((await store.actions(second.regNo)).at(-1)).toMatchObject({
        act: 'handle_refund',
        why,
      })
    })

    test('a refund of an accepted payment that the gateway does not report as a sale is also expected in settlements', async () => {
      const { orderId, regNo } = await registerWithAirpay()
      const at = addMs(10)
      const confirmedEvent = {
        type: 'confirmed',
        reference: 'AP1',
        amount: due,
        currency: 'INR',
        at,
      } as const
      await store.applyPaymentEvent(orderId, { ...confirmedEvent, kind: 'other' }, null)
      const [review] = await store.reviews('demo')
      const acceptance = { what: 'accept', reference: null, amount: null, ...grounds } as const
      expect((await store.decideReview(review?.id ?? '', acceptance, addMs(20), null)).ok).toBe(
        true,
      )
      await store.applyPaymentEvent(
        orderId,
        { type: 'refunded', reference: 'RF1', amount: toAmount(5_000), at: addMs(30) },
        null,
      )
      const DAY_MS = 24 * HOUR_MS
      await saveLines(
        createLine(orderId, 'AP1', { day: day(formatIsoIndia(addMs(8 * DAY_MS)).slice(0, 10)) }),
      )
      const queueEntries = await store.workQueue(['demo'], addMs(9 * DAY_MS))
      expect(queueEntries.filter(({ is }) => is === 'refund_unsettled')).toHaveLength(1)
      expect(await store.paymentsOfAccount(ACCOUNT)).toMatchObject([{ isMoney: true }])
      expect((await store.settlementLinesOf(regNo)).length).toBe(1)
    })

    test('a refund made outside the gateway is not expected in its settlements', async () => {
      const { orderId, regNo } = await registerWithAirpay()
      await store.applyPaymentEvent(orderId, buildSale('AP1', due, addMs(10)), null)
      const refundRequest = {
        of: regNo,
        amount: due,
        ...grounds,
        manualReference: 'NEFT 1',
        at: addMs(20),
      }
      expect((await store.requestRefund(refundRequest)).ok).toBe(true)
      const DAY_MS = 24 * HOUR_MS
      await saveLines(
        createLine(orderId, 'AP1', { day: day(formatIsoIndia(addMs(8 * DAY_MS)).slice(0, 10)) }),
      )
      const queueEntries = await store.workQueue(['demo'], addMs(9 * DAY_MS))
      expect(queueEntries.filter(({ is }) => is === 'refund_unsettled')).toEqual([])
    })

    test('payments to a previous account are recognised in the new account’s settlements, and do not go to review', async () => {
      const { orderId, regNo } = await registerWithAirpay()
      await store.applyPaymentEvent(orderId, buildSale('AP1', due, addMs(10)), null)
      const second = await registerWithAirpay()
      await store.applyPaymentEvent(second.orderId, buildSale('AP2', due, addMs(10)), null)
      await store.applyPaymentEvent(
        second.orderId,
        { type: 'refunded', reference: 'RF2', amount: due, at: addMs(20) },
        null,
      )
      const nextAccount = { ...ACCOUNT, account: 'next' }
      expect(await store.accountsOfEvent('demo')).toEqual([ACCOUNT])
      const lines = [
        createLine(orderId, 'AP1'),
        createLine(second.orderId, 'AP2'),
        createLine(second.orderId, 'RF2', { is: 'refund', net: toAmount(-due) }),
        // Another account may have used the same payment id for another payment.
        createLine('ELSEWHERE' as OrderId, 'AP1', { utr: 'utr2' }),
      ]
      const settlementDetails = { eventId: 'demo', sha256: 'ab', who: 'treasurer', at: addMs(1000) }
      expect(
        await store.saveSettlement({ ...nextAccount, ...settlementDetails, lines }),
      ).toMatchObject({
        added: 4,
        toReview: 1,
      })
      expect(await readStored(store, regNo)).toMatchObject({
        inReview: false,
        paymentStatus: 'success',
      })
      expect(await store.accountsOfEvent('demo')).toEqual([ACCOUNT, nextAccount])
      expect(await store.accountsOfEvent('other')).toEqual([])
      expect(await store.eventsOfAccount(ACCOUNT)).toEqual(['demo'])
      expect(await store.eventsOfAccount({ ...ACCOUNT, account: 'unused' })).toEqual([])
      const accountPayments = await store.paymentsOfAccount(nextAccount)
      const checkResult = checkSettlementLines(
        lines,
        accountPayments,
        await store.knownOrders([orderId]),
      )
      expect(checkResult.map(({ as }) => as)).toEqual(['settled', 'settled', 'refunded', 'review'])
      // A refund that is missing from these settlements may be in the previous account's settlements.
      expect(
        listUnsettledPayments([], accountPayments, addMs(1000)).map(({ money }) => money.order),
      ).toEqual(['ELSEWHERE'])
    })

    test('recognise payments that were stored before captures had an account', async () => {
      const { orderId, regNo } = await registerSample(store, { gateway: 'airpay' })
      await store.applyPaymentEvent(orderId, buildSale('AP1', due, addMs(10)), null)
      expect(await store.captures(regNo)).toMatchObject([{ source: 'airpay', account: '' }])
      expect(await saveLines(createLine(orderId, 'AP1'))).toEqual({
        added: 1,
        changed: 0,
        known: 0,
        toReview: 0,
      })
      expect(await store.paymentsOfAccount(ACCOUNT)).toMatchObject([{ reference: 'AP1' }])
      expect((await store.settlementLinesOf(regNo)).length).toBe(1)
      expect(await store.reviews(null)).toEqual([])
    })

    test('send unknown payments to review, either with their order or as unmatched', async () => {
      const { orderId, regNo } = await registerWithAirpay()
      const lines = [
        createLine(orderId, 'AP7'),
        createLine('', 'AP8'),
        createLine(orderId, 'AP9', { is: 'other' }),
      ]
      expect(await saveLines(...lines)).toEqual({ added: 3, changed: 0, known: 0, toReview: 2 })
      expect(await readStored(store, regNo)).toMatchObject({
        inReview: true,
        paymentStatus: 'pending',
      })
      const [orderReview, unmatchedReview] = await store.reviews('demo')
      expect(orderReview).toMatchObject({
        is: 'misfit',
        regNo,
        came: { reference: 'AP7', amount: due },
      })
      expect(unmatchedReview).toMatchObject({
        is: 'unmatched',
        regNo: null,
        eventId: 'demo',
        left: due,
      })
      // A later response from the gateway about the same payment ends the review.
      await store.applyPaymentEvent(orderId, buildSale('AP7', due, addMs(2000)), null)
      expect(await readStored(store, regNo)).toMatchObject({
        inReview: false,
        paymentStatus: 'success',
      })
      const manualRefund = {
        what: 'refund',
        amount: toAmount(1000),
        manualReference: 'N1',
        ...grounds,
      } as const
      const id = unmatchedReview?.id ?? ''
      expect((await store.decideReview(id, manualRefund, addMs(3000), null)).ok).toBe(true)
      expect(await store.review(id)).toMatchObject({ left: due - 1000 })
      const remainingRefund = { ...manualRefund, amount: null, manualReference: 'N2' }
      expect((await store.decideReview(id, remainingRefund, addMs(4000), null)).ok).toBe(true)
      expect(await store.review(id)).toBeNull()
      const [, refundedPayment] = await store.paymentsOfAccount(ACCOUNT)
      expect(refundedPayment).toMatchObject({
        state: 'refused',
        refunds: [{ reference: 'N1' }, { reference: 'N2' }],
      })
    })

    test('a second payment by transfer goes to review, and can be recorded once', async () => {
      const { orderId, regNo } = await registerWithAirpay()
      await store.applyPaymentEvent(orderId, buildSale('AP1', due, addMs(10)), null)
      const paymentAction = {
        regNo,
        act: 'came_again',
        actor: 'owner',
        idempotencyKey: null,
        ...grounds,
      } as const
      const transferPayment = {
        method: 'transfer',
        reference: 'SBIN8',
        amount: due,
        paidAt: noon,
      } as const
      const recordTransfer = () =>
        store.recordExtraPayment({ ...paymentAction, at: addMs(20) }, transferPayment)
      expect(await recordTransfer()).toMatchObject({ ok: true, value: { state: 'complete' } })
      expect(await recordTransfer()).toMatchObject({ ok: false, error: { code: 'taken' } })
      expect(await store.reviews('demo')).toMatchObject([
        { is: 'second', regNo, came: { reference: 'SBIN8' } },
      ])
      expect(await readStored(store, regNo)).toMatchObject({ state: 'complete', inReview: true })
    })

    const confirmAction = {
      act: 'confirm',
      actor: 'owner',
      idempotencyKey: null,
      ...grounds,
    } as const
    const confirm = (regNo: RegNo, method: ManualMethod, reference: string) =>
      store.recordPayment(
        { ...confirmAction, regNo, at: noon },
        { method, reference, amount: due, paidAt: noon },
        null,
      )

    test('a bank reference can be used for one payment only, however it is written and whatever the payment method; a payout’s reference cannot be used at all', async () => {
      const paidRegistration = await registerSample(store)
      expect((await confirm(paidRegistration.regNo, 'cheque', '5261 2345 6702')).ok).toBe(true)
      const otherRegistration = await registerSample(store)
      for (const method of ['transfer', 'upi', 'cheque', 'desk', 'machine'] as const)
        expect(
          await confirm(otherRegistration.regNo, method, 'UTR 0526-123-456-702'),
        ).toMatchObject({
          ok: false,
          error: { code: 'taken', message: expect.stringContaining(paidRegistration.regNo) },
        })
      await saveLines(createLine('', 'AP1', { utr: 'ICICN52026010101' }))
      expect(
        await confirm(otherRegistration.regNo, 'transfer', 'icic n5 2026 010101'),
      ).toMatchObject({
        ok: false,
        error: { message: expect.stringContaining('the reference of a gateway payout') },
      })
      // If the transfer is recorded before the settlement, it goes to review once.
      expect((await confirm(otherRegistration.regNo, 'transfer', 'ICICN52026010102')).ok).toBe(true)
      await saveLines(createLine('', 'AP2', { utr: 'ICICN52026010102' }))
      await saveLines(createLine('', 'AP3', { utr: 'ICICN52026010102' }))
      const openReviews = (await store.reviews('demo')).filter(
        ({ regNo }) => regNo === otherRegistration.regNo,
      )
      expect(
        openReviews.map(({ why: reason }) => reason.match(/ICICN52026010102/g)?.length),
      ).toEqual([1])
    })

    test('a transfer that the bank returns goes to review once, and not again after it is refunded', async () => {
      const { regNo } = await registerSample(store)
      expect((await confirm(regNo, 'transfer', 'RTRN52026010103')).ok).toBe(true)
      const { payments } = await store.knownReferences([toBankKey('RTRN52026010103')])
      const [, payment] = payments[0] ?? []
      const captureId = payment?.id ?? 0
      const line = {
        captureId,
        reference: 'RTRN52026010103',
        amount: due,
        currency: INR,
        day: day('2025-10-02'),
      }
      // This line is from a dollar account, which cannot return rupees.
      const dollarLine = { ...line, currency: readCurrency('USD') ?? INR, narration: 'RTN $' }
      await store.reportReturned([dollarLine])
      expect((await store.reviews('demo')).filter((review) => review.regNo === regNo)).toEqual([])
      await store.reportReturned([{ ...line, narration: 'RTN' }])
      await store.reportReturned([{ ...line, narration: 'rtn.' }])
      const listReviews = async () =>
        (await store.reviews('demo')).filter((review) => review.regNo === regNo)
      expect(
        (await listReviews()).map(({ why: reason }) => reason.match(/RTRN52026010103/g)?.length),
      ).toEqual([1])
      const [review] = await listReviews()
      const decisionResult = await store.decideReview(
        review?.id ?? '',
        { what: 'dismiss', ...grounds },
        addMs(10),
        null,
      )
      expect(decisionResult.ok).toBe(true)
      await store.reportReturned([{ ...line, narration: 'RTN' }])
      expect(await listReviews()).toEqual([])
    })

    test('an unmatched bank payment is stored once, and pays for the registration to which it is moved', async () => {
      const bankLine = {
        reference: 'SBIN7',
        amount: due,
        currency: INR,
        day: day('2025-10-01'),
        narration: 'NEFT',
        eventId: 'demo',
        who: 'treasurer',
        at: noon,
      }
      expect(
        await store.saveUnmatchedLines([bankLine, { ...bankLine, reference: 'sbin7' }]),
      ).toMatchObject({
        added: 1,
      })
      expect(await store.saveUnmatchedLines([bankLine])).toMatchObject({ added: 0 })
      const { payments } = await store.knownReferences([toBankKey('SBIN7')])
      expect(payments).toMatchObject([['SBIN7', { regNo: null, amount: due }]])
      const { regNo } = await registerSample(store)
      const [review] = await store.reviews('demo')
      const move = { what: 'move', to: regNo, ...grounds } as const
      expect((await store.decideReview(review?.id ?? '', move, addMs(10), null)).ok).toBe(true)
      expect(await readStored(store, regNo)).toMatchObject({ state: 'complete', inReview: false })
    })
  })
}

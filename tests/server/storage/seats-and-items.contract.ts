/** Store contract for sold items: bill lines, which stay as they were sold, and limited seats. */
import { beforeEach, describe, expect, test } from 'vitest'
import { registerThorough } from '../../runs.ts'
import { INR, dayOf, toAmount } from '../../../engine/index.ts'
import type { Answers, Instant, Quota, Line, RegNo } from '../../../engine/index.ts'
import type { Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  readStored,
  HOUR_MS,
  addMs,
  buildCorrection,
  buildRegistration,
  noon,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import type { RegistrationChanges } from '../sample-registrations.ts'
import { callInOrder } from './contract-setup.ts'
import type { ContractSetup } from './contract-setup.ts'

const createLine = (id: string, unit: number, changes: Partial<Line> = {}): Line => ({
  id,
  option: null,
  label: `A ${id}`,
  quantity: 1,
  unit: toAmount(unit),
  base: toAmount(unit),
  gst: toAmount(0),
  total: toAmount(unit),
  ...changes,
})
const bill = [
  createLine('registration', 500_000),
  createLine('room', 800_000, { option: 'double', quantity: 3, base: toAmount(2_400_000) }),
  createLine('presenter', -50_000, { base: toAmount(-42_373), gst: toAmount(-7_627) }),
].map((billLine) => ({ ...billLine, total: toAmount(billLine.base + billLine.gst) }))
const total = toAmount(bill.reduce((sum, billLine) => sum + billLine.total, 0))
const quote = { ...sampleQuote, base: total, gst: toAmount(0), total, lines: bill }

export function defineSeatsAndItemsContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })

  describe('the bill', () => {
    test('is stored line by line with the registration, even if nothing is due', async () => {
      const paidRegistration = await registerSample(store, { quote })
      const freeRegistration = await registerSample(store, { quote, orderId: null })
      for (const { regNo } of [paidRegistration, freeRegistration])
        expect((await readStored(store, regNo)).lines).toEqual(bill)
    })

    test('belongs to its payment attempt if the price differs, and the registration shows the bill that was paid', async () => {
      const { regNo, orderId } = await registerSample(store, { quote })
      const higherBill = [createLine('registration', 700_000)]
      const price = {
        quote: {
          ...quote,
          period: 'late',
          base: toAmount(700_000),
          total: toAmount(700_000),
          lines: higherBill,
        },
        holdUntil: null,
      }
      expect(
        await store.retry(regNo, addMs(HOUR_MS), {
          expectedOrderId: orderId,
          replacesOpenOrder: true,
          price,
        }),
      ).toMatchObject({ ok: true })
      expect((await readStored(store, regNo)).lines).toEqual(higherBill)
      // If the first order is paid later, its original bill counts.
      await store.applyPaymentEvent(orderId, buildSale('AP1', total), null)
      expect(await readStored(store, regNo)).toMatchObject({ total, period: 'early', lines: bill })
    })

    test('is the same for another attempt at the same price', async () => {
      const { regNo, orderId } = await registerSample(store, { quote })
      await store.applyPaymentEvent(orderId, { type: 'expired', at: addMs(1) }, null)
      expect(await store.retry(regNo, addMs(HOUR_MS))).toMatchObject({ ok: true })
      expect((await readStored(store, regNo)).lines).toEqual(bill)
    })

    test('has no lines if the price has none', async () => {
      const { regNo } = await registerSample(store)
      expect((await readStored(store, regNo)).lines).toEqual([])
    })
  })

  describe('seats', () => {
    const holdMs = HOUR_MS / 2
    const seats: Quota = {
      id: 'seats',
      eachOptionOf: 'workshops',
      max: { scan: 1, airway: 2 },
      full: { message: 'Full' },
      few: 2,
    }
    const seatCounts = { 'seats.scan': 2, 'seats.airway': 2 }
    const serve = (limits: readonly Quota[], at: Instant = noon): Promise<void> =>
      store.saveEventFile({
        hash: 'hash-1',
        eventId: 'demo',
        text: '',
        shared: '',
        at,
        limits,
        holdPlaceMs: holdMs,
        placeNames: { 'seats.scan': 'Scanning' },
      })
    const choose = (...workshops: string[]): { answers: Answers } => ({
      answers: { full_name: 'Asha Demo', workshops },
    })
    const register = (changes: RegistrationChanges = {}) =>
      store.register(buildRegistration(changes))
    const buildFullError = (place: string) => ({ ok: false, error: { code: 'full', place } })
    const readSeatsLeft = (at: Instant = noon) => store.availableSeats('demo', seatCounts, at)

    test('are reserved when a registration is stored; if none is left, the registration is rejected and nothing is stored', async () => {
      await serve([seats])
      expect(await readSeatsLeft()).toEqual({ 'seats.scan': 1, 'seats.airway': 2 })
      await registerSample(store, choose('scan', 'airway'))
      expect(await readSeatsLeft()).toEqual({ 'seats.scan': 0, 'seats.airway': 1 })
      const second = buildRegistration(choose('airway', 'scan'))
      expect(await store.register(second)).toEqual(buildFullError('seats.scan'))
      expect(await store.registration(second.regNo)).toBeNull()
      expect(await readSeatsLeft()).toEqual({ 'seats.scan': 0, 'seats.airway': 1 })
      await registerSample(store, choose('airway'))
      expect(await register(choose('airway'))).toEqual(buildFullError('seats.airway'))
      // Items without a quota, and other events, are unaffected.
      await registerSample(store, choose())
      await registerSample(store, { ...choose('scan'), eventId: 'another' })
    })

    test('are limited immediately by a quota added in the same batch', async () => {
      const results = await callInOrder(setUp(), [
        () => register(choose()),
        () => serve([seats]),
        () => register(choose('scan')),
        () => register(choose('scan')),
      ])
      expect([results[0].ok, results[2].ok, results[3]]).toEqual([
        true,
        true,
        buildFullError('seats.scan'),
      ])
    })

    test('that are reserved are reported as in use, like items on bills and the chosen options of a field', async () => {
      await serve([seats])
      await registerSample(store, { ...choose('scan', 'airway'), quote })
      await registerSample(store, {
        ...choose('airway'),
        quote: { ...quote, lines: bill.slice(0, 1) },
      })
      const countedFields = { fields: [], options: ['workshops'], items: true }
      expect(await store.valuesInUse('demo', countedFields)).toMatchObject({
        items: { registration: 2, room: 1, presenter: 1 },
        places: { 'seats.scan': 1, 'seats.airway': 2 },
        options: { workshops: { scan: 1, airway: 2 } },
        codes: {},
      })
    })

    test('in a quota for a category are used only by that category’s registrations', async () => {
      const pg: Quota = {
        id: 'pg',
        when: [[{ field: 'category', test: { is: 'in', values: ['pg'] } }]],
        max: 1,
        full: { offer: 'other', message: 'Full' },
      }
      await serve([pg])
      await registerSample(store, { category: 'pg' })
      await registerSample(store, { category: 'other' })
      expect(await register({ category: 'pg' })).toEqual(buildFullError('pg'))
    })

    test('are held during payment, and then released and sold again; a payment that arrives later goes to review', async () => {
      await serve([seats])
      const latePayer = await registerSample(store, choose('scan'))
      const beforeExpiry = addMs(holdMs - 1)
      expect([
        await register({ ...choose('scan'), at: beforeExpiry }),
        await readSeatsLeft(beforeExpiry),
      ]).toMatchObject([buildFullError('seats.scan'), { 'seats.scan': 0 }])
      expect(await readSeatsLeft(addMs(holdMs))).toMatchObject({ 'seats.scan': 1 })
      const quickPayer = await registerSample(store, { ...choose('scan'), at: addMs(holdMs) })
      const paymentResult = await store.applyPaymentEvent(
        latePayer.orderId,
        buildSale('AP1', sampleQuote.total, addMs(holdMs + 1)),
        null,
      )
      const reason = 'Payment received after the seat was released: Scanning is full.'
      expect(paymentResult).toMatchObject({ review: reason, payment: { status: 'pending' } })
      expect(await store.reviews('demo')).toMatchObject([
        { is: 'misfit', regNo: latePayer.regNo, why: reason },
      ])
      // A payment for the registration that holds the seat counts without a check.
      await store.applyPaymentEvent(quickPayer.orderId, buildSale('AP2'), null)
      expect((await readStored(store, quickPayer.regNo)).paymentStatus).toBe('success')
      expect(await readSeatsLeft(addMs(HOUR_MS))).toMatchObject({ 'seats.scan': 0 })
      // Staff may exceed the quota.
      const decisionResult = await store.decideReview(
        (await store.reviews('demo'))[0]?.id ?? '',
        { what: 'accept', reference: null, amount: null, why: 'A chair was found', who: 'asha' },
        addMs(HOUR_MS),
        null,
      )
      expect(decisionResult.ok).toBe(true)
      expect(await store.listTakenSeats('demo')).toContainEqual({
        quotaKey: 'seats.scan',
        max: 1,
        taken: 2,
      })
      expect(await register({ ...choose('scan'), at: addMs(9 * HOUR_MS) })).toEqual(
        buildFullError('seats.scan'),
      )
    })

    test('that were released but not sold again are still available to a late payment', async () => {
      await serve([seats])
      const { regNo, orderId } = await registerSample(store, choose('scan'))
      await store.applyPaymentEvent(
        orderId,
        buildSale('AP1', sampleQuote.total, addMs(9 * HOUR_MS)),
        null,
      )
      expect((await readStored(store, regNo)).paymentStatus).toBe('success')
      expect(await register({ ...choose('scan'), at: addMs(99 * HOUR_MS) })).toEqual(
        buildFullError('seats.scan'),
      )
    })

    test('that are paid for are not sold again if a balance remains unpaid', async () => {
      await serve([seats])
      const { regNo, orderId } = await registerSample(store, choose('scan'))
      await store.applyPaymentEvent(orderId, buildSale('AP1', sampleQuote.total, addMs(1)), null)
      const { answers, category } = await readStored(store, regNo)
      const { searchable } = buildRegistration()
      const higherBill = { ...sampleQuote, base: total, gst: toAmount(0), total, lines: bill }
      const correctAction = {
        regNo,
        act: 'correct',
        actor: 'owner',
        who: 'asha',
        why: 'x',
      } as const
      const paymentMethod = { gateway: '', merchantAccount: { account: 'demo', merchantId: null } }
      const unchangedAnswers = {
        previousAnswers: answers,
        answers,
        category,
        searchable,
        unique: [],
        emails: [],
        uploads: [],
      }
      const correction = await store.correct(
        { ...correctAction, at: addMs(2), idempotencyKey: null },
        {
          ...unchangedAnswers,
          quote: higherBill,
          channel: paymentMethod,
          holdUntil: null,
          changes: ['x'],
          revokesLinks: false,
        },
      )
      expect(correction.ok).toBe(true)
      const [balanceOrder] = (await readStored(store, regNo)).payments
      await store.resumePayment(balanceOrder?.orderId ?? orderId, addMs(HOUR_MS), {
        unique: [],
        holdMs,
      })
      expect(await register({ ...choose('scan'), at: addMs(9 * HOUR_MS) })).toEqual(
        buildFullError('seats.scan'),
      )
    })

    test('are not released while the bank is processing the payment', async () => {
      await serve([seats])
      const { orderId } = await registerSample(store, choose('scan'))
      await store.recordStatusQuery(orderId, addMs(HOUR_MS), addMs(2 * HOUR_MS), 'in-process')
      expect(await readSeatsLeft(addMs(HOUR_MS))).toMatchObject({ 'seats.scan': 0 })
      expect(await register({ ...choose('scan'), at: addMs(HOUR_MS) })).toEqual(
        buildFullError('seats.scan'),
      )
      await store.recordStatusQuery(orderId, addMs(HOUR_MS), addMs(2 * HOUR_MS), 'no-record')
      expect(await register({ ...choose('scan'), at: addMs(HOUR_MS) })).toMatchObject({ ok: true })
    })

    test('are not sold twice when the clock is set back', async () => {
      await serve([seats])
      const first = await registerSample(store, choose('scan'))
      const second = await registerSample(store, { ...choose('scan'), at: addMs(holdMs) })
      for (const [{ orderId }, reference] of [
        [first, 'AP1'],
        [second, 'AP2'],
      ] as const)
        await store.applyPaymentEvent(
          orderId,
          buildSale(reference, sampleQuote.total, addMs(1)),
          null,
        )
      expect((await readStored(store, first.regNo)).paymentStatus).toBe('pending')
      expect((await readStored(store, second.regNo)).paymentStatus).toBe('success')
    })

    test('that become available again end the review of a late payment, which counts minus its refunds', async () => {
      await serve([seats])
      const first = await registerSample(store, choose('scan'))
      const second = await registerSample(store, { ...choose('scan'), at: addMs(2 * holdMs) })
      const confirmation = buildSale('AP1', sampleQuote.total, addMs(2 * holdMs))
      await store.applyPaymentEvent(first.orderId, confirmation, null)
      expect(await readStored(store, first.regNo)).toMatchObject({ inReview: true })
      const partialAmount = toAmount(10_000)
      const refundEvent = {
        type: 'refunded',
        reference: 'RF1',
        amount: partialAmount,
        at: addMs(2 * holdMs),
      }
      await store.applyPaymentEvent(
        first.orderId,
        refundEvent as Parameters<Store['applyPaymentEvent']>[1],
        null,
      )
      await store.applyPaymentEvent(second.orderId, buildDecline(addMs(3 * holdMs)), null)
      await store.applyPaymentEvent(first.orderId, confirmation, null)
      expect(await readStored(store, first.regNo)).toMatchObject({ paymentStatus: 'success' })
      const { revenue } = await store.dashboardFigures('demo', dayOf(noon))
      expect(revenue).toBe(sampleQuote.total - partialAmount)
    })

    test('are released immediately after a decline or refund, and a retry reserves them again or is rejected', async () => {
      await serve([seats])
      const first = await registerSample(store, choose('scan'))
      await store.applyPaymentEvent(first.orderId, buildDecline(), null)
      expect(await readSeatsLeft()).toMatchObject({ 'seats.scan': 1 })
      const retryResult = await store.retry(first.regNo, addMs(HOUR_MS))
      expect(retryResult.ok).toBe(true)
      expect(await readSeatsLeft(addMs(HOUR_MS))).toMatchObject({ 'seats.scan': 0 })
      const orderId = retryResult.ok ? retryResult.value.orderId : first.orderId
      await store.applyPaymentEvent(orderId, buildDecline(addMs(HOUR_MS)), null)
      const second = await registerSample(store, { ...choose('scan'), at: addMs(HOUR_MS) })
      expect(await store.retry(first.regNo, addMs(HOUR_MS))).toEqual(buildFullError('seats.scan'))
      expect((await readStored(store, first.regNo)).payments.length).toBe(2)
      await store.applyPaymentEvent(
        second.orderId,
        buildSale('AP2', sampleQuote.total, addMs(HOUR_MS)),
        null,
      )
      const refundEvent = {
        type: 'refunded',
        reference: 'RF2',
        amount: sampleQuote.total,
        at: addMs(HOUR_MS),
      }
      await store.applyPaymentEvent(
        second.orderId,
        refundEvent as Parameters<Store['applyPaymentEvent']>[1],
        null,
      )
      expect(await readSeatsLeft(addMs(HOUR_MS))).toMatchObject({ 'seats.scan': 1 })
      expect(await store.retry(first.regNo, addMs(HOUR_MS))).toMatchObject({ ok: true })
    })

    test('are held again when the delegate resumes the payment, unless they have been sold in the meantime', async () => {
      await serve([seats])
      const first = await registerSample(store, choose('scan'))
      expect(await store.resumePayment(first.orderId, addMs(holdMs))).toEqual({
        ok: true,
        value: null,
      })
      expect(await register({ ...choose('scan'), at: addMs(2 * holdMs - 1) })).toEqual(
        buildFullError('seats.scan'),
      )
      await registerSample(store, { ...choose('scan'), at: addMs(2 * holdMs) })
      expect(await store.resumePayment(first.orderId, addMs(2 * holdMs))).toEqual(
        buildFullError('seats.scan'),
      )
      expect((await readStored(store, first.regNo)).payments[0]?.handedOffAt).toBe(addMs(holdMs))
    })

    test('are sold once: of 64 delegates who request the last seat, exactly one gets it', async () => {
      await serve([{ ...seats, max: { scan: 3 } }])
      for (let n = 0; n < 2; n += 1)
        await registerSample(store, { ...choose('scan'), orderId: null })
      const results = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          // Half of them owe nothing, so their seats are sold immediately.
          register({ ...choose('scan'), ...(index % 2 === 0 ? {} : { orderId: null }) }),
        ),
      )
      expect(results.filter(({ ok }) => ok).length).toBe(1)
      expect(results.filter(({ ok }) => !ok)).toEqual(Array(63).fill(buildFullError('seats.scan')))
      expect(await store.listTakenSeats('demo')).toEqual([
        { quotaKey: 'seats.scan', max: 3, taken: 3 },
      ])
    })

    registerThorough(() => {
      test('negative control: if seats are counted outside the transaction, the last seat is sold more than once', async () => {
        await serve([{ ...seats, max: { scan: 1 } }])
        // The registrations choose the seat in a field that the store does not count, so only this test checks it.
        const results = await Promise.all(
          Array.from({ length: 64 }, async () => {
            const seatsLeft = await readSeatsLeft()
            if ((seatsLeft['seats.scan'] ?? 0) <= 0) return false
            return (await register({ answers: { full_name: 'Asha Demo', chosen: ['scan'] } })).ok
          }),
        )
        expect(results.filter(Boolean).length).toBeGreaterThan(1)
      })
    })

    test('in a new quota include earlier registrations; in a changed quota, those that it now covers', async () => {
      const paidRegistration = await registerSample(store, choose('scan'))
      await store.applyPaymentEvent(paidRegistration.orderId, buildSale('AP1'), null)
      const expired = await registerSample(store, { ...choose('airway'), at: addMs(1) })
      const failed = await registerSample(store, choose('airway'))
      await store.applyPaymentEvent(failed.orderId, buildDecline(), null)
      await serve([seats], addMs(2))
      expect(await readSeatsLeft(addMs(2))).toEqual({ 'seats.scan': 0, 'seats.airway': 1 })
      expect(await readSeatsLeft(addMs(HOUR_MS))).toEqual({ 'seats.scan': 0, 'seats.airway': 2 })
      expect(await register({ ...choose('scan'), at: addMs(2) })).toEqual(
        buildFullError('seats.scan'),
      )
      // Serving the same file again has no effect; raising the maximum does.
      await serve([seats], addMs(3))
      await serve([{ ...seats, max: { scan: 2, airway: 2 } }], addMs(4))
      await registerSample(store, { ...choose('scan'), at: addMs(4) })
      expect(await register({ ...choose('scan'), at: addMs(4) })).toEqual(
        buildFullError('seats.scan'),
      )
      await serve([{ id: 'hall', max: 3, full: { message: 'Full' } }], addMs(5))
      expect(await readSeatsLeft(addMs(5))).toEqual({ hall: 0 })
      await serve([], addMs(6))
      expect(await readSeatsLeft(addMs(6))).toEqual({})
      await store.applyPaymentEvent(expired.orderId, buildSale('AP3'), null)
      expect((await readStored(store, expired.regNo)).paymentStatus).toBe('success')
    })

    const dinner: Quota = {
      id: 'dinner',
      count: 'tickets',
      maxCount: 5,
      max: 8,
      full: { message: 'Full' },
    }
    const table: Quota = { ...dinner, id: 'table', count: 'guests', withDelegate: true }
    const chooseTickets = (tickets: number, guests = 0): { answers: Answers } => ({
      answers: {
        full_name: 'Asha Demo',
        tickets,
        ...(guests > 0 && { guests: Array.from({ length: guests }, () => ({ name: 'Mini' })) }),
      },
    })
    const countTakenSeats = async (): Promise<Readonly<Record<string, number>>> =>
      Object.fromEntries(
        (await store.listTakenSeats('demo')).map(({ quotaKey, taken }) => [quotaKey, taken]),
      )

    test('are reserved for each ticket and each person in a registration', async () => {
      await serve([dinner, table])
      await registerSample(store, chooseTickets(3, 2))
      await registerSample(store, { ...chooseTickets(0), orderId: null })
      expect(await countTakenSeats()).toEqual({ dinner: 3, table: 4 })
      expect(await register(chooseTickets(6))).toEqual(buildFullError('dinner'))
      expect(await register(chooseTickets(5, 4))).toEqual(buildFullError('table'))
      expect(await countTakenSeats()).toEqual({ dinner: 3, table: 4 })
      await registerSample(store, { ...chooseTickets(5, 3), orderId: null })
      expect(await countTakenSeats()).toEqual({ dinner: 8, table: 8 })
      expect(await store.availableSeats('demo', { dinner: 8, table: 8 }, addMs(HOUR_MS))).toEqual({
        dinner: 3,
        table: 3,
      })
      // The first registration's hold has ended, so exactly its seats can be sold again.
      expect(await register({ ...chooseTickets(4), at: addMs(HOUR_MS) })).toEqual(
        buildFullError('dinner'),
      )
      await registerSample(store, { ...chooseTickets(3, 1), orderId: null, at: addMs(HOUR_MS) })
      expect(await countTakenSeats()).toEqual({ dinner: 8, table: 7 })
    })

    test('for several tickets are never oversold by concurrent registrations', async () => {
      await serve([dinner])
      const counts = Array.from({ length: 40 }, (_, index) => 1 + (index % 4))
      const results = await Promise.all(
        counts.map((tickets, index) =>
          register({ ...chooseTickets(tickets), ...(index % 2 === 0 ? {} : { orderId: null }) }),
        ),
      )
      const soldCount = counts.reduce(
        (sum, tickets, index) => sum + (results[index]?.ok ? tickets : 0),
        0,
      )
      expect(soldCount).toBeLessThanOrEqual(8)
      expect(await countTakenSeats()).toEqual({ dinner: soldCount })
      // A request for one ticket is refused only if no seat is left.
      expect(results.some(({ ok }, index) => !ok && counts[index] === 1)).toBe(true)
      expect(soldCount).toBe(8)
    })

    test('in a new quota for tickets include the tickets of earlier registrations', async () => {
      const { regNo, orderId } = await registerSample(store, chooseTickets(4))
      await store.applyPaymentEvent(orderId, buildSale('AP4'), null)
      await serve([dinner], addMs(1))
      expect(await countTakenSeats()).toEqual({ dinner: 4 })
      expect((await readStored(store, regNo)).answers).toMatchObject({ tickets: 4 })
      // If a quota counts something else from now on, it is counted again.
      await serve([{ ...dinner, count: 'guests', withDelegate: true }], addMs(2))
      expect(await countTakenSeats()).toEqual({ dinner: 1 })
    })

    const correctTicketsTo = async (regNo: RegNo, tickets: number) => {
      const { answers, category } = await readStored(store, regNo)
      return store.correct(
        {
          regNo,
          act: 'correct',
          actor: 'owner',
          who: 'Meera',
          why: `To ${tickets}.`,
          at: addMs(HOUR_MS),
          idempotencyKey: null,
        },
        buildCorrection({
          previousAnswers: answers,
          answers: { ...answers, tickets },
          category,
          changes: ['tickets'],
        }),
      )
    }

    test('can be added in a correction only if enough are left, and can always be given up', async () => {
      await serve([dinner])
      const { regNo } = await registerSample(store, { ...chooseTickets(3), orderId: null })
      await registerSample(store, { ...chooseTickets(3), orderId: null })
      expect(await correctTicketsTo(regNo, 6)).toMatchObject({ ok: false })
      expect(await countTakenSeats()).toEqual({ dinner: 6 })
      expect(await correctTicketsTo(regNo, 5)).toMatchObject({ ok: true })
      expect(await countTakenSeats()).toEqual({ dinner: 8 })
      expect(await correctTicketsTo(regNo, 1)).toMatchObject({ ok: true })
      expect(await countTakenSeats()).toEqual({ dinner: 4 })
    })

    test('can be added in a correction after the hold has ended, without releasing the registration’s own', async () => {
      await serve([dinner])
      const { regNo } = await registerSample(store, chooseTickets(3))
      await registerSample(store, { ...chooseTickets(4), orderId: null })
      expect(await correctTicketsTo(regNo, 5)).toMatchObject({ ok: false })
      expect(await countTakenSeats()).toEqual({ dinner: 7 })
      expect(await correctTicketsTo(regNo, 4)).toMatchObject({ ok: true })
      expect(await countTakenSeats()).toEqual({ dinner: 8 })
    })

    test('are counted for imported registrations even if they exceed the quota', async () => {
      await serve([{ id: 'hall', max: 1, full: { message: 'Full' } }])
      const { searchable, eventHash, category } = buildRegistration()
      const rows = Array.from({ length: 3 }, (_, index) => {
        const { regNo } = buildRegistration()
        const row = {
          eventId: 'demo',
          eventHash,
          regNo,
          formerNo: `OLD-${index}`,
          answers: {},
          searchable,
        }
        const noPrice = {
          period: null,
          base: null,
          gst: null,
          total: null,
          currency: INR,
          paymentId: null,
        }
        const paymentStatus = index === 2 ? ('failed' as const) : ('success' as const)
        return { ...row, ...noPrice, category, paymentStatus, createdAt: noon, paidAt: null }
      })
      expect((await store.importRegistrations(rows)).ok).toBe(true)
      expect(await store.listTakenSeats('demo')).toEqual([{ quotaKey: 'hall', max: 1, taken: 2 }])
      expect(await register()).toEqual(buildFullError('hall'))
    })
  })
}

/** Reviews are seen and ended by people: what waits, what follows from a decision, what a refund goes through. */
import { beforeEach, describe, expect, test } from 'vitest'
import { dayOf, orderIdOf, paise } from '../../../engine/index.ts'
import type { Decision, Paise, PaymentFact, RegNo } from '../../../engine/index.ts'
import type { RefundTold, Store } from '../../../server/store/store.ts'
import {
  confirmed,
  declined,
  found,
  hour,
  later,
  mail,
  noon,
  quoted,
  registered,
} from '../registrations.ts'
import type { Given } from './given.ts'

const day = 24 * hour
const due = quoted.total
const grounds = { why: 'Seen in the panel.', who: 'treasurer' }
const accept = { what: 'accept', reference: null, amount: null, ...grounds } as const
const dismiss = { what: 'dismiss', ...grounds } as const
const refund = (amount: number | null = null) =>
  ({ what: 'refund', amount: amount === null ? null : paise(amount), ...grounds }) as const
const move = (to: string) => ({ what: 'move', to, ...grounds }) as const
type Came = PaymentFact & { readonly type: 'confirmed' }
const wentBack = (reference: string, amount: number, at = later(2 * day)): PaymentFact => ({
  type: 'refunded',
  reference,
  amount: paise(amount),
  at,
})
const told = (is: 'refused' | 'not-sent' | 'unsure'): RefundTold => ({
  is,
  said: 'As it says.',
  raw: '{}',
  gateway: 'airpay',
})
const begun = (reference: string): RefundTold => ({
  is: 'begun',
  reference,
  said: '',
  raw: '{}',
  gateway: 'airpay',
})

export function decidingContract(given: Given): void {
  let store: Store
  beforeEach(() => {
    store = given().store
  })
  const waiting = async () => (await store.reviews('demo')).map(({ id, is }) => [id.charAt(0), is])
  const only = async (): Promise<string> => {
    const [review, ...more] = await store.reviews('demo')
    if (review === undefined || more.length > 0) throw new Error('not one review')
    return review.id
  }
  const decide = (id: string, decision: Decision, at = later(day)) =>
    store.decide(id, decision, at, mail)
  const revenue = async (): Promise<number> => (await store.figures('demo', dayOf(noon))).revenue
  /** What counts, less what has gone back of it: the figures say the same. */
  const sumOf = async (...regNos: readonly RegNo[]): Promise<number> => {
    let sum = 0
    for (const regNo of regNos) {
      const counting = (await store.captures(regNo)).filter(
        ({ state }) => state === 'fits' || state === 'accepted',
      )
      const back = (await store.refunds(regNo)).filter(
        ({ state, captureId }) => state === 'done' && counting.some(({ id }) => id === captureId),
      )
      sum += counting.reduce((all, { amount }) => all + amount, 0)
      sum -= back.reduce((all, { amount }) => all + amount, 0)
    }
    return sum
  }
  /** A registration for which 4,000 came instead of 5,015. */
  const misfit = async (reference = 'AP1', amount: Paise = paise(400_000)) => {
    const one = await registered(store)
    await store.applyFact(one.orderId, confirmed(reference, amount), mail)
    return one
  }
  /** A paid registration for which money came a second time. */
  const twice = async (first = 'AP1', second = 'AP2') => {
    const one = await registered(store)
    await store.applyFact(one.orderId, confirmed(first), mail)
    await store.applyFact(one.orderId, confirmed(second), mail)
    return one
  }

  describe('what waits for a person', () => {
    test('is one list of all kinds, the longest waiting first, with what came beside what was due', async () => {
      const [silent, taken] = [await registered(store), await registered(store)]
      const { regNo } = await misfit()
      await twice('AP2', 'AP3')
      await store.applyFact(silent.orderId, { type: 'undecided', at: later(5 * day) }, null)
      await store.applyFact(taken.orderId, confirmed('AP2', due, later(6 * day)), null)
      expect(await waiting()).toEqual([
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
        why: '₹\u00a04,000 came instead of ₹\u00a05,015.',
        since: later(60_000),
      })
      expect(await store.reviews('another')).toEqual([])
      expect(await store.reviewCounts()).toEqual({ reviews: 4, undecided: 1, unsure: 0 })
      expect((await store.reviews(null)).length).toBe(4)
    })

    test('whoever decides says why and who, and one cannot decide what is not there', async () => {
      await misfit()
      const id = await only()
      for (const nothing of [{ why: ' ' }, { who: '' }, { why: 'x'.repeat(501) }])
        expect(await decide(id, { ...accept, ...nothing })).toMatchObject({
          error: { code: 'no_grounds' },
        })
      for (const none of ['C99999', 'P99999', 'R99999', 'X1', '', "C1' OR 1", 'C0'])
        expect(await decide(none, accept)).toMatchObject({ error: { code: 'not_there' } })
      expect(await only()).toBe(id)
    })
  })

  describe('accepting', () => {
    test('what came counts as paid: success, figures on the day of payment, one mail, no review', async () => {
      const { regNo, orderId } = await misfit()
      expect(await decide(await only(), accept)).toMatchObject({ ok: true, value: { regNo } })
      expect(await found(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP1',
        inReview: false,
        paidAt: later(60_000),
        payments: [{ orderId, status: 'success', review: null }],
      })
      expect((await store.figures('demo', dayOf(noon))).byDay).toEqual([
        { day: '2026-11-21', registrations: 1, revenue: 400_000 },
      ])
      expect(await sumOf(regNo)).toBe(400_000)
      expect((await store.mailsOf(regNo)).length).toBe(1)
      expect(await store.decisions(regNo)).toMatchObject([
        { what: 'accept', amount: 400_000, ...grounds, at: later(day) },
      ])
      expect((await store.auditOf(regNo)).at(-1)).toMatchObject({
        who: 'treasurer',
        what: expect.stringContaining('Seen in the panel.'),
      })
    })

    test('twice at once is once: one decides, the other is told that it is decided', async () => {
      const { regNo } = await misfit()
      const id = await only()
      const answers = await Promise.all([
        decide(id, accept),
        decide(id, refund()),
        decide(id, dismiss),
        decide(id, accept),
      ])
      expect(answers.filter(({ ok }) => ok).length).toBe(1)
      expect(answers.flatMap((one) => (one.ok ? [] : [one.error.code]))).toEqual(
        Array.from({ length: 3 }, () => 'decided_already'),
      )
      expect((await store.mailsOf(regNo)).length).toBe(1)
      expect(await revenue()).toBe(await sumOf(regNo))
      expect((await store.decisions(regNo)).length).toBe(1)
    })

    test('while the gateway’s whole answer arrives: a success either way, and one mail', async () => {
      const { regNo, orderId } = await registered(store)
      const cut = { ...confirmed('AP1'), currency: '' } as PaymentFact
      await store.applyFact(orderId, cut, mail)
      const id = await only()
      await Promise.all([
        decide(id, accept),
        store.applyFact(orderId, confirmed('AP1'), mail),
        decide(id, dismiss),
      ])
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'success', inReview: false })
      expect((await store.mailsOf(regNo)).length).toBe(1)
      expect(await revenue()).toBe(due)
      expect(await sumOf(regNo)).toBe(due)
      expect(await waiting()).toEqual([])
    })

    test('a second payment of what is paid cannot be accepted', async () => {
      const { regNo } = await twice()
      expect(await decide(await only(), accept)).toMatchObject({
        error: { code: 'not_allowed', message: expect.stringContaining('paid already') },
      })
      expect(await sumOf(regNo)).toBe(due)
    })

    test('the same heard again from the watch list, also in other words, re-opens nothing', async () => {
      const { regNo, orderId } = await misfit()
      await decide(await only(), accept)
      const again = confirmed('AP1', paise(400_000), later(2 * day))
      await store.applyFact(orderId, again, mail)
      await store.applyFact(orderId, { ...again, paidAt: noon } as PaymentFact, mail)
      expect(await waiting()).toEqual([])
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'success', inReview: false })
      expect((await store.mailsOf(regNo)).length).toBe(1)
    })

    test('an undecided one takes the reference that the treasurer read in the panel, and becomes money', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, { type: 'undecided', at: later(5 * day) }, null)
      const id = await only()
      expect(await decide(id, accept)).toMatchObject({ error: { code: 'no_reference' } })
      const read = { ...accept, reference: ' AP77 ' }
      expect(await decide(id, read, later(6 * day))).toMatchObject({ ok: true })
      expect(await store.captures(regNo)).toMatchObject([
        { reference: 'AP77', amount: due, state: 'accepted', paidAt: later(6 * day) },
      ])
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'success', inReview: false })
      expect((await store.mailsOf(regNo)).length).toBe(1)
      // The gateway says the same in the end.
      await store.applyFact(orderId, confirmed('AP77', due, later(7 * day)), mail)
      expect(await waiting()).toEqual([])
      expect(await revenue()).toBe(due)
    })

    test('a reference that has paid something else is not taken twice', async () => {
      const [one, two] = [await registered(store), await registered(store)]
      await store.applyFact(one.orderId, confirmed('AP1'), mail)
      await store.applyFact(two.orderId, { type: 'undecided', at: later(5 * day) }, null)
      expect(await decide(await only(), { ...accept, reference: 'AP1' })).toMatchObject({
        error: { code: 'reference_taken' },
      })
      expect(await store.captures(two.regNo)).toEqual([])
      expect(await store.decisions(two.regNo)).toEqual([])
    })
  })

  describe('dismissing', () => {
    test('a test transaction: no money, nothing waits, and the delegate can pay', async () => {
      const { regNo, orderId } = await registered(store)
      const test = { ...confirmed('T1'), kind: 'test' } as PaymentFact
      await store.applyFact(orderId, test, mail)
      expect(await waiting()).toEqual([['C', 'test']])
      expect(await decide(await only(), accept)).toMatchObject({ error: { code: 'not_allowed' } })
      await decide(await only(), dismiss)
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'failed', inReview: false })
      await store.applyFact(orderId, { ...test, paidAt: noon } as PaymentFact, mail)
      expect(await waiting()).toEqual([])
      // What is real comes after all, under a reference of its own.
      await store.applyFact(orderId, confirmed('AP1'), mail)
      expect((await found(store, regNo)).paymentStatus).toBe('success')
      expect(await revenue()).toBe(due)
    })

    test('one of two reasons leaves the other', async () => {
      const { regNo, orderId } = await twice()
      await store.applyFact(orderId, confirmed('AP3'), mail)
      const [first, second] = await store.reviews('demo')
      if (first === undefined || second === undefined) throw new Error('not two')
      await decide(first.id, dismiss)
      expect(await found(store, regNo)).toMatchObject({ inReview: true })
      expect((await store.payment(orderId))?.review).toBe(second.why)
      await decide(second.id, dismiss)
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'success', inReview: false })
      expect((await store.payment(orderId))?.review).toBeNull()
    })

    test('an undecided payment ends, and money that comes after all still comes', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, { type: 'undecided', at: later(5 * day) }, null)
      await decide(await only(), dismiss)
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'failed', inReview: false })
      await store.applyFact(orderId, { type: 'undecided', at: later(6 * day) }, null)
      expect(await waiting()).toEqual([])
      await store.applyFact(orderId, confirmed('AP1', due, later(7 * day)), mail)
      expect((await found(store, regNo)).paymentStatus).toBe('success')
    })
  })

  describe('moving', () => {
    test('a second payment that was meant for a colleague pays the colleague exactly', async () => {
      const { regNo, orderId } = await twice()
      const colleague = await registered(store)
      expect(await decide(await only(), move(colleague.regNo))).toMatchObject({ ok: true })
      expect(await found(store, colleague.regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP2',
        inReview: false,
      })
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'success', inReview: false })
      expect((await store.mailsOf(colleague.regNo)).length).toBe(1)
      expect(await revenue()).toBe(2 * due)
      expect(await sumOf(regNo, colleague.regNo)).toBe(2 * due)
      // The watch list hears of both again, from the order they came under.
      const both = {
        ...confirmed('AP1'),
        further: [{ reference: 'AP2', amount: due, kind: 'sale' }],
      }
      await store.applyFact(orderId, both as PaymentFact, mail)
      await store.applyFact(orderId, confirmed('AP2', due, later(3 * day)), mail)
      expect(await waiting()).toEqual([])
      expect(await revenue()).toBe(2 * due)
    })

    test('what does not pay the other exactly waits there, and can be accepted there', async () => {
      const { regNo, orderId } = await misfit()
      const colleague = await registered(store)
      await decide(await only(), move(colleague.regNo))
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'failed', inReview: false })
      expect(await found(store, colleague.regNo)).toMatchObject({
        paymentStatus: 'pending',
        inReview: true,
      })
      await store.applyFact(orderId, confirmed('AP1', paise(400_000), later(2 * day)), mail)
      const [review] = await store.reviews('demo')
      expect(review).toMatchObject({ is: 'misfit', regNo: colleague.regNo, due, left: 400_000 })
      await decide(review?.id ?? '', accept)
      expect((await found(store, colleague.regNo)).paymentStatus).toBe('success')
      expect(await revenue()).toBe(400_000)
      expect(await sumOf(regNo, colleague.regNo)).toBe(400_000)
    })

    test('only within the event, to somebody else who has something to pay', async () => {
      const { regNo } = await misfit()
      const foreign = await registered(store, { eventId: 'another' })
      const id = await only()
      for (const to of [regNo, foreign.regNo, 'DEMO0', ''])
        expect(await decide(id, move(to))).toMatchObject({ error: { code: 'no_target' } })
    })

    test('to one that is paid it waits there, and is not accepted a second time', async () => {
      await misfit()
      const paid = await registered(store)
      await store.applyFact(paid.orderId, confirmed('AP5'), mail)
      await decide(await only(), move(paid.regNo))
      expect(await waiting()).toEqual([['C', 'second']])
      expect((await found(store, paid.regNo)).paymentStatus).toBe('success')
    })
  })

  describe('giving back', () => {
    /** Sends what is wanted as the server does, and answers for the gateway. */
    const send = async (answer: RefundTold, at = later(day)): Promise<number> => {
      const [wanted] = await store.refundsToSend(at, 10)
      if (wanted === undefined) throw new Error('nothing is wanted')
      expect(await store.claimRefund(wanted.id, at)).toBe(true)
      await store.refundTold(wanted.id, answer, at)
      return wanted.id
    }
    const states = async (regNo: RegNo) => (await store.refunds(regNo)).map(({ state }) => state)
    const gateway = { gateway: 'airpay', askedOf: { account: 'a', merchantId: '1' } }
    const paid = async () => {
      const one = await registered(store, gateway)
      await store.applyFact(one.orderId, confirmed('AP1'), mail)
      return one
    }
    const wants = (of: string, amount: number | null = null, at = later(day)) =>
      store.wantRefund({ of, amount: amount === null ? null : paise(amount), ...grounds, at })

    test('wanted, asked, begun, and done only when the status call says so', async () => {
      const { regNo, orderId } = await paid()
      expect(await wants(regNo)).toMatchObject({ ok: true })
      expect(await states(regNo)).toEqual(['wanted'])
      await send(begun('RF1'))
      expect(await states(regNo)).toEqual(['asked'])
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'success' })
      expect(await revenue()).toBe(due)
      // It is asked about soon.
      expect((await store.watchedPayments(later(day + 60_000), 9)).length).toBe(1)
      await store.applyFact(
        orderId,
        {
          ...(confirmed('AP1') as Came),
          refunds: [{ reference: 'RF1', amount: due }],
        } as PaymentFact,
        mail,
      )
      expect(await states(regNo)).toEqual(['done'])
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'refunded' })
      expect([await revenue(), await sumOf(regNo)]).toEqual([0, 0])
      expect((await store.mailsOf(regNo)).length).toBe(1)
    })

    test('in parts: a success until all of it is back, and never more than came', async () => {
      const { regNo, orderId } = await paid()
      expect(await wants(regNo, due + 1)).toMatchObject({ error: { code: 'bad_amount' } })
      expect(await wants(regNo, 0)).toMatchObject({ error: { code: 'bad_amount' } })
      await wants(regNo, 100_000)
      await send(begun('RF1'))
      await store.applyFact(orderId, wentBack('RF1', 100_000), mail)
      expect((await found(store, regNo)).paymentStatus).toBe('success')
      await wants(orderId, 1_500)
      await send(begun('RF2'))
      await store.applyFact(orderId, wentBack('RF2', 1_500), mail)
      expect(await revenue()).toBe(400_000)
      expect(await wants(regNo, 400_001)).toMatchObject({
        error: { code: 'bad_amount', message: expect.stringContaining('4,000') },
      })
      await wants(regNo)
      await send(begun('RF3'))
      await store.applyFact(orderId, wentBack('RF3', 400_000), mail)
      expect((await found(store, regNo)).paymentStatus).toBe('refunded')
      expect([await revenue(), await sumOf(regNo)]).toEqual([0, 0])
      expect(await wants(regNo)).toMatchObject({ error: { code: 'bad_amount' } })
    })

    test('twice at once goes back once', async () => {
      const { regNo } = await paid()
      const answers = await Promise.all([wants(regNo), wants(regNo), wants(regNo)])
      expect(answers.filter(({ ok }) => ok).length).toBe(1)
      const halves = await Promise.all([wants(regNo, 1), wants(regNo, 1)])
      expect(halves.some(({ ok }) => ok)).toBe(false)
      const [wanted] = await store.refundsToSend(later(day), 10)
      const claims = await Promise.all(
        Array.from({ length: 20 }, () => store.claimRefund(wanted?.id ?? 0, later(day))),
      )
      expect(claims.filter((won) => won).length).toBe(1)
    })

    test('two of one amount at a time could not be told apart', async () => {
      const { regNo } = await paid()
      await wants(regNo, 1_000)
      expect(await wants(regNo, 1_000)).toMatchObject({ error: { code: 'under_way' } })
      expect(await wants(regNo, 1_001)).toMatchObject({ ok: true })
    })

    test('refused by the gateway’s no: the money stays, and a person sees it', async () => {
      const { regNo } = await paid()
      await wants(regNo)
      const id = await send(told('refused'))
      expect(await states(regNo)).toEqual(['refused'])
      expect(await store.review(`R${id}`)).toMatchObject({
        is: 'refund-refused',
        said: 'As it says.',
      })
      await decide(`R${id}`, refund())
      expect(await states(regNo)).toEqual(['refused', 'wanted'])
      expect(await waiting()).toEqual([])
    })

    test('not sent goes back to wanted and is tried again, and after a day a person sees it', async () => {
      const { regNo } = await paid()
      await wants(regNo)
      await send(told('not-sent'))
      expect(await states(regNo)).toEqual(['wanted'])
      expect(await store.refundsToSend(later(day + 60_000), 9)).toEqual([])
      await send(told('not-sent'), later(day + hour))
      expect(await states(regNo)).toEqual(['wanted'])
      await send(told('not-sent'), later(2 * day + hour))
      expect(await waiting()).toEqual([['R', 'refund-refused']])
    })

    test('unsure is never repeated by itself: it is done by the status call, or a person decides', async () => {
      const { regNo, orderId } = await paid()
      await wants(regNo)
      const id = await send(told('unsure'))
      expect(await store.refundsToSend(later(9 * day), 9)).toEqual([])
      expect(await store.claimRefund(id, later(9 * day))).toBe(false)
      expect(await waiting()).toEqual([['R', 'refund-unsure']])
      expect(await store.reviewCounts()).toMatchObject({ unsure: 1 })
      await store.applyFact(orderId, wentBack('RF9', due), mail)
      expect(await states(regNo)).toEqual(['done'])
      expect(await waiting()).toEqual([])
      expect((await found(store, regNo)).paymentStatus).toBe('refunded')
    })

    test('a crash between the asking and the answer: unsure, until the status call tells', async () => {
      const { regNo, orderId } = await paid()
      await wants(regNo)
      const [wanted] = await store.refundsToSend(later(day), 9)
      await store.claimRefund(wanted?.id ?? 0, later(day))
      store = await given().reopen()
      // It may be another process that is asking just now.
      expect(await store.silentRefunds(later(day + 60_000))).toBe(0)
      expect(await store.refundsToSend(later(day + 60_000), 9)).toEqual([])
      expect(await store.silentRefunds(later(day + 10 * 60_000))).toBe(1)
      expect(await waiting()).toEqual([['R', 'refund-unsure']])
      expect(await store.refundsToSend(later(30 * day), 9)).toEqual([])
      await store.applyFact(orderId, wentBack('RF1', due), mail)
      expect(await states(regNo)).toEqual(['done'])
    })

    test('begun and not seen done for five days comes before a person', async () => {
      const { regNo } = await paid()
      await wants(regNo)
      const id = await send(begun('RF1'))
      expect(await store.silentRefunds(later(5 * day))).toBe(0)
      expect(await store.silentRefunds(later(6 * day + 1))).toBe(1)
      expect(await waiting()).toEqual([['R', 'refund-unsure']])
      await decide(`R${id}`, accept)
      expect(await states(regNo)).toEqual(['done'])
      expect((await found(store, regNo)).paymentStatus).toBe('refunded')
      expect([await revenue(), await sumOf(regNo)]).toEqual([0, 0])
    })

    test('of a review: all of it ends the review, part of it leaves the rest to be decided', async () => {
      const one = await registered(store, gateway)
      await store.applyFact(one.orderId, confirmed('AP1', paise(600_000)), mail)
      const id = await only()
      expect(await decide(id, refund(98_500))).toMatchObject({ ok: true })
      await send(begun('RF1'))
      await store.applyFact(one.orderId, wentBack('RF1', 98_500), mail)
      expect(await waiting()).toEqual([['C', 'misfit']])
      expect(await revenue()).toBe(0)
      await decide(id, accept)
      expect((await found(store, one.regNo)).paymentStatus).toBe('success')
      expect([await revenue(), await sumOf(one.regNo)]).toEqual([due, due])
      // What goes back later leaves the figures too.
      await wants(one.regNo)
      await send(begun('RF2'))
      await store.applyFact(one.orderId, wentBack('RF2', due), mail)
      expect((await found(store, one.regNo)).paymentStatus).toBe('refunded')
      expect([await revenue(), await sumOf(one.regNo)]).toEqual([0, 0])
    })

    test('a second payment goes back whole: the registration stays paid', async () => {
      const one = await paid()
      await store.applyFact(one.orderId, confirmed('AP2'), mail)
      await decide(await only(), refund())
      expect(await waiting()).toEqual([])
      expect(await found(store, one.regNo)).toMatchObject({
        paymentStatus: 'success',
        inReview: false,
      })
      await send(begun('RF1'))
      await store.applyFact(one.orderId, wentBack('RF1', due), mail)
      expect(await found(store, one.regNo)).toMatchObject({
        paymentStatus: 'success',
        inReview: false,
      })
      expect([await revenue(), await sumOf(one.regNo)]).toEqual([due, due])
    })

    test('money that came some other way does not go back through the gateway', async () => {
      const row = {
        eventId: 'demo',
        eventHash: 'h',
        regNo: 'DEMO900000000001' as RegNo,
        formerNo: 'OLD1',
        answers: {},
        searchable: { fullName: '', email: '', phone: '', councilNo: '' },
        category: null,
        period: null,
        base: null,
        gst: null,
        total: due,
        paymentStatus: 'success',
        paymentId: 'X',
        createdAt: noon,
        paidAt: noon,
      } as const
      await store.importRegistrations([row])
      expect(await wants(row.regNo)).toMatchObject({ error: { code: 'not_by_gateway' } })
    })

    test('nobody refunds what is not paid, or not there', async () => {
      const { regNo } = await registered(store, gateway)
      expect(await wants(regNo)).toMatchObject({ error: { code: 'not_paid' } })
      expect(await wants('DEMO0')).toMatchObject({ error: { code: 'not_there' } })
    })
  })

  describe('what was given back in the gateway’s panel', () => {
    const refunds = (...back: readonly (readonly [string, number])[]): PaymentFact =>
      ({
        ...(confirmed('AP1', due, later(3 * day)) as Came),
        refunds: back.map(([reference, amount]) => ({ reference, amount: paise(amount) })),
      }) as Came

    test('is learnt in part and in full, a second one too, and each once', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, confirmed('AP1'), mail)
      await store.applyFact(orderId, refunds(['R1', 100_000]), mail)
      await store.applyFact(orderId, refunds(['R1', 100_000]), mail)
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'success', inReview: false })
      expect(await revenue()).toBe(401_500)
      await store.applyFact(orderId, refunds(['R1', 100_000], ['R2', 401_500]), mail)
      expect((await found(store, regNo)).paymentStatus).toBe('refunded')
      expect(
        (await store.refunds(regNo)).map(({ reference, amount }) => [reference, amount]),
      ).toEqual([
        ['R1', 100_000],
        ['R2', 401_500],
      ])
      expect([await revenue(), await sumOf(regNo)]).toEqual([0, 0])
      expect(await waiting()).toEqual([])
    })

    test('of a second payment ends its review, and the ticket stays', async () => {
      const { regNo, orderId } = await twice()
      await store.applyFact(orderId, wentBack('R1', due), mail)
      expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'success', inReview: false })
      expect(await waiting()).toEqual([])
      expect([await revenue(), await sumOf(regNo)]).toEqual([due, due])
    })

    test('is the one that we wanted and had not asked for yet: it is not given back twice', async () => {
      const one = await registered(store, { gateway: 'airpay' })
      await store.applyFact(one.orderId, confirmed('AP1'), mail)
      await store.wantRefund({ of: one.regNo, amount: null, ...grounds, at: later(day) })
      await store.applyFact(one.orderId, wentBack('R1', due), mail)
      expect(await store.refundsToSend(later(9 * day), 9)).toEqual([])
      expect((await store.refunds(one.regNo)).map(({ state }) => state)).toEqual(['done'])
    })

    test('more than came, or of what is not paid, comes before a person and breaks nothing', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, wentBack('R0', due), mail)
      expect((await found(store, regNo)).paymentStatus).toBe('pending')
      expect(await waiting()).toEqual([['P', 'unclear']])
      await store.applyFact(orderId, confirmed('AP1'), mail)
      await store.applyFact(orderId, wentBack('R1', due), mail)
      await store.applyFact(orderId, wentBack('R2', due), mail)
      expect((await store.reviews('demo'))[0]?.why).toContain('went back of')
      expect([await revenue(), await sumOf(regNo)]).toEqual([0, 0])
    })

    test('together with the money, before we ever heard of it: no confirmation is sent', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, refunds(['R1', due]), mail)
      expect((await found(store, regNo)).paymentStatus).toBe('refunded')
      expect(await store.mailsOf(regNo)).toEqual([])
    })
  })

  test('a failed first attempt whose money came beside the paid second one is dismissed or refunded, never a second success', async () => {
    const { regNo, orderId } = await registered(store, { gateway: 'airpay' })
    await store.applyFact(orderId, declined(), null)
    const second = await store.retry(regNo, later(hour))
    if (!second.ok) throw new Error(second.error.code)
    await store.applyFact(orderIdOf(regNo, 2), confirmed('AP2'), mail)
    await store.applyFact(orderId, confirmed('AP1'), mail)
    expect(await decide(await only(), accept)).toMatchObject({ error: { code: 'not_allowed' } })
    await decide(await only(), refund())
    expect(await found(store, regNo)).toMatchObject({
      paymentStatus: 'success',
      paymentId: 'AP2',
      inReview: false,
    })
  })

  describe('a mail', () => {
    test('is claimed before it is sent: one that nobody marked is tried once more, and no more', async () => {
      const { regNo } = await registered(store)
      const id = await store.queueMail(regNo, mail, noon)
      expect(await store.claimMail(id, noon)).toBe(true)
      expect(await store.claimMail(id, noon)).toBe(false)
      expect(await store.dueMails(later(60_000), 9)).toEqual([])
      const [again, third] = [later(hour), later(2 * hour)]
      expect((await store.dueMails(again, 9)).length).toBe(1)
      expect(await store.claimMail(id, again)).toBe(true)
      expect(await store.claimMail(id, third)).toBe(false)
      expect(await store.mailsOf(regNo)).toMatchObject([
        { status: 'failed', error: expect.stringContaining('not known') },
      ])
    })

    test('to the treasurer is queued once per key, however many processes try', async () => {
      const tries = await Promise.all(
        Array.from({ length: 5 }, () =>
          store.queueOnce('reviews demo 2026-11-21', 'demo', mail, noon),
        ),
      )
      expect(tries.filter((won) => won).length).toBe(1)
      expect(await store.dueMails(noon, 9)).toMatchObject([
        { eventId: 'demo', regNo: null, ...mail },
      ])
    })
  })
}

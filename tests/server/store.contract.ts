/**
 * What every store must do, whatever it keeps its rows in. `open` gives a fresh, empty store;
 * `reopen` closes one and opens it again on the same data.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addDays, day, dayOf, instant, orderIdOf, paise, startOf } from '../../engine/index.ts'
import type { Answers, Instant, OrderId, PaymentFact, RegNo } from '../../engine/index.ts'
import type {
  ImportRow,
  ListQuery,
  NewRegistration,
  Store,
  StoredRegistration,
} from '../../server/store/store.ts'
import {
  confirmed,
  declined,
  found,
  hour,
  later,
  mail,
  newRegistration,
  nextRegNo,
  noon,
  quoted,
  registered,
} from './registrations.ts'
import type { Changes } from './registrations.ts'

export type Opened = { readonly store: Store; reopen(): Promise<Store>; end(): Promise<void> }

const all: ListQuery = { eventId: 'demo', answers: {} }
const regNosOf = (rows: readonly StoredRegistration[]): readonly string[] =>
  rows.map(({ regNo }) => regNo)
async function exported(store: Store, query: ListQuery): Promise<readonly StoredRegistration[]> {
  const rows: StoredRegistration[] = []
  for await (const chunk of store.exportRows(query)) rows.push(...chunk)
  return rows
}

export function storeContract(open: () => Promise<Opened>): void {
  let opened: Opened
  let store: Store
  beforeEach(async () => {
    opened = await open()
    store = opened.store
  })
  afterEach(() => opened.end())

  describe('registering', () => {
    test('keeps everything it was given', async () => {
      const upload = {
        field: 'proof',
        sha256: 'a'.repeat(64),
        name: 'proof.pdf',
        type: 'application/pdf',
        bytes: 1234,
      }
      const asked = newRegistration({
        uploads: [upload],
        answers: { full_name: 'ആശ', note: 'a "quoted" \\ line', age: 41.5, member: false },
      })
      expect(await store.register(asked)).toEqual({
        ok: true,
        value: {
          id: expect.any(Number),
          regNo: asked.regNo,
          orderId: asked.orderId,
          amount: 501_500,
          repeated: false,
        },
      })
      expect(await store.registration(asked.regNo)).toEqual({
        id: expect.any(Number),
        eventId: 'demo',
        eventHash: 'hash-1',
        regNo: asked.regNo,
        answers: asked.answers,
        category: 'pg',
        period: 'early',
        base: 425_000,
        gst: 76_500,
        total: 501_500,
        paymentStatus: 'pending',
        inReview: false,
        paymentId: null,
        paidAt: null,
        createdAt: noon,
        uploads: [upload],
        payments: [
          {
            id: expect.any(Number),
            orderId: asked.orderId,
            regNo: asked.regNo,
            eventId: 'demo',
            amount: 501_500,
            status: 'pending',
            reference: null,
            review: null,
            createdAt: noon,
            paidAt: null,
          },
        ],
      })
      expect(await store.auditOf(asked.regNo)).toEqual([
        { at: noon, who: 'delegate', what: 'registered' },
      ])
      expect(await store.mailsOf(asked.regNo)).toEqual([])
      expect(await store.uploadsInUse(['b'.repeat(64), upload.sha256])).toEqual([upload.sha256])
    })

    test('is a success at once, with its mail, when no payment is due', async () => {
      const { regNo } = await registered(store, { orderId: null, quote: null, mail })
      expect(await found(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        payments: [],
        total: null,
      })
      expect(await store.mailsOf(regNo)).toMatchObject([{ ...mail, status: 'queued' }])
    })

    test('refuses a number that is taken, and keeps nothing of the second', async () => {
      const { regNo } = await registered(store, { name: 'First' })
      expect(await store.register(newRegistration({ regNo, name: 'Second' }))).toEqual({
        ok: false,
        error: { code: 'reg_no_taken' },
      })
      expect((await found(store, regNo)).answers.full_name).toBe('First')
      expect((await store.auditOf(regNo)).length).toBe(1)
      expect((await store.listPage(all, 1, 10)).count).toBe(1)
    })

    test('refuses when the order id is taken, and keeps no registration without a payment', async () => {
      const { orderId } = await registered(store)
      const second = newRegistration({ orderId })
      expect(await store.register(second)).toEqual({ ok: false, error: { code: 'reg_no_taken' } })
      expect(await store.registration(second.regNo)).toBeNull()
      expect((await store.listPage(all, 1, 10)).count).toBe(1)
    })

    test('one that fails leaves its neighbours of the same batch alone', async () => {
      const { regNo } = await registered(store)
      const asked = Array.from({ length: 20 }, (_, at) =>
        newRegistration(at === 7 ? { regNo } : {}),
      )
      const answers = await Promise.all(asked.map((one) => store.register(one)))
      expect(answers.map(({ ok }) => ok)).toEqual(asked.map((_, at) => at !== 7))
      expect((await store.listPage(all, 1, 10)).count).toBe(20)
    })

    test('is still there after the store was opened again', async () => {
      const { regNo } = await registered(store)
      const again = await opened.reopen()
      expect((await found(again, regNo)).paymentStatus).toBe('pending')
    })
  })

  describe('the idempotency key', () => {
    const keyed = (fingerprint: string, changes: Changes = {}): NewRegistration =>
      newRegistration({ idempotency: { key: 'key-1', fingerprint }, ...changes })

    test('gives the first registration again for the same request', async () => {
      const first = await store.register(keyed('same'))
      const second = await store.register(keyed('same', { at: later(hour) }))
      expect(first.ok && second.ok && second.value).toEqual(
        first.ok && { ...first.value, repeated: true },
      )
      expect((await store.listPage(all, 1, 10)).count).toBe(1)
    })

    test('is refused with another request, and kept apart per event', async () => {
      await store.register(keyed('same'))
      expect(await store.register(keyed('other'))).toEqual({
        ok: false,
        error: { code: 'idempotency_key_reused' },
      })
      expect(await store.register(keyed('other', { eventId: 'another' }))).toMatchObject({
        ok: true,
        value: { repeated: false },
      })
    })

    test('is forgotten after 24 hours, not before', async () => {
      await store.register(keyed('same'))
      expect(await store.register(keyed('same', { at: later(24 * hour - 1) }))).toMatchObject({
        value: { repeated: true },
      })
      expect(await store.register(keyed('same', { at: later(24 * hour) }))).toMatchObject({
        value: { repeated: false },
      })
    })

    test('a hundred times at the same moment makes one registration', async () => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => store.register(keyed('same'))),
      )
      expect(new Set(answers.map((answer) => answer.ok && answer.value.regNo)).size).toBe(1)
      expect(answers.filter((answer) => answer.ok && !answer.value.repeated).length).toBe(1)
      expect((await store.listPage(all, 1, 10)).count).toBe(1)
    })
  })

  describe('a fact about a payment', () => {
    test('a confirmation makes payment and registration a success and queues the mail', async () => {
      const { regNo, orderId } = await registered(store)
      const fact = confirmed('AP1')
      expect(await store.applyFact(orderId, fact, mail)).toMatchObject({
        changed: true,
        review: null,
        payment: { status: 'success', reference: 'AP1', paidAt: fact.at },
      })
      expect(await found(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP1',
        paidAt: fact.at,
        inReview: false,
      })
      expect(await store.facts(orderId)).toEqual([{ at: fact.at, type: 'confirmed', body: fact }])
      expect(await store.mailsOf(regNo)).toMatchObject([
        { ...mail, status: 'queued', at: fact.at, error: null },
      ])
    })

    test('a repeated confirmation changes nothing', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, confirmed('AP1'), mail)
      const before = await found(store, regNo)
      expect(
        await store.applyFact(orderId, confirmed('AP1', quoted.total, later(hour)), mail),
      ).toMatchObject({ changed: false, review: null })
      expect(await found(store, regNo)).toEqual(before)
      expect((await store.mailsOf(regNo)).length).toBe(1)
      expect((await store.facts(orderId)).length).toBe(1)
    })

    test('the same a hundred times at once queues one mail and counts its money once', async () => {
      const { regNo, orderId } = await registered(store)
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          store.applyFact(orderId, confirmed('AP1', quoted.total, later(60_000 + at)), mail),
        ),
      )
      expect(answers.filter(({ changed }) => changed).length).toBe(1)
      expect((await store.mailsOf(regNo)).length).toBe(1)
      expect((await store.figures('demo', dayOf(noon))).revenue).toBe(501_500)
    })

    test('negative control: looking first and writing then, without the guard, queues many mails', async () => {
      const { regNo, orderId } = await registered(store)
      const naive = async (): Promise<void> => {
        if ((await store.payment(orderId))?.status !== 'pending') return
        await store.queueMail(regNo, mail, noon)
        await store.applyFact(orderId, confirmed('AP1'), null)
      }
      await Promise.all(Array.from({ length: 100 }, naive))
      expect((await store.mailsOf(regNo)).length).toBeGreaterThan(1)
    })

    test('a decline fails it; money that came late still comes', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, declined(), mail)
      expect(await found(store, regNo)).toMatchObject({
        paymentStatus: 'failed',
        payments: [{ status: 'failed' }],
      })
      expect(await store.mailsOf(regNo)).toEqual([])
      await store.applyFact(orderId, confirmed('AP1', quoted.total, later(hour)), mail)
      expect((await found(store, regNo)).paymentStatus).toBe('success')
      expect((await store.mailsOf(regNo)).length).toBe(1)
    })

    test('another amount is recorded and put into review, and is neither success nor failure', async () => {
      const { regNo, orderId } = await registered(store)
      const fact = confirmed('AP1', paise(100))
      expect(await store.applyFact(orderId, fact, mail)).toMatchObject({
        changed: true,
        review: expect.stringContaining('instead of'),
        payment: { status: 'pending', review: expect.stringContaining('5,015') },
      })
      expect(await found(store, regNo)).toMatchObject({
        paymentStatus: 'pending',
        inReview: true,
        paymentId: null,
      })
      expect(await store.facts(orderId)).toEqual([{ at: fact.at, type: 'confirmed', body: fact }])
      expect(await store.mailsOf(regNo)).toEqual([])
      expect(regNosOf(await store.inReview('demo'))).toEqual([regNo])
      expect(await store.pendingPayments(later(hour), 10)).toEqual([])
      expect((await store.figures('demo', dayOf(noon))).revenue).toBe(0)
    })

    test('money for a registration already paid goes into review and leaves the first success alone', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, declined(), null)
      const second = await store.retry(regNo, later(hour))
      if (!second.ok) throw new Error(second.error.code)
      await store.applyFact(second.value.orderId, confirmed('AP2'), mail)
      expect(await store.applyFact(orderId, confirmed('AP1'), mail)).toMatchObject({
        review: expect.stringContaining('AP2'),
        payment: { status: 'failed' },
      })
      expect(await found(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP2',
        inReview: true,
      })
      expect((await store.mailsOf(regNo)).length).toBe(1)
      expect((await store.figures('demo', dayOf(noon))).revenue).toBe(501_500)
    })

    test('another reference for a payment that succeeded goes into review and stays a success', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, confirmed('AP1'), mail)
      expect(await store.applyFact(orderId, confirmed('AP9'), mail)).toMatchObject({
        review: expect.stringContaining('AP1'),
        payment: { status: 'success', reference: 'AP1' },
      })
      expect(await found(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        paymentId: 'AP1',
        inReview: true,
      })
      expect((await store.facts(orderId)).length).toBe(2)
    })

    test('a late decline of what is paid is kept as a fact and changes nothing', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, confirmed('AP1'), mail)
      const before = await found(store, regNo)
      expect(await store.applyFact(orderId, declined(later(hour)), mail)).toMatchObject({
        changed: false,
        review: null,
      })
      expect(await found(store, regNo)).toEqual(before)
      expect((await store.facts(orderId)).map(({ type }) => type)).toEqual([
        'confirmed',
        'declined',
      ])
    })

    test('two reasons for review stand side by side, the same one only once', async () => {
      const { orderId } = await registered(store)
      await store.applyFact(orderId, confirmed('AP1', paise(100)), null)
      const second = await store.applyFact(
        orderId,
        { ...confirmed('AP1'), currency: 'USD' } as PaymentFact,
        null,
      )
      expect(second.review).toMatch(/instead of.*USD/)
      expect(await store.applyFact(orderId, confirmed('AP1', paise(100)), null)).toMatchObject({
        changed: false,
        review: second.review,
      })
      expect((await store.facts(orderId)).length).toBe(2)
    })

    test('a confirmation delivered again after the refund is known and changes nothing', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, confirmed('AP1'), mail)
      await store.applyFact(
        orderId,
        { type: 'refunded', reference: 'RF1', amount: quoted.total, at: later(hour) },
        null,
      )
      expect(await store.applyFact(orderId, confirmed('AP1'), mail)).toMatchObject({
        changed: false,
        review: null,
        payment: { status: 'refunded' },
      })
      expect(await store.retry(regNo, later(hour))).toEqual({
        ok: false,
        error: { code: 'not_failed' },
      })
      expect((await store.mailsOf(regNo)).length).toBe(1)
    })

    test('one gateway reference cannot pay two orders', async () => {
      const [one, two] = [await registered(store), await registered(store)]
      await store.applyFact(one.orderId, confirmed('AP1'), mail)
      expect(await store.applyFact(two.orderId, confirmed('AP1'), mail)).toMatchObject({
        review: expect.stringContaining(one.orderId),
        payment: { status: 'pending' },
      })
    })

    test('a refund takes its money out on its own day', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, confirmed('AP1'), mail)
      await store.applyFact(
        orderId,
        { type: 'refunded', reference: 'RF1', amount: quoted.total, at: later(48 * hour) },
        null,
      )
      expect(await found(store, regNo)).toMatchObject({
        paymentStatus: 'refunded',
        paymentId: 'AP1',
      })
      const { revenue, byDay } = await store.figures('demo', dayOf(noon))
      expect(revenue).toBe(0)
      expect(byDay).toEqual([
        { day: '2026-11-21', registrations: 1, revenue: 501_500 },
        { day: '2026-11-23', registrations: 0, revenue: -501_500 },
      ])
    })

    test('about an order nobody placed is a bug of the caller and stores nothing', async () => {
      await expect(store.applyFact('DEMO0' as OrderId, confirmed('AP1'), mail)).rejects.toThrow(
        'an order that is not there',
      )
      expect(await store.facts('DEMO0' as OrderId)).toEqual([])
    })
  })

  describe('trying again', () => {
    test('makes a further attempt of the same amount', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, declined(), null)
      const second = await store.retry(regNo, later(hour))
      expect(second).toMatchObject({
        ok: true,
        value: {
          orderId: orderIdOf(regNo, 2),
          amount: 501_500,
          status: 'pending',
          createdAt: later(hour),
        },
      })
      const registration = await found(store, regNo)
      expect(registration.paymentStatus).toBe('pending')
      expect(registration.payments.map((payment) => payment.orderId)).toEqual([
        orderIdOf(regNo, 2),
        orderId,
      ])
      expect((await store.payment(orderId))?.regNo).toBe(regNo)
      // The first attempt ends again later: the newest still decides.
      await store.applyFact(orderId, { type: 'expired', at: later(2 * hour) }, null)
      expect((await found(store, regNo)).paymentStatus).toBe('pending')
    })

    test('is refused while one is pending, after a success, in review, and for an unknown number', async () => {
      const { regNo, orderId } = await registered(store)
      expect(await store.retry(regNo, noon)).toEqual({ ok: false, error: { code: 'not_failed' } })
      await store.applyFact(orderId, confirmed('AP1'), null)
      expect(await store.retry(regNo, noon)).toEqual({ ok: false, error: { code: 'not_failed' } })
      expect(await store.retry('DEMO0' as RegNo, noon)).toEqual({
        ok: false,
        error: { code: 'not_found' },
      })
      const other = await registered(store)
      await store.applyFact(other.orderId, declined(), null)
      await store.applyFact(other.orderId, confirmed('AP2', paise(1)), null)
      expect(await found(store, other.regNo)).toMatchObject({
        inReview: true,
        paymentStatus: 'failed',
      })
      expect(await store.retry(other.regNo, noon)).toEqual({
        ok: false,
        error: { code: 'not_failed' },
      })
    })

    test('twice at the same moment makes one attempt', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, declined(), null)
      const answers = await Promise.all(Array.from({ length: 20 }, () => store.retry(regNo, noon)))
      expect(answers.filter(({ ok }) => ok).length).toBe(1)
      expect((await found(store, regNo)).payments.length).toBe(2)
    })

    test('ends with the 99th attempt', async () => {
      const { regNo } = await registered(store)
      for (let attempt = 1; attempt < 99; attempt += 1) {
        await store.applyFact(orderIdOf(regNo, attempt), declined(), null)
        expect((await store.retry(regNo, noon)).ok).toBe(true)
      }
      await store.applyFact(orderIdOf(regNo, 99), declined(), null)
      expect(await store.retry(regNo, noon)).toEqual({
        ok: false,
        error: { code: 'too_many_attempts' },
      })
    })
  })

  describe('asking the gateway', () => {
    test('the longest due comes first, and none before its time', async () => {
      const [one, two, three] = [
        await registered(store),
        await registered(store, { at: later(10) }),
        await registered(store, { at: later(20) }),
      ]
      await store.applyFact(three.orderId, confirmed('AP3'), null)
      expect(
        (await store.pendingPayments(later(30), 10)).map((payment) => [
          payment.orderId,
          payment.attempts,
        ]),
      ).toEqual([
        [one.orderId, 0],
        [two.orderId, 0],
      ])
      await store.asked(one.orderId, later(30), later(hour))
      expect((await store.pendingPayments(later(30), 10)).map(({ orderId }) => orderId)).toEqual([
        two.orderId,
      ])
      expect(
        (await store.pendingPayments(later(hour), 10)).map((payment) => [
          payment.orderId,
          payment.attempts,
        ]),
      ).toEqual([
        [two.orderId, 0],
        [one.orderId, 1],
      ])
      expect((await store.pendingPayments(later(hour), 1)).length).toBe(1)
    })

    test('a notice is kept as it came', async () => {
      const notice = {
        gateway: 'demo',
        kind: 'notice',
        orderId: null,
        body: 'A=1&B=%20\u0000',
        contentType: 'text/plain',
        at: noon,
      } as const
      const first = await store.recordNotice(notice)
      const second = await store.recordNotice({ ...notice, orderId: 'DEMO1', kind: 'return' })
      expect(second).toBeGreaterThan(first)
      const { gateway, body, contentType } = notice
      expect(await store.notices(null)).toEqual([
        { id: first, gateway, kind: 'notice', body, contentType, at: noon },
      ])
      expect(await store.notices('DEMO1')).toEqual([
        { id: second, gateway, kind: 'return', body, contentType, at: noon },
      ])
    })
  })

  describe('lists', () => {
    const seeded = async (): Promise<Record<string, string>> => {
      const of = async (name: string, changes: Changes = {}): Promise<string> =>
        (await registered(store, { name, ...changes })).regNo
      const dayAfter = startOf(addDays(dayOf(noon), 1))
      return {
        asha: await of('Asha Nair'),
        benny: await of('Benny "B" Demo', {
          at: later(1),
          category: 'member',
          answers: { state: 'Goa', member: false, note: "o'hara" },
        }),
        chitra: await of('Chitra', {
          at: instant(dayAfter - 1),
          searchable: {
            fullName: 'Chitra',
            email: 'chi@example.net',
            phone: '7000000001',
            councilNo: 'KMC 77',
          },
        }),
        divya: await of('Divya', { at: dayAfter, quote: { ...quoted, period: 'late' } }),
        other: await of('Asha Elsewhere', { eventId: 'another', at: later(2) }),
      }
    }

    test('newest first, pages with their count', async () => {
      const { asha, benny, chitra, divya } = await seeded()
      const [one, two, three] = [
        await store.listPage(all, 1, 3),
        await store.listPage(all, 2, 3),
        await store.listPage(all, 3, 3),
      ]
      expect(regNosOf(one.rows)).toEqual([divya, chitra, benny])
      expect(regNosOf(two.rows)).toEqual([asha])
      expect(three.rows).toEqual([])
      expect([one.count, two.count, three.count, one.countCapped]).toEqual([4, 4, 4, false])
      expect(one.rows[0]).toEqual(await store.registration(divya ?? ''))
    })

    test.each<[string, Partial<ListQuery>, readonly string[]]>([
      ['category', { category: 'member' }, ['benny']],
      ['period', { period: 'late' }, ['divya']],
      ['a choice', { answers: { state: 'Goa' } }, ['benny']],
      ['yes', { answers: { member: true } }, ['divya', 'chitra', 'asha']],
      ['no', { answers: { member: false } }, ['benny']],
      ['two answers', { answers: { member: false, state: 'Kerala' } }, []],
      ['an answer with a quote', { answers: { note: "o'hara" } }, ['benny']],
      ['a field nobody has', { answers: { 'x"y': 'Goa' } }, []],
      ['from a day', { dateFrom: day('2026-11-22') }, ['divya']],
      ['to a day, included', { dateTo: day('2026-11-21') }, ['chitra', 'benny', 'asha']],
      ['status', { paymentStatus: 'success' }, ['asha']],
      ['status pending', { paymentStatus: 'pending' }, ['divya', 'chitra', 'benny']],
      [
        'all together',
        {
          paymentStatus: 'pending',
          category: 'pg',
          period: 'early',
          dateFrom: day('2026-11-21'),
          dateTo: day('2026-11-21'),
          answers: { state: 'Kerala' },
          search: 'chi',
        },
        ['chitra'],
      ],
      ['search: part of a name, other letters', { search: 'NAI' }, ['asha']],
      ['search: two words', { search: 'asha nair' }, ['asha']],
      ['search: e-mail', { search: '@example.net' }, ['chitra']],
      ['search: phone', { search: '98765' }, ['divya', 'benny', 'asha']],
      ['search: council number', { search: 'kmc 7' }, ['chitra']],
      ['search: two characters from the start', { search: 'be' }, ['benny']],
      ['search: one character from the start', { search: 'c' }, ['chitra']],
      ['search: two characters from the middle', { search: 'na' }, []],
      ['search: a quote', { search: '"B"' }, ['benny']],
      ['search: operators are only text', { search: 'asha OR benny' }, []],
      ['search: a star is only a star', { search: 'ash*' }, []],
      ['search: percent is only percent', { search: '%%%' }, []],
      ['search: blank is none', { search: '  ' }, ['divya', 'chitra', 'benny', 'asha']],
      ['search: across two values', { search: 'nairasha' }, []],
    ])('filter by %s; page, count and export agree', async (_, changes, expected) => {
      const seeds = await seeded()
      await store.applyFact(orderIdOf((seeds.asha ?? '') as RegNo, 1), confirmed('AP1'), null)
      const query = { ...all, ...changes }
      const names = expected.map((name) => seeds[name])
      const page = await store.listPage(query, 1, 10)
      expect(regNosOf(page.rows)).toEqual(names)
      expect(page.count).toBe(names.length)
      expect(regNosOf(await exported(store, query))).toEqual(names)
    })

    test('finds by number, and finds what was registered a moment ago', async () => {
      const { asha, chitra } = await seeded()
      expect(regNosOf((await store.listPage({ ...all, search: asha ?? '' }, 1, 10)).rows)).toEqual([
        asha,
      ])
      expect(
        regNosOf((await store.listPage({ ...all, search: (chitra ?? '').slice(-5) }, 1, 10)).rows),
      ).toEqual([chitra])
      const { regNo } = await registered(store, { name: 'Zubin Zeppelin' })
      expect(regNosOf((await store.listPage({ ...all, search: 'zeppelin' }, 1, 10)).rows)).toEqual([
        regNo,
      ])
    })

    test('an export of several chunks has every row once, newest first, also of a search', async () => {
      const rows = await Promise.all(
        Array.from({ length: 1201 }, (_, at) =>
          registered(store, { name: `Delegate ${at}`, at: later(Math.floor(at / 3)) }),
        ),
      )
      const expected = rows.map(({ regNo }) => regNo).toSorted()
      for (const query of [all, { ...all, search: 'delegate' }]) {
        const got = await exported(store, query)
        expect(regNosOf(got).toSorted()).toEqual(expected)
        expect(
          got.every((row, at) => at === 0 || row.createdAt <= (got[at - 1]?.createdAt ?? 0)),
        ).toBe(true)
      }
    })
  })

  describe('figures', () => {
    test('count by status and day, money by the day it came', async () => {
      const [one, two, three] = [
        await registered(store),
        await registered(store),
        await registered(store, { at: later(-24 * hour) }),
      ]
      await registered(store, { eventId: 'another' })
      await store.applyFact(one.orderId, confirmed('AP1', quoted.total, later(24 * hour)), null)
      await store.applyFact(two.orderId, declined(), null)
      expect(await store.figures('demo', day('2026-11-21'))).toMatchObject({
        total: 3,
        paid: 1,
        failed: 1,
        pending: 1,
        today: 2,
        revenue: 501_500,
        byDay: [
          { day: '2026-11-20', registrations: 1, revenue: 0 },
          { day: '2026-11-21', registrations: 2, revenue: 0 },
          { day: '2026-11-22', registrations: 0, revenue: 501_500 },
        ],
      })
      expect(regNosOf((await store.figures('demo', day('2026-11-21'))).recent)).toEqual([
        two.regNo,
        one.regNo,
        three.regNo,
      ])
      expect(await store.figures('empty', day('2026-11-21'))).toEqual({
        total: 0,
        paid: 0,
        pending: 0,
        failed: 0,
        today: 0,
        revenue: 0,
        byDay: [],
        recent: [],
      })
    })

    test('what is in use of an event', async () => {
      await registered(store)
      const { orderId } = await registered(store, {
        category: 'member',
        answers: { state: 'Goa', member: false },
      })
      await store.applyFact(orderId, declined(), null)
      expect(await store.inUse('demo')).toEqual({
        registrations: 2,
        pending: 1,
        fields: { full_name: 1, state: 2, member: 2 },
        categories: { pg: 1, member: 1 },
        options: {
          full_name: { 'Asha Demo': 1 },
          state: { Kerala: 1, Goa: 1 },
          member: { true: 1, false: 1 },
        },
      })
    })
  })

  describe('mails', () => {
    test('are due until sent or given up', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, confirmed('AP1', quoted.total, later(10)), mail)
      expect(await store.dueMails(later(9), 10)).toEqual([])
      const [due] = await store.dueMails(later(10), 10)
      expect(due).toEqual({ ...mail, id: expect.any(Number), attempts: 0, eventId: 'demo', regNo })
      const id = due?.id ?? 0
      await store.mailFailed(id, 'no route', later(hour))
      expect(await store.dueMails(later(hour - 1), 10)).toEqual([])
      expect(await store.dueMails(later(hour), 10)).toMatchObject([{ id, attempts: 1 }])
      await store.mailSent(id, later(hour))
      expect(await store.dueMails(later(9 * hour), 10)).toEqual([])
      expect(await store.mailsOf(regNo)).toMatchObject([
        { status: 'sent', at: later(hour), error: null },
      ])
      const again = await store.queueMail(
        regNo,
        { ...mail, copyTo: 'office@example.org' },
        later(2 * hour),
      )
      await store.mailFailed(again, 'refused', null)
      expect(await store.dueMails(later(9 * hour), 10)).toEqual([])
      expect(await store.mailsOf(regNo)).toMatchObject([
        { status: 'sent' },
        { id: again, status: 'failed', error: 'refused', copyTo: 'office@example.org' },
      ])
    })
  })

  describe('admins and sessions', () => {
    test('a username is taken once, whatever its letters', async () => {
      expect(await store.adminCount()).toBe(0)
      expect(await store.addAdmin('office', 'hash', noon)).toMatchObject({ ok: true })
      expect(await store.addAdmin('Office', 'hash', noon)).toEqual({
        ok: false,
        error: { code: 'username_taken' },
      })
      expect(await store.admin('office')).toEqual({
        id: expect.any(Number),
        username: 'office',
        passwordHash: 'hash',
      })
      expect(await store.admin('nobody')).toBeNull()
      expect(await store.adminCount()).toBe(1)
    })

    test('a session ends by idleness, by age, by logout and by a new password', async () => {
      const admin = await store.addAdmin('office', 'hash', noon)
      if (!admin.ok) throw new Error(admin.error.code)
      const open = (tokenHash: string): Promise<void> =>
        store.openSession({
          tokenHash,
          adminId: admin.value,
          at: noon,
          expiresAt: later(10 * hour),
        })
      await Promise.all([open('a'), open('b'), open('c')])
      expect(await store.session('a', later(hour), hour)).toEqual({
        adminId: admin.value,
        username: 'office',
      })
      expect(await store.session('a', later(2 * hour), hour)).not.toBeNull()
      expect(await store.session('b', later(2 * hour), hour)).toBeNull()
      expect(await store.session('a', later(10 * hour), 100 * hour)).toBeNull()
      expect(await store.session('x', noon, hour)).toBeNull()
      await store.closeSession('a')
      expect(await store.session('a', later(2 * hour), hour)).toBeNull()
      expect(await store.setPassword('office', 'hash-2', noon)).toBe(true)
      expect(await store.session('c', noon, hour)).toBeNull()
      expect((await store.admin('office'))?.passwordHash).toBe('hash-2')
      expect(await store.setPassword('nobody', 'hash-2', noon)).toBe(false)
    })
  })

  describe('event files', () => {
    test('every version is kept by its hash; the last served is the last', async () => {
      const file = (hash: string, at: Instant) => ({
        hash,
        eventId: 'demo',
        text: `text of ${hash}`,
        shared: '{}',
        at,
      })
      await store.keepEventFile(file('one', noon))
      await store.keepEventFile(file('two', later(1)))
      expect((await store.lastEventFile('demo'))?.hash).toBe('two')
      await store.keepEventFile(file('one', later(2)))
      expect(await store.lastEventFile('demo')).toEqual({
        hash: 'one',
        eventId: 'demo',
        text: 'text of one',
        shared: '{}',
      })
      expect((await store.eventFile('two'))?.text).toBe('text of two')
      expect(await store.eventFile('three')).toBeNull()
      expect(await store.lastEventFile('another')).toBeNull()
    })
  })

  describe('importing', () => {
    const answers: Answers = { full_name: 'Old Demo', state: 'Goa' }
    const row = (regNo: RegNo, changes: Partial<ImportRow> = {}): ImportRow => ({
      eventId: 'old',
      eventHash: 'hash-0',
      regNo,
      answers,
      searchable: { fullName: 'Old Demo', email: 'old@example.org', phone: '', councilNo: '' },
      category: null,
      period: null,
      base: null,
      gst: null,
      total: paise(700_000),
      paymentStatus: 'success',
      paymentId: 'TX1',
      createdAt: noon,
      paidAt: later(hour),
      ...changes,
    })

    test('adds rows once; the same again changes nothing', async () => {
      const rows = [
        row(nextRegNo()),
        row(nextRegNo(), { total: null, paymentStatus: 'pending', paymentId: null, paidAt: null }),
      ]
      expect(await store.importRegistrations(rows)).toEqual({
        ok: true,
        value: { added: 2, unchanged: 0 },
      })
      expect(await store.importRegistrations(rows)).toEqual({
        ok: true,
        value: { added: 0, unchanged: 2 },
      })
      expect(await store.figures('old', dayOf(noon))).toMatchObject({
        total: 2,
        paid: 1,
        pending: 1,
        revenue: 700_000,
      })
      expect(await found(store, rows[0]?.regNo ?? '')).toMatchObject({
        answers,
        paymentStatus: 'success',
        paymentId: 'TX1',
        total: 700_000,
        base: null,
      })
      // No gateway of ours knows them, so none is asked.
      expect(await store.pendingPayments(later(9 * hour), 10)).toEqual([])
    })

    test('a row that differs refuses all of them', async () => {
      const [one, two] = [row(nextRegNo()), row(nextRegNo())]
      await store.importRegistrations([one])
      expect(await store.importRegistrations([two, { ...one, total: paise(1) }])).toEqual({
        ok: false,
        error: { code: 'differs', regNo: one.regNo },
      })
      expect(await store.registration(two.regNo)).toBeNull()
    })
  })

  test('the audit log keeps who did what', async () => {
    const { regNo } = await registered(store)
    await store.audit({
      at: later(5),
      who: 'office',
      what: 'opened the proof',
      eventId: 'demo',
      regNo,
    })
    expect(await store.auditOf(regNo)).toEqual([
      { at: noon, who: 'delegate', what: 'registered' },
      { at: later(5), who: 'office', what: 'opened the proof' },
    ])
  })

  test('closing answers what was asked before and refuses what comes after', async () => {
    const asked = Array.from({ length: 300 }, () => newRegistration())
    const answers = Promise.all(asked.map((one) => store.register(one)))
    const closed = store.close()
    await expect(store.ping(noon)).rejects.toThrow('closing')
    expect((await answers).every(({ ok }) => ok)).toBe(true)
    await closed
    const again = await opened.reopen()
    expect((await again.listPage(all, 1, 1)).count).toBe(300)
  })
}

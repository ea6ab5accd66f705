/** Store contract for lists, searches, exports and figures. */
import { describe, expect, test, beforeEach } from 'vitest'
import { addDays, day, dayOf, instant, createOrderId, startOfDay } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import type { ListQuery, Store, ListedRegistration } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  HOUR_MS,
  addMs,
  buildRegistration,
  noon,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import type { RegistrationChanges } from '../sample-registrations.ts'
import { ALL_REGISTRATIONS, toRegNos } from './contract-setup.ts'
import type { ContractSetup } from './contract-setup.ts'

async function exportRows(store: Store, query: ListQuery): Promise<readonly ListedRegistration[]> {
  const rows: ListedRegistration[] = []
  for await (const chunk of store.exportRows(query)) rows.push(...chunk)
  return rows
}

export function defineListsContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })

  describe('lists', () => {
    const registerSamples = async (): Promise<Record<string, string>> => {
      // The registration numbers are fixed: random digits could contain the part of a phone number being searched for.
      let digit = 0
      const registerNamed = async (
        name: string,
        changes: RegistrationChanges = {},
      ): Promise<string> => {
        const { searchable } = buildRegistration({ name })
        const email = `${name.replace(/ .*/, '').toLowerCase()}@example.org`
        const regNo = `DEMO${String((digit += 1)).repeat(12)}` as RegNo
        const personFields = { name, regNo, searchable: { ...searchable, email } }
        return (await registerSample(store, { ...personFields, ...changes })).regNo
      }
      const dayAfter = startOfDay(addDays(dayOf(noon), 1))
      return {
        asha: await registerNamed('Asha Nair'),
        benny: await registerNamed('Benny "B" Demo', {
          at: addMs(1),
          category: 'member',
          answers: { state: 'Goa', member: false, note: "o'hara", home_city: 'Panaji' },
        }),
        chitra: await registerNamed('Chitra', {
          at: instant(dayAfter - 1),
          searchable: {
            fullName: 'Chitra',
            email: 'chi@example.net',
            phone: '+91 70000-00001',
            councilNo: 'KMC 77',
          },
        }),
        divya: await registerNamed('Divya', {
          at: dayAfter,
          quote: { ...sampleQuote, period: 'late' },
        }),
        other: await registerNamed('Asha Elsewhere', { eventId: 'another', at: addMs(2) }),
      }
    }

    test('show registrations newest first, in pages, with the total number of registrations', async () => {
      const { asha, benny, chitra, divya } = await registerSamples()
      const [firstPage, secondPage, thirdPage] = [
        await store.listPage(ALL_REGISTRATIONS, 1, 3),
        await store.listPage(ALL_REGISTRATIONS, 2, 3),
        await store.listPage(ALL_REGISTRATIONS, 3, 3),
      ]
      expect(toRegNos(firstPage.rows)).toEqual([divya, chitra, benny])
      expect(toRegNos(secondPage.rows)).toEqual([asha])
      expect(thirdPage.rows).toEqual([])
      expect([firstPage.count, secondPage.count, thirdPage.count, firstPage.isCountCapped]).toEqual(
        [4, 4, 4, false],
      )
      const fullRow = await store.registration(divya ?? '')
      const { payments, accounts, ...listedRow } = firstPage.rows[0] ?? {}
      expect(fullRow).toMatchObject(listedRow)
      expect(Object.keys(listedRow)).toHaveLength(19)
      expect(payments).toEqual([{ orderId: fullRow?.payments[0]?.orderId }])
      expect(accounts).toBeNull()
    })

    test('names are searched across events, and with one wrong letter if requested', async () => {
      const { asha, other } = await registerSamples()
      const events = ['demo', 'another']
      expect(toRegNos(await store.searchEvents(events, 'Prof Asha', 9))).toEqual([other, asha])
      expect(toRegNos(await store.searchEvents(events, 'nair asha', 9))).toEqual([asha])
      expect(await store.searchEvents(events, 'ashha nair', 9)).toEqual([])
      expect(toRegNos(await store.searchSimilarNames(events, 'ashha nair', 9))).toEqual([asha])
      expect(await store.searchSimilarNames(['another'], 'ashha nair', 9)).toEqual([])
    })

    test('a page opened directly has the same rows as when reached page by page, in both orders and with a filter', async () => {
      await Promise.all(
        Array.from({ length: 1_300 }, (_, n) =>
          registerSample(store, {
            at: addMs(HOUR_MS * (n % 7 === 0 ? 24 * Math.floor(n / 100) : Math.floor(n / 60)) + n),
            ...(n % 3 === 0 ? { category: 'member' } : {}),
          }),
        ),
      )
      for (const query of [
        ALL_REGISTRATIONS,
        { ...ALL_REGISTRATIONS, dateTo: dayOf(addMs(6 * 24 * HOUR_MS)) },
      ]) {
        const rows = toRegNos(await exportRows(store, query))
        for (const isDescending of [true, false]) {
          const rowsInOrder = isDescending ? rows : rows.toReversed()
          const sortedQuery: ListQuery = { ...query, sort: { by: 'date', isDescending, order: [] } }
          for (const page of [101, 104, 110, Math.ceil(rows.length / 10), 500])
            expect(toRegNos((await store.listPage(sortedQuery, page, 10)).rows)).toEqual(
              rowsInOrder.slice((page - 1) * 10, page * 10),
            )
        }
      }
    })

    test.each<[string, Partial<ListQuery>, readonly string[]]>([
      ['category', { category: 'member' }, ['benny']],
      ['period', { period: 'late' }, ['divya']],
      ['a choice', { answers: { state: 'Goa' } }, ['benny']],
      ['yes', { answers: { member: true } }, ['divya', 'chitra', 'asha']],
      ['no', { answers: { member: false } }, ['benny']],
      ['two answers', { answers: { member: false, state: 'Kerala' } }, []],
      ['an answer with a quote', { answers: { note: "o'hara" } }, ['benny']],
      ['a field without answers', { answers: { 'x"y': 'Goa' } }, []],
      ['from a date', { dateFrom: day('2026-11-22') }, ['divya']],
      ['until a date, inclusive', { dateTo: day('2026-11-21') }, ['chitra', 'benny', 'asha']],
      ['status', { paymentStatus: 'success' }, ['asha']],
      ['status pending', { paymentStatus: 'pending' }, ['divya', 'chitra', 'benny']],
      [
        'all filters combined',
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
      ['search: part of a name in lower case', { search: 'NAI' }, ['asha']],
      ['search: two words', { search: 'asha nair' }, ['asha']],
      ['search: email', { search: '@example.net' }, ['chitra']],
      ['search: phone', { search: '98765' }, ['divya', 'benny', 'asha']],
      ['search: words in any order', { search: 'nair  asha' }, ['asha']],
      ['search: a phone number in a different format', { search: '070000 00001' }, ['chitra']],
      ['search: a phone number with its country code', { search: '(91) 7000-000001' }, ['chitra']],
      ['search: the beginning of a phone number, with a space', { search: '+91 70' }, ['chitra']],
      [
        'search: the beginning of a phone number without spaces',
        { search: '987 65' },
        ['divya', 'benny', 'asha'],
      ],
      ['search: a part of a phone number as entered', { search: '00-000' }, ['chitra']],
      ['search: an initial', { search: 'b asha' }, []],
      ['search: a title, a name and its initial', { search: 'Dr. N Asha' }, ['asha']],
      ['search: a city', { search: 'panaji' }, ['benny']],
      ['search: an answer that is not searchable', { search: 'hara' }, []],
      ['search: council number', { search: 'kmc 7' }, ['chitra']],
      ['search: two characters from the start', { search: 'be' }, ['benny']],
      ['search: one character from the start', { search: 'c' }, ['chitra']],
      ['search: two characters from the middle', { search: 'na' }, []],
      ['search: a quote', { search: '"B"' }, ['benny']],
      ['search: operators are treated as text', { search: 'asha OR benny' }, []],
      ['search: a star is treated as text', { search: 'ash*' }, []],
      ['search: percent is treated as text', { search: '%%%' }, []],
      ['search: a blank search', { search: '  ' }, ['divya', 'chitra', 'benny', 'asha']],
      ['search: text that spans two values', { search: 'nairasha' }, []],
    ])('filter by %s; page, count and export agree', async (_, changes, expected) => {
      const samples = await registerSamples()
      await store.applyPaymentEvent(
        createOrderId((samples.asha ?? '') as RegNo, 1),
        buildSale('AP1'),
        null,
      )
      const query = { ...ALL_REGISTRATIONS, ...changes }
      const names = expected.map((name) => samples[name])
      const page = await store.listPage(query, 1, 10)
      expect(toRegNos(page.rows)).toEqual(names)
      expect(page.count).toBe(names.length)
      expect(toRegNos(await exportRows(store, query))).toEqual(names)
    })

    test('find registrations by number, including the newest', async () => {
      const { asha, chitra } = await registerSamples()
      expect(
        toRegNos((await store.listPage({ ...ALL_REGISTRATIONS, search: asha ?? '' }, 1, 10)).rows),
      ).toEqual([asha])
      expect(
        toRegNos(
          (await store.listPage({ ...ALL_REGISTRATIONS, search: (chitra ?? '').slice(-12) }, 1, 10))
            .rows,
        ),
      ).toEqual([chitra])
      const { regNo } = await registerSample(store, { name: 'Zubin Zeppelin' })
      expect(
        toRegNos((await store.listPage({ ...ALL_REGISTRATIONS, search: 'zeppelin' }, 1, 10)).rows),
      ).toEqual([regNo])
    })

    test('an export of several chunks contains every row once, newest first, with or without a search', async () => {
      const rows: { readonly regNo: RegNo }[] = []
      // Registrations at the same moment may be in any order.
      for (let at = 0; rows.length < 1201; at += 1)
        rows.push(
          ...(await Promise.all(
            Array.from({ length: 50 }, (_, n) =>
              registerSample(store, { name: `Delegate ${at} ${n}`, at: addMs(at) }),
            ),
          )),
        )
      const expected = rows.map(({ regNo }) => regNo).toSorted()
      for (const query of [ALL_REGISTRATIONS, { ...ALL_REGISTRATIONS, search: 'delegate' }]) {
        const exportedRows = await exportRows(store, query)
        expect(toRegNos(exportedRows).toSorted()).toEqual(expected)
        expect(
          exportedRows.every(
            (row, index) =>
              index === 0 || row.createdAt <= (exportedRows[index - 1]?.createdAt ?? 0),
          ),
        ).toBe(true)
      }
    })
  })

  describe('figures', () => {
    test('count registrations by status and date, and payments by payment date', async () => {
      const [firstRegistration, secondRegistration, thirdRegistration] = [
        await registerSample(store),
        await registerSample(store),
        await registerSample(store, { at: addMs(-24 * HOUR_MS) }),
      ]
      await registerSample(store, { eventId: 'another' })
      await store.applyPaymentEvent(
        firstRegistration.orderId,
        buildSale('AP1', sampleQuote.total, addMs(24 * HOUR_MS)),
        null,
      )
      await store.applyPaymentEvent(secondRegistration.orderId, buildDecline(), null)
      expect(await store.dashboardFigures('demo', day('2026-11-21'))).toMatchObject({
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
      expect(toRegNos((await store.dashboardFigures('demo', day('2026-11-21'))).recent)).toEqual([
        secondRegistration.regNo,
        firstRegistration.regNo,
        thirdRegistration.regNo,
      ])
      expect(await store.dashboardFigures('empty', day('2026-11-21'))).toEqual({
        total: 0,
        paid: 0,
        pending: 0,
        failed: 0,
        refunded: 0,
        ended: 0,
        today: 0,
        revenue: 0,
        dismissed: 0,
        others: [],
        byDay: [],
        recent: [],
      })
    })

    test('include which parts of an event are in use', async () => {
      await registerSample(store)
      const { orderId } = await registerSample(store, {
        category: 'member',
        answers: { state: 'Goa', member: false },
      })
      await store.applyPaymentEvent(orderId, buildDecline(), null)
      const requestedParts = {
        fields: ['full_name', 'state'],
        options: ['state', 'member'],
        items: true,
      }
      expect(await store.valuesInUse('demo', requestedParts)).toEqual({
        registrations: 2,
        pending: 1,
        fields: { full_name: 1, state: 2 },
        categories: { pg: 1, member: 1 },
        options: {
          state: { Kerala: 1, Goa: 1 },
          member: { true: 1, false: 1 },
        },
        items: {},
        places: {},
        codes: {},
      })
      expect(await store.valuesInUse('demo')).toMatchObject({
        registrations: 2,
        fields: {},
        options: {},
      })
    })
  })
}

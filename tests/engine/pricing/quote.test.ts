import { describe, expect, it, test } from 'vitest'
import {
  categoryOf,
  contradictionOf,
  day,
  explainCategory,
  inOrder,
  nextPrice,
  openOn,
  periodOn,
  priceTable,
  quote,
  quoteFor,
  readInstant,
  stretchesFrom,
  type EventConfig,
  type Instant,
} from '../../../engine/index.ts'
import { tariff } from '../../../engine/api.ts'
import { chosen, derived, eventOf, field, isIn, rupee, when } from '../fixtures.ts'

const at = (text: string): Instant => {
  const read = readInstant(text)
  if (read === null) throw new Error(text)
  return read
}

describe('a chosen category', () => {
  test.each([
    ['2025-07-01', 'early', 5900],
    ['2025-08-31T23:59:59+05:30', 'early', 5900],
    ['2025-09-01T00:00:00+05:30', 'late', 7080],
    ['2025-08-31T20:00:00+01:00', 'late', 7080],
    ['2026-01-25', 'late', 7080],
    ['2026-01-26', 'last', 11800],
    ['2026-02-01', 'early', 5900],
    ['2020-01-01', 'early', 5900],
  ])('on %s is in %s and pays %d', (when, period, total) => {
    const quoted = quote(chosen, { ticket_type: 'member' }, at(when))
    expect(quoted).toMatchObject({
      ok: true,
      value: { category: 'member', period, total: rupee(total) },
    })
  })

  it('has no price without a choice, and none where it is not on sale', () => {
    expect(quote(chosen, {}, at('2025-07-01'))).toEqual({
      ok: false,
      error: { code: 'no_category' },
    })
    expect(quote(chosen, { ticket_type: 'gold' }, at('2025-07-01'))).toEqual({
      ok: false,
      error: { code: 'no_category' },
    })
    expect(quote(chosen, { ticket_type: 'pg' }, at('2025-10-01'))).toEqual({
      ok: false,
      error: { code: 'not_on_sale', category: 'pg', period: 'late', item: null, option: null },
    })
    expect(quoteFor(chosen, '__proto__', 'early')).toBeNull()
    expect(quoteFor(chosen, 'member', 'constructor')).toBeNull()
  })
})

describe('a derived category', () => {
  test.each([
    [{}, 'visitor'],
    [{ is_member: true }, 'member'],
    [{ role: 'consultant', is_member: true }, 'member'],
    [{ role: 'pg', is_member: true }, 'pg-member'],
    [{ role: 'pg', is_member: false }, 'pg-visitor'],
    [{ role: 'pg' }, 'visitor'],
  ])('%j is %s', (answers, category) => expect(categoryOf(derived, answers)).toBe(category))

  it('splits an inclusive price to whole rupees', () => {
    expect(quote(derived, { role: 'pg', is_member: false }, at('2025-12-01'))).toEqual({
      ok: true,
      value: {
        category: 'pg-visitor',
        period: 'regular',
        base: rupee(4237),
        gst: rupee(763),
        total: rupee(5000),
        lines: [
          {
            id: 'registration',
            option: null,
            label: 'PG-VISITOR',
            quantity: 1,
            unit: rupee(5000),
            base: rupee(4237),
            gst: rupee(763),
            total: rupee(5000),
            rate: 18,
          },
        ],
      },
    })
  })

  it('says which rule decided and why the others did not', () => {
    expect(explainCategory(derived, { role: 'pg', is_member: false })).toEqual({
      by: 'rules',
      category: 'pg-visitor',
      tried: [
        {
          rule: 1,
          fits: false,
          then: 'pg-member',
          says: 'role is PG and is_member is yes',
          but: 'is_member is no',
        },
        {
          rule: 2,
          fits: true,
          then: 'pg-visitor',
          says: 'role is PG and is_member is no',
          but: null,
        },
      ],
    })
    expect(explainCategory(chosen, { ticket_type: 'pg' })).toEqual({
      by: 'field',
      category: 'pg',
      field: 'ticket_type',
      answer: 'pg',
    })
  })
})

describe('openOn', () => {
  const closedText = { heading: 'Closed', text: 'Ask the organisers.' }
  const within: EventConfig = {
    ...derived,
    registration: { opens: day('2025-10-01'), closes: day('2025-12-31') },
  }
  const unopened: EventConfig = { ...chosen, fees: { ...chosen.fees, otherDates: null } }
  type Closed = { heading: string; text: string; by: string; opens?: string }
  const early = (opens: string, words: string): Closed => ({
    heading: 'Registration is not open yet',
    text: `Registration opens on ${words}.`,
    by: 'early',
    opens,
  })
  const over = (text: string): Closed => ({ heading: 'Registration Closed', text, by: 'day' })
  test.each<[string, EventConfig, string, Closed | true]>([
    [
      'a closed event',
      { ...chosen, status: 'closed', closed: closedText },
      '2025-07-01',
      { ...closedText, by: 'hand' },
    ],
    [
      'the day before it opens nobody reads that it is closed',
      within,
      '2025-09-30',
      early('2025-10-01', '1 October 2025'),
    ],
    [
      'the day before it opens, whatever it says once it is closed',
      { ...within, closed: closedText },
      '2025-09-30',
      early('2025-10-01', '1 October 2025'),
    ],
    [
      'the day before its first price, where no day to open is written',
      unopened,
      '2025-06-30',
      early('2025-07-01', '1 July 2025'),
    ],
    ['the day it opens', within, '2025-10-01', true],
    ['the day it closes', within, '2025-12-31', true],
    ['the day after', within, '2026-01-01', over('Registration closed on 31 December 2025.')],
    [
      'the day after, in the event’s words',
      { ...within, closed: closedText },
      '2026-01-01',
      { ...closedText, by: 'day' },
    ],
    ['a day in no period', unopened, '2026-02-01', over('Registration is closed.')],
    ['a day in no period that falls back', chosen, '2026-02-01', true],
    ['an event without periods', eventOf(), '2026-02-01', true],
  ])('%s', (_name, event, on, expected) => {
    expect(openOn(event, day(on))).toEqual(
      expected === true ? { open: true } : { open: false, ...expected },
    )
  })

  it('a closed event quotes nothing', () => {
    const event: EventConfig = { ...chosen, status: 'closed', closed: closedText }
    expect(quote(event, { ticket_type: 'member' }, at('2025-07-01'))).toEqual({
      ok: false,
      error: { code: 'registration_closed', text: 'Ask the organisers.' },
    })
  })
})

describe('tariff', () => {
  it('serves all shapes, with not on sale as null and absent', () => {
    const answer = tariff(chosen, at('2025-12-31T10:00:00+05:30'))
    expect(answer).toMatchObject({
      status: 'success',
      now: '2025-12-31T10:00:00+05:30',
      open: true,
      closed_text: null,
      current_period: 'late',
      until: '2026-01-25',
    })
    expect(answer.tariff_data['visitor']).toEqual({
      early: { price: 4250 },
      late: { price: 5250 },
      last: { price: 10000 },
    })
    expect(answer.tariff_data['pg']).toEqual({
      early: { price: 3000 },
      late: { price: null },
      last: { price: 4000 },
    })
    expect(answer.pricing).toEqual({
      member: { base: 6000, gst: 1080, total: 7080 },
      visitor: { base: 5250, gst: 945, total: 6195 },
    })
  })

  test.each<[string, EventConfig, string, string | null]>([
    ['a fall-back before the first period runs into it', chosen, '2025-01-01', '2025-08-31'],
    ['the end of a period whose last day is shared', chosen, '2026-01-10', '2026-01-25'],
    ['the last period', chosen, '2026-01-28', '2026-01-31'],
    ['a fall-back after the last period has no end', chosen, '2026-02-01', null],
    ['an open end', derived, '2025-12-05', null],
    [
      'an open end that registration closes',
      { ...derived, registration: { closes: day('2026-01-15') } },
      '2025-12-05',
      '2026-01-15',
    ],
    [
      'an early close inside a period',
      { ...derived, registration: { closes: day('2025-11-15') } },
      '2025-11-01',
      '2025-11-15',
    ],
  ])('%s', (_name, event, on, until) => expect(tariff(event, at(on)).until).toBe(until))

  it('prices nothing when closed', () => {
    expect(tariff({ ...chosen, status: 'closed' }, at('2025-07-01'))).toMatchObject({
      open: false,
      pricing: {},
      current_period: 'early',
      until: null,
    })
  })
})

it('lists every price once', () => {
  expect(periodOn(chosen.fees, day('2026-01-25'))?.id).toBe('late')
  expect(
    priceTable(chosen).map((row) => [
      row.category.id,
      ...row.cells.map((cell) => cell.price?.total ?? null),
    ]),
  ).toEqual([
    ['member', 590000, 708000, 1180000],
    ['visitor', 501500, 619500, 1180000],
    ['pg', 354000, null, 472000],
  ])
})

describe('what is to come', () => {
  const said = (event: EventConfig, on: string) =>
    stretchesFrom(event, day(on)).map(({ from, to, period }) => `${from} ${to} ${period.id}`)

  it('names each period once for as long as it counts, from the day on which it is asked', () => {
    expect(said(chosen, '2025-08-10')).toEqual([
      '2025-08-10 2025-08-31 early',
      '2025-09-01 2026-01-25 late',
      '2026-01-26 2026-01-31 last',
      '2026-02-01 null early',
    ])
    // A fall-back before the first period is the same period.
    expect(said(chosen, '2025-01-01')[0]).toBe('2025-01-01 2025-08-31 early')
  })

  it('leaves out the days on which one cannot register', () => {
    const within = {
      ...chosen,
      registration: { opens: day('2025-08-15'), closes: day('2025-12-31') },
    }
    expect(said(within, '2025-08-10')).toEqual([
      '2025-08-15 2025-08-31 early',
      '2025-09-01 2025-12-31 late',
    ])
    expect(said({ ...chosen, status: 'closed' }, '2025-08-10')).toEqual([])
  })

  test.each<[string, EventConfig, string, string, { from: string; total: number | null } | null]>([
    ['the next period', chosen, 'member', '2025-08-10', { from: '2025-09-01', total: 7080 }],
    [
      'that it is not on sale then',
      chosen,
      'pg',
      '2025-08-10',
      { from: '2025-09-01', total: null },
    ],
    [
      'that registration closes',
      { ...chosen, registration: { closes: day('2025-08-20') } },
      'member',
      '2025-08-10',
      { from: '2025-08-21', total: null },
    ],
    [
      'the period after the next, where the next costs the same',
      {
        ...chosen,
        fees: {
          ...chosen.fees,
          prices: { member: { early: rupee(10), late: rupee(10), last: rupee(20) } },
        },
      },
      'member',
      '2025-08-10',
      { from: '2026-01-26', total: 23.6 },
    ],
    ['nothing, where nothing changes', derived, 'visitor', '2026-06-01', null],
  ])('the next price says %s', (_name, event, category, on, expected) => {
    const answers = { ticket_type: category }
    const next = nextPrice(event, answers, category, day(on))
    expect(next).toEqual(
      expected && {
        from: expected.from,
        total: expected.total === null ? null : rupee(expected.total),
      },
    )
  })

  it('puts conferences to come by their first day, and then the past ones, the latest first', () => {
    const events = [
      ['old', '2025-01-01', '2025-01-02'],
      ['next', '2026-03-01', '2026-03-02'],
      ['today', '2026-02-01', '2026-02-01'],
      ['far', '2026-09-01', '2026-09-02'],
      ['recent', '2026-01-01', '2026-01-31'],
    ].map(([id, from = '', to = '']) => ({ id, from: day(from), to: day(to) }))
    expect(inOrder(events, day('2026-02-01')).map(({ id }) => id)).toEqual([
      'today',
      'next',
      'far',
      'recent',
      'old',
    ])
  })
})

describe('a category that is picked and does not go with an answer', () => {
  const event: EventConfig = {
    ...chosen,
    fields: [...chosen.fields, field('is_fellow', { type: 'yes-no', label: 'Fellow' })],
    categories: chosen.categories.map((one) =>
      one.id === 'member' ? { ...one, expects: when(isIn('is_fellow', true)) } : one,
    ),
  }
  test.each<[string, string | null, boolean | undefined, string | null]>([
    ['is pointed out, with the answer', 'member', false, 'No'],
    ['fits, and nothing is said', 'member', true, null],
    ['of another category nothing is asked', 'visitor', false, null],
    ['before a category is picked', null, false, null],
    ['before the question is answered', 'member', undefined, null],
  ])('%s', (_name, category, answer, said) => {
    const answers = answer === undefined ? {} : { is_fellow: answer }
    const found = contradictionOf(event, answers, category)
    expect(found?.answer ?? null).toBe(said)
    if (found !== null) expect(found).toMatchObject({ field: 'is_fellow', question: 'Fellow' })
  })
})

/** Quotes, opening days of registration, the tariff, and upcoming prices. */
import { describe, expect, it, test } from 'vitest'
import {
  findCategory,
  findContradiction,
  day,
  explainCategory,
  sortEvents,
  findNextPrice,
  checkRegistrationOpen,
  findPeriodOn,
  buildPriceTable,
  quote,
  quoteCategory,
  readInstant,
  listPriceRanges,
  type EventConfig,
  type Instant,
} from '../../../engine/index.ts'
import { buildTariff } from '../../../engine/api.ts'
import {
  chosenCategoryEvent,
  derivedCategoryEvent,
  createEvent,
  createField,
  isIn,
  toRupees,
  when,
} from '../fixtures.ts'

const parseTime = (text: string): Instant => {
  const readResult = readInstant(text)
  if (readResult === null) throw new Error(text)
  return readResult
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
  ])('on %s is in %s and pays %d', (instantText, period, totalRupees) => {
    const result = quote(chosenCategoryEvent, { ticket_type: 'member' }, parseTime(instantText))
    expect(result).toMatchObject({
      ok: true,
      value: { category: 'member', period, total: toRupees(totalRupees) },
    })
  })

  it('has no price if no category is chosen, or if the category is not on sale', () => {
    expect(quote(chosenCategoryEvent, {}, parseTime('2025-07-01'))).toEqual({
      ok: false,
      error: { code: 'no_category' },
    })
    expect(quote(chosenCategoryEvent, { ticket_type: 'gold' }, parseTime('2025-07-01'))).toEqual({
      ok: false,
      error: { code: 'no_category' },
    })
    expect(quote(chosenCategoryEvent, { ticket_type: 'pg' }, parseTime('2025-10-01'))).toEqual({
      ok: false,
      error: { code: 'not_on_sale', category: 'pg', period: 'late', item: null, option: null },
    })
    expect(quoteCategory(chosenCategoryEvent, '__proto__', 'early')).toBeNull()
    expect(quoteCategory(chosenCategoryEvent, 'member', 'constructor')).toBeNull()
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
  ])('%j is %s', (answers, category) =>
    expect(findCategory(derivedCategoryEvent, answers)).toBe(category),
  )

  it('splits an inclusive price into whole rupees', () => {
    expect(
      quote(derivedCategoryEvent, { role: 'pg', is_member: false }, parseTime('2025-12-01')),
    ).toEqual({
      ok: true,
      value: {
        category: 'pg-visitor',
        period: 'regular',
        base: toRupees(4237),
        gst: toRupees(763),
        total: toRupees(5000),
        currency: 'INR',
        lines: [
          {
            id: 'registration',
            option: null,
            label: 'PG-VISITOR',
            quantity: 1,
            unit: toRupees(5000),
            base: toRupees(4237),
            gst: toRupees(763),
            total: toRupees(5000),
            rate: 18,
          },
        ],
      },
    })
  })

  it('is explained by the rule that applied and the reasons why other rules did not', () => {
    expect(explainCategory(derivedCategoryEvent, { role: 'pg', is_member: false })).toEqual({
      by: 'rules',
      category: 'pg-visitor',
      tried: [
        {
          rule: 1,
          isMatch: false,
          then: 'pg-member',
          condition: 'role is PG and is_member is yes',
          failingTest: 'is_member is no',
        },
        {
          rule: 2,
          isMatch: true,
          then: 'pg-visitor',
          condition: 'role is PG and is_member is no',
          failingTest: null,
        },
      ],
    })
    expect(explainCategory(chosenCategoryEvent, { ticket_type: 'pg' })).toEqual({
      by: 'field',
      category: 'pg',
      field: 'ticket_type',
      answer: 'pg',
    })
  })
})

describe('registration is open or closed', () => {
  const closedText = { heading: 'Closed', text: 'Ask the organisers.' }
  const eventWithWindow: EventConfig = {
    ...derivedCategoryEvent,
    registration: { opens: day('2025-10-01'), closes: day('2025-12-31') },
  }
  const unopenedEvent: EventConfig = {
    ...chosenCategoryEvent,
    fees: { ...chosenCategoryEvent.fees, otherDates: null },
  }
  const eventWithGap: EventConfig = {
    ...unopenedEvent,
    fees: {
      ...unopenedEvent.fees,
      periods: unopenedEvent.fees.periods.map((period, index) =>
        index === 1 ? { ...period, from: day('2025-11-15') } : period,
      ),
    },
  }
  const REOPENING_TEXT = 'Registration is closed today. It opens again on 15 November 2025.'
  type ClosedState = { heading: string; text: string; by: string; opens?: string }
  const buildNotOpenYet = (openingDay: string, openingDayText: string): ClosedState => ({
    heading: 'Registration is not open yet',
    text: `Registration opens on ${openingDayText}.`,
    by: 'early',
    opens: openingDay,
  })
  const buildClosedByDay = (text: string): ClosedState => ({
    heading: 'Registration Closed',
    text,
    by: 'day',
  })
  test.each<[string, EventConfig, string, ClosedState | true]>([
    [
      'any day, if the event is closed',
      { ...chosenCategoryEvent, status: 'closed', closed: closedText },
      '2025-07-01',
      { ...closedText, by: 'hand' },
    ],
    [
      'the day before registration opens',
      eventWithWindow,
      '2025-09-30',
      buildNotOpenYet('2025-10-01', '1 October 2025'),
    ],
    [
      'the day before registration opens, if the file has a text for closed registration',
      { ...eventWithWindow, closed: closedText },
      '2025-09-30',
      buildNotOpenYet('2025-10-01', '1 October 2025'),
    ],
    [
      'the day before the first price, if the file has no opening day',
      unopenedEvent,
      '2025-06-30',
      buildNotOpenYet('2025-07-01', '1 July 2025'),
    ],
    ['the day on which registration opens', eventWithWindow, '2025-10-01', true],
    ['the day on which registration closes', eventWithWindow, '2025-12-31', true],
    [
      'the day after registration closes',
      eventWithWindow,
      '2026-01-01',
      buildClosedByDay('Registration closed on 31 December 2025.'),
    ],
    [
      'the day after registration closes, if the file has a text for closed registration',
      { ...eventWithWindow, closed: closedText },
      '2026-01-01',
      { ...closedText, by: 'day' },
    ],
    [
      'a day outside all periods',
      unopenedEvent,
      '2026-02-01',
      buildClosedByDay('Registration is closed.'),
    ],
    [
      'a day between two periods, with the date on which registration opens again',
      eventWithGap,
      '2025-11-01',
      { ...buildClosedByDay(REOPENING_TEXT), by: 'early', opens: '2025-11-15' },
    ],
    [
      'a day between two periods, if registration closes before the next period',
      { ...eventWithGap, registration: { closes: day('2025-11-10') } },
      '2025-11-01',
      buildClosedByDay('Registration is closed.'),
    ],
    [
      'a day outside all periods, if other days have the price of a period',
      chosenCategoryEvent,
      '2026-02-01',
      true,
    ],
    ['any day, if the event has no periods', createEvent(), '2026-02-01', true],
  ])('%s', (_name, event, quoteTime, expected) => {
    expect(checkRegistrationOpen(event, day(quoteTime))).toEqual(
      expected === true ? { open: true } : { open: false, ...expected },
    )
  })

  it('a closed event has no quote', () => {
    const event: EventConfig = { ...chosenCategoryEvent, status: 'closed', closed: closedText }
    expect(quote(event, { ticket_type: 'member' }, parseTime('2025-07-01'))).toEqual({
      ok: false,
      error: { code: 'registration_closed', text: 'Ask the organisers.' },
    })
  })
})

describe('tariff', () => {
  it('lists prices in every format; categories that are not on sale have a null price or no price', () => {
    const tariffAnswer = buildTariff(chosenCategoryEvent, parseTime('2025-12-31T10:00:00+05:30'))
    expect(tariffAnswer).toMatchObject({
      status: 'success',
      now: '2025-12-31T10:00:00+05:30',
      open: true,
      closed_text: null,
      current_period: 'late',
      until: '2026-01-25',
    })
    expect(tariffAnswer.tariff_data['visitor']).toEqual({
      early: { price: 4250 },
      late: { price: 5250 },
      last: { price: 10000 },
    })
    expect(tariffAnswer.tariff_data['pg']).toEqual({
      early: { price: 3000 },
      late: { price: null },
      last: { price: 4000 },
    })
    expect(tariffAnswer.pricing).toEqual({
      member: { base: 6000, gst: 1080, total: 7080 },
      visitor: { base: 5250, gst: 945, total: 6195 },
    })
  })

  test.each<[string, EventConfig, string, string | null]>([
    [
      'the price before the first period is valid until the end of that period',
      chosenCategoryEvent,
      '2025-01-01',
      '2025-08-31',
    ],
    [
      'the price of a period that shares a day with the next is valid until the shared day',
      chosenCategoryEvent,
      '2026-01-10',
      '2026-01-25',
    ],
    [
      'the price of the last period is valid until the end of that period',
      chosenCategoryEvent,
      '2026-01-28',
      '2026-01-31',
    ],
    ['the price after the last period has no end', chosenCategoryEvent, '2026-02-01', null],
    ['the price of a period without an end has no end', derivedCategoryEvent, '2025-12-05', null],
    [
      'the price of a period without an end is valid until registration closes',
      { ...derivedCategoryEvent, registration: { closes: day('2026-01-15') } },
      '2025-12-05',
      '2026-01-15',
    ],
    [
      'the price of a period is valid until registration closes, if that is earlier',
      { ...derivedCategoryEvent, registration: { closes: day('2025-11-15') } },
      '2025-11-01',
      '2025-11-15',
    ],
  ])('%s', (_name, event, quoteTime, validUntil) =>
    expect(buildTariff(event, parseTime(quoteTime)).until).toBe(validUntil),
  )

  it('has no prices if registration is closed', () => {
    expect(
      buildTariff({ ...chosenCategoryEvent, status: 'closed' }, parseTime('2025-07-01')),
    ).toMatchObject({
      open: false,
      pricing: {},
      current_period: 'early',
      until: null,
    })
  })
})

it('the price table lists every price once', () => {
  expect(findPeriodOn(chosenCategoryEvent.fees, day('2026-01-25'))?.id).toBe('late')
  expect(
    buildPriceTable(chosenCategoryEvent).map((row) => [
      row.category.id,
      ...row.cells.map((cell) => cell.price?.total ?? null),
    ]),
  ).toEqual([
    ['member', 590000, 708000, 1180000],
    ['visitor', 501500, 619500, 1180000],
    ['pg', 354000, null, 472000],
  ])
})

describe('upcoming prices', () => {
  const formatPriceRanges = (event: EventConfig, startDay: string) =>
    listPriceRanges(event, day(startDay)).map(
      ({ from, to, period }) => `${from} ${to} ${period.id}`,
    )

  it('list each period once with its dates, from the current day', () => {
    expect(formatPriceRanges(chosenCategoryEvent, '2025-08-10')).toEqual([
      '2025-08-10 2025-08-31 early',
      '2025-09-01 2026-01-25 late',
      '2026-01-26 2026-01-31 last',
    ])
    // After the last period, the price for other dates applies.
    expect(formatPriceRanges(chosenCategoryEvent, '2026-02-01')).toEqual(['2026-02-01 null early'])
    // If the price before the first period equals that period's price, the two form one range.
    expect(formatPriceRanges(chosenCategoryEvent, '2025-01-01')[0]).toBe(
      '2025-01-01 2025-08-31 early',
    )
  })

  it('omit days on which registration is closed', () => {
    const eventWithWindow = {
      ...chosenCategoryEvent,
      registration: { opens: day('2025-08-15'), closes: day('2025-12-31') },
    }
    expect(formatPriceRanges(eventWithWindow, '2025-08-10')).toEqual([
      '2025-08-15 2025-08-31 early',
      '2025-09-01 2025-12-31 late',
    ])
    expect(formatPriceRanges({ ...chosenCategoryEvent, status: 'closed' }, '2025-08-10')).toEqual(
      [],
    )
  })

  test.each<[string, EventConfig, string, string, { from: string; total: number | null } | null]>([
    [
      'the price of the next period',
      chosenCategoryEvent,
      'member',
      '2025-08-10',
      { from: '2025-09-01', total: 7080 },
    ],
    [
      'null, if the category will not be on sale',
      chosenCategoryEvent,
      'pg',
      '2025-08-10',
      { from: '2025-09-01', total: null },
    ],
    [
      'null, if registration closes',
      { ...chosenCategoryEvent, registration: { closes: day('2025-08-20') } },
      'member',
      '2025-08-10',
      { from: '2025-08-21', total: null },
    ],
    [
      'the price of the period after the next, if the next period costs the same',
      {
        ...chosenCategoryEvent,
        fees: {
          ...chosenCategoryEvent.fees,
          prices: { member: { early: toRupees(10), late: toRupees(10), last: toRupees(20) } },
        },
      },
      'member',
      '2025-08-10',
      { from: '2026-01-26', total: 23.6 },
    ],
    [
      'not stated, if the price does not change',
      derivedCategoryEvent,
      'visitor',
      '2026-06-01',
      null,
    ],
  ])('the next price is %s', (_name, event, category, date, expected) => {
    const answers = { ticket_type: category }
    const nextResult = findNextPrice(event, answers, category, day(date))
    expect(nextResult).toEqual(
      expected && {
        from: expected.from,
        total: expected.total === null ? null : toRupees(expected.total),
      },
    )
  })

  it('conferences are sorted: upcoming conferences by their first day, then past conferences, latest first', () => {
    const events = [
      ['old', '2025-01-01', '2025-01-02'],
      ['next', '2026-03-01', '2026-03-02'],
      ['today', '2026-02-01', '2026-02-01'],
      ['far', '2026-09-01', '2026-09-02'],
      ['recent', '2026-01-01', '2026-01-31'],
    ].map(([id, from = '', to = '']) => ({ id, from: day(from), to: day(to) }))
    expect(sortEvents(events, day('2026-02-01')).map(({ id }) => id)).toEqual([
      'today',
      'next',
      'far',
      'recent',
      'old',
    ])
  })
})

describe('a chosen category that contradicts an answer', () => {
  const event: EventConfig = {
    ...chosenCategoryEvent,
    fields: [
      ...chosenCategoryEvent.fields,
      createField('is_fellow', { type: 'yes-no', label: 'Fellow' }),
    ],
    categories: chosenCategoryEvent.categories.map((category) =>
      category.id === 'member' ? { ...category, expects: when(isIn('is_fellow', true)) } : category,
    ),
  }
  test.each<[string, string | null, boolean | undefined, string | null]>([
    ['is reported with the answer', 'member', false, 'No'],
    ['is not reported if the answer matches', 'member', true, null],
    ['is not reported for a category without an expected answer', 'visitor', false, null],
    ['is not reported before a category is chosen', null, false, null],
    ['is not reported before the field is answered', 'member', undefined, null],
  ])('%s', (_name, category, answer, expected) => {
    const answers = answer === undefined ? {} : { is_fellow: answer }
    const contradiction = findContradiction(event, answers, category)
    expect(contradiction?.answer ?? null).toBe(expected)
    if (contradiction !== null)
      expect(contradiction).toMatchObject({ field: 'is_fellow', question: 'Fellow' })
  })
})

/** Items with their own periods cost the same as in a single table with a column for every price change. */
import { expect, test } from 'vitest'
import type { EventConfig } from '../../../engine/event/config.ts'
import { quote } from '../../../engine/pricing/quote.ts'
import { getLastDayOfPrice } from '../../../engine/pricing/price-periods.ts'
import { findNextPrice } from '../../../engine/pricing/upcoming-prices.ts'
import { diffItems } from '../../../engine/authoring/tools/diff/diff-items-and-quotas.ts'
import { formatMoney, INR } from '../../../engine/lib/money.ts'
import { day, startOfDay } from '../../../engine/lib/time.ts'
import type { Fees } from '../../../engine/event/pricing-types.ts'
import { createEvent, createField, toRupees } from '../fixtures.ts'

const createRow = (periods: readonly string[], cells: readonly (number | null)[]) =>
  Object.fromEntries(
    periods.map((id, index) => {
      const cell = cells[index] ?? null
      return [id, cell === null ? null : toRupees(cell)]
    }),
  )
const buildEvent = (fees: Partial<Fees>): EventConfig =>
  createEvent({
    from: day('2027-03-01'),
    to: day('2027-03-03'),
    categories: [{ id: 'member', label: 'Member', listedOnly: false }],
    categoryChoice: { by: 'rules', rules: [{ when: null, then: 'member' }] },
    registration: { closes: day('2027-03-03') },
    fields: [createField('room', { type: 'select', options: [{ id: 'single', label: 'Single' }] })],
    fees: {
      tax: null,
      periods: [],
      otherDates: null,
      prices: null,
      items: [],
      adjustments: [],
      ...fees,
    },
  })

const EVENT_PERIODS = [
  { id: 'early', label: 'Early', to: day('2027-01-31') },
  { id: 'regular', label: 'Regular', from: day('2027-02-01') },
]
const ROOM_PERIODS = [
  { id: 'first', label: 'First block', to: day('2026-12-31') },
  { id: 'second', label: 'Second block', from: day('2027-01-01'), to: day('2027-02-14') },
  { id: 'last', label: 'Last block', from: day('2027-02-15') },
]
const room = {
  id: 'room',
  label: 'Room: {option}',
  by: 'room',
  tax: null,
} as const
const ownPeriodsEvent = buildEvent({
  periods: EVENT_PERIODS,
  prices: { member: createRow(['early', 'regular'], [5000, 6000]) },
  items: [
    {
      ...room,
      periods: ROOM_PERIODS,
      prices: [
        {
          when: null,
          table: { single: createRow(['first', 'second', 'last'], [4000, 5500, null]) },
        },
      ],
    },
  ],
})
/** The columns of a single table with the same prices, in which a column begins on each day when a price changes. */
const columns = ['a', 'b', 'c', 'd']
const oneTableEvent = buildEvent({
  periods: [
    { id: 'a', label: 'A', to: day('2026-12-31') },
    { id: 'b', label: 'B', from: day('2027-01-01'), to: day('2027-01-31') },
    { id: 'c', label: 'C', from: day('2027-02-01'), to: day('2027-02-14') },
    { id: 'd', label: 'D', from: day('2027-02-15') },
  ],
  prices: { member: createRow(columns, [5000, 5000, 6000, 6000]) },
  items: [
    {
      ...room,
      prices: [{ when: null, table: { single: createRow(columns, [4000, 5500, 5500, null]) } }],
    },
  ],
})

const DAYS = ['2026-12-31', '2027-01-01', '2027-01-31', '2027-02-01', '2027-02-14', '2027-02-15']
test.each(DAYS)('on %s, an item with its own periods costs the same as in a single table', (on) => {
  const computeTotal = (event: EventConfig) => {
    const result = quote(event, { room: 'single' }, startOfDay(day(on)))
    return result.ok ? result.value.total : result.error.code
  }
  expect(computeTotal(ownPeriodsEvent)).toBe(computeTotal(oneTableEvent))
  expect(getLastDayOfPrice(ownPeriodsEvent, day(on))).toBe(
    getLastDayOfPrice(oneTableEvent, day(on)),
  )
  const findNext = (event: EventConfig) =>
    findNextPrice(event, { room: 'single' }, 'member', day(on))
  expect(findNext(ownPeriodsEvent)).toEqual(findNext(oneTableEvent))
})

test('the next price for a delegate without a room ignores price changes of the room', () => {
  expect(findNextPrice(ownPeriodsEvent, {}, 'member', day('2026-12-01'))).toEqual({
    from: '2027-02-01',
    total: toRupees(6000),
  })
})

test('the error for an item that is not on sale states the item’s period', () => {
  expect(quote(ownPeriodsEvent, { room: 'single' }, startOfDay(day('2027-02-20')))).toMatchObject({
    ok: false,
    error: { code: 'not_on_sale', item: 'room', period: 'last' },
  })
})

test('diff compares the prices of an item by day, and reports only days with a different price', () => {
  const [firstPeriod, secondPeriod, lastPeriod] = ROOM_PERIODS
  if (firstPeriod === undefined || secondPeriod === undefined || lastPeriod === undefined)
    throw new Error('ROOM_PERIODS has fewer than three periods')
  const movedEvent = buildEvent({
    ...ownPeriodsEvent.fees,
    items: ownPeriodsEvent.fees.items.map((item) => ({
      ...item,
      periods: [
        { ...firstPeriod, to: day('2027-01-04') },
        { ...secondPeriod, from: day('2027-01-05') },
        lastPeriod,
      ],
    })),
  })
  const days = [...DAYS, '2027-01-05'].sort().map((on) => day(on))
  expect(diffItems(ownPeriodsEvent, movedEvent, days)).toEqual([
    {
      what: 'room single, 1–4 January 2027',
      old: formatMoney(toRupees(5500), INR),
      next: formatMoney(toRupees(4000), INR),
    },
  ])
})

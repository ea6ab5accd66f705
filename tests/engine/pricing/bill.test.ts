/** The bill: its lines, adjustments, the tax of each line, and the total. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../../../engine/event/answer-types.ts'
import { calculateBill, sumLines } from '../../../engine/pricing/bill.ts'
import type { Line } from '../../../engine/pricing/bill-lines.ts'
import type { EventConfig } from '../../../engine/event/config.ts'
import { INR, toAmount, readCurrency, type Amount, type Tax } from '../../../engine/lib/money.ts'
import { adjustPrices, splitPrice } from '../../../engine/pricing/line-tax-and-rounding.ts'
import type { Adjustment, Item } from '../../../engine/event/pricing-types.ts'
import { day, type Day } from '../../../engine/lib/time.ts'
import { createEvent, createField, isIn, toRupees, when } from '../fixtures.ts'

const createGst = (percent: number): Tax => ({
  name: 'GST',
  percent,
  prices: 'exclusive',
  round: 'paise',
})
const createOptions = (...ids: readonly string[]) =>
  ids.map((id) => ({ id, label: id.toUpperCase() }))
const createPrices = (price: number | null) => [
  { when: null, table: { each: { now: price === null ? null : toRupees(price) } } },
]

const createItem = (id: string, overrides: Partial<Item> = {}): Item => ({
  id,
  label: id,
  tax: createGst(18),
  prices: createPrices(1000),
  ...overrides,
})
const createSampleEvent = (
  items: readonly Item[],
  adjustments: readonly Adjustment[] = [],
): EventConfig =>
  createEvent({
    categories: [
      { id: 'member', label: 'Member', listedOnly: false },
      { id: 'guest', label: 'Guest', listedOnly: false },
    ],
    fields: [
      createField('companions', {
        type: 'people',
        max: 5,
        fields: [createField('age', { type: 'number' })],
      }),
      createField('workshops', { type: 'many', options: createOptions('usg', 'ecmo') }),
      createField('room', { type: 'select', options: createOptions('single', 'double') }),
      createField('nights', { type: 'number', min: 0, max: 5, isWhole: true }),
      createField('gift', { type: 'number', min: 0, max: 5000 }),
      createField('presents', { type: 'yes-no' }),
    ],
    fees: {
      tax: createGst(18),
      periods: [{ id: 'now', label: 'Now' }],
      otherDates: null,
      prices: { member: { now: toRupees(5000) }, guest: { now: toRupees(0) } },
      items,
      adjustments,
    },
  })
const createBill = (
  event: EventConfig,
  answers: Answers,
  billDay: Day = day('2027-01-15'),
  category = 'member',
) => calculateBill(event, answers, category, 'now', billDay)
const createLines = (...inputs: Parameters<typeof createBill>): readonly Line[] => {
  const billResult = createBill(...inputs)
  if (!billResult.ok) throw new Error(JSON.stringify(billResult.error))
  return billResult.value
}
const shortenLines = (billLines: readonly Line[]) =>
  billLines.map(({ id, option, quantity, total }) => [id, option, quantity, total / 100])

describe('items', () => {
  const companions = createItem('companion', {
    count: { field: 'companions', where: [[{ field: 'age', test: { is: 'number', atLeast: 5 } }]] },
  })
  const workshops = createItem('workshop', {
    label: 'Workshop: {option}',
    by: 'workshops',
    prices: [
      {
        when: when(isIn('category', 'member')),
        table: { usg: { now: toRupees(1500) }, ecmo: { now: null } },
      },
      { when: null, table: { usg: { now: toRupees(2000) }, ecmo: { now: toRupees(2500.5) } } },
    ],
  })
  const roomItem = createItem('room', {
    label: '{option}, {nights} nights',
    by: 'room',
    times: 'nights',
    tax: createGst(5),
    prices: [
      { when: null, table: { single: { now: toRupees(3000) }, double: { now: toRupees(4000) } } },
    ],
  })

  test.each<[string, Answers, readonly unknown[]]>([
    ['without companions, only the registration is charged', {}, []],
    ['a child under 5 costs nothing', { companions: [{ age: 4 }] }, []],
    [
      'only companions aged five or older are charged',
      { companions: [{ age: 4 }, { age: 5 }, { age: 40 }] },
      [['companion', null, 2, 2360]],
    ],
    ['a companion of unknown age is not charged', { companions: [{}] }, []],
  ])('%s', (_name, answers, expected) => {
    expect(shortenLines(createLines(createSampleEvent([companions]), answers))).toEqual([
      ['registration', null, 1, 5900],
      ...expected,
    ])
  })

  test('each option has a line, priced by the first matching table; an option that is not on sale is reported', () => {
    const event = createSampleEvent([workshops])
    expect(
      shortenLines(createLines(event, { workshops: ['usg', 'ecmo'] }, undefined, 'guest')),
    ).toEqual([
      ['registration', null, 1, 0],
      ['workshop', 'usg', 1, 2360],
      ['workshop', 'ecmo', 1, 2950.59],
    ])
    expect(createBill(event, { workshops: ['usg', 'ecmo'] })).toEqual({
      ok: false,
      error: { category: 'member', period: 'now', item: 'workshop', option: 'ecmo' },
    })
    expect(createLines(event, { workshops: ['usg'] })[1]?.label).toBe('Workshop: USG')
  })

  test('a room has its own tax rate, its price is multiplied by the nights, and zero nights add no line', () => {
    const event = createSampleEvent([roomItem])
    const [, line] = createLines(event, { room: 'double', nights: 3 })
    expect(line).toEqual({
      id: 'room',
      option: 'double',
      label: 'DOUBLE, 3 nights',
      quantity: 3,
      unit: toRupees(4000),
      base: toRupees(12_000),
      gst: toRupees(600),
      total: toRupees(12_600),
      rate: 5,
    })
    expect(createLines(event, { room: 'double', nights: 0 }).length).toBe(1)
    expect(createLines(event, { room: 'double' }).length).toBe(1)
  })

  test('the delegate chooses the amount of a donation, and no donation adds no line', () => {
    const event = createSampleEvent([
      createItem('gift', { amountIn: 'gift', tax: null, prices: [] }),
    ])
    expect(shortenLines(createLines(event, { gift: 251.1 }))[1]).toEqual(['gift', null, 1, 251.1])
    expect(createLines(event, {}).length).toBe(1)
  })

  test.each([
    ['JPY', 500, 500],
    ['KWD', 1.005, 1005],
    ['EUR', 251.1, 25_110],
  ])('a donation in %s of %d has its currency’s number of decimal places', (code, gift, amount) => {
    const event = {
      ...createSampleEvent([createItem('gift', { amountIn: 'gift', tax: null, prices: [] })]),
      currency: readCurrency(code) ?? INR,
    }
    expect(createLines(event, { gift })[1]?.total).toBe(amount)
  })
})

describe('adjustments', () => {
  const createAmountAdjustment = (
    amount: number,
    overrides: Partial<Adjustment> = {},
  ): Adjustment => ({
    id: 'less',
    label: 'Less',
    on: 'registration',
    by: { amount: toAmount(amount * 100) },
    ...overrides,
  })

  test.each<[string, Adjustment, number]>([
    ['a discount reduces the tax too', createAmountAdjustment(-500), -590],
    ['a discount never exceeds the price', createAmountAdjustment(-9000), -5900],
    ['a percentage of the price', createAmountAdjustment(0, { by: { percent: -10 } }), -590],
    [
      'a percentage is rounded to the nearest paisa',
      createAmountAdjustment(0, { by: { percent: -0.001 } }),
      -0.06,
    ],
    [
      'a discount equal to the whole price',
      createAmountAdjustment(0, { by: { percent: -100 } }),
      -5900,
    ],
    ['a late fee', createAmountAdjustment(500), 590],
  ])('%s', (_name, adjustment, expected) => {
    expect(shortenLines(createLines(createSampleEvent([], [adjustment]), {}))[1]).toEqual([
      'less',
      null,
      1,
      expected,
    ])
  })

  test('apply from their first day to their last day, inclusive', () => {
    const event = createSampleEvent(
      [],
      [createAmountAdjustment(500, { from: day('2027-02-01'), to: day('2027-02-03') })],
    )
    const adjustmentCounts = ['2027-01-31', '2027-02-01', '2027-02-03', '2027-02-04'].map(
      (date) => createLines(event, {}, day(date)).length - 1,
    )
    expect(adjustmentCounts).toEqual([0, 1, 1, 0])
  })

  test('apply from top to bottom, a percentage to the amount that remains', () => {
    const event = createSampleEvent(
      [],
      [
        createAmountAdjustment(-1000),
        createAmountAdjustment(0, { id: 'tenth', by: { percent: -10 } }),
      ],
    )
    expect(shortenLines(createLines(event, {}))).toEqual([
      ['registration', null, 1, 5900],
      ['less', null, 1, -1180],
      ['tenth', null, 1, -472],
    ])
  })

  test('do not apply to an item that is not on the bill', () => {
    const event = createSampleEvent(
      [createItem('dinner', { when: when(isIn('presents', true)) })],
      [createAmountAdjustment(-100, { on: 'dinner' })],
    )
    expect(createLines(event, {}).length).toBe(1)
    expect(createLines(event, { presents: true }).length).toBe(3)
  })

  test('a discount on several lines is deducted once, starting with the first line', () => {
    expect(adjustPrices([toRupees(300), toRupees(500)], { amount: toAmount(-40_000) })).toEqual([
      0,
      toRupees(400),
    ])
  })
})

test('the total is the sum of the lines, each line is the sum of its parts, and no line is negative', () => {
  const percentOrAmount = fc.oneof(
    fc.integer({ min: -1000, max: 1000 }).map((tenths) => ({ percent: tenths / 10 })),
    fc.integer({ min: -600_000, max: 600_000 }).map((amount) => ({ amount: toAmount(amount) })),
  )
  const adjustment = fc
    .record({ by: percentOrAmount, on: fc.constantFrom('registration', 'dinner', 'all') })
    .map((change): Adjustment => ({ id: 'change', label: 'Change', ...change }))
  const taxes = fc.constantFrom<Tax | null>(null, createGst(18), createGst(5), createGst(12.5), {
    ...createGst(18),
    prices: 'inclusive',
    round: 'rupee',
  })
  fc.assert(
    fc.property(
      fc.array(adjustment, { maxLength: 4 }),
      taxes,
      fc.integer({ min: 0, max: 200_000 }),
      (adjustments, tax, price) => {
        const event = createSampleEvent(
          [
            createItem('dinner', {
              tax,
              prices: [{ when: null, table: { each: { now: toAmount(price) } } }],
            }),
          ],
          adjustments,
        )
        const allLines = createLines(event, {})
        const totals = sumLines(allLines)
        expect(totals.base + totals.gst).toBe(totals.total)
        for (const line of allLines) expect(line.base + line.gst).toBe(line.total)
        expect(totals.base).toBeGreaterThanOrEqual(0)
        expect(totals.gst).toBeGreaterThanOrEqual(0)
        // Each line is taxed only on the amount that remains after adjustments.
        const remainingPrices = adjustments.reduce<readonly Amount[]>(
          (prices, { on, by }) => {
            const changedLines = on === 'all' ? [0, 1] : [on === 'registration' ? 0 : 1]
            const adjustedPrices = adjustPrices(
              changedLines.map((lineIndex) => prices[lineIndex] ?? toAmount(0)),
              by,
            )
            return prices.map(
              (price, index) => adjustedPrices[changedLines.indexOf(index)] ?? price,
            )
          },
          [toRupees(5000), toAmount(price)],
        )
        expect(totals.total).toBe(
          splitPrice(createGst(18), remainingPrices[0] ?? toAmount(0)).total +
            splitPrice(tax, remainingPrices[1] ?? toAmount(0)).total,
        )
      },
    ),
    { numRuns: 300 },
  )
})

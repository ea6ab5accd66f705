/** The bill: lines as they come, adjustments, tax for each line, and a total that is their sum. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../../../engine/event/answer-types.ts'
import { linesOf, totalsOf } from '../../../engine/pricing/bill.ts'
import type { Line } from '../../../engine/pricing/bill-lines.ts'
import type { EventConfig } from '../../../engine/event/config.ts'
import { adjusted, paise, split, type Paise, type Tax } from '../../../engine/lib/money.ts'
import type { Adjustment, Item } from '../../../engine/event/pricing-types.ts'
import { day, type Day } from '../../../engine/lib/time.ts'
import { eventOf, field, isIn, rupee, when } from '../fixtures.ts'

const gst = (percent: number): Tax => ({
  name: 'GST',
  percent,
  prices: 'exclusive',
  round: 'paise',
})
const options = (...ids: readonly string[]) => ids.map((id) => ({ id, label: id.toUpperCase() }))
const each = (price: number | null) => [
  { when: null, table: { each: { now: price === null ? null : rupee(price) } } },
]

const item = (id: string, more: Partial<Item> = {}): Item => ({
  id,
  label: id,
  tax: gst(18),
  prices: each(1000),
  ...more,
})
const fair = (items: readonly Item[], adjustments: readonly Adjustment[] = []): EventConfig =>
  eventOf({
    categories: [
      { id: 'member', label: 'Member', listedOnly: false },
      { id: 'guest', label: 'Guest', listedOnly: false },
    ],
    fields: [
      field('companions', { type: 'people', max: 5, fields: [field('age', { type: 'number' })] }),
      field('workshops', { type: 'many', options: options('usg', 'ecmo') }),
      field('room', { type: 'select', options: options('single', 'double') }),
      field('nights', { type: 'number', min: 0, max: 5, isWhole: true }),
      field('gift', { type: 'number', min: 0, max: 5000 }),
      field('presents', { type: 'yes-no' }),
    ],
    fees: {
      tax: gst(18),
      periods: [{ id: 'now', label: 'Now' }],
      otherDates: null,
      prices: { member: { now: rupee(5000) }, guest: { now: rupee(0) } },
      items,
      adjustments,
    },
  })
const billed = (event: EventConfig, answers: Answers, on: Day = day('2027-01-15'), as = 'member') =>
  linesOf(event, answers, as, 'now', on)
const lines = (...given: Parameters<typeof billed>): readonly Line[] => {
  const answer = billed(...given)
  if (!answer.ok) throw new Error(JSON.stringify(answer.error))
  return answer.value
}
const short = (all: readonly Line[]) =>
  all.map(({ id, option, quantity, total }) => [id, option, quantity, total / 100])

describe('items', () => {
  const companions = item('companion', {
    count: { field: 'companions', where: [[{ field: 'age', test: { is: 'number', atLeast: 5 } }]] },
  })
  const workshops = item('workshop', {
    label: 'Workshop: {option}',
    by: 'workshops',
    prices: [
      {
        when: when(isIn('category', 'member')),
        table: { usg: { now: rupee(1500) }, ecmo: { now: null } },
      },
      { when: null, table: { usg: { now: rupee(2000) }, ecmo: { now: rupee(2500.5) } } },
    ],
  })
  const room = item('room', {
    label: '{option}, {nights} nights',
    by: 'room',
    times: 'nights',
    tax: gst(5),
    prices: [{ when: null, table: { single: { now: rupee(3000) }, double: { now: rupee(4000) } } }],
  })

  test.each<[string, Answers, readonly unknown[]]>([
    ['nothing else', {}, []],
    ['a child under 5 costs nothing', { companions: [{ age: 4 }] }, []],
    [
      'those of five and more are counted',
      { companions: [{ age: 4 }, { age: 5 }, { age: 40 }] },
      [['companion', null, 2, 2360]],
    ],
    ['nobody counts whose age is not known', { companions: [{}] }, []],
  ])('%s', (_name, answers, expected) => {
    expect(short(lines(fair([companions]), answers))).toEqual([
      ['registration', null, 1, 5900],
      ...expected,
    ])
  })

  test('a line for each option, by the first table that fits; what is not on sale is named', () => {
    const event = fair([workshops])
    expect(short(lines(event, { workshops: ['usg', 'ecmo'] }, undefined, 'guest'))).toEqual([
      ['registration', null, 1, 0],
      ['workshop', 'usg', 1, 2360],
      ['workshop', 'ecmo', 1, 2950.59],
    ])
    expect(billed(event, { workshops: ['usg', 'ecmo'] })).toEqual({
      ok: false,
      error: { category: 'member', period: 'now', item: 'workshop', option: 'ecmo' },
    })
    expect(lines(event, { workshops: ['usg'] })[1]?.label).toBe('Workshop: USG')
  })

  test('nights multiply, and a room has its own tax; no nights are no line', () => {
    const event = fair([room])
    const [, line] = lines(event, { room: 'double', nights: 3 })
    expect(line).toEqual({
      id: 'room',
      option: 'double',
      label: 'DOUBLE, 3 nights',
      quantity: 3,
      unit: rupee(4000),
      base: rupee(12_000),
      gst: rupee(600),
      total: rupee(12_600),
      rate: 5,
    })
    expect(lines(event, { room: 'double', nights: 0 }).length).toBe(1)
    expect(lines(event, { room: 'double' }).length).toBe(1)
  })

  test('the delegate names the price of a gift, and none is no line', () => {
    const event = fair([item('gift', { amountIn: 'gift', tax: null, prices: [] })])
    expect(short(lines(event, { gift: 251.1 }))[1]).toEqual(['gift', null, 1, 251.1])
    expect(lines(event, {}).length).toBe(1)
  })
})

describe('adjustments', () => {
  const less = (amount: number, more: Partial<Adjustment> = {}): Adjustment => ({
    id: 'less',
    label: 'Less',
    on: 'registration',
    by: { amount: paise(amount * 100) },
    ...more,
  })

  test.each<[string, Adjustment, number]>([
    ['an amount off is taxed off too', less(-500), -590],
    ['never more than there is', less(-9000), -5900],
    ['percent', less(0, { by: { percent: -10 } }), -590],
    ['percent to the nearest paisa', less(0, { by: { percent: -0.001 } }), -0.06],
    ['all of it', less(0, { by: { percent: -100 } }), -5900],
    ['a late fee', less(500), 590],
  ])('%s', (_name, adjustment, expected) => {
    expect(short(lines(fair([], [adjustment]), {}))[1]).toEqual(['less', null, 1, expected])
  })

  test('from its first day to its last, both included', () => {
    const event = fair([], [less(500, { from: day('2027-02-01'), to: day('2027-02-03') })])
    const counts = ['2027-01-31', '2027-02-01', '2027-02-03', '2027-02-04'].map(
      (on) => lines(event, {}, day(on)).length - 1,
    )
    expect(counts).toEqual([0, 1, 1, 0])
  })

  test('from top to bottom: percent of what the one before left', () => {
    const event = fair([], [less(-1000), less(0, { id: 'tenth', by: { percent: -10 } })])
    expect(short(lines(event, {}))).toEqual([
      ['registration', null, 1, 5900],
      ['less', null, 1, -1180],
      ['tenth', null, 1, -472],
    ])
  })

  test('an item that nobody took has nothing to adjust', () => {
    const event = fair(
      [item('dinner', { when: when(isIn('presents', true)) })],
      [less(-100, { on: 'dinner' })],
    )
    expect(lines(event, {}).length).toBe(1)
    expect(lines(event, { presents: true }).length).toBe(3)
  })

  test('one amount off several lines is one amount, from the first that has it', () => {
    expect(adjusted([rupee(300), rupee(500)], { amount: paise(-40_000) })).toEqual([0, rupee(400)])
  })
})

test('the total is the sum of the lines, each line of its parts, and no line is paid below nothing', () => {
  const percentOrAmount = fc.oneof(
    fc.integer({ min: -1000, max: 1000 }).map((tenths) => ({ percent: tenths / 10 })),
    fc.integer({ min: -600_000, max: 600_000 }).map((amount) => ({ amount: paise(amount) })),
  )
  const adjustment = fc
    .record({ by: percentOrAmount, on: fc.constantFrom('registration', 'dinner', 'all') })
    .map((made): Adjustment => ({ id: 'change', label: 'Change', ...made }))
  const taxes = fc.constantFrom<Tax | null>(null, gst(18), gst(5), gst(12.5), {
    ...gst(18),
    prices: 'inclusive',
    round: 'rupee',
  })
  fc.assert(
    fc.property(
      fc.array(adjustment, { maxLength: 4 }),
      taxes,
      fc.integer({ min: 0, max: 200_000 }),
      (adjustments, tax, price) => {
        const event = fair(
          [
            item('dinner', {
              tax,
              prices: [{ when: null, table: { each: { now: paise(price) } } }],
            }),
          ],
          adjustments,
        )
        const all = lines(event, {})
        const totals = totalsOf(all)
        expect(totals.base + totals.gst).toBe(totals.total)
        for (const line of all) expect(line.base + line.gst).toBe(line.total)
        expect(totals.base).toBeGreaterThanOrEqual(0)
        expect(totals.gst).toBeGreaterThanOrEqual(0)
        // What is charged is the tax of what is left of each line, and nothing else.
        const left = adjustments.reduce<readonly Paise[]>(
          (prices, { on, by }) => {
            const touched = on === 'all' ? [0, 1] : [on === 'registration' ? 0 : 1]
            const after = adjusted(
              touched.map((at) => prices[at] ?? paise(0)),
              by,
            )
            return prices.map((one, at) => after[touched.indexOf(at)] ?? one)
          },
          [rupee(5000), paise(price)],
        )
        expect(totals.total).toBe(
          split(gst(18), left[0] ?? paise(0)).total + split(tax, left[1] ?? paise(0)).total,
        )
      },
    ),
    { numRuns: 300 },
  )
})

/** Prices that depend on the payment method: the method used for a bill, and the prices with other methods. */
import { expect, test } from 'vitest'
import type { Answers } from '../../../engine/event/answer-types.ts'
import { calculateBill, sumLines } from '../../../engine/pricing/bill.ts'
import {
  listPricesOfOtherMethods,
  withBilledMethod,
  withMethod,
} from '../../../engine/pricing/method-prices.ts'
import { quote } from '../../../engine/pricing/quote.ts'
import { day, startOfDay } from '../../../engine/lib/time.ts'
import { createEvent, isIn, toRupees, when } from '../fixtures.ts'

const event = createEvent({
  categories: [{ id: 'member', label: 'Member', listedOnly: false }],
  categoryChoice: { by: 'rules', rules: [{ when: null, then: 'member' }] },
  registration: {},
  fees: {
    tax: { name: 'GST', percent: 18, prices: 'exclusive', round: 'paise' },
    periods: [{ id: 'now', label: 'Now' }],
    otherDates: null,
    prices: { member: { now: toRupees(6000) } },
    items: [],
    adjustments: [
      {
        id: 'card-charge',
        label: 'Card charge',
        when: when(isIn('method', 'card')),
        on: 'all',
        by: { percent: 3 },
      },
    ],
    methods: [
      { id: 'card', label: 'Card', is: 'card', until: day('2027-01-31') },
      { id: 'bank', label: 'Bank transfer', is: 'transfer' },
      { id: 'desk', label: 'At the desk', is: 'desk' },
    ],
  },
})
const computeTotal = (answers: Answers, on = '2027-01-15') => {
  const lines = calculateBill(event, answers, 'member', 'now', day(on))
  return lines.ok ? sumLines(lines.value).total : null
}

test.each<[string, Answers, string, number]>([
  ['if no method is chosen, the first method’s price applies', {}, '2027-01-15', 7292.4],
  [
    'if no method is chosen after the last day for cards, the price for a transfer applies',
    {},
    '2027-02-01',
    7080,
  ],
  ['if card is chosen, the price for cards applies', { way: 'card' }, '2027-01-15', 7292.4],
  ['if transfer is chosen, the price for transfers applies', { way: 'bank' }, '2027-01-15', 7080],
  [
    'for an unknown method, the first method’s price applies',
    { way: 'gold' },
    '2027-01-15',
    7292.4,
  ],
  [
    'for the desk, which delegates cannot choose, the first method’s price applies',
    { way: 'desk' },
    '2027-01-15',
    7292.4,
  ],
])('%s', (_name, answers, on, rupees) => {
  expect(computeTotal(answers, on)).toBe(toRupees(rupees))
})

test('a bill is priced by the method of payment, not by the chosen method', () => {
  expect(computeTotal(withMethod(event, { way: 'card' }, 'desk'))).toBe(toRupees(7080))
  expect(computeTotal(withMethod(event, { way: 'card' }, null))).toBe(toRupees(7080))
  expect(computeTotal(withMethod(event, { way: 'bank' }, 'card'))).toBe(toRupees(7292.4))
})

test('a stored bill is recalculated with the method that matches its total', () => {
  const createStoredBill = (rupees: number) => ({
    category: 'member',
    period: 'now',
    total: toRupees(rupees),
  })
  const computeBilledTotal = (rupees: number) =>
    computeTotal(
      withBilledMethod(event, { way: 'card' }, createStoredBill(rupees), day('2027-01-15')),
    )
  expect(computeBilledTotal(7292.4)).toBe(toRupees(7292.4))
  expect(computeBilledTotal(7080)).toBe(toRupees(7080))
})

test('the prices of the other methods are listed, with the lines that each method adds', () => {
  const at = startOfDay(day('2027-01-15'))
  const transferQuote = quote(event, { way: 'bank' }, at)
  if (!transferQuote.ok) throw new Error(transferQuote.error.code)
  expect(
    listPricesOfOtherMethods(event, { way: 'bank' }, transferQuote.value, at).map((other) => [
      other.method.id,
      other.quote.total,
      other.extra.map(({ label, total: extra }) => [label, extra]),
    ]),
  ).toEqual([['card', toRupees(7292.4), [['Card charge', toRupees(212.4)]]]])
})

/** Tax by rule: by answer, category, day and line; prices stated with or without tax in one table. */
import { expect, test } from 'vitest'
import type { Answers } from '../../../engine/event/answer-types.ts'
import type { EventConfig } from '../../../engine/event/config.ts'
import { labelOf } from '../../../engine/event/placeholders-and-answer-texts.ts'
import { calculateBill, sumLines } from '../../../engine/pricing/bill.ts'
import { nextPrice } from '../../../engine/pricing/upcoming-prices.ts'
import { readEvent } from '../../../engine/authoring.ts'
import { day } from '../../../engine/lib/time.ts'
import { rupee } from '../fixtures.ts'
import { base } from '../authoring/goldens.ts'
import { sharedFiles } from '../event-files.ts'

const FIELDS = `        - {id: is_member, type: yes-no, label: Member, default: false}
        - {id: buyer, type: select, label: Buyer, options: [person, company], default: person}
        - {id: dinner, type: yes-no, label: Dinner, default: false}
`
const ITEMS = `  items:
    - {id: lunch, when: {dinner: true}, prices: {period: [early, late], each: [1190, 1190]}}
    - {id: dinner, when: {dinner: true}, tax: {name: VAT, percent: 7, prices: inclusive}, prices: {period: [early, late], each: [107, 107]}}
    - {id: gift, when: {dinner: true}, tax: none, prices: {period: [early, late], each: [50, 50]}}
form:
`
/** The base event, with this tax and these rules; members pay 1,000. */
function buildEvent(tax: string, ...rules: readonly string[]): EventConfig {
  const text = base
    .replace(
      '  tax: {name: GST, percent: 18, prices: exclusive}\n',
      `  tax: {name: VAT, ${tax}}\n  tax_rules:\n${rules.map((rule) => `    - {${rule}}\n`).join('')}`,
    )
    .replace('form:\n', ITEMS)
    .replace('        - {id: is_member, type: yes-no, label: Member, default: false}\n', FIELDS)
    .replace('card-gateway', 'airpay')
  const event = readEvent(text, sharedFiles)
  if (event === null) throw new Error('the event cannot be read')
  return event
}
const bill = (event: EventConfig, answers: Answers, on = '2026-01-10', category = 'member') => {
  const lines = calculateBill(event, answers, category, 'early', day(on))
  if (!lines.ok) throw new Error('not on sale')
  return lines.value
}
const sums = (event: EventConfig, answers: Answers, on?: string, category?: string) => {
  const { base: net, gst, total } = sumLines(bill(event, answers, on, category))
  return [net, gst, total].map((amount) => amount / 100)
}

const COMPANY = 'when: {buyer: company}, percent: 0, note: reverse charge'
test.each<[string, string, string, readonly number[], readonly number[]]>([
  // The usual tax; then that of a company.
  [
    'added to the table',
    'percent: 18, prices: exclusive',
    COMPANY,
    [1000, 180, 1180],
    [1000, 0, 1000],
  ],
  ['in the table', 'percent: 25, prices: inclusive', COMPANY, [800, 200, 1000], [800, 0, 800]],
  [
    'in the table, also by the rule',
    'percent: 25, prices: inclusive',
    `${COMPANY}, prices: inclusive`,
    [800, 200, 1000],
    [1000, 0, 1000],
  ],
  [
    'in the table, added by the rule',
    'percent: 25, prices: inclusive',
    'when: {buyer: company}, percent: 10, prices: exclusive',
    [800, 200, 1000],
    [1000, 100, 1100],
  ],
  [
    'another rate on the same net price',
    'percent: 25, prices: inclusive',
    'when: {buyer: company}, percent: 10',
    [800, 200, 1000],
    [800, 80, 880],
  ],
])('a tax %s', (_name, usual, rule, person, company) => {
  const event = buildEvent(usual, rule)
  expect(sums(event, { buyer: 'person' })).toEqual(person)
  expect(sums(event, { buyer: 'company' })).toEqual(company)
})

test('the tax changes on its day, and the next price states it', () => {
  const event = buildEvent('percent: 18, prices: exclusive', 'to: 2026-01-20, percent: 15')
  expect(sums(event, {}, '2026-01-20')).toEqual([1000, 150, 1150])
  expect(sums(event, {}, '2026-01-21')).toEqual([1000, 180, 1180])
  expect(nextPrice(event, {}, 'member', day('2026-01-10'))).toEqual({
    from: '2026-01-21',
    total: rupee(1180),
  })
})

test('the first rule that applies counts, by category too', () => {
  const event = buildEvent(
    'percent: 18, prices: exclusive',
    'when: {category: member}, percent: 5',
    'when: {buyer: company}, percent: 0',
  )
  expect(sums(event, { buyer: 'company' })).toEqual([1000, 50, 1050])
  expect(sums(event, { buyer: 'company' }, undefined, 'visitor')).toEqual([2000, 0, 2000])
})

test('items follow the rules unless they have their own tax; on: all includes those, but not an untaxed item', () => {
  const lines = (rule: string) =>
    bill(buildEvent('percent: 19, prices: inclusive', rule), {
      buyer: 'company',
      dinner: true,
    }).map(({ id, label, rate, total, unit }) => [id, label, rate, unit / 100, total / 100])
  expect(lines(COMPANY).slice(1)).toEqual([
    ['lunch', 'Lunch (reverse charge)', 0, 1000, 1000],
    ['dinner', 'Dinner', 7, 107, 107],
    ['gift', 'Gift', null, 50, 50],
  ])
  expect(lines(`${COMPANY}, on: all`).slice(1)).toEqual([
    ['lunch', 'Lunch (reverse charge)', 0, 1000, 1000],
    ['dinner', 'Dinner (reverse charge)', 0, 100, 100],
    ['gift', 'Gift', null, 50, 50],
  ])
})

test('the label of the tax states the rate of the bill; without a bill, all rates', () => {
  const event = buildEvent('percent: 18, prices: exclusive', 'to: 2026-01-20, percent: 15')
  const rates = (lines?: Parameters<typeof labelOf>[2]) =>
    labelOf(event, 'gst', lines).match(/\d+(?=%)/g)
  expect(rates(bill(event, {}, '2026-01-10'))).toEqual(['15'])
  expect(rates(bill(event, {}, '2026-01-25'))).toEqual(['18'])
  expect(rates()).toEqual(['18', '15', '7'])
})

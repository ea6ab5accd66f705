/** Tax rules that depend on the answer, category, day and line, for prices stated with or without tax. */
import { expect, test } from 'vitest'
import type { Answers } from '../../../engine/event/answer-types.ts'
import type { EventConfig } from '../../../engine/event/config.ts'
import { getLabel } from '../../../engine/event/placeholders-and-answer-texts.ts'
import { calculateBill, sumLines } from '../../../engine/pricing/bill.ts'
import { findNextPrice } from '../../../engine/pricing/upcoming-prices.ts'
import {
  compileEvent,
  diffEvents,
  explainPrice,
  formatDiff,
  formatExplanation,
  formatSimulation,
  readEvent,
  showEvent,
  simulatePrices,
} from '../../../engine/authoring.ts'
import { day, startOfDay } from '../../../engine/lib/time.ts'
import { toRupees } from '../fixtures.ts'
import { sampleFile } from '../authoring/goldens.ts'
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
/** Returns the text of the sample event with a tax and tax rules. Members pay 1,000. */
function buildEventText(tax: string, ...rules: readonly string[]): string {
  return sampleFile
    .replace(
      '  tax: {name: GST, percent: 18, prices: exclusive}\n',
      `  tax: {name: VAT, ${tax}}\n  tax_rules:\n${rules.map((rule) => `    - {${rule}}\n`).join('')}`,
    )
    .replace('form:\n', ITEMS)
    .replace('        - {id: is_member, type: yes-no, label: Member, default: false}\n', FIELDS)
    .replace('card-gateway', 'airpay')
}
function buildEvent(tax: string, ...rules: readonly string[]): EventConfig {
  const event = readEvent(buildEventText(tax, ...rules), sharedFiles)
  if (event === null) throw new Error('the event cannot be read')
  return event
}
const computeBill = (
  event: EventConfig,
  answers: Answers,
  on = '2026-01-10',
  category = 'member',
) => {
  const lines = calculateBill(event, answers, category, 'early', day(on))
  if (!lines.ok) throw new Error('not on sale')
  return lines.value
}
const computeSums = (event: EventConfig, answers: Answers, on?: string, category?: string) => {
  const { base: net, gst, total } = sumLines(computeBill(event, answers, on, category))
  return [net, gst, total].map((amount) => amount / 100)
}

/** Returns the same event with rules of its own for an item. */
function addItemRules(item: string, rules: string): EventConfig {
  const text = buildEventText('percent: 19, prices: inclusive', `${COMPANY}, on: all`)
  const event = readEvent(
    text.replace(`{id: ${item}, `, `{id: ${item}, tax_rules: [${rules}], `),
    sharedFiles,
  )
  if (event === null) throw new Error('the event cannot be read')
  return event
}

const COMPANY = 'when: {buyer: company}, percent: 0, note: reverse charge'
test.each<[string, string, string, readonly number[], readonly number[]]>([
  // The sums with the usual tax, then the sums for a company.
  [
    'that is added to the prices, with a rule of 0%',
    'percent: 18, prices: exclusive',
    COMPANY,
    [1000, 180, 1180],
    [1000, 0, 1000],
  ],
  [
    'that is included in the prices, with a rule of 0%',
    'percent: 25, prices: inclusive',
    COMPANY,
    [800, 200, 1000],
    [800, 0, 800],
  ],
  [
    'that is included in the prices, with a rule whose prices also include tax',
    'percent: 25, prices: inclusive',
    `${COMPANY}, prices: inclusive`,
    [800, 200, 1000],
    [1000, 0, 1000],
  ],
  [
    'that is included in the prices, with a rule that adds tax',
    'percent: 25, prices: inclusive',
    'when: {buyer: company}, percent: 10, prices: exclusive',
    [800, 200, 1000],
    [1000, 100, 1100],
  ],
  [
    'that is included in the prices, with a rule for a different rate on the net price',
    'percent: 25, prices: inclusive',
    'when: {buyer: company}, percent: 10',
    [800, 200, 1000],
    [800, 80, 880],
  ],
])('computes the sums for a tax %s', (_name, usualTax, rule, person, company) => {
  const event = buildEvent(usualTax, rule)
  expect(computeSums(event, { buyer: 'person' })).toEqual(person)
  expect(computeSums(event, { buyer: 'company' })).toEqual(company)
})

test('the tax changes on the day after the last day of a rule, and the next price includes the change', () => {
  const event = buildEvent('percent: 18, prices: exclusive', 'to: 2026-01-20, percent: 15')
  expect(computeSums(event, {}, '2026-01-20')).toEqual([1000, 150, 1150])
  expect(computeSums(event, {}, '2026-01-21')).toEqual([1000, 180, 1180])
  expect(findNextPrice(event, {}, 'member', day('2026-01-10'))).toEqual({
    from: '2026-01-21',
    total: toRupees(1180),
  })
})

test('only the first matching rule applies, even if it depends on the category', () => {
  const event = buildEvent(
    'percent: 18, prices: exclusive',
    'when: {category: member}, percent: 5',
    'when: {buyer: company}, percent: 0',
  )
  expect(computeSums(event, { buyer: 'company' })).toEqual([1000, 50, 1050])
  expect(computeSums(event, { buyer: 'company' }, undefined, 'visitor')).toEqual([2000, 0, 2000])
})

test('rules apply to items without their own tax and, with `on: all`, to items with their own tax, but never to untaxed items', () => {
  const listLines = (rule: string) =>
    computeBill(buildEvent('percent: 19, prices: inclusive', rule), {
      buyer: 'company',
      dinner: true,
    }).map(({ id, label, rate, total, unit }) => [id, label, rate, unit / 100, total / 100])
  expect(listLines(COMPANY).slice(1)).toEqual([
    ['lunch', 'Lunch (reverse charge)', 0, 1000, 1000],
    ['dinner', 'Dinner', 7, 107, 107],
    ['gift', 'Gift', null, 50, 50],
  ])
  expect(listLines(`${COMPANY}, on: all`).slice(1)).toEqual([
    ['lunch', 'Lunch (reverse charge)', 0, 1000, 1000],
    ['dinner', 'Dinner (reverse charge)', 0, 100, 100],
    ['gift', 'Gift', null, 50, 50],
  ])
})

test('the tax label states the bill’s rate, or all rates if there is no bill', () => {
  const event = buildEvent('percent: 18, prices: exclusive', 'to: 2026-01-20, percent: 15')
  const getTaxLabel = (lines?: Parameters<typeof getLabel>[2]) =>
    getLabel(event, 'gst', lines).match(/\d+(?=%)/g)
  expect(getTaxLabel(computeBill(event, {}, '2026-01-10'))).toEqual(['15'])
  expect(getTaxLabel(computeBill(event, {}, '2026-01-25'))).toEqual(['18'])
  expect(getTaxLabel()).toEqual(['18', '15', '7'])
})

test('an item’s rules precede the rules for all lines, whether or not the item has its own tax', () => {
  const event = buildEvent('percent: 19, prices: inclusive', `${COMPANY}, on: all`)
  const listLines = (config: EventConfig, buyer: string, on?: string) =>
    computeBill(config, { buyer, dinner: true }, on)
      .slice(1, 3)
      .map(({ label, rate, total }) => [label, rate, total / 100])
  expect(listLines(event, 'person')).toEqual([
    ['Lunch', 19, 1190],
    ['Dinner', 7, 107],
  ])
  const eventWithDinnerRule = addItemRules('dinner', '{from: 2026-01-20, percent: 14}')
  // The item's rule precedes the company's rule for all lines, but applies only from 20 January.
  expect(listLines(eventWithDinnerRule, 'company', '2026-01-19')).toEqual([
    ['Lunch (reverse charge)', 0, 1000],
    ['Dinner (reverse charge)', 0, 100],
  ])
  expect(listLines(eventWithDinnerRule, 'company', '2026-01-20')).toEqual([
    ['Lunch (reverse charge)', 0, 1000],
    ['Dinner', 14, 114],
  ])
  expect(findNextPrice(eventWithDinnerRule, { dinner: true }, 'member', day('2026-01-10'))).toEqual(
    {
      from: '2026-01-20',
      total: toRupees(1000 + 1190 + 114 + 50),
    },
  )
  const eventWithLunchRule = addItemRules(
    'lunch',
    '{when: {buyer: person}, percent: 5, note: meal}',
  )
  expect(listLines(eventWithLunchRule, 'person')).toEqual([
    ['Lunch (meal)', 5, 1050],
    ['Dinner', 7, 107],
  ])
  expect(
    getLabel(
      eventWithLunchRule,
      'gst',
      computeBill(eventWithLunchRule, { buyer: 'person', dinner: true }),
    ),
  ).toMatch(/19%.*7%.*5%/)
})

test.each([
  ['no item has its own tax', ['tax: {name: VAT, percent: 7, prices: inclusive}, ', 'tax: none, ']],
  ['no taxed item has its own tax', ['tax: {name: VAT, percent: 7, prices: inclusive}, ']],
])('`event show` prints a rule’s `on: all` even if %s', (_, ownTaxes) => {
  const text = ownTaxes.reduce(
    (shortened, ownTax) => shortened.replace(ownTax, ''),
    buildEventText('percent: 19, prices: exclusive', `${COMPANY}, on: all`),
  )
  const event = readEvent(text, sharedFiles)
  if (event === null) throw new Error('the event cannot be read')
  const shownText = showEvent(event)
  expect(shownText).toMatch(/^ +on: all$/m)
  const { event: recompiledEvent } = compileEvent(shownText, sharedFiles, {
    path: 'sample2026.yaml',
  })
  expect(recompiledEvent?.fees).toEqual(event.fees)
})

test('show, simulate, explain and diff state an item’s rules', () => {
  const event = addItemRules('dinner', '{from: 2026-01-20, percent: 14}')
  const compilation = compileEvent(showEvent(event), sharedFiles, { path: 'sample2026.yaml' })
  expect(compilation.event?.fees.items).toEqual(event.fees.items)
  expect(formatSimulation(event, simulatePrices(event))).toMatch(
    /dinner 1 +VAT 14% instead of 7% on the price without tax, from 20 January 2026/,
  )
  const explainOn = (on: string) =>
    formatExplanation(
      event,
      explainPrice(event, { is_member: true, dinner: true }, startOfDay(day(on))),
    )
  expect(explainOn('2026-01-19')).toMatch(/Dinner.*\ntax .* ÷ 1\.07 = /)
  expect(explainOn('2026-01-20')).toMatch(/Dinner.*\ntax .* × 14% = /)
  const eventWithEarlierRule = addItemRules('dinner', '{from: 2026-01-15, percent: 14}')
  expect(formatDiff(diffEvents(event, eventWithEarlierRule))).toMatch(/tax rule dinner 1/)
})

test('the tax label of a bill with a single rate, or none, states only that rate', () => {
  const event = buildEvent(
    'percent: 19, prices: exclusive',
    'when: {buyer: company}, percent: 0',
    'when: {buyer: student}, percent: 7',
  )
  const createTaxedLines = (gst: number, rate: number) => [{ id: 'registration', gst, rate }]
  expect(getLabel(event, 'gst', createTaxedLines(190, 19))).toContain('19%')
  expect(getLabel(event, 'gst', createTaxedLines(190, 19))).not.toContain(' and ')
  expect(getLabel(event, 'gst', createTaxedLines(70, 7))).not.toContain('19%')
  expect(getLabel(event, 'gst', createTaxedLines(0, 0))).toContain('0%')
  expect(getLabel(event, 'gst', createTaxedLines(0, 0))).not.toContain(' and ')
})

test('the tax label of a free bill states the event’s rates if no rule removed the tax', () => {
  const event = readEvent(
    buildEventText('percent: 18, prices: exclusive').replace('  tax_rules:\n', ''),
    sharedFiles,
  )
  if (event === null) throw new Error('the event cannot be read')
  const label = getLabel(event, 'gst', [{ id: 'registration', gst: 0, rate: 18 }])
  expect(label).toBe(getLabel(event, 'gst'))
  expect(label).toContain('18% and 7%')
})

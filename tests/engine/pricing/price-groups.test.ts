/** Groups of categories with their own periods: prices, lists and price proofs use the group's dates. */
import { expect, test } from 'vitest'
import {
  compileEvent,
  explainPrice,
  formatExplanation,
  formatSimulation,
  renderPreview,
  readEvent,
  showEvent,
  simulatePrices,
} from '../../../engine/authoring.ts'
import {
  getLastDayOfFee,
  getLastDayOfPrice,
  getPricingPeriod,
} from '../../../engine/pricing/price-periods.ts'
import { findNextPrice, listPriceRanges } from '../../../engine/pricing/upcoming-prices.ts'
import { buildPriceTables, quote } from '../../../engine/pricing/quote.ts'
import { day, startOfDay } from '../../../engine/lib/time.ts'
import { toRupees } from '../fixtures.ts'
import { sampleFileWithPriceGroup } from '../authoring/goldens.ts'
import { sharedFiles } from '../event-files.ts'

const text = sampleFileWithPriceGroup.replace('card-gateway', 'airpay')
const event = readEvent(text, sharedFiles)
if (event === null) throw new Error('the event cannot be read')
const computeTotal = (isMember: boolean, on: string) => {
  const result = quote(event, { is_member: isMember }, startOfDay(day(on)))
  return result.ok ? [result.value.period, result.value.base / 100] : result.error.code
}

test('each category is priced in the periods of its group', () => {
  expect(
    ['2026-01-10', '2026-01-11', '2026-02-20', '2026-02-21'].map((on) => computeTotal(false, on)),
  ).toEqual([
    ['early', 2000],
    ['standard', 2500],
    ['standard', 2500],
    ['last', 3000],
  ])
  expect(['2026-01-11', '2026-02-21'].map((on) => computeTotal(true, on))).toEqual([
    ['early', 1000],
    ['late', 1500],
  ])
})

test('the last day of a group’s price is never after the last day of registration', () => {
  const eventWithClosing = readEvent(
    text.replace('{id: late, from: 2026-02-01}', '{id: late, from: 2026-02-01, to: 2026-02-10}'),
    sharedFiles,
  )
  if (eventWithClosing === null) throw new Error('the event cannot be read')
  expect(getLastDayOfFee(eventWithClosing, day('2026-02-05'), 'visitor')).toBe('2026-02-10')
  expect(getLastDayOfFee(event, day('2026-02-05'), 'visitor')).toBe('2026-02-20')
})

test('the price list, the next price and the last day of a price use the periods of the group', () => {
  expect(
    buildPriceTables(event).map(({ label, periods, rows }) => [label, periods.length, rows.length]),
  ).toEqual([
    [null, 2, 1],
    ['Visitors', 3, 1],
  ])
  const on = day('2026-01-05')
  expect(listPriceRanges(event, on, 'visitor').map(({ from }) => from)).toEqual([
    '2026-01-05',
    '2026-01-11',
    '2026-02-21',
  ])
  expect(findNextPrice(event, {}, 'visitor', on)).toEqual({
    from: '2026-01-11',
    total: toRupees(2950),
  })
  expect(getLastDayOfPrice(event, on, 'visitor')).toBe('2026-01-10')
  expect(getLastDayOfPrice(event, on, 'member')).toBe('2026-01-31')
  const heldPrice = { period: 'standard', createdAt: startOfDay(on) }
  expect(getPricingPeriod(event.fees, heldPrice, 'visitor')).toBe('standard')
  expect(getPricingPeriod(event.fees, heldPrice, 'member')).toBe('early')
})

test('show, simulate, preview and explain state the group', () => {
  const compilation = compileEvent(showEvent(event), sharedFiles, { path: 'sample2026.yaml' })
  expect(compilation.event?.fees).toEqual(event.fees)
  expect(formatSimulation(event, simulatePrices(event))).toMatch(/Visitors[^]*standard[^]*2,500/)
  expect(JSON.stringify(renderPreview(event))).toMatch(/Visitors[^]*Last weeks/)
  expect(
    formatExplanation(
      event,
      explainPrice(event, { is_member: false }, startOfDay(day('2026-02-01'))),
    ),
  ).toContain('fees.price_groups.0.prices.visitor, column 2, standard')
})

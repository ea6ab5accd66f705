/** Amounts: parsing, formatting, and the number of decimal places in each currency. */
import { expect, it, test } from 'vitest'
import {
  readCurrency,
  getDecimals,
  INR,
  formatPlainAmount,
  formatAmount,
  formatCount,
  formatMoney,
  fromMajorUnits,
  toAmount,
  readAmount,
  toMajorUnits,
} from '../../../engine/index.ts'

test.each([
  [0, '0.00', '₹\u00a00', 0],
  [5, '0.05', '₹\u00a00.05', 0.05],
  [708000, '7080.00', '₹\u00a07,080', 7080],
  [423750, '4237.50', '₹\u00a04,237.50', 4237.5],
  [12345650, '123456.50', '₹\u00a01,23,456.50', 123456.5],
  [100000000000, '1000000000.00', '₹\u00a01,00,00,00,000', 1e9],
  [-50000, '-500.00', '−₹\u00a0500', -500],
])('%i paise are formatted as %s, %s, %d', (amount, text, money, number) => {
  expect(formatPlainAmount(toAmount(amount), INR)).toBe(text)
  expect(formatMoney(toAmount(amount), INR)).toBe(money)
  expect(toMajorUnits(toAmount(amount), INR)).toBe(number)
  expect(formatAmount(toAmount(amount), INR)).toBe(money.replace(/₹\s/, ''))
})

test.each([
  [7080, 708000],
  [4237.5, 423750],
  [0.1 + 0.2, 30],
  [1456.775, null],
  [0.001, null],
  [-1, null],
  [1e21, null],
  [Number.NaN, null],
  ['7080', null],
  [null, null],
])('%j rupees in the API are %j paise', (wire, amount) => {
  expect(fromMajorUnits(wire, INR)).toBe(amount)
})

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [130_000, '1,30,000'],
  [12_345_678, '1,23,45,678'],
])('the count %i is formatted as %s', (count, text) => {
  expect(formatCount(count)).toBe(text)
})

test.each([
  ['7080', 708000],
  ['7080.5', 708050],
  ['7080.05', 708005],
  [' 7080.00 ', 708000],
  ['0', 0],
])('"%s" is %i paise', (text, amount) => {
  expect(readAmount(text, INR)).toBe(amount)
})
test.each(['', '.', '7,080', '-1', '1e3', '1.234', '0x10', 'NaN', '₹5', '1.', '9999999999999'])(
  '"%s" is not an amount',
  (text) => {
    expect(readAmount(text, INR)).toBeNull()
  },
)
it('rejects a fraction of a paisa', () => expect(() => toAmount(0.5)).toThrow())

// Chromium 109 gave HUF, IDR and COP two decimal places and newer versions none, so a price would have been wrong by
// a factor of 100.
test.each([
  ['INR', 2],
  ['EUR', 2],
  ['HUF', 2],
  ['IDR', 2],
  ['COP', 2],
  ['JPY', 0],
  ['IQD', 3],
  ['KWD', 3],
])('%s has %s decimal places in every browser', (code, decimals) =>
  expect(getDecimals(readCurrency(code) ?? INR)).toBe(decimals),
)

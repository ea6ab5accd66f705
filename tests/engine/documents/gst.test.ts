/** GSTINs, states, financial years, serial numbers and amounts in words. */
import type { Currency } from '../../../engine/index.ts'
import { INR } from '../../../engine/index.ts'
import { expect, test } from 'vitest'
import { readGstin, findState } from '../../../engine/event/gstin.ts'
import {
  getFinancialYear,
  getLastDayOfFinancialYear,
  formatSerial,
} from '../../../engine/documents/document-number.ts'
import { spellAmount } from '../../../engine/documents/amount-in-words.ts'
import { toAmount } from '../../../engine/lib/money.ts'
import { day } from '../../../engine/lib/time.ts'

test('a GSTIN is accepted with any spacing, and an incorrect character is detected', () => {
  // The example that the government's manual gives for the check character.
  expect(readGstin('27 aapfu0939f 1zv')).toBe('27AAPFU0939F1ZV')
  expect(readGstin('27AAPFU0939F1ZW')).toBeNull()
  expect(readGstin('27AAPFU0983F1ZV')).toBeNull()
  expect(readGstin('25AAPFU0939F1ZV')).toBeNull()
})

test.each([
  ['Kerala', '32'],
  ['tamil  nadu', '33'],
  ['Jammu & Kashmir', '01'],
  ['29', '29'],
  ['Daman and Diu', '26'],
  ['constructor', null],
  ['Bombay', null],
])('the state %s has the code %s', (stateName, code) => expect(findState(stateName)).toBe(code))

test.each([
  ['2027-03-31', '26-27', '2027-03-31'],
  ['2027-04-01', '27-28', '2028-03-31'],
  ['2099-12-31', '99-00', '2100-03-31'],
])('%s is in the financial year %s, which ends on %s', (date, year, last) => {
  expect(getFinancialYear(day(date))).toBe(year)
  expect(getLastDayOfFinancialYear(day(date))).toBe(last)
})

test('a serial number contains the financial year if its pattern does', () => {
  expect(formatSerial('KSP/26-27/{n}', 12, '26-27')).toBe('KSP/26-27/12')
  expect(formatSerial('{year}/K{n}', 3, '27-28')).toBe('27-28/K3')
})

test.each([
  [0, 'Rupees zero only'],
  [50, 'Fifty paise only'],
  [708_000, 'Rupees seven thousand eighty only'],
  [10_708_050, 'Rupees one lakh seven thousand eighty and fifty paise only'],
  [
    99_999_999,
    'Rupees nine lakh ninety-nine thousand nine hundred ninety-nine and ninety-nine paise only',
  ],
  [1_250_000_000_00, 'Rupees one hundred twenty-five crore only'],
])('%s paise are written as %s', (amount, text) =>
  expect(spellAmount(toAmount(amount), INR)).toBe(text),
)

test.each([
  [15_000, 'EUR', 'One hundred fifty euros only'],
  [100, 'EUR', 'One euro only'],
  [17_750, 'USD', 'One hundred seventy-seven US dollars and 50/100 only'],
  [1_250_000, 'JPY', 'One million two hundred fifty thousand Japanese yen only'],
  [99_750, 'KWD', 'Ninety-nine Kuwaiti dinars and 750/1000 only'],
])('%s minor units of %s are written as %s', (amount, currency, text) =>
  expect(spellAmount(toAmount(amount), currency as Currency)).toBe(text),
)

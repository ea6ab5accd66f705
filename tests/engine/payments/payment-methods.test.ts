/** Numbers that delegates copy from payment instructions into a banking app. */
import { expect, test } from 'vitest'
import { findBankNumbers } from '../../../engine/index.ts'

test.each<[string, readonly string[]]>([
  [
    'account 50200012345678, IFSC MLBR0000032, UPI sample@mlbr',
    ['UPI ID sample@mlbr', 'Account 50200012345678', 'IFSC MLBR0000032'],
  ],
  [
    'IBAN DE02 1203 0000 0000 2020 51, BIC BYLADEM1001',
    ['IBAN DE02120300000000202051', 'BIC BYLADEM1001'],
  ],
  ['Sample Congress\nDE02120300000000202051 SAMPLE BANK', ['IBAN DE02120300000000202051']],
  ['SWIFT/BIC: INGBNL2A', ['BIC INGBNL2A']],
  // A wrong check digit, and a word in capitals that is not a bank code.
  ['IBAN DE03 1203 0000 0000 2020 51', []],
  ['PLEASE WRITE YOUR FULLNAME', []],
  // A mobile number is not an account number.
  ['GPay/PhonePe 9876543210 (Dr Rao)', []],
  ['Account 9876543210, IFSC MLBR0000032', ['Account 9876543210', 'IFSC MLBR0000032']],
  ['Account 50200012345678. Questions: call 9876543210', ['Account 50200012345678']],
])('the numbers to copy from %j are %j', (instructions, numbers) =>
  expect(findBankNumbers(instructions).map(({ label, text }) => `${label} ${text}`)).toEqual(
    numbers,
  ),
)

/** Values that an example states besides the answers: payment methods, codes, full quotas and member list values. */
import { expect, test } from 'vitest'
import { compileEvent } from '../../../engine/authoring.ts'
import { readSource, sharedFiles } from '../event-files.ts'
import { readGolden } from './goldens.ts'
import { listFindings } from './sample-file.ts'

const fileWithMethods = readGolden('EV903-method-of-the-office.yaml')

test('an example with a payment method that the file does not have does not pass with the card price', () => {
  for (const method of ['cheque', 'nonsense', 'transfr', '5']) {
    const text = fileWithMethods.replace('method: cheque', `method: ${method}`)
    const message = `EV903 line 56: there is no payment method \`${method}\``
    expect(listFindings(text)).toEqual([message])
  }
})

test('an example with a payment method of the file passes with the price of the method', () => {
  const text = fileWithMethods.replace('method: cheque', 'method: transfer')
  expect(listFindings(text.replace('total: 1770}', 'total: 1681.50}'))).toEqual([])
})

const fileWithItems = readSource('tests/events/nidancon2027.yaml')
const listCodesWith = (given: string): readonly string[] => {
  const text = fileWithItems.text.replace(
    '  cases:\n',
    `  cases:\n    - {name: one more, on: 2026-11-01, given: ${given}, expect: {shows: [full_name]}}\n`,
  )
  return compileEvent(text, sharedFiles, fileWithItems)
    .findings.filter(({ code }) => code === 'EV903')
    .map(({ message }) => message)
}

test.each([
  ['{code: coupn}', ['there is no code kind `coupn`']],
  ['{member_number.kind: lief}', ['`lief` is not a value of `member_number.kind`']],
  ['{code: coupon, member_number.kind: life, full.hall: true}', []],
  ['{full.hall: false, member_number.kind: null}', []],
])(
  'an example that states %s is reported only if the event has no such value',
  (given, messages) => {
    expect(listCodesWith(given)).toEqual(messages)
  },
)

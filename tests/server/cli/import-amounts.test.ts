/** `rollcall registration import`: amounts paid and refunded, and card accounts, in our own exports. */
import { expect, test } from 'vitest'
import { readEvent } from '../../../engine/authoring.ts'
import { sharedFiles, readSource } from '../../engine/event-files.ts'
import { readImportText } from './import-text.ts'

const readMessages = (heading: string, cells: string): readonly string[] => {
  const file = readSource('tests/events/dunecon2027.yaml')
  const event = readEvent(file.text, sharedFiles, file)
  if (event === null) throw new Error('the file has errors')
  const lines = [
    `reg_no,full_name,category,created_at,total,payment_status,${heading}`,
    `DUNE17,Asha Nair,foreign,2027-07-30,177,${cells}`,
  ]
  const result = readImportText(event, 'hash', lines.join('\n'))
  return result.ok ? [] : result.error.map(({ message }) => message)
}
const AMOUNTS = 'Amount paid,Amount refunded,Amount due'
const RECORD =
  'Write pending in payment_status, and record the payments and refunds after the import.'

test.each([
  ['a refund without a cancellation', 'Paid,177.00,20.00,0.00', 'US$\u00a0157', 'US$\u00a0177'],
  ['a waived rest', 'Paid,172.00,0.00,0.00', 'US$\u00a0172', 'US$\u00a0177'],
  ['an overpayment', 'success,182.00,0.00,0.00', 'US$\u00a0182', 'US$\u00a0177'],
])(
  'an exported row is not imported if its payments less its refunds do not equal the price: %s',
  (_name, cells, received, price) => {
    expect(readMessages(AMOUNTS, cells)).toEqual([
      `The amount paid less the amount refunded is ${received}, but the price is ${price}. ${RECORD}`,
    ])
  },
)

test('an exported row with the status “Refunded” is not imported if a part of the payments was kept', () => {
  expect(readMessages(AMOUNTS, 'Refunded,177.00,100.00,0.00')).toEqual([
    `The amount paid less the amount refunded is US$\u00a077, but the status means that it was all refunded. ${RECORD}`,
  ])
})

test.each([
  'Paid,177.00,0.00,0.00',
  'Paid,200.00,23.00,0.00',
  'Paid,,,',
  'Refunded,177.00,177.00,0.00',
  'Pending,0.00,0.00,177.00',
  // What the sentences above advise.
  'pending,172.00,0.00,5.00',
])('an exported row is imported if its amounts agree with its status: %s', (cells) => {
  expect(readMessages(AMOUNTS, cells)).toEqual([])
})

test.each(['Needs review', 'Paid, in review', 'review'])(
  'an exported row with the status “%s” is not imported, because the file does not contain the payment under review',
  (status) => {
    expect(readMessages(AMOUNTS, `"${status}",177.00,0.00,0.00`)).toEqual([
      expect.stringContaining('means that a payment is under review'),
    ])
  },
)

test.each(['Paid, $ 20 due', 'Paid, $ 20 due, in review', 'Partly paid, $ 20 due'])(
  'an exported row with the status “%s” is not imported as paid',
  (status) => {
    expect(readMessages(AMOUNTS, `"${status}",157.00,0.00,20.00`)).toEqual([
      expect.stringContaining('means that an amount is due'),
    ])
  },
)

test('an unreadable amount paid is reported', () => {
  expect(readMessages(AMOUNTS, 'Paid,lots,0.00,0.00')[0]).toMatch(
    /^Amount paid: “lots” is not an amount in /,
  )
})

test('the export of an event with several card accounts is accepted', () => {
  expect(readMessages(`${AMOUNTS},Card account`, 'Paid,177.00,0.00,0.00,airpay society')).toEqual(
    [],
  )
})

/** Ids of office methods that the office's built-in payment methods also have. */
import { expect, test } from 'vitest'
import { sampleFile } from './goldens.ts'
import { collectFindings } from './sample-file.ts'

const listCodes = (method: string): readonly string[] =>
  collectFindings(
    sampleFile.replace(
      'payment: {gateway: card-gateway, account: sample}',
      `payment:\n  methods:\n    - {id: card, gateway: card-gateway, account: sample}\n    - ${method}`,
    ),
  ).map(({ code }) => code)

test('an office method whose id is cheque, transfer or upi is reported, because the office would not use its price', () => {
  for (const id of ['cheque', 'transfer', 'upi'])
    expect(listCodes(`{id: ${id}, label: By post, office_only: true}`), id).toEqual(['EV1146'])
})

test.each(['cash', 'machine', 'desk', 'cheque-by-post'])(
  'an office method with the id %s, whose price the office uses, is accepted',
  (id) => {
    expect(listCodes(`{id: ${id}, label: By post, office_only: true}`)).toEqual([])
  },
)

test('a payment method for delegates may have the id cheque', () => {
  expect(
    listCodes('{id: cheque, label: Cheque, instructions: Sample Society, fields: []}'),
  ).not.toContain('EV1146')
})

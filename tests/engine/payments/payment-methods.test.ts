/** Payment methods on the form, and the numbers that delegates copy from payment instructions. */
import { expect, test } from 'vitest'
import { diffEvents, formatDiff, readEvent } from '../../../engine/authoring.ts'
import { findBankNumbers, formatAnswer, METHOD_FIELD } from '../../../engine/index.ts'
import { buildFixtureEvent } from '../../server/small-event.ts'
import { sharedFiles } from '../event-files.ts'

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

test('the last day of a payment method is shown with the choice, not in the answer of a registration', () => {
  const text = buildFixtureEvent().replace(
    'payment: {gateway: airpay, account: sample}',
    `payment:
  methods:
    - {id: card, gateway: airpay, account: sample, label: Card, until: 2026-02-10}
    - id: transfer
      label: Bank transfer
      instructions: Sample Society, account 50200012345678, IFSC SMPL0000032
      expires_after: 5 days
      fields: [{id: utr, label: UTR number, format: utr, unique: true, required: true}]`,
  )
  const event = readEvent(text, sharedFiles, { path: 'sample2026.yaml' })
  if (event === null) throw new Error('the file has errors')
  expect(formatAnswer(event, METHOD_FIELD, 'card')).toBe('Card')
  const field = event.fields.find(({ id }) => id === METHOD_FIELD)
  expect(field?.options).toEqual([
    { id: 'card', label: 'Card', about: 'Until 10 February 2026' },
    { id: 'transfer', label: 'Bank transfer' },
  ])
})

test('event diff shows the currencies that a method accepts, before and after, as a list', () => {
  const readWithMethods = (...methods: readonly string[]) => {
    const text = buildFixtureEvent()
      .replace(
        '  - {id: non-member, label: Non-member}\n',
        '  - {id: non-member, label: Non-member, currency: USD}\n',
      )
      .replace(
        'payment: {gateway: airpay, account: sample}',
        `payment:\n  methods:\n${methods.map((method) => `    - {${method}}\n`).join('')}`,
      )
    const event = readEvent(text, sharedFiles, { path: 'sample2026.yaml' })
    if (event === null) throw new Error('the file has errors')
    return event
  }
  const card = 'id: card, gateway: razorpay, account: sample, label: Card'
  const readDiff = (old: readonly string[], next: readonly string[]) =>
    formatDiff(diffEvents(readWithMethods(...old), readWithMethods(...next)))
  const abroad =
    'id: abroad, gateway: razorpay, account: sample, label: Card abroad, currencies: USD'
  expect(
    readDiff([`${card}, currencies: INR`, abroad], [`${card}, currencies: [INR, USD]`, abroad]),
  ).toBe('Event\n  methods.card.currencies: "INR" → "INR, USD"')
  expect(readDiff([card], [`${card}, currencies: [USD, INR]`])).toBe(
    'Event\n  methods.card.currencies: "INR, USD, EUR, GBP, AUD, CAD, CHF, HKD, LKR, SGD" → "USD, INR"',
  )
})

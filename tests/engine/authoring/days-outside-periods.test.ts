/** The days of what stands beside the periods: what is added to the price, the ways to pay, the closing of registration. */
import { describe, expect, test } from 'vitest'
import { findingsIn, inMarch, lineOf } from './sample-file.ts'

/** Three periods, a late fee within the last of them, a transfer that ends before the card. */
const sound = inMarch('{id: regular, from: 2026-10-31, to: 2027-03-16}')
  .replace('to: 2027-03-16}', 'to: 2027-02-05}\n    - {id: late, label: Late, from: 2027-02-06}')
  .replace('[early, regular]', '[early, regular, late]')
  .replace('1500]', '1500, 2000]')
  .replace('2500]', '2500, 3000]')
  .replace(
    'form:\n',
    '  adjustments: [{id: late-fee, label: Late fee, from: 2027-02-20, on: registration, amount: 500}]\nform:\n',
  )
  .replace(
    'payment: {gateway: card-gateway, account: sample}',
    `payment:
  methods:
    - {id: card, gateway: card-gateway, account: sample}
    - {id: transfer, label: NEFT, until: 2027-02-25, instructions: Sample Bank, expires_after: 5 days, fields: [{id: utr, label: UTR number, format: utr, unique: true, required: true}]}`,
  )

test('the file they are typed into is sound', () => {
  expect(findingsIn(sound)).toEqual([])
})

describe('days of what is added, of the ways to pay and of the desk are days of the file', () => {
  const saying = (line: string): string =>
    sound.replace('  summary:', `  panel: {lines: [${JSON.stringify(line)}]}\n  summary:`)
  const told = (line: string): readonly string[] =>
    findingsIn(saying(line)).map(({ code, message }) => `${code} ${message}`)

  test.each([
    'A late fee of Rs. 500 applies from 20 February 2027',
    'Late fee from 20 February',
    'Rs. 500 extra after 19 February 2027',
    'Regular until 5 February, late registration from 6 February',
    'Bank transfer is accepted until 25 February 2027',
    'Late delegates may pay by NEFT until 25 February',
  ])('%s', (line) => {
    expect(told(line)).toEqual([])
  })

  test.each([
    ['A late fee applies from 21 February 2027', 'adjustment `late-fee` begins on 20 February'],
    ['Late registration from 20 February 2027', 'period `late` begins on 6 February'],
    ['Bank transfer is accepted until 26 February 2027', 'payment by `transfer` ends on 25 Feb'],
  ])('but not: %s', (line, other) => {
    expect(told(line).join('\n')).toContain(`EV604 the text says`)
    expect(told(line).join('\n')).toContain(other)
  })

  test('the desk for registration on the spot has its hour', () => {
    const spot = sound.replace('id: late, label: Late', 'id: late, label: Spot')
    const at = (line: string): readonly string[] =>
      findingsIn(
        spot.replace('  summary:', `  panel: {lines: [${JSON.stringify(line)}]}\n  summary:`),
      ).map(({ code }) => code)
    expect(at('Spot registration opens at 8 AM on 14 March')).toEqual([])
    expect(at('Spot registration from 14 March')).toEqual(['EV604'])
  })
})

describe('the years and the window of what stands beside the prices', () => {
  const codes = (text: string): readonly string[] =>
    findingsIn(text).flatMap(({ code, severity }) => (severity === 'note' ? [] : [code]))
  const window = (days: string, text = sound): string =>
    text.replace('routes:', `registration: {${days}}\nroutes:`)
  const fee = (days: string): string => sound.replace('from: 2027-02-20, on', `${days}, on`)
  const until = (day: string): string => sound.replace('until: 2027-02-25', `until: ${day}`)

  test.each([
    [
      'a discount that holds from before the opening',
      window('opens: 2026-08-01', fee('from: 2026-07-01, to: 2026-11-30')),
    ],
    [
      'a fee from a day before the opening, which no year mends',
      window('opens: 2026-07-01', fee('from: 2026-06-25')),
    ],
    ['a fee that outlives the event', fee('from: 2027-02-20, to: 2027-03-31')],
    ['a fee on the last day', window('closes: 2027-03-16', fee('from: 2027-03-16'))],
    ['a transfer that ends after the early bird', until('2026-11-15')],
    [
      'a transfer of the year before, when prices held already',
      until('2026-06-30').replace('{id: early,', '{id: early, from: 2026-03-01,'),
    ],
  ])('%s', (_name, text) => {
    expect(codes(text)).toEqual([])
  })

  test.each([
    [
      'a fee that ends before the opening',
      window('opens: 2026-08-01', fee('to: 2026-07-31')),
      'EV457',
      'write a day on which registration is open',
    ],
    ['a fee from a year early', fee('from: 2026-02-20'), 'EV457', 'write from: 2027-02-20'],
    ['a fee from a year late', fee('from: 2028-02-20'), 'EV457', 'write from: 2027-02-20'],
    ['a fee until a year early', fee('to: 2025-12-31'), 'EV457', 'write to: 2026-12-31'],
    ['a transfer until a year early', until('2026-02-25'), 'EV458', 'write until: 2027-02-25'],
    [
      'a transfer until a year late',
      until('2028-02-25').replace('5 days, fields', '5 days, price_date: registration, fields'),
      'EV447',
      'write until: 2027-02-25',
    ],
    [
      'a registration that closes a year early',
      window('closes: 2026-03-10'),
      'EV433',
      'write closes: 2027-03-10',
    ],
  ])('%s', (_name, text, code, help) => {
    const found = findingsIn(text).filter((one) => one.code === code)
    expect(found.map((one) => one.help ?? '')).toEqual([expect.stringContaining(help)])
  })

  test('a card that ends a year early is told where it stands, not at the transfer', () => {
    const text = sound.replace('account: sample}', 'account: sample, until: 2026-03-16}')
    const [found, ...more] = findingsIn(text)
    expect([found?.code, found?.at.start.line, more]).toEqual([
      'EV443',
      lineOf(text, 'id: card'),
      [],
    ])
    expect(found?.help).toContain('until: 2027-03-16')
  })
})

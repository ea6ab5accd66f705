/** Dates of adjustments, payment methods and the close of registration, compared with dates in texts. */
import { describe, expect, test } from 'vitest'
import { collectFindings, createMarchFile, findLine } from './sample-file.ts'

/** Three periods, a late fee within the last one, and bank transfers that end before card payments. */
const validFile = createMarchFile('{id: regular, from: 2026-10-31, to: 2027-03-16}')
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
    - {id: transfer, label: NEFT, until: 2027-02-25, instructions: Sample Bank account 123456789012, expires_after: 5 days, fields: [{id: utr, label: UTR number, format: utr, unique: true, required: true}]}`,
  )

test('the file is valid without the mistakes', () => {
  expect(collectFindings(validFile)).toEqual([])
})

describe('dates in texts are compared with the dates of adjustments, payment methods and the desk', () => {
  const withText = (line: string): string =>
    validFile.replace('  summary:', `  panel: {lines: [${JSON.stringify(line)}]}\n  summary:`)
  const listMessages = (line: string): readonly string[] =>
    collectFindings(withText(line)).map(({ code, message }) => `${code} ${message}`)

  test.each([
    'A late fee of Rs. 500 applies from 20 February 2027',
    'Late fee from 20 February',
    'Rs. 500 extra after 19 February 2027',
    'Regular until 5 February, late registration from 6 February',
    'Bank transfer is accepted until 25 February 2027',
    'Late delegates may pay by NEFT until 25 February',
  ])('agrees with the file: %s', (line) => {
    expect(listMessages(line)).toEqual([])
  })

  test.each([
    ['A late fee applies from 21 February 2027', 'adjustment `late-fee` begins on 20 February'],
    ['Late registration from 20 February 2027', 'period `late` begins on 6 February'],
    ['Bank transfer is accepted until 26 February 2027', 'payment by `transfer` ends on 25 Feb'],
  ])('contradicts the file: %s', (line, expectedPart) => {
    expect(listMessages(line).join('\n')).toContain(`EV604 the text says`)
    expect(listMessages(line).join('\n')).toContain(expectedPart)
  })

  test('the opening day of the on-site desk is accepted', () => {
    const onSiteFile = validFile.replace('id: late, label: Late', 'id: late, label: Spot')
    const listCodesOfText = (line: string): readonly string[] =>
      collectFindings(
        onSiteFile.replace('  summary:', `  panel: {lines: [${JSON.stringify(line)}]}\n  summary:`),
      ).map(({ code }) => code)
    expect(listCodesOfText('Spot registration opens at 8 AM on 14 March')).toEqual([])
    expect(listCodesOfText('Spot registration from 14 March')).toEqual(['EV604'])
  })
})

describe('years of dates outside the price periods, and the registration window', () => {
  const listCodes = (text: string): readonly string[] =>
    collectFindings(text).flatMap(({ code, severity }) => (severity === 'note' ? [] : [code]))
  const withWindow = (days: string, text = validFile): string =>
    text.replace('routes:', `registration: {${days}}\nroutes:`)
  const withFee = (days: string): string => validFile.replace('from: 2027-02-20, on', `${days}, on`)
  const withTransferUntil = (day: string): string =>
    validFile.replace('until: 2027-02-25', `until: ${day}`)

  test.each([
    [
      'a discount that starts before registration opens',
      withWindow('opens: 2026-08-01', withFee('from: 2026-07-01, to: 2026-11-30')),
    ],
    [
      'a fee that starts before registration opens, in any year',
      withWindow('opens: 2026-07-01', withFee('from: 2026-06-25')),
    ],
    ['a fee that ends after the event', withFee('from: 2027-02-20, to: 2027-03-31')],
    ['a fee on the last day', withWindow('closes: 2027-03-16', withFee('from: 2027-03-16'))],
    ['a transfer that ends after the early bird', withTransferUntil('2026-11-15')],
    [
      'a transfer that ends in the year before the event, when prices already apply',
      withTransferUntil('2026-06-30').replace('{id: early,', '{id: early, from: 2026-03-01,'),
    ],
  ])('%s is not reported', (_name, text) => {
    expect(listCodes(text)).toEqual([])
  })

  test.each([
    [
      'a fee that ends before registration opens',
      withWindow('opens: 2026-08-01', withFee('to: 2026-07-31')),
      'EV457',
      'write a date on which registration is open',
    ],
    [
      'a fee that starts a year too early',
      withFee('from: 2026-02-20'),
      'EV457',
      'write from: 2027-02-20',
    ],
    [
      'a fee that starts a year too late',
      withFee('from: 2028-02-20'),
      'EV457',
      'write from: 2027-02-20',
    ],
    [
      'a fee that ends a year too early',
      withFee('to: 2025-12-31'),
      'EV457',
      'write to: 2026-12-31',
    ],
    [
      'a transfer that ends a year too early',
      withTransferUntil('2026-02-25'),
      'EV458',
      'write until: 2027-02-25',
    ],
    [
      'a transfer that ends a year too late',
      withTransferUntil('2028-02-25').replace(
        '5 days, fields',
        '5 days, price_date: registration, fields',
      ),
      'EV447',
      'write until: 2027-02-25',
    ],
    [
      'registration that closes a year early',
      withWindow('closes: 2026-03-10'),
      'EV433',
      'write closes: 2027-03-10',
    ],
  ])('%s is reported with a correction', (_name, text, code, help) => {
    const codeFindings = collectFindings(text).filter((finding) => finding.code === code)
    expect(codeFindings.map((finding) => finding.help ?? '')).toEqual([
      expect.stringContaining(help),
    ])
  })

  test('a card payment that ends a year early is reported on its own line, not on the line of the transfer', () => {
    const text = validFile.replace('account: sample}', 'account: sample, until: 2026-03-16}')
    const [firstFinding, ...otherFindings] = collectFindings(text)
    expect([firstFinding?.code, firstFinding?.at.start.line, otherFindings]).toEqual([
      'EV443',
      findLine(text, 'id: card'),
      [],
    ])
    expect(firstFinding?.help).toContain('until: 2027-03-16')
  })
})

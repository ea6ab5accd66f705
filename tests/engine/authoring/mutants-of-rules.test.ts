/** What an event promises others: a slip in it is found, a change of both is a change. */
import { describe, expect, test } from 'vitest'
import { compileEvent } from '../../../engine/authoring.ts'
import { isOneSlip, editDistance } from '../../../engine/lib/edit-distance.ts'
import { base, shared } from './goldens.ts'

const examples = (promises: string): string =>
  `${base}examples:\n  promises:\n${promises}  cases:\n    - {name: an order id, order_id: SMPL1, expect: {order: ok}}\n`
const told = (text: string): readonly string[] =>
  compileEvent(text, shared, { path: 'sample2026.yaml' })
    .findings.filter(({ code }) => code !== 'EV902')
    .map(
      ({ code, message, at, related }) =>
        `${code} ${at.start.line} ${message} (${related.map((one) => one.at.start.line).join(' ')})`,
    )
const line = (text: string, part: string): number =>
  text.split('\n').findIndex((row) => row.includes(part)) + 1

describe('a promise', () => {
  const kept = examples(
    '    dates: 7–8 March 2026\n    form: {phone_number: phone, full_name: text, email: email, is_member: yes-no}\n    success: [Registration Number, Total Amount]\n    order_id: [SMPL, digits, 13]\n',
  )
  test('that is kept says nothing; names with their values have no order', () => {
    expect(told(kept)).toEqual([])
  })
  test.each([
    ['a day later', '  to: 2026-03-08', '  to: 2026-03-09', 'to: 2026'],
    [
      'a field that is gone',
      '        - {id: phone_number, type: phone, label: Phone, required: true}\n',
      '        - {id: phone_numbr, type: phone, label: Phone, required: true}\n',
      'phone_numbr',
    ],
    [
      'another type',
      '{id: full_name, label',
      '{id: full_name, type: multiline, label',
      'type: multiline',
    ],
    ['rows in another order', '[reg_no, total]', '[total, reg_no]', '[total, reg_no]'],
    ['a row that is gone', '[reg_no, total]', '[reg_no]', '[reg_no]'],
    ['another prefix', 'prefix: SMPL,', 'prefix: SMLP,', 'SMLP,'],
  ])('%s is found where it stands, beside the promise', (_name, from, to, part) => {
    const text = kept.replace(from, to)
    const findings = told(text).filter((one) => one.startsWith('EV904'))
    expect(findings).toHaveLength(1)
    expect(findings[0]).toContain(` ${line(text, part)} `)
  })
  test('changed together with what it promises is a change', () => {
    expect(
      told(kept.replace('  to: 2026-03-08', '  to: 2026-03-09').replace('7–8 March', '7–9 March')),
    ).toEqual([])
  })
  test('how long a place is kept may be promised where the file leaves it as it is', () => {
    const limits = 'quotas: [{id: hall, max: 100, full: The hall is full}]\n'
    expect(told(`${examples('    hold_seats_for: 30 minutes\n')}${limits}`)).toEqual([])
    expect(told(`${examples('    hold_seats_for: 20 minutes\n')}${limits}`)[0]).toMatch(
      /^EV904 \d+ `hold_seats_for` is promised as `20 minutes`, but is `30 minutes`/,
    )
  })
  test('of places that are gone is told where they would stand', () => {
    const text = `${examples('    quotas: {seats.am: 10, seats.pm: 20}\n')}quotas:
  - id: seats
    each_option_of: time
    max:
      pm: 20
    full: Full
`.replace(
      '  summary:',
      '        - {id: time, type: select, label: Time, options: [am, pm], required: true}\n  summary:',
    )
    expect(told(text)[0]).toMatch(
      new RegExp(`^EV904 ${line(text, '    max:')} \`seats.am: 10\` is promised`),
    )
  })
  test('about nothing is refused', () => {
    expect(told(examples('    colours: red\n'))[0]).toMatch(
      /^EV905 \d+ `colours` is not something that can be promised/,
    )
  })
})

describe('the indentation', () => {
  test.each([
    ['a line too far right', '  venue: Town Hall', '    venue: Town Hall', 'venue:'],
    ['a line too far left', '  periods:', ' periods:', ' periods:'],
    ['an entry at another depth', '    - {id: late,', '     - {id: late,', '- {id: late'],
  ])('%s is told at that line', (_name, from, to, part) => {
    const text = base.replace(from, to)
    const [first] = compileEvent(text, shared, { path: 'sample2026.yaml' }).findings
    expect(first?.code).toBe('EV001')
    expect([
      first?.at.start.line,
      ...(first?.related.map(({ at }) => at.start.line) ?? []),
    ]).toContain(line(text, part))
  })
})

test('one slip is a distance of one', () => {
  const words = [
    '',
    'a',
    'b',
    'ab',
    'ba',
    'aab',
    'aba',
    'abb',
    'abab',
    'baab',
    'abba',
    'abcab',
    'acbab',
  ]
  for (const a of words)
    for (const b of words) expect([a, b, isOneSlip(a, b)]).toEqual([a, b, editDistance(a, b) === 1])
})

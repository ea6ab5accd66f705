/** Values that an event file promises: a typo is reported, but changing both the value and the promise is accepted. */
import { describe, expect, test } from 'vitest'
import { compileEvent } from '../../../engine/authoring.ts'
import { isOneTypo, computeEditDistance } from '../../../engine/lib/edit-distance.ts'
import { sampleFile, shared } from './goldens.ts'

const withExamples = (promises: string): string =>
  `${sampleFile}examples:\n  promises:\n${promises}  cases:\n    - {name: an order id, order_id: SMPL1, expect: {order: ok}}\n`
const listFindings = (text: string): readonly string[] =>
  compileEvent(text, shared, { path: 'sample2026.yaml' })
    .findings.filter(({ code }) => code !== 'EV902')
    .map(
      ({ code, message, at, related }) =>
        `${code} ${at.start.line} ${message} (${related.map((relatedFinding) => relatedFinding.at.start.line).join(' ')})`,
    )
const findLine = (text: string, part: string): number =>
  text.split('\n').findIndex((row) => row.includes(part)) + 1

describe('a promised value', () => {
  const validFile = withExamples(
    '    dates: 7–8 March 2026\n    form: {phone_number: phone, full_name: text, email: email, is_member: yes-no}\n    success: [Registration Number, Total Amount]\n    order_id: [SMPL, digits, 13]\n',
  )
  test('that matches the file is not reported, in any order of its named values', () => {
    expect(listFindings(validFile)).toEqual([])
  })
  test.each([
    ['a day later', '  to: 2026-03-08', '  to: 2026-03-09', 'to: 2026'],
    [
      'a field that was removed',
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
    ['rows in a different order', '[reg_no, total]', '[total, reg_no]', '[total, reg_no]'],
    ['a row that was removed', '[reg_no, total]', '[reg_no]', '[reg_no]'],
    ['another prefix', 'prefix: SMPL,', 'prefix: SMLP,', 'SMLP,'],
  ])(
    'is reported on the changed line, with the promise as a related line: %s',
    (_name, original, replacement, part) => {
      const text = validFile.replace(original, replacement)
      const findings = listFindings(text).filter((finding) => finding.startsWith('EV904'))
      expect(findings).toHaveLength(1)
      expect(findings[0]).toContain(` ${findLine(text, part)} `)
    },
  )
  test('can be changed together with the promise', () => {
    expect(
      listFindings(
        validFile.replace('  to: 2026-03-08', '  to: 2026-03-09').replace('7–8 March', '7–9 March'),
      ),
    ).toEqual([])
  })
  test('can state how long a seat is held, even if the file uses the default', () => {
    const limits = 'quotas: [{id: hall, max: 100, full: The hall is full}]\n'
    expect(listFindings(`${withExamples('    hold_seats_for: 30 minutes\n')}${limits}`)).toEqual([])
    expect(listFindings(`${withExamples('    hold_seats_for: 20 minutes\n')}${limits}`)[0]).toMatch(
      /^EV904 \d+ `hold_seats_for` is promised as `20 minutes`, but is `30 minutes`/,
    )
  })
  describe('about refunds and editable answers', () => {
    const text = `${withExamples(
      '    cancellation: [75% less 500 until 2026-02-28, none otherwise]\n    edit.until: 2026-03-01\n    edit.fields: [full_name, phone_number]\n',
    )}cancellation:
  charge: 500
  steps: [{until: 2026-02-28, refund: 75%}, {otherwise: none}]
edit: {until: 2026-03-01, fields: [full_name, phone_number]}
`
    const listBrokenPromises = (file: string): readonly string[] =>
      listFindings(file).filter((finding) => /^EV90[45]/.test(finding))
    test('that matches the file is not reported', () => {
      expect(listBrokenPromises(text)).toEqual([])
    })
    test.each([
      ['until: 2026-02-28', 'until: 2026-02-27', '75% less 500 until 2026-02-27'],
      ['refund: 75%', 'refund: 57%', '57% less 500 until 2026-02-28'],
      ['charge: 500', 'charge: {INR: 5000}', '75% less INR 5000 until 2026-02-28'],
      ['  charge: 500', '  charge: 500\n  without_tax: true', '75% without tax less 500'],
      ['{otherwise: none}', '{otherwise: 25%}', '25% less 500 otherwise'],
      ['until: 2026-03-01, fields', 'until: 2026-03-02, fields', '2026-03-02'],
      ['fields: [full_name, phone_number]}', 'fields: [full_name]}', 'phone_number'],
    ])(
      'that no longer matches because of a typo is reported: %s → %s',
      (original, replacement, value) => {
        expect(listBrokenPromises(text.replace(original, replacement))).toEqual([
          expect.stringContaining(`\`${value}`),
        ])
      },
    )
  })
  test('about a removed option is reported on the line where the option is expected', () => {
    const text = `${withExamples('    quotas: {seats.am: 10, seats.pm: 20}\n')}quotas:
  - id: seats
    each_option_of: time
    max:
      pm: 20
    full: Full
`.replace(
      '  summary:',
      '        - {id: time, type: select, label: Time, options: [am, pm], required: true}\n  summary:',
    )
    expect(listFindings(text)[0]).toMatch(
      new RegExp(`^EV904 ${findLine(text, '    max:')} \`seats.am: 10\` is promised`),
    )
  })
  test('with an unknown name is rejected', () => {
    expect(listFindings(withExamples('    colours: red\n'))[0]).toMatch(
      /^EV905 \d+ `colours` cannot be promised/,
    )
  })
})

describe('a wrong indentation', () => {
  test.each([
    ['a line indented too far', '  venue: Town Hall', '    venue: Town Hall', 'venue:'],
    ['a line indented too little', '  periods:', ' periods:', ' periods:'],
    ['an entry at another depth', '    - {id: late,', '     - {id: late,', '- {id: late'],
  ])('%s is reported on that line', (_name, original, replacement, part) => {
    const text = sampleFile.replace(original, replacement)
    const [firstFinding] = compileEvent(text, shared, { path: 'sample2026.yaml' }).findings
    expect(firstFinding?.code).toBe('EV001')
    expect([
      firstFinding?.at.start.line,
      ...(firstFinding?.related.map(({ at }) => at.start.line) ?? []),
    ]).toContain(findLine(text, part))
  })
})

test('one typing mistake has an edit distance of one', () => {
  const spellings = [
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
  for (const a of spellings)
    for (const b of spellings)
      expect([a, b, isOneTypo(a, b)]).toEqual([a, b, computeEditDistance(a, b) === 1])
})

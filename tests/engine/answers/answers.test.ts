/** How answers are normalised and checked: hidden fields, error messages and conditions. */
import { describe, expect, it, test } from 'vitest'
import {
  INR,
  checkAnswers,
  day,
  findAnswerErrors,
  fillPlaceholders,
  matchesCondition,
  EMPTY_CONTEXT,
  normalise,
  readCurrency,
  findVisibleFields,
  toMessages,
  type Field,
  type RawAnswers,
} from '../../../engine/index.ts'
import type { Test } from '../../../engine/event/answer-types.ts'
import { FORMATS } from '../../../engine/event/identifier-patterns.ts'
import {
  chosenCategoryEvent,
  derivedCategoryEvent,
  createEvent,
  createField,
  isIn,
  createRequired,
  when,
} from '../fixtures.ts'

const normaliseAnswer = (testField: Field, raw: unknown): unknown =>
  normalise(createEvent({ fields: [testField] }), { [testField.id]: raw }).answers[testField.id]
const options = [
  { id: 'pg', label: 'PG' },
  { id: 'Gp', label: 'GP' },
]

describe('normalise', () => {
  test.each<[string, Field, unknown, unknown]>([
    ['surrounding spaces are removed', createField('a'), '  Asha  Nair ', 'Asha  Nair'],
    ['a blank answer counts as missing', createField('a'), ' \u00a0\t', undefined],
    ['null counts as missing', createField('a'), null, undefined],
    ['a number in a text field becomes text', createField('a'), 42, '42'],
    ['line breaks are removed from single-line text', createField('a'), 'a\r\nBcc: b', 'a Bcc: b'],
    [
      'multiline text keeps its line breaks',
      createField('a', { type: 'multiline' }),
      'a\r\nb\u0000',
      'a\nb',
    ],
    ['half of a surrogate pair is replaced', createField('a'), 'a\ud800', 'a\ufffd'],
    ['a letter and its combining mark become one character', createField('a'), 'e\u0301', 'é'],
    ['"true" is yes', createField('a', { type: 'yes-no' }), 'true', true],
    ['"False" is no', createField('a', { type: 'yes-no' }), 'False', false],
    [
      'an invalid yes-no answer is unchanged, for the error message',
      createField('a', { type: 'yes-no' }),
      'maybe',
      'maybe',
    ],
    ['a number written as text', createField('a', { type: 'number' }), ' 2.50 ', 2.5],
    ['minus zero becomes zero', createField('a', { type: 'number' }), '-0', 0],
    ['an exponent is not accepted in a number', createField('a', { type: 'number' }), '1e9', '1e9'],
    [
      'an option matches in any case if the field ignores case',
      createField('a', { type: 'select', options, ignoreCase: true }),
      'gP',
      'Gp',
    ],
    [
      'an option does not match in another case otherwise',
      createField('a', { type: 'select', options }),
      'PG',
      'PG',
    ],
    [
      'a missing answer gets the default',
      createField('a', { type: 'phone', default: '+91' }),
      '',
      '+91',
    ],
    [
      'the path of a file name is removed',
      createField('a', { type: 'file' }),
      'C:\\fakepath\\proof.pdf',
      'proof.pdf',
    ],
    [
      'a name of zero-width characters is empty',
      createField('a'),
      '\u200b\u2060 \ufeff',
      undefined,
    ],
    [
      'a name that contains only joiners is empty',
      createField('a'),
      '\u200d\u200c\u2800',
      undefined,
    ],
    [
      'characters that reverse the text direction are removed',
      createField('a'),
      'Asha \u202egnirips\u202c\u2066x\u2069',
      'Asha gniripsx',
    ],
    ['Malayalam text keeps its joiners', createField('a'), 'അവൻ ന്\u200dറെ', 'അവൻ ന്\u200dറെ'],
    [
      'a zero-width character does not separate combining marks',
      createField('a'),
      'e\u200b\u0301',
      'é',
    ],
    ['an object is not an answer', createField('a'), { b: 1 }, undefined],
    [
      'consent inside a list does not count as consent',
      createField('a', { type: 'consent' }),
      ['true'],
      undefined,
    ],
    ['an HTML checkbox sends "on"', createField('a', { type: 'consent' }), 'on', true],
    ['No does not count as consent', createField('a', { type: 'consent' }), 'False', undefined],
  ])('%s', (_name, testField, raw, expected) =>
    expect(normaliseAnswer(testField, raw)).toBe(expected),
  )

  test.each<[string, Field, unknown, unknown]>([
    [
      'chosen options without duplicates, in the order in the field',
      createField('a', { type: 'many', options, ignoreCase: true }),
      ['GP', 'pg', 'gp'],
      ['pg', 'Gp'],
    ],
    ['chosen options as JSON', createField('a', { type: 'many', options }), ' ["pg"]', ['pg']],
    ['a single option', createField('a', { type: 'many', options }), 'pg', ['pg']],
    ['nothing chosen', createField('a', { type: 'many', options }), [], undefined],
    [
      'people without their unknown fields',
      createField('a', {
        type: 'people',
        max: 2,
        fields: [createField('age', { type: 'number' })],
      }),
      '[{"age": "7", "price": 0}, {"age": ""}]',
      [{ age: 7 }, {}],
    ],
    [
      'at most one person over the maximum from a list of a thousand',
      createField('a', { type: 'people', max: 2, fields: [createField('name')] }),
      Array.from({ length: 1000 }, () => ({ name: 'x' })),
      [{ name: 'x' }, { name: 'x' }, { name: 'x' }],
    ],
  ])('reads %s', (_name, testField, raw, expected) =>
    expect(normaliseAnswer(testField, raw)).toEqual(expected),
  )

  it('drops answers to unknown and hidden fields, and lists those fields', () => {
    const raw = { full_name: 'A', is_member: 'false', number: 'A-7', total_amount: '5', proof: '' }
    const { answers, droppedIds } = normalise(chosenCategoryEvent, raw)
    expect(answers).toEqual({ full_name: 'A', is_member: false })
    expect(droppedIds).toEqual(['number', 'total_amount'])
  })

  it('treats fields named __proto__ or constructor like any other field', () => {
    const hostileAnswers = JSON.parse(
      '{"__proto__": {"full_name": "X"}, "constructor": "Y", "full_name": " A "}',
    ) as RawAnswers
    expect(normalise(chosenCategoryEvent, hostileAnswers)).toEqual({
      answers: { is_member: false, full_name: 'A' },
      droppedIds: ['__proto__', 'constructor'],
    })
    expect(
      normalise(chosenCategoryEvent, Object.create({ full_name: 'inherited' }) as RawAnswers)
        .answers,
    ).toEqual({ is_member: false })
    const eventWithPropertyNames = createEvent({
      fields: [
        createField('constructor', { required: createRequired('needed') }),
        createField('__proto__', { required: createRequired('needed') }),
      ],
    })
    expect(Object.entries(findAnswerErrors(eventWithPropertyNames, {}))).toEqual([
      ['constructor', 'needed'],
      ['__proto__', 'needed'],
    ])
    expect(
      findAnswerErrors(
        eventWithPropertyNames,
        JSON.parse('{"constructor": "a", "__proto__": "b"}') as RawAnswers,
      ),
    ).toEqual({})
    expect(matchesCondition(when(isIn('toString', 'x')), {})).toBe(false)
    expect(
      matchesCondition([[{ field: 'toString', test: { is: 'answered', answered: false } }]], {}),
    ).toBe(true)
    expect(fillPlaceholders('{constructor} {a} {b c}', { a: '1' }, 'N/A')).toBe('N/A 1 {b c}')
  })
})

describe('text designed to slow down the server', () => {
  const repeatMarks = (times: number): string => '\u0301\u0316'.repeat(times)
  const textTypes: readonly Field['type'][] = [
    'text',
    'multiline',
    'email',
    'phone',
    'number',
    'date',
  ]

  // Without shortening, each field would take nine seconds, so the test would time out.
  it('is shortened if it has 250 KB of combining marks, in every type of field', () => {
    for (const type of [...textTypes, 'yes-no', 'select', 'file'] as const) {
      const testField = createField('a', { type, options, ignoreCase: true, accept: ['pdf'] })
      const result = normaliseAnswer(testField, `e${repeatMarks(65_536)}`)
      expect([type, /\p{M}{31}/u.test(String(result))]).toEqual([type, false])
    }
  })

  it('is distinguished from ordinary text: thirty marks on one letter, or marks on every letter, are unchanged', () => {
    const testField = createField('a', { type: 'multiline' })
    expect(normaliseAnswer(testField, `x${repeatMarks(15)}`)).toBe(
      `x${repeatMarks(15)}`.normalize('NFC'),
    )
    expect(normaliseAnswer(testField, 'e\u0301'.repeat(500))).toBe('é'.repeat(500))
    expect(normaliseAnswer(testField, 'ക്ഷ ആശാ नमस्ते')).toBe('ക്ഷ ആശാ नमस्ते')
  })

  it('is not changed by a second normalisation, even if NFC splits a mark into two', () => {
    const shortenedText = normaliseAnswer(createField('a'), `x${'\u0344'.repeat(100)}`)
    expect(String(shortenedText).match(/\p{M}/gu)).toHaveLength(30)
    expect(normaliseAnswer(createField('a'), shortenedText)).toBe(shortenedText)
  })

  it('is still rejected as too long after shortening, and is not shortened a second time', () => {
    for (const type of textTypes)
      for (const unit of ['x', ' x', '1', '😀', `a@b.c${'.'.repeat(50)}`, 'a\u0301']) {
        const testField = createField('a', { type, maxLength: 60 })
        const event = createEvent({ fields: [testField] })
        const longText = `x${unit.repeat(5000)}`
        expect([type, unit, Object.keys(findAnswerErrors(event, { a: longText }))]).toEqual([
          type,
          unit,
          ['a'],
        ])
        const normalisedOnce = normalise(event, { a: longText }).answers
        expect(String(normalisedOnce['a']).length).toBeLessThan(150)
        expect(normalise(event, normalisedOnce).answers).toEqual(normalisedOnce)
      }
  })

  it('is distinguished from text with many leading spaces; a long file name keeps its extension', () => {
    expect(normaliseAnswer(createField('a'), `${' '.repeat(5000)}Asha`)).toBe('Asha')
    const fileEvent = createEvent({ fields: [createField('a', { type: 'file', accept: ['pdf'] })] })
    expect(findAnswerErrors(fileEvent, { a: `${'x'.repeat(5000)}.pdf` })).toEqual({
      a: 'Please enter 200 characters or fewer',
    })
  })
})

describe('answers to hidden fields are ignored', () => {
  const chainedEvent = createEvent({
    fields: [
      createField('a', { type: 'yes-no' }),
      createField('b', { type: 'yes-no', showWhen: when(isIn('a', true)) }),
      createField('c', { showWhen: when(isIn('b', true)) }),
      createField('d', { showWhen: [[{ field: 'c', test: { is: 'answered', answered: false } }]] }),
      createField('e', { showWhen: [[{ field: 'b', test: { is: 'not-in', values: [true] } }]] }),
    ],
  })
  test.each<[RawAnswers, string]>([
    [{ a: true, b: true, c: 'x', d: 'y' }, 'a b c'],
    [{ a: true, b: true }, 'a b c d'],
    [{ a: false, b: true, c: 'x' }, 'a d e'],
    [{ b: true, c: 'x' }, 'a d e'],
    [{ a: true, b: false, c: 'x' }, 'a b d e'],
  ])('%j shows %s', (raw, shownIds) => {
    expect([...findVisibleFields(chainedEvent, raw)].join(' ')).toBe(shownIds)
    expect(
      [...findVisibleFields(chainedEvent, normalise(chainedEvent, raw).answers)].join(' '),
    ).toBe(shownIds)
  })

  it('whether a field is shown can depend on its section and on a derived category', () => {
    expect(findVisibleFields(chosenCategoryEvent, { ticket_type: 'pg' }).has('proof')).toBe(true)
    expect(findVisibleFields(chosenCategoryEvent, { ticket_type: 'member' }).has('proof')).toBe(
      false,
    )
    expect(findVisibleFields(derivedCategoryEvent, { role: 'PG' }).has('letter')).toBe(true)
    expect(findVisibleFields(derivedCategoryEvent, { role: 'consultant' }).has('letter')).toBe(
      false,
    )
    expect(findAnswerErrors(derivedCategoryEvent, { full_name: 'A', role: 'PG' })).toEqual({
      letter: 'Letter is required',
    })
  })
})

describe('findAnswerErrors', () => {
  const completeAnswers = {
    full_name: 'A',
    email: 'asha@example.org',
    phone: 'anything goes',
    ticket_type: 'member',
  }
  test.each<[string, RawAnswers, Record<string, string>]>([
    [
      'nothing',
      {},
      {
        full_name: 'Full name is required',
        email: 'Email address is required',
        phone: 'Phone number is required',
        ticket_type: 'Please select',
      },
    ],
    ['everything', completeAnswers, {}],
    ['blanks', { ...completeAnswers, full_name: '   ' }, { full_name: 'Full name is required' }],
    [
      'an invalid address',
      { ...completeAnswers, email: 'asha.example.org' },
      { email: 'email is not right' },
    ],
    [
      'a member without a number',
      { ...completeAnswers, is_member: true },
      { number: 'Number is required' },
    ],
    [
      'a pg without proof',
      { ...completeAnswers, ticket_type: 'pg' },
      { proof: 'Proof is required' },
    ],
    [
      'a pg with a program',
      { ...completeAnswers, ticket_type: 'pg', proof: 'proof.exe' },
      { proof: 'proof is not right' },
    ],
    ['a pg with proof', { ...completeAnswers, ticket_type: 'pg', proof: 'scan.of.proof.PdF' }, {}],
    [
      'only a file extension',
      { ...completeAnswers, ticket_type: 'pg', proof: '.pdf' },
      { proof: 'proof is not right' },
    ],
    [
      'an unknown option',
      { ...completeAnswers, ticket_type: 'gold' },
      { ticket_type: 'ticket_type is not right' },
    ],
    ['a list', { ...completeAnswers, full_name: ['A'] }, { full_name: 'full_name is not right' }],
    [
      'a very long name',
      { ...completeAnswers, full_name: 'x'.repeat(201) },
      { full_name: 'Please enter 200 characters or fewer' },
    ],
  ])('%s', (_name, raw, errors) => {
    expect(findAnswerErrors(chosenCategoryEvent, raw)).toEqual(errors)
    expect(checkAnswers(chosenCategoryEvent, raw).ok).toBe(Object.keys(errors).length === 0)
  })

  test('an email address that is too long for the gateway is rejected because of its length, not as invalid', () => {
    const emailField = createField('mail', {
      type: 'email',
      toGateway: true,
      invalid: 'Not an address',
    })
    const event = createEvent({ fields: [emailField] })
    const longAddress = `${'a'.repeat(48)}@example.org`
    const emailError =
      'This address has 60 characters. The payment gateway accepts 6 to 50 characters. Please use another address.'
    expect(findAnswerErrors(event, { mail: longAddress })).toEqual({ mail: emailError })
    expect(findAnswerErrors(event, { mail: `${longAddress} x` })).toEqual({
      mail: 'Not an address',
    })
    expect(findAnswerErrors(event, { mail: `${'a'.repeat(300)}@example.org` })).toEqual({
      mail: 'Please enter 254 characters or fewer',
    })
  })

  const isInvalid = (testField: Field, raw: unknown): boolean =>
    testField.id in findAnswerErrors(createEvent({ fields: [testField] }), { [testField.id]: raw })
  test.each<[Field, unknown[], unknown[]]>([
    [
      createField('f', { type: 'email' }),
      ['a@b.c', "o'neill+afpi@mail.example.co.in", `${'a'.repeat(60)}@bc.com`],
      ['a b@c.in', 'a@b@c.in', 'a@c', 'asha@-b.in', 'asha@b..in', 'ആശ@example.org', '𝐚@b.in'],
    ],
    [
      createField('f', { type: 'email', check: false }),
      ['a@b.in', 'a@hospital', `${'a'.repeat(247)}@bc.in`],
      ['foobar', 'a@', '@b.in', 'a@b.', '<a@b.in>', `${'a'.repeat(249)}@bc.in`, '😀'.repeat(30)],
    ],
    [
      createField('f', { type: 'email', check: false, toGateway: true }),
      ['a@b.in', `${'a'.repeat(43)}@bc.com`],
      ['a@b.i', 'foobar', `${'a'.repeat(44)}@bc.com`],
    ],
    [
      createField('f', { type: 'phone' }),
      ['9876543210', '+91 98765 43210', '(0484) 123-4567'],
      ['12345', 'phone', '+91', '1'.repeat(16)],
    ],
    [createField('f', { type: 'phone', default: '+91' }), ['+91', '+919876543210'], ['+92']],
    [createField('f', { type: 'number', min: 1, max: 5 }), ['1', 5, '2.5'], [0, '5.01', 'five']],
    [createField('f', { type: 'date' }), ['2024-02-29'], ['2026-02-29', '1/2/2026']],
    [
      createField('f', { type: 'date', from: day('2026-01-31'), to: day('2026-03-01') }),
      ['2026-01-31', '2026-02-28', '2026-03-01'],
      ['2026-01-30', '2025-12-31', '2026-03-02', '2026-02-30', '2027-02-01'],
    ],
    [createField('f', { type: 'number', isWhole: true }), ['2', 0], ['2.5']],
    [
      createField('f', { pattern: FORMATS.pin }),
      ['682001', '682 001'],
      ['082001', '68200', 'PIN 682001'],
    ],
    [
      createField('f', { pattern: FORMATS['mobile-in'] }),
      ['9876543210', '+91 98765 43210', '0 98765-43210'],
      ['5876543210', '987654321', '+1 9876543210'],
    ],
    [
      createField('f', {
        type: 'many',
        options,
        choose: { atLeast: 1, atMost: 1, mutuallyExclusive: [], message: '' },
      }),
      [['pg'], 'Gp'],
      [['pg', 'Gp'], ['gone']],
    ],
    [
      createField('f', {
        type: 'many',
        options,
        choose: { mutuallyExclusive: [['pg', 'Gp']], message: '' },
      }),
      [['pg'], ['Gp'], []],
      [['Gp', 'pg']],
    ],
    [createField('f', { type: 'consent' }), [true, 'on', false], ['maybe', ['true']]],
    [createField('f', { type: 'yes-no' }), [true, 'FALSE'], ['yes please']],
    [createField('f', { maxLength: 3 }), ['abc', '😀😀😀'], ['abcd']],
  ])('%j', (testField, validAnswers, invalidAnswers) => {
    for (const value of validAnswers)
      expect([value, isInvalid(testField, value)]).toEqual([value, false])
    for (const value of invalidAnswers)
      expect([value, isInvalid(testField, value)]).toEqual([value, true])
  })

  it('reports errors at each person’s fields, and reports an entry that is not a person', () => {
    const nameField = createField('name', { required: createRequired('Name?') })
    const peopleField = createField('p', {
      type: 'people',
      max: 2,
      fields: [nameField, createField('age', { type: 'number' })],
    })
    const listErrors = (raw: unknown): unknown =>
      findAnswerErrors(createEvent({ fields: [peopleField] }), { p: raw })
    expect(listErrors([{ name: 'A' }, { age: 'old' }])).toEqual({
      'p.1.name': 'Name?',
      'p.1.age': 'age is not right',
    })
    const wholeListError = { p: 'p is not right' }
    for (const raw of ['x', ['x'], [{ name: 'A' }, null], [{ name: ['A'] }], [{}, {}, {}]])
      expect([raw, listErrors(raw)]).toEqual([raw, wholeListError])
  })

  it('a field can be required because of another answer', () => {
    const event = createEvent({
      fields: [
        createField('a', { type: 'yes-no' }),
        createField('b', { required: { message: 'b, please', when: when(isIn('a', true)) } }),
      ],
    })
    expect(findAnswerErrors(event, { a: true })).toEqual({ b: 'b, please' })
    expect(findAnswerErrors(event, { a: false })).toEqual({})
  })
})

describe('evaluateCondition', () => {
  const createDateTest = (from?: string, to?: string): Test =>
    ({ is: 'date', ...(from && { from }), ...(to && { to }) }) as Test
  test.each<[Test, unknown, boolean]>([
    [{ is: 'in', values: ['a', 'b'] }, 'b', true],
    [{ is: 'in', values: [true] }, 'true', false],
    [{ is: 'in', values: [false] }, undefined, false],
    [{ is: 'not-in', values: ['a'] }, undefined, true],
    [{ is: 'not-in', values: ['a'] }, 'a', false],
    [{ is: 'answered', answered: true }, false, true],
    [{ is: 'answered', answered: false }, undefined, true],
    [{ is: 'number', atLeast: 1, below: 3 }, 1, true],
    [{ is: 'number', atLeast: 1, below: 3 }, 3, false],
    [{ is: 'number', above: 1 }, 1, false],
    [{ is: 'number', atMost: 5 }, undefined, false],
    [{ is: 'number', atMost: 5 }, '3', false],
    [createDateTest('2026-01-01', '2026-01-31'), '2026-01-31', true],
    [createDateTest('2026-01-01'), '2025-12-31', false],
    [createDateTest(undefined, '2026-01-01'), 'soon', false],
  ])('%j of %j is %s', (test, answer, expected) => {
    expect(
      matchesCondition(
        [[{ field: 'x', test }]],
        answer === undefined ? {} : { x: answer as string },
      ),
    ).toBe(expected)
    expect(
      matchesCondition(
        [[{ field: 'category', test }]],
        {},
        typeof answer === 'string' ? answer : null,
      ),
    ).toBe(typeof answer === 'string' ? expected : matchesCondition([[{ field: 'x', test }]], {}))
  })
  it('a list of conditions is true if any of them is true; a map is true if all its tests are true', () => {
    const condition = [[isIn('a', 1), isIn('b', 1)], [isIn('c', 1)]].map((map) => map)
    expect(matchesCondition(condition, { a: 1 })).toBe(false)
    expect(matchesCondition(condition, { a: 1, b: 1 })).toBe(true)
    expect(matchesCondition(condition, { c: 1 })).toBe(true)
    expect(matchesCondition([], { a: 1 })).toBe(false)
  })
})

test.each([
  [{ min: 0, max: 4 }, 9, 'Please enter a number from 0 to 4'],
  [{ min: 5 }, 1, 'Please enter a number of at least 5'],
  [{ max: 0 }, 9, 'Please enter a number of at most 0'],
  [{ min: 0, max: 4, invalid: 'At most four' }, 9, 'At most four'],
])(
  'a number outside its range %j is rejected with a message that states the range',
  (limits, answer, message) => {
    const tickets = createField('tickets', { type: 'number', invalid: '', ...limits })
    const event = createEvent({ fields: [tickets] })
    expect(findAnswerErrors(event, { tickets: answer })).toEqual({ tickets: message })
  },
)

test('an impossible transaction number is rejected with a message that states the format, or with the event file’s message', () => {
  const getUtrError = (utr: string, invalid: string): unknown =>
    findAnswerErrors(
      createEvent({ fields: [createField('utr', { pattern: FORMATS.utr, invalid })] }),
      { utr },
      EMPTY_CONTEXT,
    )['utr']
  expect(getUtrError('12345', '')).toBe(
    'Please enter the UTR: 12 digits for UPI and IMPS, or 16 or 22 letters and digits for NEFT and RTGS',
  )
  expect(getUtrError('12345', 'Look in your statement')).toBe('Look in your statement')
  expect(getUtrError('603212345678', '')).toBeUndefined()
})

test.each([
  ['INR', 1.25, 1.255, 'Please enter an amount with up to two decimal places'],
  ['JPY', 500, 500.5, 'Please enter a whole amount, without decimal places'],
  ['KWD', 1.255, 1.2555, 'Please enter an amount with up to three decimal places'],
])(
  'an amount in %s has the number of decimal places of its currency',
  (code, valid, invalid, message) => {
    const event = createEvent({
      currency: readCurrency(code) ?? INR,
      fields: [createField('gift', { type: 'number', isAmount: true })],
    })
    expect(findAnswerErrors(event, { gift: valid }, EMPTY_CONTEXT)).toEqual({})
    expect(findAnswerErrors(event, { gift: invalid }, EMPTY_CONTEXT)).toEqual({ gift: message })
    expect(toMessages(event, [], { gift: valid })).toEqual({})
    expect(toMessages(event, [], { gift: invalid })).toEqual({ gift: message })
  },
)

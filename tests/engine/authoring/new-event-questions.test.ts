/** How `rollcall new` parses lists, dates in Indian notation, and prices as organisers write them. */
import { describe, expect, test } from 'vitest'
import { day, INR } from '../../../engine/index.ts'
import { QUESTIONS, readCategories, type NewEventAnswers } from '../../../engine/authoring.ts'

const today = day('2026-11-21')
const parseAnswer = (name: string, answer: string, earlierAnswers: NewEventAnswers = {}) => {
  const question = QUESTIONS.find((candidate) => candidate.name === name)
  if (question === undefined) throw new Error(`no question named ${name}`)
  const result = question.parse(answer, earlierAnswers, today)
  return result.ok ? result.value : result.error
}
const DATE_HELP = 'Write 12 March 2027, 12/03/2027 (the day first) or 2027-03-12.'

describe('the answer to a question about a date', () => {
  test.each<[string, object | string]>([
    ['12/03/2027', { from: '2027-03-12' }],
    ['12-3-27', { from: '2027-03-12' }],
    ['12 March 2027', { from: '2027-03-12' }],
    ['Friday, 12th March 2027', { from: '2027-03-12' }],
    ['March 12, 2027.', { from: '2027-03-12' }],
    ['2027-03-12', { from: '2027-03-12' }],
    ['12–14 March 2027', { from: '2027-03-12', to: '2027-03-14' }],
    ['12 March', `Which year? ${DATE_HELP}`],
    ['Monday, 12 March 2027', '12 March 2027 is a Friday, not a Monday.'],
    ['30/02/2027', `Month 2 of 2027 has no day 30. ${DATE_HELP}`],
    ['next spring', `"next spring" is not a valid date. ${DATE_HELP}`],
    ['12 March 2020', '12 March 2020 is in the past. Is the year correct?'],
    [
      '13 August 2027 – 10 November 2028',
      'The conference would last 456 days. Are the month and the year correct?',
    ],
    ['12 March 2027 or later', `"12 March 2027 or later" is not a valid date. ${DATE_HELP}`],
  ])('%s', (answer, expected) => expect(parseAnswer('from', answer)).toEqual(expected))

  test.each<[string, string, NewEventAnswers, string]>([
    [
      'to',
      '11/03/2027',
      { from: day('2027-03-12') },
      'The conference would end (11 March 2027) before it begins (12 March 2027).',
    ],
    [
      'early-until',
      '12/03/2027',
      { from: day('2027-03-12') },
      'The early prices would apply until 12 March 2027, but the conference ends on 12 March 2027: no day is left for the later prices.',
    ],
  ])('%s: %s contradicts an earlier answer', (name, answer, earlierAnswers, sentence) =>
    expect(parseAnswer(name, answer, earlierAnswers)).toBe(sentence),
  )
})

test.each<[string, string, object | string]>([
  ['free', 'y', { free: true }],
  ['free', 'Yes.', { free: true }],
  ['free', 'NO', { free: false }],
  ['free', 'perhaps', '"perhaps" is neither yes nor no.'],
  ['gst', 'none', { tax: 'none' }],
  ['gst', 'inside the prices', { tax: 'inside' }],
  ['gst', 'included', { tax: 'inside' }],
  ['gst', 'on-top', { tax: 'on top' }],
  ['gst', '18% extra', { tax: 'on top' }],
  ['gst', 'yes', '"yes" does not say how GST is charged. Write none, inside or on top.'],
  ['support', 'help@sample.example', { support: 'help@sample.example' }],
  ['support', 'help', '"help" is not an email address.'],
  [
    'support',
    'mailto:help@sample.example',
    '"mailto:help@sample.example" is not a valid address; write help@sample.example.',
  ],
  ['title', '  Lungs   2027 ', { title: 'Lungs 2027' }],
  ['companions', 'none', { companions: null }],
  ['companions', '4000', { companions: { prices: [400_000], freeUnder: null } }],
  [
    'companions',
    'Rs. 4,000 / Rs. 5,000, children free under 5',
    { companions: { prices: [400_000, 500_000], freeUnder: 5 } },
  ],
  [
    'companions',
    '4000/5000; under 12 free',
    { companions: { prices: [400_000, 500_000], freeUnder: 12 } },
  ],
  ['companions', 'half', '"half" is not a price. Write 4000 / 5000: early, then later; or none.'],
  [
    'companions',
    '5000 / 4000',
    'Accompanying person would be cheaper later (₹\u00a04,000) than early (₹\u00a05,000). If it is correct, add --confirm.',
  ],
  ['workshops', 'none', { workshops: [] }],
  [
    'workshops',
    'Ultrasound, beginners = 1,500 / 2,000, 30 seats; ECG = free (40 places)',
    {
      workshops: [
        { label: 'Ultrasound, beginners', prices: [150_000, 200_000], seats: 30 },
        { label: 'ECG', prices: [0], seats: 40 },
      ],
    },
  ],
  [
    'workshops',
    'ECG = 1000\nWriting = 500\n',
    {
      workshops: [
        { label: 'ECG', prices: [100_000], seats: null },
        { label: 'Writing', prices: [50_000], seats: null },
      ],
    },
  ],
  [
    'workshops',
    'ECG = 1000, 40 seats; Writing = 500',
    {
      workshops: [
        { label: 'ECG', prices: [100_000], seats: 40 },
        { label: 'Writing', prices: [50_000], seats: null },
      ],
    },
  ],
  ['workshops', 'ECG = 1000; ecg = 500', '“ECG” is listed twice.'],
  ['workshops', 'ECG = 1000, 0 seats', '“ECG” would have no seats.'],
  [
    'workshops',
    'ECG = 1000, -30 seats',
    '"-30" is not a number of seats. Write a whole number: 30 seats.',
  ],
  [
    'workshops',
    'ECG = 1000, 30.5 seats',
    '"30.5" is not a number of seats. Write a whole number: 30 seats.',
  ],
  [
    'workshops',
    'ECG = none / 1000',
    { workshops: [{ label: 'ECG', prices: [null, 100_000], seats: null }] },
  ],
  ['workshops', 'ECG = none', '“ECG” would never be on sale.'],
  ['companions', 'none / 4000', { companions: { prices: [null, 400_000], freeUnder: null } }],
  ['workshops', 'ECG', '"ECG" has no price. Write ECG = 4000 / 5000, or ECG = free.'],
])(
  'the answer to the question “%s” is parsed, or rejected with a message: %s',
  (name, answer, expected) => expect(parseAnswer(name, answer)).toEqual(expected),
)

test.each<[string, string, object | string]>([
  ['companions', 'yes', { companions: { prices: [0], freeUnder: null } }],
  ['companions', 'no', { companions: null }],
  ['companions', '4000', '"4000" is neither yes nor no.'],
  ['workshops', 'ECG, 40 seats', { workshops: [{ label: 'ECG', prices: [0], seats: 40 }] }],
])(
  'for a free event, the answer to the question “%s” is parsed, or rejected with a message: %s',
  (name, answer, expected) => {
    const result = parseAnswer(name, answer, { free: true })
    expect(typeof result === 'string' ? result : { ...result, free: undefined }).toEqual(expected)
  },
)

const readRows = (answer: string, free = false) => {
  const categories = readCategories(answer, free, INR)
  return categories.ok
    ? categories.value.map(({ label, prices }) => [label, ...prices])
    : categories.error
}

describe('categories', () => {
  test.each<[string, readonly (readonly [string, ...(number | null)[]])[]]>([
    [
      'Member = 4000 / 5000, Student = 1000',
      [
        ['Member', 400_000, 500_000],
        ['Student', 100_000, 100_000],
      ],
    ],
    [
      'Member = 4000 / 5000; Student = 1000;',
      [
        ['Member', 400_000, 500_000],
        ['Student', 100_000, 100_000],
      ],
    ],
    [
      'Member = 4000 / 5000\nStudent = 1000\n',
      [
        ['Member', 400_000, 500_000],
        ['Student', 100_000, 100_000],
      ],
    ],
    [
      'Member = Rs. 5,000 / Rs. 6,000/-, Student = 1,000',
      [
        ['Member', 500_000, 600_000],
        ['Student', 100_000, 100_000],
      ],
    ],
    [
      'Member (IMA, API) = 5000, Student = 1000',
      [
        ['Member (IMA, API)', 500_000],
        ['Student', 100_000],
      ],
    ],
    [
      'Member, IMA = 5,000; Student = 1000',
      [
        ['Member, IMA', 500_000],
        ['Student', 100_000],
      ],
    ],
    [
      'Member, IMA = 5,000, Student = 1000',
      [
        ['Member, IMA', 500_000],
        ['Student', 100_000],
      ],
    ],
    [
      'Member = 4000, 5000, Student = 1000',
      [
        ['Member', 400_000, 500_000],
        ['Student', 100_000, 100_000],
      ],
    ],
    ['Member: ₹4,000.50', [['Member', 400_050]]],
    [
      'Faculty = free, Spot = none / 6000',
      [
        ['Faculty', 0, 0],
        ['Spot', null, 600_000],
      ],
    ],
    ['Everybody = 0 / 0', [['Everybody', 0, 0]]],
    [
      'Member = 4000 / 5000 / 6000; Student = 1000',
      [
        ['Member', 400_000, 500_000, 600_000],
        ['Student', 100_000, 100_000, 100_000],
      ],
    ],
  ])('%s', (answer, expected) => expect(readRows(answer)).toEqual(expected))

  test.each([
    ['Member', '"Member" has no price. Write Member = 4000 / 5000, or Member = free.'],
    [
      'Member = 40, Student',
      '"Student" has no price. Write Student = 4000 / 5000, or Student = free.',
    ],
    ['Member = cheap', '"cheap" is not a price. Write Member = 4000 / 5000: early, then later.'],
    [
      'Member = 5000 / 6000; Foreign = USD 100 / 120',
      'The price of Foreign is in a different currency. All prices here are in rupees: leave out Foreign and add it to the file later, where a category can have its own `currency`.',
    ],
    [
      'Member = 1 / 2 / 3; Student = 1 / 2',
      'Student has 2 prices, but Member has 3. Give each category 3 prices, or one that applies to all periods.',
    ],
    [
      'Member = 4 / 5 / 4',
      'Member would be cheaper in “Late” (₹ 4) than in “Regular” (₹ 5). If it is correct, add --confirm.',
    ],
    [
      'Member = 5000 / 4000',
      'Member would be cheaper later (₹ 4,000) than early (₹ 5,000). If it is correct, add --confirm.',
    ],
    ['Member = none / none', 'Member would never be on sale.'],
    ['Member = 1; member = 2', '"member" is listed twice.'],
    ['= 5000', '"= 5000" has no category. Write Member = 4000 / 5000; Student = 1000.'],
    [' ; ', 'There is no category. Write Member = 4000 / 5000; Student = 1000.'],
  ])('%s is rejected with a message', (answer, sentence) =>
    expect(String(readRows(answer)).replaceAll('\u00a0', ' ')).toBe(sentence),
  )

  test('of a free event need no prices, and reject prices other than zero', () => {
    expect(readRows('Member, Student (PG, intern)', true)).toEqual([
      ['Member', 0],
      ['Student (PG, intern)', 0],
    ])
    expect(readRows('Member = 500', true)).toContain('the event is free')
    expect(parseAnswer('categories', 'A = 0 / 0; B = free')).toMatchObject({ free: true })
    expect(parseAnswer('categories', 'A = 0 / 0; B = 5')).not.toHaveProperty('free')
  })
})

/** The optional questions about a new event: their answers replace the placeholders. */
import { describe, expect, test } from 'vitest'
import {
  checkRegistrationOpen,
  day,
  INR,
  quote,
  readCurrency,
  startOfDay,
  toAmount,
  withDeskDays,
} from '../../../engine/index.ts'
import {
  DETAIL_QUESTIONS,
  readRefundSteps,
  type NewEventAnswers,
} from '../../../engine/authoring.ts'
import { ANSWER_DAY as today, compileNewEvent, parseAnswer } from './new-event-file.ts'

const EUR = readCurrency('EUR') ?? INR
const event: NewEventAnswers = {
  title: 'Echo 2026',
  from: day('2026-12-11'),
  to: day('2026-12-13'),
  venue: 'Hall 5, Kochi',
  support: 'help@echo.example',
  tax: 'none',
  periodLabels: ['Early', 'Regular'],
  periodEnds: [day('2026-08-31')],
  categories: [{ label: 'Member', prices: [toAmount(500_000), toAmount(600_000)] }],
}

const parse = (name: string, answer: string, answers: NewEventAnswers = event) =>
  parseAnswer(name, answer, answers)

function answerAll(texts: Readonly<Record<string, string>>, answers = event): NewEventAnswers {
  return Object.entries(texts).reduce((earlierAnswers, [name, text]) => {
    const result = parse(name, text, earlierAnswers)
    if (!result.ok) throw new Error(result.error)
    return result.value
  }, answers)
}

test.each<[string, string, object | string]>([
  [
    'refund',
    'until 30 September 2026: 75%; until 31 October 2026: 50%',
    {
      refund: [
        { until: '2026-09-30', percent: 75 },
        { until: '2026-10-31', percent: 50 },
      ],
    },
  ],
  [
    'refund',
    '2026-09-30: 100\n31/10/2026 → 50 %\nbefore 15 Nov 2026 = 25 per cent',
    {
      refund: [
        { until: '2026-09-30', percent: 100 },
        { until: '2026-10-31', percent: 50 },
        { until: '2026-11-15', percent: 25 },
      ],
    },
  ],
  ['refund', '30 September 2026 75%', { refund: [{ until: '2026-09-30', percent: 75 }] }],
  ['refund', 'No refund', { refund: [] }],
  ['refund', 'none', { refund: [] }],
  [
    'refund',
    'until 30 September 2026',
    'What percentage of the payment is refunded up to this date? Write a number, such as 75%.',
  ],
  ['refund', ': 75', 'What is the last day for this refund?'],
  [
    'refund',
    'half',
    '"half" is not a valid date. Write 12 March 2027, 12/03/2027 (the day first) or 2027-03-12.',
  ],
  [
    'refund',
    '2026-09-30: half',
    '“half” is not a valid percentage. Write a whole number from 1 to 100, such as 75%.',
  ],
  [
    'refund',
    '2026-09-30: 120%',
    '“120” is not a valid percentage. Write a whole number from 1 to 100, such as 75%.',
  ],
  [
    'refund',
    '2026-09-30: 50; 2026-10-31: 75',
    'A later cancellation would get more (75%) than an earlier one (50%).',
  ],
  [
    'refund',
    '2026-10-31: 75; 2026-09-30: 50',
    '30 September 2026 is not after 31 October 2026. Enter the dates in order.',
  ],
  ['refund', '2026-12-14: 75', '14 December 2026 is after the conference.'],
  ['refund', '2026-04-01: 75', '1 April 2026 is in the past. Is the year correct?'],
  ['edit-until', '4 December 2026', { editUntil: '2026-12-04' }],
  [
    'edit-until',
    '14 December 2026',
    '14 December 2026 is after the conference, which ends on 13 December 2026.',
  ],
  ['edit-until', '4 December 2025', '4 December 2025 is in the past. Is the year correct?'],
  ['edit-until', 'soon', expect.stringContaining('"soon" is not a valid date.')],
  ['on-site', 'online', { onSite: 'online' }],
  ['on-site', 'yes', { onSite: 'online' }],
  ['on-site', 'only at the front desk', { onSite: 'desk' }],
  ['on-site', 'no', { onSite: 'none' }],
  // The values of the page's radio buttons.
  ['on-site', 'desk', { onSite: 'desk' }],
  ['on-site', 'none', { onSite: 'none' }],
  [
    'on-site',
    'perhaps',
    '"perhaps" is not an answer. Write online, only at the registration desk, or no.',
  ],
  ['account', 'society', { account: 'society' }],
  ['account', 'Mid Zone', { account: 'mid-zone' }],
  ['account', 'AIRPAY_MID_ZONE_…', { account: 'mid-zone' }],
  [
    'account',
    'State Bank 30012345678',
    '"State Bank 30012345678" is not the short name of a payment account, such as society. It is not the number of a bank account. Ask the person who runs your Rollcall server.',
  ],
  [
    'account',
    '50100012345678',
    '"50100012345678" is not the short name of a payment account, such as society. It is not the number of a bank account. Ask the person who runs your Rollcall server.',
  ],
  ['colour', '#2f5d8a', { colour: '#2F5D8A' }],
  ['colour', 'fa0', { colour: '#FFAA00' }],
  ['colour', 'blue', '"blue" is not a colour. Write # and six letters or digits, such as #2F5D8A.'],
])(
  'the answer to the question “%s” is parsed, or rejected with a message: %s',
  (name, answer, expected) => {
    const result = parse(name, answer)
    if (result.ok) expect(result.value).toEqual({ ...event, ...(expected as object) })
    else expect(result.error).toEqual(expected)
  },
)

test('refund dates in the wrong order are reported once, and not also as a larger refund for a later cancellation', () => {
  const { problems } = readRefundSteps('2026-10-31: 50; 2026-09-30: 75', event, today)
  expect(problems.map(({ step, part }) => [step, part])).toEqual([[1, 'day']])
})

test('the questions about refunds and the payment account are asked only if they apply', () => {
  const listQuestionNames = (answers: NewEventAnswers) =>
    DETAIL_QUESTIONS.filter(({ buildQuestion }) => buildQuestion(answers) !== null).map(
      ({ name }) => name,
    )
  expect(listQuestionNames(event)).toEqual(['refund', 'edit-until', 'on-site', 'account', 'colour'])
  expect(listQuestionNames({ ...event, free: true })).toEqual(['edit-until', 'on-site', 'colour'])
  expect(listQuestionNames({ ...event, currency: EUR })).toEqual([
    'refund',
    'edit-until',
    'on-site',
    'colour',
  ])
})

const DETAILS = {
  refund: 'until 30 September 2026: 75%; until 31 October 2026: 50%',
  'edit-until': '4 December 2026',
  account: 'society',
  colour: '#117733',
}

test('the answers set the refunds, the last day for corrections, the payment account and the colour', () => {
  expect(compileNewEvent(event).compiled.demo).toEqual(
    expect.arrayContaining(['look', 'payment.account', 'cancellation', 'edit']),
  )
  const compiled = compileNewEvent(answerAll(DETAILS)).compiled
  expect(compiled.demo).toEqual([])
  expect(compiled).toMatchObject({
    cancellation: {
      steps: [
        { until: '2026-09-30', percent: 75 },
        { until: '2026-10-31', percent: 50 },
      ],
      otherwise: { percent: 0 },
    },
    edit: { until: '2026-12-04' },
    payment: { account: 'society' },
    look: { colour: '#117733' },
  })
  expect(compileNewEvent(answerAll({ refund: 'no refund' })).compiled.cancellation).toMatchObject({
    steps: [],
    otherwise: { percent: 0 },
  })
})

describe('registration on the days of the conference', () => {
  /**
   * Returns whether registration is open online, open only at the front desk, or closed on each of four days: the day
   * before the conference, its first day, its last day, and the day after.
   */
  const describeDays = (answers: NewEventAnswers) => {
    const compiled = compileNewEvent(answers).compiled
    return ['2026-12-10', '2026-12-11', '2026-12-13', '2026-12-14'].map((on) => {
      const isOpen = (config: typeof compiled) => checkRegistrationOpen(config, day(on)).open
      const deskConfig = withDeskDays(compiled, day(on))
      const price = quote(deskConfig, { registering_as: 'member' } as never, startOfDay(day(on)))
      expect(price.ok).toBe(isOpen(deskConfig))
      return isOpen(compiled) ? 'online' : isOpen(deskConfig) ? 'desk' : 'closed'
    })
  }
  const WITH_SPOT_PRICE: NewEventAnswers = {
    ...event,
    periodLabels: ['Early', 'Spot'],
    periodEnds: [day('2026-12-10')],
  }
  const WITH_EARLY_CLOSING: NewEventAnswers = { ...event, closes: day('2026-12-05') }
  const WITH_GAP: NewEventAnswers = { ...event, periodStarts: [null, day('2026-12-11')] }

  test.each<[string, NewEventAnswers, string, readonly string[]]>([
    ['online', event, 'online', ['online', 'online', 'online', 'closed']],
    ['only at the desk', event, 'front desk', ['online', 'desk', 'desk', 'closed']],
    ['closed', event, 'no', ['online', 'closed', 'closed', 'closed']],
    [
      'with an on-site price, online',
      WITH_SPOT_PRICE,
      'online',
      ['online', 'online', 'online', 'closed'],
    ],
    [
      'with an on-site price, at the desk',
      WITH_SPOT_PRICE,
      'front desk',
      ['online', 'desk', 'desk', 'closed'],
    ],
    [
      'with prices that end before the conference, at the desk',
      WITH_EARLY_CLOSING,
      'front desk',
      ['closed', 'desk', 'desk', 'closed'],
    ],
    [
      'with prices that end before the conference, closed',
      WITH_EARLY_CLOSING,
      'no',
      ['closed', 'closed', 'closed', 'closed'],
    ],
    ['with a gap, at the desk', WITH_GAP, 'front desk', ['closed', 'desk', 'desk', 'closed']],
    [
      'free, at the desk',
      { ...event, free: true },
      'front desk',
      ['online', 'desk', 'desk', 'closed'],
    ],
    ['free, closed', { ...event, free: true }, 'no', ['online', 'closed', 'closed', 'closed']],
  ])('follows the answer and the prices: %s', (_name, answers, answer, expected) =>
    expect(describeDays(answerAll({ 'on-site': answer }, answers))).toEqual(expected),
  )

  test.each<[string, NewEventAnswers]>([
    ['no', event],
    ['front desk', event],
    ['front desk', WITH_SPOT_PRICE],
    ['no', WITH_EARLY_CLOSING],
  ])('in euros, paid by bank transfer: %s', (answer, answers) =>
    expect(
      describeDays(answerAll({ 'on-site': answer }, { ...answers, currency: EUR })).slice(1),
    ).toEqual(answer === 'no' ? ['closed', 'closed', 'closed'] : ['desk', 'desk', 'closed']),
  )

  test.each<[string, NewEventAnswers, string]>([
    [
      'online',
      WITH_EARLY_CLOSING,
      'The prices apply until 5 December 2026, before the conference begins. Change the last day in the fee table, or choose another answer.',
    ],
    [
      'no',
      WITH_SPOT_PRICE,
      '“Spot” begins on 11 December 2026, when the conference has already begun. Change that date in the fee table, or choose another answer.',
    ],
    [
      'no',
      { ...event, opens: day('2026-12-12') },
      'Registration opens on 12 December 2026, when the conference has already begun. Change that date in the fee table, or choose another answer.',
    ],
  ])('%s contradicts the fee table', (answer, answers, sentence) =>
    expect(parse('on-site', answer, answers)).toEqual({ ok: false, error: sentence }),
  )
})

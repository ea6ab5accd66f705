/** Three complete events match their brochures, in bills worked out by hand and in the files' messages. */
import { expect, test } from 'vitest'
import {
  INR,
  day,
  findAnswerErrors,
  getLabel,
  toAmount,
  buildPriceTable,
  quote,
  toMajorUnits,
  startOfDay,
  type Answers,
  type EventConfig,
  type RawAnswers,
} from '../../../engine/index.ts'
import { toWireLines } from '../../../engine/api.ts'
import { buildAlreadyRegisteredEmail, buildPaymentReminderEmail } from '../../../engine/messages.ts'
import { compileEvent, diffEvents, readEvent } from '../../../engine/authoring.ts'
import { normaliseWithContext } from '../../../engine/answers/normalize-answers.ts'
import { memoize } from '../../../engine/lib/memoize.ts'
import { extractContext, type PricingContext } from '../../../engine/rules/pricing-context.ts'
import { EACH_ROW, calculateBill } from '../../../engine/pricing/bill.ts'
import { REGISTRATION_LINE_ID } from '../../../engine/event/pricing-types.ts'
import { proveBill } from '../../../engine/authoring/proofs/bill-bounds.ts'
import { findPriceFields } from '../../../engine/authoring/tools/price-fields.ts'
import { buildPriceList } from '../../../engine/authoring/tools/price-list.ts'
import { createAgreementAssertion } from '../answers/schema-agreement.ts'
import {
  readBills,
  getBillInstant,
  formatLine,
  BILL_EVENTS,
  type Bill,
} from './three-bills/bills.ts'
import { sharedFiles, readSource } from '../event-files.ts'

function readEventById(id: string): EventConfig {
  const path = `tests/events/${id}.yaml`
  return readEvent(readSource(path).text, sharedFiles, { path }) as EventConfig
}
const conference = readEventById('nidancon2027')
const marathon = readEventById('nilarun2027')
const webinar = readEventById('soiltalk2027')

/** Memoized, so that the schema of each event is compiled once. */
const getAgreementCheck = memoize(createAgreementAssertion)
const ALL_BILLS = [conference, marathon, webinar].flatMap((event) =>
  readBills(event.id).map((bill) => [event.id, bill.who, event, bill] as const),
)

/** Returns the answers of the first example in the file, which all bills share. */
const createExampleAnswers = (event: EventConfig): RawAnswers => {
  const firstExample = event.examples.find((example) => 'answers' in example)
  return firstExample !== undefined && 'answers' in firstExample ? firstExample.answers : {}
}

function createContext({ code, kind, full }: Bill): PricingContext {
  return {
    code:
      code === undefined
        ? null
        : code === 'unknown' || code === 'spent'
          ? { is: code }
          : { is: 'valid', kind: code },
    left: Object.fromEntries((full ?? []).map((seat) => [seat, 0])),
    memberRecords: { member_number: kind === undefined ? null : { kind } },
  }
}

/** Computes the bill in the format of the tables. */
function computeBill(event: EventConfig, bill: Bill): Pick<Bill, 'lines' | 'total'> {
  const { answers } = normaliseWithContext(
    event,
    { ...createExampleAnswers(event), ...bill.given },
    createContext(bill),
  )
  const result = quote(event, answers, getBillInstant(bill))
  if (!result.ok) return { lines: [], total: QUOTE_ERRORS[result.error.code] }
  const { base, gst, total, lines } = result.value
  expect(base + gst).toBe(total)
  return {
    lines: toWireLines(lines, INR).map(formatLine),
    total: toMajorUnits(total, INR),
  }
}
const QUOTE_ERRORS = {
  registration_closed: 'closed',
  not_on_sale: 'not on sale',
  no_category: 'no category',
} as const

test.each(ALL_BILLS)('%s: %s', (_, __, event, bill) => {
  expect(computeBill(event, bill)).toEqual({ lines: bill.lines, total: bill.total })
})

test('the tables contain at least ninety bills, and each total is the sum of its lines', () => {
  expect(ALL_BILLS.length).toBeGreaterThanOrEqual(90)
  for (const [, delegate, , { lines, total }] of ALL_BILLS) {
    if (typeof total !== 'number') continue
    const paise = lines.flatMap((line) =>
      (line.split('=')[1] ?? '').split(' + ').map((part) => Math.round(Number(part) * 100)),
    )
    expect(
      paise.reduce((sum, part) => sum + part, 0),
      delegate,
    ).toBe(Math.round(total * 100))
  }
})

const AT_MOST_TWO = 'At most two workshops, and no two at the same time'
const ANSWERS_WITH_ERRORS: readonly (readonly [
  what: string,
  event: EventConfig,
  given: RawAnswers,
  errors: Readonly<Record<string, string>>,
])[] = [
  ['one workshop', conference, { workshops: ['ecg'] }, {}],
  ['two consecutive workshops', conference, { workshops: ['writing', 'ultrasound'] }, {}],
  [
    'a third workshop',
    conference,
    { workshops: ['ultrasound', 'ecg', 'writing'] },
    { workshops: AT_MOST_TWO },
  ],
  [
    'two workshops at the same time',
    conference,
    { workshops: ['airway', 'ultrasound'] },
    { workshops: AT_MOST_TWO },
  ],
  [
    'a workshop that does not exist',
    conference,
    { workshops: ['ecg', 'surgery'] },
    { workshops: 'Please choose one of the options' },
  ],
  ['one workshop as a string', conference, { workshops: 'ecg' }, {}],
  [
    'workshops as an object',
    conference,
    { workshops: { ecg: true } },
    { workshops: 'Please choose one of the options' },
  ],
  ['four companions', conference, withCompanions(1, 2, 3, 4), {}],
  [
    'a companion without an age',
    conference,
    { companions: [{ name: 'Ravi Sample' }] },
    { 'companions.0.age': 'Please give the age' },
  ],
  [
    'a companion without a name',
    conference,
    {
      companions: [
        { name: 'Ravi Sample', age: 40 },
        { name: ' ', age: 4 },
      ],
    },
    { 'companions.1.name': 'Please give the name' },
  ],
  [
    'a companion aged 111',
    conference,
    withCompanions(111),
    { 'companions.0.age': 'Please give the age in years' },
  ],
  [
    'a companion who has not been born',
    conference,
    withCompanions(-1),
    { 'companions.0.age': 'Please give the age in years' },
  ],
  [
    'a companion with an unknown food option',
    conference,
    { companions: [{ name: 'R', age: 40, food: 'caviar' }] },
    { 'companions.0.food': 'Please choose one of the options' },
  ],
  [
    'six tickets',
    conference,
    { dinner_tickets: 6 },
    { dinner_tickets: 'Please choose from 0 to 5 tickets' },
  ],
  [
    'half a ticket',
    conference,
    { dinner_tickets: 1.5 },
    { dinner_tickets: 'Please choose from 0 to 5 tickets' },
  ],
  [
    'a room without a number of nights',
    conference,
    { room: 'twin' },
    { nights: 'Please say for how many nights', arrives_on: 'Please say when you arrive' },
  ],
  [
    'seven nights',
    conference,
    { room: 'twin', nights: 7, arrives_on: '2027-02-10' },
    { nights: 'Please choose from 1 to 5 nights' },
  ],
  [
    'half a night',
    conference,
    { room: 'twin', nights: 0.5, arrives_on: '2027-02-10' },
    { nights: 'Please choose from 1 to 5 nights' },
  ],
  [
    'arrival a day before rooms are available',
    conference,
    { room: 'twin', nights: 1, arrives_on: '2027-02-09' },
    { arrives_on: 'Rooms are kept from 10 to 14 February 2027' },
  ],
  [
    'arrival on the first and the last day',
    conference,
    { room: 'twin', nights: 1, arrives_on: '2027-02-14' },
    {},
  ],
  [
    'arrival after the event',
    conference,
    { room: 'twin', nights: 1, arrives_on: '2027-02-15' },
    { arrives_on: 'Rooms are kept from 10 to 14 February 2027' },
  ],
  [
    'no consent',
    conference,
    { data_consent: false },
    { data_consent: 'We need your consent to register you' },
  ],
  ['consent as text', conference, { data_consent: 'true' }, {}],
  [
    'a consent that is neither yes nor no',
    conference,
    { data_consent: 'perhaps' },
    { data_consent: 'Please check this answer' },
  ],
  [
    'a member without a number',
    conference,
    { is_member: true },
    { member_number: 'Please give your membership number' },
  ],
  [
    'a trainee without a letter',
    conference,
    { role: 'trainee' },
    { letter: 'Please add the letter' },
  ],
  [
    'a trainee with a letter in another file format',
    conference,
    { role: 'trainee', letter: 'letter.exe' },
    { letter: 'Please choose a file of an allowed type' },
  ],
  ['a mobile number with the country code', conference, { phone_number: '+91 98470 12345' }, {}],
  [
    'a landline number',
    conference,
    { phone_number: '0487 2331234' },
    { phone_number: 'Please give an Indian mobile number of ten digits' },
  ],
  ['a GSTIN', conference, { gstin: '32AAACS1234A1ZB' }, {}],
  [
    'a GSTIN with a wrong check digit, if no invoice prints it',
    conference,
    { gstin: '32AAACS1234A1Z5' },
    {
      gstin:
        'The last character of this GSTIN does not match the others. Please check every character.',
    },
  ],
  [
    'no GSTIN',
    conference,
    { gstin: '32AAACS1234A1X5' },
    { gstin: 'A GSTIN has fifteen letters and digits' },
  ],
  [
    'a delegate born next year',
    conference,
    { born_on: '2028-01-01' },
    { born_on: 'Please give the day on which you were born' },
  ],
  [
    'no answers',
    conference,
    {
      full_name: '',
      email: '',
      phone_number: '',
      born_on: '',
      role: '',
      state: '',
      council_no: '',
      data_consent: '',
    },
    {
      full_name: 'Please give your name',
      email: 'Please give your email address',
      phone_number: 'Please give your mobile number',
      born_on: 'Please give your date of birth',
      role: 'Please say what you are',
      state: 'Please choose your state',
      data_consent: 'We need your consent to register you',
    },
  ],

  [
    'an adult runner without a distance',
    marathon,
    { distance: '' },
    { distance: 'Please choose a distance' },
  ],
  [
    'a child without a guardian',
    marathon,
    { born_on: '2018-01-01' },
    { guardian: 'Runners under 18 need a guardian' },
  ],
  [
    'a child with a guardian, and no distance',
    marathon,
    { born_on: '2018-01-01', distance: '', guardian: 'Dev Sample' },
    {},
  ],
  ['a runner aged 4', marathon, { born_on: '2023-01-17', guardian: 'Dev Sample' }, {}],
  [
    'a runner aged 3',
    marathon,
    { born_on: '2023-01-18', guardian: 'Dev Sample' },
    { born_on: 'Runners are between 4 and 96 years old' },
  ],
  ['a best time', marathon, { best_time: '3:45:00' }, {}],
  [
    'no best time',
    marathon,
    { best_time: '3 hours' },
    { best_time: 'Please write hours and minutes and seconds such as 3:45:00' },
  ],
  [
    'a best time for a distance without best times',
    marathon,
    { distance: 'ten', best_time: '3 hours' },
    {},
  ],
  [
    '99 rupees',
    marathon,
    { donation: 99 },
    { donation: 'Please give between 100 and 50000 rupees' },
  ],
  ['100 rupees', marathon, { donation: 100 }, {}],
  [
    '50,001 rupees',
    marathon,
    { donation: 50001 },
    { donation: 'Please give between 100 and 50000 rupees' },
  ],
  ['a family member born on the day of the race', marathon, withFamily('2027-01-17'), {}],
  [
    'a family member who has not been born',
    marathon,
    withFamily('2027-01-18'),
    { 'family.0.born_on': 'Please give the day of birth' },
  ],
  [
    'a shirt without a size',
    marathon,
    { shirt: 'xs' },
    { shirt: 'Please choose one of the options' },
  ],
  [
    'a name too long for a bib',
    marathon,
    { full_name: 'A'.repeat(41) },
    { full_name: 'Please enter 40 characters or fewer' },
  ],
  [
    'a runner who did not accept the risk',
    marathon,
    { waiver: '' },
    { waiver: 'You must accept the risk to run' },
  ],

  ['no topics', webinar, { topics: [] }, { topics: 'Please choose one to three topics' }],
  [
    'four topics',
    webinar,
    { topics: ['acidity', 'salt', 'carbon', 'metals'] },
    { topics: 'Please choose one to three topics' },
  ],
  ['a PIN code with letters', webinar, { pin: 'PIN 1' }, { pin: 'A PIN code has six digits' }],
  ['a PIN code', webinar, { pin: '679 101' }, {}],
  [
    'no consent',
    webinar,
    { data_consent: false },
    { data_consent: 'Without this we cannot send the link' },
  ],
  ['no consent to the newsletter', webinar, { news_consent: false }, {}],
]

function withCompanions(...ages: readonly number[]): RawAnswers {
  return { companions: ages.map((age) => ({ name: `Person of ${age}`, age })) }
}
function withFamily(...days: readonly string[]): RawAnswers {
  return { family: days.map((born_on) => ({ name: `Born on ${born_on}`, born_on })) }
}

test.each(ANSWERS_WITH_ERRORS)(
  '%s: the delegate sees the expected error messages',
  (_, event, givenAnswers, errors) => {
    const raw = { ...createExampleAnswers(event), ...givenAnswers }
    expect(findAnswerErrors(event, raw)).toEqual(errors)
    getAgreementCheck(event)(raw)
  },
)

test.each(ALL_BILLS)('%s: %s: the schema accepts the same answers', (_, __, event, { given }) => {
  getAgreementCheck(event)({ ...createExampleAnswers(event), ...given })
})

test('the labels of the bill lines match the brochure', () => {
  const raw = {
    ...createExampleAnswers(conference),
    ...withCompanions(40, 4),
    workshops: ['ecg'],
    dinner_tickets: 2,
    room: 'single',
    nights: 3,
    arrives_on: '2027-02-11',
  }
  const result = quote(
    conference,
    normaliseWithContext(conference, raw).answers,
    startOfDay(day('2027-02-02')),
  )
  expect(result.ok && result.value.lines.map(({ label }) => label)).toEqual([
    'Non-member',
    'Accompanying person',
    'Workshop: ECG in an hour (Hall A, 12 noon)',
    'Gala dinner',
    'Single room, 3 nights',
    'Late fee',
  ])
})

test('the fields that affect a price are those that can change a bill, and those that decide whether such a field is shown', () => {
  expect(findPriceFields(conference).map(({ id }) => id)).toEqual([
    'born_on',
    'role',
    'is_member',
    'member_number',
    'presents_paper',
    'workshops',
    'companions',
    'dinner_tickets',
    'room',
    'nights',
  ])
})

test('every cell of the price list equals the first line of the bill', () => {
  for (const event of [conference, marathon, webinar])
    for (const { category, cells: priceCells } of buildPriceTable(event))
      for (const { period, price } of priceCells) {
        const priceDay = day(period.from ?? '2026-11-21')
        const lines = calculateBill(event, {}, category.id, period.id, priceDay)
        const { base, gst, total } = (lines.ok ? lines.value[0] : undefined) ?? {}
        expect(price ?? {}, `${category.id} in ${period.id}`).toEqual(
          price ? { base, gst, total } : {},
        )
        expect(lines.ok).toBe(price !== null)
      }
})

test('the marathon uses "runner" and "race", and an event without terms uses "delegate" and "category"', () => {
  const listEventTerms = (event: EventConfig): readonly string[] =>
    ['delegate', 'category', 'reg_no', 'total'].map((id) => getLabel(event, id))
  expect(listEventTerms(marathon)).toEqual(['Runner', 'Race', 'Bib reference', 'Total Amount'])
  expect(listEventTerms(webinar)).toEqual([
    'Delegate',
    'Category',
    'Registration Number',
    'Total Amount',
  ])
  const unpaidRegistration = {
    answers: { email: 'a@example.org' },
    total: toAmount(100),
    currency: 'INR',
    regNo: 'NILA1',
  }
  const NO_PRICE_CHANGE = { until: null, today: '2026-01-01' as never }
  const getReminderText = (event: EventConfig) =>
    buildPaymentReminderEmail(event, unpaidRegistration as never, NO_PRICE_CHANGE)?.text ?? ''
  expect(getReminderText(marathon)).toMatch(/^Dear runner,/)
  expect(getReminderText(conference)).toMatch(/^Dear delegate,/)
  expect(
    buildAlreadyRegisteredEmail(marathon, unpaidRegistration as never, 'complete')?.text,
  ).toMatch(/^Dear runner,/)
})

test.each(BILL_EVENTS)('%s: the checker reports nothing', (id) => {
  const path = `tests/events/${id}.yaml`
  const { findings } = compileEvent(readSource(path).text, sharedFiles, { path })
  expect(findings.filter(({ severity }) => severity !== 'note').map(({ code }) => code)).toEqual([])
  // An example that states the registration line also covers the price in the table.
  expect(findings.map(({ code }) => code)).not.toContain('EV902')
})

test('the lowest and the highest bill that the checker finds match the bills worked out by hand', () => {
  const getBillLimits = (event: EventConfig): readonly (number | undefined)[] => {
    const extremes = proveBill(event).extremes?.[0]
    return [extremes?.cheapest?.total, extremes?.mostExpensive?.total]
  }
  expect(getBillLimits(conference)).toEqual([0, 8_911_500])
  expect(getBillLimits(marathon)).toEqual([0, 5_506_900])
  expect(getBillLimits(webinar)).toEqual([0, 0])
})

test('the prices in the price list are the same as the prices in the bills of the file’s examples', () => {
  for (const event of [conference, marathon, webinar]) {
    const { tables } = buildPriceList(event)
    const listedCells = tables.flatMap(({ id, parts }) =>
      parts.flatMap(({ rows }) =>
        rows.flatMap((row) =>
          row.cells.flatMap((cell, index) =>
            cell === null ? [] : [`${id} ${row.id}, ${event.fees.periods[index]?.id}: ${cell}`],
          ),
        ),
      ),
    )
    const pricedItems = new Set(tables.flatMap(({ id, parts }) => (parts.length === 0 ? [] : [id])))
    const billedCells = event.examples.flatMap((example) => {
      if (!('answers' in example)) return []
      const context = extractContext(event, example.answers as Answers)
      const result = quote(
        event,
        normaliseWithContext(event, example.answers, context).answers,
        example.on,
      )
      if (!result.ok) return []
      const { category, period, lines } = result.value
      return lines
        .filter(({ id }) => pricedItems.has(id))
        .map(({ id, option, unit }) => {
          const row = option ?? (id === REGISTRATION_LINE_ID ? category : EACH_ROW)
          return `${id} ${row}, ${period}: ${unit}`
        })
    })
    expect([...new Set(billedCells)].sort()).toEqual([...new Set(listedCells)].sort())
  }
})

test('diff reports a rule with a new member list value as a change for the affected answers', () => {
  const { path, text } = readSource('tests/events/nidancon2027.yaml')
  const nextEvent = readEvent(
    text.replace('member_number.kind: [life, annual]', 'member_number.kind: annual'),
    sharedFiles,
    {
      path,
    },
  ) as EventConfig
  const { rules } = diffEvents(conference, nextEvent)
  expect(rules.map((rule) => [rule.old, rule.next])).toEqual([['member', 'non-member']])
  expect(rules[0]?.answers).toContain('member_number.kind: life')
})

test('diff reports no prices for days on which registration is closed', () => {
  const { path, text } = readSource('tests/events/nidancon2027.yaml')
  const openEndedText = text.replace('from: 2027-02-06, to: 2027-02-14}', 'from: 2027-02-06}')
  expect(openEndedText).not.toBe(text)
  const { sold: soldDiff, prices } = diffEvents(
    conference,
    readEvent(openEndedText, sharedFiles, { path }) as EventConfig,
  )
  expect([...soldDiff, ...prices]).toEqual([])
})

test('diff reports a form page that was moved as a new page order, without listing its fields', () => {
  const { path, text } = readSource('tests/events/nidancon2027.yaml')
  const [before = '', company = '', consent = '', after = ''] = text.split(
    /(?=^ {4}- title: Company and Stay)|(?=^ {4}- title: Consent)|(?=^ {2}panel:)/m,
  )
  const nextEvent = readEvent(`${before}${consent}${company}${after}`, sharedFiles, {
    path,
  }) as EventConfig
  const { values } = diffEvents(conference, nextEvent)
  expect([...new Set(values.map(({ kind }) => kind))]).toEqual(['layout'])
  expect(values.find((value) => value.path === 'sections.order')).toMatchObject({
    old: '1, 2, 3, 4',
    next: '1, 2, 4, 3',
  })
})

/** Tables of workshops and accompanying persons: on each day, delegates pay the prices in the tables. */
import { describe, expect, test } from 'vitest'
import {
  addDays,
  day,
  INR,
  quote,
  readCurrency,
  startOfDay,
  toAmount,
} from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import {
  explainNote,
  QUESTIONS,
  readCompanionTable,
  readFees,
  readFeeTable,
  readItemRow,
  readItemTable,
  readNote,
  readWorkshopTable,
  type ItemRow,
  type NewEventAnswers,
} from '../../../engine/authoring.ts'
import { ANSWER_DAY as today, compileNewEvent } from './new-event-file.ts'

const EUR = readCurrency('EUR') ?? INR
const FEES =
  'Category\tEarly (till 31 Aug 2026)\tRegular (till 31 Oct 2026)\tSpot\nMember\t5000\t6000\t8000\nNon-Member\t6000\t7000\t9000\nPG\t3000\t3500\tNA\nFaculty\tFree\tFree\tFree'
const event: NewEventAnswers = {
  title: 'Echo 2026',
  from: day('2026-12-11'),
  to: day('2026-12-13'),
}

function readAnswers(gst: NewEventAnswers['tax'] = 'none'): NewEventAnswers {
  const result = QUESTIONS.find(({ name }) => name === 'categories')?.parse(FEES, event, today)
  if (result?.ok !== true) throw new Error(String(result?.error))
  return { ...result.value, ...(gst === undefined ? {} : { tax: gst }) }
}
const answers = readAnswers()
const PERIODS: readonly (readonly [string, Day, Day])[] = [
  ['early', today, day('2026-08-31')],
  ['regular', day('2026-09-01'), day('2026-10-31')],
  ['spot', day('2026-11-01'), day('2026-12-13')],
]

const formatRow = ({ label, category, cells, number }: ItemRow): string =>
  [label, category, ...cells, number].join(' | ')
const describeItems = (text: string): readonly string[] => {
  const table = readItemTable(text, answers, today)
  return [...table.rows.map(formatRow), ...table.notes]
}

describe('a pasted table of workshops', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'a row for each workshop, with seats',
      'Workshop\tTill 31 Aug 2026\tTill 31 Oct 2026\tSpot\tSeats\nBasic Echo\t1,500/-\t2,000/-\t2,500/-\t30\nWorkshop: Airway (20 seats)\tFree\tFree\tNA\t',
      ['Basic Echo |  | 1,500 | 2,000 | 2,500 | 30', 'Airway |  | Free | Free | NA | 20'],
    ],
    [
      'a limit in the name of a workshop becomes its number of seats',
      'Workshop\tFee\nECMO (limited to 12)\t1500\nAirway, max. 20 participants\t1000\nToddlers (max 12 years)\t500\nPOCUS (Maximum of 16 seats only)\t500',
      [
        'ECMO |  | 1500 | 12',
        'Airway |  | 1000 | 20',
        'Toddlers (max 12 years) |  | 500 | ',
        'POCUS |  | 500 | 16',
      ],
    ],
    [
      'one price, and categories that pay nothing',
      'Workshop\tFee\nBasic Echo (free for PG and Faculty)\t1500\nAirway\tIncluded',
      [
        'Basic Echo |  | 1500 | ',
        ' | PG | free | ',
        ' | Faculty | free | ',
        'Airway |  | Included | ',
      ],
    ],
    [
      'a column for each category',
      'Workshop\tMember\tNon-Member\tPG\tFaculty\nBasic Echo\t1500\t2000\tFree\tNA',
      [
        'Basic Echo | Member | 1500 | ',
        ' | Non-Member | 2000 | ',
        ' | PG | Free | ',
        ' | Faculty | NA | ',
      ],
    ],
    [
      'a column for each workshop',
      'Category\tBasic Echo\tAirway\nMember\t1500\t1000\nNon-Member\t2000\t1000\nPG\tFree\tNA\nFaculty\tFree\tFree',
      [
        'Basic Echo | Member | 1500 | ',
        ' | Non-Member | 2000 | ',
        ' | PG | Free | ',
        ' | Faculty | Free | ',
        'Airway | Member | 1000 | ',
        ' | Non-Member | 1000 | ',
        ' | PG | NA | ',
        ' | Faculty | Free | ',
      ],
    ],
    [
      'a workshop in several rows, with different dates and an accompanying person',
      'Workshop\tCategory\tTill 15 Aug 2026\tTill 31 Oct 2026\tSpot\nBasic Echo\tMember\t1500\t2000\t2500\n\tPG\t1000\t1200\tNA\nAccompanying person\t\t500\t500\t500',
      [
        'Basic Echo | Member | 1500 | 2000 | 2500 | ',
        ' | PG | 1000 | 1200 | NA | ',
        '“Accompanying person = 500 / 500 / 500” is not a workshop. Enter it with the accompanying persons.',
        'The table changes its prices after 15 August 2026, but “Early” applies until 31 August 2026. The file changes all prices after 31 August 2026.',
      ],
    ],
    [
      'a different number of periods, a tax and a line without prices',
      'Workshop\tTill 31 Aug 2026\tSpot\nBasic Echo\t1500\t2000\nLunch is served\nAll prices plus 18% GST',
      [
        'Basic Echo |  | 1500 | 2000 | ',
        '“Lunch is served” was not read. If it affects the prices, add it to the file later.',
        'The table says that GST is added to its prices. GST on all prices follows your answer for the registration fees.',
        'The table has 2 prices in a row, but the registration fees have 3 periods (Early, Regular, Spot). Compare the prices in each column.',
      ],
    ],
  ])('%s', (_name, text, expected) => expect(describeItems(text)).toEqual(expected))
})

const row = (label: string, category: string, cells: string, number = ''): ItemRow => ({
  label,
  category,
  cells: cells.split(' '),
  number,
})

test.each<[string, readonly ItemRow[], readonly string[]]>([
  [
    'in cells, names and seats',
    [row('', '', '1 2 3'), row('Echo', '', '1  abc', 'many'), row('ECG', '', '3 2 1', '0')],
    [
      '0, Which workshop has these prices?',
      '1,1 What does “Echo” cost in “Regular”? Write an amount, “free”, or “–” if it is not on sale in that period.',
      '1,2 “abc” is not a price. Write an amount, “free”, or “–” if it is not on sale in that period.',
      '1,number “many” is not a number of seats. Write a whole number, such as 30.',
      '2,1 “ECG” would be cheaper in “Regular” (₹ 2) than in “Early” (₹ 3).',
      '2,2 “ECG” would be cheaper in “Spot” (₹ 1) than in “Regular” (₹ 2).',
      '2,number “ECG” would have no seats.',
    ],
  ],
  [
    'categories',
    [
      row('Echo', '', '1 2 3', '30'),
      row('', 'PG', '1 1 1'),
      row('', 'PG', '2 2 2'),
      row('', 'Nurse', '2 2 2'),
      row('ECG', 'Member', '2 2 2', '20'),
      row('echo', '', '4 4 4'),
      row('Airway', '', '– – –', '9'),
    ],
    [
      '2, “Echo” has two rows for “PG”.',
      '3, “Nurse” is not a category of this conference.',
      '5, “Echo” is listed twice.',
      '4, What do the other categories pay for “ECG” (Non-Member, PG, Faculty)? Write one price for all of them, or “–” if they cannot choose it.',
      '6, “Airway” would never be on sale.',
    ],
  ],
])('mistakes in a table of workshops: %s', (_name, rows, expected) =>
  expect(
    readWorkshopTable({ rows, notes: [], isByPeriod: true }, answers).problems.map(
      ({ row: at, column, message }) =>
        `${at},${column ?? ''} ${message.replaceAll('\u00a0', ' ')}`,
    ),
  ).toEqual(expected),
)

test('mistakes in the prices for accompanying persons are reported at their cells', () => {
  const rows = [row('', '', '3000 abc 3500', 'five'), row('Accompanying child', '', '1 1 1')]
  const { problems } = readCompanionTable({ rows, notes: [], isByPeriod: true }, answers)
  expect(
    problems.map(({ row: at, column, message }) => `${at},${column ?? ''} ${message}`),
  ).toEqual([
    '0,1 “abc” is not a price. Write an amount, “free”, or “–” if it is not on sale in that period.',
    '0,number “five” is not an age. Write a number of years, such as 5, or leave it empty.',
    '1, You can enter only one price for accompanying persons here. Remove “Accompanying child”, and add it to the file later.',
  ])
})

test('rows that are moved out of the fee table keep all their prices', () => {
  const table = readFeeTable(
    `${FEES}\nWorkshop: Basic Echo (30 seats)\t1500\t2000\tNA\nAccompanying person\t3000\t3500\tNA`,
    { ...event, from: event.from, to: event.to, currency: INR, today },
  )
  expect(table.rows.map(({ label }) => label)).toEqual(['Member', 'Non-Member', 'PG', 'Faculty'])
  expect(
    table.notes.map((note) => [explainNote(note).meanings[0], readNote(note, 3)] as const),
  ).toEqual([
    ['workshop', { label: 'Workshop: Basic Echo (30 seats)', cells: ['1500', '2000', 'NA'] }],
    ['companion', { label: 'Accompanying person', cells: ['3000', '3500', 'NA'] }],
  ])
  expect(readItemRow(readNote(table.notes[0] ?? '', 3), ['PG']).map(formatRow)).toEqual([
    'Basic Echo |  | 1500 | 2000 | NA | 30',
  ])
})

test('the message about a gap between two periods states the days, and each suggested correction closes the gap', () => {
  const table = readFeeTable(
    'Category\tEarly (till 31 Aug 2026)\tRegular (15 Sep – 31 Oct 2026)\tSpot\nMember\t1\t2\t3',
    { from: event.from, to: event.to, currency: INR, today },
  )
  const [problem, ...others] = readFees(table, event).problems
  expect(others).toEqual([])
  expect(problem?.message).toBe(
    'Registration would be closed on 1–14 September 2026, before “Regular” begins. Change one of the dates, or keep registration closed.',
  )
  expect(
    problem?.fixes?.map(({ message, columns }) => {
      const { fees, problems } = readFees({ ...table, columns }, event)
      return [message, fees.periodEnds, problems]
    }),
  ).toEqual([
    ['Begin “Regular” on 1 September 2026', ['2026-08-31', '2026-10-31'], []],
    ['End “Early” on 14 September 2026', ['2026-09-14', '2026-10-31'], []],
  ])
})

/** Workshops whose prices differ by period and category, and which some categories cannot choose in every period. */
const WORKSHOPS: readonly ItemRow[] = [
  row('Basic Echo', '', '1500 2000 2500', '30'),
  row('', 'PG', 'free free free'),
  row('', 'Faculty', 'included included included'),
  row('Airway', '', '1000 1000 1000', '20'),
  row('Members only', '', '– – –', '10'),
  row('', 'Member', '500 600 700'),
  row('Not on the spot', '', '800 900 –', '40'),
  row('Late', 'Member', '– 100 200', '50'),
  row('', 'Non-Member', '– 100 300'),
  row('', 'PG', '– – 150'),
  row('', 'Faculty', '100 100 100'),
]

test.each<NewEventAnswers['tax']>(['none', 'inside', 'on top'])(
  'each category pays the table’s prices on the first and last day of each period; GST: %s',
  (gst) => {
    const feeAnswers = readAnswers(gst)
    const companions = readCompanionTable(
      { rows: [row('', '', '3000 3500 –', '5')], notes: [], isByPeriod: true },
      feeAnswers,
    )
    const workshops = readWorkshopTable(
      { rows: WORKSHOPS, notes: [], isByPeriod: true },
      companions.answers,
    )
    expect([...companions.problems, ...workshops.problems]).toEqual([])
    const compiled = compileNewEvent(workshops.answers).compiled
    expect(compiled.quotas.flatMap(({ max }) => Object.entries(max))).toEqual(
      expect.arrayContaining([
        ['basic-echo', 30],
        ['airway', 20],
        ['members-only', 10],
        ['not-on-the-spot', 40],
        ['late', 50],
      ]),
    )
    const factor = gst === 'on top' ? 1.18 : 1
    const toPrice = (cell: string): number | null =>
      cell === '–' || cell === 'NA' ? null : /^(free|included)$/i.test(cell) ? 0 : Number(cell)
    const cellsByLabel = Object.fromEntries(
      FEES.split('\n')
        .slice(1)
        .map((line) => [line.split('\t')[0], line.split('\t').slice(1)]),
    )
    for (const { id, label } of compiled.categories)
      for (const [column, [period, first, last]] of PERIODS.entries())
        for (const quoteDay of [first, last]) {
          const expectTotal = (field: string | null, answer: unknown, cell: string | undefined) => {
            const quoteResult = quote(
              compiled,
              { registering_as: id, ...(field === null ? {} : { [field]: answer }) } as never,
              startOfDay(quoteDay),
            )
            const fee = toPrice(cellsByLabel[label]?.[column] ?? '')
            const price = toPrice(cell ?? '')
            expect(
              quoteResult.ok ? [quoteResult.value.period, quoteResult.value.total] : null,
              `${label}, ${quoteDay}, ${String(answer)}`,
            ).toEqual(
              fee === null || price === null
                ? null
                : [period, Math.round((fee + price) * factor * 100)],
            )
          }
          expectTotal(null, null, '0')
          expectTotal('companions', [{ name: 'A', age: 40 }], ['3000', '3500', '–'][column])
          expectTotal('companions', [{ name: 'A', age: 4 }], '0')
          for (const field of compiled.fields.filter(({ type }) => type === 'many'))
            for (const option of field.options ?? []) {
              const workshopIndex = WORKSHOPS.findIndex(
                (workshop) => workshop.label === option.label,
              )
              const end = WORKSHOPS.findIndex(
                (one, index) => index > workshopIndex && one.label !== '',
              )
              const rows = WORKSHOPS.slice(workshopIndex, end < 0 ? undefined : end)
              const cells = (
                rows.find(({ category }) => category === label) ??
                rows.find(({ category }) => category === '')
              )?.cells
              // The field of a workshop is hidden from categories that can never buy it.
              if (
                cells?.some((cell, at) => cell !== '–' && cellsByLabel[label]?.[at] !== 'NA') ===
                true
              )
                expectTotal(field.id, [option.id], cells[column])
            }
        }
  },
)

test('workshops are hidden from categories that cannot choose them', () => {
  const workshops: NewEventAnswers['workshops'] = [
    { label: 'Echo', prices: [toAmount(150_000)], seats: null },
    {
      label: 'Airway',
      prices: [null],
      ownPrices: [{ label: 'PG', prices: [toAmount(0)] }],
      seats: null,
    },
  ]
  const { fields } = compileNewEvent({ ...answers, workshops }).compiled
  expect(
    fields.flatMap(({ id, label, options }) =>
      id.startsWith('workshops') ? [[id, label, options?.map((option) => option.label)]] : [],
    ),
  ).toEqual([
    ['workshops', 'Workshops', ['Echo']],
    ['workshops_2', 'Workshops for PG', ['Airway']],
  ])
})

test.each<[string, unknown]>([
  [
    'Echo = 1500 / 2000 / 2500, 30 seats; Echo for PG = free; ECG = 500, 20 seats; ECG (Faculty) = none',
    [
      {
        label: 'Echo',
        prices: [150_000, 200_000, 250_000],
        ownPrices: [{ label: 'PG', prices: [0] }],
        seats: 30,
      },
      {
        label: 'ECG',
        prices: [50_000],
        ownPrices: [{ label: 'Faculty', prices: [null] }],
        seats: 20,
      },
    ],
  ],
  [
    'Workshop\tSeats\tTill 31 Aug 2026\tTill 31 Oct 2026\tSpot\nEcho\t30\t1500\t2000\t2500',
    [{ label: 'Echo', prices: [150_000, 200_000, 250_000], seats: 30 }],
  ],
  [
    'Echo for PG = free',
    'What do the other categories pay for “Echo” (Member, Non-Member, Faculty)? Write one price for all of them, or “–” if they cannot choose it.',
  ],
])('the command reads %s', (text, expected) => {
  const result = QUESTIONS.find(({ name }) => name === 'workshops')?.parse(text, answers, today)
  expect(result?.ok === true ? result.value.workshops : result?.error).toEqual(expected)
  if (result?.ok === true) compileNewEvent(result.value)
})

test('one workshop can have a number of seats, and another can have separate prices for every category', () => {
  const row = (
    label: string,
    category: string,
    cells: readonly string[],
    number = '',
  ): ItemRow => ({
    label,
    category,
    cells,
    number,
  })
  const names = ['Member', 'Non-Member', 'PG', 'Faculty']
  const rows = [
    row('Suturing', '', ['1500', '1500', '1500'], '30'),
    row('Echo for All', '', ['', '', '']),
    ...names.map((name, at) => row('', name, [`${at + 1}000`, `${at + 1}000`, `${at + 1}500`])),
  ]
  const table = { rows, notes: [], isByPeriod: true }
  const { answers: workshopAnswers, problems } = readWorkshopTable(table, answers)
  expect(problems).toEqual([])
  expect(workshopAnswers.workshops).toMatchObject([
    { label: 'Suturing', seats: 30 },
    { label: 'Echo for All', seats: null, ownPrices: { length: 4 } },
  ])
  expect(compileNewEvent({ ...event, ...workshopAnswers }).compiled.quotas).toMatchObject([
    { max: { suturing: 30 } },
  ])
  // The number of seats applies to the whole workshop. A category without its own row has no price.
  const incompleteTable = {
    ...table,
    rows: rows.slice(0, 5).with(1, { ...rows[1], number: '20' } as ItemRow),
  }
  const incompleteResult = readWorkshopTable(incompleteTable, answers)
  expect(incompleteResult.problems).toMatchObject([
    {
      row: 2,
      message: expect.stringContaining('What do the other categories pay for “Echo for All”'),
    },
  ])
  expect(incompleteResult.answers.workshops).toMatchObject([{ seats: 30 }, { seats: 20 }])
})

test('a period called “Closed” gets an id that the checker accepts', () => {
  const fees = FEES.replace('Regular (till', 'Closed (till')
  const result = QUESTIONS.find(({ name }) => name === 'categories')?.parse(fees, event, today)
  expect(
    compileNewEvent({ ...event, ...(result?.ok === true ? result.value : {}) }).compiled.fees
      .periods,
  ).toMatchObject([{ id: 'early' }, { id: 'period-2', label: 'Closed' }, { id: 'spot' }])
})

test('a banquet is sold with the workshops under its own name', () => {
  const workshops: NewEventAnswers['workshops'] = [
    { label: 'Echo', prices: [toAmount(150_000)], seats: 30 },
    {
      label: 'Banquet',
      prices: [toAmount(100_000), toAmount(120_000), toAmount(150_000)],
      seats: 200,
    },
  ]
  const { fields, fees } = compileNewEvent({ ...answers, workshops }).compiled
  expect(fields.find(({ id }) => id === 'workshops')?.label).toBe('Workshops and extras')
  expect(fees.items.map(({ label }) => label)).toEqual(['{option}'])
})

test.each<[string, unknown]>([
  ['VAT 19% inside the prices', { name: 'VAT', percent: 19, prices: 'inclusive', round: 'paise' }],
  ['VAT 7,5 % on top', { name: 'VAT', percent: 7.5, prices: 'exclusive', round: 'paise' }],
  ['Sales tax 6% added', { name: 'Sales tax', percent: 6, prices: 'exclusive', round: 'paise' }],
  ['none', null],
])('a conference in euros, tax: %s', (text, expected) => {
  const question = QUESTIONS.find(({ name }) => name === 'gst')
  const { tax: _tax, ...untaxed } = { ...answers, currency: EUR }
  expect(question?.buildQuestion(untaxed)).toBe('Which tax is charged, and how?')
  const result = question?.parse(text, untaxed, today)
  if (result?.ok !== true) throw new Error(String(result?.error))
  expect(compileNewEvent(result.value).compiled.fees.tax).toEqual(expected)
})

test('the first and last days used in this test leave no gap', () =>
  expect(PERIODS.slice(1).map(([, first]) => addDays(first, -1))).toEqual(
    PERIODS.slice(0, -1).map(([, , last]) => last),
  ))

test('the form and the bill state that small children are free', () => {
  const companions = { prices: [toAmount(300_000)], freeUnder: 5 }
  const { text } = compileNewEvent({ ...readAnswers(), companions })
  expect(text).toContain('label: Accompanying persons (free below the age of 5)')
  expect(text).toContain('label: Accompanying person aged 5 or older')
})

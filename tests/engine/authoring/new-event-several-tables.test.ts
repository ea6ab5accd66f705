/** Pasted texts with several tables: workshops never become categories, and seats never become prices. */
import { describe, expect, test } from 'vitest'
import { day, INR } from '../../../engine/index.ts'
import {
  explainNote,
  QUESTIONS,
  readFees,
  readFeeTable,
  readItemTable,
  readItemTables,
  readLastPricesAsSeats,
  readNote,
  readWorkshopTable,
  type ItemTable,
  type NewEventAnswers,
} from '../../../engine/authoring.ts'

const today = day('2026-05-01')
const event: NewEventAnswers = { from: day('2026-12-11'), to: day('2026-12-13') }
const FEES =
  'Category\tEarly (till 31 Aug 2026)\tRegular\nMember\tRs. 5,000/-\tRs. 6,000/-\nPG\tRs. 3,000/-\tRs. 3,500/-'

const listItems = ({ rows, notes, seatsAsked }: ItemTable): readonly string[] => [
  ...rows.map(({ label, cells, number }) => [label, ...cells, `seats ${number}`].join(' | ')),
  ...(seatsAsked === true ? ['seats or prices?'] : []),
  ...notes,
]

/** Returns the categories and workshops in a pasted text, and the questions to the organiser about it. */
function readPastedText(text: string) {
  const table = readFeeTable(text, {
    ...event,
    from: event.from,
    to: event.to,
    currency: INR,
    today,
  })
  const { fees, problems } = readFees(table, event)
  return {
    categories: table.rows.map(({ label, cells }) => [label, ...cells].join(' | ')),
    workshops: listItems(readItemTables(table.workshops, fees, today)),
    questions: problems.map(({ message }) => message),
  }
}

const CATEGORIES = ['Member | Rs. 5,000/- | Rs. 6,000/-', 'PG | Rs. 3,000/- | Rs. 3,500/-']

describe('workshops below the fees are read with their prices and seats, and never as categories', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'a table with a heading for seats',
      'Workshops\tFee\tSeats\nBone Setting\tRs. 500/-\t600\nHand Splints\tRs. 30/-\t40',
      ['Bone Setting | 500 | seats 600', 'Hand Splints | 30 | seats 40'].map((line) =>
        line.replace(/\| (\d+) \|/, '| Rs. $1 |'),
      ),
    ],
    [
      'a title and headings that do not name workshops',
      'Pre-conference Courses\nName\tFee\tNo. of seats\nBone Setting\t500\t600\nHand Splints\t300\t40',
      ['Bone Setting | 500 | seats 600', 'Hand Splints | 300 | seats 40'],
    ],
    [
      'a title alone, and amounts with a currency before the seats',
      'Pre-conference Workshops\nBone Setting\tRs. 500/-\t600\nHand Splints\tRs. 30/-\t40',
      ['Bone Setting | Rs. 500 | seats 600', 'Hand Splints | Rs. 30 | seats 40'],
    ],
    [
      'a title alone, and a price in each period',
      'Hands-on\nBone Setting\tRs. 500/-\tRs. 600/-\nHand Splints\tRs. 300/-\tFree',
      ['Bone Setting | Rs. 500 | Rs. 600 | seats ', 'Hand Splints | Rs. 300 | Free | seats '],
    ],
    [
      'a title alone, and numbers that can be seats',
      'Workshops\nBone Setting\t500\t600\nHand Splints\t300\t40',
      ['Bone Setting | 500 | 600 | seats ', 'Hand Splints | 300 | 40 | seats ', 'seats or prices?'],
    ],
    [
      'the same headings as the fee table',
      'Workshop\tEarly (till 31 Aug 2026)\tRegular\nBone Setting\t1500\t2000',
      ['Bone Setting | 1500 | 2000 | seats '],
    ],
    [
      'one price for all periods',
      'Workshop\tFee\nBone Setting\t1500',
      ['Bone Setting | 1500 | seats '],
    ],
  ])('%s', (_name, workshops, expected) =>
    expect(readPastedText(`${FEES}\n${workshops}`)).toEqual({
      categories: CATEGORIES,
      workshops: expected,
      questions: [],
    }),
  )

  test('workshops above the fees', () =>
    expect(readPastedText(`Workshops\tFee\tSeats\nBone Setting\t500\t600\n${FEES}`)).toEqual({
      categories: CATEGORIES,
      workshops: ['Bone Setting | 500 | seats 600'],
      questions: [],
    }))

  test('fees, accompanying persons and notes below the workshops belong to the fee table', () => {
    const text = `${FEES}\nWorkshops\nBone Setting\tRs. 500/-\t60\nAccompanying person\t2000\t2500\nConference registration\nFaculty\tFree\tFree\nKit is not included`
    const table = readFeeTable(text, { from: event.from, to: event.to, currency: INR, today })
    expect(table.companions).toBe('2000 / 2500')
    expect(readPastedText(text)).toMatchObject({
      categories: [...CATEGORIES, 'Faculty | Free | Free'],
      workshops: ['Bone Setting | Rs. 500 | seats 60'],
      questions: [expect.stringContaining('“Kit is not included” has no prices')],
    })
  })

  test('the command reads both tables', () => {
    const result = QUESTIONS.find(({ name }) => name === 'categories')?.parse(
      `${FEES}\nWorkshops\tFee\tSeats\nBone Setting\tRs. 500/-\t600`,
      event,
      today,
    )
    expect(result).toMatchObject({
      ok: true,
      value: { workshops: [{ label: 'Bone Setting', prices: [50_000], seats: 600 }] },
    })
    if (result?.ok !== true) return
    const workshops = QUESTIONS.find(({ name }) => name === 'workshops')
    expect(workshops?.buildQuestion(result.value)).toBeNull()
  })
})

test('the organiser is asked about the rows of a table whose headings are not those of a fee table', () => {
  const { categories, workshops, questions } = readPastedText(
    `${FEES}\nStay\tSingle room\tTwin room\nHotel Sunrise\t4000\t3000\nForeign delegates\tAmount in USD\nMember\t100`,
  )
  expect([categories, workshops]).toEqual([CATEGORIES, []])
  expect(questions).toEqual([
    expect.stringContaining('“Hotel Sunrise = 4000 / 3000” is not below the heading of the fees'),
    expect.stringContaining('“Member = USD 100” is not below the heading of the fees'),
  ])
  const note = 'Hotel Sunrise = 4000 / 3000 [below “Stay, Single room, Twin room”]'
  expect(readNote(note, 2)).toEqual({ label: 'Hotel Sunrise', cells: ['4000', '3000'] })
  expect(explainNote(note).meanings).toEqual(['workshop', 'category', 'companion'])
})

test('the same categories below several titles remain groups of categories', () =>
  expect(
    readPastedText(
      'Category\tEarly (till 31 Aug 2026)\tRegular\nMembers\nDelegate\t5000\t6000\nNon-members\nCategory\tEarly (till 31 Aug 2026)\tRegular\nDelegate\t7000\t8000',
    ).categories,
  ).toEqual(['Members – Delegate | 5000 | 6000', 'Non-members – Delegate | 7000 | 8000']))

describe('an invalid cell does not remove the seats from a table of workshops', () => {
  const answers: NewEventAnswers = { ...event, periodEnds: [day('2026-08-31')], tax: 'none' }
  const readWorkshopTexts = (text: string): ItemTable => readItemTable(text, answers, today)

  test.each([
    ['with headings', 'Workshop\tFee\tSeats\nCasts\t500\t24\nBraces\t700\tabout 40'],
    [
      'with the seats before the fee',
      'Workshop\tSeats\tFee\nCasts\t24\t500\nBraces\tabout 40\t700',
    ],
    ['with the word “seats”', 'Workshop\tFee\tSeats\nCasts\t500\t24 seats\nBraces\t700\tabout 40'],
  ])('%s', (_name, text) => {
    const table = readWorkshopTexts(text)
    expect(listItems(table)).toEqual(['Casts | 500 | seats 24', 'Braces | 700 | seats about 40'])
    expect(readWorkshopTable(table, answers).problems).toEqual([
      {
        row: 1,
        column: 'number',
        message: '“about 40” is not a number of seats. Write a whole number, such as 30.',
      },
    ])
  })

  test.each([
    [
      'with the word “seats”',
      'Workshops (10 December)\nCasts\t500\t24 seats\nBraces\tFree\t40 places',
    ],
    ['where only the fees have a currency', 'Casts\t₹ 500\t24\nBraces\tFree\t40'],
  ])('seats are recognised without a heading, %s', (_name, text) =>
    expect(
      readWorkshopTexts(text).rows.map(({ label, cells, number }) => [label, cells.length, number]),
    ).toEqual([
      ['Casts', 1, '24'],
      ['Braces', 1, '40'],
    ]),
  )

  test('the organiser is asked about numbers without a heading or currency', () => {
    const table = readWorkshopTexts('Casts\t500\t24\nBraces\t700\t40')
    expect(readWorkshopTable(table, answers).problems).toEqual([
      { message: 'Are 24, 40 numbers of seats, or prices in “Regular”?' },
    ])
    const { seatsAsked: _asked, ...tableOfPrices } = table
    const readWorkshops = (tableWithChoice: ItemTable) =>
      readWorkshopTable(tableWithChoice, answers).answers.workshops
    expect(readWorkshops(readLastPricesAsSeats(table))).toMatchObject([
      { prices: [50_000], seats: 24 },
      { prices: [70_000], seats: 40 },
    ])
    expect(readWorkshops(tableOfPrices)).toMatchObject([
      { prices: [50_000, 2_400], seats: null },
      {},
    ])
    expect(readWorkshopTexts('Casts\t1500\t2000\nBraces\t700\t40')).not.toHaveProperty('seatsAsked')
  })

  test('two tables of workshops with different columns are each read by their own headings', () =>
    expect(
      listItems(
        readWorkshopTexts(
          'Workshop\tFee\tSeats\nCasts\t500\t24\nCourse\tPlaces\tTill 31 Aug 2026\tRegular\nBraces\t40\t700\t800',
        ),
      ),
    ).toEqual(['Casts | 500 | 500 | seats 24', 'Braces | 700 | 800 | seats 40']))
})

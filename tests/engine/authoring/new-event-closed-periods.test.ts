/** Days on which registration is closed, as organisers enter them: first days, dates in a name, a column of dashes. */
import { expect, test } from 'vitest'
import { day, INR, quote, startOfDay } from '../../../engine/index.ts'
import {
  closePeriod,
  listClosedDays,
  readFees,
  readFeeTable,
  type FeeTable,
  type NewEventAnswers,
} from '../../../engine/authoring.ts'
import { ANSWER_DAY as today, compileNewEvent, parseAnswer } from './new-event-file.ts'

const event: NewEventAnswers = {
  title: 'Echo 2027',
  from: day('2027-03-12'),
  to: day('2027-03-14'),
  tax: 'none',
}

/** Builds a table as an organiser enters it. Each column has a name, a first day and a last day. */
const buildTable = (
  columns: readonly (readonly [string, string, string])[],
  ...rows: readonly string[]
): FeeTable => ({
  columns: columns.map(([label, from, to]) => ({ label, from, to })),
  rows: rows.map((cells, index) => ({ label: `Category ${index + 1}`, cells: cells.split(' ') })),
  notes: [],
})
const listMessages = (table: FeeTable) =>
  readFees(table, event).problems.map(({ column, part, message }) => [column, part, message])

/** Returns the first category's price on each day, or the error code if delegates cannot register on that day. */
function quoteOn(answers: NewEventAnswers, days: readonly string[]): readonly unknown[] {
  const { compiled } = compileNewEvent(answers)
  return days.map((on) => {
    const firstCategoryId = compiled.categories[0]?.id
    const result = quote(
      compiled,
      { registering_as: firstCategoryId } as never,
      startOfDay(day(on)),
    )
    return result.ok ? result.value.total / 100 : result.error.code
  })
}

const DAYS = ['2026-11-30', '2026-12-01', '2027-01-10', '2027-01-11', '2027-01-24', '2027-01-25']
const CLOSED = 'registration_closed'
const EXPECTED = [CLOSED, 4000, 4000, CLOSED, CLOSED, 5000]
const GAP =
  'Registration would be closed on 11–24 January 2027, before “Regular” begins. Change one of the dates, or keep registration closed.'

test('the organiser is asked about a gap before the first day of a period', () => {
  const table = buildTable(
    [
      ['Early', '2026-12-01', '2027-01-10'],
      ['Regular', '2027-01-25', ''],
    ],
    '4000 5000',
  )
  expect(listMessages(table)).toEqual([[1, 'from', GAP]])
  expect(listClosedDays(table)).toEqual([])
  const confirmedTable = { ...table, confirmed: [GAP] }
  expect(listMessages(confirmedTable)).toEqual([])
  expect(listClosedDays(confirmedTable)).toEqual([
    'Registration is closed on 11–24 January 2027, before “Regular” begins.',
  ])
  expect(quoteOn({ ...event, ...readFees(confirmedTable, event).fees }, DAYS)).toEqual(EXPECTED)
})

test('dates in a period’s name that differ from its fields are reported', () => {
  const buildTableWithPeriod = (name: string, from: string, to: string) =>
    buildTable(
      [
        ['Early', '', '2027-01-10'],
        [name, from, to],
      ],
      '4000 5000',
    )
  const problem = readFees(
    buildTableWithPeriod('Regular (25 January – 14 March 2027)', '', ''),
    event,
  ).problems[0]
  expect(problem).toMatchObject({
    column: 1,
    part: 'label',
    message:
      '“Regular (25 January – 14 March 2027)” contains dates that differ from its fields. Enter the dates below, and only the name here.',
    fixes: [
      {
        message: 'Use the dates in the name',
        columns: [{ label: 'Early' }, { label: 'Regular', from: '2027-01-25', to: '' }],
      },
    ],
  })
  expect(listMessages(buildTableWithPeriod('From 11 January 2027', '', ''))).toEqual([])
  expect(listMessages(buildTableWithPeriod('Until 14 March', '', ''))).toEqual([])
  expect(listMessages(buildTableWithPeriod('Until 10 March', '', ''))).toMatchObject([
    [1, 'label', {}],
  ])
  expect(listMessages(buildTableWithPeriod('Until 10 March', '', '2027-03-10'))).toEqual([])
})

test('the organiser is asked to close registration in a period without prices', () => {
  const table = buildTable(
    [
      ['Early', '2026-12-01', '2027-01-10'],
      ['Registration closed', '', '2027-01-24'],
      ['Regular', '', ''],
    ],
    '4000 – 5000',
    '2000 – 3000',
  )
  const [problem, ...others] = readFees(table, event).problems
  expect(others).toEqual([])
  expect(problem).toEqual({
    column: 1,
    message:
      'No category is on sale in “Registration closed”: registration would be closed on 11–24 January 2027. Write a price, or keep registration closed.',
    confirmLabel: 'Keep registration closed on these days',
    isClosedPeriod: true,
  })
  const tableWithoutPeriod = closePeriod(table, 1)
  expect(listMessages(tableWithoutPeriod)).toEqual([])
  expect(listClosedDays(tableWithoutPeriod)).toEqual([
    'Registration is closed on 11–24 January 2027, before “Regular” begins.',
  ])
  expect(tableWithoutPeriod.rows.map(({ cells }) => cells)).toEqual([
    ['4000', '5000'],
    ['2000', '3000'],
  ])
  expect(quoteOn({ ...event, ...readFees(tableWithoutPeriod, event).fees }, DAYS)).toEqual(EXPECTED)
})

test('registration opens after a first period without prices, and closes before a last period without prices', () => {
  const table = buildTable(
    [
      ['Announced', '', '2026-11-30'],
      ['Early', '', '2027-01-10'],
      ['Regular', '', '2027-03-11'],
      ['Spot', '', ''],
    ],
    '– 4000 5000 –',
  )
  expect(listMessages(table).map(([, , message]) => message)).toEqual([
    'No category is on sale in “Announced”: registration would be closed until 30 November 2026. Write a price, or keep registration closed.',
    'No category is on sale in “Spot”: registration would be closed after 11 March 2027. Write a price, or keep registration closed.',
  ])
  const { fees, problems } = readFees(closePeriod(closePeriod(table, 3), 0), event)
  expect(problems).toEqual([])
  expect(
    quoteOn({ ...event, ...fees }, ['2026-11-30', '2026-12-01', '2027-03-11', '2027-03-12']),
  ).toEqual([CLOSED, 4000, 5000, CLOSED])
})

test('two consecutive periods without prices become one gap, and the next period keeps its first day', () => {
  const table = buildTable(
    [
      ['Early', '', '2027-01-10'],
      ['Closed', '', '2027-01-15'],
      ['Still closed', '', '2027-01-20'],
      ['Regular', '2027-01-25', ''],
    ],
    '4000 – – 5000',
  )
  const tableWithoutPeriods = [2, 1].reduce(closePeriod, table)
  expect(tableWithoutPeriods.columns.map(({ label, from }) => [label, from])).toEqual([
    ['Early', ''],
    ['Regular', '2027-01-25'],
  ])
  expect(listClosedDays(tableWithoutPeriods)).toEqual([
    'Registration is closed on 11–24 January 2027, before “Regular” begins.',
  ])
})

test('the command asks about a period without prices, and closes it with --confirm', () => {
  const text =
    'Category\tEarly until 10 Jan 2027\tClosed 11 – 24 Jan 2027\tRegular from 25 Jan 2027\nMember\t4000\t–\t5000\nPG\t2000\t–\t3000'
  const parse = (isConfirmed: boolean) => parseAnswer('categories', text, { ...event, isConfirmed })
  expect(parse(false)).toMatchObject({
    ok: false,
    error: expect.stringContaining('If it is correct, add --confirm.'),
  })
  const confirmedResult = parse(true)
  expect(confirmedResult).toMatchObject({
    ok: true,
    value: { periodEnds: ['2027-01-10'], periodStarts: [null, '2027-01-25'] },
  })
  const table = readFeeTable(text, { from: event.from, to: event.to, currency: INR, today })
  expect(readFees(table, event).problems).toMatchObject([{ column: 1, isClosedPeriod: true }])
})

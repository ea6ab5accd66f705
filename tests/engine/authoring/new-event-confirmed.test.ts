/** Unusual fee tables that the organiser confirms: days on which registration is closed, and prices that fall. */
import { expect, test } from 'vitest'
import { addDays, day, INR, quote, startOfDay } from '../../../engine/index.ts'
import {
  readCompanionTable,
  readFees,
  readFeeTable,
  readWorkshopTable,
  type FeeProblem,
  type FeeTable,
  type ItemRow,
  type NewEventAnswers,
} from '../../../engine/authoring.ts'
import { ANSWER_DAY as today, compileNewEvent, parseAnswer } from './new-event-file.ts'

const event: NewEventAnswers = {
  title: 'Echo 2026',
  from: day('2026-12-11'),
  to: day('2026-12-13'),
  tax: 'none',
}
const GAP =
  'Category\tEarly bird (until 31 Aug 2026)\tRegular (15 Sep – 31 Oct 2026)\tSpot (11–13 Dec 2026)\nMember\t5000\t6000\t8000\nPG\t3000\t3500\tNA'

const readTable = (text: string): FeeTable =>
  readFeeTable(text, { from: event.from, to: event.to, currency: INR, today })

/** Confirms every problem that can be confirmed, and returns those problems and the resulting answers. */
function confirmAll(text: string) {
  const confirmedProblems: FeeProblem[] = []
  let table = readTable(text)
  for (;;) {
    const { fees, problems } = readFees(table, event)
    const confirmable = problems.filter(({ confirmLabel }) => confirmLabel !== undefined)
    if (confirmable.length === 0) return { confirmedProblems, fees, problems, table }
    confirmedProblems.push(...confirmable)
    table = {
      ...table,
      confirmed: [...(table.confirmed ?? []), ...confirmable.map((problem) => problem.message)],
    }
  }
}

const row = (label: string, cells: string, number = ''): ItemRow => ({
  label,
  category: '',
  cells: cells.split(' '),
  number,
})

test('a fee table with days on which registration is closed is accepted once the organiser confirms those days', () => {
  const { confirmedProblems, fees, problems } = confirmAll(GAP)
  expect(
    confirmedProblems.map(({ column, part, confirmLabel }) => [column, part, confirmLabel]),
  ).toEqual([
    [1, 'from', 'Keep registration closed on these days'],
    [2, 'from', 'Keep registration closed on these days'],
  ])
  expect(problems).toEqual([])
  const companions = readCompanionTable(
    { rows: [row('', '3000 3500 –')], notes: [], isByPeriod: true },
    fees,
  )
  const workshops = readWorkshopTable(
    { rows: [row('ECG', '500 600 –', '30')], notes: [], isByPeriod: true },
    companions.answers,
  )
  const { compiled } = compileNewEvent(workshops.answers)
  const readPrice = (on: string) => {
    const result = quote(compiled, { registering_as: 'member' } as never, startOfDay(day(on)))
    return result.ok
      ? result.value.total
      : result.error.code === 'registration_closed'
        ? result.error.text
        : result.error.code
  }
  expect(
    ['2026-08-31', '2026-09-15', '2026-10-31', '2026-12-11', '2026-12-13'].map(readPrice),
  ).toEqual([500_000, 600_000, 600_000, 800_000, 800_000])
  for (const [on, text] of [
    ['2026-09-01', 'Registration is closed today. It opens again on 15 September 2026.'],
    ['2026-09-14', 'Registration is closed today. It opens again on 15 September 2026.'],
    ['2026-11-01', 'Registration is closed today. It opens again on 11 December 2026.'],
    ['2026-12-10', 'Registration is closed today. It opens again on 11 December 2026.'],
    ['2026-12-14', 'Registration closed on 13 December 2026.'],
  ] as const)
    expect([on, readPrice(on)]).toEqual([on, text])
})

test('a confirmed gap must be confirmed again when one of its dates changes; a period after the conference cannot be confirmed', () => {
  const { table } = confirmAll(GAP)
  const listProblemsAfterChange = (at: number, part: object) =>
    readFees(
      {
        ...table,
        columns: table.columns.map((column, index) =>
          index === at ? { ...column, ...part } : column,
        ),
      },
      event,
    ).problems.map(({ column, part: field, message }) => [column, field, message])
  expect(listProblemsAfterChange(0, { to: addDays(day('2026-08-31'), 1) })).toMatchObject([
    [1, 'from', expect.stringContaining('closed on 2–14 September 2026')],
  ])
  expect(listProblemsAfterChange(2, { from: '2026-12-20', to: '' })).toMatchObject([
    [2, 'from', expect.stringContaining('Registration would be closed on')],
  ])
  const tableWithLatePeriod = {
    ...table,
    columns: [...table.columns.slice(0, 2), { label: 'Spot', from: '2026-12-20', to: '' }],
  }
  const message = readFees(tableWithLatePeriod, event).problems[0]?.message ?? ''
  expect(
    readFees(
      { ...tableWithLatePeriod, confirmed: [...(tableWithLatePeriod.confirmed ?? []), message] },
      event,
    ),
  ).toMatchObject({
    problems: [
      {
        column: 2,
        part: 'from',
        message: '“Spot” would begin after the conference (13 December 2026).',
      },
    ],
  })
})

test.each([
  ['in a whole column', '7000 6000 8000', '4000 3500 5000'],
  ['in the last period', '5000 6000 4500', '3000 3000 3000'],
  ['in two consecutive periods', '7000 6000 5000', '3000 3500 4000'],
  ['across a period in which the category is not on sale', '7000 – 5000', '3000 3500 4000'],
  ['to free in the last period', '5000 6000 free', '3000 3500 4000'],
  ['after a free period', '5000 free 4000', '3000 3500 4000'],
])('the organiser can confirm a price that falls: %s', (_name, member, pg) => {
  const lines = [
    'Category Early-until-31-Aug-2026 Regular-until-31-Oct-2026 Spot',
    `Member ${member}`,
    `PG ${pg}`,
  ]
  const text = lines
    .map((line) => line.replaceAll(' ', '\t'))
    .join('\n')
    .replace(/-/g, ' ')
  const { confirmedProblems, fees, problems } = confirmAll(text)
  expect(confirmedProblems.length).toBeGreaterThan(0)
  for (const { row: at, column, confirmLabel, message } of confirmedProblems) {
    expect(confirmLabel, message).toBe('This is correct')
    expect([typeof at, typeof column], message).toEqual(['number', 'number'])
  }
  expect(problems).toEqual([])
  const { compiled, text: file } = compileNewEvent(fees)
  expect(Object.keys(compiled.fees.prices ?? {})).toEqual(['member', 'pg'])
  if (file.includes('EV412'))
    expect(file).toContain('The organisers confirmed that this price is lower')
})

test('lower later prices for workshops and accompanying persons are confirmed in their own tables', () => {
  const { fees } = confirmAll(
    'Category\tEarly until 31 Aug 2026\tRegular\nMember\t5000\t6000\nPG\t3000\t3500',
  )
  const companionTable = { rows: [row('', '4000 3500')], notes: [], isByPeriod: true }
  const [fallProblem] = readCompanionTable(companionTable, fees).problems
  expect(fallProblem).toMatchObject({ row: 0, column: 1, confirmLabel: 'This is correct' })
  const companions = readCompanionTable(
    { ...companionTable, confirmed: [fallProblem?.message ?? ''] },
    fees,
  )
  const table = {
    rows: [
      row('ECG', '900 800', '30'),
      { ...row('', '700 600'), category: 'PG' },
      row('Airway', '900 1000'),
    ],
    notes: [],
    isByPeriod: true,
  }
  const confirmedProblems = readWorkshopTable(table, companions.answers).problems
  expect(confirmedProblems.map(({ row: at, column }) => [at, column])).toEqual([
    [0, 1],
    [1, 1],
  ])
  const workshops = readWorkshopTable(
    { ...table, confirmed: confirmedProblems.map(({ message }) => message) },
    companions.answers,
  )
  expect([companions.problems, workshops.problems]).toEqual([[], []])
  expect(compileNewEvent(workshops.answers).text.match(/code: EV412/g)).toHaveLength(3)
})

test.each([
  ['categories', GAP],
  ['categories', 'Member = 7000 / 6000; PG = 3000 / 3500'],
  ['companions', '4000 / 3000'],
  ['workshops', 'ECG = 2000 / 1000, 30 seats'],
])('the command accepts unusual answers with --confirm: %s', (name, answer) => {
  const parse = (isConfirmed: boolean) => parseAnswer(name, answer, { ...event, isConfirmed })
  expect(parse(false)).toMatchObject({
    ok: false,
    error: expect.stringContaining('If it is correct, add --confirm.'),
  })
  const confirmedResult = parse(true)
  if (!confirmedResult.ok) throw new Error(confirmedResult.error)
  if (name === 'categories') compileNewEvent(confirmedResult.value)
})

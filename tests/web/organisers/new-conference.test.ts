/** The answers about a new conference in the page: tables keep what is typed when rows and periods change. */
import { expect, test } from 'vitest'
import { day } from '../../../engine/index.ts'
import type { ItemRow, ItemTable } from '../../../engine/authoring.ts'
import type { AnswerDraft } from '../../../web/organisers/new-conference/answer-draft.ts'
import {
  addItemRows,
  EMPTY_DRAFT,
  EMPTY_ITEM,
  groupSteps,
  readDraft,
  readPastedFees,
  removePeriod,
} from '../../../web/organisers/new-conference/answers.ts'
import { readPasted } from '../../../web/organisers/new-conference/paste-table.tsx'

const today = day('2026-05-01')
const row = (label: string, ...cells: readonly string[]): ItemRow => ({
  ...EMPTY_ITEM,
  label,
  cells,
})
const draft: AnswerDraft = {
  ...EMPTY_DRAFT,
  texts: { title: 'Echo 2026', from: '11 December 2026', to: '13 December 2026', gst: 'none' },
  fees: {
    columns: [
      { label: 'Early', from: '', to: '2026-08-31' },
      { label: 'Spot', from: '', to: '' },
    ],
    rows: [
      { label: 'Member', cells: ['5000', '6000'] },
      { label: 'PG', cells: ['3000', '–'] },
    ],
    notes: [],
  },
}
const workshops = (table: Partial<ItemTable>): AnswerDraft => ({
  ...draft,
  workshops: { ...draft.workshops, ...table },
})
const listProblems = (of: AnswerDraft, name: string): unknown =>
  readDraft(of, today).steps.find(({ question }) => question.name === name)?.problem

test('an empty table means that there are none', () => {
  const { answers, steps } = readDraft(draft, today)
  expect(answers).not.toHaveProperty('workshops')
  expect(answers).not.toHaveProperty('companions')
  expect(steps.map(({ problem }) => problem)).toEqual(steps.map(() => null))
})

test('the optional questions share the last card, and an answer that contradicts the table of fees is a problem there', () => {
  const texts = { ...draft.texts, refund: 'none', 'on-site': 'none', colour: '#117733' }
  const { answers, steps } = readDraft({ ...draft, texts }, today)
  expect(answers).toMatchObject({ refund: [], onSite: 'none', colour: '#117733' })
  const cards = groupSteps(steps)
  expect(cards.map(({ isDetails }) => isDetails)).toEqual(
    cards.map((card) => card === cards.at(-1)),
  )
  expect(cards.at(-1)?.steps.map(({ question }) => question.name)).toEqual([
    'refund',
    'edit-until',
    'on-site',
    'account',
    'colour',
  ])
  const late = [draft.fees.columns[0], { label: 'Spot', from: '', to: '' }].flatMap((one) =>
    one === undefined ? [] : [{ ...one, to: one.label === 'Early' ? '2026-12-10' : '' }],
  )
  const spot = { ...draft, texts, fees: { ...draft.fees, columns: late } }
  expect(listProblems(spot, 'on-site')).toContain('“Spot” begins on 11 December 2026')
})

test('a problem names the row as shown, also below an empty row', () => {
  const rows = [EMPTY_ITEM, row('Echo', '1500'), EMPTY_ITEM, row('', '900')]
  expect(listProblems(workshops({ rows }), 'workshops')).toEqual([
    { row: 3, message: 'Which workshop has these prices?' },
  ])
})

test('rows with prices of single periods turn one price for all into one for each', () => {
  const table = addItemRows(
    { rows: [EMPTY_ITEM, row('Echo', '1500')], notes: [], isByPeriod: false },
    [row('Airway', '1000', 'NA')],
  )
  expect(table).toEqual({
    rows: [row('Echo', '1500', '1500'), row('Airway', '1000', 'NA')],
    notes: [],
    isByPeriod: true,
  })
  expect(readDraft(workshops(table), today).answers.workshops).toEqual([
    { label: 'Echo', prices: [150_000, 150_000], seats: null },
    { label: 'Airway', prices: [100_000, null], seats: null },
  ])
})

test('a period that is removed takes its prices with it, and one price for all stays', () => {
  const table: ItemTable = { rows: [row('Echo', '1500', '2000')], notes: [], isByPeriod: true }
  expect(removePeriod(table, 0).rows).toEqual([row('Echo', '2000')])
  const single: ItemTable = { ...table, rows: [row('Echo', '1500')], isByPeriod: false }
  expect(removePeriod(single, 0)).toEqual(single)
})

const column = (label: string, to: string, from = '') => ({ label, from, to })
const EARLY = column('Early', '2026-08-31')
const SPOT = column('Spot', '')

test.each<[string, ReturnType<typeof column>[], string[]]>([
  ['a period is inserted', [EARLY, column('Regular', '2026-10-31'), SPOT], ['1500', '', '2000']],
  ['a period is missing', [SPOT], ['2000']],
  ['the order changes', [column('Spot', '2026-08-31'), column('Early', '')], ['2000', '1500']],
  ['a day changes', [column('early', '2026-09-15'), SPOT], ['1500', '2000']],
  ['a name changes', [column('Early Bird', '2026-08-31'), SPOT], ['1500', '2000']],
  ['a name and its day change', [column('Early Bird', '2026-09-15'), SPOT], ['', '2000']],
  [
    'a period is inserted at its place',
    [column('Super Early', ''), EARLY, SPOT],
    ['', '1500', '2000'],
  ],
])(
  'a fee table is pasted again and %s: prices of workshops stay with their period',
  (_, columns, cells) => {
    const table: ItemTable = { rows: [row('Echo', '1500', '2000')], notes: [], isByPeriod: true }
    const single: ItemTable = { ...table, rows: [row('', '1500')], isByPeriod: false }
    const fees = { ...draft.fees, columns, tax: null, companions: null, workshops: [] }
    const old = { ...workshops(table), companions: single }
    expect(readPastedFees(old, fees, {}, today)).toMatchObject({
      workshops: { rows: [row('Echo', ...cells)] },
      companions: single,
    })
    expect(readPastedFees({ ...old, companions: table }, fees, {}, today).companions?.rows).toEqual(
      [row('Echo', ...cells)],
    )
  },
)

test('workshops pasted below the fees are moved to their own question with their seats', () => {
  const text =
    'Category\tEarly (till 31 Aug 2026)\tSpot\nMember\t5000\t6000\nWorkshops\tFee\tSeats\nEcho\t1500\t30'
  const { answers } = readDraft(draft, today)
  const { table, pasted } = readPasted(text, answers, today)
  if (table === null) throw new Error(pasted.message)
  const changed = { ...draft, ...readPastedFees(draft, table, answers, today) }
  expect(pasted.message).toContain('The workshops were moved to their own question')
  expect(changed.fees.rows.map(({ label }) => label)).toEqual(['Member'])
  expect(readDraft(changed, today).answers.workshops).toEqual([
    { label: 'Echo', prices: [150_000], seats: 30 },
  ])
})

test('a category that is renamed is named where a workshop still uses it', () => {
  const rows = [row('Echo', '1500'), { ...row('', 'free'), category: 'PG' }]
  expect(listProblems(workshops({ rows }), 'workshops')).toBeNull()
  const renamed = {
    ...workshops({ rows }),
    fees: { ...draft.fees, rows: [{ label: 'Trainee', cells: ['3000', '–'] }] },
  }
  expect(listProblems(renamed, 'workshops')).toEqual([
    { row: 1, message: '“PG” is not a category of this conference.' },
  ])
})

test('workshops of a free event have seats and no prices', () => {
  const free = {
    ...workshops({ rows: [{ ...row('Echo'), number: '30' }] }),
    texts: { ...draft.texts, free: 'yes', categories: 'Member; PG' },
  }
  expect(readDraft(free, today).answers.workshops).toEqual([
    { label: 'Echo', prices: [0], seats: 30 },
  ])
})

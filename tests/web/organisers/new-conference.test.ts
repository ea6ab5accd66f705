/** The answers about a new conference: tables keep the values entered when rows and periods change. */
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
const buildRow = (label: string, ...cells: readonly string[]): ItemRow => ({
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
const buildDraftWithWorkshops = (table: Partial<ItemTable>): AnswerDraft => ({
  ...draft,
  workshops: { ...draft.workshops, ...table },
})
const findProblem = (answerDraft: AnswerDraft, name: string): unknown =>
  readDraft(answerDraft, today).steps.find(({ question }) => question.name === name)?.problem

test('an empty table means that the event has no such items', () => {
  const { answers, steps } = readDraft(draft, today)
  expect(answers).not.toHaveProperty('workshops')
  expect(answers).not.toHaveProperty('companions')
  expect(steps.map(({ problem }) => problem)).toEqual(steps.map(() => null))
})

test('the optional questions share the last card, which reports an answer that contradicts the fee table', () => {
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
  const lateColumns = [draft.fees.columns[0], { label: 'Spot', from: '', to: '' }].flatMap(
    (column) =>
      column === undefined ? [] : [{ ...column, to: column.label === 'Early' ? '2026-12-10' : '' }],
  )
  const draftWithLateSpot = { ...draft, texts, fees: { ...draft.fees, columns: lateColumns } }
  expect(findProblem(draftWithLateSpot, 'on-site')).toContain('“Spot” begins on 11 December 2026')
})

test('a problem states the row number that is shown, even below an empty row', () => {
  const rows = [EMPTY_ITEM, buildRow('Echo', '1500'), EMPTY_ITEM, buildRow('', '900')]
  expect(findProblem(buildDraftWithWorkshops({ rows }), 'workshops')).toEqual([
    { row: 3, message: 'Which workshop has these prices?' },
  ])
})

test('adding rows with prices per period turns a single price into a price for each period', () => {
  const table = addItemRows(
    { rows: [EMPTY_ITEM, buildRow('Echo', '1500')], notes: [], isByPeriod: false },
    [buildRow('Airway', '1000', 'NA')],
  )
  expect(table).toEqual({
    rows: [buildRow('Echo', '1500', '1500'), buildRow('Airway', '1000', 'NA')],
    notes: [],
    isByPeriod: true,
  })
  expect(readDraft(buildDraftWithWorkshops(table), today).answers.workshops).toEqual([
    { label: 'Echo', prices: [150_000, 150_000], seats: null },
    { label: 'Airway', prices: [100_000, null], seats: null },
  ])
})

test('removing a period removes its prices, but not a single price for all periods', () => {
  const table: ItemTable = { rows: [buildRow('Echo', '1500', '2000')], notes: [], isByPeriod: true }
  expect(removePeriod(table, 0).rows).toEqual([buildRow('Echo', '2000')])
  const singlePriceTable: ItemTable = {
    ...table,
    rows: [buildRow('Echo', '1500')],
    isByPeriod: false,
  }
  expect(removePeriod(singlePriceTable, 0)).toEqual(singlePriceTable)
})

const buildColumn = (label: string, to: string, from = '') => ({ label, from, to })
const EARLY = buildColumn('Early', '2026-08-31')
const SPOT = buildColumn('Spot', '')

test.each<[string, ReturnType<typeof buildColumn>[], string[]]>([
  [
    'a period is inserted',
    [EARLY, buildColumn('Regular', '2026-10-31'), SPOT],
    ['1500', '', '2000'],
  ],
  ['a period is missing', [SPOT], ['2000']],
  [
    'the order changes',
    [buildColumn('Spot', '2026-08-31'), buildColumn('Early', '')],
    ['2000', '1500'],
  ],
  ['a day changes', [buildColumn('early', '2026-09-15'), SPOT], ['1500', '2000']],
  ['a name changes', [buildColumn('Early Bird', '2026-08-31'), SPOT], ['1500', '2000']],
  ['a name and its day change', [buildColumn('Early Bird', '2026-09-15'), SPOT], ['', '2000']],
  [
    'a period is inserted at the start',
    [buildColumn('Super Early', ''), EARLY, SPOT],
    ['', '1500', '2000'],
  ],
])(
  'when a fee table is pasted again and %s, workshop prices stay with their period',
  (_, columns, cells) => {
    const table: ItemTable = {
      rows: [buildRow('Echo', '1500', '2000')],
      notes: [],
      isByPeriod: true,
    }
    const otherTable: ItemTable = { ...table, rows: [buildRow('', '1500')], isByPeriod: false }
    const fees = { ...draft.fees, columns, tax: null, companions: null, workshops: [] }
    const oldDraft = { ...buildDraftWithWorkshops(table), companions: otherTable }
    expect(readPastedFees(oldDraft, fees, {}, today)).toMatchObject({
      workshops: { rows: [buildRow('Echo', ...cells)] },
      companions: otherTable,
    })
    expect(
      readPastedFees({ ...oldDraft, companions: table }, fees, {}, today).companions?.rows,
    ).toEqual([buildRow('Echo', ...cells)])
  },
)

test('workshops that are pasted below the fees are moved to their own question, with their seats', () => {
  const text =
    'Category\tEarly (till 31 Aug 2026)\tSpot\nMember\t5000\t6000\nWorkshops\tFee\tSeats\nEcho\t1500\t30'
  const { answers } = readDraft(draft, today)
  const { table, pasted } = readPasted(text, answers, today)
  if (table === null) throw new Error(pasted.message)
  const changedDraft = { ...draft, ...readPastedFees(draft, table, answers, today) }
  expect(pasted.message).toContain('The workshops were moved to their own question')
  expect(changedDraft.fees.rows.map(({ label }) => label)).toEqual(['Member'])
  expect(readDraft(changedDraft, today).answers.workshops).toEqual([
    { label: 'Echo', prices: [150_000], seats: 30 },
  ])
})

test('a problem is reported if a workshop still uses the old name of a renamed category', () => {
  const rows = [buildRow('Echo', '1500'), { ...buildRow('', 'free'), category: 'PG' }]
  expect(findProblem(buildDraftWithWorkshops({ rows }), 'workshops')).toBeNull()
  const renamedDraft = {
    ...buildDraftWithWorkshops({ rows }),
    fees: { ...draft.fees, rows: [{ label: 'Trainee', cells: ['3000', '–'] }] },
  }
  expect(findProblem(renamedDraft, 'workshops')).toEqual([
    { row: 1, message: '“PG” is not a category of this conference.' },
  ])
})

test('workshops at a free event have seats but no prices', () => {
  const freeDraft = {
    ...buildDraftWithWorkshops({ rows: [{ ...buildRow('Echo'), number: '30' }] }),
    texts: { ...draft.texts, free: 'yes', categories: 'Member; PG' },
  }
  expect(readDraft(freeDraft, today).answers.workshops).toEqual([
    { label: 'Echo', prices: [0], seats: 30 },
  ])
})

/** Reads the answers about a new conference with the engine's questions, and writes the file. */
import { day } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import {
  continuesWorkshop,
  createEventFile,
  DETAIL_QUESTIONS,
  findPrefix,
  listColumnLabels,
  QUESTIONS,
  readCompanionTable,
  readFees,
  readItemTables,
  readNote,
  readWorkshopTable,
  suggestEventId,
} from '../../../engine/authoring.ts'
import type {
  FeeProblem,
  FeeTable,
  ItemRow,
  ItemTable,
  NewEventAnswers,
  Question,
  readFeeTable,
} from '../../../engine/authoring.ts'
import type { AnswerDraft, AnswerTexts } from './answer-draft.ts'

const EMPTY_ROWS = 3
export const EMPTY_ITEM: ItemRow = { label: '', category: '', cells: [], number: '' }
const EMPTY_ITEMS: ItemTable = { rows: [EMPTY_ITEM], notes: [], isByPeriod: false }
export const EMPTY_DRAFT: AnswerDraft = {
  texts: {},
  fees: {
    columns: [
      { label: 'Early Bird', from: '', to: '' },
      { label: 'Regular', from: '', to: '' },
    ],
    rows: Array.from({ length: EMPTY_ROWS }, () => ({ label: '', cells: ['', ''] })),
    notes: [],
  },
  workshops: EMPTY_ITEMS,
  companions: EMPTY_ITEMS,
  at: 'title',
  isOpen: true,
}

/** A question that applies after the earlier answers, with the problem in its answer, if any. */
export type Step = {
  readonly question: Question
  readonly sentence: string
  /** The answers to the earlier questions. */
  readonly earlierAnswers: NewEventAnswers
  /** Null if it is answered or left empty. */
  readonly problem: string | readonly FeeProblem[] | null
}

/** Questions that are shown together, with the name of the first. */
export type Card = {
  readonly name: Question['name']
  readonly steps: readonly [Step, ...Step[]]
  /** The optional questions, which share a card. */
  readonly isDetails: boolean
}

const DETAIL_NAMES = new Set<string>(DETAIL_QUESTIONS.map(({ name }) => name))

/** Returns one card for each question, and one for all optional questions. */
export function groupSteps(steps: readonly Step[]): readonly Card[] {
  const isDetail = ({ question }: Step): boolean => DETAIL_NAMES.has(question.name)
  const [first, ...others] = steps.filter(isDetail)
  return [
    ...steps
      .filter((step) => !isDetail(step))
      .map((step): Card => ({ name: step.question.name, steps: [step], isDetails: false })),
    ...(first === undefined
      ? []
      : [{ name: first.question.name, steps: [first, ...others], isDetails: true } as const]),
  ]
}

const isAnswered = (texts: readonly string[]): boolean => texts.some((text) => text.trim() !== '')

/** Returns true if the row, or a row that continues it, is not empty. */
const isItemFilledIn = (rows: readonly ItemRow[], at: number): boolean => {
  const { label = '', category = '', cells = [], number = '' } = rows[at] ?? {}
  return isAnswered([label, category, number, ...cells]) || continuesWorkshop(rows, at + 1)
}

/** Checks only rows that are not empty. Each problem states the index of its row in the displayed table. */
function readFilledRows<Row, Read extends { readonly problems: readonly FeeProblem[] }>(
  { rows, notes }: { readonly rows: readonly Row[]; readonly notes: readonly string[] },
  isRowFilledIn: (row: Row, at: number) => boolean,
  read: (rows: readonly Row[]) => Read,
): { readonly read: Read | null; readonly problem: readonly FeeProblem[] | null } {
  const filledRows = rows
    .map((row, at) => ({ row, at }))
    .filter(({ row, at }) => isRowFilledIn(row, at))
  if (filledRows.length === 0 && notes.length === 0) return { read: null, problem: null }
  const result = read(filledRows.map(({ row }) => row))
  const problem = result.problems.map(({ row, ...rest }): FeeProblem => {
    const at = row === undefined ? undefined : filledRows[row]?.at
    return at === undefined ? rest : { ...rest, row: at }
  })
  return { read: result, problem: problem.length === 0 ? null : problem }
}

/** Reads all answers in order. The result omits answers that cannot be read. */
export function readDraft(
  draft: AnswerDraft,
  today: Day,
): { readonly answers: NewEventAnswers; readonly steps: readonly Step[] } {
  let answers: NewEventAnswers = {}
  const steps: Step[] = []
  for (const question of QUESTIONS) {
    const earlierAnswers = answers
    const sentence = question.buildQuestion(earlierAnswers)
    if (sentence === null) continue
    const kind = findItemKind(question, earlierAnswers)
    if (kind !== null) {
      const table = draft[kind]
      const { read, problem } = readFilledRows(
        table,
        (_, at) => isItemFilledIn(table.rows, at),
        (rows) =>
          kind === 'workshops'
            ? readWorkshopTable({ ...table, rows }, earlierAnswers)
            : readCompanionTable({ ...table, rows }, earlierAnswers),
      )
      if (read !== null && problem === null) answers = read.answers
      steps.push({ question, sentence, earlierAnswers, problem })
      continue
    }
    if (isFeeQuestion(question, earlierAnswers)) {
      const { read, problem } = readFilledRows(
        draft.fees,
        ({ label, cells }) => isAnswered([label, ...cells]),
        (rows) => readFees({ ...draft.fees, rows }, earlierAnswers),
      )
      if (read !== null && problem === null) answers = read.fees
      const { currency } = draft.fees
      const answersWithCurrency =
        currency === undefined ? earlierAnswers : { ...earlierAnswers, currency }
      steps.push({
        question,
        sentence: question.buildQuestion(answersWithCurrency) ?? sentence,
        earlierAnswers,
        problem,
      })
      continue
    }
    const text = draft.texts[question.name]?.trim() ?? ''
    const result = text === '' ? null : question.parse(text, earlierAnswers, today)
    if (result?.ok === true) answers = result.value
    const missingMessage =
      text === '' && question.name === 'title' ? 'Enter the name of the conference.' : null
    const problem = result?.ok === false ? result.error : missingMessage
    steps.push({ question, sentence, earlierAnswers, problem })
  }
  return { answers, steps }
}

/**
 * Returns true if the page shows the question as a table: the categories and their prices, unless the event is free.
 */
export const isFeeQuestion = ({ name }: Question, { free }: NewEventAnswers): boolean =>
  name === 'categories' && free !== true

/**
 * Returns the table that answers the question; null unless it asks for workshops, or for accompanying persons who pay.
 */
export const findItemKind = (
  { name }: Question,
  { free }: NewEventAnswers,
): 'workshops' | 'companions' | null =>
  name === 'workshops' || (name === 'companions' && free !== true) ? name : null

export const removeAt = <Entry>(entries: readonly Entry[], at: number): readonly Entry[] =>
  entries.filter((_, index) => index !== at)

/** Adds a problem's message to the messages that the organiser has confirmed as correct. */
export const addConfirmedMessage = <Table extends FeeTable | ItemTable>(
  table: Table,
  message: string,
): Table => ({ ...table, confirmed: [...(table.confirmed ?? []), message] })

/**
 * Adds rows to a table. If the added rows have a price for each period, rows with a single price get that price in
 * every period.
 */
export function addItemRows(table: ItemTable, addedRows: readonly ItemRow[]): ItemTable {
  const width = Math.max(...addedRows.map(({ cells }) => cells.length))
  const isByPeriod = table.isByPeriod || width > 1
  const rows = [...table.rows.filter((_, at) => isItemFilledIn(table.rows, at)), ...addedRows]
  return {
    ...table,
    isByPeriod,
    rows: rows.map((row) =>
      isByPeriod && row.cells.length === 1
        ? { ...row, cells: Array.from({ length: width }, () => row.cells[0] ?? '') }
        : row,
    ),
  }
}

/** Returns true if a change adds or removes rows or columns. */
export const hasDifferentSize = (
  table: FeeTable | ItemTable,
  oldTable: FeeTable | ItemTable,
): boolean =>
  table.rows.length !== oldTable.rows.length ||
  ('columns' in table && 'columns' in oldTable && table.columns.length !== oldTable.columns.length)

/** Returns true if a change removes rows or columns. */
export const isSmaller = (table: FeeTable | ItemTable, old: FeeTable | ItemTable): boolean =>
  table.rows.length < old.rows.length ||
  ('columns' in table && 'columns' in old && table.columns.length < old.columns.length)

/**
 * Returns the answers that a pasted fee table changes: the prices, the tax, the price for an accompanying person and
 * the workshops stated in the table, and the columns of the other tables. `earlierAnswers` are the answers to the
 * earlier questions.
 */
export function readPastedFees(
  draft: AnswerTexts,
  { tax, companions, workshops, ...fees }: ReturnType<typeof readFeeTable>,
  earlierAnswers: NewEventAnswers,
  today: Day,
): Partial<AnswerTexts> {
  const answers = { ...readFees(fees, earlierAnswers).fees, ...(tax === null ? {} : { tax }) }
  return {
    fees,
    workshops:
      workshops.length === 0
        ? movePricesWithPeriods(draft.workshops, draft.fees, fees)
        : readItemTables(workshops, answers, today),
    companions:
      companions === null
        ? movePricesWithPeriods(draft.companions, draft.fees, fees)
        : addItemRows(EMPTY_DRAFT.companions, [
            { ...EMPTY_ITEM, ...readNote(` = ${companions}`, fees.columns.length) },
          ]),
    ...(tax === null ? {} : { texts: { ...draft.texts, gst: tax } }),
  }
}

/**
 * Moves the prices of each period to its column in a new fee table. Periods are matched by name or, if
 * renamed, by column and days. Other periods have no prices yet.
 */
function movePricesWithPeriods(table: ItemTable, oldFees: FeeTable, newFees: FeeTable): ItemTable {
  if (!table.isByPeriod) return table
  const [oldNames, newNames] = [oldFees, newFees].map((fees) =>
    listColumnLabels(fees).map((label) => label.toLowerCase()),
  )
  const sources = newFees.columns.map(({ from, to }, column) => {
    const sameName = oldNames?.indexOf(newNames?.[column] ?? '') ?? -1
    if (sameName >= 0) return sameName
    const oldColumn = oldFees.columns[column]
    const isRenamed =
      oldColumn?.from === from &&
      oldColumn.to === to &&
      newNames?.includes(oldNames?.[column] ?? '') !== true
    return isRenamed ? column : null
  })
  return {
    ...table,
    rows: table.rows.map((row) => ({
      ...row,
      cells: sources.map((source) => (source === null ? '' : (row.cells[source] ?? ''))),
    })),
  }
}

/** Removes the prices of a period that was removed from the registration fees. */
export const removePeriod = (table: ItemTable, at: number): ItemTable =>
  table.isByPeriod
    ? { ...table, rows: table.rows.map((row) => ({ ...row, cells: removeAt(row.cells, at) })) }
    : table

/** Generates the event file from the answers so far, with placeholders for missing values. */
export function generateEventFile(
  answers: NewEventAnswers,
  usedNames: { readonly ids: readonly string[]; readonly prefixes: readonly string[] },
  today: Day,
): { readonly path: string; readonly text: string } {
  const id = suggestEventId(answers.title ?? 'conference', usedNames.ids)
  const prefix =
    findPrefix(id, usedNames.prefixes) ?? findPrefix('conference', usedNames.prefixes) ?? 'CONF'
  return { path: `events/${id}.yaml`, text: createEventFile({ ...answers, id, prefix, today }) }
}

/** Returns the date in India. `now` already has the Indian offset. */
export const toDay = (now: string): Day => day(now.slice(0, 10))

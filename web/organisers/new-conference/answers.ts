/** Reads the answers about a new conference with the engine's questions, and writes the file. */
import { day } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import {
  createEventFile,
  findPrefix,
  QUESTIONS,
  readFees,
  suggestEventId,
} from '../../../engine/authoring.ts'
import type { FeeProblem, FeeTable, NewEventAnswers, Question } from '../../../engine/authoring.ts'
import type { AnswerDraft } from './answer-draft.ts'

const EMPTY_ROWS = 3
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
  at: 'title',
  isOpen: true,
}

/** A question that earlier answers leave open, with what is wrong with its answer. */
export type Step = {
  readonly question: Question
  readonly sentence: string
  /** What was known before it. */
  readonly before: NewEventAnswers
  /** Null if it is answered or left empty. */
  readonly problem: string | readonly FeeProblem[] | null
}

/** Rows in which something is written; `at` is their number in the table as shown. */
const listWrittenRows = (fees: FeeTable) =>
  fees.rows
    .map((row, at) => ({ row, at }))
    .filter(({ row }) => [row.label, ...row.cells].some((text) => text.trim() !== ''))

/** Reads all answers in order. An answer that cannot be read is left out of the result. */
export function readDraft(
  draft: AnswerDraft,
  today: Day,
): { readonly answers: NewEventAnswers; readonly steps: readonly Step[] } {
  let answers: NewEventAnswers = {}
  const steps: Step[] = []
  for (const question of QUESTIONS) {
    const before = answers
    const sentence = question.buildQuestion(before)
    if (sentence === null) continue
    if (isFeeQuestion(question, before)) {
      const written = listWrittenRows(draft.fees)
      const isEmpty = written.length === 0 && draft.fees.notes.length === 0
      const { fees, problems } = readFees(
        { ...draft.fees, rows: written.map(({ row }) => row) },
        before,
      )
      if (!isEmpty && problems.length === 0) answers = fees
      const placed = problems.map(({ row, ...problem }): FeeProblem => {
        const at = row === undefined ? undefined : written[row]?.at
        return at === undefined ? problem : { ...problem, row: at }
      })
      const problem = isEmpty || placed.length === 0 ? null : placed
      const { currency } = draft.fees
      const inCurrency = currency === undefined ? before : { ...before, currency }
      steps.push({
        question,
        sentence: question.buildQuestion(inCurrency) ?? sentence,
        before,
        problem,
      })
      continue
    }
    const text = draft.texts[question.name]?.trim() ?? ''
    const result = text === '' ? null : question.parse(text, before, today)
    if (result?.ok === true) answers = result.value
    const missing =
      text === '' && question.name === 'title' ? 'Write the name of the conference.' : null
    const problem = result?.ok === false ? result.error : missing
    steps.push({ question, sentence, before, problem })
  }
  return { answers, steps }
}

/** Whether the question is asked as a table: the categories and their prices, unless all is free. */
export const isFeeQuestion = ({ name }: Question, { free }: NewEventAnswers): boolean =>
  name === 'categories' && free !== true

/** Writes the file of the answers so far; what is missing gets placeholders. */
export function writeFile(
  answers: NewEventAnswers,
  used: { readonly ids: readonly string[]; readonly prefixes: readonly string[] },
  today: Day,
): { readonly path: string; readonly text: string } {
  const id = suggestEventId(answers.title ?? 'conference', used.ids)
  const prefix = findPrefix(id, used.prefixes) ?? findPrefix('conference', used.prefixes) ?? 'CONF'
  return { path: `events/${id}.yaml`, text: createEventFile({ ...answers, id, prefix, today }) }
}

/** The day of the page, in India, from its time with offset. */
export const toDay = (now: string): Day => day(now.slice(0, 10))

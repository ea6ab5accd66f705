/** Compiles the file that the "New conference" page creates from a test's answers. */
import { expect } from 'vitest'
import { day } from '../../../engine/index.ts'
import {
  compileEvent,
  createEventFile,
  QUESTIONS,
  type NewEventAnswers,
} from '../../../engine/authoring.ts'
import { shared } from '../../server/cli/shared-files.ts'

/** The day on which the organiser answers the questions. */
export const ANSWER_DAY = day('2026-05-01')

/** Parses the answer to the question with the given name, as the command does. */
export function parseAnswer(name: string, text: string, answers: NewEventAnswers) {
  const result = QUESTIONS.find((question) => question.name === name)?.parse(
    text,
    answers,
    ANSWER_DAY,
  )
  if (result === undefined) throw new Error(`no question named ${name}`)
  return result
}

/** Returns the compiled event and its file. Fails if the file has any finding except the list of its placeholders. */
export function compileNewEvent(answers: NewEventAnswers) {
  const text = createEventFile({ ...answers, id: 'echo2026', prefix: 'ECHO', today: ANSWER_DAY })
  const { event: compiled, findings } = compileEvent(text, shared, { path: 'echo2026.yaml' })
  expect(
    findings
      .filter(({ code }) => code !== 'EV991')
      .map(({ code, message, at }) => `${at.start.line} ${code} ${message}`),
  ).toEqual([])
  if (compiled === null) throw new Error('the created file does not compile to an event')
  return { compiled, text }
}

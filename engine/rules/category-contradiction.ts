/**
 * Finds answers that contradict the category that a delegate chose.
 *
 * The form points them out to the delegate before payment but accepts them.
 */
import type { Answers } from '../event/answer-types.ts'
import { matchesCondition, passesTest } from './conditions-and-operators.ts'
import type { PublicEvent } from '../event/config.ts'
import { getOwn } from '../lib/result.ts'
import { formatAnswer } from '../event/placeholders-and-answer-texts.ts'

export type Contradiction = {
  /** The id of the field whose answer contradicts the category. `question` is its label in the form. */
  readonly field: string
  readonly question: string
  readonly answer: string
  /** The category's label. */
  readonly category: string
}

/** Returns the first normalised answer that contradicts the chosen category; null if none does. */
export function findContradiction(
  event: PublicEvent,
  answers: Answers,
  category: string | null,
): Contradiction | null {
  const chosenCategory = event.categories.find(({ id }) => id === category)
  if (
    chosenCategory?.expects === undefined ||
    matchesCondition(chosenCategory.expects, answers, category)
  )
    return null
  const failedTest = chosenCategory.expects[0]?.find(
    ({ field, test }) => !passesTest(test, getOwn(answers, field)),
  )
  const field = event.fields.find(({ id }) => id === failedTest?.field)
  const answer = field && getOwn(answers, field.id)
  return field === undefined || answer === undefined
    ? null
    : {
        field: field.id,
        question: field.label,
        answer: formatAnswer(event, field.id, answer),
        category: chosenCategory.label,
      }
}

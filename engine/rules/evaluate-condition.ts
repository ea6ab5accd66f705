/** Conditions: one function for visibility, category and requirement, in the browser and on the server. */
import type { Answer, Answers, Condition, Person, Scalar, Test } from '../event/answer-types.ts'
import { assertNever, own } from '../lib/result.ts'
import { isDay } from '../lib/time.ts'

/**
 * True when any of the condition's maps holds. `answers` are normalised: what is absent was not
 * answered, and only `not-in` and `answered: false` accept that. `category` is null or absent where
 * there is none (yet), and in the rules that derive it.
 */
export function holds(
  condition: Condition,
  answers: Answers,
  category: string | null = null,
): boolean {
  return condition.some((map) =>
    map.every(({ field, test }) =>
      passes(test, field === 'category' ? (category ?? undefined) : own(answers, field)),
    ),
  )
}

/** One test against one answer; undefined is "not answered". */
export function passes(test: Test, answer: Answer | undefined): boolean {
  switch (test.is) {
    case 'in':
      return isScalar(answer) && test.values.includes(answer)
    case 'not-in':
      return !isScalar(answer) || !test.values.includes(answer)
    case 'has':
      return listOf(answer).some((one) => typeof one === 'string' && test.values.includes(one))
    case 'count':
      return isWithin(listOf(answer).length, test)
    case 'answered':
      return (answer !== undefined) === test.answered
    case 'number':
      return typeof answer === 'number' && isWithin(answer, test)
    case 'date':
      return (
        typeof answer === 'string' &&
        isDay(answer) &&
        (test.from === undefined || answer >= test.from) &&
        (test.to === undefined || answer <= test.to)
      )
    default:
      return assertNever(test)
  }
}

/** An answer that is one value; not one that is a list, and not "not answered". */
export function isScalar(answer: Answer | undefined): answer is Scalar {
  return answer !== undefined && typeof answer !== 'object'
}

/** The options or people of an answer; nobody and nothing where it is none. */
export function listOf(answer: Answer | undefined): readonly (string | Person)[] {
  return typeof answer === 'object' ? answer : []
}

/** The options chosen by an answer, of a select or of a many field. */
export function chosenIn(answer: Answer | undefined): readonly string[] {
  return isScalar(answer)
    ? [String(answer)]
    : listOf(answer).filter((one) => typeof one === 'string')
}

type Bounds = Omit<Extract<Test, { is: 'number' }>, 'is'>

function isWithin(number: number, { atLeast, atMost, above, below }: Bounds): boolean {
  return (
    (atLeast === undefined || number >= atLeast) &&
    (atMost === undefined || number <= atMost) &&
    (above === undefined || number > above) &&
    (below === undefined || number < below)
  )
}

/** Evaluates conditions and their operators (visibility, category, required answers), in browser and server. */
import type { Answer, Answers, Condition, Person, Scalar, Test } from '../event/answer-types.ts'
import { assertNever, getOwn } from '../lib/result.ts'
import { isDay } from '../lib/time.ts'

/**
 * Returns true if any of the condition's maps matches. `answers` are normalised: an absent answer counts as not
 * answered, which only `not-in` and `answered: false` accept. `category` is null or absent if there is none yet, and
 * in the rules that derive it.
 */
export function matchesCondition(
  condition: Condition,
  answers: Answers,
  category: string | null = null,
): boolean {
  return condition.some((map) =>
    map.every(({ field, test }) =>
      passesTest(test, field === 'category' ? (category ?? undefined) : getOwn(answers, field)),
    ),
  )
}

/** Returns true if the condition can match in this category, depending on the other answers. */
export const canApplyTo = (when: Condition, category: string): boolean =>
  when.some((tests) =>
    tests.every((test) => test.field !== 'category' || matchesCondition([[test]], {}, category)),
  )

/**
 * Returns true if a condition matches this category for all answers, because it tests nothing else.
 */
export const appliesToAll = (when: Condition, category: string | null): boolean =>
  when.some((tests) =>
    tests.every((test) => test.field === 'category' && matchesCondition([[test]], {}, category)),
  )

/** Applies a test to an answer; undefined means "not answered". */
export function passesTest(test: Test, answer: Answer | undefined): boolean {
  switch (test.is) {
    case 'in':
      return isScalar(answer) && test.values.includes(answer)
    case 'not-in':
      return !isScalar(answer) || !test.values.includes(answer)
    case 'has':
      return toList(answer).some(
        (candidate) => typeof candidate === 'string' && test.values.includes(candidate),
      )
    case 'count':
      return isWithin(toList(answer).length, test)
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

/** Returns true if the answer is a single value: neither a list nor "not answered". */
export function isScalar(answer: Answer | undefined): answer is Scalar {
  return answer !== undefined && typeof answer !== 'object'
}

/** Returns the options or people in an answer; an empty list if it is not a list. */
export function toList(answer: Answer | undefined): readonly (string | Person)[] {
  return typeof answer === 'object' ? answer : []
}

/** Returns the chosen options of a `select` or `many` field. */
export function listChosenOptions(answer: Answer | undefined): readonly string[] {
  return isScalar(answer)
    ? [String(answer)]
    : toList(answer).filter((candidate) => typeof candidate === 'string')
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

/** Conditions: one function for visibility, category and requirement, in the browser and on the server. */
import type { Answer, Answers, Condition, Test } from './config.ts'
import { assertNever, own } from './outcome.ts'
import { isDay } from './time.ts'

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
      return answer !== undefined && test.values.includes(answer)
    case 'not-in':
      return answer === undefined || !test.values.includes(answer)
    case 'answered':
      return (answer !== undefined) === test.answered
    case 'number':
      return (
        typeof answer === 'number' &&
        (test.atLeast === undefined || answer >= test.atLeast) &&
        (test.atMost === undefined || answer <= test.atMost) &&
        (test.above === undefined || answer > test.above) &&
        (test.below === undefined || answer < test.below)
      )
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

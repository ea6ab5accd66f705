/** Describes conditions in words, to explain why a rule matches or a price applies. */
import type { Answer, Answers, Condition, Test } from '../event/answer-types.ts'
import { METHOD_NAME } from './pricing-context.ts'
import { passesTest } from './evaluate-condition.ts'
import type { PublicEvent } from '../event/config.ts'
import { assertNever, getOwn } from '../lib/result.ts'
import { formatDay } from '../lib/time.ts'

/**
 * Returns the actual value for the first failing test of a condition's first map: "asi_member is
 * no"; null if none fails.
 */
export function describeFirstFailure(
  event: PublicEvent,
  when: Condition,
  answers: Answers,
  category: string | null = null,
): string | null {
  const getAnswer = (field: string): Answer | undefined =>
    field === 'category' ? (category ?? undefined) : getOwn(answers, field)
  const failed = when[0]?.find(({ field, test }) => !passesTest(test, getAnswer(field)))
  return failed === undefined
    ? null
    : `${failed.field} is ${formatComparedAnswer(event, failed.field, getAnswer(failed.field))}`
}

/** Describes a condition: "designation is PG and asi_member is yes, or …". */
export function describeCondition(event: PublicEvent, condition: Condition): string {
  return condition
    .map((map) =>
      map.map(({ field, test }) => `${field} ${describeTest(event, field, test)}`).join(' and '),
    )
    .join(', or ')
}

function describeTest(event: PublicEvent, field: string, test: Test): string {
  const list = (values: readonly Answer[]): string =>
    values.map((value) => formatComparedAnswer(event, field, value)).join(' or ')
  switch (test.is) {
    case 'in':
      return `is ${list(test.values)}`
    case 'not-in':
      return `is not ${list(test.values)}`
    case 'has':
      return `has ${list(test.values)}`
    case 'answered':
      return test.answered ? 'is answered' : 'is not answered'
    case 'count':
    case 'number':
      return `${test.is === 'count' ? 'counts' : 'is'} ${describeBounds([
        ['at least', test.atLeast],
        ['above', test.above],
        ['at most', test.atMost],
        ['below', test.below],
      ])}`
    case 'date':
      if (test.age !== undefined)
        return `is aged ${describeBounds([
          ['at least', test.age.atLeast],
          ['above', test.age.above],
          ['at most', test.age.atMost],
          ['below', test.age.below],
        ])}${test.age.on === undefined ? '' : ` on ${formatDay(test.age.on)}`}`
      return `is ${describeBounds([
        ['on or after', test.from && formatDay(test.from)],
        ['on or before', test.to && formatDay(test.to)],
      ])}`
    default:
      return assertNever(test)
  }
}

function describeBounds(
  pairs: readonly (readonly [string, string | number | undefined])[],
): string {
  return pairs
    .flatMap(([word, limit]) => (limit === undefined ? [] : [`${word} ${limit}`]))
    .join(' and ')
}

function formatComparedAnswer(event: PublicEvent, id: string, answer: Answer | undefined): string {
  if (answer === undefined) return 'not answered'
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
  if (typeof answer === 'object')
    return answer.every((candidate) => typeof candidate === 'string')
      ? answer.map((entry) => formatComparedAnswer(event, id, entry)).join(' and ')
      : `a list of ${answer.length}`
  const options =
    id === 'category'
      ? event.categories
      : (event.fields.find((field) => field.id === id)?.options ??
        (id === METHOD_NAME ? event.fees.methods : undefined))
  return options?.find((option) => option.id === answer)?.label ?? String(answer)
}

/** A delegate's category: which one their answers give, and why. */
import type { Answer, Answers, Condition, PublicEvent, Test } from './config.ts'
import { holds, passes } from './conditions.ts'
import { assertNever, own } from './outcome.ts'
import { formatDay } from './time.ts'

/** The delegate's category: the one chosen, or what the first rule that fits says. Null: none (yet). `answers` are normalised. */
export function categoryOf(event: PublicEvent, answers: Answers): string | null {
  const choice = event.categoryChoice
  const id =
    choice.by === 'field'
      ? own(answers, choice.field)
      : choice.rules.find((rule) => rule.when === null || holds(rule.when, answers))?.then
  return event.categories.some((category) => category.id === id) ? String(id) : null
}

type RuleTried = {
  readonly rule: number
  readonly fits: boolean
  readonly then: string
  readonly says: string
  readonly but: string | null
}
export type CategoryExplained =
  | {
      readonly by: 'field'
      readonly category: string | null
      readonly field: string
      readonly answer: Answer | null
    }
  | { readonly by: 'rules'; readonly category: string | null; readonly tried: readonly RuleTried[] }

/**
 * Why these answers get their category: the rules up to the one that fits, counted from 1, each with
 * what it asks in words and, where it does not fit, the first test that fails ("asi_member is no").
 */
export function explainCategory(event: PublicEvent, answers: Answers): CategoryExplained {
  const choice = event.categoryChoice
  const category = categoryOf(event, answers)
  if (choice.by === 'field')
    return {
      by: 'field',
      category,
      field: choice.field,
      answer: own(answers, choice.field) ?? null,
    }
  const decided = choice.rules.findIndex((rule) => rule.when === null || holds(rule.when, answers))
  const tried = choice.rules
    .slice(0, decided === -1 ? undefined : decided + 1)
    .map(({ when, then }, index): RuleTried => ({
      rule: index + 1,
      fits: index === decided,
      then,
      says: when === null ? 'otherwise' : conditionText(event, when),
      but: when === null || index === decided ? null : firstFailure(event, when, answers),
    }))
  return { by: 'rules', category, tried }
}

function firstFailure(event: PublicEvent, when: Condition, answers: Answers): string | null {
  const failed = when[0]?.find(({ field, test }) => !passes(test, own(answers, field)))
  return failed === undefined
    ? null
    : `${failed.field} is ${answerText(event, failed.field, own(answers, failed.field))}`
}

/** A condition in words: "designation is PG and asi_member is yes, or …". */
function conditionText(event: PublicEvent, condition: Condition): string {
  return condition
    .map((map) =>
      map.map(({ field, test }) => `${field} ${testText(event, field, test)}`).join(' and '),
    )
    .join(', or ')
}

function testText(event: PublicEvent, field: string, test: Test): string {
  const list = (values: readonly Answer[]): string =>
    values.map((value) => answerText(event, field, value)).join(' or ')
  switch (test.is) {
    case 'in':
      return `is ${list(test.values)}`
    case 'not-in':
      return `is not ${list(test.values)}`
    case 'answered':
      return test.answered ? 'is answered' : 'is not answered'
    case 'number':
      return `is ${bounds([
        ['at least', test.atLeast],
        ['above', test.above],
        ['at most', test.atMost],
        ['below', test.below],
      ])}`
    case 'date':
      return `is ${bounds([
        ['on or after', test.from && formatDay(test.from)],
        ['on or before', test.to && formatDay(test.to)],
      ])}`
    default:
      return assertNever(test)
  }
}

function bounds(pairs: readonly (readonly [string, string | number | undefined])[]): string {
  return pairs
    .flatMap(([word, limit]) => (limit === undefined ? [] : [`${word} ${limit}`]))
    .join(' and ')
}

function answerText(event: PublicEvent, id: string, answer: Answer | undefined): string {
  if (answer === undefined) return 'not answered'
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
  const options =
    id === 'category' ? event.categories : event.fields.find((field) => field.id === id)?.options
  return options?.find((option) => option.id === answer)?.label ?? String(answer)
}

/** A delegate's category: which one their answers give, and why. */
import type { PublicEvent } from './config.ts'
import type { Answer, Answers, Condition, Test } from './answer.ts'
import { holds, passes } from './conditions.ts'
import { CODE, fullOf } from './facts.ts'
import { assertNever, own } from './outcome.ts'
import { formatDay } from './time.ts'

/**
 * The delegate's category: what their code gives, else the one chosen, or what the first rule that fits says.
 * Null: none (yet). `answers` are normalised, with the facts laid in.
 */
export function categoryOf(event: PublicEvent, answers: Answers): string | null {
  const given = event.codeKinds.find(({ id }) => id === own(answers, CODE))?.gives
  const id = given !== undefined && 'category' in given ? given.category : byAnswers(event, answers)
  const known = event.categories.some((category) => category.id === id) ? String(id) : null
  return known === null ? null : offeredInstead(event, answers, known)
}

function byAnswers(event: PublicEvent, answers: Answers): Answer | undefined {
  const choice = event.categoryChoice
  return choice.by === 'field'
    ? own(answers, choice.field)
    : choice.rules.find((rule) => rule.when === null || holds(rule.when, answers))?.then
}

/** A category whose places are gone, and the one that its limit offers in its place. */
function offeredInstead(event: PublicEvent, answers: Answers, category: string): string {
  const full = event.limits.find(
    ({ id, when, full: { offer } }) =>
      offer !== undefined &&
      own(answers, fullOf(id)) === true &&
      (when === undefined || holds(when, answers, category)),
  )
  return full?.full.offer ?? category
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
    case 'has':
      return `has ${list(test.values)}`
    case 'answered':
      return test.answered ? 'is answered' : 'is not answered'
    case 'count':
    case 'number':
      return `${test.is === 'count' ? 'counts' : 'is'} ${bounds([
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
  if (typeof answer === 'object')
    return answer.every((one) => typeof one === 'string')
      ? answer.map((one) => answerText(event, id, one)).join(' and ')
      : `a list of ${answer.length}`
  const options =
    id === 'category' ? event.categories : event.fields.find((field) => field.id === id)?.options
  return options?.find((option) => option.id === answer)?.label ?? String(answer)
}

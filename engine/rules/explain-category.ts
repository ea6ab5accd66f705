/** Explains rule by rule how a category is derived from answers. Computed only on request. */
import type { Answer, Answers } from '../event/answer-types.ts'
import { findCategory } from './category.ts'
import { describeCondition, describeFirstFailure } from './describe-condition.ts'
import { matchesCondition } from './conditions-and-operators.ts'
import type { PublicEvent } from '../event/config.ts'
import { getOwn } from '../lib/result.ts'

type TriedRule = {
  readonly rule: number
  readonly isMatch: boolean
  readonly then: string
  readonly condition: string
  readonly failingTest: string | null
}
export type CategoryExplanation =
  | {
      readonly by: 'field'
      readonly category: string | null
      readonly field: string
      readonly answer: Answer | null
    }
  | { readonly by: 'rules'; readonly category: string | null; readonly tried: readonly TriedRule[] }

/**
 * Lists the rules up to the matching one, counted from 1, each with its condition in words and, if
 * it does not match, the first failing test ("asi_member is no").
 */
export function explainCategory(event: PublicEvent, answers: Answers): CategoryExplanation {
  const choice = event.categoryChoice
  const category = findCategory(event, answers)
  if (choice.by === 'field')
    return {
      by: 'field',
      category,
      field: choice.field,
      answer: getOwn(answers, choice.field) ?? null,
    }
  const matchingIndex = choice.rules.findIndex(
    (rule) => rule.when === null || matchesCondition(rule.when, answers),
  )
  const tried = choice.rules
    .slice(0, matchingIndex === -1 ? undefined : matchingIndex + 1)
    .map(({ when, then }, index): TriedRule => ({
      rule: index + 1,
      isMatch: index === matchingIndex,
      then,
      condition: when === null ? 'otherwise' : describeCondition(event, when),
      failingTest:
        when === null || index === matchingIndex
          ? null
          : describeFirstFailure(event, when, answers),
    }))
  return { by: 'rules', category, tried }
}

/** A delegate's category: which one their answers give, and why. */
import type { PublicEvent } from './config.ts'
import type { Answer, Answers } from './answer.ts'
import { conditionText, firstFailure } from './condition-text.ts'
import { holds } from './conditions.ts'
import { CODE, fullOf } from './facts.ts'
import { own } from './outcome.ts'

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

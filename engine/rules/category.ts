/** A delegate's category: which one their answers give. */
import type { PublicEvent } from '../event/config.ts'
import type { Answer, Answers } from '../event/answer-types.ts'
import { holds } from './evaluate-condition.ts'
import { CODE, fullOf } from './pricing-context.ts'
import { own } from '../lib/result.ts'

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

/** A category by its label; one that the file has no more by its id. */
export function labelOfCategory(
  { categories }: Pick<PublicEvent, 'categories'>,
  id: string,
): string {
  return categories.find((one) => one.id === id)?.label ?? id
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

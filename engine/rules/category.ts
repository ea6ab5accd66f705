/** Derives a delegate's category from the answers. */
import type { Category, PublicEvent } from '../event/config.ts'
import type { Answer, Answers } from '../event/answer-types.ts'
import { matchesCondition } from './conditions-and-operators.ts'
import { CODE_NAME, getFullQuotaName } from './pricing-context.ts'
import type { Currency } from '../lib/money.ts'
import { getOwn } from '../lib/result.ts'

/**
 * Returns the category that the discount code assigns, otherwise the chosen one, otherwise the result
 * of the first matching rule. Null if there is none yet. `answers` are normalised and include the
 * context.
 */
export function findCategory(event: PublicEvent, answers: Answers): string | null {
  const fromCode = event.codeKinds.find(({ id }) => id === getOwn(answers, CODE_NAME))?.gives
  const id =
    fromCode !== undefined && 'category' in fromCode
      ? fromCode.category
      : findCategoryByAnswers(event, answers)
  const knownCategory = event.categories.some((category) => category.id === id) ? String(id) : null
  return knownCategory === null ? null : findCategoryOfferedInstead(event, answers, knownCategory)
}

/** Returns a category's label; its id if the file no longer contains it. */
export function getCategoryLabel(
  { categories }: Pick<PublicEvent, 'categories'>,
  id: string,
): string {
  return categories.find((category) => category.id === id)?.label ?? id
}

/** Returns the currency of a bill for a category. `category` is null if it is not known yet. */
export function getCurrency(
  {
    categories,
    currency,
  }: Pick<PublicEvent, 'currency'> & {
    readonly categories: readonly Pick<Category, 'id' | 'currency'>[]
  },
  category: string | null,
): Currency {
  return categories.find(({ id }) => id === category)?.currency ?? currency
}

/**
 * Returns the currencies of an event's bills. The event's own currency is first, unless every category has another.
 */
export function listCurrenciesOfEvent(
  event: Parameters<typeof getCurrency>[0],
): readonly Currency[] {
  const currencies = event.categories.map(({ id }) => getCurrency(event, id))
  return [...new Set([event.currency, ...currencies])].filter((currency) =>
    currencies.includes(currency),
  )
}

function findCategoryByAnswers(event: PublicEvent, answers: Answers): Answer | undefined {
  const choice = event.categoryChoice
  return choice.by === 'field'
    ? getOwn(answers, choice.field)
    : choice.rules.find((rule) => rule.when === null || matchesCondition(rule.when, answers))?.then
}

/** Returns the category that a full quota offers instead of this one. */
function findCategoryOfferedInstead(
  event: PublicEvent,
  answers: Answers,
  category: string,
): string {
  const fullQuota = event.quotas.find(
    ({ id, when, full: { offer } }) =>
      offer !== undefined &&
      getOwn(answers, getFullQuotaName(id)) === true &&
      (when === undefined || matchesCondition(when, answers, category)),
  )
  return fullQuota?.full.offer ?? category
}

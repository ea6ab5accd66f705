/** Proves that the form asks for each ordered item's quantity, and that no hidden field causes a charge. */
import type { EventConfig } from '../../event/config.ts'
import type { Answer, Answers, Condition } from '../../event/answer-types.ts'
import { itemApplies, getItemQuantity } from '../../pricing/bill.ts'
import { matchesCondition, toList } from '../../rules/conditions-and-operators.ts'
import { getOwn } from '../../lib/result.ts'
import { memoize } from '../../lib/memoize.ts'
import type { Item } from '../../event/pricing-types.ts'
import { listVisibilityConditions } from './fields-in-conditions.ts'
import { tryWithinBudget, type Budget } from './sets-of-answers.ts'
import {
  buildItemDistinctions,
  listItemConditions,
  listNamesReadByItem,
  type SampleDelegate,
} from './item-prices.ts'
import { collectAnswers, pathState } from './example-answers.ts'
import { CATEGORY, listConditionNames, searchAnswers } from './walk-form.ts'

/** A field that counts an item but is unanswered although the item is ordered. */
export type UnansweredField = {
  readonly item: string
  readonly field: string
  readonly isHidden: boolean
  readonly sample: SampleDelegate
}

/** The maximum number of steps of a search over the values that one item reads. */
const MAX_STEPS = 50_000

/** Returns one entry for each item and field. Skips items with too many answers to check. */
export const findUnansweredFields = memoize((event: EventConfig): readonly UnansweredField[] =>
  event.fees.items.flatMap((item) =>
    tryWithinBudget(() => findUnansweredFieldsOfItem(event, item, { remaining: MAX_STEPS }), []),
  ),
)

function findUnansweredFieldsOfItem(
  event: EventConfig,
  item: Item,
  budget: Budget,
): readonly UnansweredField[] {
  const quantityFields = [item.by, item.count?.field, item.times, item.amountIn].filter(
    (name) => name !== undefined,
  )
  const unansweredFields = new Map<string, UnansweredField>()
  if (quantityFields.length === 0) return []
  const visibilityConditions = quantityFields.flatMap((name) =>
    listVisibilityConditions(event, name),
  )
  searchAnswers(
    event,
    [
      {
        reads: [
          ...listNamesReadByItem(item),
          ...listConditionNames(visibilityConditions),
          CATEGORY,
        ],
        conditions: [...listItemConditions(item), ...visibilityConditions],
        visit: ({ answers, category }, path) => {
          if (category === null || !itemApplies(item, answers, category)) return null
          // If no listed person counts towards the item, the form does not need a number.
          const { times: _, ...withoutTimes } = item
          if (
            item.count !== undefined &&
            getOwn(answers, item.count.field) !== undefined &&
            getItemQuantity(withoutTimes, answers, category) === 0
          )
            return null
          const firstField = isOrderedExplicitly(event, item, answers, category)
            ? undefined
            : quantityFields[0]
          for (const name of quantityFields) {
            // If the item is not ordered, no answer is required; otherwise the first answer requires the others.
            if (firstField !== undefined && getOwn(answers, firstField) === undefined) return null
            if (getOwn(answers, name) !== undefined || unansweredFields.has(name)) continue
            const isHidden = !listVisibilityConditions(event, name).every((shown) =>
              matchesCondition(shown, answers, category),
            )
            const sample = { answers: collectAnswers(path), category }
            unansweredFields.set(name, {
              item: item.id,
              field: name,
              isHidden,
              sample,
            })
          }
          return null
        },
      },
    ],
    pathState,
    buildItemDistinctions([item]),
    budget,
  )
  return [...unansweredFields.values()]
}

/**
 * Returns true if an answer orders the item explicitly: each alternative of its condition that
 * holds includes a Yes or an option.
 */
function isOrderedExplicitly(
  event: EventConfig,
  { when, by }: Item,
  answers: Answers,
  category: string,
): boolean {
  // An item sold by option is ordered by choosing an option.
  if (by !== undefined || when === undefined) return false
  const matchingAlternatives: Condition = when.filter((map) =>
    matchesCondition([map], answers, category),
  )
  return matchingAlternatives.every((map) =>
    map.some(
      ({ field, test }) =>
        (test.is === 'in' || test.is === 'has') &&
        event.fields.some(({ id }) => id === field) &&
        isChosen(getOwn(answers, field)),
    ),
  )
}

function isChosen(answer: Answer | undefined): boolean {
  return answer === true || typeof answer === 'string' || toList(answer).length > 0
}

/** A hidden field that causes a charge for an item because it is unanswered. */
export type HiddenField = Omit<UnansweredField, 'isHidden'>

/** Returns one entry for each item and field. Skips items with too many answers to check. */
export const findHiddenFields = memoize((event: EventConfig): readonly HiddenField[] =>
  event.fees.items.flatMap((item) =>
    tryWithinBudget(() => findHiddenFieldsOfItem(event, item, { remaining: MAX_STEPS }), []),
  ),
)

function findHiddenFieldsOfItem(
  event: EventConfig,
  item: Item,
  budget: Budget,
): readonly HiddenField[] {
  const { when, by, count, times, amountIn } = item
  // An item is ordered explicitly if the delegate chooses its option, its quantity or its price.
  const isFree = item.prices.every(({ table }) =>
    Object.values(table).every((cells) => Object.values(cells).every((price) => !price)),
  )
  if (
    when === undefined ||
    isFree ||
    [by, count, times, amountIn].some((candidate) => candidate !== undefined)
  )
    return []
  const negatedFields = event.fields.filter(
    ({ id }) =>
      listVisibilityConditions(event, id).length > 0 &&
      when.flat().some(({ field, test }) => field === id && test.is === 'not-in'),
  )
  if (negatedFields.length === 0) return []
  const hiddenFields = new Map<string, HiddenField>()
  const visibilityConditions = negatedFields.flatMap(({ id }) =>
    listVisibilityConditions(event, id),
  )
  searchAnswers(
    event,
    [
      {
        reads: [
          ...listNamesReadByItem(item),
          ...listConditionNames(visibilityConditions),
          CATEGORY,
        ],
        conditions: [...listItemConditions(item), ...visibilityConditions],
        visit: ({ answers, category }, path) => {
          if (category === null || isOrderedExplicitly(event, item, answers, category)) return null
          const matchingAlternatives = when.filter((map) =>
            matchesCondition([map], answers, category),
          )
          const findHiddenField = (map: Condition[number]): string | undefined =>
            map.find(
              ({ field, test }) =>
                test.is === 'not-in' &&
                getOwn(answers, field) === undefined &&
                negatedFields.some(({ id }) => id === field) &&
                !listVisibilityConditions(event, field).every((shown) =>
                  matchesCondition(shown, answers, category),
                ),
            )?.field
          const [field] = matchingAlternatives.map(findHiddenField)
          if (
            field === undefined ||
            matchingAlternatives.some((map) => findHiddenField(map) === undefined)
          )
            return null
          if (!hiddenFields.has(field))
            hiddenFields.set(field, {
              item: item.id,
              field,
              sample: { answers: collectAnswers(path), category },
            })
          return null
        },
      },
    ],
    pathState,
    buildItemDistinctions([item]),
    budget,
  )
  return [...hiddenFields.values()]
}

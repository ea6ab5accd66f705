/** Finds the fields on which a price depends: the fields of category rules and of items. */
import type { EventConfig, Field } from '../../event/config.ts'
import { findRelevantFields } from '../proofs/fields-in-conditions.ts'
import { listItemConditions } from '../proofs/item-prices.ts'

/** Returns these fields in form order, together with the fields that determine whether they are visible. */
export function findPriceFields(event: EventConfig): readonly Field[] {
  const { categoryChoice: choice, fees, quotas } = event
  const conditions = [
    ...(choice.by === 'rules' ? choice.rules.map(({ when }) => when) : []),
    ...fees.items.flatMap(listItemConditions),
    ...fees.adjustments.map(({ when }) => when ?? null),
    ...quotas.map(({ when }) => when ?? null),
  ].filter((condition) => condition !== null)
  const names = [
    ...(choice.by === 'field' ? [choice.field] : []),
    ...fees.items.flatMap(({ by, count, times, amountIn }) => [by, count?.field, times, amountIn]),
    ...quotas.flatMap(({ eachOptionOf, count }) => [eachOptionOf, count]),
  ].filter((name) => name !== undefined)
  const ids = findRelevantFields(event, conditions, names)
  return event.fields.filter(({ id }) => ids.has(id))
}

/** The questions on which a price hangs: those that decide the category, and those that what is sold reads. */
import type { EventConfig, Field } from '../../event/config.ts'
import { fieldsBehind } from '../proofs/answer-axes.ts'
import { conditionsOfItem } from '../proofs/item-prices.ts'

/** In form order, with the questions that show them. */
export function fieldsOfPrice(event: EventConfig): readonly Field[] {
  const { categoryChoice: choice, fees, limits } = event
  const conditions = [
    ...(choice.by === 'rules' ? choice.rules.map(({ when }) => when) : []),
    ...fees.items.flatMap(conditionsOfItem),
    ...fees.adjustments.map(({ when }) => when ?? null),
    ...limits.map(({ when }) => when ?? null),
  ].filter((condition) => condition !== null)
  const names = [
    ...(choice.by === 'field' ? [choice.field] : []),
    ...fees.items.flatMap(({ by, count, times, amountIn }) => [by, count?.field, times, amountIn]),
    ...limits.map(({ eachOptionOf }) => eachOptionOf),
  ].filter((name) => name !== undefined)
  const ids = fieldsBehind(event, conditions, names)
  return event.fields.filter(({ id }) => ids.has(id))
}

/**
 * The whole price list of an event, and who gets which category, free of the order of the rules.
 * By column, never by a period's first day: where two periods share a day the first one owns it, and
 * a table made by days would show the wrong column for the second.
 */
import type { EventConfig } from './config.ts'
import { categoryOf } from './category.ts'
import { finitePoints } from './domain.ts'
import { normalise } from './answers.ts'
import { priceTable, type PriceRow } from './quote.ts'

export type Simulation = {
  readonly prices: readonly PriceRow[]
  /** For each category the combinations of answers that lead to it; null when there are too many to list. */
  readonly who: readonly { readonly category: string; readonly answers: readonly string[] }[] | null
  /** Dotted paths of stand-in values, so that nobody takes a demo price for a price. */
  readonly demo: readonly string[]
}

export function simulate(event: EventConfig): Simulation {
  return {
    prices: priceTable(event),
    who: whoGetsWhat(event),
    demo: event.demo,
  }
}

function whoGetsWhat(event: EventConfig): Simulation['who'] {
  if (event.categoryChoice.by === 'field') {
    const field = event.categoryChoice.field
    return event.categories.filter((category) => !category.listedOnly).map((category) => ({ category: category.id, answers: [`${field}: ${category.id}`] }))
  }
  const points = finitePoints([event])
  if (points === null) return null
  const byCategory = new Map<string, Set<string>>()
  for (const point of points) {
    // Hidden answers are dropped first, as they are for a real delegate; impossible points fold onto possible ones.
    const category = categoryOf(event, normalise(event, point.answers).answers)
    if (category === null) continue
    const known = byCategory.get(category) ?? new Set<string>()
    byCategory.set(category, known.add(point.text))
  }
  return event.categories.flatMap((category) => {
    const answers = byCategory.get(category.id)
    return answers === undefined ? [] : [{ category: category.id, answers: [...answers] }]
  })
}

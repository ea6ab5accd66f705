/** Finds prices that no example states, and writes an example for each. */
import type { EventConfig } from '../../../event/config.ts'
import { toMajorUnits } from '../../../lib/money.ts'
import { addDays, type Day } from '../../../lib/time.ts'
import { findPeriodOn } from '../../../pricing/price-periods.ts'
import { buildPriceTable } from '../../../pricing/quote.ts'
import { getCurrency } from '../../../rules/category.ts'
import { runExamples } from './example-results.ts'

type Cell = { readonly category: string; readonly period: string }

/** Returns the cells of the price table whose amount no example states. */
export function listUntestedCells(event: EventConfig): readonly Cell[] {
  const testedCells = new Set(
    runExamples(event).flatMap(({ cell }) =>
      cell?.checksAmount === true ? [`${cell.category} × ${cell.period}`] : [],
    ),
  )
  return Object.entries(event.fees.prices ?? {}).flatMap(([category, row]) =>
    Object.entries(row).flatMap(([period, price]) =>
      price === null || testedCells.has(`${category} × ${period}`) ? [] : [{ category, period }],
    ),
  )
}

/**
 * Returns lines of YAML for `examples.cases`, one for each price that no example states. Their totals are computed
 * from the file, so the organiser must compare each with the announced fee before adding it.
 */
export function writeMissingExamples(event: EventConfig): readonly string[] {
  const untestedCells = new Set(
    listUntestedCells(event).map(({ category, period }) => `${category} × ${period}`),
  )
  return buildPriceTable(event).flatMap(({ category, cells }) =>
    cells.flatMap(({ period, on, price }) => {
      if (price === null || !untestedCells.has(`${category.id} × ${period.id}`)) return []
      const day = [on, ...(period.to === undefined ? [] : [period.to]), addDays(on, 1)].find(
        (candidate: Day) => findPeriodOn(event.fees, candidate, category.id)?.id === period.id,
      )
      if (day === undefined) return []
      const total = toMajorUnits(price.total, getCurrency(event, category.id))
      return [
        `- {name: ${category.id} in ${period.id}, on: ${day}, category: ${category.id}, expect: {period: ${period.id}, total: ${total}}}`,
      ]
    }),
  )
}

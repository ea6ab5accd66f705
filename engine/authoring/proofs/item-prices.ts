/**
 * What somebody meets of an item: which cells of its tables are reached, and what they lack. An item reads
 * the category, its own fields and what its conditions name, so that each is looked at alone.
 */
import type { EventConfig, Field } from '../../event/config.ts'
import type { Answers, Condition } from '../../event/answer-types.ts'
import { cellOf, counts, soldOf } from '../../pricing/bill.ts'
import { holds } from '../../rules/evaluate-condition.ts'
import { own } from '../../lib/result.ts'
import type { Item } from '../../event/pricing-types.ts'
import type { Apart } from './answer-axes.ts'
import type { Budget } from './answer-boxes.ts'
import { daysOfBill } from './price-days.ts'
import { answersOfTrail, carryingTrail, type Trail } from './example-answers.ts'
import { CATEGORY, namesIn, walk, type Known } from './walk-form.ts'

/** Somebody whom the form accepts, told by what matters here: answers, facts under their names, the category they get. */
export type Somebody = { readonly answers: Answers; readonly category: string }
/** What an item lacks for somebody who reaches it. `table` counts from 0; null: none fits. */
export type Hole = {
  readonly is: 'no-table' | 'no-row' | 'no-cell' | 'not-on-sale'
  readonly table: number | null
  /** An option, or `each`; null where no table fits. */
  readonly row: string | null
  /** Null: in every period. */
  readonly period: string | null
  /** One for each category that reaches it. */
  readonly who: readonly Somebody[]
}
/** A cell that somebody can be charged. */
export type Cell = { readonly table: number; readonly row: string; readonly period: string }
/** What was found of one item. */
export type Met = { readonly holes: readonly Hole[]; readonly reached: readonly Cell[] }

/** The names of answers and facts on which the lines of an item hang. */
export function readsOfItem(item: Item): readonly string[] {
  return [
    ...namesIn(conditionsOfItem(item)),
    ...[item.by, item.count?.field, item.times, item.amountIn].filter((name) => name !== undefined),
  ]
}

/** The conditions on which the lines of an item hang. */
export function conditionsOfItem(item: Item): readonly Condition[] {
  return [item.when, ...item.prices.map(({ when }) => when)].filter(
    (condition) => condition !== undefined && condition !== null,
  )
}

/** What is sold by an option, or counted, is told apart by more than tests. */
export function apartFor(items: readonly Item[]): (field: Field) => Apart {
  return ({ id }) => {
    const by = items.filter((item) => item.by === id)
    const wheres = items.flatMap(({ count }) =>
      count?.field !== id || count.where === undefined ? [] : [count.where],
    )
    return {
      ...(by.length === 0
        ? {}
        : {
            tells: (option: string) =>
              JSON.stringify(by.map(({ prices }) => prices.map(({ table }) => own(table, option)))),
          }),
      wheres,
      hasEnds: items.some(
        ({ count, times, amountIn }) => count?.field === id || times === id || amountIn === id,
      ),
    }
  }
}

function periodsReached(event: EventConfig): readonly string[] {
  return [...new Set(daysOfBill(event).map(({ period }) => period))]
}

/** Each option of a field of several alone, whatever else is chosen: all others stand for each other then. */
export function provedItem(event: EventConfig, item: Item, budget: Budget): Met {
  const field = event.fields.find(({ id }) => id === item.by)
  const looks =
    field?.type === 'many' ? (field.options ?? []).map(({ id }): string | null => id) : [null]
  const found = looks.map((row) => lookAt(event, item, row, budget))
  return {
    holes: found.flatMap(({ holes }) => holes),
    reached: found.flatMap(({ reached }) => reached),
  }
}

/** What is met of one row, or of all. */
function lookAt(event: EventConfig, item: Item, only: string | null, budget: Budget): Met {
  const periods = periodsReached(event)
  const holes = new Map<string, Hole>()
  const reached = new Map<string, Cell>()
  const lacks = (hole: Omit<Hole, 'who'>, who: Somebody): void => {
    const key = JSON.stringify([hole.is, hole.table, hole.row, hole.period])
    const known = holes.get(key)?.who ?? []
    if (!known.some(({ category }) => category === who.category))
      holes.set(key, { ...hole, who: [...known, who] })
  }
  const look = ({ answers, category }: Known, trail: Trail): null => {
    if (category === null || !counts(item, answers, category) || item.amountIn !== undefined)
      return null
    const sold = soldOf(event, item, answers, category).filter(
      ({ row }) => only === null || row === only,
    )
    if (sold.length === 0) return null
    const who = { answers: answersOfTrail(trail), category }
    const table = item.prices.findIndex(
      ({ when }) => when === null || holds(when, answers, category),
    )
    const rows = item.prices[table]?.table
    if (rows === undefined) {
      lacks({ is: 'no-table', table: null, row: null, period: null }, who)
      return null
    }
    const onSale = periods.filter(
      (period) => cellOf(event.fees.prices ?? {}, category, period) !== null,
    )
    for (const { row } of sold) {
      const cells = own(rows, row)
      if (cells === undefined) {
        lacks({ is: 'no-row', table, row, period: null }, who)
        continue
      }
      for (const period of onSale) {
        const cell = own(cells, period)
        if (cell === undefined) lacks({ is: 'no-cell', table, row, period }, who)
        else if (cell === null) lacks({ is: 'not-on-sale', table, row, period }, who)
        else reached.set(`${table} ${row} ${period}`, { table, row, period })
      }
    }
    return null
  }
  walk(
    event,
    [{ reads: [...readsOfItem(item), CATEGORY], conditions: conditionsOfItem(item), at: look }],
    carryingTrail,
    (asked) => ({
      ...apartFor([item])(asked),
      ...(only === null || asked.id !== item.by
        ? {}
        : { tells: (option: string) => (option === only ? 'it' : '') }),
    }),
    budget,
  )
  return { holes: [...holes.values()], reached: [...reached.values()] }
}

/**
 * Finds missing cells in an item's price tables that a delegate can reach.
 *
 * Only the category, the item's own fields and the names in its conditions affect an item, so each item is checked
 * separately.
 */
import type { EventConfig, Field } from '../../event/config.ts'
import type { Answers, Condition } from '../../event/answer-types.ts'
import { getTablePrice, itemApplies, listItemLines } from '../../pricing/bill.ts'
import { matchesCondition } from '../../rules/conditions-and-operators.ts'
import { findItemPeriodOn, findGroupOfCategory, findPeriodOn } from '../../pricing/price-periods.ts'
import { getOwn } from '../../lib/result.ts'
import type { Item } from '../../event/pricing-types.ts'
import type { Distinctions } from './fields-in-conditions.ts'
import type { Budget } from './sets-of-answers.ts'
import { listBillDays } from './price-days.ts'
import { collectAnswers, pathState, type AnswerPath } from './example-answers.ts'
import { CATEGORY, listConditionNames, searchAnswers, type KnownValues } from './walk-form.ts'

/** A delegate whom the form accepts, with the relevant data: answers, context values by name, category. */
export type SampleDelegate = { readonly answers: Answers; readonly category: string }
/** A missing price of an item that a delegate can order. `table` is an index from 0, or null if no table matches. */
export type MissingPrice = {
  readonly is: 'no-table' | 'no-row' | 'no-cell' | 'not-on-sale'
  readonly table: number | null
  /** An option, or `each`; null if no table matches. */
  readonly row: string | null
  /** Null if the price is missing in every period. */
  readonly period: string | null
  /** One sample for each category that needs the price. */
  readonly samples: readonly SampleDelegate[]
}
/** A cell that can be charged. */
export type Cell = { readonly table: number; readonly row: string; readonly period: string }
/** The results for one item. */
export type ItemResult = {
  readonly missingPrices: readonly MissingPrice[]
  readonly reachedCells: readonly Cell[]
}

/** Returns the names of the answers and context values that determine the lines of an item. */
export function listNamesReadByItem(item: Item): readonly string[] {
  return [
    ...listConditionNames(listItemConditions(item)),
    ...[item.by, item.count?.field, item.times, item.amountIn].filter((name) => name !== undefined),
  ]
}

/** Returns the conditions that determine the lines of an item. */
export function listItemConditions(item: Item): readonly Condition[] {
  return [item.when, ...item.prices.map(({ when }) => when)].filter(
    (condition) => condition !== undefined && condition !== null,
  )
}

/**
 * Returns the properties that distinguish answers in addition to tests, for items that are counted or sold by option.
 */
export function buildItemDistinctions(items: readonly Item[]): (field: Field) => Distinctions {
  return ({ id }) => {
    const optionItems = items.filter((item) => item.by === id)
    const countConditions = items.flatMap(({ count }) =>
      count?.field !== id || count.where === undefined ? [] : [count.where],
    )
    return {
      ...(optionItems.length === 0
        ? {}
        : {
            getOptionKey: (option: string) =>
              JSON.stringify(
                optionItems.map(({ prices }) => prices.map(({ table }) => getOwn(table, option))),
              ),
          }),
      countConditions,
      needsBounds: items.some(
        ({ count, times, amountIn }) => count?.field === id || times === id || amountIn === id,
      ),
    }
  }
}

/**
 * Returns each period with the item's column in that period. On days outside the item's own periods, the column is
 * empty.
 */
function listReachedPeriods(
  event: EventConfig,
  item: Item,
  category: string | null,
): readonly { readonly period: string; readonly column: string }[] {
  const days = listBillDays(event).map(({ on }) => {
    const period = findPeriodOn(event.fees, on, category)?.id ?? ''
    return { period, column: findItemPeriodOn(event.fees, item, category, period, on) }
  })
  return [...new Map(days.map((day) => [JSON.stringify(day), day])).values()]
}

/**
 * Proves the prices of one item. Checks each option of a multiple-choice field separately, so that all other options
 * are equivalent.
 */
export function proveItem(event: EventConfig, item: Item, budget: Budget): ItemResult {
  const field = event.fields.find(({ id }) => id === item.by)
  const rowsToCheck =
    field?.type === 'many' ? (field.options ?? []).map(({ id }): string | null => id) : [null]
  const results = rowsToCheck.map((row) => checkItem(event, item, row, budget))
  return {
    missingPrices: results.flatMap(({ missingPrices }) => missingPrices),
    reachedCells: results.flatMap(({ reachedCells }) => reachedCells),
  }
}

/** Checks one row, or all rows if `onlyRow` is null. */
function checkItem(
  event: EventConfig,
  item: Item,
  onlyRow: string | null,
  budget: Budget,
): ItemResult {
  const groups = [null, ...(event.fees.groups ?? [])].map((group) => ({
    group,
    periods: listReachedPeriods(event, item, group?.categories[0] ?? null),
  }))
  const missingByKey = new Map<string, MissingPrice>()
  const reachedByKey = new Map<string, Cell>()
  const addMissingPrice = (
    missingPrice: Omit<MissingPrice, 'samples'>,
    who: SampleDelegate,
  ): void => {
    const key = JSON.stringify([
      missingPrice.is,
      missingPrice.table,
      missingPrice.row,
      missingPrice.period,
    ])
    const delegates = missingByKey.get(key)?.samples ?? []
    if (!delegates.some(({ category }) => category === who.category))
      missingByKey.set(key, { ...missingPrice, samples: [...delegates, who] })
  }
  const visitPath = ({ answers, category }: KnownValues, path: AnswerPath): null => {
    if (category === null || !itemApplies(item, answers, category) || item.amountIn !== undefined)
      return null
    const orderedLines = listItemLines(event, item, answers, category).filter(
      ({ row }) => onlyRow === null || row === onlyRow,
    )
    if (orderedLines.length === 0) return null
    const knownValues = { answers: collectAnswers(path), category }
    const table = item.prices.findIndex(
      ({ when }) => when === null || matchesCondition(when, answers, category),
    )
    const rows = item.prices[table]?.table
    if (rows === undefined) {
      addMissingPrice({ is: 'no-table', table: null, row: null, period: null }, knownValues)
      return null
    }
    const categoryGroup = findGroupOfCategory(event.fees, category) ?? null
    const { periods = [] } = groups.find(({ group }) => group === categoryGroup) ?? {}
    const columnsOnSale = periods.flatMap(({ period, column }) =>
      column === '' || getTablePrice(event.fees.prices ?? {}, category, period) === null
        ? []
        : [column],
    )
    for (const { row } of orderedLines) {
      const cells = getOwn(rows, row)
      if (cells === undefined) {
        addMissingPrice({ is: 'no-row', table, row, period: null }, knownValues)
        continue
      }
      for (const period of columnsOnSale) {
        const cell = getOwn(cells, period)
        if (cell === undefined) addMissingPrice({ is: 'no-cell', table, row, period }, knownValues)
        else if (cell === null)
          addMissingPrice({ is: 'not-on-sale', table, row, period }, knownValues)
        else reachedByKey.set(`${table} ${row} ${period}`, { table, row, period })
      }
    }
    return null
  }
  searchAnswers(
    event,
    [
      {
        reads: [...listNamesReadByItem(item), CATEGORY],
        conditions: listItemConditions(item),
        visit: visitPath,
      },
    ],
    pathState,
    (field) => ({
      ...buildItemDistinctions([item])(field),
      ...(onlyRow === null || field.id !== item.by
        ? {}
        : { getOptionKey: (option: string) => (option === onlyRow ? 'it' : '') }),
    }),
    budget,
  )
  return { missingPrices: [...missingByKey.values()], reachedCells: [...reachedByKey.values()] }
}

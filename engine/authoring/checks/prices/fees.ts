/** Checks EV4xx: every category has a price in each period, and no amount has a wrong number of digits. */
import {
  MAX_AMOUNT,
  formatMoney,
  INR,
  readAmount,
  readCurrency,
  type Amount,
  type Currency,
} from '../../../lib/money.ts'
import { getCurrency } from '../../../rules/category.ts'
import { splitPrice } from '../../../pricing/line-tax-and-rounding.ts'
import { memoize } from '../../../lib/memoize.ts'
import { explainAmount } from '../../suggestions/amount-notations.ts'
import type { Check, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { priceRowLengthCheck, priceRowMissingCheck } from './price-rows.ts'
import { listPriceTables } from '../names/price-tables.ts'
import { listTableColumns, listItemTables } from '../names/item-tables.ts'

/** A price that is at least this many times the previous or usual price probably has an extra digit. */
const PRICE_JUMP_FACTOR = 5

/**
 * Returns every cell of the price tables as written, with its category, column and location. `amount` is null for the
 * words `free` and `none`.
 */
export const listTableCells = memoize((model: Model) =>
  listPriceTables(model).flatMap(({ path, rows, periods }) => {
    const columns = (rows.period ?? []).map(String)
    return Object.entries(rows).flatMap(([category, row]) => {
      const currency = getCurrency(model.config, category)
      const texts = row.map(
        (_cell, index) => model.source.getScalar(`${path}.${category}.${index}`)?.text ?? '',
      )
      return category === 'period'
        ? []
        : row.map((cell, index) => ({
            category,
            column: index,
            period: columns[index] ?? '',
            at: `${path}.${category}.${index}`,
            table: path,
            periods,
            value: cell,
            text: texts[index] ?? '',
            currency,
            amount: typeof cell === 'number' ? readAmount(texts[index] ?? '', currency) : null,
          }))
    })
  }),
)

/** Returns every cell of the item tables as written. */
export const listItemCells = memoize((model: Model) =>
  listItemTables(model).flatMap((table) => {
    const columns = listTableColumns(table)
    const currency = readCurrency(table.currency) ?? model.config.currency
    return Object.entries(table.rows).flatMap(([row, cells]) =>
      row === 'period'
        ? []
        : cells.map((value, index) => {
            const path = `${table.path}.${row}.${index}`
            const text = model.source.getScalar(path)?.text ?? ''
            return {
              item: table.itemIndex,
              table: table.path,
              row,
              period: columns[index] ?? '',
              at: path,
              value,
              text,
              currency,
              amount: typeof value === 'number' ? readAmount(text, currency) : null,
            }
          }),
    )
  }),
)

/** Returns the amounts of adjustments as written. A negative amount is a deduction. */
export function listAdjustmentAmounts(model: Model) {
  return (model.file.fees.adjustments ?? []).flatMap(({ amount, currency: currencyCode }, i) => {
    const at = `fees.adjustments.${i}.amount`
    const currency = readCurrency(currencyCode) ?? model.config.currency
    const text = model.source.getScalar(at)?.text ?? ''
    return amount === undefined
      ? []
      : [
          {
            adjustment: i,
            at,
            text,
            value: amount,
            currency,
            amount: readAmount(text.replace(/^[-+]/, ''), currency),
          },
        ]
  })
}

const tooManyDecimalsCheck: Check = {
  slug: 'too-many-decimals',
  severity: 'error',
  why: 'Amounts have at most as many decimals as the currency of the event or category: two in rupees.',
  find: (model) => {
    const amounts = [
      ...listTableCells(model),
      ...listItemCells(model),
      ...listAdjustmentAmounts(model),
    ]
    const cellDrafts = amounts.flatMap(({ at, value, text, amount, currency }): Draft[] =>
      typeof value === 'number' && amount === null
        ? [{ at, ...explainAmount(text, currency) }]
        : [],
    )
    const exampleDrafts = (model.file.examples?.cases ?? []).flatMap((example, index) => {
      const { expect } = example
      const currency = getCurrency(model.config, example.category ?? expect.category ?? null)
      const paths = [
        ...['base', 'gst', 'total'].filter((part) => Object.hasOwn(expect, part)),
        ...Object.keys(expect.lines ?? {}).map((id) => `lines.${id}`),
      ]
      return paths.flatMap((path): Draft[] => {
        const at = `examples.cases.${index}.expect.${path}`
        const text = model.source.getScalar(at)?.text
        const amount = path.startsWith('lines.') ? text?.replace(/^[-+]/, '') : text
        return text === undefined || readAmount(amount ?? '', currency) !== null
          ? []
          : [{ at, ...explainAmount(text, currency) }]
      })
    })
    const excessDrafts = listTableCells(model).flatMap(({ at, amount, text, currency }): Draft[] =>
      amount !== null &&
      currency === INR &&
      model.config.payment !== null &&
      splitPrice(model.config.fees.tax, amount).total > MAX_AMOUNT
        ? [
            {
              at,
              message: `\`${text}\` exceeds the maximum for one payment`,
              notes: [`the gateway accepts at most ${formatMoney(MAX_AMOUNT, INR)}, tax included`],
            },
          ]
        : [],
    )
    return [...cellDrafts, ...exampleDrafts, ...excessDrafts]
  },
}

/** If one of these findings is reported, a price table is unusable, so its cells are not checked. */
export const TABLE_ERRORS = ['EV203', 'EV204', 'EV206', 'EV402', 'EV411']

/** A cell of any table; `row` is a category, an option or `each`. */
type AnyCell = {
  /** The item's index. Absent for a cell of a price table. */
  readonly item?: number
  /** The columns of a price table. Absent for a cell of an item. */
  readonly periods?: readonly { readonly id: string }[]
  readonly table: string
  readonly row: string
  readonly period: string
  readonly at: string
  readonly currency: Currency
  readonly amount: Amount | null
}

/** Returns the cells of the price tables, then those of items. */
const listAllCells = memoize((model: Model): readonly AnyCell[] => [
  ...listTableCells(model).map((cell) => ({ ...cell, row: cell.category })),
  ...listItemCells(model),
])

const getRowKey = ({ table, row }: AnyCell): string => `${table} ${row}`
const getColumnKey = ({ table, period }: AnyCell): string => `${table} ${period}`

/** Pairs each cell that has a price with the cell of the previous priced period in its row. */
const pairConsecutiveCells = memoize((model: Model) => {
  const { fees } = model.config
  const rows = Map.groupBy(listAllCells(model), getRowKey)
  return listAllCells(model).flatMap((cell) => {
    const periods = cell.periods ?? fees.items[cell.item ?? -1]?.periods ?? fees.periods
    const periodIds = periods.map(({ id }) => id)
    const row = rows.get(getRowKey(cell)) ?? []
    const previousCell = periodIds
      .slice(0, periodIds.indexOf(cell.period))
      .toReversed()
      .map((id) => row.find((other) => other.period === id))
      .find((other) => other?.amount != null && other.amount > 0)
    return cell.amount === null || previousCell?.amount == null
      ? []
      : [
          {
            cell,
            amount: cell.amount,
            previousAmount: previousCell.amount,
            previousPath: previousCell.at,
          },
        ]
  })
})

const priceDropsCheck: Check = {
  slug: 'price-drops',
  severity: 'warning',
  why: 'Prices usually rise over time. A lower price is often missing a digit or in the wrong column.',
  after: [...TABLE_ERRORS, 'EV406'],
  find: (model) => {
    const priceDrops = pairConsecutiveCells(model).filter(
      ({ amount, previousAmount, previousPath }) =>
        amount > 0 && amount < previousAmount && !hasExtraDigit(model, previousPath),
    )
    const risingColumns = new Set(
      pairConsecutiveCells(model).flatMap(({ cell, amount, previousAmount }) =>
        amount >= previousAmount ? [getColumnKey(cell)] : [],
      ),
    )
    const dropsByColumn = Map.groupBy(priceDrops, ({ cell }) => getColumnKey(cell))
    return priceDrops.map(({ cell, previousAmount, previousPath }): Draft => {
      const column = getColumnKey(cell)
      const isWholeColumn =
        (dropsByColumn.get(column)?.length ?? 0) > 1 && !risingColumns.has(column)
      return {
        at: cell.at,
        message: `the price is lower than in the previous period (${formatMoney(previousAmount, cell.currency)})`,
        related: [{ at: previousPath, message: 'the previous period' }],
        help: isWholeColumn
          ? `every price falls in \`${cell.period}\`: if two columns are swapped, swap their names in the first row`
          : 'if the two prices are swapped, write the lower price under the earlier period',
      }
    })
  },
}

const priceZeroCheck: Check = {
  slug: 'price-zero',
  severity: 'warning',
  why: 'A price of 0 means “not on sale”. To charge nothing, write `free`.',
  after: ['EV411'],
  find: (model) =>
    [...listTableCells(model), ...listItemCells(model)].flatMap(({ at, amount }): Draft[] =>
      amount === 0
        ? [
            {
              at,
              message: /^fees\.(prices|price_groups)\./.test(at)
                ? 'a price of 0 means “not on sale”: no delegate can register in this period'
                : 'a price of 0 means “not on sale”: no delegate can buy the item in this period',
              help: 'write `free` if it costs nothing, or `none` if it is not on sale in that period',
            },
          ]
        : [],
    ),
}

/**
 * Computes the ratio of each price to the previous price in its row. The first price of a row is compared with the
 * median of its column, except for items: a suite may cost five times as much as a bed.
 */
const computePriceRatios = memoize((model: Model): ReadonlyMap<string, number> => {
  const stepsByPath = new Map(pairConsecutiveCells(model).map((step) => [step.cell.at, step]))
  const columns = Map.groupBy(
    listTableCells(model),
    ({ table, period, currency }) => `${table} ${period} ${currency}`,
  )
  // A stall may cost thirty times as much as a visitor's pass. If the next price is similar, no digit is wrong.
  const hasSteadyRow = (at: string): boolean =>
    pairConsecutiveCells(model).some(
      (step) =>
        step.previousPath === at &&
        step.amount >= step.previousAmount &&
        step.amount < step.previousAmount * 2,
    )
  return new Map(
    listAllCells(model).flatMap(
      ({ at, table, period, currency, amount }): readonly (readonly [string, number])[] => {
        if (amount === null) return []
        const step = stepsByPath.get(at)
        if (step !== undefined) {
          // If the previous price is missing a digit, this price is not a jump: the previous price is reported.
          const earlierAmount = stepsByPath.get(step.previousPath)?.previousAmount ?? 0
          const usualAmount =
            earlierAmount >= step.previousAmount * PRICE_JUMP_FACTOR
              ? earlierAmount
              : step.previousAmount
          return [[at, step.amount / usualAmount]]
        }
        const column = (columns.get(`${table} ${period} ${currency}`) ?? [])
          .flatMap((other) => (other.amount === null || other.at === at ? [] : [other.amount]))
          .sort((a, b) => a - b)
        const median = column[Math.floor(column.length / 2)]
        return column.length < 2 || median === undefined || median === 0 || hasSteadyRow(at)
          ? []
          : [[at, amount / median]]
      },
    ),
  )
})

/** Returns whether a price seems to have an extra digit, which would cause other findings about its cell. */
export function hasExtraDigit(model: Model, at: string): boolean {
  return (computePriceRatios(model).get(at) ?? 0) >= PRICE_JUMP_FACTOR
}

const priceJumpCheck: Check = {
  slug: 'price-jump',
  severity: 'warning',
  why: 'If a price has an extra digit, a delegate pays ten times as much.',
  after: [...TABLE_ERRORS, 'EV406'],
  find: (model) => {
    const followingCells = new Set(pairConsecutiveCells(model).map(({ cell }) => cell.at))
    return listAllCells(model).flatMap(({ at, amount, currency }): Draft[] => {
      const ratio = computePriceRatios(model).get(at)
      if (amount === null || ratio === undefined || ratio < PRICE_JUMP_FACTOR) return []
      return [
        {
          at,
          message: `${formatMoney(amount, currency)} is ${Math.round(ratio)} times ${followingCells.has(at) ? 'the previous price' : 'the usual price'}; check the number of digits`,
        },
      ]
    })
  },
}

export const feeChecks = {
  EV401: priceRowMissingCheck,
  EV402: priceRowLengthCheck,
  EV411: tooManyDecimalsCheck,
  EV412: priceDropsCheck,
  EV413: priceZeroCheck,
  EV414: priceJumpCheck,
}

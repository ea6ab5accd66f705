/** Checks EV4xx: every category has a price in each period, and no amount has a wrong digit count. */
import {
  AMOUNT_MAX,
  formatMoney,
  INR,
  readAmount,
  readCurrency,
  type Amount,
  type Currency,
} from '../../../lib/money.ts'
import { getCurrency } from '../../../rules/category.ts'
import { splitPrice } from '../../../pricing/line-tax.ts'
import { memoize } from '../../../lib/memoize.ts'
import { explainAmount } from '../../suggestions/amount-notations.ts'
import type { Check, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { priceRowLengthCheck, priceRowMissingCheck } from './price-rows.ts'
import { listPriceTables } from '../names/price-tables.ts'
import { listTableColumns, listItemTables } from '../names/item-tables.ts'

/** A price this many times its neighbour usually has a digit too many. */
const PRICE_JUMP_FACTOR = 5

/**
 * Every cell of the table as written: its category, column and place. `amount` is null for the
 * words `free` and `none`, which are not prices: nothing is charged, so no digit can be wrong.
 */
export const listTableCells = memoize((model: Model) =>
  listPriceTables(model).flatMap(({ path, rows, periods }) => {
    const columns = (rows.period ?? []).map(String)
    return Object.entries(rows).flatMap(([category, row]) => {
      const currency = getCurrency(model.config, category)
      const texts = row.map(
        (_cell, index) => model.source.written(`${path}.${category}.${index}`)?.text ?? '',
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

/** Every cell of the tables of items as written. */
export const listItemCells = memoize((model: Model) =>
  listItemTables(model).flatMap((table) => {
    const columns = listTableColumns(table)
    const currency = readCurrency(table.currency) ?? model.config.currency
    return Object.entries(table.rows).flatMap(([row, cells]) =>
      row === 'period'
        ? []
        : cells.map((value, index) => {
            const path = `${table.path}.${row}.${index}`
            const text = model.source.written(path)?.text ?? ''
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

/** Returns the amounts of adjustments as written; a minus is a deduction. */
export function listAdjustmentAmounts(model: Model) {
  return (model.file.fees.adjustments ?? []).flatMap(({ amount, currency: written }, i) => {
    const at = `fees.adjustments.${i}.amount`
    const currency = readCurrency(written) ?? model.config.currency
    const text = model.source.written(at)?.text ?? ''
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
  why: 'Amounts are in the currency of the event, or of their category, with at most its decimals: two in rupees.',
  find: (model) => {
    const amounts = [
      ...listTableCells(model),
      ...listItemCells(model),
      ...listAdjustmentAmounts(model),
    ]
    const cells = amounts.flatMap(({ at, value, text, amount, currency }): Draft[] =>
      typeof value === 'number' && amount === null
        ? [{ at, ...explainAmount(text, currency) }]
        : [],
    )
    const expected = (model.file.examples?.cases ?? []).flatMap((example, index) => {
      const { expect } = example
      const currency = getCurrency(model.config, example.category ?? expect.category ?? null)
      const paths = [
        ...['base', 'gst', 'total'].filter((part) => Object.hasOwn(expect, part)),
        ...Object.keys(expect.lines ?? {}).map((id) => `lines.${id}`),
      ]
      return paths.flatMap((path): Draft[] => {
        const at = `examples.cases.${index}.expect.${path}`
        const text = model.source.written(at)?.text
        const amount = path.startsWith('lines.') ? text?.replace(/^[-+]/, '') : text
        return text === undefined || readAmount(amount ?? '', currency) !== null
          ? []
          : [{ at, ...explainAmount(text, currency) }]
      })
    })
    const high = listTableCells(model).flatMap(({ at, amount, text, currency }): Draft[] =>
      amount !== null &&
      currency === INR &&
      model.config.payment !== null &&
      splitPrice(model.config.fees.tax, amount).total > AMOUNT_MAX
        ? [
            {
              at,
              message: `\`${text}\` is above the maximum of one payment`,
              notes: [`the gateway accepts at most ${formatMoney(AMOUNT_MAX, INR)}, tax included`],
            },
          ]
        : [],
    )
    return [...cells, ...expected, ...high]
  },
}

/** Findings after which a price table is unreadable: nothing is reported about its cells then. */
export const TABLE_ERRORS = ['EV203', 'EV204', 'EV206', 'EV402', 'EV411']

/** A cell of any table; `row` is a category, an option or `each`. */
type AnyCell = {
  /** The item's index. Absent for a price table. */
  readonly item?: number
  /** The columns of a price table. Absent for items. */
  readonly periods?: readonly { readonly id: string }[]
  readonly table: string
  readonly row: string
  readonly period: string
  readonly at: string
  readonly currency: Currency
  readonly amount: Amount | null
}

/** The cells of the price table, then those of items. */
const listAllCells = memoize((model: Model): readonly AnyCell[] => [
  ...listTableCells(model).map((cell) => ({ ...cell, row: cell.category })),
  ...listItemCells(model),
])

const getRowKey = ({ table, row }: AnyCell): string => `${table} ${row}`
const getColumnKey = ({ table, period }: AnyCell): string => `${table} ${period}`

/** Each priced cell with the one before it in its row, in the order of the periods. */
const pairConsecutiveCells = memoize((model: Model) => {
  const { fees } = model.config
  const rows = Map.groupBy(listAllCells(model), getRowKey)
  return listAllCells(model).flatMap((cell) => {
    const periods = cell.periods ?? fees.items[cell.item ?? -1]?.periods ?? fees.periods
    const order = periods.map(({ id }) => id)
    const row = rows.get(getRowKey(cell)) ?? []
    const before = order
      .slice(0, order.indexOf(cell.period))
      .toReversed()
      .map((id) => row.find((other) => other.period === id))
      .find((other) => other?.amount != null && other.amount > 0)
    return cell.amount === null || before?.amount == null
      ? []
      : [{ cell, amount: cell.amount, before: before.amount, beforeAt: before.at }]
  })
})

const priceDropsCheck: Check = {
  slug: 'price-drops',
  severity: 'warning',
  why: 'Prices usually rise over time. A lower one often lacks a digit or is in the wrong column.',
  after: [...TABLE_ERRORS, 'EV406'],
  find: (model) => {
    const drops = pairConsecutiveCells(model).filter(
      ({ amount, before, beforeAt }) =>
        amount > 0 && amount < before && !hasExtraDigit(model, beforeAt),
    )
    const rises = new Set(
      pairConsecutiveCells(model).flatMap(({ cell, amount, before }) =>
        amount >= before ? [getColumnKey(cell)] : [],
      ),
    )
    const falling = Map.groupBy(drops, ({ cell }) => getColumnKey(cell))
    return drops.map(({ cell, before, beforeAt }): Draft => {
      const column = getColumnKey(cell)
      const isColumn = (falling.get(column)?.length ?? 0) > 1 && !rises.has(column)
      return {
        at: cell.at,
        message: `cheaper than in the period before (${formatMoney(before, cell.currency)})`,
        related: [{ at: beforeAt, message: 'the period before' }],
        help: isColumn
          ? `every price falls in \`${cell.period}\`: if two columns are swapped, swap their names in the first row`
          : 'if the two are swapped, write the lower price under the earlier period',
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
                ? 'a price of 0 means “not on sale”: no delegate can register then'
                : 'a price of 0 means “not on sale”: no delegate can buy it then',
              help: 'write free if it costs nothing, or none if it is not on sale then',
            },
          ]
        : [],
    ),
}

/**
 * The ratio of a price to the previous period in its row, else to the median of its column. For
 * items only rows are compared: a suite may well cost five times a bed.
 */
const priceJumps = memoize((model: Model): ReadonlyMap<string, number> => {
  const before = new Map(pairConsecutiveCells(model).map((step) => [step.cell.at, step]))
  const columns = Map.groupBy(
    listTableCells(model),
    ({ table, period, currency }) => `${table} ${period} ${currency}`,
  )
  // A stall costs thirty times a visitor's pass, in each period: no price of that row has a digit too many.
  const isRowOfItsOwn = (at: string): boolean =>
    pairConsecutiveCells(model).some(
      (step) => step.beforeAt === at && step.amount >= step.before && step.amount < step.before * 2,
    )
  return new Map(
    listAllCells(model).flatMap(
      ({ at, table, period, currency, amount }): readonly (readonly [string, number])[] => {
        if (amount === null) return []
        const step = before.get(at)
        if (step !== undefined) {
          // After a price that lost a digit, the next one is not a jump: the finding is at the lost
          // digit.
          const earlier = before.get(step.beforeAt)?.before ?? 0
          const usual = earlier >= step.before * PRICE_JUMP_FACTOR ? earlier : step.before
          return [[at, step.amount / usual]]
        }
        const column = (columns.get(`${table} ${period} ${currency}`) ?? [])
          .flatMap((other) => (other.amount === null || other.at === at ? [] : [other.amount]))
          .sort((a, b) => a - b)
        const middle = column[Math.floor(column.length / 2)]
        return column.length < 2 || middle === undefined || middle === 0 || isRowOfItsOwn(at)
          ? []
          : [[at, amount / middle]]
      },
    ),
  )
})

/** Whether a cell appears to have a digit too many: its other findings are consequences of that. */
export function hasExtraDigit(model: Model, at: string): boolean {
  return (priceJumps(model).get(at) ?? 0) >= PRICE_JUMP_FACTOR
}

const priceJumpCheck: Check = {
  slug: 'price-jump',
  severity: 'warning',
  why: 'With one digit too many, a delegate pays ten times the price.',
  after: [...TABLE_ERRORS, 'EV406'],
  find: (model) => {
    const first = new Set(pairConsecutiveCells(model).map(({ cell }) => cell.at))
    return listAllCells(model).flatMap(({ at, amount, currency }): Draft[] => {
      const times = priceJumps(model).get(at)
      if (amount === null || times === undefined || times < PRICE_JUMP_FACTOR) return []
      return [
        {
          at,
          message: `${formatMoney(amount, currency)} is ${Math.round(times)} times ${first.has(at) ? 'the price before' : 'the usual price'}; check the number of digits`,
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

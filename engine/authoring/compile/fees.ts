/** Compiles the tax, the periods and the price table: rows to amounts, columns to periods. */
import {
  type Adjustment,
  type Fees,
  type Item,
  type PriceTable,
  REGISTRATION,
} from '../../event/pricing-types.ts'
import { toCondition } from './conditions.ts'
import { findState } from '../../event/gstin.ts'
import { toAmount, type Currency, type Amount, type Tax } from '../../lib/money.ts'
import { wordsFromId } from '../../event/placeholders-and-answer-texts.ts'
import { TAX_PRICES, TAX_ROUND } from '../../event/defaults.ts'
import {
  removeUndefined,
  list,
  map,
  optionalText,
  optionalDay,
  readFileAmount,
  readSignedFileAmount,
  text,
  texts,
  type PlainMap,
} from './read-checked-values.ts'

/** Whether these fees have the value: without a tax there is no `gst` to show on any page. */
export function isCharged({ tax }: Pick<Fees, 'tax'>, value: unknown): boolean {
  return tax !== null || value !== 'gst'
}

export function toFees(fees: PlainMap, currency: Currency): Fees {
  const tax = toTax(fees.tax)
  return {
    tax,
    periods: list(fees.periods)
      .map(map)
      .map((period) => ({
        id: text(period.id),
        label: optionalText(period.label) ?? wordsFromId(text(period.id)),
        ...removeUndefined({ from: optionalDay(period.from), to: optionalDay(period.to) }),
      })),
    otherDates:
      fees.other_dates === undefined || fees.other_dates === 'closed'
        ? null
        : text(fees.other_dates),
    prices: fees.prices === undefined ? null : toTable(map(fees.prices), currency),
    items: list(fees.items)
      .map(map)
      .map((item) => toItem(item, tax, currency)),
    adjustments: list(fees.adjustments)
      .map(map)
      .map((adjustment) => toAdjustment(adjustment, currency)),
  }
}

function toTax(value: unknown): Tax | null {
  if (value === undefined || value === 'none') return null
  const tax = map(value)
  return {
    name: text(tax.name),
    percent: Number(tax.percent),
    prices: (tax.prices as Tax['prices'] | undefined) ?? TAX_PRICES,
    round: (tax.round as Tax['round'] | undefined) ?? TAX_ROUND,
  }
}

/** Reads rows by the names of their columns, which are in the row `period`. */
function toTable(table: PlainMap, currency: Currency): PriceTable {
  const columns = texts(table.period)
  return Object.fromEntries(
    Object.entries(table)
      .filter(([row]) => row !== 'period')
      .map(([row, cells]) => [
        row,
        Object.fromEntries(columns.map((period, i) => [period, toPrice(list(cells)[i], currency)])),
      ]),
  )
}

/** Reads one table, or a list of tables of which the first match applies. */
function toTables(prices: unknown, currency: Currency): Item['prices'] {
  if (prices === undefined) return []
  if (!Array.isArray(prices)) return [{ when: null, table: toTable(map(prices), currency) }]
  return prices
    .map(map)
    .map(({ when, table, otherwise }) =>
      otherwise === undefined
        ? { when: toCondition(when), table: toTable(map(table), currency) }
        : { when: null, table: toTable(map(otherwise), currency) },
    )
}

function toItem(item: PlainMap, tax: Tax | null, currency: Currency): Item {
  return {
    id: text(item.id),
    label: optionalText(item.label) ?? wordsFromId(text(item.id)),
    tax: item.tax === undefined ? tax : toTax(item.tax),
    prices: toTables(item.prices, currency),
    ...removeUndefined({
      when: item.when === undefined ? undefined : toCondition(item.when),
      by: optionalText(item.by),
      count: toCount(item.count),
      times: optionalText(item.times),
      amountIn: optionalText(item.amount_in),
      sac: optionalText(item.sac),
      placeOfSupply: findState(optionalText(item.place_of_supply) ?? '') ?? undefined,
    }),
  }
}

/** Reads the counted field, or the condition on which its people are counted. */
function toCount(count: unknown): Item['count'] {
  if (count === undefined) return undefined
  const [counted] = Object.entries(map(count))
  return counted === undefined
    ? { field: text(count) }
    : { field: counted[0], where: toCondition(counted[1]) }
}

function toAdjustment(adjustment: PlainMap, currency: Currency): Adjustment {
  const { amount, percent } = adjustment
  return {
    id: text(adjustment.id),
    label: optionalText(adjustment.label) ?? wordsFromId(text(adjustment.id)),
    on: optionalText(adjustment.on) ?? REGISTRATION,
    by:
      percent === undefined
        ? { amount: readSignedFileAmount(amount, currency) }
        : { percent: Number(percent) },
    ...removeUndefined({
      when: adjustment.when === undefined ? undefined : toCondition(adjustment.when),
      from: optionalDay(adjustment.from),
      to: optionalDay(adjustment.to),
    }),
  }
}

/** `none`, 0 and a missing cell are not on sale; only `free` is on sale at no charge. */
function toPrice(cell: unknown, currency: Currency): Amount | null {
  if (cell === 'none' || cell === undefined) return null
  if (cell === 'free') return toAmount(0)
  const price = readFileAmount(cell, currency)
  return price === 0 ? null : price
}

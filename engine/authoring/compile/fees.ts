/** Compiles the tax, the periods and the price table: rows to amounts, columns to periods. */
import {
  type Adjustment,
  type Fees,
  type Item,
  type Period,
  type PriceGroup,
  type PriceTable,
  type TaxRule,
  REGISTRATION_LINE_ID,
} from '../../event/pricing-types.ts'
import { toCondition } from './conditions.ts'
import { findState } from '../../event/gstin.ts'
import { readCurrency, toAmount, type Currency, type Amount, type Tax } from '../../lib/money.ts'
import { getCurrency } from '../../rules/category.ts'
import type { Condition, ConditionMap } from '../../event/answer-types.ts'
import type { Category, EventConfig } from '../../event/config.ts'
import { listAcceptedCurrencies } from '../../payments/payment-methods.ts'
import { METHOD_NAME } from '../../rules/pricing-context.ts'
import type { Field } from '../../event/form-types.ts'
import type { PaymentMethod } from '../../event/payment-method-types.ts'
import { formatIdAsWords } from '../../event/placeholders-and-answer-texts.ts'
import {
  DEFAULT_TAX_PRICES,
  DEFAULT_TAX_ROUNDING,
} from '../../event/default-settings-and-limits.ts'
import {
  removeUndefined,
  asList,
  asMap,
  asOptionalText,
  asOptionalDay,
  readFileAmount,
  readSignedFileAmount,
  asText,
  asTexts,
  type PlainMap,
} from './read-checked-values.ts'

/** Returns true unless the value is `gst` and the event has no tax. Without a tax, no page shows `gst`. */
export function isCharged({ tax }: Pick<Fees, 'tax'>, value: unknown): boolean {
  return tax !== null || value !== 'gst'
}

type CategoryCurrency = Pick<Category, 'id' | 'currency'>

/** Compiles `fees`. `currency` is the event's currency; a category may have its own. */
export function toFees(
  fees: PlainMap,
  currency: Currency,
  categories: readonly CategoryCurrency[],
): Fees {
  const tax = toTax(fees.tax)
  const rules = asList(fees.tax_rules).map(asMap)
  const currencies = { currency, categories }
  const groups = asList(fees.price_groups).map(asMap)
  const readRows = (prices: unknown): PriceTable =>
    prices === undefined
      ? {}
      : toTable(asMap(prices), (category) => getCurrency(currencies, category))
  return {
    tax,
    ...removeUndefined({ taxRules: toTaxRules(rules, tax) }),
    periods: toPeriods(fees.periods),
    otherDates:
      fees.other_dates === undefined || fees.other_dates === 'closed'
        ? null
        : asText(fees.other_dates),
    prices:
      fees.prices === undefined && groups.length === 0
        ? null
        : Object.assign({}, ...[fees, ...groups].map(({ prices }) => readRows(prices))),
    ...(groups.length === 0 ? {} : { groups: groups.map(toGroup) }),
    items: asList(fees.items)
      .map(asMap)
      .map((item) => toItem(item, tax, rules, currencies)),
    adjustments: asList(fees.adjustments)
      .map(asMap)
      .map((adjustment) => toAdjustment(adjustment, currencies)),
  }
}

function toGroup({ label, periods, prices }: PlainMap): PriceGroup {
  return {
    label: asText(label),
    categories: Object.keys(asMap(prices)).filter((row) => row !== 'period'),
    periods: toPeriods(periods),
  }
}

function toPeriods(periods: unknown): readonly Period[] {
  return asList(periods)
    .map(asMap)
    .map((period) => ({
      id: asText(period.id),
      label: asOptionalText(period.label) ?? formatIdAsWords(asText(period.id)),
      ...removeUndefined({ from: asOptionalDay(period.from), to: asOptionalDay(period.to) }),
    }))
}

/**
 * Returns the payment methods if an adjustment depends on them; otherwise undefined. If a field has the id `method`,
 * conditions refer to that field instead.
 */
export function toPricedMethods(
  { adjustments }: Pick<Fees, 'adjustments'>,
  methods: readonly PaymentMethod[],
  fields: readonly Pick<Field, 'id'>[],
): Fees['methods'] {
  const isMethodUsed = adjustments.some(({ when }) =>
    when?.flat().some(({ field }) => field === METHOD_NAME),
  )
  return isMethodUsed && !fields.some(({ id }) => id === METHOD_NAME)
    ? methods.map((method) => ({
        id: method.id,
        label: method.label,
        is: method.is,
        ...removeUndefined({
          until: method.until,
          currencies: listAcceptedCurrencies(method) ?? undefined,
        }),
      }))
    : undefined
}

function toTax(value: unknown): Tax | null {
  if (value === undefined || value === 'none') return null
  const tax = asMap(value)
  return {
    name: asText(tax.name),
    percent: Number(tax.percent),
    prices: (tax.prices as Tax['prices'] | undefined) ?? DEFAULT_TAX_PRICES,
    round: (tax.round as Tax['round'] | undefined) ?? DEFAULT_TAX_ROUNDING,
  }
}

/**
 * Compiles the rules that replace a tax. Returns undefined if there are none. A rule states only how it differs from
 * that tax.
 */
function toTaxRules(
  rules: readonly PlainMap[],
  defaultTax: Tax | null,
): readonly TaxRule[] | undefined {
  if (rules.length === 0 || defaultTax === null) return undefined
  return rules.map((rule) => {
    const prices = rule.prices as Tax['prices'] | undefined
    const isReplaced = prices === undefined && defaultTax.prices === 'inclusive'
    return {
      tax: {
        name: asOptionalText(rule.name) ?? defaultTax.name,
        percent: Number(rule.percent),
        prices: prices ?? 'exclusive',
        round: defaultTax.round,
        ...(isReplaced ? { replaces: defaultTax.percent } : {}),
      },
      ...removeUndefined({
        when: rule.when === undefined ? undefined : toCondition(rule.when),
        from: asOptionalDay(rule.from),
        to: asOptionalDay(rule.to),
        on: rule.on === 'all' ? ('all' as const) : undefined,
        note: asOptionalText(rule.note),
      }),
    }
  })
}

/** Selects the tax rules for an item with its own tax (or `none`): only those for all lines (`on: all`). */
function buildOwnTaxRules(tax: unknown, rules: readonly PlainMap[]): Pick<Item, 'taxRules'> {
  if (tax === undefined || rules.length === 0) return {}
  return {
    taxRules:
      toTaxRules(
        rules.filter(({ on }) => on === 'all'),
        toTax(tax),
      ) ?? [],
  }
}

/** Reads the rows of a table by column name. The names are in the row `period`. */
function toTable(table: PlainMap, rowCurrency: (row: string) => Currency): PriceTable {
  const columns = asTexts(table.period)
  return Object.fromEntries(
    Object.entries(table)
      .filter(([row]) => row !== 'period')
      .map(([row, cells]) => [
        row,
        Object.fromEntries(
          columns.map((period, i) => [period, toPrice(asList(cells)[i], rowCurrency(row))]),
        ),
      ]),
  )
}

/** The event's currency, and the categories, which may have their own. */
type Currencies = Pick<EventConfig, 'currency'> & {
  readonly categories: readonly CategoryCurrency[]
}

/** Limits a condition to the categories in this currency. Returns it unchanged if all categories use this currency. */
function limitToCurrency(
  when: Condition | null,
  currency: Currency,
  currencies: Currencies,
): Condition | null {
  const values = currencies.categories
    .map(({ id }) => id)
    .filter((id) => getCurrency(currencies, id) === currency)
  if (values.length === currencies.categories.length) return when
  const test = { field: 'category', test: { is: 'in', values } } as const
  const isSameTest = (otherTest: ConditionMap[number]): boolean =>
    JSON.stringify(otherTest) === JSON.stringify(test)
  return (when ?? [[]]).map((tests) => (tests.some(isSameTest) ? tests : [...tests, test]))
}

/** Returns the currency of an amount in the file: the stated one, or else the event's. */
const getAmountCurrency = (written: unknown, { currency }: Currencies): Currency =>
  readCurrency(written) ?? currency

/** Returns the currency only if it differs from the event's. */
const getOwnCurrency = (currency: Currency, event: Currencies): { readonly currency?: Currency } =>
  currency === event.currency ? {} : { currency }

/**
 * Reads one table, or a list of tables of which the first that matches applies. Limits each table to the categories in
 * its currency.
 */
function toTables(prices: unknown, currencies: Currencies): Item['prices'] {
  if (prices === undefined) return []
  const tables = Array.isArray(prices) ? prices.map(asMap) : [{ otherwise: prices }]
  return tables.map(({ when, table, otherwise, currency: written }) => {
    const currency = getAmountCurrency(written, currencies)
    return {
      when: limitToCurrency(when === undefined ? null : toCondition(when), currency, currencies),
      table: toTable(asMap(otherwise ?? table), () => currency),
      ...getOwnCurrency(currency, currencies),
    }
  })
}

function toItem(
  item: PlainMap,
  tax: Tax | null,
  rules: readonly PlainMap[],
  currencies: Currencies,
): Item {
  return {
    id: asText(item.id),
    label: asOptionalText(item.label) ?? formatIdAsWords(asText(item.id)),
    tax: item.tax === undefined ? tax : toTax(item.tax),
    ...buildOwnTaxRules(item.tax, rules),
    prices: toTables(item.prices, currencies),
    ...removeUndefined({
      when: item.when === undefined ? undefined : toCondition(item.when),
      by: asOptionalText(item.by),
      count: toCount(item.count),
      times: asOptionalText(item.times),
      periods: item.periods === undefined ? undefined : toPeriods(item.periods),
      amountIn: asOptionalText(item.amount_in),
      sac: asOptionalText(item.sac),
      ownTaxRules: toTaxRules(
        asList(item.tax_rules).map(asMap),
        item.tax === undefined ? tax : toTax(item.tax),
      ),
      placeOfSupply: findState(asOptionalText(item.place_of_supply) ?? '') ?? undefined,
    }),
  }
}

/** Reads the counted field and, for a people field, the condition that selects the counted people. */
function toCount(count: unknown): Item['count'] {
  if (count === undefined) return undefined
  const [countEntry] = Object.entries(asMap(count))
  return countEntry === undefined
    ? { field: asText(count) }
    : { field: countEntry[0], where: toCondition(countEntry[1]) }
}

/** Compiles an adjustment. An amount applies only to bills in its currency, a percentage to all. */
function toAdjustment(adjustment: PlainMap, currencies: Currencies): Adjustment {
  const { amount, percent } = adjustment
  const currency = getAmountCurrency(adjustment.currency, currencies)
  const statedCondition = adjustment.when === undefined ? null : toCondition(adjustment.when)
  const when =
    percent === undefined ? limitToCurrency(statedCondition, currency, currencies) : statedCondition
  return {
    id: asText(adjustment.id),
    label: asOptionalText(adjustment.label) ?? formatIdAsWords(asText(adjustment.id)),
    on: asOptionalText(adjustment.on) ?? REGISTRATION_LINE_ID,
    by:
      percent === undefined
        ? {
            amount: readSignedFileAmount(amount, currency),
            ...getOwnCurrency(currency, currencies),
          }
        : { percent: Number(percent) },
    ...removeUndefined({
      when: when ?? undefined,
      from: asOptionalDay(adjustment.from),
      to: asOptionalDay(adjustment.to),
    }),
  }
}

/**
 * Reads a price. Returns null if the item is not on sale (`none`, 0 or a missing cell). Only `free` means on sale at no
 * charge.
 */
function toPrice(cell: unknown, currency: Currency): Amount | null {
  if (cell === 'none' || cell === undefined) return null
  if (cell === 'free') return toAmount(0)
  const price = readFileAmount(cell, currency)
  return price === 0 ? null : price
}

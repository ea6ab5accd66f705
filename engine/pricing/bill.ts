/**
 * Computes a delegate's bill, line by line, from the answers, the context and the date.
 *
 * Prices are those of the event file. Tax is calculated for each line after the adjustments. The
 * sum of the lines is the total.
 */
import type { Field, PublicEvent } from '../event/config.ts'
import type { Answers } from '../event/answer-types.ts'
import {
  type Adjustment,
  type Item,
  type PricedMethod,
  type PriceTable,
  REGISTRATION_LINE_ID,
} from '../event/pricing-types.ts'
import {
  canApplyTo,
  listChosenOptions,
  matchesCondition,
  toList,
} from '../rules/conditions-and-operators.ts'
import { type Line } from './bill-lines.ts'
import { getDecimals, toAmount, type Currency, type Amount, type Tax } from '../lib/money.ts'
import { getCurrency } from '../rules/category.ts'
import { METHOD_NAME, METHOD_FIELD } from '../rules/pricing-context.ts'
import {
  adjustPrices,
  splitPrice,
  subtractReplacedTax,
  type Split,
} from './line-tax-and-rounding.ts'
import { chooseTax, type ChosenTax } from './tax-rules.ts'
import { findItemPeriodOn } from './price-periods.ts'
import { err, fromPairs, ok, getOwn, type Result } from '../lib/result.ts'
import { memoize } from '../lib/memoize.ts'
import {
  formatAnswer,
  fillPlaceholders,
  findPlaceholderNames,
  formatUnit,
} from '../event/placeholders-and-answer-texts.ts'
import type { Day } from '../lib/time.ts'

/** An item that the answers select but that is not on sale. `item` is null for the registration. */
export type NotOnSale = {
  readonly category: string
  readonly period: string
  readonly item: string | null
  readonly option: string | null
}

/** The only table row of an item without options. */
export const EACH_ROW = 'each'

/** A line during adjustment: the price in the file, before tax is calculated. */
type LineBeforeTax = Omit<Line, keyof Split> & { readonly tax: Tax | null; readonly price: Amount }

/**
 * Returns the lines for these answers: the registration, the items in the file's order, then the adjustments, each
 * with the changes that it makes to other lines. `answers` are normalised and include the context.
 */
export function calculateBill(
  event: PublicEvent,
  answers: Answers,
  category: string,
  period: string,
  on: Day,
): Result<readonly Line[], NotOnSale> {
  const registrationPrice = getTablePrice(event.fees.prices ?? {}, category, period)
  if (registrationPrice === null) return err({ category, period, item: null, option: null })
  const getTax = (item: Item | null): ChosenTax =>
    chooseTax(event.fees, item, answers, category, on)
  const registrationTax = getTax(null)
  const linesBeforeTax: LineBeforeTax[] = [
    {
      id: REGISTRATION_LINE_ID,
      option: null,
      label: addNote(
        event.categories.find(({ id }) => id === category)?.label ?? category,
        registrationTax,
      ),
      quantity: 1,
      unit: subtractReplacedTax(registrationTax.tax, registrationPrice),
      tax: registrationTax.tax,
      price: registrationPrice,
    },
  ]
  for (const item of event.fees.items) {
    if (!itemApplies(item, answers, category)) continue
    const entries = listItemLines(event, item, answers, category)
    const itemPeriod = findItemPeriodOn(event.fees, item, category, period, on)
    const itemTax = getTax(item)
    for (const { option, row, quantity } of entries) {
      const unit = getUnitPrice(event, item, answers, category, row, itemPeriod)
      if (unit === null) return err({ category, period: itemPeriod, item: item.id, option })
      linesBeforeTax.push({
        id: item.id,
        option,
        label: addNote(buildLineLabel(event, item, answers, option), itemTax),
        quantity,
        unit: subtractReplacedTax(itemTax.tax, unit),
        tax: itemTax.tax,
        price: toAmount(unit * quantity),
      })
    }
  }
  return ok(
    addAdjustments(event, linesBeforeTax, addMethod(event, answers, category, on), category, on),
  )
}

/** Adds the note of a tax rule to the label of a line. */
const addNote = (label: string, { note }: ChosenTax): string =>
  note === undefined ? label : `${label} (${note})`

/** Returns true if the item's condition matches these answers. The quantity may still be zero. */
export function itemApplies({ when }: Item, answers: Answers, category: string | null): boolean {
  return when === undefined || matchesCondition(when, answers, category)
}

/**
 * Returns true if a bill with these answers may contain the item. Ignores conditions on data that
 * the server has only at registration, such as member records.
 */
export function itemCanBeBilled(
  event: PublicEvent,
  item: Item,
  answers: Answers,
  category: string,
): boolean {
  return (
    (item.when === undefined || canApplyTo(item.when, category)) &&
    listItemLines(event, item, answers, category).length > 0
  )
}

/**
 * Returns the billed entries of an item: one entry per option, or the item itself. Quantities of zero are omitted.
 */
export function listItemLines(
  event: PublicEvent,
  item: Item,
  answers: Answers,
  category: string,
): readonly { readonly option: string | null; readonly row: string; readonly quantity: number }[] {
  const quantity = getItemQuantity(item, answers, category)
  if (
    quantity === 0 ||
    (item.amountIn !== undefined && getOwn(answers, item.amountIn) === undefined)
  )
    return []
  if (item.by === undefined) return [{ option: null, row: EACH_ROW, quantity }]
  return listSelectedOptions(findField(event, item.by), answers).map((option) => ({
    option,
    row: option,
    quantity,
  }))
}

function findField(event: PublicEvent, id: string): Field | undefined {
  return event.fields.find((field) => field.id === id)
}

/** Returns the options chosen in a `select` or `many` field. */
export function listSelectedOptions(field: Field | undefined, answers: Answers): readonly string[] {
  return field === undefined ? [] : listChosenOptions(getOwn(answers, field.id))
}

/**
 * Returns the quantity of an item: its count multiplied by its `times`. The quantity is a whole number and never
 * negative.
 */
export function getItemQuantity(item: Item, answers: Answers, category: string | null): number {
  const { count, times } = item
  const readNumber = (id: string): number => {
    const answer = getOwn(answers, id)
    return typeof answer === 'number' && answer > 0 ? Math.floor(answer) : 0
  }
  const readCount = (): number => {
    if (count === undefined) return 1
    const answer = getOwn(answers, count.field)
    if (typeof answer !== 'object') return readNumber(count.field)
    const { where } = count
    return toList(answer).filter(
      (candidate) =>
        where === undefined ||
        (typeof candidate === 'object' && matchesCondition(where, candidate, category)),
    ).length
  }
  return readCount() * (times === undefined ? 1 : readNumber(times))
}

/** Returns the first table that matches, or null if none does. */
export function findTable(
  item: Item,
  answers: Answers,
  category: string | null,
): PriceTable | null {
  return (
    item.prices.find(({ when }) => when === null || matchesCondition(when, answers, category))
      ?.table ?? null
  )
}

/** Returns the unit price of an item's option in one of its periods; null if not on sale. */
export function getUnitPrice(
  event: Pick<PublicEvent, 'categories' | 'currency'>,
  item: Item,
  answers: Answers,
  category: string,
  row: string,
  period: string,
): Amount | null {
  if (item.amountIn !== undefined)
    return readEnteredAmount(item.amountIn, answers, getCurrency(event, category))
  const table = findTable(item, answers, category)
  return table === null ? null : getTablePrice(table, row, period)
}

/** Returns a cell of a table; null if not on sale or if there is no such cell. */
export function getTablePrice(table: PriceTable, row: string, period: string): Amount | null {
  return getOwn(getOwn(table, row) ?? {}, period) ?? null
}

/** Returns the amount chosen by the delegate, rounded to the currency's decimal places. */
function readEnteredAmount(field: string, answers: Answers, currency: Currency): Amount | null {
  const answer = getOwn(answers, field)
  return typeof answer === 'number' && answer >= 0
    ? toAmount(Math.round(answer * 10 ** getDecimals(currency)))
    : null
}

function buildLineLabel(
  event: PublicEvent,
  item: Item,
  answers: Answers,
  option: string | null,
): string {
  const names = findLabelPlaceholders(item)
  if (names.length === 0) return item.label
  const options = item.by === undefined ? undefined : findField(event, item.by)?.options
  const values = names.map((name): readonly [string, string | undefined] => {
    if (name === 'option') return [name, options?.find(({ id }) => id === option)?.label]
    const [id = '', unit] = name.split('.')
    const answer = getOwn(answers, id)
    if (answer === undefined) return [name, undefined]
    const countedField = unit === undefined ? undefined : findField(event, id)
    return [name, countedField ? formatUnit(countedField, answer) : formatAnswer(event, id, answer)]
  })
  return fillPlaceholders(item.label, fromPairs(values), '')
}

/** Returns the placeholder names in a label. They are searched for only once per version of a file. */
const findLabelPlaceholders = memoize(({ label }: Item) => findPlaceholderNames(label))

/**
 * Applies adjustments from top to bottom, each as a separate line, and adds the tax of every line.
 */
function addAdjustments(
  event: PublicEvent,
  linesBeforeTax: readonly LineBeforeTax[],
  answers: Answers,
  category: string,
  on: Day,
): readonly Line[] {
  const prices = linesBeforeTax.map(({ price }) => price)
  // Properties are copied one by one, because spreading them would take a third of the time to compute a bill.
  const lines = linesBeforeTax.map(({ id, option, label, quantity, unit, tax, price }): Line => {
    const { base, gst, total } = splitPrice(tax, price)
    return { id, option, label, quantity, unit, base, gst, total, rate: tax?.percent ?? null }
  })
  for (const adjustment of event.fees.adjustments) {
    if (!adjustmentApplies(adjustment, answers, category, on)) continue
    const affectedLines = linesBeforeTax.flatMap(({ id }, index) =>
      adjustment.on === 'all' || adjustment.on === id ? [index] : [],
    )
    if (affectedLines.length === 0) continue
    const pricesBefore = affectedLines.map((at) => prices[at] ?? toAmount(0))
    const pricesAfter = adjustPrices(pricesBefore, adjustment.by)
    affectedLines.forEach((at, index) => {
      prices[at] = pricesAfter[index] ?? toAmount(0)
    })
    const parts = affectedLines.map((at, index) => {
      const tax = linesBeforeTax[at]?.tax ?? null
      const [splitBefore, splitAfter] = [pricesBefore, pricesAfter].map((of) =>
        splitPrice(tax, of[index] ?? toAmount(0)),
      )
      return {
        line: at,
        base: toAmount((splitAfter?.base ?? 0) - (splitBefore?.base ?? 0)),
        gst: toAmount((splitAfter?.gst ?? 0) - (splitBefore?.gst ?? 0)),
      }
    })
    const base = sumAmounts(parts.map((part) => part.base))
    const gst = sumAmounts(parts.map((part) => part.gst))
    lines.push({
      id: adjustment.id,
      option: null,
      label: adjustment.label,
      quantity: 1,
      unit: toAmount(sumAmounts(pricesAfter) - sumAmounts(pricesBefore)),
      base: toAmount(base),
      gst: toAmount(gst),
      total: toAmount(base + gst),
      parts,
    })
  }
  return lines
}

/** Returns the methods that delegates can choose on at least one day for a bill in that currency. */
export function listPricedMethods(
  { methods = [] }: Pick<PublicEvent['fees'], 'methods'>,
  currency: Currency,
): readonly PricedMethod[] {
  return methods.filter(
    ({ is, currencies }) => is !== 'desk' && currencies?.includes(currency) !== false,
  )
}

/**
 * Returns the answers with the payment method: the one already stated, the one chosen on the form,
 * or the first open one. Unchanged if no price depends on the method.
 */
export function addMethod(
  event: Pick<PublicEvent, 'fees' | 'currency' | 'categories'>,
  answers: Answers,
  category: string | null,
  on: Day,
): Answers {
  if (event.fees.methods === undefined || getOwn(answers, METHOD_NAME) !== undefined) return answers
  const offeredMethods = listPricedMethods(event.fees, getCurrency(event, category))
  const chosenMethod =
    offeredMethods.find(({ id }) => id === getOwn(answers, METHOD_FIELD)) ??
    offeredMethods.find(({ until }) => until === undefined || on <= until)
  return chosenMethod === undefined ? answers : { ...answers, [METHOD_NAME]: chosenMethod.id }
}

/** Returns true if an adjustment applies to these answers on that date. */
export function adjustmentApplies(
  { when, from, to }: Adjustment,
  answers: Answers,
  category: string | null,
  on: Day,
): boolean {
  return (
    (from === undefined || from <= on) &&
    (to === undefined || on <= to) &&
    (when === undefined || matchesCondition(when, answers, category))
  )
}

function sumAmounts(amounts: readonly Amount[]): number {
  return amounts.reduce<number>((sum, amount) => sum + amount, 0)
}

/** Returns the sums of the lines. */
export function sumLines(lines: readonly Line[]): Split {
  const sum = (part: keyof Split): Amount => toAmount(sumAmounts(lines.map((line) => line[part])))
  return { base: sum('base'), gst: sum('gst'), total: sum('total') }
}

/** Explains which price table cell each bill line comes from, and why other items are not on the bill. */
import type { Answers, Condition } from '../../event/answer-types.ts'
import {
  adjustmentApplies,
  itemApplies,
  EACH_ROW,
  listSelectedOptions,
  getItemQuantity,
  type NotOnSale,
} from '../../pricing/bill.ts'
import { describeCondition, describeUnmetCondition } from '../../rules/describe-condition.ts'
import { matchesCondition, toList } from '../../rules/conditions-and-operators.ts'
import { type Line } from '../../pricing/bill-lines.ts'
import {
  REGISTRATION_LINE_ID,
  type Adjustment,
  type Item,
  type PriceTable,
} from '../../event/pricing-types.ts'
import type { EventConfig } from '../../event/config.ts'
import { formatMoney, formatPrice, type Currency, type Amount, type Tax } from '../../lib/money.ts'
import { findItemPeriodOn } from '../../pricing/price-periods.ts'
import { chooseTax } from '../../pricing/tax-rules.ts'
import type { Split } from '../../pricing/line-tax-and-rounding.ts'
import { getOwn } from '../../lib/result.ts'
import { formatDay, type Day } from '../../lib/time.ts'

type KeyPath = readonly (string | number)[]
/** Returns the 1-based line of a value in the event file, if the file's text is available. */
export type FindLine = (keyPath: KeyPath) => number | null

/** `rollcall event explain --json` prints the property names of this type and of `OmittedItem`. */
export type LineExplanation = {
  readonly line: Line
  readonly keyPath: KeyPath
  /**
   * The source of the line's price ("fees.prices.member, column 1, early"), or the lines that an adjustment changes.
   */
  readonly from: string
  /** The tax on the line's price. Null for an adjustment, which has the tax of the lines that it changes. */
  readonly tax: Tax | null
  readonly is: 'price' | 'change'
}
/** An item or an adjustment that is not on the bill, with the reason. */
export type OmittedItem = {
  readonly id: string
  readonly keyPath: KeyPath
  readonly because: string
}

/** Returns true if a bill may have several lines or several taxes. */
export function hasItemsOrTaxes({ fees }: EventConfig): boolean {
  return fees.items.length + fees.adjustments.length > 0 || fees.taxRules !== undefined
}

/** Returns the path of the table that contains a category's row. */
export function getPricesPath(
  { fees }: EventConfig,
  category: string,
): readonly (string | number)[] {
  const groupIndex = (fees.groups ?? []).findIndex(({ categories }) =>
    categories.includes(category),
  )
  return groupIndex < 0 ? ['fees', 'prices'] : ['fees', 'price_groups', groupIndex, 'prices']
}

/** Returns each line with its price table cell. `answers` are normalised and include the context. */
export function explainLines(
  event: EventConfig,
  answers: Answers,
  { category, period, lines }: { category: string; period: string; lines: readonly Line[] },
  day: Day,
): readonly LineExplanation[] {
  return lines.flatMap((line): LineExplanation[] => {
    if (line.id === REGISTRATION_LINE_ID) {
      const cell = findCell(
        event.fees.prices ?? {},
        getPricesPath(event, category),
        category,
        period,
      )
      const { tax } = chooseTax(event.fees, null, answers, category, day)
      return [{ line, ...cell, tax, is: 'price' }]
    }
    const item = event.fees.items.find(({ id }) => id === line.id)
    if (item !== undefined)
      return [
        {
          line,
          ...getItemCell(
            event,
            item,
            answers,
            category,
            line.option,
            findItemPeriodOn(event.fees, item, category, period, day),
          ),
          tax: chooseTax(event.fees, item, answers, category, day).tax,
          is: 'price',
        },
      ]
    const adjustment = event.fees.adjustments.find(({ id }) => id === line.id)
    return adjustment === undefined
      ? []
      : [
          {
            line,
            keyPath: getAdjustmentPath(event, adjustment),
            from: formatAdjustmentSource(event, adjustment, line),
            tax: null,
            is: 'change',
          },
        ]
  })
}

/**
 * Formats "workshop ecmo is not on sale in regular: fees.items.workshop, table 2 …, ecmo, regular, column 2
 * (line 78)".
 */
export function formatNotOnSale(
  event: EventConfig,
  answers: Answers,
  { category, period, item: id, option }: NotOnSale,
  findLine: FindLine,
): string {
  const item = event.fees.items.find((item) => item.id === id)
  const itemText = [id, option].filter((candidate) => candidate !== null).join(' ')
  if (item === undefined) return `${itemText} is not on sale in ${period}`
  // None of the item's own periods includes this day.
  if (period === '')
    return `${itemText} is not on sale on this day: none of its periods includes this day`
  const { from: source, keyPath } = getItemCell(event, item, answers, category, option, period)
  return `${itemText} is not on sale in ${period}: ${source}${formatLineNumber(findLine(keyPath))}`
}

function findCell(
  table: PriceTable,
  path: KeyPath,
  row: string,
  period: string,
): Pick<LineExplanation, 'from' | 'keyPath'> {
  const column = Object.keys(getOwn(table, row) ?? {}).indexOf(period)
  return {
    keyPath: [...path, row, column],
    from: `${path.join('.')}.${row}, column ${column + 1}, ${period}`,
  }
}

function getItemCell(
  event: EventConfig,
  item: Item,
  answers: Answers,
  category: string,
  option: string | null,
  period: string,
): Pick<LineExplanation, 'from' | 'keyPath'> {
  const itemPath = ['fees', 'items', event.fees.items.indexOf(item)] as const
  const name = `fees.items.${item.id}`
  if (item.amountIn !== undefined)
    return {
      keyPath: [...itemPath, 'amount_in'],
      from: `${name}, entered in ${item.amountIn}`,
    }
  const tableIndex = item.prices.findIndex(
    ({ when }) => when === null || matchesCondition(when, answers, category),
  )
  const table = item.prices[tableIndex]
  if (table === undefined)
    return {
      keyPath: [...itemPath, 'prices'],
      from: `${name}, without a table that applies`,
    }
  // A file with a single table omits `otherwise`.
  const isOnlyTable = item.prices.length === 1 && table.when === null
  const path = isOnlyTable
    ? [...itemPath, 'prices']
    : [...itemPath, 'prices', tableIndex, table.when === null ? 'otherwise' : 'table']
  const { keyPath, from: source } = findCell(table.table, path, option ?? EACH_ROW, period)
  const keyText = source.slice(path.join('.').length + 1)
  const when = table.when === null ? 'otherwise' : describeCondition(event, table.when)
  return {
    keyPath,
    from: `${name}, ${isOnlyTable ? '' : `table ${tableIndex + 1} (${when}), `}${keyText}`,
  }
}

function getAdjustmentPath(event: EventConfig, adjustment: Adjustment): KeyPath {
  return ['fees', 'adjustments', event.fees.adjustments.indexOf(adjustment)]
}

/**
 * Formats "fees.adjustments.early, −10% on all lines", followed by "limited to the price" if the full amount could not
 * be deducted.
 */
function formatAdjustmentSource(
  event: Pick<EventConfig, 'currency'>,
  { on, by: change, id }: Adjustment,
  { unit }: Line,
): string {
  const changeText =
    'percent' in change
      ? `${change.percent > 0 ? '+' : '−'}${Math.abs(change.percent)}%`
      : formatSigned(change.amount, change.currency ?? event.currency)
  const limitText = 'amount' in change && change.amount !== unit ? ', limited to the price' : ''
  return `fees.adjustments.${id}, ${changeText} on ${on === 'all' ? 'all lines' : on}${limitText}`
}

/** Formats "+₹ 500". */
export function formatSigned(amount: Amount, currency: Currency): string {
  return `${amount > 0 ? '+' : ''}${formatMoney(amount, currency)}`
}

/** Returns the items and adjustments that are not on the bill. */
export function listOmittedItems(
  event: EventConfig,
  answers: Answers,
  category: string,
  day: Day,
  lines: readonly Line[],
): readonly OmittedItem[] {
  const isOnBill = (id: string): boolean => lines.some((line) => line.id === id)
  const items = event.fees.items.flatMap((item, index): OmittedItem[] =>
    isOnBill(item.id)
      ? []
      : [
          {
            id: item.id,
            keyPath: ['fees', 'items', index],
            because: explainNotSold(event, item, answers, category),
          },
        ],
  )
  const adjustments = event.fees.adjustments.flatMap((adjustment): OmittedItem[] =>
    isOnBill(adjustment.id)
      ? []
      : [
          {
            id: adjustment.id,
            keyPath: getAdjustmentPath(event, adjustment),
            because: explainNotApplied(event, adjustment, answers, category, day),
          },
        ],
  )
  return [...items, ...adjustments]
}

/** States what the item or adjustment requires. The answers are printed above it. */
function explainUnmetCondition(
  event: EventConfig,
  when: Condition | undefined,
  answers: Answers,
  category: string,
): string {
  const requirement = describeUnmetCondition(event, when ?? [], answers, category)
  return requirement === null ? 'its condition is false' : `applies only if ${requirement}`
}

function explainNotSold(
  event: EventConfig,
  item: Item,
  answers: Answers,
  category: string,
): string {
  if (!itemApplies(item, answers, category))
    return explainUnmetCondition(event, item.when, answers, category)
  if (item.amountIn !== undefined && getOwn(answers, item.amountIn) === undefined)
    return `${item.amountIn} is not answered`
  if (getItemQuantity(item, answers, category) === 0)
    return explainZeroQuantity(event, item, answers)
  const field = event.fields.find(({ id }) => id === item.by)
  return listSelectedOptions(field, answers).length === 0
    ? `nothing is chosen in ${item.by}`
    : 'it is not sold'
}

function explainZeroQuantity(event: EventConfig, { count, times }: Item, answers: Answers): string {
  const isZero = (id: string): boolean => {
    const answer = getOwn(answers, id)
    return typeof answer === 'object'
      ? answer.length === 0
      : typeof answer !== 'number' || answer < 1
  }
  const missingId = [count?.field, times].find((id) => id !== undefined && isZero(id))
  if (missingId !== undefined) return `${missingId} is 0`
  const personCount = toList(getOwn(answers, count?.field ?? '')).length
  return `${personCount} in ${count?.field}, none counted (where ${describeCondition(event, count?.where ?? [])})`
}

function explainNotApplied(
  event: EventConfig,
  adjustment: Adjustment,
  answers: Answers,
  category: string,
  day: Day,
): string {
  const { when, from, to, on: target } = adjustment
  if (from !== undefined && day < from) return `it begins on ${formatDay(from)}`
  if (to !== undefined && to < day) return `it ended on ${formatDay(to)}`
  if (!adjustmentApplies(adjustment, answers, category, day))
    return explainUnmetCondition(event, when, answers, category)
  return `there is no line for ${target}`
}

/** Amounts with their currency, such as a quote. */
type AmountsWithCurrency = Split & { readonly currency: Currency }

/** Formats the bill: each line with its tax, then omitted items, then the total. */
export function formatBill(
  lines: readonly LineExplanation[],
  omittedItems: readonly OmittedItem[],
  { base, gst, total, currency }: AmountsWithCurrency,
  findLine: FindLine,
): readonly (readonly [string, string])[] {
  return [
    ...lines.flatMap((line) => formatBillLine(line, currency, findLine)),
    ...omittedItems.map(
      ({ id, keyPath, because: reason }) =>
        ['left out', `${id}: ${reason}${formatLineNumber(findLine(keyPath))}`] as const,
    ),
    [
      'total',
      `${formatPrice(total, currency)}${gst === 0 ? '' : `: ${formatMoney(base, currency)} and ${formatMoney(gst, currency)} tax`}`,
    ],
  ]
}

function formatBillLine(
  { line, from: source, keyPath, tax, is }: LineExplanation,
  currency: Currency,
  findLine: FindLine,
): readonly (readonly [string, string])[] {
  const sourceText = `${source}${formatLineNumber(findLine(keyPath))}`
  if (is === 'change') {
    const { base, gst, total } = line
    const parts =
      gst === 0 ? '' : ` (${formatSigned(base, currency)} and ${formatSigned(gst, currency)} tax)`
    return [['change', `${line.label}  ${formatSigned(total, currency)}${parts}  ${sourceText}`]]
  }
  const { quantity, unit } = line
  const price = (unit * quantity) as Amount
  const sum = quantity === 1 ? '' : ` = ${formatPrice(price, currency)}`
  const times = line.id === REGISTRATION_LINE_ID ? '' : `${quantity} × `
  return [
    ['line', `${line.label}  ${times}${formatPrice(unit, currency)}${sum}  ${sourceText}`],
    ...(tax === null || price === 0
      ? []
      : [['tax', formatTax(tax, price, { ...line, currency })] as const]),
  ]
}

/** Formats " (line 48)". Returns an empty string if the line is not known. */
export function formatLineNumber(line: number | null): string {
  return line === null ? '' : ` (line ${line})`
}

/** Formats "₹ 5,000 ÷ 1.18 = ₹ 4,237 (to whole rupees), the remaining ₹ 763 is GST". */
export function formatTax(
  tax: Tax,
  price: Amount,
  { base, gst, currency }: AmountsWithCurrency,
): string {
  const rounding = tax.round === 'rupee' ? ' (to whole rupees)' : ''
  if (tax.replaces !== undefined)
    return `${formatMoney(price, currency)} × ${tax.percent}% = ${formatMoney(gst, currency)}${rounding} ${tax.name}, on the price without the usual ${tax.replaces}%`
  if (tax.prices === 'exclusive')
    return `${formatMoney(price, currency)} × ${tax.percent}% = ${formatMoney(gst, currency)}${rounding} ${tax.name}, added to the price`
  return `${formatMoney(price, currency)} ÷ ${Number((1 + tax.percent / 100).toFixed(8))} = ${formatMoney(base, currency)}${rounding}, the remaining ${formatMoney(gst, currency)} is ${tax.name}`
}

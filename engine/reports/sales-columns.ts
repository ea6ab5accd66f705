/** Sales columns and a sales filter for lists and exports: quantity and amount per item and adjustment. */
import type { Column, EventConfig, Filter, Option } from '../event/config.ts'
import type { Line } from '../pricing/bill-lines.ts'
import { type Currency, toMajorUnits, type Amount } from '../lib/money.ts'
import { formatIdAsWords } from '../event/placeholders-and-answer-texts.ts'

type EventFees = Pick<EventConfig, 'fees'>
type EventSales = Pick<EventConfig, 'fees' | 'fields'>

/** A prefix that no field and no built-in value can have. */
const ITEM_PREFIX = 'items.'
const COUNT_SUFFIX = '.count'
/** The parameter name of the filter for items on the bill. */
export const SALES_FILTER = `${ITEM_PREFIX}sold`

/** Returns the columns in the order of the bill; empty if only registration is sold. */
export function buildSalesColumns({ fees: { items, adjustments } }: EventFees): readonly Column[] {
  return [
    ...items.flatMap(({ id, label }): readonly Column[] => [
      {
        id: `${ITEM_PREFIX}${id}${COUNT_SUFFIX}`,
        label: `${buildColumnHeading(id, label)} (number)`,
        kind: 'number',
      },
      {
        id: `${ITEM_PREFIX}${id}`,
        label: `${buildColumnHeading(id, label)} (amount)`,
        kind: 'money',
      },
    ]),
    ...adjustments.map(({ id, label }): Column => ({
      id: `${ITEM_PREFIX}${id}`,
      label: `${buildColumnHeading(id, label)} (amount)`,
      kind: 'money',
    })),
  ]
}

/** Returns the filter; null if only registration is sold. An item's option is `item.option`. */
export function buildSalesFilter(event: EventSales): Filter | null {
  const { items, adjustments } = event.fees
  const options = [
    ...items.flatMap(({ id, label }): readonly Option[] => {
      const name = buildColumnHeading(id, label)
      const optionColumns = listItemOptions(event, id).map((option) => ({
        id: `${id}.${option.id}`,
        label: `${name}: ${option.label}`,
      }))
      return [{ id, label: optionColumns.length === 0 ? name : `${name}: any` }, ...optionColumns]
    }),
    ...adjustments.map(({ id, label }) => ({ id, label })),
  ]
  if (options.length === 0) return null
  return { show: SALES_FILTER, sentAs: SALES_FILTER, label: 'Item', kind: 'options', options }
}

/** Returns the options of an item that is sold by option; empty if it has none. */
export function listItemOptions({ fees, fields }: EventSales, item: string): readonly Option[] {
  const optionField = fees.items.find(({ id }) => id === item)?.by
  return optionField === undefined
    ? []
    : (fields.find(({ id }) => id === optionField)?.options ?? [])
}

/**
 * Returns the column heading. Labels with an option or an answer vary from line to line, so the id
 * replaces them.
 */
export function buildColumnHeading(id: string, label: string): string {
  return label.includes('{') ? formatIdAsWords(id) : label
}

/**
 * Returns the values of these columns: totals including tax in major units, and quantities.
 * Items that are not on the bill are absent.
 */
export function computeSalesValues(
  lines: readonly Line[],
  currency: Currency,
): Readonly<Record<string, number>> {
  const values: Record<string, number> = {}
  const totals: Record<string, number> = {}
  for (const { id, quantity, total } of lines) {
    totals[id] = (totals[id] ?? 0) + total
    const countColumn = `${ITEM_PREFIX}${id}${COUNT_SUFFIX}`
    values[countColumn] = (values[countColumn] ?? 0) + quantity
  }
  for (const [id, total] of Object.entries(totals))
    values[`${ITEM_PREFIX}${id}`] = toMajorUnits(total as Amount, currency)
  return values
}

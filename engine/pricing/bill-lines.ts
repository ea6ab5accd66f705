/** Defines bill lines and formats them. `bill.ts` computes them. */
import { formatMoney, formatPrice, toAmount, type Currency, type Amount } from '../lib/money.ts'
import type { Split } from './line-tax-and-rounding.ts'

/**
 * A bill line. `unit` is the unit price in the event file; base + gst = total, exactly. An
 * adjustment may be negative.
 */
export type Line = Split & {
  /** `registration`, or the id of an item or an adjustment. */
  readonly id: string
  /** The option sold, for an item with one line per option. */
  readonly option: string | null
  readonly label: string
  readonly quantity: number
  readonly unit: Amount
  /**
   * Tax in percent. Null if untaxed. Absent if stored before lines had a rate, and for an
   * adjustment (see `parts`).
   */
  readonly rate?: number | null
  /** For an adjustment: its change to each affected line, by the line's index in the bill. */
  readonly parts?: readonly AdjustmentPart[]
}

/** How an adjustment changes one line, with tax at that line's rate. */
export type AdjustmentPart = {
  readonly line: number
  readonly base: Amount
  readonly gst: Amount
}

/**
 * Formats quantity and unit price next to an amount with tax: "2 × ₹ 4,720". If the stated price excludes tax, the
 * unit price is the amount divided by the quantity. If that is not a whole number of minor units, returns only the
 * quantity ("× 2"). Null for a quantity of one.
 */
export function formatQuantity(
  { quantity, unit }: Pick<Line, 'quantity' | 'unit'>,
  amount: number,
  currency: Currency,
): string | null {
  if (quantity === 1) return null
  const unitPrice = unit * quantity === amount ? unit : amount / quantity
  return Number.isInteger(unitPrice)
    ? `${quantity} × ${formatMoney(toAmount(unitPrice), currency)}`
    : `× ${quantity}`
}

/**
 * Formats the lines for an email or a receipt, one per row: "Accompanying person, 2 × ₹ 4,720: ₹
 * 9,440". For a quantity of one, only the total.
 */
export function formatLines(lines: readonly Line[], currency: Currency): string {
  return lines.map((line) => formatLine(line, currency)).join('\n')
}

export function formatLine(line: Line, currency: Currency): string {
  const quantityText = formatQuantity(line, line.total, currency)
  return `${line.label}${quantityText === null ? '' : `, ${quantityText}`}: ${formatPrice(line.total, currency)}`
}

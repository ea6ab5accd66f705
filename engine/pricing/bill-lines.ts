/** Bill lines: their type, wire form and text. `bill.ts` computes them. */
import { formatMoney, formatPrice, toAmount, type Currency, type Amount } from '../lib/money.ts'
import type { Split } from './line-tax.ts'

/**
 * One line. `unit` is the price of one as the event file states it; base + gst = total, exactly. An
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
   * Tax in percent. Null if untaxed. Absent if stored before lines had a rate, or for an adjustment (see
   * `parts`).
   */
  readonly rate?: number | null
  /** For an adjustment: the change to each line it applies to, by the line's index in the bill. */
  readonly parts?: readonly AdjustmentPart[]
}

/** The change that an adjustment makes to one line, at that line's rate. */
export type AdjustmentPart = {
  readonly line: number
  readonly base: Amount
  readonly gst: Amount
}

/**
 * Formats quantity and unit price next to an amount with tax: "2 × ₹ 4,720". The stated price may
 * exclude tax: then the unit price is the amount's share, or only the quantity ("× 2") if that is
 * not a whole number of minor units. Null for a quantity of one.
 */
export function formatQuantity(
  { quantity, unit }: Pick<Line, 'quantity' | 'unit'>,
  amount: number,
  currency: Currency,
): string | null {
  if (quantity === 1) return null
  const one = unit * quantity === amount ? unit : amount / quantity
  return Number.isInteger(one)
    ? `${quantity} × ${formatMoney(toAmount(one), currency)}`
    : `× ${quantity}`
}

/**
 * Formats the lines for an email or a receipt, one per row: "Accompanying person, 2 × ₹ 4,720: ₹
 * 9,440". For quantity one, only the total.
 */
export function formatLines(lines: readonly Line[], currency: Currency): string {
  return lines
    .map((line) => {
      const times = formatQuantity(line, line.total, currency)
      return `${line.label}${times === null ? '' : `, ${times}`}: ${formatPrice(line.total, currency)}`
    })
    .join('\n')
}

/** A line of a bill as a value: what it says, how it travels, how it reads in a text. What makes lines stands in `bill.ts`. */
import { formatMoney, formatPrice, paise, type Paise, type Split } from '../lib/money.ts'

/** One line. `unit` is the price of one as the event file states it; base + gst = total, exactly. An adjustment may be below nothing. */
export type Line = Split & {
  /** `registration`, an item's id or an adjustment's. */
  readonly id: string
  /** The option sold, of an item with one line for each. */
  readonly option: string | null
  readonly label: string
  readonly quantity: number
  readonly unit: Paise
  /** Percent of tax; null: untaxed. Absent: stored before lines had one, or an adjustment (see `parts`). */
  readonly rate?: number | null
  /** Of an adjustment: what it changes of each line that it applies to, by the line's index in the bill. */
  readonly parts?: readonly AdjustmentPart[]
}

/** The change that an adjustment makes to one line, at that line's rate. */
export type AdjustmentPart = {
  readonly line: number
  readonly base: Paise
  readonly gst: Paise
}

/**
 * Quantity and price of one beside an amount with tax: "2 × ₹ 4,720". The stated price may be before tax: then it is the
 * amount's share, and only the quantity ("× 2") where that is no whole number of paise. Null: of one thing.
 */
export function countText(
  { quantity, unit }: Pick<Line, 'quantity' | 'unit'>,
  amount: number,
): string | null {
  if (quantity === 1) return null
  const one = unit * quantity === amount ? unit : amount / quantity
  return Number.isInteger(one) ? `${quantity} × ${formatMoney(paise(one))}` : `× ${quantity}`
}

/**
 * The lines in a mail or a receipt, one under the other: "Accompanying person, 2 × ₹ 4,720: ₹ 9,440". Of
 * one thing its total says all.
 */
export function linesText(lines: readonly Line[]): string {
  return lines
    .map((line) => {
      const times = countText(line, line.total)
      return `${line.label}${times === null ? '' : `, ${times}`}: ${formatPrice(line.total)}`
    })
    .join('\n')
}

/** API type of bill lines, in rupees, with its conversions. */
import { fromRupees, paise, rupees, type Paise } from '../lib/money.ts'
import type { Line } from '../pricing/bill-lines.ts'

/** A line of a bill; base + gst = total. */
export type WireLine = {
  /** `registration`, or the id of an item or an adjustment. */
  id: string
  /** The option sold, for an item with one line per option. */
  option: string | null
  label: string
  quantity: number
  /** The unit price as the event file states it. */
  unit: number
  base: number
  gst: number
  total: number
}

export function toWireLines(lines: readonly Line[]): WireLine[] {
  return lines.map(({ id, option, label, quantity, unit, base, gst, total }) => ({
    id,
    option,
    label,
    quantity,
    unit: rupees(unit),
    base: rupees(base),
    gst: rupees(gst),
    total: rupees(total),
  }))
}

/** Reads lines from an API response; empty if a version without lines sent it, or if an amount is invalid. */
export function readLines(wire: readonly WireLine[] | undefined): readonly Line[] {
  const lines = (wire ?? []).flatMap((line): Line[] => {
    const [unit, base, gst, total] = [line.unit, line.base, line.gst, line.total].map(signed)
    return unit == null || base == null || gst == null || total == null
      ? []
      : [{ ...line, unit, base, gst, total }]
  })
  return lines.length === wire?.length ? lines : []
}

/** An adjustment may be negative, unlike any other amount in the API. */
function signed(amount: number): Paise | null {
  const size = fromRupees(Math.abs(amount))
  return size === null || amount >= 0 ? size : paise(-size)
}

/** The lines of a bill as server and browser exchange them, in rupees. */
import { fromRupees, paise, rupees, type Paise } from '../lib/money.ts'
import type { Line } from '../pricing/bill-lines.ts'

/** A line of a bill; base + gst = total. */
export type WireLine = {
  /** `registration`, an item's id or an adjustment's. */
  id: string
  /** The option sold, of an item with one line for each. */
  option: string | null
  label: string
  quantity: number
  /** The price of one as the event file states it. */
  unit: number
  base: number
  gst: number
  total: number
}

export function wireLines(lines: readonly Line[]): WireLine[] {
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

/** Read back from the wire; empty where a version that knows no lines answers, or an amount is none. */
export function readLines(wire: readonly WireLine[] | undefined): readonly Line[] {
  const lines = (wire ?? []).flatMap((line): Line[] => {
    const [unit, base, gst, total] = [line.unit, line.base, line.gst, line.total].map(signed)
    return unit == null || base == null || gst == null || total == null
      ? []
      : [{ ...line, unit, base, gst, total }]
  })
  return lines.length === wire?.length ? lines : []
}

/** An adjustment is an amount below nothing, which no other amount of the wire is. */
function signed(amount: number): Paise | null {
  const size = fromRupees(Math.abs(amount))
  return size === null || amount >= 0 ? size : paise(-size)
}

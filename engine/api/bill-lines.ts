/** API type of bill lines, with amounts in major units, and conversions to and from this type. */
import {
  INR,
  fromMajorUnits,
  toAmount,
  toMajorUnits,
  type Currency,
  type Amount,
} from '../lib/money.ts'
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

export function toWireLines(lines: readonly Line[], currency: Currency): WireLine[] {
  return lines.map(({ id, option, label, quantity, unit, base, gst, total }) => ({
    id,
    option,
    label,
    quantity,
    unit: toMajorUnits(unit, currency),
    base: toMajorUnits(base, currency),
    gst: toMajorUnits(gst, currency),
    total: toMajorUnits(total, currency),
  }))
}

/** Returns the currency of a response's amounts. Responses in rupees omit it. */
export const toWireCurrency = (currency: Currency): { readonly currency?: Currency } =>
  currency === INR ? {} : { currency }

/** Reads lines from an API response; an empty list if an older version sent no lines, or if an amount is invalid. */
export function readLines(
  wire: readonly WireLine[] | undefined,
  currency: Currency,
): readonly Line[] {
  const lines = (wire ?? []).flatMap((line): Line[] => {
    const [unit, base, gst, total] = [line.unit, line.base, line.gst, line.total].map((amount) =>
      readSigned(amount, currency),
    )
    return unit == null || base == null || gst == null || total == null
      ? []
      : [{ ...line, unit, base, gst, total }]
  })
  return lines.length === wire?.length ? lines : []
}

/** Reads an amount that may be negative. In the API, only amounts of adjustments can be negative. */
function readSigned(amount: number, currency: Currency): Amount | null {
  const absolute = fromMajorUnits(Math.abs(amount), currency)
  return absolute === null || amount >= 0 ? absolute : toAmount(-absolute)
}

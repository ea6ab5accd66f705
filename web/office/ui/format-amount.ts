/** Formats amounts from the office API as text and for amount fields. */
import type { EventStats } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import {
  INR,
  formatPlainAmount,
  formatAmount,
  formatMoney,
  formatPrice,
  fromMajorUnits,
  toAmount,
  toMajorUnits,
} from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'

/** A value that is not an amount is shown unchanged, so that staff see the content of the response. */
const formatWith =
  (format: typeof formatMoney) =>
  (value: unknown, currency: Currency): string => {
    const amount = fromMajorUnits(value, currency)
    if (amount !== null) return format(amount, currency)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }

/** Formats an amount with its symbol: "₹ 590". */
export const formatResponseMoney = formatWith(formatMoney)
/** Formats an amount without its symbol: "590". */
export const formatResponseAmount = formatWith(formatAmount)
/** Formats a price: with its symbol, or “Free” if it is zero. */
export const formatResponsePrice = formatWith(formatPrice)

/** Formats an amount that may be negative: "₹ 590" and "−₹ 590". Empty if it is not an amount. */
export function formatSignedMoney(value: number, currency: Currency): string {
  const size = fromMajorUnits(Math.abs(value), currency)
  return size === null ? '' : formatMoney(toAmount(value < 0 ? -size : size), currency)
}

/** Adds amounts of one currency without floating-point errors. */
export function addAmounts(amounts: readonly number[], currency: Currency): number {
  const toMinorUnits = (amount: number): number => {
    const size = fromMajorUnits(Math.abs(amount), currency) ?? 0
    return amount < 0 ? -size : size
  }
  return toMajorUnits(
    toAmount(amounts.reduce((sum, amount) => sum + toMinorUnits(amount), 0)),
    currency,
  )
}

/** The default value of an amount's input: "590" and "590.50". Empty if it is not an amount. */
export function formatForInput(value: number, currency: Currency): string {
  const amount = fromMajorUnits(value, currency)
  return amount === null ? '' : formatPlainAmount(amount, currency).replace(/\.0+$/, '')
}

/** Labels an amount's input. Most events are in rupees; the label names any other currency. */
export const formatAmountLabel = (label: string, currency: Currency): string =>
  currency === INR ? label : `${label} (${currency})`

/** The revenue of an event in each of its currencies: "₹ 1,30,000 · US$ 450". Two currencies are never added. */
export const formatEventRevenue = (stats: EventStats): string =>
  formatRevenue([stats, ...(stats.other_currencies ?? [])], readResponseCurrency(stats))

/** Omits currencies without revenue. If there is no revenue at all, returns zero in the currency `ifNone`. */
export function formatRevenue(
  sums: readonly { readonly total_revenue: number; readonly currency?: string }[],
  ifNone: Currency,
): string {
  const received = sums.filter((sum) => sum.total_revenue !== 0)
  return received.length === 0
    ? formatResponseMoney(0, ifNone)
    : received
        .map((sum) => formatResponseMoney(sum.total_revenue, readResponseCurrency(sum)))
        .join(' · ')
}

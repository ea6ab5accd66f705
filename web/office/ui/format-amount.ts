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

/**
 * Returns a formatter. A value that is not an amount is returned unchanged, so that staff see what the response
 * contains.
 */
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

/** Formats an amount that may be negative: "₹ 590" and "−₹ 590". Returns an empty string if it is not an amount. */
export function formatSignedMoney(value: number, currency: Currency): string {
  const magnitude = fromMajorUnits(Math.abs(value), currency)
  return magnitude === null
    ? ''
    : formatMoney(toAmount(value < 0 ? -magnitude : magnitude), currency)
}

/** Adds amounts of one currency without floating-point errors. */
export function addAmounts(amounts: readonly number[], currency: Currency): number {
  const toMinorUnits = (amount: number): number => {
    const magnitude = fromMajorUnits(Math.abs(amount), currency) ?? 0
    return amount < 0 ? -magnitude : magnitude
  }
  return toMajorUnits(
    toAmount(amounts.reduce((sum, amount) => sum + toMinorUnits(amount), 0)),
    currency,
  )
}

/** Returns the default value of an amount input: "590" or "590.50". Returns an empty string if it is not an amount. */
export function formatForInput(value: number, currency: Currency): string {
  const amount = fromMajorUnits(value, currency)
  return amount === null ? '' : formatPlainAmount(amount, currency).replace(/\.0+$/, '')
}

/** Labels an amount input. Most events are in rupees; the label states any other currency. */
export const formatAmountLabel = (label: string, currency: Currency): string =>
  currency === INR ? label : `${label} (${currency})`

/**
 * Formats the revenue of an event in each of its currencies: "₹ 1,30,000 · US$ 450". Never adds different currencies.
 */
export const formatEventRevenue = (stats: EventStats): string =>
  formatRevenue([stats, ...(stats.other_currencies ?? [])], readResponseCurrency(stats))

/**
 * Formats the revenue by currency and omits currencies without revenue. Returns zero in `fallbackCurrency` if there is
 * no revenue.
 */
export function formatRevenue(
  sums: readonly { readonly total_revenue: number; readonly currency?: string }[],
  fallbackCurrency: Currency,
): string {
  const received = sums.filter((sum) => sum.total_revenue !== 0)
  return received.length === 0
    ? formatResponseMoney(0, fallbackCurrency)
    : received
        .map((sum) => formatResponseMoney(sum.total_revenue, readResponseCurrency(sum)))
        .join(' · ')
}

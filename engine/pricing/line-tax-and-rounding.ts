/** Splits a line's price or total into the amount before tax and the tax, with rounding. */
import { INR, toAmount, type Currency, type Amount, type Tax } from '../lib/money.ts'
import { assert } from '../lib/result.ts'

/** A price split into amount before tax, tax and total; base + gst = total exactly. */
export type Split = { readonly base: Amount; readonly gst: Amount; readonly total: Amount }

// Percentages may have decimals (12.5). As whole millionths of a percent they are exact.
const MILLIONTHS_PER_UNIT = 1_000_000
function toMillionths(percent: number): bigint {
  assert(percent >= 0 && percent <= 1000, `invalid tax of ${percent}%`)
  return BigInt(Math.round(percent * MILLIONTHS_PER_UNIT))
}
const HUNDRED_PERCENT = BigInt(100 * MILLIONTHS_PER_UNIT)

/** Rounds numerator ÷ denominator to the nearest multiple of `unit`, half up. */
function roundToUnit(numerator: bigint, denominator: bigint, unit: bigint): Amount {
  const step = denominator * unit
  return toAmount(Number(((2n * numerator + step) / (2n * step)) * unit))
}

/**
 * Splits a price from the event file. Exclusive: the tax is rounded and added. Inclusive: the base
 * is rounded, and the tax is the remainder.
 */
export function splitPrice(tax: Tax | null, price: Amount): Split {
  assert(price >= 0, 'the price must not be negative')
  if (tax === null) return { base: price, gst: toAmount(0), total: price }
  const unit = tax.round === 'rupee' ? 100n : 1n
  const percent = toMillionths(tax.percent)
  if (tax.prices === 'exclusive') {
    const base = subtractReplacedTax(tax, price)
    const gst = roundToUnit(BigInt(base) * percent, HUNDRED_PERCENT, unit)
    return { base, gst, total: toAmount(base + gst) }
  }
  return splitInclusive(percent, price, unit)
}

/** Returns a price without the event's tax, if the price includes that tax and this tax replaces it. */
export function subtractReplacedTax(tax: Tax | null, price: Amount): Amount {
  return tax?.replaces === undefined
    ? price
    : splitInclusive(toMillionths(tax.replaces), price, 1n).base
}

/**
 * Splits a paid total for a result page: base in whole rupees, tax as the remainder (specification,
 * section 9). Other currencies are split to the minor unit.
 */
export function splitTotal(tax: Tax | null, total: Amount, currency: Currency = INR): Split {
  return tax === null
    ? { base: total, gst: toAmount(0), total }
    : splitInclusive(toMillionths(tax.percent), total, currency === INR ? 100n : 1n)
}

/** Returns the tax included in a total, to the nearest paisa; the amount before tax is rounded half up. */
export function computeIncludedTax(total: Amount, percent: number): Amount {
  return splitInclusive(toMillionths(percent), total, 1n).gst
}

/**
 * Splits a total that includes tax. Below one rupee, the rounded base would exceed the total. The tax is then zero,
 * never negative.
 */
function splitInclusive(percent: bigint, total: Amount, unit: bigint): Split {
  const share = roundToUnit(BigInt(total) * HUNDRED_PERCENT, HUNDRED_PERCENT + percent, unit)
  const base = share > total ? total : share
  return { base, gst: toAmount(total - base), total }
}

/**
 * Adds an amount or a percentage to prices (negative: subtracts). An amount is subtracted from the first price, and
 * any excess from the next; no price becomes negative. Percentages are rounded to the nearest paisa, half up.
 */
export function adjustPrices(
  prices: readonly Amount[],
  by: { readonly amount: Amount } | { readonly percent: number },
): readonly Amount[] {
  if ('percent' in by) {
    const percent = toMillionths(Math.abs(by.percent))
    const sign = by.percent < 0 ? -1 : 1
    return prices.map((price) =>
      toAmount(
        Math.max(0, price + sign * roundToUnit(BigInt(price) * percent, HUNDRED_PERCENT, 1n)),
      ),
    )
  }
  let remainder: number = by.amount
  return prices.map((price) => {
    const change = Math.max(remainder, -price)
    remainder -= change
    return toAmount(price + change)
  })
}

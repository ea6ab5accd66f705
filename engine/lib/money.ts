/** Amounts of money in whole paise, exact: read, and formatted as text. Rupees only at the edges. */
import { assert } from './result.ts'

declare const paiseBrand: unique symbol
/** Whole paise; 100 paise = 1 rupee. Branded, so that rupees cannot be passed for it. Made by `paise()`. */
export type Paise = number & { readonly [paiseBrand]: true }

/**
 * The tax on every price of an event. `percent` may have decimals; `round` is the rounding unit of
 * the split.
 */
export type Tax = {
  readonly name: string
  readonly percent: number
  readonly prices: 'exclusive' | 'inclusive'
  readonly round: 'paise' | 'rupee'
}

/** The largest amount that the gateway accepts in one payment, 999999.99 rupees. */
export const AMOUNT_MAX = 99_999_999 as Paise

export function paise(amount: number): Paise {
  // The message is built only on failure: building it took longer than the test itself.
  if (!Number.isSafeInteger(amount)) assert(false, `${amount} is not whole paise`)
  return amount as Paise
}

/** Converts an amount to its JSON number in rupees: 708000 → 7080, 423750 → 4237.5. */
export function rupees(amount: Paise): number {
  return amount / 100
}

/** Formats an amount with two decimals and no grouping, as gateways and query strings require: "7080.00". */
export function amountText(amount: Paise): string {
  const text = String(Math.abs(amount)).padStart(3, '0')
  return `${amount < 0 ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`
}

/**
 * Reads a decimal text of rupees with at most two decimals; null otherwise. Reads the text, never a
 * float.
 */
export function readAmount(text: string): Paise | null {
  const found = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text.trim())
  return found === null ? null : paise(Number(`${found[1]}${(found[2] ?? '').padEnd(2, '0')}`))
}

/**
 * Converts rupees from JSON or a file (4237.5) to paise; null if it is not an amount, for example
 * with a third decimal.
 */
export function fromRupees(rupees: unknown): Paise | null {
  if (typeof rupees !== 'number' || !Number.isFinite(rupees)) return null
  const text = rupees.toFixed(2)
  return Math.abs(Number(text) - rupees) < NOISE_RUPEES_MAX ? readAmount(text) : null
}

/** The error of binary addition (0.1 + 0.2) is smaller than this; a third decimal is larger. */
const NOISE_RUPEES_MAX = 1e-6

/** The rupee sign and its no-break space, written before every displayed amount. */
const SIGN = '₹\u00a0'

/** Placeholder for an amount that is not known yet. */
export const NO_MONEY = `${SIGN}–`

/**
 * Formats an amount as "₹ 1,23,456.50" with a no-break space and Indian grouping; whole rupees
 * without decimals.
 */
export function formatMoney(amount: Paise): string {
  return `${amount < 0 ? '−' : ''}${SIGN}${formatAmount(paise(Math.abs(amount)))}`
}

/** Formats a price or a total for display; zero reads "Free". For a tax of zero, use `formatMoney`. */
export function formatPrice(amount: Paise): string {
  return amount === 0 ? 'Free' : formatMoney(amount)
}

/** Formats as "1,23,456.50", for a column of amounts whose heading or total carries the sign. */
export function formatAmount(amount: Paise): string {
  const [whole = '', decimals] = amountText(paise(Math.abs(amount))).split('.')
  return `${amount < 0 ? '−' : ''}${grouped(whole)}${decimals === '00' ? '' : `.${decimals}`}`
}

/** Formats a whole number of things, not negative: "1,30,000". */
export function formatCount(count: number): string {
  assert(Number.isSafeInteger(count) && count >= 0, `${count} is no number of things`)
  return grouped(String(count))
}

/** Groups digits the Indian way: the last three, then by twos. */
function grouped(digits: string): string {
  return digits.length > 3
    ? `${digits.slice(0, -3).replace(/\B(?=(\d\d)+$)/g, ',')},${digits.slice(-3)}`
    : digits
}

/**
 * Formats the tax rates of several lines for a label, highest first: "18%", "18% and 5%". Empty:
 * nothing is taxed.
 */
export function ratesText(rates: readonly (number | null | undefined)[]): string {
  const texts = [...new Set(rates)]
    .filter((rate) => rate != null && rate > 0)
    .sort((a, b) => Number(b) - Number(a))
    .map((rate) => `${rate}%`)
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`
}

/** Exact amounts of money in whole minor units of a currency: reading and formatting. */
import { memoize } from './memoize.ts'
import { assert } from './result.ts'

declare const amountBrand: unique symbol
/**
 * Whole minor units of a currency: paise, cents, yen. Branded, so that a number with decimals
 * cannot be used as an amount. Created by `toAmount()`. The currency is stored with the bill, the
 * registration or the event.
 */
export type Amount = number & { readonly [amountBrand]: true }

declare const currencyBrand: unique symbol
/** ISO 4217 code of a currency in use, in capitals. Created by `readCurrency`. */
export type Currency = string & { readonly [currencyBrand]: true }

/** An amount with its currency. Not a number, so that amounts in two currencies cannot be added. */
export type Money = { readonly amount: Amount; readonly currency: Currency }

/** The currency of Indian tax documents, and of events that do not state one. */
export const INR = 'INR' as Currency

/**
 * The tax on an event's prices. `percent` may have decimals; `round` is the unit to which the split between base and
 * tax is rounded.
 */
export type Tax = {
  readonly name: string
  readonly percent: number
  readonly prices: 'exclusive' | 'inclusive'
  readonly round: 'paise' | 'rupee'
  /**
   * The percentage of the event's tax, if the price includes that tax and this tax replaces it. This tax is then
   * charged on the price without the event's tax. Absent otherwise.
   */
  readonly replaces?: number
}

/** The largest amount that the gateway accepts in one payment, 999999.99 rupees. */
export const MAX_AMOUNT = 99_999_999 as Amount

export function toAmount(amount: number): Amount {
  // The message is built only on failure, because building it takes longer than the test.
  if (!Number.isSafeInteger(amount)) assert(false, `${amount} is not a whole number of minor units`)
  return amount as Amount
}

/** The ISO 4217 codes of all currencies. This is a function, so that pages compute the list only if they need it. */
export const listCurrencies = (): readonly Currency[] =>
  Intl.supportedValuesOf('currency') as readonly string[] as readonly Currency[]

/** Reads the ISO 4217 code of a currency; null if no currency has this code. */
export function readCurrency(text: unknown): Currency | null {
  return typeof text === 'string' && Intl.supportedValuesOf('currency').includes(text)
    ? (text as Currency)
    : null
}

/**
 * Currencies that do not have two decimal places in ISO 4217. Stored amounts count minor units, so the values of
 * `Intl` cannot be used: they follow cash use, and changed between browser versions (HUF, IDR and COP from two to
 * none).
 */
const EXCEPTIONAL_DECIMALS: readonly (readonly [decimals: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]

/** Returns the number of decimal places of amounts in this currency: 2 for INR, 0 for JPY, 3 for KWD. */
export const getDecimals = memoize(
  (currency: Currency): number =>
    EXCEPTIONAL_DECIMALS.find(([, codes]) => codes.split(' ').includes(currency))?.[0] ?? 2,
)
/** Describes the currency for a sentence: "an amount in rupees", "an amount in EUR". */
export const formatCurrency = (currency: Currency): string =>
  currency === INR ? 'rupees' : currency

/**
 * Splits an amount into whole major units and the remainder: 423750 INR is 4237 rupees and 50
 * paise.
 */
export function toMajorAndMinor(
  amount: Amount,
  currency: Currency,
): { readonly major: number; readonly minor: number; readonly minorPerMajor: number } {
  const minorPerMajor = 10 ** getDecimals(currency)
  return {
    major: Math.floor(amount / minorPerMajor),
    minor: amount % minorPerMajor,
    minorPerMajor,
  }
}

/** Returns the English name of a currency after a whole number: "euro", "euros". */
export function spellCurrency(count: number, currency: Currency): string {
  const format = new Intl.NumberFormat('en-GB', {
    style: 'currency',
    currency,
    currencyDisplay: 'name',
    maximumFractionDigits: 0,
  })
  return format.formatToParts(count).find(({ type }) => type === 'currency')?.value ?? currency
}

/**
 * Returns the symbol that the currency's own country uses: "$" for SGD; the code if there is none.
 */
export const getLocalSymbol = memoize(
  (currency: Currency): string =>
    new Intl.NumberFormat('en-GB', {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
    })
      .formatToParts(0)
      .find(({ type }) => type === 'currency')?.value ?? currency,
)

/** Converts an amount to its JSON number in major units: 708000 INR → 7080, 423750 → 4237.5. */
export function toMajorUnits(amount: Amount, currency: Currency): number {
  return amount / 10 ** getDecimals(currency)
}

/**
 * Formats an amount with all its decimal places and without grouping, as gateways and query strings require:
 * "7080.00".
 */
export function formatPlainAmount(amount: Amount, currency: Currency): string {
  const decimals = getDecimals(currency)
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0')
  const sign = amount < 0 ? '-' : ''
  return decimals === 0
    ? `${sign}${digits}`
    : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/**
 * Reads a decimal string in major units; null if it is not one, or if it has more decimal places than the currency.
 * Does not convert to a float.
 */
export function readAmount(text: string, currency: Currency): Amount | null {
  const match = /^(\d{1,12})(?:\.(\d+))?$/.exec(text.trim())
  const decimals = getDecimals(currency)
  const fraction = match?.[2] ?? ''
  return match === null || fraction.length > decimals
    ? null
    : toAmount(Number(`${match[1]}${fraction.padEnd(decimals, '0')}`))
}

/**
 * Converts major units from JSON or a file (4237.5) to an amount. Returns null if that is impossible, for example if an
 * amount in rupees has three decimal places.
 */
export function fromMajorUnits(majorUnits: unknown, currency: Currency): Amount | null {
  if (typeof majorUnits !== 'number' || !Number.isFinite(majorUnits)) return null
  const text = majorUnits.toFixed(getDecimals(currency))
  return Math.abs(Number(text) - majorUnits) < MAX_ROUNDING_ERROR
    ? readAmount(text, currency)
    : null
}

/** Larger than the error of a floating-point addition (0.1 + 0.2), smaller than a digit in an excess decimal place. */
const MAX_ROUNDING_ERROR = 1e-6

/** Returns the symbol of a currency: "₹", "€", "US$". */
export const getCurrencySymbol = memoize((currency: Currency): string => {
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency })
  return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency
})

/** Returns the symbol with a no-break space, as before every displayed amount. */
const getAmountPrefix = (currency: Currency): string => `${getCurrencySymbol(currency)}\u00a0`

/** Formats a placeholder for an unknown amount. */
export const formatUnknownAmount = (currency: Currency): string => `${getAmountPrefix(currency)}–`

/**
 * Formats an amount as "₹ 1,23,456.50" or "€ 123,456.50", with a no-break space and the currency's
 * grouping; whole major units without decimals.
 */
export function formatMoney(amount: Amount, currency: Currency): string {
  return `${amount < 0 ? '−' : ''}${getAmountPrefix(currency)}${formatAmount(toAmount(Math.abs(amount)), currency)}`
}

/** Formats a price or a total; zero is "Free". For a tax of zero, use `formatMoney`. */
export function formatPrice(amount: Amount, currency: Currency): string {
  return amount === 0 ? 'Free' : formatMoney(amount, currency)
}

/** Formats an amount as "1,23,456.50", for a column whose heading or total shows the symbol. */
export function formatAmount(amount: Amount, currency: Currency): string {
  const [integerPart = '', decimals = ''] = formatPlainAmount(
    toAmount(Math.abs(amount)),
    currency,
  ).split('.')
  const digits =
    currency === INR ? groupDigits(integerPart) : integerPart.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return `${amount < 0 ? '−' : ''}${digits}${/^0*$/.test(decimals) ? '' : `.${decimals}`}`
}

/** Formats a non-negative count: "1,30,000". */
export function formatCount(count: number): string {
  assert(Number.isSafeInteger(count) && count >= 0, `${count} is not a count`)
  return groupDigits(String(count))
}

/** Groups digits the Indian way: the last three, then pairs. */
function groupDigits(digits: string): string {
  return digits.length > 3
    ? `${digits.slice(0, -3).replace(/\B(?=(\d\d)+$)/g, ',')},${digits.slice(-3)}`
    : digits
}

/**
 * Formats the tax rates of several lines for a label, highest first: "18%", "18% and 5%". Empty if
 * nothing is taxed.
 */
export function formatRates(rates: readonly (number | null | undefined)[]): string {
  const texts = [...new Set(rates)]
    .filter((rate) => rate != null && rate > 0)
    .sort((a, b) => Number(b) - Number(a))
    .map((rate) => `${rate}%`)
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`
}

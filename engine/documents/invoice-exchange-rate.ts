/**
 * Computes the rupee value of a tax document in another currency.
 *
 * CGST Rules, rule 34: the exchange rate at the time of supply. Tax returns state amounts in rupees only.
 */
import { getDecimals, INR, toAmount, type Amount, type Currency } from '../lib/money.ts'
import type { Day } from '../lib/time.ts'
import type { RateSummary } from '../pricing/invoice-tax.ts'

/** Rupees for one unit of the currency, such as "83.4125", with the date and source of the rate. */
export type ExchangeRate = { readonly rate: string; readonly day: Day; readonly source: string }

/** The amounts of a document in paise, converted at one rate. The parts add up to the total. */
export type RupeeValue = ExchangeRate & {
  readonly taxable: Amount
  readonly cgst: Amount
  readonly sgst: Amount
  readonly igst: Amount
  /** The paisa that is left over if the tax cannot be halved. */
  readonly roundOff: Amount
  readonly untaxed: Amount
  readonly total: Amount
}

/** Rates are published on working days only, so the newest rate within this many days applies. */
export const MAX_RATE_AGE_DAYS = 7

const RATE_DECIMALS = 6

/** Reads a rate in rupees with at most six decimal places; null for anything else, and for zero. */
export function readRate(text: string): string | null {
  const rate = text.trim()
  return /^(?:0|[1-9]\d{0,6})(?:\.\d{1,6})?$/.test(rate) && Number(rate) > 0 ? rate : null
}

/** Converts minor units of a currency to paise; half a paisa is rounded up. */
export function toRupees(amount: Amount, currency: Currency, rate: string): Amount {
  const [whole = '', fraction = ''] = rate.split('.')
  const scaledRate = BigInt(whole + fraction.padEnd(RATE_DECIMALS, '0'))
  const divisor = 10n ** BigInt(RATE_DECIMALS + getDecimals(currency) - getDecimals(INR))
  const [scaled, sign] = [BigInt(Math.abs(amount)) * scaledRate, amount < 0 ? -1 : 1]
  return toAmount(sign * Number((2n * scaled + divisor) / (2n * divisor)))
}

/** The parts of a document to convert. */
type ConvertibleParts = {
  readonly byRate?: readonly RateSummary[]
  readonly base: Amount
  readonly currency?: Currency
}

const PART_NAMES = ['taxable', 'halved', 'igst', 'untaxed'] as const
/** `halved`: the tax that is split equally between CGST and SGST. */
type Parts = Readonly<Record<(typeof PART_NAMES)[number], number>>

/** Returns the parts of a document in its own currency. */
function computeParts({ byRate = [], base }: ConvertibleParts): Parts {
  const sum = (of: (row: RateSummary) => number): number =>
    byRate.reduce((total, row) => total + of(row), 0)
  const taxable = sum((row) => row.taxable)
  return {
    taxable,
    halved: sum(({ cgst, sgst, roundOff }) => cgst + sgst + roundOff),
    igst: sum((row) => row.igst),
    untaxed: base - taxable,
  }
}

/** Sums one part of several values in rupees. */
const sumRupees = (
  values: readonly RupeeValue[],
  getAmount: (value: RupeeValue) => number,
): number => values.reduce((sum, value) => sum + getAmount(value), 0)

/**
 * Returns the value of a document in rupees. `earlierCreditNotes`: the existing credit notes of its invoice. Credit
 * notes are converted together, so that credit notes for a whole invoice add up to its value. The tax is halved
 * after conversion, because it is paid in rupees.
 */
export function computeRupeeValue(
  body: ConvertibleParts,
  { rate, day, source }: ExchangeRate,
  earlierCreditNotes: readonly (ConvertibleParts & { readonly rupees?: RupeeValue })[] = [],
): RupeeValue {
  const currency = body.currency ?? INR
  const [ownParts, earlierParts] = [computeParts(body), earlierCreditNotes.map(computeParts)]
  const values = earlierCreditNotes.flatMap(({ rupees }) => rupees ?? [])
  const convertAll = (part: (typeof PART_NAMES)[number]): number =>
    toRupees(
      toAmount(earlierParts.reduce((sum, parts) => sum + parts[part], ownParts[part])),
      currency,
      rate,
    )
  const taxable = convertAll('taxable') - sumRupees(values, (value) => value.taxable)
  const igst = convertAll('igst') - sumRupees(values, (value) => value.igst)
  const untaxed = convertAll('untaxed') - sumRupees(values, (value) => value.untaxed)
  const allHalved = convertAll('halved')
  const halved = allHalved - sumRupees(values, ({ cgst, sgst, roundOff }) => cgst + sgst + roundOff)
  const half = Math.floor(allHalved / 2) - sumRupees(values, ({ cgst }) => cgst)
  return {
    rate,
    day,
    source,
    taxable: toAmount(taxable),
    cgst: toAmount(half),
    sgst: toAmount(half),
    igst: toAmount(igst),
    roundOff: toAmount(halved - 2 * half),
    untaxed: toAmount(untaxed),
    total: toAmount(taxable + halved + igst + untaxed),
  }
}

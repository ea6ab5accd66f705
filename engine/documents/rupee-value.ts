/**
 * The value in rupees of a tax document in another currency (CGST Rules, rule 34: the rate of exchange at the time of
 * supply). Returns and the tax authority know amounts in rupees only.
 */
import { decimalsOf, INR, toAmount, type Amount, type Currency } from '../lib/money.ts'
import type { Day } from '../lib/time.ts'
import type { RateSummary } from '../pricing/invoice-tax.ts'

/** Rupees for one unit of the currency, such as "83.4125", with the day and the source of the rate. */
export type ExchangeRate = { readonly rate: string; readonly day: Day; readonly source: string }

/** The amounts of a document in paise, at one rate. The parts add up to the total. */
export type RupeeValue = ExchangeRate & Readonly<Record<Part, Amount>> & { readonly total: Amount }

const PARTS = ['taxable', 'cgst', 'sgst', 'igst', 'roundOff', 'untaxed'] as const
type Part = (typeof PARTS)[number]

/** A rate is published on working days only: the newest of this many days before applies. */
export const RATE_DAYS_MAX = 7

const RATE_DECIMALS = 6

/** Reads a rate in rupees with at most six decimals; null for anything else, and for zero. */
export function readRate(text: string): string | null {
  const rate = text.trim()
  return /^(?:0|[1-9]\d{0,6})(?:\.\d{1,6})?$/.test(rate) && Number(rate) > 0 ? rate : null
}

/** Converts minor units of a currency to paise; half a paisa is rounded up. */
export function toRupees(amount: Amount, currency: Currency, rate: string): Amount {
  const [whole = '', fraction = ''] = rate.split('.')
  const scaledRate = BigInt(whole + fraction.padEnd(RATE_DECIMALS, '0'))
  const divisor = 10n ** BigInt(RATE_DECIMALS + decimalsOf(currency) - decimalsOf(INR))
  const [scaled, sign] = [BigInt(Math.abs(amount)) * scaledRate, amount < 0 ? -1 : 1]
  return toAmount(sign * Number((2n * scaled + divisor) / (2n * divisor)))
}

/** What is converted of a document. */
type Convertible = {
  readonly byRate?: readonly RateSummary[]
  readonly base: Amount
  readonly currency?: Currency
}

/** The parts of a document in its own currency. */
function partsOf({ byRate = [], base }: Convertible): Record<Part, number> {
  const sum = (part: Exclude<Part, 'untaxed'>): number =>
    byRate.reduce((total, row) => total + row[part], 0)
  const taxable = sum('taxable')
  return {
    taxable,
    cgst: sum('cgst'),
    sgst: sum('sgst'),
    igst: sum('igst'),
    roundOff: sum('roundOff'),
    untaxed: base - taxable,
  }
}

/**
 * Returns the value of a document in rupees. `earlier`: the credit notes that its invoice already has. Credit notes are
 * converted together, so that those of a whole invoice add up to its value.
 */
export function rupeeValue(
  body: Convertible,
  { rate, day, source }: ExchangeRate,
  earlier: readonly (Convertible & { readonly rupees?: RupeeValue })[] = [],
): RupeeValue {
  const currency = body.currency ?? INR
  const own = partsOf(body)
  const before = earlier.map(partsOf)
  const convert = (part: Part): Amount => {
    const all = before.reduce((sum, parts) => sum + parts[part], own[part])
    const converted = earlier.reduce((sum, { rupees }) => sum + (rupees?.[part] ?? 0), 0)
    return toAmount(toRupees(toAmount(all), currency, rate) - converted)
  }
  const parts = Object.fromEntries(PARTS.map((part) => [part, convert(part)])) as Record<
    Part,
    Amount
  >
  return {
    rate,
    day,
    source,
    ...parts,
    total: toAmount(PARTS.reduce((sum, part) => sum + parts[part], 0)),
  }
}

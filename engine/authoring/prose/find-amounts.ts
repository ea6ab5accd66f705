/** Finds amounts of money in texts ("Rs. 1,500/-", "€ 150") and whether a delegate pays them. */
import { getDecimals, INR, readAmount, type Currency, type Amount } from '../../lib/money.ts'
import { memoize } from '../../lib/memoize.ts'
import { toPlainDigits } from '../suggestions/amount-notations.ts'
import {
  findCurrencyOfSign,
  listCurrencySigns,
  RUPEE_SIGN,
} from '../suggestions/currency-notations.ts'
import { findStatement } from './subject-of-day.ts'
import { findMatches } from './pattern-matches.ts'

export type StatedAmount = {
  readonly amount: Amount
  /** The currency of the sign next to it; without a sign, the event's currency. */
  readonly currency: Currency
  readonly start: number
  readonly end: number
  /** The statement around the amount, and its parts before and after the amount. */
  readonly textBefore: string
  readonly textAfter: string
}

const FIGURE_PATTERN = '\\d{1,3}(?:,\\d{2,3})+(?:\\.\\d{1,2})?|\\d+(?:\\.\\d{1,2})?'
/** In other countries, a thousand may be written 1.000 or 1 000, and decimals follow a comma. */
const FOREIGN_FIGURE_PATTERN =
  '\\d{1,3}(?:[. \\u00a0\\u202f]\\d{3})+(?:,\\d{1,2})?(?!\\d)|\\d{1,3}(?:,\\d{3})+(?:\\.\\d{1,3})?|\\d+,\\d{2}(?!\\d)|\\d+(?:\\.\\d{1,3})?'
const SCALE_SUFFIX = '(?:\\s*(k|thousand|la[ck]hs?|lakh)\\b)?'
const RUPEE_SUFFIX = '(?:/-|/=|\\s*(?:rs\\b|inr\\b|rupees\\b|₹))'
const PER_PERSON_SUFFIX =
  '(?:extra|only|each|per (?:person|head|delegate|couple|participant|member|student|day|night|plate|ticket|seat)|fees?|charges?|additional|more)'
const RUPEES_BEFORE = new RegExp(
  `${RUPEE_SIGN}\\s*[:.]?\\s*(${FIGURE_PATTERN})${SCALE_SUFFIX}`,
  'gi',
)
const RUPEES_AFTER = new RegExp(
  `(?<![\\d.,/-])(${FIGURE_PATTERN})${SCALE_SUFFIX}${RUPEE_SUFFIX}`,
  'gi',
)
/**
 * A bare number is an amount if a word for money is next to it, or if it is in brackets with a
 * plus.
 */
const BARE_AMOUNT_PATTERNS: readonly RegExp[] = [
  new RegExp(
    `(?<![\\d.,/:#-])(\\d{3,6}|\\d{1,3}(?:,\\d{2,3})+)()(?=\\s*${PER_PERSON_SUFFIX}\\b)`,
    'gi',
  ),
  new RegExp(
    `(?:@|\\+|\\b(?:fees?|charges?|price|cost|costs|pay)\\b\\s*(?:is|of|:|-|–)?)\\s*(\\d{3,6}|\\d{1,3}(?:,\\d{2,3})+)()(?![\\d.,%:/-]|\\s*(?:seats?|words|people|delegates|participants|km|mm|min|hours?|am|pm))`,
    'gi',
  ),
]
/**
 * "The fee of 2022", "fees 2025", "the 2025 fee", "for 2025 only": a bare number that can be a year
 * is not a price. After a verb ("pay 2025", "the fee is 2025") and before a unit ("2025 per
 * person") it is an amount.
 */
const YEAR_PATTERN = '20(?:0[1-9]|[1-4]\\d)'
const YEAR_AFTER_WORD = new RegExp(
  `\\b(?:(?:of|for|in)\\s*:?|(?:fees?|charges?|price|cost|costs)\\s*[:–-]?)\\s*${YEAR_PATTERN}$`,
  'i',
)
const ONLY_YEAR = new RegExp(`^${YEAR_PATTERN}$`)
const isYear = (matchedText: string, following: string): boolean =>
  YEAR_AFTER_WORD.test(matchedText) ||
  (ONLY_YEAR.test(matchedText) && /^\s*(?:fees?|charges?|only|additional|more)\b/i.test(following))
const FACTOR_BY_SCALE: readonly (readonly [RegExp, number])[] = [
  [/^(?:k|thousand)$/i, 1000],
  [/^la[ck]h?s?$|^lakh$/i, 100_000],
]

/**
 * Returns patterns, each with the currency of its sign. Signs before an amount come first: in "Rs. 500, $10" the dollar
 * sign belongs to 10.
 */
const buildPatterns = memoize((eventCurrency: Currency) => {
  const foreignSigns = `(?<sign>${listCurrencySigns(eventCurrency)
    .map(({ pattern }) => pattern)
    .join('|')})`
  const before = new RegExp(
    `${foreignSigns}\\s*[:.]?\\s*(?<figure>${FOREIGN_FIGURE_PATTERN})`,
    'giu',
  )
  const after = new RegExp(
    `(?<![\\d.,/-])(?<figure>${FOREIGN_FIGURE_PATTERN})[\\s\\u00a0]*${foreignSigns}`,
    'giu',
  )
  // "5000/-" is a notation for rupees without the name of a currency.
  const isRupees = (found: string): boolean => eventCurrency === INR || !/\/[-=]$/.test(found)
  return [
    ...(eventCurrency === INR ? [] : [before]),
    RUPEES_BEFORE,
    ...(eventCurrency === INR ? [before] : []),
    ...(eventCurrency === INR ? [] : [after]),
    RUPEES_AFTER,
    ...(eventCurrency === INR ? [after] : []),
    ...BARE_AMOUNT_PATTERNS,
  ].map((pattern) => ({
    pattern,
    getCurrency: (found: RegExpMatchArray): Currency =>
      found.groups?.sign !== undefined
        ? (findCurrencyOfSign(found.groups.sign, eventCurrency) ?? eventCurrency)
        : !BARE_AMOUNT_PATTERNS.includes(pattern) && isRupees(found[0])
          ? INR
          : eventCurrency,
  }))
})

/** Returns the amounts in a string, in order. */
export function findAmounts(text: string, eventCurrency: Currency): readonly StatedAmount[] {
  if (!/\p{N}/u.test(text)) return []
  const plain = [...text].length === text.length ? toPlainDigits(text) : text
  // Converting full-width letters may lengthen the text and shift positions; in that case, the
  // original is read.
  const readable = plain.length === text.length ? plain : text
  if (!/\d/.test(readable)) return []
  const amounts: StatedAmount[] = []
  for (const { pattern, getCurrency: currencyOf } of buildPatterns(eventCurrency))
    for (const match of findMatches(readable, pattern)) {
      const [start, end] = [match.index, match.index + match[0].length]
      if (amounts.some((candidate) => candidate.start < end && start < candidate.end)) continue
      const currency = currencyOf(match)
      const isForeignNotation = match.groups?.figure !== undefined
      const factor = isForeignNotation
        ? 1
        : (FACTOR_BY_SCALE.find(([name]) => name.test(match[2] ?? ''))?.[1] ?? 1)
      const figure = isForeignNotation
        ? toPlainFigure(match.groups?.figure ?? '', currency)
        : (match[1] ?? '').replaceAll(',', '')
      const amount = readAmount(figure, currency)
      if (amount === null || amount === 0) continue
      const { left: textBefore, right: textAfter } = findStatement(readable, { start, end })
      if (BARE_AMOUNT_PATTERNS.includes(pattern) && isYear(match[0], readable.slice(end))) continue
      amounts.push({
        amount: (amount * factor) as Amount,
        currency,
        start,
        end,
        textBefore,
        textAfter,
      })
    }
  return amounts.toSorted((a, b) => a.start - b.start)
}

const SIGNED_RUPEES = /(?:₹|\brs\.?|\binr)\s*(\d[\d,]*(?:\.\d\d?)?)/gi

/**
 * Returns the amounts in a statement that are in the event's currency. For rupees, returns only amounts after a sign.
 */
export const findSignedAmounts = (statement: string, currency: Currency): readonly Amount[] =>
  currency === INR
    ? findMatches(statement, SIGNED_RUPEES).flatMap(
        (match) => readAmount((match[1] ?? '').replaceAll(',', ''), INR) ?? [],
      )
    : findAmounts(statement, currency).flatMap((stated) =>
        stated.currency === currency ? [stated.amount] : [],
      )

/** Reads "1.250,00", "1 250" and "1,250.00" as "1250.00"; three decimals belong to currencies that have them. */
function toPlainFigure(text: string, currency: Currency): string {
  const figure = text.replaceAll(/[\s\u00a0\u202f]/g, '')
  if (/^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(figure) && getDecimals(currency) !== 3)
    return figure.replaceAll('.', '').replace(',', '.')
  return /^\d+,\d{1,2}$/.test(figure) ? figure.replace(',', '.') : figure.replaceAll(',', '')
}

/** Words for money that is not charged by the registration, or that is paid to others. */
const OTHER_MONEY_WORDS =
  /\b(?:hotels?|rooms?|accommodations?|lodging|stay|guest ?house|dormitory|tours?|travel|taxi|cab|flights?|trains?|stalls?|sponsor\w*|exhibit\w*|advertis\w*|prizes?|awards?|cash|grants?|scholarships?|fellowships?|stipends?|refund\w*|cancel\w*|deduct\w*|worth|save[sd]?|saving|discounts?|rebate|off|concession of|less|penalty|fine|bank|transaction|gateway|convenience|processing|courier|postage|dd|cheque|neft|income|salary|turnover|budget|earn\w*|donat\w*|contribut\w*|deposit|insurance|late fee|for example|e\.g|raised|collected|kept|retained|forfeit\w*|crore|exchange|museums?|zoo|monuments?|last year|previous)\b/i
/** Words for money that is paid separately from the registration. */
const PAID_ELSEWHERE_WORDS =
  /\b(?:(?:paid|payable|pay|collected|charged|settled?|billed)\s+(?:\w+\s+){0,3}?(?:at|on|to|directly|separately|in cash|by|with)\b|(?:at|on) the (?:venue|spot|desk|hotel|counter|day)|at the desk|on[- ]?site|separately|directly)/i

/** Words before a limit that is not a price: "Goods above Rs. 50,000". */
const THRESHOLD_WORDS =
  /\b(?:above|below|over|under|exceeding|exceeds?|(?:more|less|greater|not less|not more) than|up ?to)\s*$/i

/** Returns true if a delegate would expect the total to include the amount. */
export function isPayableAmount({ textBefore, textAfter }: StatedAmount, heading: string): boolean {
  const surroundings = `${heading} ${textBefore} ${textAfter}`
  return (
    !OTHER_MONEY_WORDS.test(surroundings) &&
    !PAID_ELSEWHERE_WORDS.test(surroundings) &&
    !THRESHOLD_WORDS.test(textBefore)
  )
}

/** Recognises amounts in everyday notation ("Rs. 5,000/-", "५०००", "5k", "free") and suggests digits. */
import { formatCurrency, getDecimals, INR, type Currency } from '../../lib/money.ts'
import { buildOwnSignPattern } from './currency-notations.ts'

/** The meaning of a string used as a price: one or more amounts, or a word instead of an amount. */
export type AmountSuggestion =
  | { readonly is: 'rupees'; readonly rupees: string }
  | { readonly is: 'several'; readonly rupees: readonly string[] }
  | { readonly is: 'with-tax'; readonly rupees: string }
  | { readonly is: 'free' | 'not-on-sale' | 'not-known-yet' | 'as-above' | 'other-currency' }

/** The digit zero of each script whose digits are used in India. The other nine digits follow it. */
const ZERO_DIGITS = [
  0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66,
]

/** Replaces digits and signs of every script with their ASCII equivalents: "५०००" → "5000". */
export function toPlainDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    const zero = ZERO_DIGITS.find((first) => code >= first && code <= first + 9)
    return zero === undefined ? digit : String(code - zero)
  })
}

const FREE_WORDS =
  /^(free|included|nil+|zero|gratis|comp\.?|comped|compl\.?|compliment[ae]ry|waived?( off)?|exempt(ed|ion)?|foc|nothing|no (fees?|charges?|cost)|free of (cost|charge)|not charged)$/
const NOT_ON_SALE_WORDS =
  /^([-–—−_.x✗×]+|n\.? ?\/? ?a\.?|not (applicable|available|on sale|allowed|offered|open|possible)|closed|sold out|no|none|null|blank|empty|unavailable|over|ended|void)$/
const UNKNOWN_AMOUNT =
  /^(t\.?b\.?[acdn]\.?|to be \w+|\?+|x{2,}|pending|later|soon|to come|coming soon|not (yet )?(decided|known|fixed)|undecided|on request|ask us|contact us?|decide later|will be \w+)$/
const AS_ABOVE_WORDS = /^(same|same as .*|as above|ditto|do|-do-|["'”〃]+|idem)$/
const OTHER_CURRENCY =
  /^([$€£¥]|usd|us\$|eur|gbp|aed|dollars?)\s*\d|\d\s*([$€£¥]|usd|eur|gbp|aed|dollars?|euros?)$/
const RUPEE_PREFIX =
  /^(rs|inr|₹|rupees?|re|रु|रू|रुपये|രൂപ|ரூ|रु॰|amount|price|fees?|@|=)[.:]?\s*[.:]?\s*/
const RUPEE_SUFFIX =
  /\s*(\/?\s*[-–—=]+|\/|rs\.?|inr|₹|rupees?|रुपये|രൂപ|only|each|nett?|per (person|head|delegate|day)|p\.?p\.?|approx\.?|[*†#;:,.!]+)$/

/** Returns what a text written as a price in this currency means; null if it does not look like a price. */
export function suggestAmount(text: string, currency = INR): AmountSuggestion | null {
  const amountText = toPlainDigits(removeQuotes(text))
    .replace(/[*_~`]{1,2}(.+?)[*_~`]{1,2}/g, '$1')
    .trim()
    .toLowerCase()
  const unwrapped = amountText.replace(/^\((.*)\)$/, '$1').trim()
  const unsigned = currency === INR ? unwrapped : removeSign(unwrapped, currency)
  if (FREE_WORDS.test(unsigned)) return { is: 'free' }
  if (UNKNOWN_AMOUNT.test(unsigned)) return { is: 'not-known-yet' }
  if (NOT_ON_SALE_WORDS.test(unsigned)) return { is: 'not-on-sale' }
  if (AS_ABOVE_WORDS.test(unsigned)) return { is: 'as-above' }
  if (OTHER_CURRENCY.test(unsigned) || (currency !== INR && RUPEE_SIGN.test(unsigned)))
    return { is: 'other-currency' }
  const amount = readRupees(unsigned, currency)
  if (amount !== null) return { is: 'rupees', rupees: amount }
  const taxMatch =
    /^(.*?\d.*?)\s*(?:\+|plus|with|\(?\s*(?:incl|excl|inclusive|including|all|gst|tax))[^\d]*(?:\d+\s*%)?.*$/.exec(
      unsigned,
    )
  if (taxMatch !== null && /gst|tax|%|incl|excl/.test(unsigned)) {
    const rupees = readRupees(taxMatch[1] ?? '', currency)
    if (rupees !== null) return { is: 'with-tax', rupees }
  }
  const parts = unsigned
    .split(/\s*[;|/&、]\s*|,(?=\d{4})|\s+(?:or|to|and)\s+|\s*[–—-]\s*|\s+|,\s+/)
    .filter((part) => part !== '' && !/^(rs\.?|inr|₹)$/.test(part))
    .map((part) => readRupees(currency === INR ? part : removeSign(part, currency), currency))
  const amounts = parts.filter((part) => part !== null)
  return amounts.length > 1 && amounts.length === parts.length
    ? { is: 'several', rupees: amounts }
    : null
}

const RUPEE_SIGN = /₹|\b(?:rs|inr|rupees?)\b/
/** Removes the currency's own sign before or after an amount. */
function removeSign(text: string, currency: Currency): string {
  const sign = buildOwnSignPattern(currency)
  return text
    .replace(new RegExp(`^(?:${sign})\\s*[:.]?\\s*(?=\\d)|(?<=\\d)\\s*(?:${sign})$`, 'iu'), '')
    .trim()
}

/** Reads "Rs. 5,000/-" as "5000". Returns null if the text is not a single amount. */
function readRupees(text: string, currency = INR): string | null {
  let rest = text.trim()
  for (let previous = ''; previous !== rest;) {
    previous = rest
    rest = rest.replace(RUPEE_PREFIX, '').replace(RUPEE_SUFFIX, '').trim()
  }
  // "2l" is two lakh; in "200l" the l is a misread or mistyped 1.
  if (/\d/.test(rest) && /^[\doil|,. ]+$/.test(rest) && !/^\d{1,2}(\.\d+)?l$/.test(rest))
    rest = rest.replaceAll('o', '0').replace(/[il|]/g, '1')
  const scaleMatch = /^([\d.,]+)\s*(k|thousand|hazaa?r|hundred|l|la[ck]h?s?|cr|crores?)$/.exec(rest)
  if (scaleMatch !== null) return multiplyByScale(scaleMatch[1] ?? '', scaleMatch[2] ?? '')
  // 5.000 is five thousand in some countries; no Indian amount has three decimals.
  const decimals = getDecimals(currency)
  if (decimals < 3 && /^\d{1,3}(\.\d{3})+(,\d{1,2})?$/.test(rest))
    return rest.replaceAll('.', '').replace(',', '.').replace(/\.0+$/, '')
  // A comma before two decimals: "390,00". In rupees it may also be a mistake for 3,900 or 39,000.
  if (currency !== INR && decimals === 2 && /^\d{1,3}( ?\d{3})*,\d{2}$/.test(rest))
    return rest.replaceAll(' ', '').replace(',', '.').replace(/\.0+$/, '')
  const fraction = decimals === 0 ? '' : `(\\.\\d{1,${decimals}})?`
  if (
    new RegExp(`^\\d{1,3}([ ,'’_]\\d{2,3})*[ ,'’_]\\d{3}${fraction}$`).test(rest) ||
    new RegExp(`^\\d+${fraction}$`).test(rest)
  )
    return rest.replace(/[ ,'’_]/g, '').replace(/\.0+$/, '')
  return readNumberWords(rest)
}

const SCALE_FACTORS: readonly (readonly [RegExp, number])[] = [
  [/^hundred$/, 100],
  [/^(k|thousand|hazaa?r)$/, 1000],
  [/^(l|la[ck]h?s?)$/, 100_000],
  [/^(cr|crores?)$/, 10_000_000],
]
function multiplyByScale(figure: string, scale: string): string | null {
  const factor = SCALE_FACTORS.find(([name]) => name.test(scale))?.[1]
  const number = Number(figure.replaceAll(',', ''))
  if (factor === undefined || !Number.isFinite(number)) return null
  // In floating-point arithmetic, the product for 1.15 lakh is not exact.
  return String(Math.round(number * factor * 100) / 100)
}

const SMALL_NUMBER_WORDS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS_WORDS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

/** Reads "five thousand five hundred" as "5500". */
function readNumberWords(text: string): string | null {
  const names = text.split(/[\s-]+/).filter((word) => word !== 'and' && word !== '')
  if (names.length === 0) return null
  let sum = 0
  let part = 0
  for (const name of names) {
    const small = SMALL_NUMBER_WORDS.indexOf(name)
    const tens = TENS_WORDS.indexOf(name)
    const scale = SCALE_FACTORS.find(([pattern]) => name.length > 2 && pattern.test(name))?.[1]
    if (small >= 0) part += small
    else if (tens >= 0) part += (tens + 2) * 10
    else if (scale === 100) part = Math.max(1, part) * 100
    else if (scale !== undefined) {
      sum += Math.max(1, part) * scale
      part = 0
    } else return null
  }
  return String(sum + part)
}

/** Returns the notation of a cell of a price table: digits, `free` or `none`; unchanged if its meaning is not clear. */
export function suggestPriceCell(cell: string, currency: Currency): string {
  const suggestion = suggestAmount(cell, currency)
  switch (suggestion?.is) {
    case 'rupees':
      return suggestion.rupees
    case 'free':
      return 'free'
    case 'not-on-sale':
      return 'none'
    default:
      return cell
  }
}

/** Returns the help for an invalid price; null if its meaning is not recognised. */
export function explainPrice(text: string, currency = INR): string | null {
  const suggestion = suggestAmount(text, currency)
  switch (suggestion?.is) {
    case 'rupees':
      return `write ${suggestion.rupees}`
    case 'several':
      return `write ${suggestion.rupees.join(', ')}: one price per period, separated by commas`
    case 'with-tax':
      return `write ${suggestion.rupees}; whether prices include tax is set once, in fees.tax.prices`
    case 'free':
      return /^\s*["'“”‘’]?free["'“”‘’]?\s*$/i.test(text)
        ? 'write `free`'
        : 'write `free` if it costs nothing, or `none` if it is not on sale in that period'
    case 'not-on-sale':
      return 'write `none` if it is not on sale in that period, or `free` if it costs nothing'
    case 'not-known-yet':
      return 'write a placeholder amount, such as 1000, and list fees.prices under demo:'
    case 'as-above':
      return 'write the amount itself, in digits'
    case 'other-currency':
      return `write the amount in ${formatCurrency(currency)}, digits only`
    default:
      return null
  }
}

const DECIMALS_PHRASES = [
  'without decimals',
  'with at most one decimal',
  'with at most two decimals',
]

/** Returns the message and the help for an amount with too many decimals or invalid characters. */
export function explainAmount(
  text: string,
  currency: Currency,
): { readonly message: string; readonly help: string } {
  if (currency !== INR)
    return {
      message: `\`${text}\` is not a valid amount in ${currency}`,
      help: `write digits only, ${DECIMALS_PHRASES[getDecimals(currency)] ?? 'with at most three decimals'}`,
    }
  return {
    message: `\`${text}\` is not a valid amount in rupees and paise`,
    help:
      suggestAmount(text)?.is === 'rupees'
        ? `${explainPrice(text) ?? ''}, in digits only; paise are two digits after a decimal point`
        : 'write digits only, with at most two decimals',
  }
}

/** Extracts the number from "18 %", "5 MB", "५". Returns null if the text does not contain exactly one number. */
export function suggestNumber(text: string): string | null {
  const numberText = toPlainDigits(removeQuotes(text)).replace(
    // Replaces letters that look like digits if they are next to digits.
    /^(?=.*\d)[\dOolI]+$/,
    (all) => all.replace(/[Oo]/g, '0').replace(/[lI]/g, '1'),
  )
  const numberMatch = /^[^\d.-]*([-+]?[\d, ]*\.?\d+)\s*[^\d]*$/.exec(numberText.trim())
  const digits = numberMatch?.[1]?.replace(/[, +]/g, '')
  if (digits !== undefined && digits !== '') return digits
  return suggestAmount(text)?.is === 'rupees'
    ? readRupees(numberText.toLowerCase())
    : readNumberWords(numberText.trim().toLowerCase())
}

/** Removes any kind of quotes around a string. */
export function removeQuotes(text: string): string {
  return text.trim().replace(/^["'“”„‟«‹»›‘’‚‛´`″‶]+(.*?)["'“”„‟»›«‹’‘‚‛´`″‶]+$/su, '$1')
}

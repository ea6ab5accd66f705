/** Writes an amount in English words, as invoices require: rupees with lakh and crore. */
import { assert } from '../lib/result.ts'
import { spellCurrency, INR, toMajorAndMinor, type Currency, type Amount } from '../lib/money.ts'

/** Indexed by number. */
export const ONES_WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
]
const TENS_WORDS = [
  '',
  '',
  'twenty',
  'thirty',
  'forty',
  'fifty',
  'sixty',
  'seventy',
  'eighty',
  'ninety',
]
type Scales = readonly (readonly [number, string])[]
const INDIAN_SCALES: Scales = [
  [10_000_000, 'crore'],
  [100_000, 'lakh'],
  [1_000, 'thousand'],
  [100, 'hundred'],
]
const WESTERN_SCALES: Scales = [
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1_000, 'thousand'],
  [100, 'hundred'],
]

/** Writes a whole, non-negative number in words: 107080 → "one lakh seven thousand eighty". */
function spellNumber(count: number, scales: Scales = INDIAN_SCALES): string {
  if (count < 20) return ONES_WORDS[count] ?? ''
  if (count < 100) {
    const remainder = count % 10
    return `${TENS_WORDS[Math.floor(count / 10)]}${remainder === 0 ? '' : `-${ONES_WORDS[remainder]}`}`
  }
  for (const [scale, word] of scales) {
    if (count < scale) continue
    const remainder = count % scale
    return `${spellNumber(Math.floor(count / scale), scales)} ${word}${remainder === 0 ? '' : ` ${spellNumber(remainder, scales)}`}`
  }
  return ''
}

/**
 * Writes a non-negative amount: "Rupees seven thousand eighty and fifty paise only"; in other
 * currencies "One hundred fifty euros and 50/100 only".
 */
export function spellAmount(amount: Amount, currency: Currency): string {
  assert(amount >= 0, 'the amount must not be negative')
  const { major, minor: remainder, minorPerMajor } = toMajorAndMinor(amount, currency)
  if (currency !== INR) {
    const words = spellNumber(major, WESTERN_SCALES)
    const part = remainder === 0 ? '' : ` and ${remainder}/${minorPerMajor}`
    return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${spellCurrency(major, currency)}${part} only`
  }
  const paiseText = remainder === 0 ? '' : `${spellNumber(remainder)} paise`
  if (major === 0 && remainder > 0)
    return `${paiseText.charAt(0).toUpperCase()}${paiseText.slice(1)} only`
  return `Rupees ${spellNumber(major)}${paiseText === '' ? '' : ` and ${paiseText}`} only`
}

/** Writes an amount in Indian English words, with lakh and crore, as invoices require. */
import { assert } from '../lib/result.ts'
import type { Paise } from '../lib/money.ts'

const ONES = [
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
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const SCALES = [
  [10_000_000, 'crore'],
  [100_000, 'lakh'],
  [1_000, 'thousand'],
  [100, 'hundred'],
] as const

/** Writes a whole, non-negative number in words: 107080 → "one lakh seven thousand eighty". */
function numberInWords(count: number): string {
  if (count < 20) return ONES[count] ?? ''
  if (count < 100) {
    const remainder = count % 10
    return `${TENS[Math.floor(count / 10)]}${remainder === 0 ? '' : `-${ONES[remainder]}`}`
  }
  for (const [scale, word] of SCALES) {
    if (count < scale) continue
    const remainder = count % scale
    return `${numberInWords(Math.floor(count / scale))} ${word}${remainder === 0 ? '' : ` ${numberInWords(remainder)}`}`
  }
  return ''
}

/** Writes an amount as "Rupees seven thousand eighty and fifty paise only"; not negative. */
export function amountInWords(amount: Paise): string {
  assert(amount >= 0, 'an amount below nothing has no words')
  const [rupees, remainder] = [Math.floor(amount / 100), amount % 100]
  const paiseText = remainder === 0 ? '' : `${numberInWords(remainder)} paise`
  if (rupees === 0 && remainder > 0)
    return `${paiseText.charAt(0).toUpperCase()}${paiseText.slice(1)} only`
  return `Rupees ${numberInWords(rupees)}${paiseText === '' ? '' : ` and ${paiseText}`} only`
}

/** Finds amounts of money in texts ("Rs. 1,500/-", "1500 per person") and whether a delegate pays them. */
import { INR, readAmount, type Paise } from '../../lib/money.ts'
import { plainDigits } from '../suggestions/amount-notations.ts'
import { findStatement } from './subject-of-day.ts'
import { findMatches } from './pattern-matches.ts'

export type StatedAmount = {
  readonly amount: Paise
  readonly start: number
  readonly end: number
  /** The surrounding statement, and its parts before and after the amount. */
  readonly left: string
  readonly right: string
}

const FIGURE = '\\d{1,3}(?:,\\d{2,3})+(?:\\.\\d{1,2})?|\\d+(?:\\.\\d{1,2})?'
const SCALE = '(?:\\s*(k|thousand|la[ck]hs?|lakh)\\b)?'
const SIGN = '(?:₹|\\brs\\b\\.?|\\binr\\b\\.?|\\brupees\\b|रु\\.?|രൂപ)'
const AFTER = '(?:/-|/=|\\s*(?:rs\\b|inr\\b|rupees\\b|₹))'
const EACH =
  '(?:extra|only|each|per (?:person|head|delegate|couple|participant|member|student|day|night|plate|ticket|seat)|fees?|charges?|additional|more)'
const PATTERNS: readonly RegExp[] = [
  new RegExp(`${SIGN}\\s*[:.]?\\s*(${FIGURE})${SCALE}`, 'gi'),
  new RegExp(`(?<![\\d.,/-])(${FIGURE})${SCALE}${AFTER}`, 'gi'),
  // A bare number is an amount if it is next to a word for one, or in brackets with a plus.
  new RegExp(`(?<![\\d.,/:#-])(\\d{3,6}|\\d{1,3}(?:,\\d{2,3})+)()(?=\\s*${EACH}\\b)`, 'gi'),
  new RegExp(
    `(?:@|\\+|\\b(?:fees?|charges?|price|cost|costs|pay)\\b\\s*(?:is|of|:|-|–)?)\\s*(\\d{3,6}|\\d{1,3}(?:,\\d{2,3})+)()(?![\\d.,%:/-]|\\s*(?:seats?|words|people|delegates|participants|km|mm|min|hours?|am|pm))`,
    'gi',
  ),
]
const FACTORS: readonly (readonly [RegExp, number])[] = [
  [/^(?:k|thousand)$/i, 1000],
  [/^la[ck]h?s?$|^lakh$/i, 100_000],
]

/** Returns every amount of a text, in order. */
export function findAmounts(text: string): readonly StatedAmount[] {
  if (!/\p{N}/u.test(text)) return []
  const plain = [...text].length === text.length ? plainDigits(text) : text
  // Converting a full-width letter may make the text longer; then the original is read.
  const readable = plain.length === text.length ? plain : text
  if (!/\d/.test(readable)) return []
  const found: StatedAmount[] = []
  for (const pattern of PATTERNS)
    for (const match of findMatches(readable, pattern)) {
      const [start, end] = [match.index, match.index + match[0].length]
      if (found.some((candidate) => candidate.start < end && start < candidate.end)) continue
      const factor = FACTORS.find(([name]) => name.test(match[2] ?? ''))?.[1] ?? 1
      const read = readAmount((match[1] ?? '').replaceAll(',', ''), INR)
      if (read === null || read === 0) continue
      const { left, right } = findStatement(readable, { start, end })
      found.push({ amount: (read * factor) as Paise, start, end, left, right })
    }
  return found.toSorted((a, b) => a.start - b.start)
}

/** Money that is not charged for the registration, or paid to others. */
const OF_OTHERS =
  /\b(?:hotels?|rooms?|accommodations?|lodging|stay|guest ?house|dormitory|tours?|travel|taxi|cab|flights?|trains?|stalls?|sponsor\w*|exhibit\w*|advertis\w*|prizes?|awards?|cash|grants?|scholarships?|fellowships?|stipends?|refund\w*|cancel\w*|deduct\w*|worth|save[sd]?|saving|discounts?|rebate|off|concession of|less|penalty|fine|bank|transaction|gateway|convenience|processing|courier|postage|dd|cheque|neft|income|salary|turnover|budget|earn\w*|donat\w*|contribut\w*|deposit|insurance|late fee|for example|e\.g|raised|collected|kept|retained|forfeit\w*|crore|last year|previous)\b/i
/** Money that is paid separately from the registration. */
const PAID_ELSEWHERE =
  /\b(?:(?:paid|payable|pay|collected|charged|settled?|billed)\s+(?:\w+\s+){0,3}?(?:at|on|to|directly|separately|in cash|by|with)\b|(?:at|on) the (?:venue|spot|desk|hotel|counter|day)|at the desk|on[- ]?site|separately|directly)/i

/** Whether a delegate would expect the amount in the total to pay. */
export function isPayableAmount({ left, right }: StatedAmount, heading: string): boolean {
  const around = `${heading} ${left} ${right}`
  return !OF_OTHERS.test(around) && !PAID_ELSEWHERE.test(around)
}

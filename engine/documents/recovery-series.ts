/**
 * Numbers of documents after a restore: the copy does not hold those that were issued since it was made, so that numbers go on in a
 * series of which none can have been issued.
 */
import { SERIAL_CHARACTERS_MAX, serialText } from './document-number.ts'
import type { Instant } from '../lib/time.ts'

/** What tells the series of one recovery from every other: a letter, and three signs of its quarter of an hour. */
const CODE_MS = 15 * 60_000
const CODE_SIGNS = 3
/** Longer than a financial year, within which a number is given once. */
const CODES = 36 ** CODE_SIGNS

/** What is added to the numbers of documents after a restore at that instant; `taken`: what was added after others. */
export function recoveryCode(at: Instant, taken: readonly string[] = []): string {
  for (let quarter = Math.floor(at / CODE_MS); ; quarter += 1) {
    const signs = (quarter % CODES).toString(36).toUpperCase()
    const code = `R${signs.padStart(CODE_SIGNS, '0')}`
    if (!taken.includes(code)) return code
  }
}

/**
 * The pattern of a series that shares no number with `pattern`: with the code behind it; where that is too long, in place of the
 * year; and where that is too long as well, instead of the last signs before `{n}`.
 */
export function seriesAfter(pattern: string, code: string): string {
  const fits = (one: string): boolean =>
    serialText(one, SERIES_MAX, YEAR).length <= SERIAL_CHARACTERS_MAX
  const whole = [`${pattern}-${code}`, `${pattern}${code}`]
  if (pattern.includes('{year}')) whole.push(pattern.replace('{year}', code))
  const found = whole.find(fits)
  if (found !== undefined) return found
  const [head = '', ...tail] = pattern.replaceAll('{year}', '').split('{n}')
  for (let kept = head.length; kept > 0; kept -= 1) {
    const shorter = `${head.slice(0, kept)}{n}${tail.join('{n}')}${code}`
    if (fits(shorter)) return shorter
  }
  return `{n}${code}`
}
/** As many as the checker leaves room for. */
const SERIES_MAX = 9_999
const YEAR = '26-27'

/**
 * What becomes of the emails that were held when a recovery ends: all are sent; only those are that the copy held queued; or none. What
 * was written since is about what happened before the restart, and may have been sent then.
 */
export const HELD_MAILS = ['send', 'copy', 'discard'] as const
export type HeldMails = (typeof HELD_MAILS)[number]
export const isHeldMails = (word: unknown): word is HeldMails =>
  HELD_MAILS.some((one) => one === word)

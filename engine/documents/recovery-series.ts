/**
 * Document numbers after a restore.
 *
 * The restored copy lacks the documents issued since the backup, so numbers continue in a series in
 * which none can have been issued.
 */
import { SERIAL_CHARACTERS_MAX, formatSerial } from './document-number.ts'
import type { Instant } from '../lib/time.ts'

/**
 * The code that distinguishes the series of one recovery from all others: a letter, and three
 * characters for its quarter of an hour.
 */
const CODE_MS = 15 * 60_000
const CODE_SIGNS = 3
/** Longer than a financial year, within which a number is unique. */
const CODES_MAX = 36 ** CODE_SIGNS

/**
 * Returns the code added to document numbers after a restore at that instant; `usedCodes`: the codes of
 * earlier restores.
 */
export function createRecoveryCode(at: Instant, usedCodes: readonly string[] = []): string {
  for (let quarter = Math.floor(at / CODE_MS); ; quarter += 1) {
    const characters = (quarter % CODES_MAX).toString(36).toUpperCase()
    const code = `R${characters.padStart(CODE_SIGNS, '0')}`
    if (!usedCodes.includes(code)) return code
  }
}

/**
 * Returns a series pattern that shares no number with `pattern`: with the code appended; if that is
 * too long, in place of the year; and if that is too long as well, in place of the last characters
 * before `{n}`.
 */
export function buildSeriesAfterRecovery(pattern: string, code: string): string {
  const isShortEnough = (series: string): boolean =>
    formatSerial(series, SERIES_MAX, SAMPLE_YEAR).length <= SERIAL_CHARACTERS_MAX
  const seriesNames = [`${pattern}-${code}`, `${pattern}${code}`]
  if (pattern.includes('{year}')) seriesNames.push(pattern.replace('{year}', code))
  const found = seriesNames.find(isShortEnough)
  if (found !== undefined) return found
  const [head = '', ...tail] = pattern.replaceAll('{year}', '').split('{n}')
  for (let keptLength = head.length; keptLength > 0; keptLength -= 1) {
    const shorter = `${head.slice(0, keptLength)}{n}${tail.join('{n}')}${code}`
    if (isShortEnough(shorter)) return shorter
  }
  return `{n}${code}`
}
/** The highest number for which the checks leave room. */
const SERIES_MAX = 9_999
const SAMPLE_YEAR = '26-27'

/**
 * What happens to the held emails when a recovery ends: all are sent; only those queued in the
 * restored copy are sent; or none. Emails written since are about events before the restore, and
 * may have been sent then.
 */
export const HELD_EMAILS = ['send', 'copy', 'discard'] as const
export type HeldEmails = (typeof HELD_EMAILS)[number]
export const isHeldEmails = (word: unknown): word is HeldEmails =>
  HELD_EMAILS.some((candidate) => candidate === word)

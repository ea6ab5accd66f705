/**
 * Creates document numbers after a restore.
 *
 * Documents issued since the backup are missing from the restored copy. Numbers therefore continue in a series that
 * was never used before.
 */
import { MAX_SERIAL_CHARACTERS, formatSerial } from './document-number.ts'
import type { Instant } from '../lib/time.ts'

/**
 * The code that distinguishes the series of a recovery from all others: a letter, and three
 * characters for the quarter of an hour in which it began.
 */
const CODE_MS = 15 * 60_000
const CODE_CHARACTERS = 3
/**
 * More than the number of quarters of an hour in a financial year. Document numbers are unique within a financial
 * year.
 */
const MAX_RECOVERY_CODES = 36 ** CODE_CHARACTERS

/**
 * Returns the code that is added to document numbers after a restore at that instant. `usedCodes`:
 * the codes of earlier restores.
 */
export function createRecoveryCode(at: Instant, usedCodes: readonly string[] = []): string {
  for (let quarter = Math.floor(at / CODE_MS); ; quarter += 1) {
    const characters = (quarter % MAX_RECOVERY_CODES).toString(36).toUpperCase()
    const code = `R${characters.padStart(CODE_CHARACTERS, '0')}`
    if (!usedCodes.includes(code)) return code
  }
}

/**
 * Returns a series pattern that shares no number with `pattern`. The code is appended; if that is
 * too long, it replaces the year; if that is still too long, it replaces the last characters before
 * `{n}`.
 */
export function buildSeriesAfterRecovery(pattern: string, code: string): string {
  const isShortEnough = (series: string): boolean =>
    formatSerial(series, MAX_SERIAL_NUMBER, SAMPLE_YEAR).length <= MAX_SERIAL_CHARACTERS
  const candidatePatterns = [`${pattern}-${code}`, `${pattern}${code}`]
  if (pattern.includes('{year}')) candidatePatterns.push(pattern.replace('{year}', code))
  const shortPattern = candidatePatterns.find(isShortEnough)
  if (shortPattern !== undefined) return shortPattern
  const [head = '', ...tail] = pattern.replaceAll('{year}', '').split('{n}')
  for (let keptLength = head.length; keptLength > 0; keptLength -= 1) {
    const shorter = `${head.slice(0, keptLength)}{n}${tail.join('{n}')}${code}`
    if (isShortEnough(shorter)) return shorter
  }
  return `{n}${code}`
}
/** The highest serial number that must fit into the length limit. */
const MAX_SERIAL_NUMBER = 9_999
const SAMPLE_YEAR = '26-27'

/**
 * The choices for held emails when a recovery ends: send all; send only those that were queued in the copy; send
 * none. Emails written since the restore concern earlier events and may already have been sent.
 */
export const HELD_EMAILS = ['send', 'copy', 'discard'] as const
export type HeldEmails = (typeof HELD_EMAILS)[number]
export const isHeldEmails = (word: unknown): word is HeldEmails =>
  HELD_EMAILS.some((candidate) => candidate === word)

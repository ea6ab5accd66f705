/** Normalises untrusted text to Unicode NFC in time linear in its length. */

/**
 * The maximum number of consecutive combining marks, as in Unicode's Stream-Safe Text Format (UAX
 * #15); real text has two or three. Normalisation sorts each run of marks in quadratic time: 250 KB
 * of marks blocked the server for nine seconds.
 */
const MAX_CONSECUTIVE_MARKS = 30
const LONG_RUNS = new RegExp(`(\\p{M}{${MAX_CONSECUTIVE_MARKS}})\\p{M}+`, 'gu')

/** Returns the text in well-formed NFC, with at most 30 consecutive marks. Idempotent. */
export function toNfc(text: string): string {
  // Fast path: nearly every text is ASCII, and each answer of a form is normalised.
  if (isAscii(text)) return text
  // Normalisation decomposes some marks, so a run may be longer afterwards.
  return cutLongMarkRuns(cutLongMarkRuns(toWellFormed(text)).normalize('NFC'))
}

export const isAscii = (text: string): boolean => ASCII.test(text)
const ASCII = /^\p{ASCII}*$/u

/**
 * Replaces each unpaired surrogate with U+FFFD, like `toWellFormed`, which needs Chrome 111
 * or Safari 16.4.
 */
export function toWellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd')
}
const LONE_SURROGATE = /\p{Surrogate}/gu

/**
 * Replaces characters that change the writing direction, such as U+202E, with their names. In a text from a bank,
 * they would make an amount or a number appear reversed.
 */
export function showDirectionMarks(text: string): string {
  return text.replace(
    DIRECTION_MARK,
    (mark) => `<U+${mark.charCodeAt(0).toString(16).toUpperCase()}>`,
  )
}
const DIRECTION_MARK = /[\u202a-\u202e\u2066-\u2069]/g

function cutLongMarkRuns(text: string): string {
  return text.replace(LONG_RUNS, '$1')
}

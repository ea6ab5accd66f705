/** Text that a stranger sent, composed as Unicode wants it (NFC) in time that grows only with its length. */

/**
 * So many combining marks may follow each other, as in Unicode's Stream-Safe Text Format (UAX #15); what
 * people write has two or three. Composing sorts each run of marks, in time that grows with the square
 * of its length: a quarter of a megabyte of marks took nine seconds, in which nobody else was answered.
 */
const MARKS_IN_A_ROW_MAX = 30
const LONG_RUNS = new RegExp(`(\\p{M}{${MARKS_IN_A_ROW_MAX}})\\p{M}+`, 'gu')

/** The text well-formed and composed, its runs of marks cut to 30. Doing it twice changes nothing. */
export function composed(text: string): string {
  // Composing takes some marks apart, so a run may be longer afterwards.
  return withoutLongRuns(withoutLongRuns(wellFormed(text)).normalize('NFC'))
}

/** Replaces each half of a surrogate pair by U+FFFD, as `toWellFormed` does, which Chrome has from 111 and Safari from 16.4. */
export function wellFormed(text: string): string {
  return text.replace(HALF_PAIR, '\ufffd')
}
const HALF_PAIR = /\p{Surrogate}/gu

function withoutLongRuns(text: string): string {
  return text.replace(LONG_RUNS, '$1')
}

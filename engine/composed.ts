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
  return withoutLongRuns(withoutLongRuns(text.toWellFormed()).normalize('NFC'))
}

function withoutLongRuns(text: string): string {
  return text.replace(LONG_RUNS, '$1')
}

/**
 * Rejects texts nested too deeply to be parsed.
 *
 * The parser takes quadratic time in the depth, and then overflows the stack.
 */
import type { Span } from './source.ts'

/** Our files need four; a text that opens this many brackets without closing them is not an event file. */
const OPEN_BRACKETS_MAX = 200
/** This many lists on one line, each the only entry of the one before it. */
const MARKS_ON_A_LINE = /^[ \t]*(?:[-?:][ \t]+){60}/m

/**
 * Returns the approximate place where a text is nested too deeply to be parsed; quotes are ignored.
 * Null if there is none.
 */
export function findExcessiveNesting(text: string): Span | null {
  const marks = MARKS_ON_A_LINE.exec(text)
  if (marks !== null) return [marks.index, marks.index + marks[0].length]
  let open = 0
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') open += 1
    else if (open > 0) open -= 1
    if (open > OPEN_BRACKETS_MAX) return [index, index + 1]
  }
  return null
}

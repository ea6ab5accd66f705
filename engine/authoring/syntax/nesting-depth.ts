/** How deep a text is nested, before it is parsed: the parser takes the square of the depth, and then runs out of stack. */
import type { Span } from './source.ts'

/** Ours need four; a text that opens this many brackets and closes none of them means none of them. */
const OPEN_BRACKETS_MAX = 200
/** So many lists, each the only entry of the one before it, on one line. */
const MARKS_ON_A_LINE = /^[ \t]*(?:[-?:][ \t]+){60}/m

/** The place where a text is nested too deeply to be parsed, roughly: quotes are not looked at. Null: nowhere. */
export function tooDeepAt(text: string): Span | null {
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

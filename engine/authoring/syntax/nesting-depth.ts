/**
 * Rejects texts that are nested too deeply to be parsed.
 *
 * The parsing time is quadratic in the depth, and very deep nesting overflows the stack.
 */
import type { Span } from './source.ts'

/** Event files need four levels. A string with this many open brackets is not an event file. */
const MAX_OPEN_BRACKETS = 200
/** Matches a line on which 60 nested lists or maps begin, each the only entry of its parent. */
const NESTED_LISTS_ON_ONE_LINE = /^[ \t]*(?:[-?:][ \t]+){60}/m

/**
 * Returns the approximate location where a text becomes nested too deeply to be parsed; null if it never does.
 * Ignores quotes.
 */
export function findExcessiveNesting(text: string): Span | null {
  const nestedLists = NESTED_LISTS_ON_ONE_LINE.exec(text)
  if (nestedLists !== null) return [nestedLists.index, nestedLists.index + nestedLists[0].length]
  let openBrackets = 0
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') openBrackets += 1
    else if (openBrackets > 0) openBrackets -= 1
    if (openBrackets > MAX_OPEN_BRACKETS) return [index, index + 1]
  }
  return null
}

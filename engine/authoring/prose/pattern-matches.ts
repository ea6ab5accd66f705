/** Finds all matches of a pattern. Optimised for patterns that are tested on every string of every file. */
import { assert } from '../../lib/result.ts'

/**
 * Returns all matches, like `matchAll`, but does not copy the pattern for each string: copying a pattern of 3,000
 * characters takes several times longer than matching it. The pattern must be global.
 */
export function findMatches(text: string, pattern: RegExp): readonly RegExpExecArray[] {
  assert(pattern.global, 'a pattern without the flag g would match at the same position forever')
  const found: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match)
    // Without this, an empty match would be found at the same position forever.
    if (match[0] === '') pattern.lastIndex += 1
  }
  return found
}

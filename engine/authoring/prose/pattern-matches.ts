/** Returns all matches of a pattern, for patterns tested on every text of every file. */
import { assert } from '../../lib/result.ts'

/**
 * Like `matchAll`, which copies the pattern for each text: for a pattern of three thousand letters
 * the copy takes several times longer than the match. The pattern must be global.
 */
export function findMatches(text: string, pattern: RegExp): readonly RegExpExecArray[] {
  assert(pattern.global, 'a pattern that is not global finds the same place for ever')
  const found: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match)
    // An empty match would be found again at the same place.
    if (match[0] === '') pattern.lastIndex += 1
  }
  return found
}

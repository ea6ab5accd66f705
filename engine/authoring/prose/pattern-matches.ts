/** Everything a pattern finds in a text, for patterns that are tried on every text of every file. */
import { assert } from '../../lib/result.ts'

/**
 * As `matchAll`, which makes a copy of the pattern for each text: of one of three thousand letters that
 * takes several times longer than to try it. The pattern is global.
 */
export function matchesOf(text: string, pattern: RegExp): readonly RegExpExecArray[] {
  assert(pattern.global, 'a pattern that is not global finds the same place for ever')
  const found: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match)
    // What is empty is found again where it stands.
    if (match[0] === '') pattern.lastIndex += 1
  }
  return found
}

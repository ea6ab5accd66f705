/** Suggests the nearest of the names that are allowed in a place. */
import { computeEditDistance } from '../../lib/edit-distance.ts'
import { memoize } from '../../lib/memoize.ts'

/** Longer than any id. Comparing longer words costs too much. */
const MAX_COMPARED_LENGTH = 80

/** The maximum number of name comparisons for one file: half a second, and more than any real file needs. */
const MAX_COMPARISONS = 200_000
const getComparisonBudget = memoize((_file: object) => ({ left: MAX_COMPARISONS }))

/** Returns true if one more word of a file may be compared with this many names. */
export function mayCompare(file: object, names: number): boolean {
  const comparisons = getComparisonBudget(file)
  comparisons.left -= names
  return comparisons.left >= 0
}

/**
 * Returns the nearest name within a third of the word's length, ignoring case; null if none is that
 * near.
 */
export function findNearest(
  word: string,
  names: readonly string[],
): { readonly name: string; readonly distance: number } | null {
  if (word.length > MAX_COMPARED_LENGTH) return null
  const limit = Math.max(1, Math.floor(word.length / 3))
  const ranked = names
    .filter((name) => Math.abs(name.length - word.length) <= limit)
    .map((name) => ({
      name,
      distance: computeEditDistance(word.toLowerCase(), name.toLowerCase()),
    }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return ranked[0] ?? null
}

/** Returns the help and, if only one name is at distance 1, the fix for a misspelt name. */
export function suggestName(
  word: string,
  names: readonly string[],
  span: readonly [number, number] | null = null,
): {
  readonly help?: string
  readonly fix?: { readonly start: number; readonly end: number; readonly text: string }
} {
  const found = findNearest(word, names)
  if (found === null) {
    const suffixMatch = findNameWithWord(word, names)
    return suffixMatch === null ? {} : { help: `did you mean \`${suffixMatch}\`?` }
  }
  const help = `did you mean \`${found.name}\`?`
  const onlyCandidate =
    isTypoOf(word, found.name) &&
    names.filter((name) => computeEditDistance(word.toLowerCase(), name.toLowerCase()) <= 1)
      .length === 1
  return onlyCandidate && span !== null
    ? { help, fix: { start: span[0], end: span[1], text: found.name } }
    : { help }
}

/** Shorter words are part of too many names. */
const MIN_PART_LENGTH = 4

/**
 * Returns the only name that contains the word: `states` in indian-states, `name` in full_name.
 * Null if there is none, or several.
 */
function findNameWithWord(word: string, names: readonly string[]): string | null {
  const collectParts = (name: string): readonly string[] =>
    name
      .toLowerCase()
      .split(/[-_.\s]+/)
      .map((part) => part.replace(/s$/, ''))
  const [part = '', ...rest] = collectParts(word)
  if (rest.length > 0 || word.length < MIN_PART_LENGTH || word.length > MAX_COMPARED_LENGTH)
    return null
  const matchingNames = names.filter((name) => collectParts(name).includes(part))
  return matchingNames.length === 1 ? (matchingNames[0] ?? null) : null
}

/**
 * Returns true if a word is certainly a mistyped form of a name. day-3 is not a mistyped day-1, and
 * for two letters only a swap is certain.
 */
function isTypoOf(word: string, name: string): boolean {
  const [a, b] = [word.toLowerCase(), name.toLowerCase()]
  const listDigits = (text: string): string => text.replace(/\D/g, '')
  return (
    a === b ||
    (listDigits(a) === listDigits(b) &&
      computeEditDistance(a, b) === 1 &&
      (Math.min(a.length, b.length) > 3 || [...a].sort().join('') === [...b].sort().join('')))
  )
}

/** Formats "a, b and c" for notes. Further names are only counted. */
export function formatList(names: readonly string[], max = 12, between = ', '): string {
  return names.length <= max
    ? names.join(between)
    : `${names.slice(0, max).join(between)} and ${names.length - max} more`
}

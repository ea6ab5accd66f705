/** Suggests the allowed name that is nearest to a misspelt one. */
import { computeEditDistance } from '../../lib/edit-distance.ts'
import { memoize } from '../../lib/memoize.ts'

/** No id is longer than this, and comparing longer words takes too long. */
const MAX_COMPARED_LENGTH = 80

/** The maximum number of name comparisons per file. They take half a second; no real file needs as many. */
const MAX_COMPARISONS = 200_000
const getComparisonBudget = memoize((_file: object) => ({ left: MAX_COMPARISONS }))

/**
 * Returns true if the file's budget still allows comparing a word with this many names, and deducts the comparisons.
 */
export function canCompareNames(file: object, nameCount: number): boolean {
  const budget = getComparisonBudget(file)
  budget.left -= nameCount
  return budget.left >= 0
}

/**
 * Returns the nearest name, ignoring case. Returns null if every edit distance exceeds a third of the word's length.
 */
export function findNearest(
  word: string,
  names: readonly string[],
): { readonly name: string; readonly distance: number } | null {
  if (word.length > MAX_COMPARED_LENGTH) return null
  const maxDistance = Math.max(1, Math.floor(word.length / 3))
  const rankedNames = names
    .filter((name) => Math.abs(name.length - word.length) <= maxDistance)
    .map((name) => ({
      name,
      distance: computeEditDistance(word.toLowerCase(), name.toLowerCase()),
    }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return rankedNames[0] ?? null
}

/** Returns the help for a misspelt name. Includes a fix if only one name is at distance 1. */
export function suggestName(
  word: string,
  names: readonly string[],
  span: readonly [number, number] | null = null,
): {
  readonly help?: string
  readonly fix?: { readonly start: number; readonly end: number; readonly text: string }
} {
  const nearest = findNearest(word, names)
  if (nearest === null) {
    const suffixMatch = findNameWithWord(word, names)
    return suffixMatch === null ? {} : { help: `did you mean \`${suffixMatch}\`?` }
  }
  const help = `did you mean \`${nearest.name}\`?`
  const isOnlyCandidate =
    isTypoOf(word, nearest.name) &&
    names.filter((name) => computeEditDistance(word.toLowerCase(), name.toLowerCase()) <= 1)
      .length === 1
  return isOnlyCandidate && span !== null
    ? { help, fix: { start: span[0], end: span[1], text: nearest.name } }
    : { help }
}

/** Shorter words occur in too many names. */
const MIN_PART_LENGTH = 4

/**
 * Returns the only name that contains the word: `states` in indian-states, `name` in full_name. Returns null if no name
 * contains it, or several do.
 */
function findNameWithWord(word: string, names: readonly string[]): string | null {
  const collectParts = (name: string): readonly string[] =>
    name
      .toLowerCase()
      .split(/[-_.\s]+/)
      .map((part) => part.replace(/s$/, ''))
  const [part = '', ...otherParts] = collectParts(word)
  if (otherParts.length > 0 || word.length < MIN_PART_LENGTH || word.length > MAX_COMPARED_LENGTH)
    return null
  const matchingNames = names.filter((name) => collectParts(name).includes(part))
  return matchingNames.length === 1 ? (matchingNames[0] ?? null) : null
}

/**
 * Returns true if a word is certainly a typo of a name. day-3 is not a typo of day-1, and a two-letter word is a
 * certain typo only if its letters are swapped.
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

/** Formats a list for a note: "a, b and c". A long list ends with the number of names left out. */
export function formatList(names: readonly string[], max = 12, separator = ', '): string {
  return names.length <= max
    ? names.join(separator)
    : `${names.slice(0, max).join(separator)} and ${names.length - max} more`
}

/** What somebody may have meant: the nearest of the names that are legal at that place. */
import { remember } from '../remember.ts'

/** Damerau–Levenshtein (optimal string alignment): insert, delete, change, swap two neighbours. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(i - 2, j - 2) + 1
          : Infinity
      const row = rows[i]
      if (row !== undefined)
        row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change, swapped)
    }
  return at(a.length, b.length)
}

/** Whether exactly one letter was added, lost, changed, or changed places with its neighbour. Fast: most pairs of texts differ at once. */
export function isOneSlip(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  let tail = 0
  while (
    tail < Math.min(a.length, b.length) - start &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail += 1
  const [left, right] = [a.slice(start, a.length - tail), b.slice(start, b.length - tail)]
  return (
    (left.length <= 1 && right.length <= 1) ||
    (left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0])
  )
}

/** Longer words than any id; comparing them would cost more than it tells. */
const LENGTH_MAX = 80

/** Comparisons of two names that one file may cost: half a second, and more than any file of a person needs. */
const COMPARISONS_MAX = 200_000
const comparisonsOf = remember((_file: object) => ({ left: COMPARISONS_MAX }))

/** Whether one more word of a file may be held against so many names. */
export function mayCompare(file: object, names: number): boolean {
  const comparisons = comparisonsOf(file)
  comparisons.left -= names
  return comparisons.left >= 0
}

/** The nearest legal name within a third of the word's length, case-blind; null when none is near. */
export function nearest(
  word: string,
  legal: readonly string[],
): { readonly name: string; readonly distance: number } | null {
  if (word.length > LENGTH_MAX) return null
  const limit = Math.max(1, Math.floor(word.length / 3))
  const ranked = legal
    .filter((name) => Math.abs(name.length - word.length) <= limit)
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return ranked[0] ?? null
}

/** The help and, where only one name is at distance 1, the mending of a misspelt name. */
export function suggestion(
  word: string,
  legal: readonly string[],
  span: readonly [number, number] | null = null,
): {
  readonly help?: string
  readonly fix?: { readonly start: number; readonly end: number; readonly text: string }
} {
  const found = nearest(word, legal)
  if (found === null) return {}
  const help = `did you mean \`${found.name}\`?`
  const sole =
    isSlipOf(word, found.name) &&
    legal.filter((name) => editDistance(word.toLowerCase(), name.toLowerCase()) <= 1).length === 1
  return sole && span !== null
    ? { help, fix: { start: span[0], end: span[1], text: found.name } }
    : { help }
}

/** Whether a word is surely another, mistyped: day-3 is no slip of day-1, and of two letters nothing is sure but their order. */
function isSlipOf(word: string, name: string): boolean {
  const [a, b] = [word.toLowerCase(), name.toLowerCase()]
  const digits = (text: string): string => text.replace(/\D/g, '')
  return (
    a === b ||
    (digits(a) === digits(b) &&
      editDistance(a, b) === 1 &&
      (Math.min(a.length, b.length) > 3 || [...a].sort().join('') === [...b].sort().join('')))
  )
}

/** "a, b and c" for notes; the rest is counted. */
export function listed(names: readonly string[], most = 12, between = ', '): string {
  return names.length <= most
    ? names.join(between)
    : `${names.slice(0, most).join(between)} and ${names.length - most} more`
}

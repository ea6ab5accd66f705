/** Edit distance between two words: the number of typing mistakes that separate them. */

/**
 * Computes the Damerau–Levenshtein distance (optimal string alignment): insertions, deletions, changes, and swaps of
 * adjacent letters.
 */
export function computeEditDistance(a: string, b: string): number {
  const rows: number[][] = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  const getCell = (i: number, j: number): number => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1) {
      const changeCost = a[i - 1] === b[j - 1] ? 0 : 1
      const swapCost =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? getCell(i - 2, j - 2) + 1
          : Infinity
      const row = rows[i]
      if (row !== undefined)
        row[j] = Math.min(
          getCell(i - 1, j) + 1,
          getCell(i, j - 1) + 1,
          getCell(i - 1, j - 1) + changeCost,
          swapCost,
        )
    }
  return getCell(a.length, b.length)
}

/**
 * Returns true if exactly one letter was added, removed, changed, or swapped with an adjacent one.
 * Fast, because most pairs of texts differ early.
 */
export function isOneTypo(a: string, b: string): boolean {
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

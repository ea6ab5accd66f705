/** Whether a file was written to its end: a copy that broke off may read as a clean event with fewer prices. */

/** The last lines of a file that broke off; fewer stand together in more places than one. */
const LAST_LINES = 3
/** Put last by whoever means a file to end where it was only cut before. */
const END_MARK = /^#\s*end\s*$/i

/**
 * True where the new text stops in the middle of the one before, in a line or between two: what was added, changed or
 * taken out above does not matter. A text that ends with the mark is whole.
 */
export function looksCutOff(next: string, before: string): boolean {
  const [fresh, old] = [linesOf(next), linesOf(before)]
  const last = fresh.at(-1)
  if (last === undefined || END_MARK.test(last)) return false
  // Whoever ends a file with the mark does not take it away by the way.
  if (END_MARK.test(old.at(-1) ?? '')) return true
  const tail = fresh.slice(-LAST_LINES)
  // The last line itself may be half.
  const startsLike = (at: number): boolean =>
    tail.every((line, n) => {
      const there = old[at + n]
      return n === tail.length - 1 ? there?.startsWith(line) === true : there === line
    })
  const ends = old.length - tail.length
  if (startsLike(ends) && old.at(-1) === last) return false
  return old.some(
    (_, at) => at <= ends && startsLike(at) && !isTakenOut(old.slice(at + tail.length)),
  )
}

/** The one section that goes on purpose, and stands last: what was made up for the rehearsal. */
function isTakenOut([first = '', ...rest]: readonly string[]): boolean {
  return first.startsWith('demo:') && rest.every((line) => /^[\s#-]/.test(line))
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
}

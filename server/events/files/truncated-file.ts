/** Detects truncated event files: an interrupted copy may be a valid event with fewer prices. */

/** The last lines of a truncated file; fewer may occur together in more places than one. */
const LAST_LINES = 3
/** Added at the end by an author who wants the file to end where it would otherwise look truncated. */
const END_MARK = /^#\s*end\s*$/i

/**
 * Returns true if the new text ends in the middle of the previous one, within a line or between two; lines added,
 * changed or removed above do not matter. A text that ends with the mark is complete.
 */
export function looksCutOff(next: string, before: string): boolean {
  const [fresh, old] = [linesOf(next), linesOf(before)]
  const last = fresh.at(-1)
  if (last === undefined || END_MARK.test(last)) return false
  // An author who ends a file with the mark does not remove it by accident.
  if (END_MARK.test(old.at(-1) ?? '')) return true
  const tail = fresh.slice(-LAST_LINES)
  // The last line itself may be incomplete.
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

/** The one section that is removed on purpose and comes last: the demo data of a rehearsal. */
function isTakenOut([first = '', ...rest]: readonly string[]): boolean {
  return first.startsWith('demo:') && rest.every((line) => /^[\s#-]/.test(line))
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
}

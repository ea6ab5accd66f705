/** Detects truncated event files: an interrupted copy may be a valid event with fewer prices. */

/** The number of lines compared at the end of a file. Fewer lines may occur in several places in it. */
const LAST_LINES = 3
/** An author adds this mark to end a file in a place where it would otherwise look truncated. */
const END_MARK = /^#\s*end\s*$/i

/**
 * Returns true if the new text ends in the middle of the previous one, within a line or between two. Lines added,
 * changed or removed before its end do not matter. A string that ends with the mark is complete.
 */
export function isTruncated(newText: string, previousText: string): boolean {
  const [newLines, oldLines] = [splitLines(newText), splitLines(previousText)]
  const lastLine = newLines.at(-1)
  if (lastLine === undefined || END_MARK.test(lastLine)) return false
  // An author who ends a file with the mark does not remove it by accident.
  if (END_MARK.test(oldLines.at(-1) ?? '')) return true
  const lastLines = newLines.slice(-LAST_LINES)
  // The last line itself may be incomplete.
  const matchesAt = (start: number): boolean =>
    lastLines.every((line, offset) => {
      const oldLine = oldLines[start + offset]
      return offset === lastLines.length - 1 ? oldLine?.startsWith(line) === true : oldLine === line
    })
  const lastStart = oldLines.length - lastLines.length
  if (matchesAt(lastStart) && oldLines.at(-1) === lastLine) return false
  return oldLines.some(
    (_, index) =>
      index <= lastStart &&
      matchesAt(index) &&
      !isRemovedSection(oldLines.slice(index + lastLines.length)),
  )
}

/**
 * Returns true if the removed section is the demo data of a rehearsal, the only section that authors
 * intentionally remove from the end of a file.
 */
function isRemovedSection([firstLine = '', ...rest]: readonly string[]): boolean {
  return firstLine.startsWith('demo:') && rest.every((line) => /^[\s#-]/.test(line))
}

function splitLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
}

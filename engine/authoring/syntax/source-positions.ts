/** Finds the lines of values in an event file, for commands that print line numbers. */
import { readEventFile } from '../schema/renamed-keys.ts'

/**
 * Returns a function that finds the 1-based line of the value at a path. That function returns null if there is no
 * such value.
 */
export function createLineFinder(
  text: string,
): (keyPath: readonly (string | number)[]) => number | null {
  const { source } = readEventFile({ path: '', text })
  return (keyPath) => {
    const path = keyPath.join('.')
    return source.has(path) ? source.place(path).start.line : null
  }
}

/** Finds lines in an event file, for commands that print a line number with a message. */
import { readEventFile } from '../schema/renamed-keys.ts'

/**
 * Returns a function that finds the line (from 1) of the value at a path. It returns null if there is no such value.
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

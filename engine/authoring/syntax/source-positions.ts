/** Where something stands in an event file, for commands that print a line beside what they say. */
import { readYaml } from './parse-yaml.ts'

/** Line (from 1) of the value under a path of keys and list positions; null when there is none. */
export function lineFinder(text: string): (keyPath: readonly (string | number)[]) => number | null {
  const { source } = readYaml({ path: '', text })
  return (keyPath) => {
    const path = keyPath.join('.')
    return source.has(path) ? source.place(path).start.line : null
  }
}

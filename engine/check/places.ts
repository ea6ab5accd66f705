/** Where something stands in an event file, for commands that print a line beside what they say. */
import { isNode, LineCounter, parseDocument } from 'yaml'

/** Line (from 1) of the value under a path of keys and list positions; null when there is none. */
export function lineFinder(text: string): (keyPath: readonly (string | number)[]) => number | null {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, strict: true, logLevel: 'silent' })
  return (keyPath) => {
    const node: unknown = document.getIn(keyPath, true)
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : null
  }
}

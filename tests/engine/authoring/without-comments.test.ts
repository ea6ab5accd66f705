/** Removing comments changes neither the event nor the line numbers. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collapseEmptyLines, readEvent, removeComments } from '../../../engine/authoring.ts'

const EVENTS = join(import.meta.dirname, '..', '..', '..', 'events')
const readSource = (path: string) => ({ path, text: readFileSync(join(EVENTS, path), 'utf8') })
const shared = {
  lists: readSource('_shared/lists.yaml'),
  gateways: readSource('_shared/gateways.yaml'),
  texts: readSource('_shared/texts.yaml'),
}
const files = readdirSync(EVENTS).filter((name) => name.endsWith('.yaml'))

test.each(files)(
  '%s compiles to the same event without its comments, and the line numbers are the same',
  (name) => {
    const { text } = readSource(name)
    const textWithoutComments = removeComments(text)
    expect(textWithoutComments.split('\n')).toHaveLength(text.split('\n').length)
    expect(textWithoutComments.length).toBeLessThan(text.length)
    expect(textWithoutComments).not.toMatch(/(^|\s)#( |─)/)
    expect(readEvent(textWithoutComments, shared)).toEqual(readEvent(text, shared))
    expect(removeComments(textWithoutComments)).toBe(textWithoutComments)
    const collapsedText = collapseEmptyLines(textWithoutComments)
    expect(collapsedText).not.toMatch(/^\n|\n\n\n/)
    expect(readEvent(collapsedText, shared)).toEqual(readEvent(text, shared))
  },
)

test.each([
  ['\n\na: 1\n\n\n\nb: 2\n', 'a: 1\n\nb: 2\n'],
  ['a:\n  b: 1\n  \n  \n\n  c: 2\r\n\r\n\r\nd: 3', 'a:\n  b: 1\n  \n  c: 2\r\n\r\nd: 3'],
  ['a: |\n  x\n\n\n  y\n\n\nb: 1', 'a: |\n  x\n\n\n  y\n\nb: 1'],
  ['a: |+\n  x\n\n\nb: "x\n\n\n  y"', 'a: |+\n  x\n\n\nb: "x\n\n\n  y"'],
])('repeated empty lines are removed: %j becomes %j', (text, collapsed) =>
  expect(collapseEmptyLines(text)).toBe(collapsed),
)

test.each([
  ['a: 1 # private\nb: 2', 'a: 1\nb: 2'],
  ['# private\na: 1', '\na: 1'],
  ['a: {b: 1, # private\n  c: 2}', 'a: {b: 1,\n  c: 2}'],
  ['a: "x # said"', 'a: "x # said"'],
  ["a: 'x # said' # private", "a: 'x # said'"],
  ['a: Hall#5', 'a: Hall#5'],
  ['a: | # private\n  # said\n  x\n# private\nb: 1', 'a: |\n  # said\n  x\n\nb: 1'],
  ['a: |+\n  x\n# private\nb: 1', 'a: |+\n  x\n#\nb: 1'],
  ['- # private\n  a: 1\r\n# private\r\nb: 2', '-\n  a: 1\r\n\r\nb: 2'],
])('a comment is removed: %j becomes %j', (text, uncommented) =>
  expect(removeComments(text)).toBe(uncommented),
)

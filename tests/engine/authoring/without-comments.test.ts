/** Event files without their authors' remarks: the same event, the same lines, and nothing of the remarks. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEvent, withoutComments } from '../../../engine/authoring.ts'

const EVENTS = join(import.meta.dirname, '..', '..', '..', 'events')
const source = (path: string) => ({ path, text: readFileSync(join(EVENTS, path), 'utf8') })
const shared = {
  lists: source('_shared/lists.yaml'),
  gateways: source('_shared/gateways.yaml'),
  texts: source('_shared/texts.yaml'),
}
const files = readdirSync(EVENTS).filter((name) => name.endsWith('.yaml'))

test.each(files)('%s says the same without its remarks, on the same lines', (name) => {
  const { text } = source(name)
  const bare = withoutComments(text)
  expect(bare.split('\n')).toHaveLength(text.split('\n').length)
  expect(bare.length).toBeLessThan(text.length)
  expect(bare).not.toMatch(/(^|\s)#( |─)/)
  expect(readEvent(bare, shared)).toEqual(readEvent(text, shared))
  expect(withoutComments(bare)).toBe(bare)
})

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
])('of %j there stays %j', (text, bare) => expect(withoutComments(text)).toBe(bare))

/** The keys and values that the editor proposes from the schema. A vertical bar marks the cursor. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  findDescription,
  findCursorPosition,
  listKeys,
  listValues,
  type Schema,
} from '../../../web/organisers/editor/schema-help.ts'

const ROOT_DIR = join(import.meta.dirname, '..', '..', '..')
const eventSchema = JSON.parse(
  readFileSync(join(ROOT_DIR, 'schemas', 'event.schema.json'), 'utf8'),
) as Schema

function listProposals(markedText: string): readonly string[] | null {
  const linesBefore = markedText.slice(0, markedText.indexOf('|')).split('\n')
  const cursor = findCursorPosition(
    markedText.replace('|', '').split('\n'),
    linesBefore.length - 1,
    linesBefore.at(-1)?.length ?? 0,
  )
  if (cursor === null) return null
  return cursor.valueKey === null
    ? listKeys(eventSchema, cursor.path).map(({ name }) => name)
    : listValues(eventSchema, [...cursor.path, cursor.valueKey])
}

test.each<[string, readonly string[]]>([
  ['eve|', ['event', 'fees', 'form']],
  ['event:\n  title: x\n  # about it\n\n  sta|', ['status', 'venue']],
  ['event:\n  status: |', ['open', 'closed']],
  ['fees:\n  periods:\n    - {id: early, la|', ['label', 'from', 'to']],
  ['fees:\n  tax: {name: "a, {b", prices: |', ['exclusive', 'inclusive']],
  [
    'form:\n  sections:\n    - title: A\n      fields:\n        - id: x\n          ty|',
    ['type', 'required'],
  ],
  [
    'form:\n  sections:\n    - title: A\n      fields:\n        - {id: x}\n        - i|',
    ['id', 'type'],
  ],
  [
    'form:\n  sections:\n    - title: A\n      fields:\n        - {id: x, type: se|',
    ['select', 'yes-no'],
  ],
  ['payment:\n  methods:\n  - id: transfer\n    la|', ['label', 'instructions']],
])('the editor proposes keys or values at the cursor in %j', (markedText, expected) =>
  expect(listProposals(markedText)).toEqual(expect.arrayContaining([...expected])),
)

test.each(['event: # sta|', 'event:\n  title: A title with sta|'])(
  'the editor proposes nothing in %j',
  (markedText) => expect(listProposals(markedText)).toBe(null),
)

test('the editor takes the description of a key from the schema', () =>
  expect(findDescription(eventSchema, ['fees', 'periods', null, 'to'])).toContain(
    'A date in India',
  ))

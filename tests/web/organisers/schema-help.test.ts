/** The keys and values of the schema that the editor proposes at the cursor, which a vertical bar marks. */
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

const TOP = join(import.meta.dirname, '..', '..', '..')
const root = JSON.parse(readFileSync(join(TOP, 'schemas', 'event.schema.json'), 'utf8')) as Schema

function listProposals(markedText: string): readonly string[] | null {
  const before = markedText.slice(0, markedText.indexOf('|')).split('\n')
  const place = findCursorPosition(
    markedText.replace('|', '').split('\n'),
    before.length - 1,
    before.at(-1)?.length ?? 0,
  )
  if (place === null) return null
  return place.valueKey === null
    ? listKeys(root, place.path).map(({ name }) => name)
    : listValues(root, [...place.path, place.valueKey])
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
])('%j', (markedText, expected) =>
  expect(listProposals(markedText)).toEqual(expect.arrayContaining([...expected])),
)

test.each(['event: # sta|', 'event:\n  title: A title with sta|'])(
  'nothing is proposed in %j',
  (markedText) => expect(listProposals(markedText)).toBe(null),
)

test('the description of a key comes from the schema', () =>
  expect(findDescription(root, ['fees', 'periods', null, 'to'])).toContain('calendar day in India'))

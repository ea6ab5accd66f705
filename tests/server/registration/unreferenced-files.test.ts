/** How many unreferenced uploads are set aside without confirmation (docs/operation/event-files-and-emails.md). */
import { expect, test } from 'vitest'
import { findHoldReason } from '../../../server/registration/uploads/unreferenced-files.ts'

test.each([
  ['none', 0, 10_000, false],
  ['a few in a small installation', 5, 9, false],
  ['twenty of ten thousand', 20, 10_000, false],
  ['a hundred of ten thousand, which is one percent', 100, 10_000, true],
  ['twenty-one of a million', 21, 1_000_000, true],
  ['six of a hundred, which is more than one percent', 6, 100, true],
  ['six of six hundred, which is one percent', 6, 600, false],
])(
  'unreferenced files are set aside automatically only if there are few: %s',
  (_, count, totalFileCount, isHeld) => {
    expect(findHoldReason(count, totalFileCount, false)).toEqual(
      isHeld ? { count, why: 'many' } : null,
    )
  },
)

test('no file is set aside for a week after a restore', () => {
  expect(findHoldReason(1, 10_000, true)).toEqual({ count: 1, why: 'recent' })
})

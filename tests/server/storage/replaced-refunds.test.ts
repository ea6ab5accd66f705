/** Which refused refunds a new refund replaces. */
import { expect, test } from 'vitest'
import { toAmount } from '../../../engine/index.ts'
import { selectReplacedRefunds } from '../../../server/storage/refunds/replaced-refunds.ts'

test.each([
  { name: 'one refund, one part', refused: [500], parts: [500], replaced: [0] },
  { name: 'another amount replaces none', refused: [500], parts: [400], replaced: [] },
  { name: 'one of two equal parts', refused: [500, 500], parts: [500], replaced: [0] },
  { name: 'both of two equal parts', refused: [500, 500], parts: [500, 500], replaced: [0, 1] },
  { name: 'all parts, refunded together', refused: [600, 400], parts: [1000], replaced: [0, 1] },
  { name: 'one refund, split differently', refused: [500, 90], parts: [300, 200], replaced: [0] },
  { name: 'one part of two', refused: [600, 400], parts: [400, 50], replaced: [1] },
  { name: 'no refused refunds', refused: [], parts: [500], replaced: [] },
])(
  'a new refund replaces the refused refunds of the same amount: $name',
  ({ refused, parts, replaced }) => {
    const selected = selectReplacedRefunds(
      refused.map((amount, id) => ({ id, amount: toAmount(amount) })),
      parts.map(toAmount),
    )
    expect(selected.map(({ id }) => id)).toEqual(replaced)
  },
)

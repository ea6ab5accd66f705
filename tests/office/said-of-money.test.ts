/** Sentences about money that said two things at once, or nothing that helps. */
import { expect, test } from 'vitest'
import { instant, paise } from '../../engine/index.ts'
import { trailOf } from '../../server/acting/trail.ts'
import { refundedText } from '../../server/paying/decisions.ts'

test('a refund that the gateway refused is not said to go back', () => {
  expect(refundedText('₹ 4,719 goes back.', 'refused')).toBe(
    '₹ 4,719 did not go back. The gateway refused it: it stands among the reviews. Ask for it again there, or pay it back by hand.',
  )
  expect(refundedText('₹ 4,719 goes back.', 'done')).toBe('₹ 4,719 goes back. It is done.')
})

test('of two refunds of the same amount the trail says which one the gateway refused', () => {
  const amount = paise(471_900)
  const refund = (ms: number) => ({
    at: instant(ms),
    who: 'office',
    what: 'refund' as const,
    about: null,
    amount,
    why: 'Asked.',
  })
  const trail = trailOf([], [refund(1), refund(2)] as never, [
    { at: instant(1), amount, state: 'refused' },
    { at: instant(2), amount, state: 'done' },
  ])
  expect(trail.map(({ text }) => text.replaceAll('\u00a0', ' '))).toEqual([
    'Refund, ₹ 4,719',
    'Refund, ₹ 4,719, refused by the gateway',
  ])
})

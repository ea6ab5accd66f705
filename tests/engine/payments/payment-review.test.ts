/** What a person may decide about money, by what is before them, and what follows. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decide,
  decisionsFor,
  groundsOf,
  instant,
  kindOfMoney,
  paise,
} from '../../../engine/index.ts'
import type { Decision, MoveTarget, RegNo, Review } from '../../../engine/index.ts'

const grounds = { why: 'Spoke to the delegate.', who: 'treasurer' }
const at = instant(1_000)
const came = {
  amount: paise(707_900),
  currency: 'INR',
  kind: 'sale',
  reference: 'G1',
  source: 'airpay',
  account: 'sample',
  paidAt: at,
} as const
const review = (is: Review['is'], changes: Partial<Review> = {}): Review => ({
  id: 'C1',
  is,
  eventId: 'sample',
  regNo: 'SAMP1' as RegNo,
  orderId: null,
  name: '',
  came: ['undecided', 'unclear'].includes(is) ? null : came,
  due: paise(708_000),
  left: paise(['undecided', 'unclear'].includes(is) ? 0 : 707_900),
  said: null,
  why: 'It does not fit.',
  since: at,
  ...changes,
})
const decisions = {
  accept: { what: 'accept', reference: 'G9', amount: null, ...grounds },
  refund: { what: 'refund', amount: null, ...grounds },
  move: { what: 'move', to: 'SAMP2', ...grounds },
  dismiss: { what: 'dismiss', ...grounds },
} as const satisfies Record<string, Decision>
const target = (changes: Partial<MoveTarget> = {}): MoveTarget => ({
  regNo: 'SAMP2' as RegNo,
  eventId: 'sample',
  due: paise(707_900),
  isPaid: false,
  ...changes,
})
const outcome = (one: Review, decision: Decision, to: MoveTarget | null = target()): string => {
  const decided = decide(one, decision, to)
  return decided.ok ? decided.value.does : decided.error.code
}

/** Every kind meets every decision: what follows, or the refusal. */
const table: Record<Review['is'], Record<keyof typeof decisions, string>> = {
  misfit: { accept: 'accept', refund: 'give-back', move: 'move', dismiss: 'dismiss' },
  second: { accept: 'not_allowed', refund: 'give-back', move: 'move', dismiss: 'dismiss' },
  rest: { accept: 'accept', refund: 'give-back', move: 'move', dismiss: 'dismiss' },
  ended: { accept: 'not_allowed', refund: 'give-back', move: 'move', dismiss: 'dismiss' },
  foreign: { accept: 'not_allowed', refund: 'give-back', move: 'not_allowed', dismiss: 'dismiss' },
  test: { accept: 'not_allowed', refund: 'not_allowed', move: 'not_allowed', dismiss: 'dismiss' },
  unmatched: { accept: 'not_allowed', refund: 'give-back', move: 'move', dismiss: 'dismiss' },
  undecided: { accept: 'accept', refund: 'not_allowed', move: 'not_allowed', dismiss: 'dismiss' },
  unclear: {
    accept: 'not_allowed',
    refund: 'not_allowed',
    move: 'not_allowed',
    dismiss: 'dismiss',
  },
  returned: {
    accept: 'not_allowed',
    refund: 'not_allowed',
    move: 'not_allowed',
    dismiss: 'dismiss',
  },
  'refund-unsure': {
    accept: 'refund-done',
    refund: 'refund-again',
    move: 'not_allowed',
    dismiss: 'refund-left',
  },
  'refund-refused': {
    accept: 'refund-done',
    refund: 'refund-again',
    move: 'not_allowed',
    dismiss: 'refund-left',
  },
}
const kinds = Object.keys(table) as Review['is'][]

describe.each(kinds)('a review of the kind %s', (is) => {
  test.each(Object.entries(decisions))('meets %s', (name, decision) => {
    expect(outcome(review(is), decision)).toBe(table[is][decision.what])
    // What a button may offer is what the guard lets through.
    expect(decisionsFor(is).includes(decision.what)).toBe(
      table[is][name as keyof typeof decisions] !== 'not_allowed',
    )
  })
  test('never without why and who', () => {
    for (const decision of Object.values(decisions)) {
      expect(outcome(review(is), { ...decision, why: ' \n' })).toBe('no_grounds')
      expect(outcome(review(is), { ...decision, who: '' })).toBe('no_grounds')
    }
  })
})

test('a second payment is told why it cannot be accepted, and what can be done', () => {
  expect(decide(review('second'), decisions.accept, null)).toMatchObject({
    error: { message: expect.stringMatching(/already paid.*Refund the payment, or move it/) },
  })
})

test('an undecided payment takes the reference from the panel, and what was asked for unless another amount is named', () => {
  const accept = (reference: string | null, amount: number | null = null) =>
    decide(
      review('undecided'),
      { what: 'accept', reference, amount: amount === null ? null : paise(amount), ...grounds },
      null,
    )
  expect(accept(null)).toMatchObject({ error: { code: 'no_reference' } })
  expect(accept('  ')).toMatchObject({ error: { code: 'no_reference' } })
  expect(accept('x'.repeat(65))).toMatchObject({ error: { code: 'no_reference' } })
  expect(accept(' G7 ')).toMatchObject({ value: { reference: 'G7', amount: 708_000 } })
  expect(accept('G7', 5)).toMatchObject({ value: { amount: 5 } })
  expect(accept('G7', 0)).toMatchObject({ error: { code: 'bad_amount' } })
  expect(decide(review('misfit'), { ...decisions.accept, amount: paise(5) }, null)).toMatchObject({
    error: { code: 'bad_amount' },
  })
})

test('what has gone back by hand says how, and of a refund in doubt it is accepted instead', () => {
  const byHand = (is: Review['is'], reference: string) =>
    decide(review(is), { ...decisions.refund, byHand: reference }, null)
  expect(byHand('second', ' NEFT 7 ')).toMatchObject({
    value: { does: 'give-back', byHand: 'NEFT 7', isAll: true },
  })
  expect(byHand('second', ' ')).toMatchObject({ error: { code: 'no_reference' } })
  expect(byHand('second', 'x'.repeat(65))).toMatchObject({ error: { code: 'no_reference' } })
  expect(byHand('refund-unsure', 'NEFT 7')).toMatchObject({ error: { code: 'not_allowed' } })
})

test('money that nobody could match is moved to whichever event it was meant for', () => {
  const other = target({ eventId: 'another' })
  expect(decide(review('unmatched'), decisions.move, other)).toMatchObject({ ok: true })
})

test('money is moved within the event, to somebody else who has something to pay', () => {
  const move = (to: MoveTarget | null) => decide(review('misfit'), decisions.move, to)
  for (const none of [
    null,
    target({ eventId: 'another' }),
    target({ regNo: 'SAMP1' as RegNo }),
    target({ due: null }),
  ])
    expect(move(none)).toMatchObject({ error: { code: 'no_target' } })
  expect(move(target())).toMatchObject({ value: { fits: true } })
  // What pays it not exactly, what pays what is paid, and the rest of what went back in part.
  expect(move(target({ due: paise(707_901) }))).toMatchObject({ value: { fits: false } })
  expect(move(target({ isPaid: true }))).toMatchObject({ value: { fits: false } })
  const part = review('misfit', { left: paise(700_000) })
  expect(decide(part, decisions.move, target({ due: paise(700_000) }))).toMatchObject({
    value: { fits: false },
  })
})

test('never more goes back than is left, and only all of it ends the review', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000 }),
      fc.integer({ min: -5, max: 1_005 }),
      (left, amount) => {
        const decided = decide(
          review('misfit', { left: paise(left) }),
          { what: 'refund', amount: paise(amount), ...grounds },
          null,
        )
        expect(decided.ok).toBe(amount > 0 && amount <= left)
        if (decided.ok)
          expect(decided.value).toEqual({
            does: 'give-back',
            amount,
            isAll: amount === left,
            byHand: null,
          })
      },
    ),
  )
})

test.each([
  [{ kind: 'test', currency: 'USD', isMatched: false, isPaid: true }, 'test'],
  [{ kind: 'sale', currency: 'USD', isMatched: true, isPaid: true }, 'foreign'],
  [{ kind: 'sale', currency: '356', isMatched: false, isPaid: false }, 'unmatched'],
  [{ kind: 'other', currency: '', isMatched: true, isPaid: true }, 'second'],
  // Silence about currency and kind is a person's to judge: with it nobody could pay at all.
  [{ kind: 'other', currency: '', isMatched: true, isPaid: false }, 'misfit'],
] as const)('%j is of the kind %s', (money, kind) => expect(kindOfMoney(money)).toBe(kind))

test('grounds are kept without the spaces around them', () => {
  expect(groundsOf({ why: ' a \n', who: ' b ' })).toEqual({
    ok: true,
    value: { why: 'a', who: 'b' },
  })
})

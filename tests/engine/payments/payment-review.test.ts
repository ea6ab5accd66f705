/** The decisions that staff may make in a payment review, and their results. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Currency,
  INR,
  decideReview,
  listAllowedDecisions,
  checkGrounds,
  instant,
  findReviewKind,
  toAmount,
} from '../../../engine/index.ts'
import type { Amount, Decision, MoveTarget, RegNo, Review } from '../../../engine/index.ts'

const reasonAndUser = { why: 'Spoke to the delegate.', who: 'treasurer' }
const decidedAt = instant(1_000)
const receivedPayment = {
  amount: toAmount(707_900),
  currency: 'INR',
  kind: 'sale',
  reference: 'G1',
  source: 'airpay',
  account: 'sample',
  paidAt: decidedAt,
} as const
const createReview = (reviewKind: Review['is'], changes: Partial<Review> = {}): Review => ({
  id: 'C1',
  is: reviewKind,
  eventId: 'sample',
  regNo: 'SAMP1' as RegNo,
  orderId: null,
  name: '',
  came: ['undecided', 'unclear'].includes(reviewKind) ? null : receivedPayment,
  due: toAmount(708_000),
  dueCurrency: INR,
  left: toAmount(['undecided', 'unclear'].includes(reviewKind) ? 0 : 707_900),
  currency: INR,
  gatewayAnswer: null,
  why: 'The amount does not match.',
  since: decidedAt,
  ...changes,
})
const decisions = {
  accept: { what: 'accept', reference: 'G9', amount: null, ...reasonAndUser },
  ask: { what: 'ask', ...reasonAndUser },
  refund: { what: 'refund', amount: null, ...reasonAndUser },
  move: { what: 'move', to: 'SAMP2', ...reasonAndUser },
  dismiss: { what: 'dismiss', ...reasonAndUser },
} as const satisfies Record<string, Decision>
const createTarget = (changes: Partial<MoveTarget> = {}): MoveTarget => ({
  regNo: 'SAMP2' as RegNo,
  eventId: 'sample',
  due: toAmount(707_900),
  currency: INR,
  isPaid: false,
  ...changes,
})
const describeResult = (
  review: Review,
  decision: Decision,
  moveTarget: MoveTarget | null = createTarget(),
): string => {
  const result = decideReview(review, decision, moveTarget)
  return result.ok ? result.value.does : result.error.code
}

/** The result of every decision for every kind of review, or the error code if the decision is not allowed. */
const expectedResults: Record<Review['is'], Record<keyof typeof decisions, string>> = {
  misfit: { accept: 'accept', ask: 'ask', refund: 'give-back', move: 'move', dismiss: 'dismiss' },
  second: {
    accept: 'not_allowed',
    ask: 'not_allowed',
    refund: 'give-back',
    move: 'move',
    dismiss: 'dismiss',
  },
  rest: {
    accept: 'accept',
    ask: 'not_allowed',
    refund: 'give-back',
    move: 'move',
    dismiss: 'dismiss',
  },
  ended: {
    accept: 'not_allowed',
    ask: 'not_allowed',
    refund: 'give-back',
    move: 'move',
    dismiss: 'dismiss',
  },
  foreign: {
    accept: 'not_allowed',
    ask: 'not_allowed',
    refund: 'give-back',
    move: 'not_allowed',
    dismiss: 'dismiss',
  },
  test: {
    accept: 'not_allowed',
    ask: 'not_allowed',
    refund: 'not_allowed',
    move: 'not_allowed',
    dismiss: 'dismiss',
  },
  unmatched: {
    accept: 'not_allowed',
    ask: 'not_allowed',
    refund: 'give-back',
    move: 'move',
    dismiss: 'dismiss',
  },
  undecided: {
    accept: 'accept',
    ask: 'not_allowed',
    refund: 'not_allowed',
    move: 'not_allowed',
    dismiss: 'dismiss',
  },
  unclear: {
    accept: 'not_allowed',
    ask: 'not_allowed',
    refund: 'not_allowed',
    move: 'not_allowed',
    dismiss: 'dismiss',
  },
  returned: {
    accept: 'not_allowed',
    ask: 'not_allowed',
    refund: 'not_allowed',
    move: 'not_allowed',
    dismiss: 'dismiss',
  },
  'refund-unsure': {
    accept: 'refund-done',
    ask: 'not_allowed',
    refund: 'refund-again',
    move: 'not_allowed',
    dismiss: 'refund-left',
  },
  'refund-refused': {
    accept: 'refund-done',
    ask: 'not_allowed',
    refund: 'refund-again',
    move: 'not_allowed',
    dismiss: 'refund-left',
  },
}
const reviewKinds = Object.keys(expectedResults) as Review['is'][]

describe.each(reviewKinds)('a payment review of kind %s', (kind) => {
  test.each(Object.entries(decisions))(
    'has the expected result with the decision %s',
    (name, decision) => {
      expect(describeResult(createReview(kind), decision)).toBe(
        expectedResults[kind][decision.what],
      )
      // The page offers exactly the decisions that are allowed.
      expect(listAllowedDecisions(createReview(kind)).includes(decision.what)).toBe(
        expectedResults[kind][name as keyof typeof decisions] !== 'not_allowed',
      )
    },
  )
  test('requires a reason and a user for every decision', () => {
    for (const decision of Object.values(decisions)) {
      expect(describeResult(createReview(kind), { ...decision, why: ' \n' })).toBe('no_grounds')
      expect(describeResult(createReview(kind), { ...decision, why: '\u200b' })).toBe('no_grounds')
      expect(describeResult(createReview(kind), { ...decision, who: '' })).toBe('no_grounds')
    }
  })
})

test('the balance can be requested only if the payment is too small and has not been partly refunded', () => {
  const requestBalance = (changes: Partial<Review>) =>
    describeResult(createReview('misfit', changes), decisions.ask)
  expect(requestBalance({})).toBe('ask')
  expect(requestBalance({ due: toAmount(707_900) })).toBe('not_allowed')
  expect(requestBalance({ due: null })).toBe('not_allowed')
  expect(requestBalance({ left: toAmount(700_000) })).toBe('not_allowed')
  expect(requestBalance({ dueCurrency: 'EUR' as Currency })).toBe('not_allowed')
})

test('refuses to accept a second payment, and lists the possible decisions', () => {
  expect(decideReview(createReview('second'), decisions.accept, null)).toMatchObject({
    error: { message: expect.stringMatching(/already paid.*Refund the payment, or move it/) },
  })
})

test('accepting an undecided payment requires the reference from the merchant panel; the amount defaults to the order amount', () => {
  const acceptPayment = (reference: string | null, amount: number | null = null) =>
    decideReview(
      createReview('undecided'),
      {
        what: 'accept',
        reference,
        amount: amount === null ? null : toAmount(amount),
        ...reasonAndUser,
      },
      null,
    )
  expect(acceptPayment(null)).toMatchObject({ error: { code: 'no_reference' } })
  expect(acceptPayment('  ')).toMatchObject({ error: { code: 'no_reference' } })
  expect(acceptPayment('x'.repeat(65))).toMatchObject({ error: { code: 'no_reference' } })
  expect(acceptPayment(' G7 ')).toMatchObject({ value: { reference: 'G7', amount: 708_000 } })
  expect(acceptPayment('G7', 5)).toMatchObject({ value: { amount: 5 } })
  expect(acceptPayment('G7', 0)).toMatchObject({ error: { code: 'bad_amount' } })
  expect(
    decideReview(createReview('misfit'), { ...decisions.accept, amount: toAmount(5) }, null),
  ).toMatchObject({
    error: { code: 'bad_amount' },
  })
})

test('staff can record a rejected refund as made elsewhere, but only for the full amount', () => {
  const acceptRefund = (amount: Amount | null) =>
    decideReview(
      createReview('refund-refused'),
      { ...decisions.accept, reference: 'NEFT 7', amount },
      null,
    )
  const { left } = createReview('refund-refused')
  expect(acceptRefund(toAmount(left - 1))).toMatchObject({ error: { code: 'bad_amount' } })
  expect(acceptRefund(left)).toMatchObject({ value: { does: 'refund-done' } })
  expect(acceptRefund(null)).toMatchObject({ value: { does: 'refund-done' } })
})

test('a manual refund requires a reference, and cannot replace a refund whose result is unknown', () => {
  const refundManually = (kind: Review['is'], reference: string) =>
    decideReview(createReview(kind), { ...decisions.refund, manualReference: reference }, null)
  expect(refundManually('second', ' NEFT 7 ')).toMatchObject({
    value: { does: 'give-back', manualReference: 'NEFT 7', isAll: true },
  })
  expect(refundManually('second', ' ')).toMatchObject({ error: { code: 'no_reference' } })
  expect(refundManually('second', 'x'.repeat(65))).toMatchObject({
    error: { code: 'no_reference' },
  })
  expect(refundManually('refund-unsure', 'NEFT 7')).toMatchObject({
    error: { code: 'not_allowed' },
  })
})

test('an unmatched payment can be moved to another event', () => {
  const otherEvent = createTarget({ eventId: 'another' })
  expect(decideReview(createReview('unmatched'), decisions.move, otherEvent)).toMatchObject({
    ok: true,
  })
})

test('a payment can be moved only to another registration that is for the same event and has a balance due', () => {
  const movePayment = (to: MoveTarget | null) =>
    decideReview(createReview('misfit'), decisions.move, to)
  for (const invalidTarget of [
    null,
    createTarget({ eventId: 'another' }),
    createTarget({ regNo: 'SAMP1' as RegNo }),
    createTarget({ due: null }),
  ])
    expect(movePayment(invalidTarget)).toMatchObject({ error: { code: 'no_target' } })
  expect(movePayment(createTarget())).toMatchObject({ value: { fits: true } })
  // A payment of a different amount, a payment for a paid registration, and what remains after a partial refund.
  expect(movePayment(createTarget({ due: toAmount(707_901) }))).toMatchObject({
    value: { fits: false },
  })
  expect(movePayment(createTarget({ isPaid: true }))).toMatchObject({ value: { fits: false } })
  const partlyRefundedReview = createReview('misfit', { left: toAmount(700_000) })
  expect(
    decideReview(partlyRefundedReview, decisions.move, createTarget({ due: toAmount(700_000) })),
  ).toMatchObject({
    value: { fits: false },
  })
})

test('a refund is never more than the remaining amount, and only a full refund ends the review', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000 }),
      fc.integer({ min: -5, max: 1_005 }),
      (remaining, amount) => {
        const result = decideReview(
          createReview('misfit', { left: toAmount(remaining) }),
          { what: 'refund', amount: toAmount(amount), ...reasonAndUser },
          null,
        )
        expect(result.ok).toBe(amount > 0 && amount <= remaining)
        if (result.ok)
          expect(result.value).toEqual({
            does: 'give-back',
            amount,
            isAll: amount === remaining,
            manualReference: null,
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
  // A payment without a currency or transaction type goes to review. If it were rejected, no
  // payment could ever be made through a gateway that omits them.
  [{ kind: 'other', currency: '', isMatched: true, isPaid: false }, 'misfit'],
] as const)('%j needs a review of kind %s', (transaction, kind) =>
  expect(findReviewKind({ ...transaction, expected: INR })).toBe(kind),
)

test('reasons are stored without surrounding spaces', () => {
  expect(checkGrounds({ why: ' a \n', who: ' b ' })).toEqual({
    ok: true,
    value: { why: 'a', who: 'b' },
  })
})

test('a payment in euros cannot be moved to a registration that is priced in rupees', () => {
  const receivedInEuros = { ...receivedPayment, currency: 'EUR' }
  const review = createReview('unmatched', { came: receivedInEuros, currency: 'EUR' as Currency })
  expect(describeResult(review, decisions.move, createTarget())).toBe('no_target')
})

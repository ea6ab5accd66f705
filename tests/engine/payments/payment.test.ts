import { describe, expect, it, test } from 'vitest'
import {
  applyFact,
  expectOk,
  failureOf,
  instant,
  paise,
  reviewOf,
  type OrderId,
  type Payment,
  type PaymentEvent,
} from '../../../engine/index.ts'

const early = instant(1_000)
const at = instant(2_000)
const payment = (status: Payment['status']): Payment => ({
  orderId: 'SAMP1' as OrderId,
  amount: paise(708000),
  status,
  review: null,
})
const states = {
  pending: payment({ is: 'pending' }),
  success: payment({ is: 'success', reference: 'G1', at: early, paidAt: early }),
  failed: payment({ is: 'failed', reason: 'no money', at: early }),
  refunded: payment({ is: 'refunded', reference: 'G1', at: early }),
}
const confirmed = (
  more: Partial<Extract<PaymentEvent, { type: 'confirmed' }>> = {},
): PaymentEvent => ({
  type: 'confirmed',
  reference: 'G1',
  amount: paise(708000),
  currency: '356',
  kind: 'sale',
  at,
  ...more,
})
const facts = {
  confirmed: confirmed(),
  letters: confirmed({ currency: 'INR' }),
  again: confirmed({ reference: 'G2' }),
  less: confirmed({ amount: paise(707999) }),
  dollars: confirmed({ currency: '840' }),
  auth: confirmed({ kind: 'other' }),
  test: confirmed({ kind: 'test' }),
  late: confirmed({ afterClosing: true }),
  declined: { type: 'declined', code: '400', message: 'Bank said no', at },
  expired: { type: 'expired', at },
  undecided: { type: 'undecided', at },
  refunded: { type: 'refunded', reference: 'R1', amount: paise(708000), at },
  partly: { type: 'refunded', reference: 'R1', amount: paise(1), at },
} satisfies Record<string, PaymentEvent>

/** Every state meets every fact: `=` unchanged, a status, or a refusal's code. */
const table: Record<keyof typeof states, Record<keyof typeof facts, string>> = {
  pending: {
    confirmed: 'success',
    letters: 'success',
    again: 'success',
    less: 'amount_differs',
    dollars: 'currency_differs',
    auth: 'not_a_sale',
    test: 'test_transaction',
    late: 'after_closing',
    declined: 'failed',
    expired: 'failed',
    undecided: 'undecided',
    refunded: 'not_paid',
    partly: 'not_paid',
  },
  failed: {
    confirmed: 'success',
    letters: 'success',
    again: 'success',
    less: 'amount_differs',
    dollars: 'currency_differs',
    auth: 'not_a_sale',
    test: 'test_transaction',
    late: 'after_closing',
    declined: '=',
    expired: '=',
    undecided: '=',
    refunded: 'not_paid',
    partly: 'not_paid',
  },
  success: {
    confirmed: '=',
    letters: '=',
    again: 'paid_twice',
    less: '=',
    dollars: '=',
    auth: 'not_a_sale',
    test: '=',
    late: '=',
    declined: 'already_success',
    expired: 'already_success',
    undecided: '=',
    refunded: 'refunded',
    partly: 'success',
  },
  refunded: {
    confirmed: '=',
    letters: '=',
    again: 'paid_twice',
    less: '=',
    dollars: '=',
    auth: 'not_a_sale',
    test: '=',
    late: '=',
    declined: 'already_success',
    expired: 'already_success',
    undecided: '=',
    refunded: 'more_back_than_came',
    partly: 'more_back_than_came',
  },
}

describe.each(Object.entries(states))('a %s payment', (state, before) => {
  test.each(Object.entries(facts))('meets %s', (name, fact) => {
    const expected = table[state as keyof typeof states][name as keyof typeof facts]
    const result = applyFact(before, fact)
    if (!result.ok) expect(result.error.code).toBe(expected)
    else if (expected === '=') expect(result.value).toBe(before)
    else expect(result.value.status.is).toBe(expected)
  })
})

it('takes the time of payment from the gateway, beside the moment we were told', () => {
  expect(applyFact(states.pending, confirmed({ paidAt: early }))).toMatchObject({
    ok: true,
    value: { status: { at, paidAt: early } },
  })
})

it('two captures of one order are one success and a review that names the other', () => {
  const second = { reference: 'G7', amount: paise(708000), kind: 'sale' as const }
  expect(applyFact(states.pending, confirmed({ further: [second] }))).toMatchObject({
    ok: true,
    value: {
      status: { is: 'success', reference: 'G1' },
      review: 'Payment received a second time, as G7. The first payment is G1.',
    },
  })
})

test.each([
  ['400', 'no money', 'declined'],
  ['405', '405', 'declined'],
  ['502', 'Cancelled', 'declined'],
  // Stored before these codes were known to be no end: money may have come of them.
  ['401', 'Dropped', 'unclear'],
  ['403', 'Incomplete', 'unclear'],
  [null, 'expired', 'expired'],
  // The bank's own words are no reason of ours.
  ['400', 'expired', 'declined'],
  [null, null, 'unclear'],
])('failed with code %s and the reason %s: %s', (code, reason, failure) =>
  expect(failureOf(code, reason)).toBe(failure),
)

test('whatever made it fail, money that came all the same and is refunded is what is said', () => {
  for (const code of ['400', '401', null]) expect(failureOf(code, null, true)).toBe('given-back')
})

it('keeps reference, moment and reason of what happened', () => {
  expect(applyFact(states.failed, facts.again)).toEqual({
    ok: true,
    value: { ...states.failed, status: { is: 'success', reference: 'G2', at, paidAt: at } },
  })
  expect(applyFact(states.pending, facts.declined)).toEqual({
    ok: true,
    value: { ...states.pending, status: { is: 'failed', reason: 'Bank said no', at } },
  })
  expect(applyFact(states.pending, facts.less)).toEqual({
    ok: false,
    error: { code: 'amount_differs', expected: 708000, got: 707999 },
  })
  expect(applyFact(states.success, facts.again)).toEqual({
    ok: false,
    error: { code: 'paid_twice', first: 'G1', second: 'G2' },
  })
})

it('a confirmation delivered again after the refund is no second payment', () => {
  const refunded = applyFact(states.success, facts.refunded)
  expect(refunded.ok && applyFact(refunded.value, facts.confirmed)).toEqual(refunded)
})

it('refunds in parts: a success until all of it is back, and never more than came', () => {
  const part = (reference: string): PaymentEvent => ({
    type: 'refunded',
    reference,
    amount: paise(300000),
    at,
  })
  const once = expectOk(applyFact(states.success, part('R1')))
  const twice = expectOk(applyFact(once, part('R2')))
  expect([once.status.is, twice.status.is]).toEqual(['success', 'success'])
  expect(applyFact(twice, part('R3'))).toEqual({
    ok: false,
    error: { code: 'more_back_than_came', came: 708000, got: 900000 },
  })
  const rest: PaymentEvent = { type: 'refunded', reference: 'R3', amount: paise(108000), at }
  expect(expectOk(applyFact(twice, rest)).status).toEqual({ is: 'refunded', reference: 'G1', at })
})

it('money that does not fit is a person’s work; a late no is nobody’s', () => {
  expect(reviewOf({ code: 'amount_differs', expected: paise(708000), got: paise(707999) })).toBe(
    'Received ₹\u00a07,079.99, expected ₹\u00a07,080.',
  )
  expect(reviewOf({ code: 'paid_twice', first: 'G1', second: 'G2' })).toBe(
    'Payment received a second time, as G2. The first payment is G1.',
  )
  for (const code of ['not_a_sale', 'after_closing', 'not_paid'] as const)
    expect(reviewOf({ code })).not.toBeNull()
  expect(reviewOf({ code: 'already_success' })).toBeNull()
})

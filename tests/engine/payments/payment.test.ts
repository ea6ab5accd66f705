/** The state of a payment after each event, and the reasons for a payment review. */
import { describe, expect, it, test } from 'vitest'
import {
  INR,
  applyPaymentEvent,
  expectOk,
  findFailure,
  instant,
  toAmount,
  findReviewReason,
  updateReasonOfSecondPayment,
  type OrderId,
  type Payment,
  type PaymentEvent,
} from '../../../engine/index.ts'

const earlyInstant = instant(1_000)
const paidAt = instant(2_000)
const createPayment = (status: Payment['status']): Payment => ({
  orderId: 'SAMP1' as OrderId,
  amount: toAmount(708000),
  currency: INR,
  status,
  review: null,
})
const states = {
  pending: createPayment({ is: 'pending' }),
  success: createPayment({
    is: 'success',
    reference: 'G1',
    at: earlyInstant,
    paidAt: earlyInstant,
  }),
  failed: createPayment({ is: 'failed', reason: 'no money', at: earlyInstant }),
  refunded: createPayment({ is: 'refunded', reference: 'G1', at: earlyInstant }),
}
const createConfirmation = (
  overrides: Partial<Extract<PaymentEvent, { type: 'confirmed' }>> = {},
): PaymentEvent => ({
  type: 'confirmed',
  reference: 'G1',
  amount: toAmount(708000),
  currency: '356',
  kind: 'sale',
  at: paidAt,
  ...overrides,
})
const paymentEvents = {
  confirmed: createConfirmation(),
  letters: createConfirmation({ currency: 'INR' }),
  again: createConfirmation({ reference: 'G2' }),
  less: createConfirmation({ amount: toAmount(707999) }),
  dollars: createConfirmation({ currency: '840' }),
  auth: createConfirmation({ kind: 'other' }),
  test: createConfirmation({ kind: 'test' }),
  late: createConfirmation({ afterClosing: true }),
  declined: { type: 'declined', code: '400', message: 'Bank said no', at: paidAt },
  expired: { type: 'expired', at: paidAt },
  undecided: { type: 'undecided', at: paidAt },
  refunded: { type: 'refunded', reference: 'R1', amount: toAmount(708000), at: paidAt },
  partly: { type: 'refunded', reference: 'R1', amount: toAmount(1), at: paidAt },
} satisfies Record<string, PaymentEvent>

/** The result of every payment event in every state: `=` if unchanged, the new status, or the error code. */
const expectedResults: Record<keyof typeof states, Record<keyof typeof paymentEvents, string>> = {
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

describe.each(Object.entries(states))('a %s payment', (state, paymentBefore) => {
  test.each(Object.entries(paymentEvents))('has the expected state after %s', (name, event) => {
    const expected =
      expectedResults[state as keyof typeof states][name as keyof typeof paymentEvents]
    const result = applyPaymentEvent(paymentBefore, event)
    if (!result.ok) expect(result.error.code).toBe(expected)
    else if (expected === '=') expect(result.value).toBe(paymentBefore)
    else expect(result.value.status.is).toBe(expected)
  })
})

it('the time of payment is the time from the gateway, not the time of its message', () => {
  expect(
    applyPaymentEvent(states.pending, createConfirmation({ paidAt: earlyInstant })),
  ).toMatchObject({
    ok: true,
    value: { status: { at: paidAt, paidAt: earlyInstant } },
  })
})

it('two captures of one order result in a success and a review with the second reference', () => {
  const secondCapture = { reference: 'G7', amount: toAmount(708000), kind: 'sale' as const }
  expect(
    applyPaymentEvent(states.pending, createConfirmation({ further: [secondCapture] })),
  ).toMatchObject({
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
  // Stored as failures by older versions, although these codes are temporary: the payment may have succeeded.
  ['401', 'Dropped', 'unclear'],
  ['403', 'Incomplete', 'unclear'],
  [null, 'expired', 'expired'],
  // The bank's text is not one of Rollcall's reasons.
  ['400', 'expired', 'declined'],
  [null, null, 'unclear'],
])('a failure with code %s and reason %s is explained as %s', (code, reason, failure) =>
  expect(findFailure(code, reason)).toBe(failure),
)

test('the status shows a refund, whatever the reason for the earlier failure', () => {
  for (const code of ['400', '401', null]) expect(findFailure(code, null, true)).toBe('given-back')
})

it('a payment stores the reference, time and reason of each event', () => {
  expect(applyPaymentEvent(states.failed, paymentEvents.again)).toEqual({
    ok: true,
    value: { ...states.failed, status: { is: 'success', reference: 'G2', at: paidAt, paidAt } },
  })
  expect(applyPaymentEvent(states.pending, paymentEvents.declined)).toEqual({
    ok: true,
    value: { ...states.pending, status: { is: 'failed', reason: 'Bank said no', at: paidAt } },
  })
  expect(applyPaymentEvent(states.pending, paymentEvents.less)).toEqual({
    ok: false,
    error: { code: 'amount_differs', expected: 708000, got: 707999, currency: INR },
  })
  expect(applyPaymentEvent(states.success, paymentEvents.again)).toEqual({
    ok: false,
    error: { code: 'paid_twice', first: 'G1', second: 'G2' },
  })
})

it('a confirmation that is delivered again after the refund is not a second payment', () => {
  const refundResult = applyPaymentEvent(states.success, paymentEvents.refunded)
  expect(refundResult.ok && applyPaymentEvent(refundResult.value, paymentEvents.confirmed)).toEqual(
    refundResult,
  )
})

it('a payment with partial refunds is successful until it is fully refunded, and refunds never exceed the payment', () => {
  const createPartialRefund = (reference: string): PaymentEvent => ({
    type: 'refunded',
    reference,
    amount: toAmount(300000),
    at: paidAt,
  })
  const paymentAfterFirstRefund = expectOk(
    applyPaymentEvent(states.success, createPartialRefund('R1')),
  )
  const paymentAfterSecondRefund = expectOk(
    applyPaymentEvent(paymentAfterFirstRefund, createPartialRefund('R2')),
  )
  expect([paymentAfterFirstRefund.status.is, paymentAfterSecondRefund.status.is]).toEqual([
    'success',
    'success',
  ])
  expect(applyPaymentEvent(paymentAfterSecondRefund, createPartialRefund('R3'))).toEqual({
    ok: false,
    error: { code: 'more_back_than_came', came: 708000, got: 900000, currency: INR },
  })
  const remainingRefund: PaymentEvent = {
    type: 'refunded',
    reference: 'R3',
    amount: toAmount(108000),
    at: paidAt,
  }
  expect(expectOk(applyPaymentEvent(paymentAfterSecondRefund, remainingRefund)).status).toEqual({
    is: 'refunded',
    reference: 'G1',
    at: paidAt,
  })
})

it('a payment with a different amount needs a review; a late failure does not', () => {
  expect(
    findReviewReason({
      code: 'amount_differs',
      expected: toAmount(708000),
      got: toAmount(707999),
      currency: INR,
    }),
  ).toBe('The payment is ₹\u00a07,079.99 instead of ₹\u00a07,080.')
  expect(findReviewReason({ code: 'paid_twice', first: 'G1', second: 'G2' })).toBe(
    'Payment received a second time, as G2. The first payment is G1.',
  )
  for (const code of ['not_a_sale', 'after_closing', 'not_paid'] as const)
    expect(findReviewReason({ code })).not.toBeNull()
  expect(findReviewReason({ code: 'already_success' })).toBeNull()
})

it('once another payment counts, a review states that its payment is a second one, and keeps the reasons that still apply', () => {
  const amounts = { expected: toAmount(708_050), got: toAmount(707_999), currency: INR }
  const isSecond = 'Payment received a second time, as G2. The first payment is G1.'
  const duplicate = 'The bank reference 5261 is also recorded for DEMO1. Check the bank statement.'
  const update = (reason: string) => updateReasonOfSecondPayment(reason, 'G1', 'G2')
  for (const refusal of [
    { code: 'amount_differs', ...amounts },
    { code: 'place_gone', place: 'Hall A. ICU' },
    { code: 'after_closing' },
    { code: 'after_hold' },
  ] as const) {
    const reason = findReviewReason(refusal) ?? ''
    expect([update(reason), update(`${reason} ${duplicate}`)]).toEqual([
      isSecond,
      `${isSecond} ${duplicate}`,
    ])
  }
  for (const reason of [isSecond, duplicate, findReviewReason({ code: 'not_a_sale' }) ?? ''])
    expect(update(reason)).toBe(reason)
  expect(update(`Payment moved here: ₹ 1,000.50 received, ₹ 2,000 due. ${duplicate}`)).toBe(
    `Payment moved here, but this registration is already paid. ${duplicate}`,
  )
})

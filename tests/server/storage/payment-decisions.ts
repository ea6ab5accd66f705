/** Helpers for tests of payment reviews: open reviews, decisions and revenue. */
import { dayOf, toAmount } from '../../../engine/index.ts'
import type { Decision, Amount, PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { RefundResponse, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  HOUR_MS,
  addMs,
  newEmail,
  noon,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'

export const day = 24 * HOUR_MS
export const due = sampleQuote.total
export const grounds = { why: 'Seen in the panel.', who: 'treasurer' }
export const acceptDecision = { what: 'accept', reference: null, amount: null, ...grounds } as const
export const askDecision = { what: 'ask', ...grounds } as const
export const dismissDecision = { what: 'dismiss', ...grounds } as const
export const buildRefundDecision = (amount: number | null = null) =>
  ({ what: 'refund', amount: amount === null ? null : toAmount(amount), ...grounds }) as const
export const buildMoveDecision = (to: string) => ({ what: 'move', to, ...grounds }) as const
export type ConfirmedEvent = PaymentEvent & { readonly type: 'confirmed' }
export const buildRefund = (
  reference: string,
  amount: number,
  at = addMs(2 * day),
): PaymentEvent => ({
  type: 'refunded',
  reference,
  amount: toAmount(amount),
  at,
})
export const createRefundResponse = (is: 'refused' | 'not-sent' | 'unsure'): RefundResponse => ({
  is,
  message: 'As it says.',
  raw: '{}',
  gateway: 'airpay',
})
export const createStartedRefundResponse = (reference: string): RefundResponse => ({
  is: 'begun',
  reference,
  message: '',
  raw: '{}',
  gateway: 'airpay',
})

/** Creates helpers for reviews. `store` is a function, because tests reopen the store. */
export function createReviewHelpers(store: () => Store) {
  const listOpenReviews = async () =>
    (await store().reviews('demo')).map(({ id, is }) => [id.charAt(0), is])
  const readSingleReviewId = async (): Promise<string> => {
    const [review, ...others] = await store().reviews('demo')
    if (review === undefined || others.length > 0) throw new Error('expected one open review')
    return review.id
  }
  const decide = (id: string, decision: Decision, at = addMs(day)) =>
    store().decideReview(id, decision, at, newEmail)
  const readRevenue = async (): Promise<number> =>
    (await store().dashboardFigures('demo', dayOf(noon))).revenue
  /** Returns the sum of the accepted captures minus their refunds, which must equal the revenue. */
  const sumPayments = async (...regNos: readonly RegNo[]): Promise<number> => {
    let sum = 0
    for (const regNo of regNos) {
      const accepted = (await store().captures(regNo)).filter(
        ({ state }) => state === 'fits' || state === 'accepted',
      )
      const refunds = (await store().refunds(regNo)).filter(
        ({ state, captureId }) => state === 'done' && accepted.some(({ id }) => id === captureId),
      )
      sum += accepted.reduce((subtotal, { amount }) => subtotal + amount, 0)
      sum -= refunds.reduce((subtotal, { amount }) => subtotal + amount, 0)
    }
    return sum
  }
  /** Creates a registration for which 4,000 was paid instead of 5,015. */
  const payWrongAmount = async (reference = 'AP1', amount: Amount = toAmount(400_000)) => {
    const registration = await registerSample(store())
    await store().applyPaymentEvent(registration.orderId, buildSale(reference, amount), newEmail)
    return registration
  }
  /** Creates a paid registration with a second payment. */
  const payTwice = async (first = 'AP1', second = 'AP2') => {
    const registration = await registerSample(store())
    await store().applyPaymentEvent(registration.orderId, buildSale(first), newEmail)
    await store().applyPaymentEvent(registration.orderId, buildSale(second), newEmail)
    return registration
  }

  return {
    listOpenReviews,
    readSingleReviewId,
    decide,
    readRevenue,
    sumPayments,
    payWrongAmount,
    payTwice,
  }
}

/** People who decide, as the store's tests need them: what waits, what was decided, what the sums say. */
import { dayOf, paise } from '../../../engine/index.ts'
import type { Decision, Paise, PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { RefundResponse, Store } from '../../../server/storage/index.ts'
import {
  confirmedBy,
  hour,
  later,
  newEmail,
  noon,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'

export const day = 24 * hour
export const due = sampleQuote.total
export const grounds = { why: 'Seen in the panel.', who: 'treasurer' }
export const accept = { what: 'accept', reference: null, amount: null, ...grounds } as const
export const dismiss = { what: 'dismiss', ...grounds } as const
export const refund = (amount: number | null = null) =>
  ({ what: 'refund', amount: amount === null ? null : paise(amount), ...grounds }) as const
export const move = (to: string) => ({ what: 'move', to, ...grounds }) as const
export type Came = PaymentEvent & { readonly type: 'confirmed' }
export const wentBack = (reference: string, amount: number, at = later(2 * day)): PaymentEvent => ({
  type: 'refunded',
  reference,
  amount: paise(amount),
  at,
})
export const told = (is: 'refused' | 'not-sent' | 'unsure'): RefundResponse => ({
  is,
  said: 'As it says.',
  raw: '{}',
  gateway: 'airpay',
})
export const begun = (reference: string): RefundResponse => ({
  is: 'begun',
  reference,
  said: '',
  raw: '{}',
  gateway: 'airpay',
})

/** `store` is a function, because tests open it anew. */
export function people(store: () => Store) {
  const waiting = async () =>
    (await store().reviews('demo')).map(({ id, is }) => [id.charAt(0), is])
  const only = async (): Promise<string> => {
    const [review, ...more] = await store().reviews('demo')
    if (review === undefined || more.length > 0) throw new Error('not one review')
    return review.id
  }
  const decide = (id: string, decision: Decision, at = later(day)) =>
    store().decideReview(id, decision, at, newEmail)
  const revenue = async (): Promise<number> =>
    (await store().dashboardFigures('demo', dayOf(noon))).revenue
  /** What counts, less what has gone back of it: the figures say the same. */
  const sumOf = async (...regNos: readonly RegNo[]): Promise<number> => {
    let sum = 0
    for (const regNo of regNos) {
      const counting = (await store().captures(regNo)).filter(
        ({ state }) => state === 'fits' || state === 'accepted',
      )
      const back = (await store().refunds(regNo)).filter(
        ({ state, captureId }) => state === 'done' && counting.some(({ id }) => id === captureId),
      )
      sum += counting.reduce((all, { amount }) => all + amount, 0)
      sum -= back.reduce((all, { amount }) => all + amount, 0)
    }
    return sum
  }
  /** A registration for which 4,000 came instead of 5,015. */
  const misfit = async (reference = 'AP1', amount: Paise = paise(400_000)) => {
    const one = await registerSample(store())
    await store().applyPaymentEvent(one.orderId, confirmedBy(reference, amount), newEmail)
    return one
  }
  /** A paid registration for which money came a second time. */
  const twice = async (first = 'AP1', second = 'AP2') => {
    const one = await registerSample(store())
    await store().applyPaymentEvent(one.orderId, confirmedBy(first), newEmail)
    await store().applyPaymentEvent(one.orderId, confirmedBy(second), newEmail)
    return one
  }

  return { waiting, only, decide, revenue, sumOf, misfit, twice }
}

/** The life of a payment: pending → success | failed; failed → success; success → refunded; never success → failed. */
import { formatMoney, type Paise } from './money.ts'
import type { OrderId } from './numbers.ts'
import { assertNever, err, ok, type Result } from './outcome.ts'
import type { Instant } from './time.ts'

export type PaymentStatus = 'pending' | 'success' | 'failed' | 'refunded'
export type Payment = {
  readonly orderId: OrderId
  readonly amount: Paise
  readonly status:
    | { readonly is: 'pending' }
    | { readonly is: 'success'; readonly reference: string; readonly at: Instant }
    | { readonly is: 'failed'; readonly reason: string; readonly at: Instant }
    /** `reference` stays that of the sale, so that a confirmation delivered again is known; the refund's own stands in its fact. */
    | { readonly is: 'refunded'; readonly reference: string; readonly at: Instant }
  /** Set when money arrived that does not fit; a person decides. */
  readonly review: string | null
}
/** What the gateway has confirmed to us when asked, in the past tense. Appended, never edited. */
export type PaymentFact =
  | {
      readonly type: 'confirmed'
      readonly reference: string
      readonly amount: Paise
      readonly currency: string
      readonly kind: 'sale' | 'other'
      readonly at: Instant
      /** The money came after the event had closed, for an order of an earlier day. */ readonly afterClosing?: true
    }
  | {
      readonly type: 'declined'
      readonly code: string
      readonly message: string
      readonly at: Instant
    }
  | { readonly type: 'expired'; readonly at: Instant }
  | {
      readonly type: 'refunded'
      readonly reference: string
      readonly amount: Paise
      readonly at: Instant
    }
export type PaymentRefusal =
  | { readonly code: 'paid_twice'; readonly first: string; readonly second: string }
  | { readonly code: 'amount_differs'; readonly expected: Paise; readonly got: Paise }
  | { readonly code: 'currency_differs'; readonly got: string }
  | { readonly code: 'not_a_sale' }
  | { readonly code: 'after_closing' }
  | { readonly code: 'already_success' }
  | { readonly code: 'not_paid' }

// The Indian rupee by its letters and by its number; gateways send either.
export const RUPEE_CODES = ['INR', '356']

/**
 * Pure; the store writes the fact and the result in one transaction. A repeated confirmation with the
 * same gateway reference returns the payment unchanged, because gateways deliver twice. Money that came
 * late still came: a failed payment may become a success, never the other way round.
 */
export function applyFact(payment: Payment, fact: PaymentFact): Result<Payment, PaymentRefusal> {
  const { status } = payment
  const paid = status.is === 'success' || status.is === 'refunded'
  switch (fact.type) {
    case 'confirmed': {
      if (paid)
        return status.reference === fact.reference
          ? ok(payment)
          : err({ code: 'paid_twice', first: status.reference, second: fact.reference })
      if (fact.kind !== 'sale') return err({ code: 'not_a_sale' })
      if (!RUPEE_CODES.includes(fact.currency))
        return err({ code: 'currency_differs', got: fact.currency })
      if (fact.amount !== payment.amount)
        return err({ code: 'amount_differs', expected: payment.amount, got: fact.amount })
      if (fact.afterClosing === true) return err({ code: 'after_closing' })
      return ok({ ...payment, status: { is: 'success', reference: fact.reference, at: fact.at } })
    }
    case 'declined':
    case 'expired': {
      if (paid) return err({ code: 'already_success' })
      if (status.is === 'failed') return ok(payment)
      const reason =
        fact.type === 'expired' ? 'expired' : fact.message === '' ? fact.code : fact.message
      return ok({ ...payment, status: { is: 'failed', reason, at: fact.at } })
    }
    case 'refunded': {
      if (status.is === 'refunded') return ok(payment)
      if (status.is !== 'success') return err({ code: 'not_paid' })
      if (fact.amount !== payment.amount)
        return err({ code: 'amount_differs', expected: payment.amount, got: fact.amount })
      return ok({
        ...payment,
        status: { is: 'refunded', reference: status.reference, at: fact.at },
      })
    }
    default:
      return assertNever(fact)
  }
}

/** What a person has to decide after a refusal; null: nothing, a late "no" to what is paid changes nothing. */
export function reviewOf(refusal: PaymentRefusal): string | null {
  switch (refusal.code) {
    case 'paid_twice':
      return `Money came a second time, as ${refusal.second}; the first payment is ${refusal.first}.`
    case 'amount_differs':
      return `${formatMoney(refusal.got)} came instead of ${formatMoney(refusal.expected)}.`
    case 'currency_differs':
      return `The payment is in ${refusal.got === '' ? 'an unnamed currency' : refusal.got}, not in rupees.`
    case 'not_a_sale':
      return 'The gateway names a transaction that is not a sale.'
    case 'after_closing':
      return 'Money came after registration had closed.'
    case 'not_paid':
      return 'A refund came for a payment that is not a success here.'
    case 'already_success':
      return null
    default:
      return assertNever(refusal)
  }
}

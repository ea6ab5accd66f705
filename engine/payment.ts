/** The life of a payment: pending → success | failed; failed → success; success → refunded; never success → failed. */
import type { Payment, PaymentFact, PaymentRefusal, Result } from './config.ts'
import { formatMoney } from './money.ts'
import { assertNever, err, ok } from './outcome.ts'

// The Indian rupee by its letters and by its number; gateways send either.
const rupeeCodes = ['INR', '356']

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
          : err({ code: 'paid_twice', first: status.reference })
      if (fact.kind !== 'sale') return err({ code: 'not_a_sale' })
      if (!rupeeCodes.includes(fact.currency))
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
      return `Money came a second time; the first payment is ${refusal.first}.`
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

/** The life of a payment: pending → success | failed; failed → success; success → refunded; never success → failed. */
import { formatMoney, paise, type Paise } from '../lib/money.ts'
import type { OrderId } from '../event/registration-number.ts'
import { assert, assertNever, err, ok, type Result } from '../lib/result.ts'
import type { Instant } from '../lib/time.ts'

export type Payment = {
  readonly orderId: OrderId
  readonly amount: Paise
  readonly status:
    | { readonly is: 'pending' }
    /** `at`: when we learnt of it. */
    | {
        readonly is: 'success'
        readonly reference: string
        readonly at: Instant
        readonly paidAt: Instant
      }
    | { readonly is: 'failed'; readonly reason: string; readonly at: Instant }
    /** `reference` stays that of the sale, so that a confirmation delivered again is known; the refund's own stands in its fact. */
    | { readonly is: 'refunded'; readonly reference: string; readonly at: Instant }
  /** Set when money arrived that does not fit; a person decides. */
  readonly review: string | null
  /** What came for it and how much of that has gone back; left out: as much as was asked for, and nothing. */
  readonly money?: { readonly came: Paise; readonly back: Paise }
}
/** One capture, as the gateway says it. */
type MoneySaid = {
  readonly reference: string
  readonly amount: Paise
  /** `test`: of the gateway's test mode, so that no money moved. */
  readonly kind: 'sale' | 'other' | 'test'
  /** When the money moved, as the gateway says; left out: it does not say, or nothing that can be. */
  readonly paidAt?: Instant
  /** The money moved after the event had closed, for an order of an earlier day. */
  readonly afterClosing?: true
  /** It moved when the price of the order was held no more, and the day's was another. */
  readonly afterHold?: true
}
/** What the gateway has confirmed to us when asked, in the past tense. Appended, never edited. */
export type PaymentFact =
  | (MoneySaid & {
      readonly type: 'confirmed'
      readonly currency: string
      /** When we were told. */
      readonly at: Instant
      /** Further captures of the same order: money that nobody asked for. `currency` left out: that of the first. */
      readonly further?: readonly (MoneySaid & { readonly currency?: string })[]
      /** What of it has gone back, each under a reference of its own. */
      readonly refunds?: readonly RefundSaid[]
    })
  | {
      readonly type: 'declined'
      readonly code: string
      readonly message: string
      readonly at: Instant
    }
  | { readonly type: 'expired'; readonly at: Instant }
  /** The gateway was asked for days and gave no final answer. */
  | { readonly type: 'undecided'; readonly at: Instant }
  /** `further`: what went back besides, where the gateway names it without the payment. */
  | ({
      readonly type: 'refunded'
      readonly at: Instant
      readonly further?: readonly RefundSaid[]
    } & RefundSaid)
export type RefundSaid = { readonly reference: string; readonly amount: Paise }
export type PaymentRefusal =
  | { readonly code: 'paid_twice'; readonly first: string; readonly second: string }
  | { readonly code: 'amount_differs'; readonly expected: Paise; readonly got: Paise }
  | { readonly code: 'currency_differs'; readonly got: string }
  | { readonly code: 'not_a_sale' }
  | { readonly code: 'test_transaction' }
  | { readonly code: 'after_closing' }
  | { readonly code: 'after_hold' }
  /** `place`: what people call it. */
  | { readonly code: 'place_gone'; readonly place: string }
  /** People have ended its registration. */
  | { readonly code: 'ended'; readonly state: 'cancelled' | 'refused' }
  | { readonly code: 'already_success' }
  | { readonly code: 'undecided' }
  | { readonly code: 'not_paid' }
  | { readonly code: 'more_back_than_came'; readonly came: Paise; readonly got: Paise }

/** Ends by itself when a final answer comes after all. */
export const UNDECIDED = 'The gateway has given no final answer for five days.'

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
      if (paid) {
        if (status.reference !== fact.reference)
          return err({ code: 'paid_twice', first: status.reference, second: fact.reference })
        // The bank may take back what was paid: a chargeback, a void.
        if (fact.kind === 'other') return err({ code: 'not_a_sale' })
        return ok(paidAgain(payment, fact.reference, fact.further ?? []))
      }
      if (fact.kind === 'test') return err({ code: 'test_transaction' })
      if (fact.kind !== 'sale') return err({ code: 'not_a_sale' })
      if (!RUPEE_CODES.includes(fact.currency))
        return err({ code: 'currency_differs', got: fact.currency })
      if (fact.amount !== payment.amount)
        return err({ code: 'amount_differs', expected: payment.amount, got: fact.amount })
      if (fact.afterClosing === true) return err({ code: 'after_closing' })
      if (fact.afterHold === true) return err({ code: 'after_hold' })
      const { reference, at, paidAt = at, further = [] } = fact
      const success: Payment = {
        ...answered(payment),
        status: { is: 'success', reference, at, paidAt },
      }
      return ok(paidAgain(success, reference, further))
    }
    case 'declined':
    case 'expired': {
      if (paid) return err({ code: 'already_success' })
      if (status.is === 'failed') return ok(payment)
      const reason =
        fact.type === 'expired' ? 'expired' : fact.message === '' ? fact.code : fact.message
      return ok({ ...answered(payment), status: { is: 'failed', reason, at: fact.at } })
    }
    case 'undecided':
      return status.is === 'pending' ? err({ code: 'undecided' }) : ok(payment)
    case 'refunded': {
      if (status.is !== 'success' && status.is !== 'refunded') return err({ code: 'not_paid' })
      const isAll = status.is === 'refunded'
      const { came = payment.amount, back = isAll ? came : paise(0) } = payment.money ?? {}
      const gone = paise(back + fact.amount)
      if (gone > came) return err({ code: 'more_back_than_came', came, got: gone })
      const { reference } = status
      return ok({
        ...payment,
        money: { came, back: gone },
        status: gone === came ? { is: 'refunded', reference, at: fact.at } : status,
      })
    }
    default:
      return assertNever(fact)
  }
}

function paidAgain(
  payment: Payment,
  first: string,
  further: readonly { readonly reference: string }[],
): Payment {
  if (further.length === 0) return payment
  const reasons = further.map(({ reference: second }) => secondTime(first, second))
  const before = payment.review === null ? [] : [payment.review]
  return { ...payment, review: [...before, ...reasons].join(' ') }
}

function secondTime(first: string, second: string): string {
  return `Money came a second time, as ${second}; the first payment is ${first}.`
}

/** How a payment that failed did so: the bank said no, nobody paid in time, what came is refunded, or it is not known any more. */
export type Failure = 'declined' | 'expired' | 'given-back' | 'unclear'

/**
 * How a registration stands with the money: paid or nothing to pay; no money known, so that it may be paid;
 * perhaps on its way; before a person; failed; given back; ended by people, whatever of its money is still there.
 */
export type Stands =
  | 'complete'
  | 'not-paid'
  | 'at-bank'
  | 'organisers'
  | 'failed'
  | 'refunded'
  | 'cancelled'
  /** The delegate pays by themselves, outside: has not told us yet, has told us; did not in time. */
  | 'by-hand'
  | 'told'
  | 'lapsed'
  /** Somebody sees it first; somebody has, and has refused it. */
  | 'to-approve'
  | 'refused'

/** The codes after which no money is on its way: failed, bounced, cancelled. After any other one it may be. */
const DECLINED_FOR_GOOD = ['400', '405', '502']

/**
 * Of one attempt: the gateway's code when it was declined, null where it was not; and the reason that was stored.
 * `isGivenBack`: money came for it all the same, and people had it refunded.
 */
export function failureOf(
  code: string | null,
  reason: string | null,
  isGivenBack: boolean = false,
): Failure {
  if (isGivenBack) return 'given-back'
  if (code !== null) return DECLINED_FOR_GOOD.includes(code) ? 'declined' : 'unclear'
  return reason === 'expired' ? 'expired' : 'unclear'
}

/** A person has decided that this money counts; what is said of it again is known by its reference. */
export function acceptedAs(
  payment: Payment,
  money: { readonly reference: string; readonly amount: Paise; readonly paidAt: Instant },
  at: Instant,
): Payment {
  const { reference, amount, paidAt } = money
  assert(payment.status.is !== 'success', 'money was accepted for what is paid already')
  assert(payment.status.is !== 'refunded', 'money was accepted for what was refunded')
  return {
    ...payment,
    status: { is: 'success', reference, at, paidAt },
    money: { came: amount, back: paise(0) },
  }
}

/** A person has decided that no money counts for it. What has ended stays as it is. */
export function endedWithout(payment: Payment, reason: string, at: Instant): Payment {
  return payment.status.is === 'pending'
    ? { ...payment, status: { is: 'failed', reason, at } }
    : payment
}

function answered(payment: Payment): Payment {
  const rest = payment.review?.replace(UNDECIDED, '').trim() ?? ''
  return { ...payment, review: rest === '' ? null : rest }
}

/** What a person has to decide after a refusal; null: nothing, a late "no" to what is paid changes nothing. */
export function reviewOf(refusal: PaymentRefusal): string | null {
  switch (refusal.code) {
    case 'paid_twice':
      return secondTime(refusal.first, refusal.second)
    case 'amount_differs':
      return `Received ${formatMoney(refusal.got)}, expected ${formatMoney(refusal.expected)}.`
    case 'currency_differs':
      return `The payment is in ${refusal.got === '' ? 'an unnamed currency' : refusal.got}, not in rupees.`
    case 'not_a_sale':
      return 'The gateway names a transaction that is not a sale.'
    case 'test_transaction':
      return 'The gateway names a test transaction, which moves no money.'
    case 'after_closing':
      return 'Money came after registration had closed.'
    case 'after_hold':
      return 'Money came after its price was no longer held, and the price on that day was different.'
    case 'place_gone':
      return `Money came after its place, ${refusal.place}, was no longer held, and others have it.`
    case 'ended':
      return `Money came after the registration had been ${refusal.state}.`
    case 'not_paid':
      return 'A refund came for a payment that is not a success here.'
    case 'undecided':
      return UNDECIDED
    case 'more_back_than_came':
      return `The gateway says that ${formatMoney(refusal.got)} went back of ${formatMoney(refusal.came)}.`
    case 'already_success':
      return null
    default:
      return assertNever(refusal)
  }
}

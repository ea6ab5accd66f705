/**
 * Payment reviews: the decisions that staff may take on a payment, and the effect of each.
 *
 * Checks, API and buttons all use this table.
 */
import { MAX_REASON_CHARACTERS, trimReason } from '../registration/states-and-actions.ts'
import { type Currency, formatMoney, toAmount, type Amount } from '../lib/money.ts'
import type { OrderId, RegNo } from '../event/registration-number.ts'
import { assertNever, err, ok, type Result } from '../lib/result.ts'
import { explainInvalidReference, MAX_REFERENCE_CHARACTERS } from './bank-reference.ts'
import { describeMovedPayment, isCurrency } from './payment.ts'
import type { Quote } from '../pricing/quote.ts'
import type { Instant } from '../lib/time.ts'

export type DecisionName = 'accept' | 'ask' | 'refund' | 'dismiss' | 'move'

/** The decisions allowed for each kind of review. */
const ALLOWED_DECISIONS = {
  /** A payment that differs from the request, for an unpaid registration. */
  misfit: ['accept', 'ask', 'refund', 'move', 'dismiss'],
  /** A payment for a registration that is already paid, so it cannot be accepted. */
  second: ['refund', 'move', 'dismiss'],
  /** A further payment of at most the missing amount, received after staff accepted less than the price. */
  rest: ['accept', 'refund', 'move', 'dismiss'],
  /** A payment for a registration that was cancelled or refused. */
  ended: ['refund', 'move', 'dismiss'],
  /** A payment in a currency other than the price's. */
  foreign: ['refund', 'dismiss'],
  /** A payment in the gateway's test mode, which moves no money. */
  test: ['dismiss'],
  /** A payment not assigned to a registration yet. */
  unmatched: ['refund', 'move', 'dismiss'],
  /**
   * A payment for which the gateway has given no final response for days. Accepting it requires the
   * reference from the gateway's panel.
   */
  undecided: ['accept', 'dismiss'],
  /** A gateway response that contradicts the stored data, without a known payment. */
  unclear: ['dismiss'],
  /**
   * A payment that counts, but that a bank withdrawal refers to. Staff record a refund with the
   * registration, or dismiss the review if the payment was not returned.
   */
  returned: ['dismiss'],
  /**
   * A refund whose outcome is unknown: mark it as done, request it again, or mark it as never paid.
   */
  'refund-unsure': ['accept', 'refund', 'dismiss'],
  /** A refund that the gateway rejected: mark it as made outside the gateway, request it again, or do not refund. */
  'refund-refused': ['accept', 'refund', 'dismiss'],
} as const satisfies Readonly<Record<string, readonly DecisionName[]>>
export type ReviewKind = keyof typeof ALLOWED_DECISIONS

export function listAllowedDecisions(
  review: Pick<Review, 'is' | 'came' | 'due' | 'dueCurrency' | 'left' | 'currency'>,
): readonly DecisionName[] {
  return ALLOWED_DECISIONS[review.is].filter(
    (decision: DecisionName) => decision !== 'ask' || computeShortfall(review) > 0,
  )
}

/**
 * Returns the shortfall of a received payment. Returns zero if nothing is missing. Also returns zero if part of the
 * payment was refunded, because staff would otherwise request that part again.
 */
function computeShortfall({
  came: received,
  due,
  dueCurrency,
  left,
  currency,
}: Pick<Review, 'came' | 'due' | 'dueCurrency' | 'left' | 'currency'>): Amount {
  const isWhole = received !== null && left > 0 && received.amount === left
  return toAmount(isWhole && due !== null && dueCurrency === currency ? Math.max(0, due - left) : 0)
}

/**
 * `id` is the displayed id: C and a number for a received payment, P for a payment, R for a refund.
 */
export type Review = {
  readonly id: string
  readonly is: ReviewKind
  readonly eventId: string | null
  /** Null if unmatched. */
  readonly regNo: RegNo | null
  readonly orderId: OrderId | null
  /** The delegate's name. Empty if unknown. */
  readonly name: string
  /** Null if no payment is known. `kind` and `currency` are the gateway's values. */
  readonly came: {
    readonly amount: Amount
    readonly currency: string
    readonly kind: 'sale' | 'other' | 'test'
    readonly reference: string
    readonly source: string
    /**
     * The gateway's merchant account. Empty if the payment was received by bank or at the desk, or
     * if unknown.
     */
    readonly account: string
    readonly paidAt: Instant
  } | null
  /** The amount of the attempt, or the balance of a paid registration, in the registration's currency. */
  readonly due: Amount | null
  readonly dueCurrency: Currency
  /** The part that is neither refunded nor being refunded; for a refund, its amount. */
  readonly left: Amount
  /** The currency of the payment. */
  readonly currency: Currency
  /** For a refund: the amount of other refunds for the same registration that were requested later, if any. */
  readonly refundedLater?: Amount
  /** For a refund: the gateway's response. */
  readonly gatewayAnswer: string | null
  readonly why: string
  readonly since: Instant
  /** For a payment whose order is not in the database. Absent if the order is known. */
  readonly unknown?: UnknownPayment
}
export type UnknownPayment = {
  readonly orderId: string
  /** The gateway's values, '' if missing. Null if the gateway does not identify the payer. */
  readonly payer: {
    readonly name: string
    readonly email: string
    readonly phone: string
    readonly way: string
  } | null
  /** The registration to which the order would be a further attempt. Null if there is none. */
  readonly suggested: RegNo | null
}

/**
 * Returns a version that identifies the state a user sees before a decision: registration, kind and amounts of the
 * review.
 */
export function getReviewVersion({ id, regNo, is, due, left, refundedLater }: Review): string {
  return [id, regNo ?? '', is, due ?? '', left, ...(refundedLater ? [refundedLater] : [])].join(':')
}

/** Reason and user name. Both are required, with at most `MAX_REASON_CHARACTERS` characters each. */
export type DecisionGrounds = { readonly why: string; readonly who: string }

export type Decision = DecisionGrounds & {
  /** The result of `getReviewVersion` for the review that the user saw. Defaults to the current version. */
  readonly version?: string
} & (
    | {
        readonly what: 'accept'
        /** The reference in the gateway's panel; required if no payment is known yet. */
        readonly reference: string | null
        /** Null for the requested amount. Only allowed if no payment is known yet. */
        readonly amount: Amount | null
      }
    /** The payment counts, and the rest of the requested amount remains to be paid. */
    | { readonly what: 'ask' }
    /**
     * `amount` null: the whole remaining amount. `manualReference`: the reference of a refund already made
     * outside the gateway. Absent if the refund is made through the gateway.
     */
    | { readonly what: 'refund'; readonly amount: Amount | null; readonly manualReference?: string }
    | { readonly what: 'dismiss' }
    /** `price`: the other registration's price on the payment date, if that date determines the price. */
    | { readonly what: 'move'; readonly to: string; readonly price?: Quote }
  )
/** The registration to which the payment is moved. */
export type MoveTarget = {
  readonly regNo: RegNo
  readonly eventId: string
  /** Null if the registration never had a price to pay. */
  readonly due: Amount | null
  readonly currency: Currency
  readonly isPaid: boolean
}

/** The effect of a decision, which the store applies. */
export type DecisionEffect =
  /** The payment counts: its attempt, or the one to which it is moved, becomes a success. */
  | { readonly does: 'accept'; readonly reference: string | null; readonly amount: Amount }
  /** The payment counts as part of its attempt, and the rest remains due. */
  | { readonly does: 'ask'; readonly amount: Amount }
  /**
   * `isAll`: nothing remains of the payment. `manualReference`: already refunded; null to request the refund
   * from the gateway.
   */
  | {
      readonly does: 'give-back'
      readonly amount: Amount
      readonly isAll: boolean
      readonly manualReference: string | null
    }
  | { readonly does: 'dismiss' }
  | { readonly does: 'move'; readonly to: RegNo; readonly fits: boolean; readonly why: string }
  | { readonly does: 'refund-done'; readonly reference: string | null }
  | { readonly does: 'refund-again'; readonly amount: Amount }
  | { readonly does: 'refund-left' }

export type DecisionRefusal = {
  readonly code:
    | 'no_grounds'
    | 'not_there'
    | 'decided_already'
    | 'no_version'
    | 'review_changed'
    | 'not_allowed'
    | 'no_reference'
    | 'reference_taken'
    | 'bad_amount'
    | 'no_target'
    | 'not_paid'
    | 'under_way'
    | 'not_by_gateway'
    | 'not_your_role'
  readonly message: string
}

const refuse = (code: DecisionRefusal['code'], message: string) => err({ code, message })

/**
 * Returns the effect of a decision on a review. Pure; the store applies the effect to the current review in one
 * transaction.
 */
export function decideReview(
  review: Review,
  decision: Decision,
  target: MoveTarget | null,
): Result<DecisionEffect, DecisionRefusal> {
  const grounds = checkGrounds(decision)
  if (!grounds.ok) return grounds
  const version = checkVersion(review, decision.version ?? getReviewVersion(review))
  if (!version.ok) return version
  const allowed = listAllowedDecisions(review)
  if (!allowed.includes(decision.what))
    return refuse(
      'not_allowed',
      review.is === 'second' && decision.what === 'accept'
        ? 'This registration is already paid, so it cannot accept a second payment. Refund the payment, or move it to another registration.'
        : `${review.id} allows ${allowed.join(', ')}, not ${decision.what}.`,
    )
  switch (decision.what) {
    case 'accept':
      return acceptPayment(review, decision.reference?.trim() ?? '', decision.amount)
    case 'ask':
      return ok({ does: 'ask', amount: review.left })
    case 'refund':
      return decideRefund(review, decision)
    case 'dismiss':
      return ok({ does: review.is.startsWith('refund') ? 'refund-left' : 'dismiss' })
    case 'move':
      return movePayment(review, target)
    default:
      return assertNever(decision)
  }
}

/**
 * Refuses a decision from a page that is older than the latest decision, because its amounts are
 * outdated.
 */
function checkVersion(review: Review, version: string): Result<null, DecisionRefusal> {
  if (version === getReviewVersion(review)) return ok(null)
  const [, regNo] = version.split(':')
  return refuse(
    'review_changed',
    `This payment was ${regNo === (review.regNo ?? '') ? 'changed' : 'moved'} after you opened this page. Reload the page and check the payment again.`,
  )
}

export function checkGrounds({
  why,
  who,
}: DecisionGrounds): Result<DecisionGrounds, DecisionRefusal> {
  if (trimReason(why) === '')
    return refuse('no_grounds', 'Enter a reason. It explains the decision to your colleagues.')
  if (who.trim() === '') return refuse('no_grounds', 'Enter the name of the user who decides.')
  return Math.max(why.length, who.length) > MAX_REASON_CHARACTERS
    ? refuse(
        'no_grounds',
        `The reason and the name can have at most ${MAX_REASON_CHARACTERS} characters each.`,
      )
    : ok({ why: why.trim(), who: who.trim() })
}

function acceptPayment(
  review: Review,
  reference: string,
  amount: Amount | null,
): Result<DecisionEffect, DecisionRefusal> {
  const problem = explainInvalidReference(reference)
  if (problem !== null) return refuse('no_reference', problem)
  // If the gateway rejected the refund, staff made it outside the gateway, so it has a reference of its own.
  if (review.is === 'refund-refused' && reference === '')
    return refuse('no_reference', 'Enter the reference of the refund.')
  if (review.is === 'refund-unsure' || review.is === 'refund-refused')
    return amount === null || amount === review.left
      ? ok({ does: 'refund-done', reference: reference === '' ? null : reference })
      : refuse(
          'bad_amount',
          `This is a refund of ${formatMoney(review.left, review.currency)}. Do not enter a different amount.`,
        )
  if (review.came !== null)
    return amount === null
      ? // The part that was already refunded does not count.
        ok({ does: 'accept', reference: null, amount: review.left })
      : refuse('bad_amount', 'The payment is accepted as received, so do not enter an amount.')
  if (reference === '')
    return refuse('no_reference', 'Enter the payment reference that the gateway’s panel shows.')
  const due = amount ?? review.due
  return due === null || due <= 0
    ? refuse('bad_amount', 'Enter the amount received.')
    : ok({ does: 'accept', reference, amount: due })
}

function decideRefund(
  review: Review,
  { amount, manualReference }: Decision & { readonly what: 'refund' },
): Result<DecisionEffect, DecisionRefusal> {
  const refundAmount = checkRefundAmount(review, amount)
  if (!refundAmount.ok) return refundAmount
  const reference = manualReference?.trim() ?? null
  if (review.is.startsWith('refund'))
    return reference === null
      ? ok({ does: 'refund-again', amount: refundAmount.value })
      : refuse('not_allowed', 'Accept this review instead, with the reference of the refund.')
  if (reference === '' || (reference !== null && explainInvalidReference(reference) !== null))
    return refuse(
      'no_reference',
      `Enter the transfer reference or the slip number of the refund, up to ${MAX_REFERENCE_CHARACTERS} characters, without line breaks.`,
    )
  const isAll = refundAmount.value === review.left
  return ok({ does: 'give-back', amount: refundAmount.value, isAll, manualReference: reference })
}

/** Returns the amount to refund; null refunds the whole remaining amount. */
export function checkRefundAmount(
  { left, currency }: Pick<Review, 'left' | 'currency'>,
  amount: Amount | null,
): Result<Amount, DecisionRefusal> {
  const refundAmount = amount ?? left
  if (left <= 0) return refuse('bad_amount', 'There is nothing left to refund.')
  if (refundAmount <= 0) return refuse('bad_amount', 'Enter an amount above zero.')
  return refundAmount > left
    ? refuse('bad_amount', `Only ${formatMoney(left, currency)} is left to refund.`)
    : ok(refundAmount)
}

function movePayment(
  review: Review,
  target: MoveTarget | null,
): Result<DecisionEffect, DecisionRefusal> {
  if (target === null) return refuse('no_target', 'No registration has this number.')
  // A payment for a registration is included in its event's documents and figures. An unmatched
  // payment is in none.
  if (review.is !== 'unmatched' && review.eventId !== null && target.eventId !== review.eventId)
    return refuse(
      'no_target',
      `${target.regNo} belongs to another event. A payment for a registration can be moved only within its event. Refund it, and ask the delegate to pay for ${target.regNo}.`,
    )
  if (target.regNo === review.regNo)
    return refuse('no_target', 'The payment already belongs to this registration.')
  if (target.due === null) return refuse('no_target', `${target.regNo} has nothing to pay.`)
  if (target.currency !== review.currency)
    return refuse(
      'no_target',
      `${target.regNo} is paid in ${target.currency}, and this payment is in ${review.currency}. Refund it, and ask the delegate to pay for ${target.regNo}.`,
    )
  const { left, came } = review
  const isWhole = came !== null && came.amount === left && came.kind === 'sale'
  const isExactPayment = isWhole && !target.isPaid && left === target.due
  const source = review.regNo === null ? 'Payment' : `Payment for ${review.regNo}`
  const due = target.isPaid ? null : formatMoney(target.due, target.currency)
  const reason = describeMovedPayment(source, formatMoney(left, review.currency), due)
  return ok({ does: 'move', to: target.regNo, fits: isExactPayment, why: reason })
}

/** Returns the kind of review for a payment that does not match. */
export function findReviewKind(money: {
  readonly kind: 'sale' | 'other' | 'test'
  readonly currency: string
  /** The currency of the registration's price. */
  readonly expected: Currency
  readonly isMatched: boolean
  /** Whether its registration is paid by another payment. */
  readonly isPaid: boolean
  /** Whether its registration was cancelled or refused. */
  readonly isEnded?: boolean
  /**
   * Whether another payment for the same attempt was accepted and at least this amount is still
   * missing.
   */
  readonly isRest?: boolean
}): ReviewKind {
  if (money.kind === 'test') return 'test'
  if (money.currency !== '' && !isCurrency(money.currency, money.expected)) return 'foreign'
  if (!money.isMatched) return 'unmatched'
  if (money.isEnded === true) return 'ended'
  if (money.isRest === true) return 'rest'
  return money.isPaid ? 'second' : 'misfit'
}

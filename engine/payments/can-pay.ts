/**
 * Decides whether a registration may be paid, with which order and at which price.
 *
 * Resubmitted forms, retries and email links all use this rule.
 */
import { findCardMethod, withCardOf } from './card-accounts.ts'
import { PAYMENT_METHOD_MESSAGES } from '../text-catalogue/payment-methods.ts'
import type {
  RegistrationState,
  PaymentStatus,
} from '../registration/registration-and-payment-states.ts'
import { formatMessage } from '../lib/format-message.ts'
import { getCurrency } from '../rules/category.ts'
import type { EventConfig } from '../event/config.ts'
import type { Answers } from '../event/answer-types.ts'
import { toAmount, type Amount } from '../lib/money.ts'
import type { OrderId } from '../event/registration-number.ts'
import { assertNever, ok, type Result } from '../lib/result.ts'
import type { PaymentState } from './payment.ts'
import { acceptsCurrency, isMethodOpen } from './payment-methods.ts'
import { getAttemptHoldEnd } from '../pricing/price-hold.ts'
import { quoteByMethod, withMethod } from '../pricing/method-prices.ts'
import { checkRegistrationOpen } from '../pricing/price-periods.ts'
import { quoteWithCategory, type Quote, type QuoteRefusal } from '../pricing/quote.ts'
import { addDays, dayOf, type Instant } from '../lib/time.ts'

/** An order id has two digits for the attempt number. */
export const MAX_ATTEMPTS = 99
/**
 * The time for which a payment that a message reported counts as in progress, although the gateway has no record of
 * it.
 */
const CLAIM_MS = 30 * 60_000

/** The gateway's latest response, if the response did not end the payment. */
export type LastResponse = 'no-record' | 'in-process' | 'unreachable'
/** The result of polling an attempt now. `ended`: the response is stored in the attempt's status or review. */
export type PollResult = LastResponse | 'ended'

/** The data of a payment attempt that the rule uses. */
export type Attempt = {
  readonly orderId: OrderId
  readonly amount: Amount
  readonly status: PaymentStatus
  readonly review: string | null
  readonly createdAt: Instant
  /** When the delegate was last redirected to the gateway with this attempt. Null for imported rows. */
  readonly handedOffAt: Instant | null
  /** The end of the price hold. Null if it has no end or was not recorded (attempts of older versions). */
  readonly holdUntil: Instant | null
  readonly watchUntil: Instant | null
  readonly lastResponse: LastResponse | null
  /** When a message last reported a payment that the gateway had no record of. */
  readonly claimedAt: Instant | null
  /** The manual payment method; null or absent for the gateway. */
  readonly way?: string | null
  /** The gateway's id of the merchant to be paid; null or absent if unknown. */
  readonly merchantId?: string | null
  /** True for the balance after a correction; absent for the registration's price. */
  readonly isDifference?: boolean
}
/** The data of a registration that the rule uses. */
export type PayableRegistration = {
  readonly paymentStatus: PaymentStatus
  readonly inReview: boolean
  /** If absent, the state is derived from the payments. */
  readonly state?: RegistrationState
  readonly answers: Answers
  readonly category: string | null
  readonly period?: string | null
  readonly createdAt?: Instant
  /** The balance after a correction, positive. Absent if there is none. */
  readonly due?: Amount
  /** Newest first. */
  readonly payments: readonly Attempt[]
}

/**
 * Returns the payment state from stored data, without polling the gateway. A successful payment
 * makes it complete, regardless of other payments.
 */
export function getPaymentState(registration: PayableRegistration, at: Instant): PaymentState {
  const { paymentStatus, inReview, payments } = registration
  if (isEnded(registration) && paymentStatus !== 'refunded')
    return registration.state === 'refused' ? 'refused' : 'cancelled'
  if (registration.state === 'to_approve') return 'to-approve'
  if (paymentStatus === 'success') return 'complete'
  if (inReview) return 'organisers'
  if (paymentStatus === 'refunded') return 'refunded'
  if (registration.state === 'told') return 'told'
  const [newest] = payments
  if (newest?.way != null) return newest.status === 'pending' ? 'by-hand' : 'lapsed'
  const isWaiting = payments.some((attempt) => mayBeAtBank(attempt, at))
  switch (paymentStatus) {
    case 'pending':
      return isWaiting ? 'at-bank' : 'not-paid'
    case 'failed':
      return isWaiting ? 'at-bank' : 'failed'
    default:
      return assertNever(paymentStatus)
  }
}

/** Returns true if the registration was cancelled or refused and so can no longer be paid. */
function isEnded({ state }: PayableRegistration): boolean {
  return state === 'cancelled' || state === 'refused'
}

function mayBeAtBank(attempt: Attempt, at: Instant): boolean {
  if (isOver(attempt, at)) return false
  const { lastResponse, status } = attempt
  if (lastResponse === 'in-process' || isClaimed(attempt, at)) return true
  return lastResponse === 'unreachable' && status === 'pending'
}

function isClaimed({ claimedAt }: Attempt, at: Instant): boolean {
  return claimedAt !== null && at < claimedAt + CLAIM_MS
}

/**
 * Returns true if no further payment is expected from an attempt: it is paid, or it failed and is
 * no longer watched. Manual payments involve no gateway, so nothing is expected from them.
 */
export function isOver({ status, watchUntil, way }: Attempt, at: Instant): boolean {
  if (way != null) return true
  switch (status) {
    case 'success':
    case 'refunded':
      return true
    case 'failed':
      return watchUntil === null || watchUntil <= at
    case 'pending':
      return false
    default:
      return assertNever(status)
  }
}

/** The conditions for a payment at an instant. */
export type PaymentTerms = {
  /** `ended`: the registration period has ended; `closed`: the organisers closed it. */
  readonly opening: 'open' | 'ended' | 'closed'
  readonly closedText: string
  /** Today's price. */
  readonly quote: Result<Quote, QuoteRefusal>
  /** The held card price, if the newest attempt uses another method with a different price. */
  readonly heldCardQuote?: Quote | null
  /** The end of the newest attempt's price hold. Null if it has no end. */
  readonly holdUntil: Instant | null
  /** The total that the delegate accepted. Null if only the held price is accepted. */
  readonly accepted: Amount | null
  /** The gateway's id of the current merchant. Null if unknown. */
  readonly merchantId: string | null
}

/** Returns the payment terms of a registration, which depend on its newest attempt. */
export function getPaymentTerms(
  event: EventConfig,
  registration: PayableRegistration,
  at: Instant,
  accepted: Amount | null,
  merchantId: string | null = null,
): PaymentTerms {
  const today = dayOf(at)
  const opening = checkRegistrationOpen(event, today)
  const [newest] = registration.payments
  const currency = getCurrency(event, registration.category)
  const card = findCardMethod(event, registration.answers, currency, today)
  const acceptsBillCurrency = card === undefined || acceptsCurrency(card, currency)
  const isCardUnavailable =
    card !== undefined && !(acceptsBillCurrency && isMethodOpen(card, today))
  const cardAnswers = withMethod(event, registration.answers, card?.id ?? null)
  return {
    // After a payment method's last day, no orders are started with it, as if the organisers had closed registration.
    opening:
      !opening.open && opening.by !== 'hand'
        ? 'ended'
        : opening.open && !isCardUnavailable
          ? 'open'
          : 'closed',
    closedText: !opening.open
      ? opening.text
      : !acceptsBillCurrency
        ? formatMessage(PAYMENT_METHOD_MESSAGES.notByCard, { currency })
        : isCardUnavailable
          ? PAYMENT_METHOD_MESSAGES.noCard
          : '',
    quote: quoteWithCategory(event, cardAnswers, registration.category, at),
    heldCardQuote: quoteHeldCardPrice(event, registration, card?.id ?? null),
    holdUntil: newest === undefined ? null : getAttemptHoldEnd(event, newest, registration),
    accepted,
    merchantId,
  }
}

/** Returns the card price in the registration's period. Null if the order is by card, or the price is the same. */
function quoteHeldCardPrice(
  event: EventConfig,
  { answers, category, payments, period = null, createdAt }: PayableRegistration,
  cardId: string | null,
): Quote | null {
  const [newest] = payments
  if (newest?.way == null || createdAt === undefined) return null
  const total = newest.amount
  return quoteByMethod(event, { answers, category, period, createdAt, total }, cardId)
}

/** Whether and how the registration may be paid. */
export type PaymentPermission =
  /** Continue with the open order, which the gateway has no record of. */
  | { readonly is: 'same-order'; readonly orderId: OrderId }
  /**
   * Create a new order. `quote` null: at the price of the newest attempt. `replaces`: an open order
   * that the new order ends.
   */
  | {
      readonly is: 'new-attempt'
      readonly quote: Quote | null
      readonly replaces: OrderId | null
    }
  /** A payment may be in progress. */
  | { readonly is: 'wait' }
  /** The gateway did not respond for at least one attempt that may still be paid. */
  | { readonly is: 'unsure' }
  | { readonly is: 'closed'; readonly text: string }
  /** The price hold has ended. Today's price applies after the delegate has accepted it. */
  | { readonly is: 'price-moved'; readonly was: Amount; readonly now: Quote }
  /** The price hold has ended, and the category is not on sale today. */
  | { readonly is: 'not-on-sale'; readonly why: QuoteRefusal }
  | { readonly is: 'nothing-due' }
  | { readonly is: 'too-many-attempts' }

/**
 * Decides whether and how to pay. `pollResults` contains the latest result for every attempt that has not ended. A
 * missing result means that there was no time to poll. An order created just now has no result yet.
 */
export function canPay(
  registration: PayableRegistration,
  pollResults: ReadonlyMap<OrderId, PollResult>,
  terms: PaymentTerms,
  at: Instant,
): PaymentPermission {
  const { inReview } = registration
  const owesBalance = owesDifference(registration)
  const payments = owesBalance
    ? registration.payments.filter(({ isDifference }) => isDifference === true)
    : registration.payments
  const [newest] = payments
  const isSettled =
    !owesBalance && payments.some(({ status }) => status === 'success' || status === 'refunded')
  if (newest === undefined || inReview || isSettled || isEnded(registration))
    return { is: 'nothing-due' }
  const waiting = payments.filter((attempt) => !isOver(attempt, at))
  const responses = waiting.map((attempt) =>
    isJustCreated(attempt, at) ? 'no-record' : (pollResults.get(attempt.orderId) ?? 'unreachable'),
  )
  if (responses.includes('unreachable')) return { is: 'unsure' }
  if (responses.includes('in-process') || waiting.some((attempt) => isClaimed(attempt, at)))
    return { is: 'wait' }
  if (!owesBalance) return decideByTerms(newest, payments.length, terms, at)
  // A registered delegate can always pay a balance, regardless of closing and of today's price.
  const isOpen = newest.status === 'pending'
  if (isOpen && newest.way == null && belongsToCurrentMerchant(newest, terms))
    return { is: 'same-order', orderId: newest.orderId }
  return registration.payments.length >= MAX_ATTEMPTS
    ? { is: 'too-many-attempts' }
    : { is: 'new-attempt', quote: null, replaces: isOpen ? newest.orderId : null }
}

/** Returns true if the registration is paid and was later corrected to a higher price. */
export function owesDifference({ paymentStatus, due = toAmount(0) }: PayableRegistration): boolean {
  return paymentStatus === 'success' && due > 0
}

/** Returns true if the order was created just now, so the gateway has no record of it yet. */
export function isJustCreated({ status, createdAt }: Attempt, at: Instant): boolean {
  return status === 'pending' && createdAt >= at
}

/** Decides based on dates and prices. Called only if no payment is in progress. */
function decideByTerms(
  newest: Attempt,
  attemptCount: number,
  terms: PaymentTerms,
  at: Instant,
): PaymentPermission {
  const { opening, holdUntil, accepted, quote } = terms
  const replaces = newest.status === 'pending' ? newest.orderId : null
  const isOpen = replaces !== null && newest.way == null
  const isHeld = holdUntil === null ? opening === 'open' : at < holdUntil
  // A held price remains payable after the last day. After the organisers closed registration, no order is started.
  const isClosed = opening === 'ended' ? !isHeld : opening === 'closed' && !(isOpen && isHeld)
  // The time counts from the creation of the order, so that repeated requests do not extend it.
  if (isClosed && !(isOpen && isSoonAfter(newest.createdAt, at)))
    return { is: 'closed', text: terms.closedText }
  const decideRetry = (next: Quote | null): PaymentPermission => {
    if (isOpen && next === null && belongsToCurrentMerchant(newest, terms))
      return { is: 'same-order', orderId: newest.orderId }
    if (attemptCount >= MAX_ATTEMPTS) return { is: 'too-many-attempts' }
    return { is: 'new-attempt', quote: next, replaces }
  }
  const { heldCardQuote = null } = terms
  if ((isHeld || isClosed) && heldCardQuote === null) return decideRetry(null)
  const quoteResult = (isHeld || isClosed) && heldCardQuote !== null ? ok(heldCardQuote) : quote
  if (!quoteResult.ok) return { is: 'not-on-sale', why: quoteResult.error }
  if (quoteResult.value.total === newest.amount)
    return decideRetry(isOpen ? null : quoteResult.value)
  if (attemptCount >= MAX_ATTEMPTS) return { is: 'too-many-attempts' }
  return accepted === quoteResult.value.total
    ? decideRetry(quoteResult.value)
    : { is: 'price-moved', was: newest.amount, now: quoteResult.value }
}

/**
 * Returns true if the current merchant created the attempt. Another merchant's payments cannot be
 * found in this account.
 */
function belongsToCurrentMerchant({ merchantId }: Attempt, terms: PaymentTerms): boolean {
  return merchantId == null || terms.merchantId === null || merchantId === terms.merchantId
}

/** Returns true on the same or the next day, when the delegate may still be on the gateway's page. */
function isSoonAfter(sentAt: Instant, at: Instant): boolean {
  return dayOf(at) <= addDays(dayOf(sentAt), 1)
}

/**
 * Checks whether a payment at that instant was in time: before closing and within its price hold, or soon after the
 * redirect to the gateway.
 */
export function isInTime(
  event: EventConfig,
  { answers, category }: Pick<PayableRegistration, 'answers' | 'category'>,
  attempt: Attempt,
  at: Instant,
): 'in-time' | 'after-closing' | 'after-hold' {
  if (attempt.isDifference === true || isSoonAfter(attempt.handedOffAt ?? attempt.createdAt, at))
    return 'in-time'
  const holdEnd = getAttemptHoldEnd(event, attempt, { answers, category })
  if (holdEnd !== null && at < holdEnd) return 'in-time'
  if (!checkRegistrationOpen(event, dayOf(at)).open) return 'after-closing'
  const card = findCardMethod(event, answers, getCurrency(event, category), dayOf(at))
  const methodId = attempt.way ?? card?.id ?? null
  const todaysQuote = quoteWithCategory(event, withMethod(event, answers, methodId), category, at)
  const hasPriceChanged =
    holdEnd !== null && todaysQuote.ok && todaysQuote.value.total !== attempt.amount
  return hasPriceChanged ? 'after-hold' : 'in-time'
}

/** Payment states in which card payment is possible, even if another method was chosen. */
const PAYABLE_STATES: readonly PaymentState[] = ['not-paid', 'failed', 'by-hand', 'told', 'lapsed']

/**
 * Returns true if a retry should be offered. Applies the rule of `canPay`, assuming that the gateway has no record of
 * any attempt.
 */
export function canRetry(
  event: EventConfig,
  registration: PayableRegistration,
  at: Instant,
): boolean {
  const state = getPaymentState(registration, at)
  const isOpen = PAYABLE_STATES.includes(state) || owesDifference(registration)
  if (event.payment === null || !isOpen) return false
  const pollResults = new Map(
    registration.payments.map(({ orderId }) => [orderId, 'no-record'] as const),
  )
  const permission = canPay(
    registration,
    pollResults,
    getPaymentTerms(event, registration, at, null),
    at,
  )
  const amount = getAmountToPay(permission, registration)
  const currency = getCurrency(event, registration.category)
  const { payment } = withCardOf(event, registration.answers, currency, dayOf(at))
  return amount !== null && payment !== null && amount >= payment.gateway.minimum
}

/** Returns the amount to request from the gateway; null if none. */
function getAmountToPay(
  permission: PaymentPermission,
  registration: PayableRegistration,
): Amount | null {
  const newest = owesDifference(registration)
    ? registration.payments.find(({ isDifference }) => isDifference === true)
    : registration.payments[0]
  switch (permission.is) {
    case 'same-order':
      return newest?.amount ?? null
    case 'new-attempt':
      return permission.quote?.total ?? newest?.amount ?? null
    case 'price-moved':
      return permission.now.total
    default:
      return null
  }
}

/**
 * The one rule for paying: how a registration stands, and whether, under which order and at which price it
 * may be paid. The form sent again, another try, and a link from a mail all go by it, and nothing else decides.
 */
import type { RegistrationState, PaymentStatus } from '../registration/status.ts'
import type { EventConfig } from '../event/config.ts'
import type { Answers } from '../event/answer-types.ts'
import { paise, type Paise } from '../lib/money.ts'
import type { OrderId } from '../event/registration-number.ts'
import { assertNever, type Result } from '../lib/result.ts'
import type { Stands } from './payment.ts'
import { isWayOpen } from './payment-methods.ts'
import { lastDayOf, openOn } from '../pricing/price-periods.ts'
import { quoteOf, type Quote, type QuoteRefusal } from '../pricing/quote.ts'
import { addDays, DAY_MS, dayOf, endOf, instant, type Instant } from '../lib/time.ts'

/** An order id has two digits for the attempt. */
export const ATTEMPTS_MAX = 99
/** A message said that money came and the gateway does not know of it yet: it tells within minutes. */
const CLAIM_MS = 30 * 60_000

/** What the gateway answered last, where that ended nothing. */
export type LastAnswer = 'no-record' | 'in-process' | 'unreachable'
/** What was learnt just now of an attempt; `ended`: the answer is stored, and stands in its status or review. */
export type Learnt = LastAnswer | 'ended'

/** An attempt to pay, as the rule needs it. */
export type Attempt = {
  readonly orderId: OrderId
  readonly amount: Paise
  readonly status: PaymentStatus
  readonly review: string | null
  readonly createdAt: Instant
  /** When the delegate was last sent to the gateway with it; null: rows brought in. */
  readonly handedOffAt: Instant | null
  /** Until when its price is held; null: without an end, or not written down (attempts of older versions). */
  readonly holdUntil: Instant | null
  readonly watchUntil: Instant | null
  readonly lastAnswer: LastAnswer | null
  /** When a message last claimed money that the gateway did not know of. */
  readonly claimedAt: Instant | null
  /** By which way of the file it is paid; null or left out: through the gateway. */
  readonly way?: string | null
  /** Who was to get the money, by the gateway's name for them; null or left out: not known. */
  readonly merchantId?: string | null
  /** Whether it asks for what a correction left; left out: for the registration's price. */
  readonly isDifference?: boolean
}
/** A registration, as the rule needs it. */
export type Payable = {
  readonly paymentStatus: PaymentStatus
  readonly inReview: boolean
  /** Left out: as its money says. */
  readonly state?: RegistrationState
  readonly answers: Answers
  readonly category: string | null
  /** What a correction left to be paid, above nothing; left out: nothing. */
  readonly due?: Paise
  /** Newest first. */
  readonly payments: readonly Attempt[]
}

/** From what is stored, without asking anybody. A success is complete whatever else came. */
export function standing(registration: Payable, at: Instant): Stands {
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
  const waits = payments.some((attempt) => mayBeAtBank(attempt, at))
  switch (paymentStatus) {
    case 'pending':
      return waits ? 'at-bank' : 'not-paid'
    case 'failed':
      return waits ? 'at-bank' : 'failed'
    default:
      return assertNever(paymentStatus)
  }
}

/** People have cancelled or refused it: nobody pays for it any more. */
function isEnded({ state }: Payable): boolean {
  return state === 'cancelled' || state === 'refused'
}

function mayBeAtBank(attempt: Attempt, at: Instant): boolean {
  if (isOver(attempt, at)) return false
  const { lastAnswer, status } = attempt
  if (lastAnswer === 'in-process' || isClaimed(attempt, at)) return true
  return lastAnswer === 'unreachable' && status === 'pending'
}

function isClaimed({ claimedAt }: Attempt, at: Instant): boolean {
  return claimedAt !== null && at < claimedAt + CLAIM_MS
}

/** Nothing more is expected of it: it is paid, or it failed and is no longer watched; of what no gateway knows, nothing ever was. */
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

/** Until when a price of that instant is held: its period's last day and one day more; null: it has no end. */
export function heldUntil(event: EventConfig, at: Instant): Instant | null {
  const last = lastDayOf(event, dayOf(at))
  return last === null ? null : instant(endOf(last) + DAY_MS)
}

/** The same of an attempt, also of one that was made before it was written down. */
export function holdOf(
  event: EventConfig,
  { holdUntil, createdAt }: Pick<Attempt, 'holdUntil' | 'createdAt'>,
): Instant | null {
  return holdUntil ?? heldUntil(event, createdAt)
}

/** What holds at that instant, for anybody who pays. */
export type Terms = {
  /** `ended`: the days of registration are over; `closed`: the organisers have closed it. */
  readonly opening: 'open' | 'ended' | 'closed'
  readonly closedText: string
  /** The day's price. */
  readonly quote: Result<Quote, QuoteRefusal>
  /** Until when the newest attempt's price is held; null: it has no end. */
  readonly holdUntil: Instant | null
  /** The total to which the delegate has agreed; null: to none but the one held. */
  readonly accepted: Paise | null
  /** Who gets the money now, by the gateway's name for them; null: not known here. */
  readonly merchantId: string | null
}

/** The terms of an event for a registration whose newest attempt is given. */
export function termsOf(
  event: EventConfig,
  registration: Payable,
  at: Instant,
  accepted: Paise | null,
  merchantId: string | null = null,
): Terms {
  const today = dayOf(at)
  const opening = openOn(event, today)
  const [newest] = registration.payments
  const card = event.ways.find(({ is }) => is === 'card')
  const isOver = card !== undefined && !isWayOpen(card, today)
  return {
    // A way that has had its last day begins no order, like what the organisers close.
    opening:
      !opening.open && opening.by !== 'hand'
        ? 'ended'
        : opening.open && !isOver
          ? 'open'
          : 'closed',
    closedText: !opening.open ? opening.text : isOver ? 'It can no longer be paid by card.' : '',
    quote: quoteOf(event, registration.answers, registration.category, at),
    holdUntil: newest === undefined ? null : holdOf(event, newest),
    accepted,
    merchantId,
  }
}

/** Whether it may be paid, and how. */
export type Paying =
  /** The open order, which the gateway has no record of. */
  | { readonly is: 'same-order'; readonly orderId: OrderId }
  /** A further order. `quote` null: at the price of the newest attempt. `replaces`: an open order that ends by it. */
  | {
      readonly is: 'new-attempt'
      readonly quote: Quote | null
      readonly replaces: OrderId | null
    }
  /** Money may be on its way. */
  | { readonly is: 'wait' }
  /** The gateway could not be asked about everything that may still bring money. */
  | { readonly is: 'unsure' }
  | { readonly is: 'closed'; readonly text: string }
  /** The price is no longer held: it is the day's, once the delegate has agreed to it. */
  | { readonly is: 'price-moved'; readonly was: Paise; readonly now: Quote }
  /** The price is no longer held, and there is none today. */
  | { readonly is: 'not-on-sale'; readonly why: QuoteRefusal }
  | { readonly is: 'nothing-due' }
  | { readonly is: 'too-many-attempts' }

/**
 * `learnt` holds what was just learnt of every attempt that is not over; one that is missing could not be asked
 * in time. An order placed this very moment has nothing to tell yet.
 */
export function mayPay(
  registration: Payable,
  learnt: ReadonlyMap<OrderId, Learnt>,
  terms: Terms,
  at: Instant,
): Paying {
  const { inReview } = registration
  const owes = owesDifference(registration)
  const payments = owes
    ? registration.payments.filter(({ isDifference }) => isDifference === true)
    : registration.payments
  const [newest] = payments
  const isSettled =
    !owes && payments.some(({ status }) => status === 'success' || status === 'refunded')
  if (newest === undefined || inReview || isSettled || isEnded(registration))
    return { is: 'nothing-due' }
  const waiting = payments.filter((attempt) => !isOver(attempt, at))
  const told = waiting.map((attempt) =>
    isJustPlaced(attempt, at) ? 'no-record' : (learnt.get(attempt.orderId) ?? 'unreachable'),
  )
  if (told.includes('unreachable')) return { is: 'unsure' }
  if (told.includes('in-process') || waiting.some((attempt) => isClaimed(attempt, at)))
    return { is: 'wait' }
  if (!owes) return atTerms(newest, payments.length, terms, at)
  // Who is registered pays a difference whenever that is: no closing and no price of the day is in the way.
  const isOpen = newest.status === 'pending'
  if (isOpen && newest.way == null && isAskedByThem(newest, terms))
    return { is: 'same-order', orderId: newest.orderId }
  return registration.payments.length >= ATTEMPTS_MAX
    ? { is: 'too-many-attempts' }
    : { is: 'new-attempt', quote: null, replaces: isOpen ? newest.orderId : null }
}

/** Paid, and corrected since to something dearer. */
export function owesDifference({ paymentStatus, due = paise(0) }: Payable): boolean {
  return paymentStatus === 'success' && due > 0
}

/** This very moment: it has nothing to tell yet. */
export function isJustPlaced({ status, createdAt }: Attempt, at: Instant): boolean {
  return status === 'pending' && createdAt >= at
}

/** Nothing is on its way: it is a matter of days and prices. */
function atTerms(newest: Attempt, attempts: number, terms: Terms, at: Instant): Paying {
  const { opening, holdUntil, accepted, quote } = terms
  const replaces = newest.status === 'pending' ? newest.orderId : null
  const isOpen = replaces !== null && newest.way == null
  const isHeld = holdUntil === null ? opening === 'open' : at < holdUntil
  // A price that is held is held over the last day; what the organisers close by hand begins no order.
  const isClosed = opening === 'ended' ? !isHeld : opening === 'closed' && !(isOpen && isHeld)
  // Counted from when it was placed, so that asking again and again holds no door open.
  if (isClosed && !(isOpen && isSoonAfter(newest.createdAt, at)))
    return { is: 'closed', text: terms.closedText }
  const again = (next: Quote | null): Paying => {
    if (isOpen && next === null && isAskedByThem(newest, terms))
      return { is: 'same-order', orderId: newest.orderId }
    if (attempts >= ATTEMPTS_MAX) return { is: 'too-many-attempts' }
    return { is: 'new-attempt', quote: next, replaces }
  }
  if (isHeld || isClosed) return again(null)
  if (!quote.ok) return { is: 'not-on-sale', why: quote.error }
  if (quote.value.total === newest.amount) return again(isOpen ? null : quote.value)
  if (attempts >= ATTEMPTS_MAX) return { is: 'too-many-attempts' }
  return accepted === quote.value.total
    ? again(quote.value)
    : { is: 'price-moved', was: newest.amount, now: quote.value }
}

/** Whoever gets the money now asked for it: money that others get is not found among what they were asked for. */
function isAskedByThem({ merchantId }: Attempt, terms: Terms): boolean {
  return merchantId == null || terms.merchantId === null || merchantId === terms.merchantId
}

/** That day or the next: whoever was sent to the gateway may still be in front of its page. */
function isSoonAfter(sentAt: Instant, at: Instant): boolean {
  return dayOf(at) <= addDays(dayOf(sentAt), 1)
}

/** Whether money that moved at that instant came in time: before closing and while its price was held, or soon after the delegate was sent to pay. */
export function inTime(
  event: EventConfig,
  { answers, category }: Pick<Payable, 'answers' | 'category'>,
  attempt: Attempt,
  at: Instant,
): 'in-time' | 'after-closing' | 'after-hold' {
  if (attempt.isDifference === true || isSoonAfter(attempt.handedOffAt ?? attempt.createdAt, at))
    return 'in-time'
  const hold = holdOf(event, attempt)
  if (hold !== null && at < hold) return 'in-time'
  if (!openOn(event, dayOf(at)).open) return 'after-closing'
  const today = quoteOf(event, answers, category, at)
  const isDearer = hold !== null && today.ok && today.value.total !== attempt.amount
  return isDearer ? 'after-hold' : 'in-time'
}

/** How a registration stands that may be paid by card, also where it was to be paid otherwise. */
const PAYABLE: readonly Stands[] = ['not-paid', 'failed', 'by-hand', 'told', 'lapsed']

/** Whether it is worth trying: the same rule, as if the gateway had just said that it has no record. */
export function mayTry(event: EventConfig, registration: Payable, at: Instant): boolean {
  const stands = standing(registration, at)
  const isOpen = PAYABLE.includes(stands) || owesDifference(registration)
  if (event.payment === null || !isOpen) return false
  const learnt = new Map(
    registration.payments.map(({ orderId }) => [orderId, 'no-record'] as const),
  )
  const paying = mayPay(registration, learnt, termsOf(event, registration, at, null), at)
  const amount = amountOf(paying, registration)
  return amount !== null && amount >= event.payment.gateway.minimum
}

/** What the gateway would be asked for; null: nothing. */
function amountOf(paying: Paying, registration: Payable): Paise | null {
  const newest = owesDifference(registration)
    ? registration.payments.find(({ isDifference }) => isDifference === true)
    : registration.payments[0]
  switch (paying.is) {
    case 'same-order':
      return newest?.amount ?? null
    case 'new-attempt':
      return paying.quote?.total ?? newest?.amount ?? null
    case 'price-moved':
      return paying.now.total
    default:
      return null
  }
}

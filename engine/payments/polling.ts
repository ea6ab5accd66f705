/**
 * Schedules status requests to the gateway.
 *
 * An open payment is checked until it ends; an ended one stays on a watch list, because payments
 * arrive late or twice and gateway messages get lost.
 */
import type { Payment } from './payment.ts'
import type { PaymentStatus } from '../registration/registration-and-payment-states.ts'
import { DAY_MS, instant, type Instant } from '../lib/time.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The shortest and the longest time between two status requests for one open payment. */
export const POLL_MS_MIN = MINUTE_MS
const POLL_MS_MAX = 6 * HOUR_MS
/**
 * Maximum interval while the gateway is unreachable; an outage must not delay all payments for
 * hours afterwards.
 */
const UNREACHABLE_MS_MAX = 10 * MINUTE_MS
/**
 * "No record" is normal while the payer is on the way to the gateway or at the bank; after a day no
 * payer returns.
 */
export const NO_RECORD_MS = DAY_MS
/** Banks settle held payments within days; without a final answer by then, staff must decide. */
export const UNDECIDED_MS = 5 * DAY_MS
/** Late payments, and refunds made in the gateway's panel, arrive within days. */
export const WATCH_MS = 10 * DAY_MS
/** How long the last request of a watch is repeated if the gateway does not answer it: a refund may have been made since. */
const UNANSWERED_MS_MAX = DAY_MS
/** The first request for an ended payment: late money is urgent, a second capture is not. */
const FAILED_MS_MIN = 10 * MINUTE_MS
const FAILED_MS_MAX = 12 * HOUR_MS
const PAID_MS_MIN = HOUR_MS
/** Clocks of two servers agree within this. */
const CLOCK_DIFFERENCE_MS_MAX = MINUTE_MS
/** A request delayed this much: the server was stopped, or its clock was set forward. */
const LATE_MS_MIN = HOUR_MS
/** For a payment dated in the future, created while the clock was ahead: its age is not known. */
const UNKNOWN_AGE_MS = HOUR_MS

/** The data about a payment used to schedule the next request. */
export type PolledPayment = Pick<Payment, 'review'> & {
  readonly status: PaymentStatus
  readonly createdAt: Instant
  /** Null if open. */
  readonly watchUntil: Instant | null
}

/** Open: neither ended nor in payment review. */
export const isOpen = ({ status, review }: Pick<PolledPayment, 'status' | 'review'>): boolean =>
  status === 'pending' && review === null

const isPaid = (status: PaymentStatus): boolean => status === 'success' || status === 'refunded'

/** Returns the watch that begins when a payment ends, or when a message reports money for an ended one. */
export function startWatch(
  status: PaymentStatus,
  at: Instant,
): { readonly askAt: Instant; readonly watchUntil: Instant } {
  const wait = isPaid(status) ? PAID_MS_MIN : FAILED_MS_MIN
  return { askAt: instant(at + wait), watchUntil: instant(at + WATCH_MS) }
}

/**
 * Returns the end of a watch, adjusted at a request that was planned for `plannedAt`. Time in which
 * the gateway was not asked, and which may not have passed at all, does not count: otherwise a
 * clock that was behind could end the watch early.
 */
export function adjustWatchEnd(
  watchUntil: Instant | null,
  plannedAt: Instant | null,
  at: Instant,
): Instant | null {
  if (watchUntil === null || plannedAt === null) return watchUntil
  const delayMs = at - plannedAt
  return delayMs < LATE_MS_MIN ? watchUntil : instant(watchUntil + delayMs)
}

/**
 * Returns the time of the next request, after a request at that instant. Open: after half of the
 * payment's age, between a minute and six hours. Failed or in payment review: after ten minutes,
 * doubling up to twelve hours; paid: after an hour, doubling, and at the end of the watch, for another day if the
 * gateway does not answer then. Null: never again, the watch is over.
 */
export function getNextPollTime(
  payment: PolledPayment,
  at: Instant,
  isReachable: boolean,
): Instant | null {
  const getSoonest = (ms: number): number => (isReachable ? ms : Math.min(ms, UNREACHABLE_MS_MAX))
  if (isOpen(payment)) {
    const age = at - payment.createdAt
    if (age < -CLOCK_DIFFERENCE_MS_MAX) return instant(at + getSoonest(UNKNOWN_AGE_MS))
    const wait = Math.min(POLL_MS_MAX, Math.max(POLL_MS_MIN, Math.floor(age / 2)))
    return instant(at + getSoonest(wait))
  }
  if (payment.watchUntil === null) return null
  const since = at - (payment.watchUntil - WATCH_MS)
  const ended = since < -CLOCK_DIFFERENCE_MS_MAX ? FAILED_MS_MAX : Math.max(0, since)
  const wait = isPaid(payment.status)
    ? Math.max(PAID_MS_MIN, ended)
    : Math.min(FAILED_MS_MAX, Math.max(FAILED_MS_MIN, ended))
  const next = instant(at + getSoonest(wait))
  if (next <= payment.watchUntil) return next
  // One last request at the end: with doubling alone, half of the watch would remain unchecked.
  if (at < payment.watchUntil) return payment.watchUntil
  const isUnanswered = !isReachable && at < payment.watchUntil + UNANSWERED_MS_MAX
  return isUnanswered ? instant(at + UNREACHABLE_MS_MAX) : null
}

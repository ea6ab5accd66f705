/**
 * When the gateway is asked about a payment, and for how long. What is open is asked about until it ends;
 * what has ended stays on a watch list, because money comes late and comes twice, and notices get lost.
 */
import type { Payment } from './payment.ts'
import type { PaymentStatus } from '../registration/status.ts'
import { DAY_MS, instant, type Instant } from '../lib/time.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The shortest and the longest time between two questions about one open payment. */
export const ASK_AGAIN_MS_MIN = MINUTE_MS
const ASK_AGAIN_MS_MAX = 6 * HOUR_MS
/** While the gateway cannot be reached; an outage must not make everybody wait for hours afterwards. */
const UNREACHABLE_MS_MAX = 10 * MINUTE_MS
/** "No record" is normal while the buyer is on the way to the gateway or at the bank; after a day nobody comes back. */
export const NO_RECORD_MS = DAY_MS
/** Banks settle what they hold within days; what has no final answer by then needs a person. */
export const UNDECIDED_MS = 5 * DAY_MS
/** Late money, and refunds made in the gateway's panel, come within days. */
export const WATCHED_MS = 10 * DAY_MS
/** The first question about what has ended: late money hurries, a second capture does not. */
const FAILED_MS_MIN = 10 * MINUTE_MS
const FAILED_MS_MAX = 12 * HOUR_MS
const PAID_MS_MIN = HOUR_MS
/** Clocks of two servers agree within this. */
const CLOCKS_APART_MS = MINUTE_MS
/** A question so much later than planned: the server was stopped, or its clock was put forward. */
const LATE_MS_MIN = HOUR_MS
/** Of a payment with a date in the future, made while the clock was ahead: its age is not known. */
const UNKNOWN_AGE_MS = HOUR_MS

/** What is known of a payment when the next question is planned. */
export type Asked = Pick<Payment, 'review'> & {
  readonly status: PaymentStatus
  readonly createdAt: Instant
  /** Null: open. */
  readonly watchUntil: Instant | null
}

/** Open: neither ended nor with a person. */
export const isOpen = ({ status, review }: Pick<Asked, 'status' | 'review'>): boolean =>
  status === 'pending' && review === null

const isPaid = (status: PaymentStatus): boolean => status === 'success' || status === 'refunded'

/** The watch that begins when a payment ends, or when a message claims money for one that has ended. */
export function watchFrom(
  status: PaymentStatus,
  at: Instant,
): { readonly askAt: Instant; readonly watchUntil: Instant } {
  const wait = isPaid(status) ? PAID_MS_MIN : FAILED_MS_MIN
  return { askAt: instant(at + wait), watchUntil: instant(at + WATCHED_MS) }
}

/**
 * The end of a watch at a question that was planned for `plannedAt`. Time in which the gateway was not asked, and of which
 * nobody knows whether it passed at all, does not count: a watch that ended by a clock that was behind would be no watch.
 */
export function watchAsAsked(
  watchUntil: Instant | null,
  plannedAt: Instant | null,
  at: Instant,
): Instant | null {
  if (watchUntil === null || plannedAt === null) return watchUntil
  const late = at - plannedAt
  return late < LATE_MS_MIN ? watchUntil : instant(watchUntil + late)
}

/**
 * When to ask next, after a question at that instant. Open: after half of the payment's age, between a minute and
 * six hours. Failed or with a person: after ten minutes, doubling up to twelve hours; paid: after an hour,
 * doubling, and at the end of the watch. Null: never again, the watch is over.
 */
export function nextQuestion(payment: Asked, at: Instant, isReachable: boolean): Instant | null {
  const soonest = (ms: number): number => (isReachable ? ms : Math.min(ms, UNREACHABLE_MS_MAX))
  if (isOpen(payment)) {
    const age = at - payment.createdAt
    if (age < -CLOCKS_APART_MS) return instant(at + soonest(UNKNOWN_AGE_MS))
    const wait = Math.min(ASK_AGAIN_MS_MAX, Math.max(ASK_AGAIN_MS_MIN, Math.floor(age / 2)))
    return instant(at + soonest(wait))
  }
  if (payment.watchUntil === null) return null
  const since = at - (payment.watchUntil - WATCHED_MS)
  const ended = since < -CLOCKS_APART_MS ? FAILED_MS_MAX : Math.max(0, since)
  const wait = isPaid(payment.status)
    ? Math.max(PAID_MS_MIN, ended)
    : Math.min(FAILED_MS_MAX, Math.max(FAILED_MS_MIN, ended))
  const next = instant(at + soonest(wait))
  if (next <= payment.watchUntil) return next
  // A last time at the end: doubling leaves half of the watch unlooked at.
  return at < payment.watchUntil ? payment.watchUntil : null
}

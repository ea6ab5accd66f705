/**
 * Schedules polling of gateways.
 *
 * An open payment is polled until it ends. A payment that has ended is watched for some days, because payments may
 * arrive late or twice and gateway messages may be lost.
 */
import type { Payment } from './payment.ts'
import type { PaymentStatus } from '../registration/registration-and-payment-states.ts'
import { DAY_MS, instant, type Instant } from '../lib/time.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The minimum and maximum interval between two polls of an open payment. */
export const MIN_POLL_MS = MINUTE_MS
const MAX_POLL_MS = 6 * HOUR_MS
/**
 * The maximum interval while the gateway is unreachable, so that an outage does not delay all
 * payments for hours.
 */
const MAX_UNREACHABLE_MS = 10 * MINUTE_MS
/**
 * The time after which a payment without a record expires. "No record" is normal while the payer is on the gateway's
 * or the bank's page; after a day, the payer will not return.
 */
export const NO_RECORD_MS = DAY_MS
/**
 * The time after which staff must decide on a payment without a final response. Banks settle held payments within
 * days.
 */
export const UNDECIDED_MS = 5 * DAY_MS
/** The duration of a watch. Late payments, and refunds made in the gateway's panel, are reported within days. */
export const WATCH_MS = 10 * DAY_MS
/**
 * The time for which the final poll of a watch is repeated if the gateway does not respond. The gateway may have made
 * a refund since the previous poll.
 */
const MAX_UNANSWERED_MS = DAY_MS
/** The time until the first poll of an ended payment. A late payment is urgent; a second capture is not. */
const MIN_FAILED_MS = 10 * MINUTE_MS
const MAX_FAILED_MS = 12 * HOUR_MS
const MIN_PAID_MS = HOUR_MS
/** The maximum difference between the clocks of two servers. */
const MAX_CLOCK_DIFFERENCE_MS = MINUTE_MS
/** If a poll is at least this late, the server was stopped or its clock was set forward. */
const MIN_LATE_MS = HOUR_MS
/**
 * The assumed age of a payment dated in the future, which was created while the clock was ahead.
 */
const UNKNOWN_AGE_MS = HOUR_MS

/** The data of a payment that determines the time of the next poll. */
export type PolledPayment = Pick<Payment, 'review'> & {
  readonly status: PaymentStatus
  readonly createdAt: Instant
  /** Null if the payment is open. */
  readonly watchUntil: Instant | null
}

/** Returns true if a payment has not ended and is not in payment review. */
export const isOpen = ({ status, review }: Pick<PolledPayment, 'status' | 'review'>): boolean =>
  status === 'pending' && review === null

const isPaid = (status: PaymentStatus): boolean => status === 'success' || status === 'refunded'

/** Returns the watch that starts when a payment ends, or when a message reports money for an ended payment. */
export function startWatch(
  status: PaymentStatus,
  at: Instant,
): { readonly nextPollAt: Instant; readonly watchUntil: Instant } {
  const wait = isPaid(status) ? MIN_PAID_MS : MIN_FAILED_MS
  return { nextPollAt: instant(at + wait), watchUntil: instant(at + WATCH_MS) }
}

/**
 * Returns the end of a watch at a poll that was planned for `plannedAt`. A late poll extends the watch by its delay,
 * because the server did not poll during that time, or because its clock was behind.
 */
export function adjustWatchEnd(
  watchUntil: Instant | null,
  plannedAt: Instant | null,
  at: Instant,
): Instant | null {
  if (watchUntil === null || plannedAt === null) return watchUntil
  const delayMs = at - plannedAt
  return delayMs < MIN_LATE_MS ? watchUntil : instant(watchUntil + delayMs)
}

/**
 * Returns the time of the next poll, after a poll at that instant; null if the watch has ended. An open payment is
 * polled again after half of its age, between a minute and six hours. A payment that failed or is in payment review
 * is polled after ten minutes, then at doubling intervals of up to twelve hours. A paid payment is polled after an
 * hour, then at doubling intervals and at the end of the watch. If the gateway does not respond at the end, polling
 * continues for another day.
 */
export function getNextPollTime(
  payment: PolledPayment,
  at: Instant,
  isReachable: boolean,
): Instant | null {
  const limitDelay = (ms: number): number => (isReachable ? ms : Math.min(ms, MAX_UNREACHABLE_MS))
  if (isOpen(payment)) {
    const age = at - payment.createdAt
    if (age < -MAX_CLOCK_DIFFERENCE_MS) return instant(at + limitDelay(UNKNOWN_AGE_MS))
    const wait = Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, Math.floor(age / 2)))
    return instant(at + limitDelay(wait))
  }
  if (payment.watchUntil === null) return null
  const timeSinceEnd = at - (payment.watchUntil - WATCH_MS)
  const elapsedMs =
    timeSinceEnd < -MAX_CLOCK_DIFFERENCE_MS ? MAX_FAILED_MS : Math.max(0, timeSinceEnd)
  const wait = isPaid(payment.status)
    ? Math.max(MIN_PAID_MS, elapsedMs)
    : Math.min(MAX_FAILED_MS, Math.max(MIN_FAILED_MS, elapsedMs))
  const next = instant(at + limitDelay(wait))
  if (next <= payment.watchUntil) return next
  // One final poll at the end, because with doubling alone half of the watch would remain unchecked.
  if (at < payment.watchUntil) return payment.watchUntil
  const isUnanswered = !isReachable && at < payment.watchUntil + MAX_UNANSWERED_MS
  return isUnanswered ? instant(at + MAX_UNREACHABLE_MS) : null
}

/** Schedules retries of emails that could not be delivered. */
import { instant, type Instant } from '../../engine/index.ts'
import type { FailedAttempt } from '../storage/mail/email-list-types.ts'

/** Delays after each attempt that the mail server rejected. The last delay repeats. */
export const RETRY_DELAYS_MS: readonly number[] = [
  60,
  300,
  900,
  3_600,
  4 * 3_600,
  12 * 3_600,
  24 * 3_600,
  24 * 3_600,
].map((seconds) => seconds * 1000)
/** Delay after an attempt without a response: one email at a time tests whether the server responds. */
const UNREACHABLE_RETRY_MS = 60_000
/** Emails are retried for this long after the first attempt, because a mail server may be down over a weekend. */
export const RETRY_PERIOD_MS = 3 * 24 * 60 * 60_000

/**
 * Returns the time of an email's next attempt. Null if the email is abandoned, which never happens while the clock may
 * be wrong.
 */
export function calculateNextAttempt(
  attempts: number,
  { at, firstAt, hasServerResponded }: FailedAttempt,
  isClockInDoubt: boolean,
): Instant | null {
  const delayMs = hasServerResponded
    ? (RETRY_DELAYS_MS[attempts] ?? RETRY_DELAYS_MS.at(-1) ?? UNREACHABLE_RETRY_MS)
    : UNREACHABLE_RETRY_MS
  const deadline = firstAt + RETRY_PERIOD_MS
  if (at < deadline) return instant(Math.min(at + delayMs, deadline))
  return isClockInDoubt ? instant(at + delayMs) : null
}

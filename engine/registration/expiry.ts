/** When an unpaid registration expires: after a transfer was chosen, an approval, or a reopening. */
import type { Approval } from '../event/approval-and-cancellation-types.ts'
import type { TransferMethod } from '../event/payment-method-types.ts'
import { addDays, dayOf, endOfDay, type Instant } from '../lib/time.ts'

/** For an approval whose rule the file no longer has: the value that most files use. */
const DAYS_TO_PAY_AFTER_APPROVAL = 7
/** For a reopened registration whose payment method sets no period. */
const DAYS_TO_PAY_AFTER_REOPENING = 7

/** A registration can be paid until the end of a day. */
const getEndOfDayAfter = (at: Instant, days: number): Instant => endOfDay(addDays(dayOf(at), days))

/** Returns when a registration whose delegate chose this transfer now expires. */
export function getExpiryOfTransfer({ expiresAfterDays }: TransferMethod, at: Instant): Instant {
  return getEndOfDayAfter(at, expiresAfterDays)
}

/** Returns when a registration approved now expires. */
export function getExpiryAfterApproval(approval: Approval | null, at: Instant): Instant {
  return getEndOfDayAfter(at, approval?.payWithinDays ?? DAYS_TO_PAY_AFTER_APPROVAL)
}

/** Returns when a registration reopened now expires. Null: its payment method sets no period. */
export function getExpiryAfterReopening(method: TransferMethod | null, at: Instant): Instant {
  return method === null
    ? getEndOfDayAfter(at, DAYS_TO_PAY_AFTER_REOPENING)
    : getExpiryOfTransfer(method, at)
}

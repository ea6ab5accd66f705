/** Computes when unpaid registrations expire: after a transfer is chosen, approval or reopening. */
import type { Approval } from '../event/approval-and-cancellation-types.ts'
import type { TransferMethod } from '../event/payment-method-types.ts'
import { addDays, dayOf, endOfDay, type Instant } from '../lib/time.ts'

/** The default if the file no longer has the approval rule. Most files state this value. */
const DAYS_TO_PAY_AFTER_APPROVAL = 7
/** The number of days to pay for a reopened registration, if its payment method sets no deadline. */
const DAYS_TO_PAY_AFTER_REOPENING = 7

/** Returns the end of the day that is this number of days later. Registrations can be paid until then. */
const getEndOfDayAfter = (at: Instant, days: number): Instant => endOfDay(addDays(dayOf(at), days))

/** Returns the expiry of a registration whose delegate chooses this transfer now. */
export function getExpiryOfTransfer({ expiresAfterDays }: TransferMethod, at: Instant): Instant {
  return getEndOfDayAfter(at, expiresAfterDays)
}

/** Returns the expiry of a registration that is approved now. */
export function getExpiryAfterApproval(approval: Approval | null, at: Instant): Instant {
  return getEndOfDayAfter(at, approval?.payWithinDays ?? DAYS_TO_PAY_AFTER_APPROVAL)
}

/**
 * Returns the expiry of a registration that is reopened now. `method` is null if it sets no
 * deadline.
 */
export function getExpiryAfterReopening(method: TransferMethod | null, at: Instant): Instant {
  return method === null
    ? getEndOfDayAfter(at, DAYS_TO_PAY_AFTER_REOPENING)
    : getExpiryOfTransfer(method, at)
}

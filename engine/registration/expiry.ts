/** Computes when unpaid registrations expire: after a transfer is chosen, after approval and after reopening. */
import type { Approval } from '../event/approval-and-cancellation-types.ts'
import type { TransferMethod } from '../event/payment-method-types.ts'
import { addDays, dayOf, endOfDay, type Instant } from '../lib/time.ts'

/** The default if the file no longer contains the approval rule. Most files use this value. */
const DAYS_TO_PAY_AFTER_APPROVAL = 7
/** The number of days to pay for a registration after it is reopened, if its payment method sets no deadline. */
const DAYS_TO_PAY_AFTER_REOPENING = 7

/** Returns the end of the day that is this number of days later. Registrations can be paid for until then. */
const computeEndOfDayAfter = (at: Instant, days: number): Instant =>
  endOfDay(addDays(dayOf(at), days))

/** Returns the expiry of a registration whose delegate chooses this transfer now. */
export function computeTransferExpiry({ expiresAfterDays }: TransferMethod, at: Instant): Instant {
  return computeEndOfDayAfter(at, expiresAfterDays)
}

/** Returns the expiry of a registration that is approved now. */
export function computeExpiryAfterApproval(approval: Approval | null, at: Instant): Instant {
  return computeEndOfDayAfter(at, approval?.payWithinDays ?? DAYS_TO_PAY_AFTER_APPROVAL)
}

/**
 * Returns the expiry of a registration that is reopened now. `method` is null if the payment
 * method sets no deadline.
 */
export function computeExpiryAfterReopening(method: TransferMethod | null, at: Instant): Instant {
  return method === null
    ? computeEndOfDayAfter(at, DAYS_TO_PAY_AFTER_REOPENING)
    : computeTransferExpiry(method, at)
}

/** When an unpaid registration expires: after a transfer was chosen, an approval, or a reopening. */
import type { Approval } from '../event/approval-and-cancellation-types.ts'
import type { TransferMethod } from '../event/payment-method-types.ts'
import { addDays, dayOf, endOfDay, type Instant } from '../lib/time.ts'

/** The default if the file no longer has the approval rule; most files use this value. */
const DAYS_TO_PAY_AFTER_APPROVAL = 7
/** For a reopened registration whose payment method sets no period. */
const DAYS_TO_PAY_AFTER_REOPENING = 7

/** A registration can be paid until the end of a day. */
const getEndOfDayAfter = (at: Instant, days: number): Instant => endOfDay(addDays(dayOf(at), days))

/** Returns the expiry of a registration whose delegate chooses this transfer now. */
export function getExpiryOfTransfer({ expiresAfterDays }: TransferMethod, at: Instant): Instant {
  return getEndOfDayAfter(at, expiresAfterDays)
}

/** Returns the expiry of a registration that is approved now. */
export function getExpiryAfterApproval(approval: Approval | null, at: Instant): Instant {
  return getEndOfDayAfter(at, approval?.payWithinDays ?? DAYS_TO_PAY_AFTER_APPROVAL)
}

/** Returns the expiry of a registration that is reopened now. Null: its payment method sets no period. */
export function getExpiryAfterReopening(method: TransferMethod | null, at: Instant): Instant {
  return method === null
    ? getEndOfDayAfter(at, DAYS_TO_PAY_AFTER_REOPENING)
    : getExpiryOfTransfer(method, at)
}

/** How often an unpaid registration may be reminded by staff. */

/** A registration that got a payment link within this time is not reminded again. */
export const REMINDER_INTERVAL_MS = 24 * 60 * 60 * 1000

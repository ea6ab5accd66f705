/** The minimum time between reminders that staff send for an unpaid registration. */

/** A registration that received a payment link within this time cannot be reminded. */
export const REMINDER_INTERVAL_MS = 24 * 60 * 60 * 1000

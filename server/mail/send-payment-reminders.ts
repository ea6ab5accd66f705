/** Emails a payment link once to delegates who registered and left before paying. */
import { canRetry, dayOf, getPaymentState, getPriceUntil, instant } from '../../engine/index.ts'
import { buildPaymentReminderEmail } from '../../engine/messages.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { createPeriodicJob } from '../ops/clock.ts'
import type { PeriodicJob } from '../ops/clock.ts'
import { findWithSameEmail } from '../registration/same-person.ts'

/** By this time, the delegate has probably left the gateway's page but still remembers the conference. */
const ABANDONED_AFTER_MS = 60 * 60_000
/** The interval between checks of the queue; a delay of a minute does not matter for an email. */
const CHECK_INTERVAL_MS = 60_000
/** Rows read from the store at a time. */
const BATCH_ROWS = 50

type PaymentReminderDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/** Queues the emails that are due. If disabled, queues them only when `run` is called. `run` returns their number. */
export function startPaymentReminders(
  deps: PaymentReminderDeps,
  { isEnabled }: { readonly isEnabled: boolean } = { isEnabled: true },
): PeriodicJob {
  const { store, clock, log } = deps
  const run = async (): Promise<number> => {
    const at = clock()
    const eventsWithEmail = deps.events.all().filter(({ config }) => config.email !== null)
    const ids = eventsWithEmail.map(({ config }) => config.id)
    let queuedCount = 0
    for (let afterId = 0; ;) {
      const batch = await store.unfinishedPayments(
        instant(at - ABANDONED_AFTER_MS),
        ids,
        afterId,
        BATCH_ROWS,
      )
      for (const { id, regNo } of batch) {
        afterId = id
        if (await queueReminder(deps, regNo, at)) queuedCount += 1
      }
      if (batch.length < BATCH_ROWS) return queuedCount
    }
  }
  return createPeriodicJob(run, isEnabled, CHECK_INTERVAL_MS, (error) =>
    log.error({ error: String(error) }, 'sending payment reminders failed'),
  )
}

/**
 * Queues the email if the registration can still be paid, no payment is known and no reminder was sent before. Returns
 * true if the email was queued.
 */
async function queueReminder(
  { store, events }: PaymentReminderDeps,
  regNo: string,
  at: Instant,
): Promise<boolean> {
  const stored = await store.registration(regNo)
  const event = stored === null ? null : events.findById(stored.eventId)
  const newestPayment = stored?.payments[0]
  if (stored === null || event === null || newestPayment === undefined) return false
  const { config } = event
  if (getPaymentState(stored, at) !== 'not-paid' || !canRetry(config, stored, at)) return false
  const sameEmail = await findWithSameEmail({ store }, config, stored)
  // Finds the same address under any name, or the same person with a different spelling of the address.
  const paidRegistration =
    sameEmail.find(({ paymentStatus }) => paymentStatus === 'success') ??
    (await store.paidRegistrationOfSamePerson(stored.regNo))
  const email = buildPaymentReminderEmail(
    config,
    stored,
    {
      until: getPriceUntil(config, newestPayment, stored, stored.payUntil),
      today: dayOf(at),
    },
    paidRegistration?.regNo ?? null,
  )
  return email !== null && (await store.queuePaymentReminder(stored.regNo, email, at))
}

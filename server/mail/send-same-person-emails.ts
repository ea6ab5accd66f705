/**
 * Emails registered delegates when another browser registers the same person again. The registration request
 * only records that the email is due, so neither its response nor its duration reveals to a stranger whether there is
 * an email to send. An email that was due when the server stopped is queued after the next start.
 */
import { dayOf, instant, startOfDay } from '../../engine/index.ts'
import { buildSamePersonEmail } from '../../engine/messages.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { createPeriodicJob } from '../ops/clock.ts'
import type { PeriodicJob } from '../ops/clock.ts'
import type { SamePersonNotice } from '../storage/mail/email-list-types.ts'

/** Short, because the delegate may be about to pay a second time. */
const CHECK_INTERVAL_MS = 1_000
/** Rows read from the store at a time. */
const BATCH_ROWS = 50

type SamePersonDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/** Queues the emails that are due. If disabled, queues them only when `run` is called. `run` returns their number. */
export function startSamePersonEmails(
  deps: SamePersonDeps,
  { isEnabled }: { readonly isEnabled: boolean },
): PeriodicJob {
  const { store, clock, log } = deps
  const run = async (): Promise<number> => {
    const at = clock()
    let queuedCount = 0
    for (let lastNoticeId = 0; ;) {
      const notices = await store.dueNotices(lastNoticeId, BATCH_ROWS)
      for (const notice of notices) {
        lastNoticeId = notice.registrationId
        if (await queueEmail(deps, notice, at)) queuedCount += 1
      }
      if (notices.length < BATCH_ROWS) return queuedCount
    }
  }
  return createPeriodicJob(run, isEnabled, CHECK_INTERVAL_MS, (error) =>
    log.error({ error: String(error) }, 'sending emails about second registrations failed'),
  )
}

/** Queues at most one email a day per mailbox and event. Returns true if an email was queued. */
async function queueEmail(
  { store, events }: SamePersonDeps,
  { id, regNo }: SamePersonNotice,
  at: Instant,
): Promise<boolean> {
  const stored = await store.registration(regNo)
  const event = stored === null ? null : events.findById(stored.eventId)
  if (stored === null || event === null) return false
  const email = buildSamePersonEmail(event.config, stored, stored.paymentStatus === 'success')
  const beforeToday = instant(startOfDay(dayOf(at)) - 1)
  return email !== null && (await store.queueAlreadyRegistered(regNo, email, at, beforeToday, id))
}

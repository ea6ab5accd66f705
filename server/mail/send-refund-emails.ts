/** Sends one email per refund, whatever the channel (gateway, merchant panel, manual). */
import { instant } from '../../engine/index.ts'
import { buildRefundedEmail } from '../../engine/messages.ts'
import type { Instant } from '../../engine/index.ts'
import { isPreviousHolderPayment } from '../registration/answers-after-transfer.ts'
import type { Deps } from '../dependencies.ts'
import { createPeriodicJob } from '../ops/clock.ts'
import type { PeriodicJob } from '../ops/clock.ts'
import type { CompletedRefund } from '../storage/payments/payment-types.ts'

/** A delay of a minute does not matter for an email. */
const CHECK_INTERVAL_MS = 60_000
/** No email is sent for older refunds: the server was stopped then, or its version did not send these emails. */
const MAX_REFUND_AGE_MS = 7 * 24 * 60 * 60_000
/** Rows read from the store at a time. */
const BATCH_ROWS = 50

type RefundEmailDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/** Queues the emails that are due. If disabled, queues them only when `run` is called. `run` returns their number. */
export function startRefundEmails(
  deps: RefundEmailDeps,
  { isEnabled }: { readonly isEnabled: boolean } = { isEnabled: true },
): PeriodicJob {
  const { store, events, clock, log } = deps
  const run = async (): Promise<number> => {
    const at = clock()
    const eventsWithEmail = events.all().filter(({ config }) => config.email !== null)
    const ids = eventsWithEmail.map(({ config }) => config.id)
    let queuedCount = 0
    for (;;) {
      const refunds = await store.refundsWithoutEmail(
        instant(Math.max(0, at - MAX_REFUND_AGE_MS)),
        ids,
        BATCH_ROWS,
      )
      let queuedInBatch = 0
      for (const refund of refunds) if (await queueRefundEmail(deps, refund, at)) queuedInBatch += 1
      queuedCount += queuedInBatch
      // Refunds for which no email can be sent yet are checked again later.
      if (refunds.length < BATCH_ROWS || queuedInBatch === 0) return queuedCount
    }
  }
  return createPeriodicJob(run, isEnabled, CHECK_INTERVAL_MS, (error) =>
    log.error({ error: String(error) }, 'sending refund emails failed'),
  )
}

/**
 * Queues an email if the registration has an address and no email was sent for this refund. Returns true if it was
 * queued.
 */
async function queueRefundEmail(
  { store, events }: RefundEmailDeps,
  { id, regNo, attemptedAt, ...refund }: CompletedRefund,
  at: Instant,
): Promise<boolean> {
  const registration = await store.registration(regNo)
  const event = registration === null ? null : events.findById(registration.eventId)
  if (registration === null || event === null) return false
  // A registration that owes a difference may also get a refund, but is not complete.
  const isComplete = registration.state === 'complete'
  const isCancelled = registration.state === 'cancelled'
  const email = buildRefundedEmail(event.config, registration, {
    ...refund,
    isComplete,
    isCancelled,
    isPreviousHolder: await isPreviousHolderPayment(store, registration, attemptedAt),
  })
  return email !== null && (await store.queueRefundEmail(id, regNo, email, at))
}

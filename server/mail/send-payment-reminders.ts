/** Emails a payment link once to delegates who registered and left before paying. */
import { attemptHoldEnd, instant, canRetry, paymentState } from '../../engine/index.ts'
import { buildPaymentReminderEmail } from '../../engine/messages.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { byItself } from '../ops/clock.ts'
import type { ByItself } from '../ops/clock.ts'
import { withSameEmail } from '../registration/possible-duplicate-registrations.ts'

/** By then the delegate has left the gateway's page, but still has the conference in mind. */
const LEFT_MS = 60 * 60_000
/** How often the queue is checked; a delay of a minute does not matter for an email. */
const TICK_MS = 60_000
/** Rows read from the store at a time. */
const BATCH_ROWS = 50

type UnfinishedDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/** Queues the emails that are due. `works` false: none, unless `run` is called. `run` returns the number queued. */
export function openUnfinished(
  deps: UnfinishedDeps,
  { works }: { readonly works: boolean } = { works: true },
): ByItself {
  const { store, clock, log } = deps
  const run = async (): Promise<number> => {
    const at = clock()
    const sending = deps.events.all().filter(({ config }) => config.email !== null)
    const ids = sending.map(({ config }) => config.id)
    let queued = 0
    for (let after = 0; ;) {
      const left = await store.unfinished(instant(at - LEFT_MS), ids, after, BATCH_ROWS)
      for (const { id, regNo } of left) {
        after = id
        if (await queue(deps, regNo, at)) queued += 1
      }
      if (left.length < BATCH_ROWS) return queued
    }
  }
  return byItself(run, works, TICK_MS, (error) =>
    log.error({ error: String(error) }, 'the mails to whoever left stumbled'),
  )
}

/**
 * Returns true if an email was queued: the registration can still be paid, no payment is known, and no email was
 * sent before.
 */
async function queue(
  { store, events }: UnfinishedDeps,
  regNo: string,
  at: Instant,
): Promise<boolean> {
  const stored = await store.registration(regNo)
  const event = stored === null ? null : events.byId(stored.eventId)
  const newest = stored?.payments[0]
  if (stored === null || event === null || newest === undefined) return false
  const { config } = event
  if (paymentState(stored, at) !== 'not-paid' || !canRetry(config, stored, at)) return false
  const others = await withSameEmail({ store }, config, stored)
  const paid = others.find(({ paymentStatus }) => paymentStatus === 'success')
  const mail = buildPaymentReminderEmail(
    config,
    stored,
    attemptHoldEnd(config, newest),
    paid?.regNo ?? null,
  )
  return mail !== null && (await store.queueUnfinished(stored.regNo, mail, at))
}

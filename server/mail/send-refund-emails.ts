/** Sends one email per refund, whatever the channel (gateway, merchant panel, manual). */
import { instant } from '../../engine/index.ts'
import { buildRefundedEmail } from '../../engine/messages.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { byItself } from '../ops/clock.ts'
import type { ByItself } from '../ops/clock.ts'
import type { GivenBack } from '../storage/payments/payment-types.ts'

/** A delay of a minute does not matter for an email. */
const TICK_MS = 60_000
/** Older refunds send no email: the server was stopped, or of a version without these emails. */
const NEWS_MS = 7 * 24 * 60 * 60_000
/** Rows read from the store at a time. */
const BATCH_ROWS = 50

type GivenBackDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/** Queues the emails that are due. `works` false: none, unless `run` is called. `run` returns the number queued. */
export function openGivenBack(
  deps: GivenBackDeps,
  { works }: { readonly works: boolean } = { works: true },
): ByItself {
  const { store, events, clock, log } = deps
  const run = async (): Promise<number> => {
    const at = clock()
    const sending = events.all().filter(({ config }) => config.email !== null)
    const ids = sending.map(({ config }) => config.id)
    let queued = 0
    for (;;) {
      const gone = await store.givenBack(instant(Math.max(0, at - NEWS_MS)), ids, BATCH_ROWS)
      let told = 0
      for (const one of gone) if (await tell(deps, one, at)) told += 1
      queued += told
      // Refunds that cannot be reported are checked again later.
      if (gone.length < BATCH_ROWS || told === 0) return queued
    }
  }
  return byItself(run, works, TICK_MS, (error) =>
    log.error({ error: String(error) }, 'the mails about money that went back stumbled'),
  )
}

/** Returns true if an email was queued: the registration has an address, and no email was sent for this refund. */
async function tell(
  { store, events }: GivenBackDeps,
  { id, regNo, ...back }: GivenBack,
  at: Instant,
): Promise<boolean> {
  const registration = await store.registration(regNo)
  const event = registration === null ? null : events.byId(registration.eventId)
  if (registration === null || event === null) return false
  // A registration that owes a difference may also get a refund, but is not complete.
  const isComplete = registration.state === 'complete'
  const mail = buildRefundedEmail(event.config, registration, { ...back, isComplete })
  return mail !== null && (await store.queueGivenBack(id, regNo, mail, at))
}

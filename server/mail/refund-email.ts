/** Whoever has money back is told once, however it went: through the gateway, in its panel, or by hand. */
import { givenBackMail, instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { byItself } from '../ops/clock.ts'
import type { ByItself } from '../ops/clock.ts'
import type { GivenBack } from '../storage/payments/payment-types.ts'

/** A minute more or less is nothing to a mail. */
const TICK_MS = 60_000
/** Of what went back longer ago nobody is told any more: the server was away, or of a version that told nobody. */
const NEWS_MS = 7 * 24 * 60 * 60_000
/** Read from the store at a time. */
const BATCH_ROWS = 50

type GivenBackDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/** Queues the mails that are due. `works` false: none, unless somebody calls `run`, which answers how many. */
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
      // Those that cannot be told are looked at again in a while.
      if (gone.length < BATCH_ROWS || told === 0) return queued
    }
  }
  return byItself(run, works, TICK_MS, (error) =>
    log.error({ error: String(error) }, 'the mails about money that went back stumbled'),
  )
}

/** Whether a mail was queued: the registration has an address, and nobody was told of it before. */
async function tell(
  { store, events }: GivenBackDeps,
  { id, regNo, ...back }: GivenBack,
  at: Instant,
): Promise<boolean> {
  const registration = await store.registration(regNo)
  const event = registration === null ? null : events.byId(registration.eventId)
  if (registration === null || event === null) return false
  // Of one that owes a difference the money counts too, and it is not complete.
  const isComplete = registration.state === 'complete'
  const mail = givenBackMail(event.config, registration, { ...back, isComplete })
  return mail !== null && (await store.queueGivenBack(id, regNo, mail, at))
}

/** Whoever registered and left before paying gets one mail with a link that leads back; nobody gets two. */
import { holdOf, instant, mayTry, standing, unfinishedMail } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { byItself } from '../ops/clock.ts'
import type { ByItself } from '../ops/clock.ts'
import { withSameEmail } from '../registration/registrations-with-same-email.ts'

/** By then nobody is in front of the gateway's page any more, and the conference is still in mind. */
const LEFT_MS = 60 * 60_000
/** How often the worker looks; a minute more or less is nothing to a mail. */
const TICK_MS = 60_000
/** Read from the store at a time. */
const BATCH_ROWS = 50

type UnfinishedDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/** Queues the mails that are due. `works` false: none, unless somebody calls `run`, which answers how many. */
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

/** Whether a mail was queued: it may still be paid, nothing is known of any money, and there was none before. */
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
  if (standing(stored, at) !== 'not-paid' || !mayTry(config, stored, at)) return false
  const others = await withSameEmail({ store }, config, stored)
  const paid = others.find(({ paymentStatus }) => paymentStatus === 'success')
  const mail = unfinishedMail(config, stored, holdOf(config, newest), paid?.regNo ?? null)
  return mail !== null && (await store.queueUnfinished(stored.regNo, mail, at))
}

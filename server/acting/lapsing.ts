/** The clock's act: what waited for its money until a day, and got none, lapses and frees its places. */
import { lapsedMail } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { byItself } from '../machine/clock.ts'
import type { ByItself } from '../machine/clock.ts'

/** A day that is over is over for everybody; some minutes more harm nobody. */
const TICK_MS = 5 * 60_000
/** Read from the store at a time. */
const BATCH_ROWS = 50
/** As the trail names whoever acts by itself. */
const WHO = 'rollcall'

type LapsingDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/** `works` false: nothing lapses unless somebody calls `run`, which answers how many did. */
export function openLapsing(
  deps: LapsingDeps,
  { works }: { readonly works: boolean } = { works: true },
): ByItself {
  const { store, events, clock, log } = deps
  const run = async (): Promise<number> => {
    let lapsed = 0
    for (;;) {
      const at = clock()
      const regNos = await store.overdue(at, BATCH_ROWS)
      let moved = 0
      for (const regNo of regNos) {
        const registration = await store.registration(regNo)
        if (registration === null) continue
        const event = events.byId(registration.eventId)?.config ?? null
        const mail = event === null ? null : lapsedMail(event, registration)
        const wanted = { regNo, act: 'lapse', actor: 'clock', who: WHO, why: '', at } as const
        const done = await store.lapse({ ...wanted, once: null }, mail)
        if (done.ok) moved += 1
      }
      lapsed += moved
      // Those that do not move are looked at again in a while.
      if (regNos.length < BATCH_ROWS || moved === 0) return lapsed
    }
  }
  return byItself(run, works, TICK_MS, (error) =>
    log.error({ error: String(error) }, 'letting registrations lapse stumbled'),
  )
}

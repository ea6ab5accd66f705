/** The clock's act: what waited for its money until a day, and got none, lapses and frees its places. */
import { lapsedMail } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { repeating } from '../machine/clock.ts'

/** A day that is over is over for everybody; some minutes more harm nobody. */
const TICK_MS = 5 * 60_000
/** Read from the store at a time. */
const BATCH_ROWS = 50
/** As the trail names whoever acts by itself. */
const WHO = 'rollcall'

type LapsingDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>
export type Lapsing = {
  /** Lets lapse what is over; answers how many. */
  run(): Promise<number>
  close(): Promise<void>
}

/** `works` false: nothing lapses unless somebody calls `run`. */
export function openLapsing(
  deps: LapsingDeps,
  { works }: { readonly works: boolean } = { works: true },
): Lapsing {
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
  const stop = works
    ? repeating(TICK_MS, run, (error) =>
        log.error({ error: String(error) }, 'letting registrations lapse stumbled'),
      )
    : null
  return { run, close: async () => stop?.() }
}

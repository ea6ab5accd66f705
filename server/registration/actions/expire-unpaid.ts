/** Expires registrations not paid in time, and reopens those expired because the clock was ahead. */
import { paise } from '../../../engine/index.ts'
import { buildExpiredEmail, buildReopenedEmail } from '../../../engine/messages.ts'
import type { Deps } from '../../dependencies.ts'
import { byItself } from '../../ops/clock.ts'
import type { ByItself } from '../../ops/clock.ts'

/** A deadline is the end of a day, so a delay of a few minutes is harmless. */
const TICK_MS = 5 * 60_000
/** Rows read from the store at a time. */
const BATCH_ROWS = 50
/** Name of the automatic actor in the history. */
const WHO = 'rollcall'

type LapsingDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/** `works` false: nothing expires unless `run` is called. `run` returns the number of registrations expired. */
export function openLapsing(
  deps: LapsingDeps,
  { works }: { readonly works: boolean } = { works: true },
): ByItself {
  const { store, events, clock, log } = deps
  const reopen = async (): Promise<void> => {
    const at = clock()
    for (const regNo of await store.lapsedTooEarly(at, BATCH_ROWS)) {
      const registration = await store.registration(regNo)
      if (registration === null) continue
      const { eventId, total, payUntil } = registration
      const event = events.byId(eventId)?.config ?? null
      const mail =
        event === null || payUntil === null
          ? null
          : buildReopenedEmail(event, registration, total ?? paise(0), payUntil)
      const wanted = { regNo, act: 'reopen', actor: 'clock', who: WHO, why: '', at } as const
      const done = await store.reopen({ ...wanted, once: null }, mail)
      if (!done.ok)
        log.warn(
          { event: eventId, code: done.error.code },
          'a registration that expired because the clock was wrong could not be reopened',
        )
    }
  }
  const run = async (): Promise<number> => {
    await reopen()
    let lapsed = 0
    for (;;) {
      const at = clock()
      const regNos = await store.overdue(at, BATCH_ROWS)
      let moved = 0
      for (const regNo of regNos) {
        const registration = await store.registration(regNo)
        if (registration === null) continue
        const event = events.byId(registration.eventId)?.config ?? null
        const mail = event === null ? null : buildExpiredEmail(event, registration)
        const wanted = { regNo, act: 'lapse', actor: 'clock', who: WHO, why: '', at } as const
        const done = await store.lapse({ ...wanted, once: null }, mail)
        if (done.ok) moved += 1
      }
      lapsed += moved
      // Registrations that do not change are checked again later.
      if (regNos.length < BATCH_ROWS || moved === 0) return lapsed
    }
  }
  return byItself(run, works, TICK_MS, (error) =>
    log.error({ error: String(error) }, 'letting registrations lapse stumbled'),
  )
}

/** Expires registrations not paid in time, and reopens those that expired because the clock was ahead. */
import { toAmount } from '../../../engine/index.ts'
import { buildExpiredEmail, buildReopenedEmail } from '../../../engine/messages.ts'
import type { Deps } from '../../dependencies.ts'
import { createPeriodicJob } from '../../ops/clock.ts'
import type { PeriodicJob } from '../../ops/clock.ts'

/** A deadline is the end of a day, so a delay of a few minutes is harmless. */
const CHECK_INTERVAL_MS = 5 * 60_000
/** Rows read from the store at a time. */
const BATCH_ROWS = 50
/** Name of the automatic actor in the history. */
const AUTOMATIC_ACTOR = 'rollcall'

type ExpiryDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/**
 * Starts the periodic check. If it is not enabled, nothing expires unless `run` is called. `run` returns the number of
 * registrations expired.
 */
export function startExpiryJob(
  deps: ExpiryDeps,
  { isEnabled }: { readonly isEnabled: boolean } = { isEnabled: true },
): PeriodicJob {
  const { store, events, clock, log } = deps
  const reopen = async (): Promise<void> => {
    const at = clock()
    for (const regNo of await store.expiredTooEarly(at, BATCH_ROWS)) {
      const registration = await store.registration(regNo)
      if (registration === null) continue
      const { eventId, total, payUntil } = registration
      const event = events.findById(eventId)?.config ?? null
      const email =
        event === null || payUntil === null
          ? null
          : buildReopenedEmail(event, registration, total ?? toAmount(0), payUntil)
      const action = {
        regNo,
        act: 'reopen',
        actor: 'clock',
        who: AUTOMATIC_ACTOR,
        why: '',
        at,
      } as const
      const result = await store.undoExpiry(
        { ...action, idempotencyKey: null, previousAnswers: registration.answers },
        email,
      )
      if (!result.ok)
        log.warn(
          { event: eventId, code: result.error.code },
          'a registration that expired because the clock was wrong could not be reopened',
        )
    }
  }
  const run = async (): Promise<number> => {
    await reopen()
    let expiredCount = 0
    for (;;) {
      const at = clock()
      const regNos = await store.overdue(at, BATCH_ROWS)
      let changedCount = 0
      for (const regNo of regNos) {
        const registration = await store.registration(regNo)
        if (registration === null) continue
        const event = events.findById(registration.eventId)?.config ?? null
        const email = event === null ? null : buildExpiredEmail(event, registration)
        const action = {
          regNo,
          act: 'lapse',
          actor: 'clock',
          who: AUTOMATIC_ACTOR,
          why: '',
          at,
        } as const
        const result = await store.expire(
          { ...action, idempotencyKey: null, previousAnswers: registration.answers },
          email,
        )
        if (result.ok) changedCount += 1
      }
      expiredCount += changedCount
      // Registrations that could not be expired are retried on the next run.
      if (regNos.length < BATCH_ROWS || changedCount === 0) return expiredCount
    }
  }
  return createPeriodicJob(run, isEnabled, CHECK_INTERVAL_MS, (error) =>
    log.error({ error: String(error) }, 'could not expire unpaid registrations'),
  )
}

/** Deletes files and personal data after the retention periods in the event file. */
import { dayOf } from '../../../engine/index.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import { createPeriodicJob } from '../../ops/clock.ts'
import type { PeriodicJob } from '../../ops/clock.ts'
import { eraseRegistration } from './erase-personal-data.ts'
import type { ErasureDeps } from './erase-personal-data.ts'

/** The name of the automatic actor in the history; staff appear under their own names. */
const AUTOMATIC_ACTOR = 'rollcall'
/** A retention period ends on a certain date, so an hourly check is frequent enough. */
const CHECK_INTERVAL_MS = 60 * 60_000
const RETENTION_OVER_REASON = 'the retention period in the event file has ended'

type RetentionDeps = ErasureDeps &
  Pick<Deps, 'events' | 'clock' | 'log'> & {
    /** Returns true if the clock is correct, so that data may be erased by age. */
    readonly isClockTrusted: () => Promise<boolean>
  }

/**
 * Erases registrations whose retention period (`retention` in the event file) has ended. `run` returns the number of
 * registrations erased.
 */
export function startRetentionJob(
  deps: RetentionDeps,
  { isEnabled }: { readonly isEnabled: boolean },
): PeriodicJob {
  const run = async (): Promise<number> => {
    if (!(await deps.isClockTrusted())) return 0
    let erasedCount = 0
    for (const served of deps.events.all()) erasedCount += await applyRetention(deps, served)
    return erasedCount
  }
  return createPeriodicJob(run, isEnabled, CHECK_INTERVAL_MS, (error) =>
    deps.log.error(
      { error: String(error) },
      'erasing registrations after their retention period failed',
    ),
  )
}

async function applyRetention(deps: RetentionDeps, { config }: ServedEvent): Promise<number> {
  const { store, clock } = deps
  const at = clock()
  const today = dayOf(at)
  const { answers, files } = config.retention
  if (files !== null && today > files) {
    let droppedCount = 0
    for (;;) {
      const batchCount = await store.deleteUploadsOfEvent(config.id, at, RETENTION_OVER_REASON)
      if (batchCount === 0) break
      droppedCount += batchCount
    }
    if (droppedCount > 0)
      logErasure(deps, config.id, droppedCount, 'the files of registrations were deleted')
  }
  if (answers === null || today <= answers) return 0
  let erasedCount = 0
  for (let batch = await store.registrationsToErase(config.id, 0); batch.length > 0;) {
    let lastId = 0
    for (const { id, regNo } of batch) {
      lastId = id
      const registration = await store.registration(regNo)
      if (registration === null) continue
      const action = {
        regNo,
        act: 'erase',
        actor: 'owner',
        who: AUTOMATIC_ACTOR,
        at,
        idempotencyKey: null,
        previousAnswers: registration.answers,
      } as const
      const result = await eraseRegistration(deps, registration, {
        ...action,
        why: RETENTION_OVER_REASON,
      })
      if (result.ok) erasedCount += 1
      // A pending payment review prevents erasure. The review is reported elsewhere, and erasure is tried again in an
      // hour.
      else
        deps.log.warn(
          { event: config.id, code: result.error.code },
          'a registration was not erased',
        )
    }
    batch = await store.registrationsToErase(config.id, lastId)
  }
  if (erasedCount > 0)
    logErasure(deps, config.id, erasedCount, 'the personal data of registrations was erased')
  return erasedCount
}

function logErasure(
  { log }: Pick<RetentionDeps, 'log'>,
  event: string,
  registrations: number,
  message: string,
): void {
  log.warn({ event, registrations }, `${message}: ${RETENTION_OVER_REASON}`)
}

/** Applies a changed event file, in the background, to registrations that were stored before the change. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../dependencies.ts'
import { createPeriodicJob } from '../ops/clock.ts'
import { StoreBusy } from '../storage/index.ts'
import type { PeriodicJob } from '../ops/clock.ts'
import type { Store } from '../storage/index.ts'

/** The interval after which processing continues if the server that began it was restarted or has stopped. */
const CHECK_INTERVAL_MS = 60_000

type JobDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

const hasRegistrations = async (store: Pick<Store, 'databaseProgress'>): Promise<boolean> =>
  ((await store.databaseProgress()).counted['registrations'] ?? 0) > 0

/** Starts the job. If it is not enabled, it runs only when called. `run` returns the number of batches. */
export function startEarlierRegistrationsJob(
  { store, events, clock, log }: JobDeps,
  { isEnabled }: { readonly isEnabled: boolean },
): PeriodicJob {
  const closing = new AbortController()
  let currentRun: Promise<number> | null = null
  const processAll = async (): Promise<number> => {
    let batchCount = 0
    while (!closing.signal.aborted) {
      const startedAt = performance.now()
      if (!(await store.applyNewRulesToEarlierRegistrations(clock()))) break
      batchCount += 1
      // Pauses for as long as the batch took, so requests get half of the time.
      await pause(performance.now() - startedAt)
    }
    // The first event file of a new database is processed too, but there are no earlier registrations to report.
    if (batchCount > 0 && (await hasRegistrations(store)))
      log.info({ batches: batchCount }, 'earlier registrations are processed')
    return batchCount
  }
  const run = (): Promise<number> => {
    currentRun ??= processAll().finally(() => {
      currentRun = null
    })
    return currentRun
  }
  const logError = (error: unknown): void => {
    // The store is busy during an import or an outage. The next run tries again.
    if (!(error instanceof StoreBusy))
      log.error({ error: String(error) }, 'processing earlier registrations failed')
  }
  const job = createPeriodicJob(run, isEnabled, CHECK_INTERVAL_MS, logError)
  if (isEnabled) {
    const start = (): void => void run().catch(logError)
    events.onChange(start)
    start()
  }
  return {
    run,
    async close() {
      closing.abort()
      await job.close()
      await currentRun?.catch(() => {})
    },
  }
}

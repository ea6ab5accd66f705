/** Logs once that the database responds again after an outage in which requests were refused. */
import type { Deps } from '../dependencies.ts'

const CHECK_INTERVAL_MS = 1_000

export type OutageWatch = {
  /** Call this for each request that was refused. */
  begin(): void
  close(): void
}

export function watchOutages({
  store,
  clock,
  log,
}: Pick<Deps, 'store' | 'clock' | 'log'>): OutageWatch {
  let timer: NodeJS.Timeout | null = null
  let isClosed = false
  const scheduleCheck = (): void => {
    timer = isClosed ? null : setTimeout(() => void check(), CHECK_INTERVAL_MS)
    timer?.unref()
  }
  const check = async (): Promise<void> => {
    try {
      await store.ping(clock())
    } catch {
      scheduleCheck()
      return
    }
    timer = null
    if (!isClosed) log.info({}, 'the database responds again: requests are accepted')
  }
  return {
    begin: () => {
      if (timer === null) scheduleCheck()
    },
    close: () => {
      isClosed = true
      clearTimeout(timer ?? undefined)
    },
  }
}

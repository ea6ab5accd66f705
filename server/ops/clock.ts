/** Reads the machine's clock (the only module that does), and runs timeouts and periodic tasks. */
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'

/**
 * Returns the server's clock. With `start`, the clock shows that instant when this function is called, and then runs
 * normally. This is for rehearsals. Otherwise it shows the real time.
 */
export function createClock(start: Instant | null): () => Instant {
  if (start === null) return () => instant(Date.now())
  const startedAt = performance.now()
  return () => instant(start + Math.floor(performance.now() - startedAt))
}

/** Waits for `task`, but no longer than `ms`. Passes the task's errors to `onError`. */
export async function waitAtMost(
  ms: number,
  task: Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<void> {
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, ms)
  await Promise.race([task.catch(onError), timeout.promise])
  clearTimeout(timer)
}

/**
 * Runs `task` repeatedly, each time `ms` after the previous run has ended, so that runs never overlap. Errors are
 * passed to `onError` and do not prevent later runs. The timer does not keep the process alive. Returns a function that
 * stops the task and waits for the current run.
 */
export function repeatTask(
  ms: number,
  task: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let currentTask: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | null = null
  let isStopped = false
  const scheduleNext = (): void => {
    if (isStopped) return
    timer = setTimeout(() => {
      currentTask = task().catch(onError).finally(scheduleNext)
    }, ms)
    timer.unref()
  }
  scheduleNext()
  return async () => {
    isStopped = true
    if (timer !== null) clearTimeout(timer)
    await currentTask
  }
}

/** A background job that runs periodically. */
export type PeriodicJob = {
  /** Processes the items due now, and returns how many there were. */
  run(): Promise<number>
  close(): Promise<void>
}

/** Creates a background job that repeats `run`. If `isEnabled` is false, the job runs only when called. */
export function createPeriodicJob(
  run: () => Promise<number>,
  isEnabled: boolean,
  ms: number,
  onError: (error: unknown) => void,
): PeriodicJob {
  const stop = isEnabled ? repeatTask(ms, run, onError) : null
  return { run, close: async () => stop?.() }
}

/** Reads the machine's clock (the only module that does), and runs timeouts and repeated work. */
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'

/**
 * Returns the server's clock. With `start` it shows that instant at the moment of the call and runs on from
 * there, for rehearsals; without it, the real time.
 */
export function createClock(start: Instant | null): () => Instant {
  if (start === null) return () => instant(Date.now())
  const startedAt = performance.now()
  return () => instant(start + Math.floor(performance.now() - startedAt))
}

/** Waits for work at most this long; its errors go to `onError`. */
export async function within(
  ms: number,
  work: Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<void> {
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, ms)
  await Promise.race([work.catch(onError), timeout.promise])
  clearTimeout(timer)
}

/**
 * Runs `work` repeatedly, each time this many milliseconds after it has ended: never two at a time. An error goes
 * to `onError` and does not stop it. It does not keep the process alive. Returns a function that stops it; when
 * that resolves, nothing is running.
 */
export function repeating(
  ms: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | null = null
  let isStopped = false
  const scheduleNext = (): void => {
    if (isStopped) return
    timer = setTimeout(() => {
      running = work().catch(onError).finally(scheduleNext)
    }, ms)
    timer.unref()
  }
  scheduleNext()
  return async () => {
    isStopped = true
    if (timer !== null) clearTimeout(timer)
    await running
  }
}

/** A background job. */
export type ByItself = {
  /** Does what is due now; returns the number of items. */
  run(): Promise<number>
  close(): Promise<void>
}

/** Like `repeating`. `works` false: nothing is done unless `run` is called. */
export function byItself(
  run: () => Promise<number>,
  isEnabled: boolean,
  ms: number,
  onError: (error: unknown) => void,
): ByItself {
  const stop = isEnabled ? repeating(ms, run, onError) : null
  return { run, close: async () => stop?.() }
}

/** The only reader of the machine's clock, how long one waits by it, and what is done again and again. */
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'

/**
 * The server's clock. With `start` it shows that instant at the moment of the call and runs on from
 * there, for rehearsals; without, it shows the real time.
 */
export function makeClock(start: Instant | null): () => Instant {
  if (start === null) return () => instant(Date.now())
  const begun = performance.now()
  return () => instant(start + Math.floor(performance.now() - begun))
}

/** Waits for work, but not for ever and not for its errors, which go to `complain`. */
export async function within(
  ms: number,
  work: Promise<unknown>,
  complain: (error: unknown) => void,
): Promise<void> {
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, ms)
  await Promise.race([work.catch(complain), timeout.promise])
  clearTimeout(timer)
}

/**
 * Does `work` again and again, so many milliseconds after it has ended: never twice at a time, and never kept from
 * the next time by an error, which goes to `complain`. It keeps no process alive. Answers how to stop: when that
 * resolves, nothing is on its way any more.
 */
export function repeating(
  ms: number,
  work: () => Promise<unknown>,
  complain: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | null = null
  let isStopped = false
  const wait = (): void => {
    if (isStopped) return
    timer = setTimeout(() => {
      running = work().catch(complain).finally(wait)
    }, ms)
    timer.unref()
  }
  wait()
  return async () => {
    isStopped = true
    if (timer !== null) clearTimeout(timer)
    await running
  }
}

/** What looks by itself after what waits. */
export type ByItself = {
  /** Does what is due now; answers of how many. */
  run(): Promise<number>
  close(): Promise<void>
}

/** As `repeating`. `works` false: nothing is done unless somebody calls `run`. */
export function byItself(
  run: () => Promise<number>,
  works: boolean,
  ms: number,
  complain: (error: unknown) => void,
): ByItself {
  const stop = works ? repeating(ms, run, complain) : null
  return { run, close: async () => stop?.() }
}

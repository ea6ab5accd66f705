/** The only reader of the machine's clock, and how long one waits by it. */
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

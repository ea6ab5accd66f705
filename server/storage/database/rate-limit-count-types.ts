/** Counts tries for several servers together; a single server counts them in memory. */
import type { Instant } from '../../../engine/index.ts'

/** The number of tries in a sliding window, measured with the caller's clock. */
export type Window = { readonly triesMax: number; readonly windowMs: number }
export type Tries = {
  /** Milliseconds until the key may try again; 0: it may now. */
  wait(key: string, at: Instant, window: Window): Promise<number>
  /** The same, and counts the try if it is allowed; simultaneous tries at several servers all count. */
  take(key: string, at: Instant, window: Window): Promise<number>
  /** Counts in any case; the oldest is dropped for it. */
  count(key: string, at: Instant, window: Window): Promise<void>
  forget(key: string): Promise<void>
}

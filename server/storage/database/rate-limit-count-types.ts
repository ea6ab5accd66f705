/** Defines counts of attempts that several servers share. A single server counts them in memory. */
import type { Instant } from '../../../engine/index.ts'

/** The maximum number of attempts in a sliding window, measured by the caller's clock. */
export type Window = { readonly triesMax: number; readonly windowMs: number }
export type AttemptCounter = {
  /** Returns the milliseconds until the key may try again; 0 if it may try now. */
  wait(key: string, at: Instant, window: Window): Promise<number>
  /**
   * Like `wait`, but counts the attempt if it is allowed. Simultaneous attempts on different servers are all counted.
   */
  take(key: string, at: Instant, window: Window): Promise<number>
  /** Counts the attempt even if it is not allowed, and drops the oldest one if necessary. */
  count(key: string, at: Instant, window: Window): Promise<void>
  forget(key: string): Promise<void>
}

/** Defines the counts of attempts that several servers share. A single server counts in memory. */
import type { Instant } from '../../../engine/index.ts'

/** The maximum number of attempts in a sliding window, measured by the caller's clock. */
export type Window = { readonly maxAttempts: number; readonly windowMs: number }
export type AttemptCounter = {
  /** Returns the number of milliseconds until the key may try again. 0 if it may try now. */
  wait(key: string, at: Instant, window: Window): Promise<number>
  /**
   * Like `wait`, but counts the attempt if it is allowed. Counts all simultaneous attempts, even on different
   * servers.
   */
  take(key: string, at: Instant, window: Window): Promise<number>
  /** Counts the attempt even if it is not allowed, and removes the oldest attempt if necessary. */
  count(key: string, at: Instant, window: Window): Promise<void>
  forget(key: string): Promise<void>
}

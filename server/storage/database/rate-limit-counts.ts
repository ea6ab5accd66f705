/** Tries that several servers count together; one server counts them in its memory. */
import type { Instant } from '../../../engine/index.ts'

/** So many in a window that slides with the caller's clock. */
export type Window = { readonly triesMax: number; readonly windowMs: number }
export type Tries = {
  /** Milliseconds until the key may try again; 0: it may now. */
  wait(key: string, at: Instant, window: Window): Promise<number>
  /** The same, and counted where it may: tries made at the same moment at several servers all count. */
  take(key: string, at: Instant, window: Window): Promise<number>
  /** Counted in any case; the oldest is forgotten for it. */
  count(key: string, at: Instant, window: Window): Promise<void>
  forget(key: string): Promise<void>
}

/**
 * Counts tries per key in a window that slides with the caller's clock. In memory: a limit on guessing
 * needs no fsync, and losing the counts at a restart gives a guesser nothing worth a restart.
 */
import type { Instant } from '../../engine/index.ts'

export type Limit = {
  /** Milliseconds until the key may try again; 0: it may now. */
  wait(key: string, at: Instant): number
  count(key: string, at: Instant): void
  forget(key: string): void
}

/** So that a flood of made-up keys cannot fill the memory; the oldest keys go first. */
const KEYS_MAX = 10_000

export function slidingLimit(max: number, windowMs: number): Limit {
  const tries = new Map<string, number[]>()
  const recent = (key: string, at: Instant): number[] =>
    (tries.get(key) ?? []).filter((time) => time > at - windowMs)
  return {
    wait(key, at) {
      const times = recent(key, at)
      const first = times[times.length - max]
      return first === undefined ? 0 : first + windowMs - at
    },
    count(key, at) {
      const times = [...recent(key, at), at].slice(-max)
      tries.delete(key)
      tries.set(key, times)
      if (tries.size > KEYS_MAX) {
        const oldest = tries.keys().next()
        if (!oldest.done) tries.delete(oldest.value)
      }
    },
    forget: (key) => void tries.delete(key),
  }
}

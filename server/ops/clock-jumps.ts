/** Detects jumps of the system clock by comparing it with a clock that cannot be set. */
import type { Instant } from '../../engine/index.ts'
import { repeating } from './clock.ts'

/** Time services correct less than this by steps. */
const JUMP_MS_MIN = 60_000
/** How often the clocks are compared. */
const TICK_MS = 10_000
/** How long a jump is reported, and nothing is deleted because of its age: long enough for the clock to be corrected. */
export const DOUBT_MS = 24 * 60 * 60_000

/** `byMs`: forward when positive; `at`: what the clock showed after it. */
export type ClockJump = { readonly at: Instant; readonly byMs: number }
export type ClockJumps = {
  /** Compares the clocks now. Returns the last jump of the past day. Null if there was none. */
  look(): ClockJump | null
  /** Reports a clock that was set while no server ran, if no jump in that direction is known yet; 0: it was not. */
  moved(byMs: number): void
  close(): Promise<void>
}

/** `works` false: the clocks are compared only on request. `steadyMs` is for tests. */
export function watchClock(
  {
    clock,
    log,
  }: {
    readonly clock: () => Instant
    readonly log: { warn(entry: object, message?: string): void }
  },
  {
    works,
    steadyMs = () => performance.now(),
  }: { readonly works: boolean; readonly steadyMs?: () => number },
): ClockJumps {
  let [wall, steady] = [clock(), steadyMs()]
  let last: (ClockJump & { readonly steadyAt: number }) | null = null
  const jumped = (byMs: number): void => {
    if (Math.abs(byMs) <= JUMP_MS_MIN) return
    last = { at: wall, byMs, steadyAt: steady }
    const how = byMs > 0 ? 'forward, or the machine stood still,' : 'back'
    log.warn({ byMs, at: wall }, `the clock was set ${how} by ${lengthOf(Math.abs(byMs))}`)
  }
  const look = (): ClockJump | null => {
    const [wallNow, steadyNow] = [clock(), steadyMs()]
    const byMs = Math.round(wallNow - wall - (steadyNow - steady))
    ;[wall, steady] = [wallNow, steadyNow]
    jumped(byMs)
    return last === null || steadyNow - last.steadyAt > DOUBT_MS ? null : last
  }
  const stop = works
    ? repeating(
        TICK_MS,
        async () => look(),
        () => {},
      )
    : null
  return {
    look,
    moved: (byMs) => {
      const known = look()
      if (known === null || Math.sign(known.byMs) !== Math.sign(byMs)) jumped(byMs)
    },
    close: async () => stop?.(),
  }
}

/** In whole minutes, hours or days. */
export function lengthOf(ms: number): string {
  const whole = Math.floor(ms / 60_000)
  if (whole < 120) return `${whole} minutes`
  return whole < 72 * 60 ? `${Math.floor(whole / 60)} hours` : `${Math.floor(whole / 1440)} days`
}

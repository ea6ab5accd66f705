/** Detects jumps of the system clock by comparing it with a monotonic clock, which cannot be set. */
import type { Instant } from '../../engine/index.ts'
import { repeatTask } from './clock.ts'

/** Smaller differences are normal adjustments by a time service. */
const MIN_JUMP_MS = 60_000
/** The interval between comparisons of the clocks. */
const COMPARISON_INTERVAL_MS = 10_000
/**
 * A jump is reported for this long. During this time, no data is erased by age, so that the clock can be corrected
 * first.
 */
export const REPORT_JUMP_MS = 24 * 60 * 60_000

/** `byMs` is positive if the clock was set forward. `at` is the time that the clock showed afterwards. */
export type ClockJump = { readonly at: Instant; readonly byMs: number }
export type ClockJumps = {
  /** Compares the clocks now. Returns the latest jump in the past day. Null if there was none. */
  findRecentJump(): ClockJump | null
  /**
   * Records that the clock was set while no server was running, unless a jump in that direction is already known.
   * `byMs` is 0 if the clock was not set.
   */
  reportJump(byMs: number): void
  close(): Promise<void>
}

/** Compares the clocks regularly, or only on request if `isEnabled` is false. Only tests set `steadyMs`. */
export function watchClock(
  {
    clock,
    log,
  }: {
    readonly clock: () => Instant
    readonly log: { warn(entry: object, message?: string): void }
  },
  {
    isEnabled,
    steadyMs = () => performance.now(),
  }: { readonly isEnabled: boolean; readonly steadyMs?: () => number },
): ClockJumps {
  let [wallMs, steadyTimeMs] = [clock(), steadyMs()]
  let lastJump: (ClockJump & { readonly steadyAt: number }) | null = null
  const recordJump = (byMs: number): void => {
    if (Math.abs(byMs) <= MIN_JUMP_MS) return
    lastJump = { at: wallMs, byMs, steadyAt: steadyTimeMs }
    const direction = byMs > 0 ? 'forward, or the machine was suspended,' : 'back'
    log.warn(
      { byMs, at: wallMs },
      `the clock was set ${direction} by ${formatDuration(Math.abs(byMs))}`,
    )
  }
  const checkJump = (): ClockJump | null => {
    const [wallNow, steadyNow] = [clock(), steadyMs()]
    const byMs = Math.round(wallNow - wallMs - (steadyNow - steadyTimeMs))
    ;[wallMs, steadyTimeMs] = [wallNow, steadyNow]
    recordJump(byMs)
    return lastJump === null || steadyNow - lastJump.steadyAt > REPORT_JUMP_MS ? null : lastJump
  }
  const stop = isEnabled
    ? repeatTask(
        COMPARISON_INTERVAL_MS,
        async () => checkJump(),
        () => {},
      )
    : null
  return {
    findRecentJump: checkJump,
    reportJump: (byMs) => {
      const knownJump = checkJump()
      if (knownJump === null || Math.sign(knownJump.byMs) !== Math.sign(byMs)) recordJump(byMs)
    },
    close: async () => stop?.(),
  }
}

/** Formats a duration in whole minutes, hours or days. */
export function formatDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 120) return `${minutes} minutes`
  return minutes < 72 * 60
    ? `${Math.floor(minutes / 60)} hours`
    : `${Math.floor(minutes / 1440)} days`
}

/**
 * Decides whether automatic erasure may run.
 * It pauses while the clock may be wrong, because erased data cannot be recovered.
 */
import { formatInstant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { ClockSeen } from '../../storage/files/upload-and-clock-types.ts'

/**
 * A server may be stopped over a weekend. If the clock is ahead of the last recorded time by more than this, staff must
 * confirm the clock.
 */
export const MAX_AHEAD_MS = 3 * 24 * 60 * 60_000

type ErasureCheckDeps = Pick<Deps, 'store' | 'clock' | 'clockJumps' | 'log'>

/** Returns a function that checks whether data may be erased, and logs once if erasure is paused. */
export function createErasureCheck(deps: ErasureCheckDeps): () => Promise<boolean> {
  let isLogged = false
  return async () => {
    const { store, clock, clockJumps, log } = deps
    const clockRecord = await store.recordClock(clock(), MAX_AHEAD_MS)
    clockJumps.reportJump(clockRecord.movedMs)
    const jump = clockJumps.findRecentJump()
    if (clockRecord.waitsSince !== null && !isLogged)
      log.error({ seen: clockRecord.at }, formatErasurePause(clockRecord, clock()))
    isLogged = clockRecord.waitsSince !== null
    return clockRecord.waitsSince === null && jump === null
  }
}

/** Explains the pause for the log, the health check, the dashboard and `rollcall db clock`. */
export const formatErasurePause = ({ at }: ClockSeen, now: ReturnType<Deps['clock']>): string =>
  `The clock shows ${formatInstant(now)}, but the last recorded time is ${formatInstant(at)}. Automatic erasure is paused until you correct the clock, or confirm it on the dashboard or with rollcall db clock --confirm.`

/** The audit log's text for a confirmed clock; the entry also states the user. */
export const CLOCK_CONFIRMED = 'confirmed that the clock is correct'

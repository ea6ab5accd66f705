/** Whether anything may be erased or dropped because of its age: not by a clock that may be wrong, because what is erased cannot be reopened. */
import { formatInstant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { ClockSeen } from '../../storage/files/upload-and-clock-types.ts'

/** A server may stand still over a weekend; further ahead of the last recorded time the clock is confirmed by staff. */
export const AHEAD_MS_MAX = 3 * 24 * 60 * 60_000

type TrustDeps = Pick<Deps, 'store' | 'clock' | 'clockJumps' | 'log'>

/** Answers whether it may. Says once, of all that ask the same `told`, that it may not. */
export function clockTrust(deps: TrustDeps): () => Promise<boolean> {
  let isTold = false
  return async () => {
    const { store, clock, clockJumps, log } = deps
    const jump = clockJumps.look()
    const seen = await store.seeClock(clock(), AHEAD_MS_MAX)
    if (seen.waitsSince !== null && !isTold)
      log.error({ seen: seen.at }, waitsSentence(seen, clock()))
    isTold = seen.waitsSince !== null
    return seen.waitsSince === null && jump === null
  }
}

/** For the log, health, the dashboard and `rollcall clock`. */
export const waitsSentence = ({ at }: ClockSeen, now: ReturnType<Deps['clock']>): string =>
  `The clock shows ${formatInstant(now)}, and the last time that was recorded is ${formatInstant(at)}. Nothing is erased because of its age until the clock is right: correct it, or confirm it on the dashboard or with rollcall clock --confirm.`

/** In the history, whoever confirmed it. */
export const CONFIRMED = 'confirmed that the clock is right'

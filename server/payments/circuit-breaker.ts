/**
 * Pauses queries to a merchant account after several unusable answers in a row.
 * Otherwise two thousand queries to an unreachable gateway would delay a query that would be answered.
 */
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'

/** One or two orders may be unusual; this many in a row are not. */
const FAILURES_MAX = 5
/** The first pause, which doubles while the account does not answer, and the longest. */
const REST_MS_MIN = 60_000
const REST_MS_MAX = 10 * 60_000

export type Breaker = {
  /** Returns the accounts that are paused now. */
  resting(): readonly string[]
  /** Records whether an account gave a usable answer; returns true when this starts a pause. */
  told(account: string, isReachable: boolean): boolean
}

export function openBreaker(clock: () => Instant): Breaker {
  const silent = new Map<
    string,
    { readonly failures: number; readonly from: Instant; readonly until: Instant }
  >()
  return {
    // A clock that was set back also ends the pause.
    resting: () =>
      [...silent].flatMap(([account, { from, until }]) =>
        clock() >= from && clock() < until ? [account] : [],
      ),
    told: (account, isReachable) => {
      if (isReachable) {
        silent.delete(account)
        return false
      }
      const from = clock()
      const failures = (silent.get(account)?.failures ?? 0) + 1
      const rests = failures >= FAILURES_MAX
      const rest = Math.min(REST_MS_MAX, REST_MS_MIN * 2 ** (failures - FAILURES_MAX))
      silent.set(account, { failures, from, until: rests ? instant(from + rest) : from })
      return rests
    },
  }
}

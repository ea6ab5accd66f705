/**
 * A breaker per merchant account: one that gives no usable answer several times in a row rests, so that two
 * thousand questions to a dead gateway do not stand before a question that would be answered.
 */
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'

/** One order may be odd, and two; not so many after each other. */
const FAILURES_MAX = 5
/** The first rest, which doubles while the account stays silent, and the longest. */
const REST_MS_MIN = 60_000
const REST_MS_MAX = 10 * 60_000

export type Breaker = {
  /** Accounts that are not asked now. */
  resting(): readonly string[]
  /** Notes whether an account gave a usable answer; true when it begins to rest by this. */
  told(account: string, isReachable: boolean): boolean
}

export function openBreaker(clock: () => Instant): Breaker {
  const silent = new Map<
    string,
    { readonly failures: number; readonly from: Instant; readonly until: Instant }
  >()
  return {
    // A clock that went back ends the rest too.
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

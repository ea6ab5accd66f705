/** Pauses queries to a merchant account after several unusable responses in a row. */
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'

// Without pauses, two thousand queries to an unreachable gateway would delay queries to a reachable one.

/**
 * One or two queries may fail because of their orders; this many failures in a row mean that the account does not
 * work.
 */
const MAX_FAILURES = 5
/** The first pause, which doubles while the account does not respond, and the longest pause. */
const MIN_PAUSE_MS = 60_000
const MAX_PAUSE_MS = 10 * 60_000

export type CircuitBreaker = {
  /** Returns the accounts that are paused now. */
  pausedAccounts(): readonly string[]
  /** Records whether an account gave a usable response. Returns true if this starts a pause. */
  recordResult(account: string, isReachable: boolean): boolean
}

export function createCircuitBreaker(clock: () => Instant): CircuitBreaker {
  const failingAccounts = new Map<
    string,
    { readonly failures: number; readonly from: Instant; readonly until: Instant }
  >()
  return {
    // Setting the clock back also ends the pause.
    pausedAccounts: () =>
      [...failingAccounts].flatMap(([account, { from, until }]) =>
        clock() >= from && clock() < until ? [account] : [],
      ),
    recordResult: (account, isReachable) => {
      if (isReachable) {
        failingAccounts.delete(account)
        return false
      }
      const from = clock()
      const failures = (failingAccounts.get(account)?.failures ?? 0) + 1
      const isPaused = failures >= MAX_FAILURES
      const pauseMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (failures - MAX_FAILURES))
      failingAccounts.set(account, {
        failures,
        from,
        until: isPaused ? instant(from + pauseMs) : from,
      })
      return isPaused
    },
  }
}

/**
 * Limits how many operations run at once.
 * Further operations wait for a turn, and are refused if they wait too long.
 */
import { StoreBusy } from '../database/store-busy-error.ts'

export type ConcurrencyLimiter = {
  /** Waits for a turn, and resolves with a function that ends it. Rejects with StoreBusy if the wait is too long. */
  take(): Promise<() => void>
}

/** Creates the limit. `refusal`: the error message for an operation that has waited too long. */
export function createConcurrencyLimiter(
  max: number,
  maxWaitMs: number,
  refusal: string,
): ConcurrencyLimiter {
  let runningCount = 0
  const waitingOperations = new Set<() => void>()
  const end = (): void => {
    // Passes this turn to the next operation.
    const [next] = waitingOperations
    if (next === undefined) runningCount -= 1
    else next()
  }
  const endOnce = (): (() => void) => {
    let isEnded = false
    return () => {
      if (!isEnded) end()
      isEnded = true
    }
  }
  return {
    async take() {
      if (runningCount < max) {
        runningCount += 1
        return endOnce()
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const start = (): void => {
        clearTimeout(timer)
        waitingOperations.delete(start)
        resolve(endOnce())
      }
      const timer = setTimeout(() => {
        waitingOperations.delete(start)
        reject(new StoreBusy(refusal))
      }, maxWaitMs)
      waitingOperations.add(start)
      return promise
    },
  }
}

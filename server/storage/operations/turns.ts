/** Limits how many operations run simultaneously. Further ones wait for a turn, and are refused after a while. */
import { StoreBusy } from '../database/store-busy-error.ts'

export type Turns = {
  /** Resolves with a function that ends the turn. Rejects with StoreBusy if no turn ends in time. */
  take(): Promise<() => void>
}

/** `refusal` is the message of the error. */
export function createTurns(max: number, waitMsMax: number, refusal: string): Turns {
  let runningCount = 0
  const waitingOperations = new Set<() => void>()
  const end = (): void => {
    // The next operation takes over this turn.
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
      }, waitMsMax)
      waitingOperations.add(start)
      return promise
    },
  }
}

/** Limits how many operations run at the same time; further ones wait for their turn, and are refused after a while. */
import { StoreBusy } from '../database/store-busy-error.ts'

export type Turns = {
  /** Resolves with a function that ends the turn. Rejects with StoreBusy if no turn ends in time. */
  take(): Promise<() => void>
}

/** `refusal` is the message of the error. */
export function createTurns(max: number, waitMsMax: number, refusal: string): Turns {
  let running = 0
  const waiting = new Set<() => void>()
  const end = (): void => {
    // The next operation takes over this turn.
    const [next] = waiting
    if (next === undefined) running -= 1
    else next()
  }
  const endOnce = (): (() => void) => {
    let isOver = false
    return () => {
      if (!isOver) end()
      isOver = true
    }
  }
  return {
    async take() {
      if (running < max) {
        running += 1
        return endOnce()
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const begin = (): void => {
        clearTimeout(timer)
        waiting.delete(begin)
        resolve(endOnce())
      }
      const timer = setTimeout(() => {
        waiting.delete(begin)
        reject(new StoreBusy(refusal))
      }, waitMsMax)
      waiting.add(begin)
      return promise
    },
  }
}

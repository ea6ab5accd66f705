/**
 * Divides the database connections among events.
 * Each event has its own share, and can borrow connections that no other event needs. As many connections as one share
 * are never lent, so that the first operation of another event starts immediately.
 */
import { StoreBusy } from '../database/store-busy-error.ts'

type Turn = { readonly isBorrowed: boolean; end(): void }
type WaitingOperation = { readonly takesBorrowed: boolean; begin(isBorrowed: boolean): void }
/** `ownCount`: how many connections of its own share the event is using. */
type EventTurns = { ownCount: number; readonly waiting: Set<WaitingOperation> }

export type ConnectionShares = {
  /**
   * Resolves when the event has a connection. Rejects with StoreBusy if that takes too long. `takesBorrowed`: the
   * operation accepts a connection beyond the event's share.
   */
  take(event: string, takesBorrowed: boolean): Promise<Turn>
}

export function createShares({
  max,
  share,
  maxWaitMs,
}: {
  readonly max: number
  readonly share: number
  readonly maxWaitMs: number
}): ConnectionShares {
  let runningCount = 0
  const events = new Map<string, EventTurns>()
  const canLend = (): boolean => runningCount < max - share
  const startOperation = (event: string, turns: EventTurns, isBorrowed: boolean): Turn => {
    runningCount += 1
    if (!isBorrowed) turns.ownCount += 1
    return { isBorrowed, end: () => end(event, turns, isBorrowed) }
  }
  const end = (event: string, turns: EventTurns, isBorrowed: boolean): void => {
    runningCount -= 1
    if (!isBorrowed) {
      turns.ownCount -= 1
      const [next] = turns.waiting
      next?.begin(false)
    }
    lendConnection()
    if (turns.ownCount === 0 && turns.waiting.size === 0) events.delete(event)
  }
  /** Lends a connection to the next waiting event, in rotation. */
  const lendConnection = (): void => {
    for (const [event, turns] of events) {
      if (!canLend()) return
      const next = [...turns.waiting].find(({ takesBorrowed }) => takesBorrowed)
      if (next === undefined) continue
      next.begin(true)
      events.delete(event)
      events.set(event, turns)
      return
    }
  }
  return {
    async take(event, takesBorrowed) {
      const turns = events.get(event) ?? { ownCount: 0, waiting: new Set() }
      events.set(event, turns)
      if (turns.ownCount < share) return startOperation(event, turns, false)
      if (takesBorrowed && canLend()) return startOperation(event, turns, true)
      const { promise, resolve, reject } = Promise.withResolvers<Turn>()
      const waitingOperation: WaitingOperation = {
        takesBorrowed,
        begin: (isBorrowed) => {
          clearTimeout(timer)
          turns.waiting.delete(waitingOperation)
          resolve(startOperation(event, turns, isBorrowed))
        },
      }
      const timer = setTimeout(() => {
        turns.waiting.delete(waitingOperation)
        reject(new StoreBusy('the event is using its full share of the database connections'))
      }, maxWaitMs)
      turns.waiting.add(waitingOperation)
      return promise
    },
  }
}

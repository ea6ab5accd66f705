/**
 * Virtual time: one queue, sorted by time and then by order of entry. Everything in a history that takes time is an
 * entry in this queue: calls to the store and the gateway, timers, and users' actions.
 * After each entry, all work that is not waiting for another entry is completed.
 */
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'

/** The owner of an entry. When a server crashes, the entries that it owns are removed. */
export type Owner = { isRemoved: boolean }
export type Entry = {
  readonly at: number
  readonly order: number
  readonly owner: Owner | null
  readonly run: () => void
  isCancelled: boolean
}

export type Timeline = {
  now(): Instant
  /** Schedules an entry in `ms` milliseconds. A negative time counts as zero. */
  schedule(ms: number, run: () => void, owner?: Owner | null): Entry
  /** Resolves after this much virtual time. */
  wait(ms: number): Promise<void>
  /** Lists an owner's entries that have not run yet. */
  listPendingEntries(owner: Owner): readonly Entry[]
  /** Reports activity in a turn of the event loop. The queue continues after turns without activity. */
  reportActivity(): void
  /** Reports that a request has entered the web framework, whose streams need several turns of the event loop. */
  enterRequest(): void
  leaveRequest(): void
  /** Runs until the queue is empty or virtual time has reached `until`. */
  run(until: () => Instant): Promise<void>
}

/** The real timer function, saved before a history replaces it with a virtual one. */
const waitForTurn = setImmediate

/** After this many turns without activity, a request in the framework must be waiting for an entry. */
const QUIET_TURNS = 2

/** Creates a timeline. `getRunningWork` returns the database's current work, which takes no virtual time, or null. */
export function createTimeline(
  start: Instant,
  getRunningWork: () => Promise<void> | null = () => null,
): Timeline {
  const heap: Entry[] = []
  let now: number = start
  let order = 0
  let activityCount = 0
  let activeRequests = 0

  const isBefore = (a: Entry, b: Entry): boolean =>
    a.at < b.at || (a.at === b.at && a.order < b.order)
  const pushEntry = (entry: Entry): void => {
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = heap[parentIndex]
      if (parent === undefined || !isBefore(entry, parent)) break
      heap[index] = parent
      index = parentIndex
    }
    heap[index] = entry
  }
  const popEntry = (): Entry | undefined => {
    const firstEntry = heap[0]
    const lastEntry = heap.pop()
    if (firstEntry === undefined || lastEntry === undefined || heap.length === 0) return firstEntry
    let index = 0
    for (;;) {
      const leftChild = heap[2 * index + 1]
      const rightChild = heap[2 * index + 2]
      const child =
        rightChild !== undefined && leftChild !== undefined && isBefore(rightChild, leftChild)
          ? rightChild
          : leftChild
      if (child === undefined || !isBefore(child, lastEntry)) break
      heap[index] = child
      index = 2 * index + (child === rightChild ? 2 : 1)
    }
    heap[index] = lastEntry
    return firstEntry
  }
  const schedule: Timeline['schedule'] = (ms, run, owner = null) => {
    const entry = {
      at: now + Math.max(0, Math.round(ms)),
      order: order++,
      owner,
      run,
      isCancelled: false,
    }
    activityCount += 1
    pushEntry(entry)
    return entry
  }
  const settleTurn = async (): Promise<void> => {
    for (let quietTurns = 0; quietTurns < QUIET_TURNS;) {
      const countBefore = activityCount
      await new Promise((resolve) => waitForTurn(resolve))
      for (let running = getRunningWork(); running !== null; running = getRunningWork()) {
        await running
        await new Promise((resolve) => waitForTurn(resolve))
      }
      if (activeRequests === 0) return
      quietTurns = activityCount === countBefore ? quietTurns + 1 : 0
    }
  }
  return {
    now: () => instant(now),
    schedule,
    wait: (ms) => new Promise((resolve) => void schedule(ms, resolve)),
    listPendingEntries: (owner) =>
      heap.filter((entry) => entry.owner === owner && !entry.isCancelled),
    reportActivity: () => void (activityCount += 1),
    enterRequest: () => void ((activityCount += 1), (activeRequests += 1)),
    leaveRequest: () => void ((activityCount += 1), (activeRequests -= 1)),
    run: async (until) => {
      await settleTurn()
      for (
        let nextEntry = heap[0];
        nextEntry !== undefined && nextEntry.at <= until();
        nextEntry = heap[0]
      ) {
        popEntry()
        if (nextEntry.isCancelled || nextEntry.owner?.isRemoved === true) continue
        now = Math.max(now, nextEntry.at)
        nextEntry.run()
        await settleTurn()
      }
    },
  }
}

/**
 * Virtual time: one queue, ordered by time and then by order of entry. Everything that takes time in a history is an
 * entry here: calls to the store and the gateway, timers, actions of users. Between two entries, everything that need
 * not wait for a third continues.
 */
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'

/** The owner of an entry: those of the server are removed when it crashes. */
export type Owner = { isGone: boolean }
export type Entry = {
  readonly at: number
  readonly order: number
  readonly owner: Owner | null
  readonly run: () => void
  isOff: boolean
}

export type Timeline = {
  now(): Instant
  /** Milliseconds from now, at least zero. */
  after(ms: number, run: () => void, owner?: Owner | null): Entry
  /** Resolves then. */
  wait(ms: number): Promise<void>
  /** Entries of an owner that have not run yet. */
  pending(owner: Owner): readonly Entry[]
  /** Activity in a turn is watched: the queue continues when nothing more happens. */
  stir(): void
  /** A request is inside the framework, whose streams take turns of the event loop. */
  entered(): void
  left(): void
  /** Until the queue is empty, or time has reached that point. */
  run(until: () => Instant): Promise<void>
}

/** Saved before a history replaces them with virtual timers. */
const waitForTurn = setImmediate

/** Idle turns after which a request inside the framework waits for an entry. */
const QUIET_TURNS = 2

/** `work`: see `Disk`; it takes no virtual time. */
export function createTimeline(
  start: Instant,
  work: () => Promise<void> | null = () => null,
): Timeline {
  const heap: Entry[] = []
  let now: number = start
  let order = 0
  let activityCount = 0
  let inside = 0

  const before = (a: Entry, b: Entry): boolean =>
    a.at < b.at || (a.at === b.at && a.order < b.order)
  const push = (entry: Entry): void => {
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parentIndex = (at - 1) >> 1
      const parent = heap[parentIndex]
      if (parent === undefined || !before(entry, parent)) break
      heap[at] = parent
      at = parentIndex
    }
    heap[at] = entry
  }
  const pop = (): Entry | undefined => {
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      const left = heap[2 * at + 1]
      const right = heap[2 * at + 2]
      const child = right !== undefined && left !== undefined && before(right, left) ? right : left
      if (child === undefined || !before(child, last)) break
      heap[at] = child
      at = 2 * at + (child === right ? 2 : 1)
    }
    heap[at] = last
    return first
  }
  const after: Timeline['after'] = (ms, run, owner = null) => {
    const entry = {
      at: now + Math.max(0, Math.round(ms)),
      order: order++,
      owner,
      run,
      isOff: false,
    }
    activityCount += 1
    push(entry)
    return entry
  }
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < QUIET_TURNS;) {
      const countBefore = activityCount
      await new Promise((resolve) => waitForTurn(resolve))
      for (let running = work(); running !== null; running = work()) {
        await running
        await new Promise((resolve) => waitForTurn(resolve))
      }
      if (inside === 0) return
      quiet = activityCount === countBefore ? quiet + 1 : 0
    }
  }
  return {
    now: () => instant(now),
    after,
    wait: (ms) => new Promise((resolve) => void after(ms, resolve)),
    pending: (owner) => heap.filter((entry) => entry.owner === owner && !entry.isOff),
    stir: () => void (activityCount += 1),
    entered: () => void ((activityCount += 1), (inside += 1)),
    left: () => void ((activityCount += 1), (inside -= 1)),
    run: async (until) => {
      await settle()
      for (let next = heap[0]; next !== undefined && next.at <= until(); next = heap[0]) {
        pop()
        if (next.isOff || next.owner?.isGone === true) continue
        now = Math.max(now, next.at)
        next.run()
        await settle()
      }
    },
  }
}

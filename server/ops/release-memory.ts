/** Returns memory that was only needed at startup, or under a load that has ended, to the operating system. */
import type { EventEmitter } from 'node:events'
import { Session } from 'node:inspector/promises'
import { setImmediate } from 'node:timers/promises'
import { waitAtMost } from './clock.ts'

/** The delay after startup, during which a restarted server responds to the waiting requests. */
const RELEASE_DELAY_MS = 3_000
/** A server that gets more requests than this during the delay is busy. Health checks alone stay far below this. */
const MAX_IDLE_REQUESTS = 100
/** A server that has had few requests for this long is idle. */
const IDLE_PERIOD_MS = 15_000
/** After fewer requests than this, there is little memory to release. */
const LOAD_REQUESTS = 1_000
const GROWTH_BYTES = 32 * 1024 * 1024
/** A thread that does not respond within this time is considered busy. */
const MAX_THREAD_RESPONSE_MS = 2_000

/**
 * Collects garbage and releases its memory pages. The JavaScript engine would otherwise keep about 40 MB from
 * checking event files at startup. In a running process, only the inspector interface can do this. It blocks all
 * requests for a tenth of a second.
 */
export async function releaseMemory(): Promise<void> {
  const session = new Session()
  session.connect()
  try {
    await session.post('HeapProfiler.collectGarbage')
  } finally {
    session.disconnect()
  }
}

/** Releases the memory of this thread and of all others, which also hold a lot of memory after many requests. */
export async function releaseMemoryOfAllThreads(): Promise<void> {
  const session = new Session()
  session.connect()
  const collections: Promise<unknown>[] = []
  const message = JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' })
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    const responseSent = Promise.withResolvers<void>()
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      if (params.sessionId === sessionId) responseSent.resolve()
    })
    collections.push(
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message }),
      responseSent.promise,
    )
  })
  try {
    await session.post('HeapProfiler.collectGarbage')
    await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
    // The threads attach sequentially.
    await setImmediate()
    await waitAtMost(MAX_THREAD_RESPONSE_MS, Promise.all(collections), () => {})
  } finally {
    session.disconnect()
  }
}

/**
 * Releases memory when the server becomes idle after a load, and again after background work, such as polling open
 * payments, has increased memory use by `GROWTH_BYTES`.
 */
export function scheduleMemoryReleaseAfterLoad(
  server: EventEmitter,
  release: () => unknown = releaseMemoryOfAllThreads,
  readMemory: () => number = process.memoryUsage.rss,
): void {
  let requestCount = 0
  let loadRequestCount = 0
  let bytesAfterRelease: number | null = null
  server.on('request', () => {
    requestCount += 1
  })
  setInterval(() => {
    if (requestCount > MAX_IDLE_REQUESTS) loadRequestCount += requestCount
    else if (
      loadRequestCount >= LOAD_REQUESTS ||
      (bytesAfterRelease !== null && readMemory() - bytesAfterRelease >= GROWTH_BYTES)
    ) {
      loadRequestCount = 0
      bytesAfterRelease = null
      void Promise.resolve(release()).then(() => {
        bytesAfterRelease = readMemory()
      })
    }
    requestCount = 0
  }, IDLE_PERIOD_MS).unref()
}

/**
 * Releases memory once, a few seconds after startup. A process that ends earlier does not wait for this. A busy server
 * does not release memory: garbage collection discards compiled code, so about ten thousand requests would take up to
 * 50% longer, until the code is compiled again.
 */
export function scheduleMemoryRelease(
  server: EventEmitter,
  release: () => unknown = releaseMemory,
): void {
  let requestCount = 0
  const countRequest = (): void => {
    requestCount += 1
  }
  server.on('request', countRequest)
  setTimeout(() => {
    server.off('request', countRequest)
    if (requestCount <= MAX_IDLE_REQUESTS) release()
  }, RELEASE_DELAY_MS).unref()
}

/** Returns memory that was only needed at startup to the operating system. */
import type { EventEmitter } from 'node:events'
import { Session } from 'node:inspector/promises'

/** By then, a restarted server has responded to the waiting requests. */
const DELAY_MS = 3_000
/** A server with more requests is busy. Health checks alone stay far below this. */
const MAX_REQUESTS = 100

/**
 * Collects garbage and releases its memory pages. The JavaScript engine would otherwise keep about 40 MB from
 * checking event files at startup. Only the inspector interface can do this in a running process. It blocks all
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

/**
 * Releases memory once, a few seconds after startup. A process that ends earlier does not wait for it. A busy server
 * is skipped: garbage collection discards compiled code, and about ten thousand requests would take up to 50% longer
 * until it is recompiled.
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
    if (requestCount <= MAX_REQUESTS) release()
  }, DELAY_MS).unref()
}

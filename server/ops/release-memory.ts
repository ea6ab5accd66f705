/** Returns memory that only the start needed to the operating system. */
import type { EventEmitter } from 'node:events'
import { Session } from 'node:inspector/promises'

/** By then a restarted server has answered the requests that were waiting. */
const DELAY_MS = 3_000
/** A server that has answered more is busy; health checks stay far below this. */
const MAX_REQUESTS = 100

/**
 * Collects garbage and releases its pages: about 40 MB from checking event files at the start, which the
 * JavaScript engine would keep. Only the inspector interface can do this while the process runs; it takes a tenth
 * of a second, during which nothing is answered.
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
 * Runs once, some time after the start; a process that ends earlier does not wait for it. A busy server is left
 * alone: garbage collection discards compiled code, and ten thousand requests would cost up to half as much again
 * until it is compiled anew.
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

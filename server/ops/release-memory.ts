/** Returns memory that only the start needed to the operating system. */
import type { EventEmitter } from 'node:events'
import { Session } from 'node:inspector/promises'

/** By then a restarted server has answered the requests that were waiting. */
const AFTER_MS = 3_000
/** A server that has answered more is busy; health checks stay far below this. */
const REQUESTS_MAX = 100

/**
 * Collects garbage and releases its pages: about 40 MB from checking event files at the start, which the
 * JavaScript engine would keep. Only the inspector interface can do this while the process runs; it takes a tenth
 * of a second, during which nothing is answered.
 */
export async function giveBack(): Promise<void> {
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
export function giveBackLater(server: EventEmitter, collect: () => unknown = giveBack): void {
  let requests = 0
  const count = (): void => {
    requests += 1
  }
  server.on('request', count)
  setTimeout(() => {
    server.off('request', count)
    if (requests <= REQUESTS_MAX) collect()
  }, AFTER_MS).unref()
}

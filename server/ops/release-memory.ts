/** What a start took and nobody needs any more goes back to the machine. */
import type { EventEmitter } from 'node:events'
import { Session } from 'node:inspector/promises'

/** By then a server that is started again has answered who waited meanwhile. */
const AFTER_MS = 3_000
/** Whoever has answered more is at work: what asks how the server is, is far below it. */
const REQUESTS_MAX = 100

/**
 * Collects all that is garbage and gives its pages back: some 40 MB that checking event files took at the start, which the
 * engine would keep for the next time. Nothing but the interface for tools does it while the process runs; it
 * takes a tenth of a second, in which nobody is answered.
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
 * Once, a while after the start; a process that ends before does not wait for it. A server that is at work by then keeps
 * what it has: collecting throws away the code that the engine has made of what runs often, and ten thousand
 * requests cost up to a half more until that is made again.
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

/** What a start took and nobody needs any more goes back to the machine. */
import { Session } from 'node:inspector/promises'

/** By then a server that is started again has answered who waited meanwhile. */
const AFTER_MS = 3_000

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

/** Once, a while after the start; a process that ends before does not wait for it. */
export function giveBackLater(): void {
  setTimeout(() => void giveBack(), AFTER_MS).unref()
}

/**
 * The store without its threads. To begin them takes longer than most tests of what lies above the store, and is tested
 * by itself (tests/server/storage, tests/crash), in every server process and in every browser test. Messages, batches and
 * commits are the same; a lock that is held here while the store writes would wait for itself.
 */
import { MessageChannel } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { openStore } from '../../server/storage/open-store.ts'
import type { Begin } from '../../server/storage/database/worker-client.ts'

type Served = { readonly serve: (port: MessagePort, data: object) => void }

const beginHere: Begin = (file, data, { message, error, exit }) => {
  const { port1: ours, port2: theirs } = new MessageChannel()
  ours.on('message', message)
  ours.on('close', exit)
  const ends = (cause: unknown): void => {
    error(cause)
    ours.close()
  }
  import(file.href).then(({ serve }: Served) => serve(theirs, data)).catch(ends)
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, not a window
    tell: (told) => ours.postMessage(told),
    kill: async () => ends(new Error('killed')),
  }
}

/** As `openStore`, on SQLite in this thread. */
export const openStoreHere: typeof openStore = (options) =>
  openStore({ ...options, begin: beginHere })

/** The environment of a command, which opens its store with all of it: there too a thread takes longer to begin than it works. */
export const withoutThreads = <T extends object>(
  environment: T,
): T & { readonly begin: Begin } => ({
  ...environment,
  begin: beginHere,
})

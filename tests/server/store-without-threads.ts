/**
 * Opens the store without threads: starting them takes longer than most tests of the layers above, and is tested
 * by itself (tests/server/storage, tests/crash), in every server process and in every browser test. Messages, batches and
 * commits are the same; a lock that is held here while the store writes would wait for itself.
 */
import { MessageChannel } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { openStore } from '../../server/storage/open-store.ts'
import type { StartWorker } from '../../server/storage/database/worker-client.ts'

type Served = { readonly serve: (port: MessagePort, data: object) => void }

const startInProcess: StartWorker = (file, data, { message, error, exit }) => {
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
    send: (message) => ours.postMessage(message),
    kill: async () => ends(new Error('killed')),
  }
}

/** As `openStore`, on SQLite in this thread. */
export const openStoreHere: typeof openStore = (options) =>
  openStore({ ...options, startWorker: startInProcess })

/** The environment of a command, which opens its store with it: there, too, starting a thread takes longer than its work. */
export const withoutThreads = <T extends object>(
  environment: T,
): T & { readonly startWorker: StartWorker } => ({
  ...environment,
  startWorker: startInProcess,
})

/**
 * Opens the store without threads: starting them takes longer than most tests of the layers above.
 * Threads have their own tests (tests/server/storage, tests/crash) and are used by every server
 * process. Messages, batches and commits are the same, but a test must not hold a lock while the
 * store writes: it would wait for itself.
 */
import { MessageChannel } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { openStore } from '../../server/storage/open-store.ts'
import type { StartWorker } from '../../server/storage/database/worker-client.ts'

type StoreModule = { readonly serve: (port: MessagePort, data: object) => void }

const startInProcess: StartWorker = (file, data, { message, error, exit }) => {
  const { port1: clientPort, port2: storePort } = new MessageChannel()
  clientPort.on('message', message)
  clientPort.on('close', exit)
  const stop = (cause: unknown): void => {
    error(cause)
    clientPort.close()
  }
  import(file.href).then(({ serve }: StoreModule) => serve(storePort, data)).catch(stop)
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, not a window
    send: (message) => clientPort.postMessage(message),
    kill: async () => stop(new Error('killed')),
  }
}

/** The same as `openStore`, with SQLite in this thread. */
export const openStoreHere: typeof openStore = (options) =>
  openStore({ ...options, startWorker: startInProcess })

/** The environment of a command that opens its store without a thread, because starting a thread takes longer. */
export const withoutThreads = <T extends object>(
  environment: T,
): T & { readonly startWorker: StartWorker } => ({
  ...environment,
  startWorker: startInProcess,
})

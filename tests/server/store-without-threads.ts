/** Opens the store without threads, because starting them takes longer than most tests. */
import { MessageChannel } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { openStore } from '../../server/storage/open-store.ts'
import type { StartWorker } from '../../server/storage/database/worker-client.ts'

// Threads have their own tests (tests/server/storage, tests/crash), and every server process uses them. Messages,
// batches and commits work in the same way without threads. A test must not hold a lock while the store writes,
// because the store runs in the test's own thread and would wait for it.

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

/** Opens the store like `openStore`, but with SQLite in this thread. */
export const openStoreInProcess: typeof openStore = (options) =>
  openStore({ ...options, startWorker: startInProcess })

/** Returns an environment in which a command opens its store without a thread. */
export const withoutThreads = <T extends object>(
  environment: T,
): T & { readonly startWorker: StartWorker } => ({
  ...environment,
  startWorker: startInProcess,
})

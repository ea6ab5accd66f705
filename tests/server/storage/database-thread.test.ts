/** The main thread's side of a database thread, with a simulated thread. */
import { expect, test } from 'vitest'
import type { Sql } from '../../../server/storage/database/sqlite-connection.ts'
import { parseRequests, startThread } from '../../../server/storage/database/worker-client.ts'
import type {
  StartWorker,
  WorkerListeners,
  Request,
} from '../../../server/storage/database/worker-client.ts'

type Echo = { readonly echo: (sql: Sql, word: string) => string }

async function startSimulatedThread() {
  const sentRequests: Request[] = []
  let listeners: WorkerListeners | null = null
  const startWorker: StartWorker = (_file, _data, handlers) => {
    listeners = handlers
    queueMicrotask(() => handlers.message({ ready: true }))
    return {
      send: (message) =>
        void ('requests' in message && sentRequests.push(...parseRequests(message.requests))),
      kill: async () => handlers.exit(),
    }
  }
  const thread = await startThread<Echo>({
    file: new URL('file:///nowhere'),
    data: {},
    maxQueuedCalls: 10,
    startWorker,
  })
  const sendResponse = (id: number, isBusy: boolean): void =>
    listeners?.message({
      responses: [
        isBusy
          ? { id, ok: false, busy: isBusy, message: 'not committed' }
          : { id, ok: true, value: id },
      ],
    })
  const waitForTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return { thread, sentRequests, sendResponse, waitForTurn }
}

test('a duplicate response from a thread is ignored', async () => {
  const { thread, sentRequests, sendResponse, waitForTurn } = await startSimulatedThread()
  const first = thread.call('echo', 'first')
  await waitForTurn()
  sendResponse(1, false)
  expect(await first).toBe(1)
  const second = thread.call('echo', 'second')
  await waitForTurn()
  // The first response is sent before the commit; the second reports that the commit failed.
  sendResponse(1, true)
  sendResponse(2, false)
  expect(await second).toBe(2)
  const third = thread.call('echo', 'third')
  await waitForTurn()
  expect(sentRequests.map(({ args }) => args)).toEqual([['first'], ['second'], ['third']])
  sendResponse(3, false)
  expect(await third).toBe(3)
})

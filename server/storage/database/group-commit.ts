/** Commits writes in batches: while one batch commits, the next accumulates in the message port. */
import { receiveMessageOnPort } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { getBusyCode } from './transient-errors.ts'
import type { Connection } from './sqlite-connection.ts'
import { runRequests, getMessage } from '../operations/run-writes.ts'
import { commitAndRespond } from './fault-injection.ts'
import type { InjectedFaults } from './fault-injection.ts'
import { parseRequests } from './worker-client.ts'
import type { MessageFromThread, Request, MessageToThread } from './worker-client.ts'

/** The maximum batch size. In a larger batch, the first request would wait too long for the last. */
const MAX_BATCH_SIZE = 256

export type BatchWriter = {
  readonly connection: Connection
  readonly faults: InjectedFaults
  readonly send: (message: MessageFromThread) => void
}

/**
 * Runs a batch in one transaction and sends the responses. If the batch fails, every response is `busy`, and the caller
 * can retry every request.
 */
export async function commitBatch(
  { connection, faults, send }: BatchWriter,
  batch: readonly Request[],
): Promise<void> {
  const { sql } = connection
  try {
    const responses = await runRequests(connection, sql, batch)
    commitAndRespond(
      faults,
      () => sql('COMMIT').run(),
      () => send({ responses }),
    )
  } catch (error) {
    if (connection.inTransaction) sql('ROLLBACK').run()
    const failure = {
      ok: false,
      busy: true,
      message: getMessage(error),
      code: getBusyCode(error),
    } as const
    send({ responses: batch.map(({ id }) => ({ id, ...failure })) })
  }
}

/** Passes all received requests to `commit` in batches, then calls `close` once after the last batch. */
export function serveBatches(
  port: MessagePort,
  { commit, close }: { commit(batch: readonly Request[]): Promise<void>; close(): void },
): void {
  // Batches run one after another: a message that arrives while a batch runs waits for its commit.
  let currentBatch: Promise<void> = Promise.resolve()
  port.on('message', (first: MessageToThread) => {
    currentBatch = currentBatch.then(() => serve(first))
  })
  async function serve(first: MessageToThread): Promise<void> {
    const requests: Request[] = []
    let isClosing = false
    let message: MessageToThread | undefined = first
    while (message !== undefined) {
      if ('close' in message) isClosing = true
      else requests.push(...parseRequests(message.requests))
      message =
        requests.length < MAX_BATCH_SIZE
          ? (receiveMessageOnPort(port)?.message as MessageToThread | undefined)
          : undefined
    }
    for (let start = 0; start < requests.length; start += MAX_BATCH_SIZE)
      await commit(requests.slice(start, start + MAX_BATCH_SIZE))
    if (isClosing) {
      close()
      port.close()
    }
  }
}

/**
 * The thread that writes to PostgreSQL. Writers of all servers take turns by locking one row for as long as a batch takes,
 * so that whatever is judged between reading and writing is judged as on one file with one writer.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/index.ts'
import { commitBatch, serveBatches } from '../batches.ts'
import { indexNew } from '../search.ts'
import type { Seam } from '../seam.ts'
import type { FromThread } from '../thread.ts'
import { openConnection } from './connection.ts'
import { prepare } from './preparing.ts'

export type WriterData = {
  readonly url: string
  readonly migrates: boolean
  readonly seam: Seam
}

/** As long as a connection to a file waits for another writer. */
const TURN_WAIT = '5s'
/** A server that has gone to sleep in its turn loses it. */
const TURN_MAX = '20s'

assert(parentPort !== null, 'the writer runs as a thread of the store')
const port = parentPort
const { url, migrates, seam } = workerData as WriterData
prepare(url, migrates)
const connection = openConnection(url, {
  begins: [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    `SELECT set_config('lock_timeout', '${TURN_WAIT}', true), set_config('idle_in_transaction_session_timeout', '${TURN_MAX}', true)`,
    ...(seam.takesNoTurn === true ? [] : ['SELECT "only" FROM writer_turn FOR UPDATE']),
  ],
  isWaitedFor: true,
})

const send = (message: FromThread): void => port.postMessage(message)

serveBatches(port, {
  commit: (batch) =>
    commitBatch({ connection, seam, send, beforeCommit: () => indexNew(connection.sql) }, batch),
  close: () => connection.close(),
})
send({ ready: true })

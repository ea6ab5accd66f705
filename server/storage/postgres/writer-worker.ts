/**
 * Thread that writes to PostgreSQL.
 * Writers of all servers take turns by locking one row for the duration of a batch, so that everything checked
 * between reading and writing is checked as on one file with one writer.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/index.ts'
import { commitBatch, serveBatches } from '../database/group-commit.ts'
import { indexNew } from '../lists/search-index.ts'
import type { Seam } from '../database/fault-injection.ts'
import type { FromThread } from '../database/worker-client.ts'
import { openConnection } from './connection.ts'
import { prepare, untilItTakesUs } from './prepare-database.ts'

export type WriterData = {
  readonly url: string
  readonly migrates: boolean
  /** Whether missing tables may be created. */
  readonly isNew: boolean
  readonly seam: Seam
}

/** As long as a connection to a file waits for another writer. */
const TURN_WAIT = '5s'
/** A server that has gone to sleep in its turn loses it. */
const TURN_MAX = '20s'

assert(parentPort !== null, 'the writer runs as a thread of the store')
const port = parentPort
const { url, migrates, isNew, seam } = workerData as WriterData
prepare(url, migrates, isNew, seam.startingMsMax)
const connection = openConnection(url, {
  begins: [
    // Whether it may write is for PostgreSQL to say: whoever has made it read-only means all of us.
    'BEGIN ISOLATION LEVEL READ COMMITTED',
    `SELECT set_config('lock_timeout', '${TURN_WAIT}', true), set_config('idle_in_transaction_session_timeout', '${TURN_MAX}', true)`,
    ...(seam.takesNoTurn === true ? [] : ['SELECT "only" FROM writer_turn FOR UPDATE']),
  ],
  isWaitedFor: true,
})

// A server has its connection before it says that it is there: all of them may be taken by then.
if (migrates)
  untilItTakesUs(() => {
    connection.plain('BEGIN')
    connection.plain('ROLLBACK')
  }, seam.startingMsMax)

const send = (message: FromThread): void => port.postMessage(message)

serveBatches(port, {
  commit: (batch) =>
    commitBatch({ connection, seam, send, beforeCommit: () => indexNew(connection.sql) }, batch),
  close: () => connection.close(),
})
send({ ready: true })

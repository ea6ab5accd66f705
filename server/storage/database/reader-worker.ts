/** Reader thread for lists, exports and dashboard figures, which would block requests on the main thread. */
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { assert } from '../../../engine/index.ts'
import { getBusyCode, isMachineError } from './transient-errors.ts'
import { runInTransaction, openToRead, toSql } from './sqlite-connection.ts'
import type { Sql } from './sqlite-connection.ts'
import { NO_FILE_MESSAGE, watchOwnFile } from '../recovery/detect-replaced-database.ts'
import type { SharedState } from '../recovery/detect-replaced-database.ts'
import { listings } from '../operations/list-queries.ts'
import { getMessage } from '../operations/run-writes.ts'
import { parseRequests } from './worker-client.ts'
import type {
  WorkerResponse,
  MessageFromThread,
  Request,
  MessageToThread,
} from './worker-client.ts'
import type { Operations } from '../operations/writes.ts'

/** Only a server sets `shared`, because only a server watches its database file. */
export type ReaderData = { readonly file: string; readonly shared?: SharedState }

const queries = listings as unknown as Operations

/** Processes requests from the port until it is closed. */
export function serve(port: MessagePort, { file, shared }: ReaderData): void {
  /** Opened on the first request, because the writer starts at the same time and creates the file and its tables. */
  let connection: { readonly db: Database.Database; readonly sql: Sql } | null = null
  const openDatabase = (): { readonly db: Database.Database; readonly sql: Sql } => {
    // Fails if the path now refers to another database.
    assert(shared === undefined || watchOwnFile(shared, file).findLoss() === null, NO_FILE_MESSAGE)
    const db = openToRead(file)
    return { db, sql: toSql(db) }
  }
  const send = (message: MessageFromThread): void => port.postMessage(message)

  async function answerRequest({ id, verb, args }: Request): Promise<WorkerResponse> {
    try {
      const run = Object.hasOwn(queries, verb) ? queries[verb] : undefined
      assert(run !== undefined, `the store has no list named ${verb}`)
      connection ??= openDatabase()
      const { db, sql } = connection
      // One transaction, so that all statements of the query read the same state.
      const value = await runInTransaction(db, async () => run(sql, ...(args as never[])), 'BEGIN')
      return { id, ok: true, value }
    } catch (error) {
      const busy = isMachineError(error)
      return { id, ok: false, busy, message: getMessage(error), code: getBusyCode(error) }
    }
  }

  // Requests run one after another, because a connection has one transaction at a time.
  let currentRequest: Promise<void> = Promise.resolve()
  port.on('message', (message: MessageToThread) => {
    currentRequest = currentRequest.then(() => processMessage(message))
  })
  async function processMessage(message: MessageToThread): Promise<void> {
    if ('close' in message) {
      connection?.db.close()
      port.close()
      return
    }
    for (const request of parseRequests(message.requests))
      send({ responses: [await answerRequest(request)] })
  }
  send({ ready: true })
}

if (parentPort !== null) serve(parentPort, workerData as ReaderData)

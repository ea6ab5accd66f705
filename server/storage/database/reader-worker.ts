/** Reader thread for lists, exports and figures, which would block requests on the main thread. */
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { assert } from '../../../engine/index.ts'
import { codeOfBusy, isOfTheMachine } from './transient-errors.ts'
import { inTransaction, openToRead, statements } from './sqlite-connection.ts'
import type { Sql } from './sqlite-connection.ts'
import { NO_FILE, ownFile } from '../recovery/detect-replaced-database.ts'
import type { Shared } from '../recovery/detect-replaced-database.ts'
import { listings } from '../operations/list-queries.ts'
import { messageOf } from '../operations/run-writes.ts'
import { requestsIn } from './worker-client.ts'
import type { Answer, MessageFromThread, Request, MessageToThread } from './worker-client.ts'
import type { Verbs } from '../operations/writes.ts'

/** `shared`: set by a server, which watches its database file. */
export type ReaderData = { readonly file: string; readonly shared?: Shared }

const verbs = listings as unknown as Verbs

/** Processes requests from the port until it is closed. */
export function serve(port: MessagePort, { file, shared }: ReaderData): void {
  /** Opened when first asked: the thread starts beside the writer, which makes the file and its tables. */
  let opened: { readonly db: Database.Database; readonly sql: Sql } | null = null
  const open = (): { readonly db: Database.Database; readonly sql: Sql } => {
    // Whatever lies there now is another database.
    assert(shared === undefined || ownFile(shared, file).look() === null, NO_FILE)
    const db = openToRead(file)
    return { db, sql: statements(db) }
  }
  const send = (message: MessageFromThread): void => port.postMessage(message)

  async function answer({ id, verb, args }: Request): Promise<Answer> {
    try {
      const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
      assert(run !== undefined, `the store has no list called ${verb}`)
      opened ??= open()
      const { db, sql } = opened
      // One transaction, so that every statement of the verb sees the same moment.
      const value = await inTransaction(db, async () => run(sql, ...(args as never[])), 'BEGIN')
      return { id, ok: true, value }
    } catch (error) {
      const busy = isOfTheMachine(error)
      return { id, ok: false, busy, message: messageOf(error), code: codeOfBusy(error) }
    }
  }

  // One after the other: a connection has one transaction at a time.
  let working: Promise<void> = Promise.resolve()
  port.on('message', (message: MessageToThread) => {
    working = working.then(() => process(message))
  })
  async function process(message: MessageToThread): Promise<void> {
    if ('close' in message) {
      opened?.db.close()
      port.close()
      return
    }
    for (const request of requestsIn(message.requests)) send({ answers: [await answer(request)] })
  }
  send({ ready: true })
}

if (parentPort !== null) serve(parentPort, workerData as ReaderData)

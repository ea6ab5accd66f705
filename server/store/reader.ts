/** The reader thread: lists, exports and figures, which would stop every other request if the main thread ran them. */
import { parentPort, workerData } from 'node:worker_threads'
import { openToRead, statements } from './database.ts'
import { listings } from './listing.ts'
import type { FromThread, ToThread } from './thread.ts'
import type { Verbs } from './writes.ts'

if (parentPort === null) throw new Error('the reader runs as a thread of the store')
const port = parentPort
const verbs = listings as unknown as Verbs
const db = openToRead((workerData as { file: string }).file)
const sql = statements(db)
const send = (message: FromThread): void => port.postMessage(message)

port.on('message', (message: ToThread) => {
  if ('close' in message) {
    db.close()
    port.close()
    return
  }
  const { id, verb, args } = message
  try {
    const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
    if (run === undefined) throw new Error(`the store has no list called ${verb}`)
    // One transaction, so that every statement of the verb sees the same moment.
    const value = db.transaction(() => run(sql, ...(args as never[])))()
    send({ answers: [{ id, ok: true, value }] })
  } catch (error) {
    send({ answers: [{ id, ok: false, busy: false, message: error instanceof Error ? error.message : String(error) }] })
  }
})
send({ ready: true })

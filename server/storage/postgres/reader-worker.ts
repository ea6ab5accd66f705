/**
 * Reads from PostgreSQL in a worker thread: look-ups by key, lists, exports and figures.
 * Each result is as of one moment.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/index.ts'
import { codeOfBusy, isOfTheMachine } from '../database/transient-errors.ts'
import { reads } from '../operations/key-lookups.ts'
import { listings } from '../operations/list-queries.ts'
import { messageOf } from '../operations/run-writes.ts'
import { requestsIn } from '../database/worker-client.ts'
import type { Answer, FromThread, Request, ToThread } from '../database/worker-client.ts'
import type { Verbs } from '../operations/writes.ts'
import { openConnection } from './connection.ts'
import { ConnectionLost } from './errors.ts'

assert(parentPort !== null, 'the reader runs as a thread of the store')
const port = parentPort
const { url } = workerData as { readonly url: string }
const connection = openConnection(url, {
  begins: ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'],
  isWaitedFor: false,
})
const { sql } = connection
const byKey: Readonly<Record<string, unknown>> = reads(sql)
const lists = listings as unknown as Verbs

function run({ verb, args }: Request): unknown {
  const list = Object.hasOwn(lists, verb) ? lists[verb] : undefined
  if (list !== undefined) return list(sql, ...(args as never[]))
  const read = Object.hasOwn(byKey, verb) ? byKey[verb] : undefined
  assert(typeof read === 'function', `the store has no read called ${verb}`)
  return (read as (...given: readonly unknown[]) => unknown)(...args)
}

/** Asked once more where the connection has gone: nothing was changed by asking. */
function answer(request: Request, isAgain = false): Answer {
  const { id } = request
  try {
    sql('BEGIN').run()
    return { id, ok: true, value: run(request) }
  } catch (error) {
    sql('ROLLBACK').run()
    const isLost = error instanceof ConnectionLost
    if (isLost && !isAgain) return answer(request, true)
    const busy = isLost || isOfTheMachine(error)
    return { id, ok: false, busy, message: messageOf(error), code: codeOfBusy(error) }
  }
}

const send = (message: FromThread): void => port.postMessage(message)

port.on('message', (message: ToThread) => {
  if ('close' in message) {
    connection.close()
    port.close()
    return
  }
  for (const request of requestsIn(message.requests)) {
    send({ answers: [answer(request)] })
    // It has only read: how that ends nobody waits for.
    sql('ROLLBACK').run()
  }
})
send({ ready: true })

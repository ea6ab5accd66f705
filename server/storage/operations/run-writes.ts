/** Runs the store's writes by name, several in one transaction, and returns the result of each. */
import { countNew } from '../reports/registration-and-revenue-counters.ts'
import { codeOfBusy, isOfTheMachine } from '../database/transient-errors.ts'
import type { Connection, Sql } from '../database/sqlite-connection.ts'
import { readingOnce } from '../database/batch-cache.ts'
import { mapInOrder } from '../database/in-order.ts'
import { Refused } from '../database/rollback-error.ts'
import type { Answer, Request } from '../database/worker-client.ts'
import { writes } from './writes.ts'
import type { Verbs } from './writes.ts'

const verbs = writes as unknown as Verbs

/**
 * Begins a transaction and runs the requests in it; the caller commits. Nearly always all of them succeed, so
 * they first run without savepoints, which would take an eighth of the writer's time. When one fails, everything
 * is undone and repeated, each in a savepoint of its own.
 */
export async function answerAll(
  connection: Pick<Connection, 'inTransaction'>,
  cached: Sql,
  requests: readonly Request[],
): Promise<readonly Answer[]> {
  cached('BEGIN IMMEDIATE').run()
  try {
    const answers = await readingOnce(cached, () =>
      mapInOrder(requests, (request) => answerOf(cached, request)),
    )
    await countNew(cached)
    return answers
  } catch (error) {
    // A full disk or a failed read ends the whole transaction: then the batch has failed.
    if (!connection.inTransaction) throw error
    cached('ROLLBACK').run()
  }
  cached('BEGIN IMMEDIATE').run()
  return mapInOrder(requests, (request) => answer(connection, cached, request))
}

/** Runs one request in a savepoint of its own, so that it cannot fail the others. */
export async function answer(
  connection: Pick<Connection, 'inTransaction'>,
  cached: Sql,
  request: Request,
): Promise<Answer> {
  cached('SAVEPOINT request').run()
  try {
    const answered = await answerOf(cached, request)
    await countNew(cached)
    // So that a failure of what was queued before is thrown here.
    await cached('RELEASE request').run().changes
    return answered
  } catch (error) {
    if (!connection.inTransaction) throw error
    cached('ROLLBACK TO request').run()
    cached('RELEASE request').run()
    const { id } = request
    if (error instanceof Refused) return { id, ok: true, value: error.value }
    const busy = isOfTheMachine(error)
    return { id, ok: false, busy, message: messageOf(error), code: codeOfBusy(error) }
  }
}

/** Throws what the write throws; it may have written something by then. */
async function answerOf(cached: Sql, { id, verb, args }: Request): Promise<Answer> {
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  return run === undefined
    ? { id, ok: false, busy: false, message: `the store has no write called ${verb}` }
    : { id, ok: true, value: await run(cached, ...(args as never[])) }
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

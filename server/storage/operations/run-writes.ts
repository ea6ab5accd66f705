/** Runs named writes of the store, several in one transaction, and returns the result of each. */
import { countNewRegistrations } from '../reports/registration-and-revenue-counters.ts'
import { getBusyCode, isMachineError } from '../database/transient-errors.ts'
import type { Connection, Sql } from '../database/sqlite-connection.ts'
import { cacheReads } from '../database/batch-cache.ts'
import { mapInOrder } from '../database/in-order.ts'
import { RollbackError } from '../database/rollback-error.ts'
import { StoreBusy } from '../database/store-busy-error.ts'
import type { WorkerResponse, Request } from '../database/worker-client.ts'
import { writes } from './writes.ts'
import type { Operations } from './writes.ts'

const operations = writes as unknown as Operations

/**
 * Begins a transaction and runs the requests in it; the caller commits. Nearly always all of them succeed, so they
 * first run without savepoints, which would take an eighth of the writer's time. If one fails, the transaction is
 * rolled back and all run again, each in its own savepoint.
 */
export async function runRequests(
  connection: Pick<Connection, 'inTransaction'>,
  cached: Sql,
  requests: readonly Request[],
): Promise<readonly WorkerResponse[]> {
  cached('BEGIN IMMEDIATE').run()
  try {
    const answers = await cacheReads(cached, () =>
      mapInOrder(requests, (request) => runOperation(cached, request)),
    )
    await countNewRegistrations(cached)
    return answers
  } catch (error) {
    // A full disk or a failed read ends the whole transaction, so the batch has failed.
    if (!connection.inTransaction) throw error
    cached('ROLLBACK').run()
  }
  cached('BEGIN IMMEDIATE').run()
  return mapInOrder(requests, (request) => runRequest(connection, cached, request))
}

/** Runs one request in its own savepoint, so that its failure does not affect the others. */
export async function runRequest(
  connection: Pick<Connection, 'inTransaction'>,
  cached: Sql,
  request: Request,
): Promise<WorkerResponse> {
  cached('SAVEPOINT request').run()
  try {
    const response = await runOperation(cached, request)
    await countNewRegistrations(cached)
    // Makes previously queued statements throw their failures here.
    await cached('RELEASE request').run().changes
    return response
  } catch (error) {
    if (!connection.inTransaction) throw error
    cached('ROLLBACK TO request').run()
    cached('RELEASE request').run()
    const { id } = request
    if (error instanceof RollbackError) return { id, ok: true, value: error.value }
    const busy = error instanceof StoreBusy || isMachineError(error)
    return { id, ok: false, busy, message: getMessage(error), code: getBusyCode(error) }
  }
}

/** Throws the write's error. It may have written some rows before it fails. */
async function runOperation(cached: Sql, { id, verb, args }: Request): Promise<WorkerResponse> {
  const run = Object.hasOwn(operations, verb) ? operations[verb] : undefined
  return run === undefined
    ? { id, ok: false, busy: false, message: `the store has no write named ${verb}` }
    : { id, ok: true, value: await run(cached, ...(args as never[])) }
}

export const getMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

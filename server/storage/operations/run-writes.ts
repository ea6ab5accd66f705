/** Runs the store's writes by name, several in one transaction, and returns the result of each. */
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
 * Begins a transaction and runs the requests in it; the caller commits. All requests nearly always succeed, so they
 * first run without savepoints, which would take an eighth of the writer's time. If a request fails, the transaction is
 * rolled back, and all requests run again, each in its own savepoint.
 */
export async function runRequests(
  connection: Pick<Connection, 'inTransaction'>,
  sql: Sql,
  requests: readonly Request[],
): Promise<readonly WorkerResponse[]> {
  sql('BEGIN IMMEDIATE').run()
  try {
    const responses = await cacheReads(sql, () =>
      mapInOrder(requests, (request) => runOperation(sql, request)),
    )
    await countNewRegistrations(sql)
    return responses
  } catch (error) {
    // A full disk or a failed read ends the whole transaction, so the whole batch fails.
    if (!connection.inTransaction) throw error
    sql('ROLLBACK').run()
  }
  sql('BEGIN IMMEDIATE').run()
  return mapInOrder(requests, (request) => runRequest(connection, sql, request))
}

/** Runs one request in its own savepoint, so that its failure does not affect the others. */
export async function runRequest(
  connection: Pick<Connection, 'inTransaction'>,
  sql: Sql,
  request: Request,
): Promise<WorkerResponse> {
  sql('SAVEPOINT request').run()
  try {
    const response = await runOperation(sql, request)
    await countNewRegistrations(sql)
    // Errors of statements that are still queued are thrown here.
    await sql('RELEASE request').run().changes
    return response
  } catch (error) {
    if (!connection.inTransaction) throw error
    sql('ROLLBACK TO request').run()
    sql('RELEASE request').run()
    const { id } = request
    if (error instanceof RollbackError) return { id, ok: true, value: error.value }
    const busy = error instanceof StoreBusy || isMachineError(error)
    return { id, ok: false, busy, message: getMessage(error), code: getBusyCode(error) }
  }
}

/** Runs one write. Throws its error, possibly after it has written some rows. */
async function runOperation(sql: Sql, { id, verb, args }: Request): Promise<WorkerResponse> {
  const operation = Object.hasOwn(operations, verb) ? operations[verb] : undefined
  return operation === undefined
    ? { id, ok: false, busy: false, message: `the store has no write named ${verb}` }
    : { id, ok: true, value: await operation(sql, ...(args as never[])) }
}

export const getMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

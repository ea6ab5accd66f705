/**
 * The simulated disk: a database that the real store operations use through one connection in this thread. A history is
 * one transaction that is never committed, so the next history begins with the migrated, empty tables and the prepared
 * statements.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { createStoreReads } from '../../server/storage/operations/key-lookups.ts'
import { openToWrite, toSql } from '../../server/storage/database/sqlite-connection.ts'
import type {
  Connection as WriteConnection,
  Sql,
} from '../../server/storage/database/sqlite-connection.ts'
import { listings } from '../../server/storage/operations/list-queries.ts'
import { runRequest } from '../../server/storage/operations/run-writes.ts'
import { createTables } from '../../server/storage/database/schema.ts'
import { containsFolded } from '../../server/storage/lists/search-terms.ts'
import { StoreBusy } from '../../server/storage/index.ts'
import type { Store } from '../../server/storage/index.ts'
import { assembleStore } from '../../server/storage/operations/dispatch-operations.ts'
import type { Operations } from '../../server/storage/operations/writes.ts'

export type Disk = {
  /** The store, whose operations run one after the other. */
  store(): Store
  /** For the invariants' own queries, which are written for SQLite. */
  sql(): Sql
  /** For queries through the server's own code, which read the database itself. */
  serverSql(): Sql
  /** Reopens the database from its bytes, so that in-memory state is lost. */
  reopen(): void
  /** Discards the history. */
  discard(): void | Promise<void>
  /** Resolves when the database has finished its current work. Null if it is idle. */
  getRunningWork(): Promise<void> | null
}
/** Creates the disk for a history. Histories run one after the other. */
export type OpenDisk = () => Disk | Promise<Disk>

type Connection = { readonly db: Database.Database; readonly sql: Sql; readonly store: Store }

let cachedConnection: Connection | null = null

export const openSqliteDisk: OpenDisk = () => {
  cachedConnection ??= openConnection(openToWrite(':memory:'))
  let connection = cachedConnection
  connection.sql('BEGIN IMMEDIATE').run()
  return {
    store: () => connection.store,
    sql: () => connection.sql,
    serverSql: () => connection.sql,
    reopen: () => {
      const bytes = connection.db.serialize()
      closeConnection(connection)
      const folder = mkdtempSync(join(tmpdir(), 'rollcall-simulator-'))
      const file = join(folder, 'rollcall.db')
      writeFileSync(file, bytes)
      connection = openConnection(openToWrite(file))
      // An open file needs no name.
      rmSync(folder, { recursive: true, force: true })
      connection.sql('BEGIN IMMEDIATE').run()
    },
    discard: () => closeConnection(connection),
    // SQLite runs in this thread, where every operation ends within one turn.
    getRunningWork: () => null,
  }
}

function closeConnection(connection: Connection): void {
  connection.sql('ROLLBACK').run()
  if (connection !== cachedConnection) connection.db.close()
}

function openConnection(db: Database.Database): Connection {
  if (db.pragma('user_version', { simple: true }) === 0) createTables(db)
  db.function('contains_folded', { deterministic: true, varargs: true }, containsFolded)
  const sql = toSql(db)
  return {
    db,
    sql,
    store: createStore({ sql, connection: db, isShared: false, onWrite: () => {} }),
  }
}

/**
 * Creates a store with the real operations, on one connection in this thread and inside a transaction. `onWrite` is
 * called after every write, even if it failed.
 */
export function createStore({
  sql,
  connection,
  isShared,
  onWrite,
  runTracked = (run) => run(),
}: {
  readonly sql: Sql
  readonly connection: Pick<WriteConnection, 'inTransaction'>
  readonly isShared: boolean
  readonly onWrite: () => void | Promise<void>
  /** Wraps the run of each operation. */
  readonly runTracked?: <T>(run: () => Promise<T>) => Promise<T>
}): Store {
  let requestId = 0
  const lookups = createStoreReads(sql)
  let lastOperation: Promise<unknown> = Promise.resolve()
  /**
   * Runs one operation at a time, as the writer's connection does, so that no operation sees partial results.
   */
  const runInTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const runningOperation = lastOperation.then(() => runTracked(run))
    lastOperation = runningOperation.catch(() => {})
    return runningOperation
  }
  const listReads = listings as unknown as Operations
  return assembleStore({
    isShared,
    uploadStorage: null,
    attemptCounter: null,
    write: (verb, ...args) =>
      runInTurn(async () => {
        requestId += 1
        // Serialised in the same way as for the writer thread.
        const serialisedArgs = JSON.parse(JSON.stringify(args)) as unknown[]
        const response = await runRequest(connection, sql, {
          id: requestId,
          verb,
          args: serialisedArgs,
        })
        await onWrite()
        if (response.ok) return response.value as never
        throw response.busy ? new StoreBusy(response.message) : new Error(response.message)
      }),
    list: (verb, ...args) =>
      runInTurn(async () => listReads[verb]?.(sql, ...(args as unknown as never[])) as never),
    read: new Proxy(lookups, {
      get: (target, verb: keyof typeof lookups) => {
        const lookUp = target[verb] as (...args: unknown[]) => Promise<unknown>
        return (...args: unknown[]) => runInTurn(() => lookUp(...args))
      },
    }),
    countWaitingCalls: () => 0,
    findDatabaseLoss: () => null,
    rescue: () => Promise.reject(new Error('no data is lost')),
    close: async () => {},
  })
}

/**
 * The simulated disk: a database accessed through the real store operations, on one connection in this thread. A
 * history is one transaction that is never committed, so that the next one begins with the migrated, empty tables and
 * prepared statements.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { reads } from '../../server/storage/operations/key-lookups.ts'
import { openToWrite, statements } from '../../server/storage/database/sqlite-connection.ts'
import type { Connection as Written, Sql } from '../../server/storage/database/sqlite-connection.ts'
import { listings } from '../../server/storage/operations/list-queries.ts'
import { answer } from '../../server/storage/operations/run-writes.ts'
import { migrate } from '../../server/storage/database/schema.ts'
import { containsFolded } from '../../server/storage/lists/search-terms.ts'
import { StoreBusy } from '../../server/storage/index.ts'
import type { Store } from '../../server/storage/index.ts'
import { storeOf } from '../../server/storage/operations/dispatch-operations.ts'
import type { Verbs } from '../../server/storage/operations/writes.ts'

export type Disk = {
  /** Each operation runs synchronously, and its promise is settled when it returns. */
  store(): Store
  sql(): Sql
  /** Reopens the database from its bytes, so that in-memory state is lost. */
  reopen(): void
  /** Discards the history. */
  leave(): void
}
/** Creates a disk for each history, one after the other. */
export type OpenDisk = () => Disk

type Connection = { readonly db: Database.Database; readonly sql: Sql; readonly store: Store }

let cached: Connection | null = null

export const openSqliteDisk: OpenDisk = () => {
  cached ??= openConnection(openToWrite(':memory:'))
  let current = cached
  current.sql('BEGIN IMMEDIATE').run()
  return {
    store: () => current.store,
    sql: () => current.sql,
    reopen: () => {
      const bytes = current.db.serialize()
      closeConnection(current)
      const folder = mkdtempSync(join(tmpdir(), 'rollcall-simulator-'))
      const file = join(folder, 'rollcall.db')
      writeFileSync(file, bytes)
      current = openConnection(openToWrite(file))
      // An open file needs no name.
      rmSync(folder, { recursive: true, force: true })
      current.sql('BEGIN IMMEDIATE').run()
    },
    leave: () => closeConnection(current),
  }
}

function closeConnection(connection: Connection): void {
  connection.sql('ROLLBACK').run()
  if (connection !== cached) connection.db.close()
}

function openConnection(db: Database.Database): Connection {
  migrate(db)
  db.function('contains_folded', { deterministic: true, varargs: true }, containsFolded)
  const sql = statements(db)
  return {
    db,
    sql,
    store: createStore({ sql, connection: db, isShared: false, onWrite: () => {} }),
  }
}

/**
 * The real store operations on one connection of this thread, inside a transaction. `wrote` is called after every
 * write, successful or not.
 */
export function createStore({
  sql,
  connection,
  isShared,
  onWrite,
}: {
  readonly sql: Sql
  readonly connection: Pick<Written, 'inTransaction'>
  readonly isShared: boolean
  readonly onWrite: () => void
}): Store {
  let requestId = 0
  const listReads = listings as unknown as Verbs
  return storeOf({
    isShared,
    proofs: null,
    tries: null,
    write: async (verb, ...args) => {
      requestId += 1
      // Serialised as for the writer thread.
      const sent = JSON.parse(JSON.stringify(args)) as unknown[]
      const response = answer(connection, sql, { id: requestId, verb, args: sent })
      onWrite()
      if (response.ok) return response.value as never
      throw response.busy ? new StoreBusy(response.message) : new Error(response.message)
    },
    list: async (verb, ...args) => listReads[verb]?.(sql, ...(args as unknown as never[])) as never,
    read: reads(sql),
    waiting: () => 0,
    lost: () => null,
    rescue: () => Promise.reject(new Error('nothing is lost')),
    close: async () => {},
  })
}

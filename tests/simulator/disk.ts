/**
 * What survives a crash: the database, by the store's real verbs, on one connection of this thread. A history
 * is one transaction that is never committed, so that the next one finds the migrated, empty tables again
 * and every statement prepared.
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
  /** Each verb is done at once, and its promise is settled when it returns. */
  store(): Store
  sql(): Sql
  /** The bytes as they are, read by a connection of their own from now on: nothing may stand in memory alone. */
  reopen(): void
  /** Nothing of the history stays. */
  leave(): void
}
/** Where histories happen: each asks for a disk of its own, one after the other. */
export type Disks = () => Disk

type Connection = { readonly db: Database.Database; readonly sql: Sql; readonly store: Store }

let kept: Connection | null = null

export const freshDisk: Disks = () => {
  kept ??= connected(openToWrite(':memory:'))
  let current = kept
  current.sql('BEGIN IMMEDIATE').run()
  return {
    store: () => current.store,
    sql: () => current.sql,
    reopen: () => {
      const bytes = current.db.serialize()
      left(current)
      const folder = mkdtempSync(join(tmpdir(), 'rollcall-simulator-'))
      const file = join(folder, 'rollcall.db')
      writeFileSync(file, bytes)
      current = connected(openToWrite(file))
      // An open file needs no name.
      rmSync(folder, { recursive: true, force: true })
      current.sql('BEGIN IMMEDIATE').run()
    },
    leave: () => left(current),
  }
}

function left(connection: Connection): void {
  connection.sql('ROLLBACK').run()
  if (connection !== kept) connection.db.close()
}

function connected(db: Database.Database): Connection {
  migrate(db)
  db.function('contains_folded', { deterministic: true, varargs: true }, containsFolded)
  const sql = statements(db)
  return { db, sql, store: storeOn({ sql, connection: db, isShared: false, wrote: () => {} }) }
}

/** The store's real verbs on one connection of this thread, inside a transaction. `wrote`: a write has been run, whatever came of it. */
export function storeOn({
  sql,
  connection,
  isShared,
  wrote,
}: {
  readonly sql: Sql
  readonly connection: Pick<Written, 'inTransaction'>
  readonly isShared: boolean
  readonly wrote: () => void
}): Store {
  let asked = 0
  const lists = listings as unknown as Verbs
  return storeOf({
    isShared,
    proofs: null,
    tries: null,
    write: async (verb, ...args) => {
      asked += 1
      // As they travel to the writer's thread.
      const sent = JSON.parse(JSON.stringify(args)) as unknown[]
      const said = answer(connection, sql, { id: asked, verb, args: sent })
      wrote()
      if (said.ok) return said.value as never
      throw said.busy ? new StoreBusy(said.message) : new Error(said.message)
    },
    list: async (verb, ...args) => lists[verb]?.(sql, ...(args as unknown as never[])) as never,
    read: reads(sql),
    waiting: () => 0,
    lost: () => null,
    rescue: () => Promise.reject(new Error('nothing is lost')),
    close: async () => {},
  })
}

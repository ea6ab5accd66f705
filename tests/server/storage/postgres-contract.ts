/** The contract of every store on a PostgreSQL server, whatever its version. */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { openInsidePostgres } from '../../../server/storage/postgres/open-postgres-store.ts'
import type { Store } from '../../../server/storage/index.ts'
import { storeContract } from './contract.ts'
import type { PostgresServer } from './postgres-server.ts'

export type Fresh = { url: string; store: Store; shell: pg.Client; end(): Promise<void> }

/** Of each server a database with tables and no rows, which is copied: to make the tables takes longer. */
const lent = new WeakMap<PostgresServer, Promise<string>>()
const TABLES = 'lent_tables'
async function lend(server: PostgresServer): Promise<string> {
  const { store } = await openInsidePostgres({ url: await server.database(TABLES) })
  await store.close()
  // Whoever closes does not wait for PostgreSQL to have noticed; one that is still connected keeps it from being copied.
  const shell = await server.shell()
  for (;;) {
    const { rowCount } = await shell.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [
      TABLES,
    ])
    if (rowCount === 0) break
    await pause(10)
  }
  await shell.end()
  return TABLES
}

/** The name of that database, to make another one like it. */
export function lendPostgresTables(server: PostgresServer): Promise<string> {
  const begun = lent.get(server) ?? lend(server)
  lent.set(server, begun)
  return begun
}

/** On a busy machine, operations may wait longer for each other than a server lets them. */
export const PATIENT = { turnMsMax: 120_000, lockMsMax: 120_000 }

/** A store on a database of its own, and a shell on the same database. */
export async function freshStore(server: PostgresServer, name: string): Promise<Fresh> {
  const url = await server.database(name, { like: await lendPostgresTables(server) })
  const { store } = await openInsidePostgres({ url, seam: { assertsLockOrder: true, ...PATIENT } })
  const shell = await server.shell(url)
  return {
    url,
    store,
    shell,
    end: async () => {
      await store.close()
      await shell.end()
    },
  }
}

/** Returns how to remove every row that a test has added; `shell` is used for nothing else from then on. */
export async function emptying(shell: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await shell.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('rollcall_version', 'row_locks')",
  )
  // What refuses to be deleted stands in triggers, which a shell may switch off. To truncate makes every file anew.
  await shell.query('SET session_replication_role = replica')
  const empty = `${rows.map((row) => `DELETE FROM ${row.name}`).join('; ')};
    SELECT setval(seqrelid::regclass, 1, false) FROM pg_sequence;
    INSERT INTO search_progress VALUES (1, 9007199254740991); INSERT INTO counted VALUES (1, 0); INSERT INTO office_settings VALUES (1)`
  return async () => {
    await shell.query(empty)
  }
}

/** Inside a `describe` whose `beforeAll` has started the server. */
export function postgresContract(server: () => PostgresServer): void {
  let given: Fresh
  let empty: () => Promise<void>
  beforeAll(async () => {
    given = await freshStore(server(), 'contract')
    empty = await emptying(given.shell)
  })
  afterAll(() => given.end())
  storeContract(async () => {
    await empty()
    return {
      store: given.store,
      keepsOrder: false,
      async reopen() {
        await given.store.close()
        given.store = (
          await openInsidePostgres({ url: given.url, seam: { assertsLockOrder: true, ...PATIENT } })
        ).store
        return given.store
      },
      end: async () => {},
    }
  })
}

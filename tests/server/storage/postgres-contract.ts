/** Runs the store contract on a PostgreSQL server of any version. */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import type { Store } from '../../../server/storage/index.ts'
import { defineStoreContract } from './contract.ts'
import type { PostgresServer } from './postgres-server.ts'

export type StoreOnPostgres = { url: string; store: Store; shell: pg.Client; end(): Promise<void> }

/** Each server's template database has tables but no rows. Copying it is faster than creating the tables. */
const templates = new WeakMap<PostgresServer, Promise<string>>()
const TEMPLATE_NAME = 'lent_tables'
async function createTemplate(server: PostgresServer): Promise<string> {
  const { store } = await openPostgresStore({ url: await server.database(TEMPLATE_NAME) })
  await store.close()
  // PostgreSQL may not have ended a closed connection yet, and cannot copy a database that has connections.
  const shell = await server.shell()
  for (;;) {
    const { rowCount } = await shell.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [
      TEMPLATE_NAME,
    ])
    if (rowCount === 0) break
    await pause(10)
  }
  await shell.end()
  return TEMPLATE_NAME
}

/** Returns the name of the template database, and creates it if it is missing. */
export function getTemplate(server: PostgresServer): Promise<string> {
  const template = templates.get(server) ?? createTemplate(server)
  templates.set(server, template)
  return template
}

/** Longer timeouts than in production, because operations wait longer for each other on a busy machine. */
export const PATIENT_LIMITS = { maxConnectionWaitMs: 120_000, maxLockMs: 120_000 }

/** Opens a store on a separate database, and a shell on the same database. */
export async function openNewStore(server: PostgresServer, name: string): Promise<StoreOnPostgres> {
  const url = await server.database(name, { template: await getTemplate(server) })
  const { store } = await openPostgresStore({
    url,
    faults: { assertsLockOrder: true, checksPredictions: true, ...PATIENT_LIMITS },
  })
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

/** Returns a function that removes all rows. Only this function may use `shell`. */
export async function prepareEmptying(shell: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await shell.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('rollcall_version', 'row_locks')",
  )
  // Triggers forbid deletions, but this session can disable them. TRUNCATE would be slower: it recreates every file.
  await shell.query('SET session_replication_role = replica')
  const deleteSql = `${rows.map((row) => `DELETE FROM ${row.name}`).join('; ')};
    SELECT setval(seqrelid::regclass, 1, false) FROM pg_sequence;
    INSERT INTO search_progress VALUES (1, 9007199254740991); INSERT INTO counted VALUES (1, 0); INSERT INTO office_settings VALUES (1)`
  return async () => {
    await shell.query(deleteSql)
  }
}

/**
 * Saves the rows of every table. Returns a function that restores them. Triggers must be disabled in `shell`.
 */
async function saveRows(shell: pg.Client): Promise<() => Promise<void>> {
  const { rows: tables } = await shell.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('rollcall_version', 'row_locks')",
  )
  const { rows: sequences } = await shell.query<{ name: string; value: string }>(
    "SELECT sequencename AS name, last_value AS value FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL",
  )
  await shell.query(
    `CREATE SCHEMA saved; ${tables.map(({ name }) => `CREATE TABLE saved.${name} AS TABLE public.${name}`).join('; ')}`,
  )
  const insertSql = [
    ...tables.map(
      ({ name }) =>
        `DELETE FROM ${name}; INSERT INTO ${name} OVERRIDING SYSTEM VALUE TABLE saved.${name}`,
    ),
    ...sequences.map(({ name, value }) => `SELECT setval('${name}', ${value})`),
  ].join('; ')
  return async () => {
    await shell.query(insertSql)
  }
}

/** Defines the tests of the contract. Call it inside a `describe` whose `beforeAll` starts the server. */
export function definePostgresContract(server: () => PostgresServer): void {
  let setup: StoreOnPostgres
  let emptyDatabase: () => Promise<void>
  beforeAll(async () => {
    setup = await openNewStore(server(), 'contract')
    emptyDatabase = await prepareEmptying(setup.shell)
  })
  afterAll(() => setup.end())
  defineStoreContract(async () => {
    await emptyDatabase()
    return {
      store: setup.store,
      keepsOrder: false,
      async reopen() {
        await setup.store.close()
        setup.store = (
          await openPostgresStore({
            url: setup.url,
            faults: { assertsLockOrder: true, checksPredictions: true, ...PATIENT_LIMITS },
          })
        ).store
        return setup.store
      },
      saveRows: () => saveRows(setup.shell),
      end: async () => {},
    }
  })
}

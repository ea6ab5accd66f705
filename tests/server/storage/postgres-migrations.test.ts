/** Migrating an older PostgreSQL database produces the schema of a new one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { steps } from '../../../server/storage/postgres/schema/migrations.ts'
import { newDatabaseStatements } from '../../../server/storage/postgres/schema/new-database.ts'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import { migrations } from '../../../server/storage/database/schema.ts'
import { runHere } from '../run-command.ts'
import { buildSale, readStored, newEmail, registerSample } from '../sample-registrations.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

/** The version of the first PostgreSQL databases. */
const FIRST_VERSION = 21

/** The schema of a database of the first version. */
const firstSchema = readFileSync(join(import.meta.dirname, 'postgres-version-21.sql'), 'utf8')
const listSteps = (fromVersion: number, toVersion: number): readonly string[] =>
  Array.from(
    { length: toVersion - fromVersion },
    (_, index) => steps[fromVersion + index] ?? [],
  ).flat()
const listSchema = (version: number): readonly string[] => [
  firstSchema,
  ...listSteps(FIRST_VERSION, version),
]

const WAITING_FOR_TABLE =
  "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'settlement_lines'::regclass"

/** Columns, constraints, indexes and trigger functions. */
const CATALOG = [
  "SELECT conrelid::regclass::text AS table, conname, pg_get_constraintdef(oid) AS does FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
  "SELECT relname, relpersistence FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1",
  "SELECT attrelid::regclass::text AS table, attname, format_type(atttypid, atttypmod) AS type, attcollation::regcollation::text AS collation, attidentity, attstorage FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped ORDER BY 1, 2",
  "SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
  "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
  "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prorettype = 'trigger'::regtype ORDER BY 1",
  'SELECT tgname, pg_get_triggerdef(oid) AS does FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1',
]

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function createMigratedDatabase(
    name: string,
    statements: readonly string[],
  ): Promise<{ url: string; shell: pg.Client }> {
    const url = await server.database(name)
    const shell = await server.shell(url)
    await shell.query('BEGIN')
    for (const text of statements) await shell.query(text)
    await shell.query('COMMIT')
    return { url, shell }
  }
  const readCatalog = async (shell: pg.Client): Promise<unknown> => {
    const results = []
    for (const sql of CATALOG) results.push((await shell.query(sql)).rows)
    return results
  }

  test('migrating the first version produces the schema of a new database', async () => {
    const newlyCreated = await createMigratedDatabase('now', newDatabaseStatements)
    const expectedCatalog = await readCatalog(newlyCreated.shell)
    const { shell } = await createMigratedDatabase('migrated', listSchema(migrations.length))
    expect(await readCatalog(shell)).toEqual(expectedCatalog)
    await Promise.all([newlyCreated.shell.end(), shell.end()])
  })

  test('each SQLite migration after the first PostgreSQL version has a PostgreSQL step', () => {
    expect(Object.keys(steps).map(Number)).toEqual(
      Array.from(
        { length: migrations.length - FIRST_VERSION },
        (_, index) => FIRST_VERSION + index,
      ),
    )
  })

  /** Creates a database of an older version with one registration. */
  const createOlderDatabase = (
    name: string,
    version = FIRST_VERSION,
  ): Promise<{ url: string; shell: pg.Client }> =>
    createMigratedDatabase(name, [
      ...listSchema(version),
      'CREATE TABLE rollcall_version ("only" integer PRIMARY KEY CHECK ("only" = 1), version integer NOT NULL)',
      `INSERT INTO rollcall_version VALUES (1, ${version})`,
      `INSERT INTO registrations (event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
       VALUES ('demo', 'hash', 'OLD1', 'Asha Demo', '', '', '', '{}', 'pending', 1, '1970-01-01')`,
    ])
  const readVersion = async (shell: pg.Client): Promise<number | undefined> =>
    (await shell.query<{ version: number }>('SELECT version FROM rollcall_version')).rows[0]
      ?.version

  test('an older database is rejected by a process that may not migrate it; other processes migrate it with its data', async () => {
    const { url, shell } = await createOlderDatabase('older')
    await expect(openPostgresStore({ url })).rejects.toThrow(
      /^The database in PostgreSQL is from an older version of Rollcall/,
    )
    const { store } = await openPostgresStore({ url, migrates: true })
    expect((await readStored(store, 'OLD1')).answers).toEqual({})
    const { orderId } = await registerSample(store)
    expect((await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)).changed).toBe(true)
    await store.close()
    // A restored database has no statistics. Without them, a step would scan a table once per registration.
    const statistics = await shell.query("SELECT 1 FROM pg_stats WHERE tablename = 'registrations'")
    expect(statistics.rows.length).toBeGreaterThan(0)
    await shell.end()
  })

  test('of two servers that start at the same time on an older database, one migrates it, and the other waits and then starts', async () => {
    const { url, shell } = await createOlderDatabase('twice')
    await shell.query('CREATE TABLE migration_lock ("only" integer PRIMARY KEY)')
    await shell.query('INSERT INTO migration_lock VALUES (1)')
    await shell.query('BEGIN; SELECT 1 FROM migration_lock FOR UPDATE')
    const startups = [1, 2].map(() => openPostgresStore({ url, migrates: true }))
    const monitor = await server.shell(url)
    const readWaitingQueries = async (): Promise<unknown> =>
      (
        await monitor.query(
          "SELECT query FROM pg_stat_activity WHERE datname = 'twice' AND wait_event_type = 'Lock'",
        )
      ).rows
    const expectedWait = { query: 'SELECT 1 FROM migration_lock FOR UPDATE' }
    await expect.poll(readWaitingQueries).toEqual([expectedWait, expectedWait])
    expect(await readVersion(monitor)).toBe(FIRST_VERSION)
    await shell.query('COMMIT')
    for (const { store } of await Promise.all(startups)) {
      expect((await readStored(store, 'OLD1')).answers).toEqual({})
      await store.close()
    }
    expect(await readVersion(monitor)).toBe(migrations.length)
    await Promise.all([shell.end(), monitor.end()])
  })

  test('three servers can start at the same time on an empty database', async () => {
    const url = await server.database('both_new')
    const startups = [1, 2, 3].map(() => openPostgresStore({ url, migrates: true }))
    for (const { store } of await Promise.all(startups)) {
      await registerSample(store)
      await store.close()
    }
  })

  test('commands reject a database whose migration was killed, and the next startup continues the migration', async () => {
    const { url, shell } = await createOlderDatabase('killed', 30)
    const blocker = await server.shell(url)
    // The migration waits for a table in its middle step, and is killed while waiting.
    await blocker.query('BEGIN; LOCK TABLE settlement_lines')
    const startup = openPostgresStore({ url, migrates: true, faults: { maxStartMs: 0 } })
    const outcome = startup.then(
      () => 'started',
      () => 'killed',
    )
    await expect
      .poll(async () => (await shell.query(WAITING_FOR_TABLE)).rows.length)
      .toBeGreaterThan(0)
    const versionWhenKilled = await readVersion(shell)
    expect(versionWhenKilled).toBeGreaterThan(30_030)
    await shell.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'killed' AND application_name = 'rollcall'",
    )
    expect(await outcome).toBe('killed')
    await blocker.query('COMMIT')
    expect(await readVersion(shell)).toBe(versionWhenKilled)
    await expect(openPostgresStore({ url })).rejects.toThrow('from an older version of Rollcall')
    const { store } = await openPostgresStore({ url, migrates: true })
    expect((await readStored(store, 'OLD1')).answers).toEqual({})
    await store.close()
    expect(await readVersion(shell)).toBe(migrations.length)
    const neverKilled = await server.database('never_killed')
    await (await openPostgresStore({ url: neverKilled })).store.close()
    const newShell = await server.shell(neverKilled)
    expect(await readCatalog(shell)).toEqual(await readCatalog(newShell))
    await Promise.all([shell.end(), blocker.end(), newShell.end()])
  })

  test('with MIGRATE_AT_START=off the server rejects an older or empty database, and `rollcall db migrate` migrates it', async () => {
    const { url, shell } = await createOlderDatabase('by_command')
    const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-by-command-'))
    const openOptions = { dataDir, databaseUrl: url, migrates: true, migratesAtStart: false }
    const latestVersion = migrations.length
    await expect(openStore(openOptions)).rejects.toThrow(
      `The database has version ${FIRST_VERSION}, and this version of Rollcall needs ${latestVersion}. MIGRATE_AT_START is off, so the server does not migrate it: run rollcall db migrate, then start the server.`,
    )
    const variables = { DATA_DIR: dataDir, DATABASE_URL: url }
    const runMigrate = (...args: readonly string[]) =>
      runHere(['db', 'migrate', ...args], variables)
    expect(await runMigrate('--check')).toMatchObject({ status: 1 })
    expect(await readVersion(shell)).toBe(FIRST_VERSION)
    expect(await runMigrate()).toEqual({
      status: 0,
      stdout: `The database was migrated from version ${FIRST_VERSION} to ${latestVersion}.\n`,
      stderr: '',
    })
    expect(await runMigrate('--check')).toMatchObject({ status: 0 })
    await (await openStore(openOptions)).close()
    const emptyOptions = {
      ...openOptions,
      databaseUrl: await server.database('by_command_new'),
      isNew: true,
    }
    await expect(openStore(emptyOptions)).rejects.toThrow(/has no tables. MIGRATE_AT_START is off/)
    expect(
      await runHere(['db', 'migrate'], {
        DATA_DIR: dataDir,
        DATABASE_URL: emptyOptions.databaseUrl,
      }),
    ).toMatchObject({ status: 0, stdout: `The tables of version ${latestVersion} were created.\n` })
    await (await openStore(emptyOptions)).close()
    await shell.end()
    rmSync(dataDir, { recursive: true })
  })

  test('the migration adds the number of a cheque recorded by an older version', async () => {
    const oldVersion = migrations.findIndex((step) =>
      step.includes('Adds cheque numbers of stored lines'),
    )
    const narration = 'CHQ DEP 456789 DR C'
    const { url, shell } = await createMigratedDatabase('cheques', [
      ...listSchema(oldVersion),
      'CREATE TABLE rollcall_version ("only" integer PRIMARY KEY CHECK ("only" = 1), version integer NOT NULL)',
      `INSERT INTO rollcall_version VALUES (1, ${oldVersion})`,
      `INSERT INTO captures (id, source, account, reference, amount, currency, kind, paid_at, seen_at, state, why, found_for)
       VALUES (1, 'transfer', '', '2027-01-09 472000 ${narration}', 472000, 'INR', 'sale', 1799476200000, 1799476200000, 'unmatched',
         'It came to the bank, and nobody waits for it: ${narration}', 'demo')`,
    ])
    const { store } = await openPostgresStore({ url, migrates: true })
    await store.close()
    const { rows } = await shell.query('SELECT key, capture_id::int FROM bank_references')
    expect(rows).toEqual([{ key: '456789', capture_id: 1 }])
    await shell.end()
  })
}

/** Creates the tables in an empty PostgreSQL database, migrates existing tables, or checks their version. */
import { setTimeout as pause } from 'node:timers/promises'
import { StoreBusy } from '../database/store-busy-error.ts'
import { POSTGRES_PREFIX } from '../database/transient-errors.ts'
import { createNotMigratedError } from '../database/migrate-with-safety-copy.ts'
import {
  migrations,
  createNewerVersionError,
  getReportedVersion,
  runNextMigrationPart,
} from '../database/schema.ts'
import type { Versions } from '../database/migrate-with-safety-copy.ts'
import { steps } from './schema/migrations.ts'
import { newDatabaseStatements } from './schema/new-database.ts'
import { connect } from './hosts.ts'
import type { PostgresConnection } from './connection.ts'
import { isPostgresError, PostgresRefused, UnusableDatabase } from './errors.ts'
import {
  normaliseErrorCode,
  isTransient,
  explainMissingTables,
  explainPostgresError,
  explainTlsError,
  READ_ONLY,
} from './error-explanations.ts'

/** A word whose letters the locale "C" does not recognise as letters. */
const MALAYALAM_WORD = 'നായർ'

const OLDER_MESSAGE =
  'The database in PostgreSQL is from an older version of Rollcall. Copy it with pg_dump, stop the servers, and start one with this version: it migrates the database.'
const NOT_NEW_MESSAGE =
  'The database in PostgreSQL has no tables, and DATA_DIR holds the data of an earlier server. Change DATABASE_URL to the database that was used before, restore that database with pg_restore, or move the data with rollcall db move to-postgres. To begin with an empty database instead, run rollcall start --new once.'
const NO_TABLES_AT_START =
  'The database in PostgreSQL has no tables. MIGRATE_AT_START is off, so the server does not create them: run rollcall db migrate, then start the server.'

/** How long to wait for a database that is starting or has no free connection. */
export const MAX_START_MS = 15_000
export const RETRY_MS = 250

type PrepareOptions = {
  /** True for a server and for the migration command, which refuse a database that accepts no writes. */
  readonly migrates?: boolean
  /** False for a server that leaves migrations to the command. */
  readonly migratesAtStart?: boolean
  /** True if tables may be created in an empty database. */
  readonly isNew?: boolean
}

/**
 * Prepares the database for use. If this fails, throws an error with a sentence for the operator. Refuses a database of
 * an older version unless `migrates` is true.
 */
export function preparePostgresDatabase(
  url: string,
  { waitsMs, ...preparing }: PrepareOptions & { readonly waitsMs?: number } = {},
): Promise<void> {
  return retryUntilConnected(async () => prepareOnce(url, preparing), waitsMs)
}

/** Returns the version of the database without changing anything. `found` is null if it has no tables. */
export async function readPostgresVersions(url: string): Promise<Versions> {
  let found: number | null = null
  await retryUntilConnected(async () =>
    runOnConnection(url, async (connection) => {
      const stored = await readVersion(connection)
      found = stored === null ? null : getReportedVersion(stored, migrations.length)
    }),
  )
  return { found, known: migrations.length }
}

/**
 * Waits until the database can be used, then runs the task. Throws an error with a sentence for the operator if the
 * wait is too long, or if the database cannot be used.
 */
export async function retryUntilConnected(
  task: () => Promise<void>,
  waitsMs: number = MAX_START_MS,
): Promise<void> {
  for (const startedAt = performance.now(); ;)
    try {
      await task()
      return
    } catch (error) {
      if (performance.now() - startedAt > waitsMs || !isWorthRetrying(error))
        throw createUnusableError(error)
      await pause(RETRY_MS)
    }
}

/**
 * Returns true if PostgreSQL is unreachable, starting, stopping, recovering, still a standby, or has no free
 * connection.
 */
const isWorthRetrying = (error: unknown): boolean => {
  const code = error instanceof StoreBusy ? error.code.replace(POSTGRES_PREFIX, '') : null
  return isPostgresError(error)
    ? RETRIED_CODES.test(normaliseErrorCode(error))
    : code !== null && RETRIED_CODES.test(code)
}
const RETRIED_CODES = /^(?:|57P0[123]|53300|25006)$/

/**
 * Runs the task on a new connection, because the address may have come to lead to another server since the last
 * attempt.
 */
async function runOnConnection<T>(
  url: string,
  task: (connection: PostgresConnection) => Promise<T>,
): Promise<T> {
  const connection = await connect(url)
  try {
    return await task(connection)
  } finally {
    await connection.end()
  }
}

async function prepareOnce(url: string, options: PrepareOptions): Promise<void> {
  await runOnConnection(url, async (connection) => {
    if (options.migrates === true) await refuseReadOnly(connection)
    const stored = await readVersion(connection)
    await refuseOtherVersion(connection, stored, options)
    if (stored === migrations.length) return
    await withMigrationLock(url, async () => {
      // A database that was restored or moved has no statistics. Without them, a step can take hours.
      if (stored !== null)
        await runInTransaction(connection, async () => connection.queue('ANALYZE (SKIP_LOCKED)'))
      // Each part has its own transaction, so that completed parts are kept if the process is killed.
      for (let hasMore = true; hasMore;)
        hasMore = await runInTransaction(connection, () => createTablesOrRunNextPart(connection))
    })
  })
}

/** Throws the reason if this process cannot use a database of this version. */
async function refuseOtherVersion(
  connection: PostgresConnection,
  stored: number | null,
  { migrates = false, migratesAtStart = true, isNew = true }: PrepareOptions,
): Promise<void> {
  const known = migrations.length
  if (stored === known) return
  if (stored === null) {
    if (!isNew)
      throw new UnusableDatabase(
        migrates ? NOT_NEW_MESSAGE : explainMissingTables(await readDatabaseName(connection)),
      )
    if (!migratesAtStart) throw new UnusableDatabase(NO_TABLES_AT_START)
    // This check comes before anything is created in the database.
    await refuseUnsuitable(connection)
    return
  }
  const found = getReportedVersion(stored, known)
  if (found > known) throw new UnusableDatabase(createNewerVersionError(found).message)
  if (!migrates) throw new UnusableDatabase(OLDER_MESSAGE)
  if (!migratesAtStart) throw new UnusableDatabase(createNotMigratedError(found, known).message)
}

/** How often to try to create a table if another server creates it at the same time. */
const MAX_CREATE_ATTEMPTS = 5

/**
 * Allows one process to migrate while others wait. Locks a row in a transaction on a separate connection, which is
 * closed when the process ends. Each part of the migration also locks the version, so that no part runs twice if this
 * connection is lost.
 */
async function withMigrationLock(url: string, task: () => Promise<void>): Promise<void> {
  await runOnConnection(url, async (lockConnection) => {
    for (let attempt = 1; ; attempt += 1)
      try {
        await runInTransaction(lockConnection, async () => {
          lockConnection.queue(
            `CREATE TABLE IF NOT EXISTS migration_lock ("only" integer PRIMARY KEY CHECK ("only" = 1))`,
          )
          lockConnection.queue('INSERT INTO migration_lock VALUES (1) ON CONFLICT DO NOTHING')
        })
        break
      } catch (error) {
        const isRace = error instanceof PostgresRefused && /^(23505|42P07)$/.test(error.code)
        if (!isRace || attempt === MAX_CREATE_ATTEMPTS) throw error
      }
    await runInTransaction(lockConnection, async () => {
      lockConnection.queue('SET LOCAL idle_in_transaction_session_timeout = 0')
      await lockConnection.plain('SELECT 1 FROM migration_lock FOR UPDATE')
      await task()
    })
  })
}

/**
 * Runs a transaction without the timeouts that may be set for the role or the database, because a step may take long.
 * Statements are planned on every execution, because the tables grow while a step fills them.
 */
async function runInTransaction<T>(
  connection: PostgresConnection,
  task: () => Promise<T>,
): Promise<T> {
  try {
    connection.begin(
      [
        'BEGIN',
        'SET LOCAL lock_timeout = 0',
        'SET LOCAL statement_timeout = 0',
        'SET LOCAL plan_cache_mode = force_custom_plan',
      ],
      false,
    )
    const result = await task()
    await connection.commit()
    return result
  } catch (error) {
    await connection.rollBack()
    throw error
  }
}

/** Refuses a read-only database. A server would otherwise start with it and then fail at the first registration. */
async function refuseReadOnly({ sql }: PostgresConnection): Promise<void> {
  const found = await sql<{ is: number }>(
    "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS is",
  ).get()
  if (found?.is === 1) throw new PostgresRefused(READ_ONLY, 'it accepts no writes')
}

/** Describes an error from PostgreSQL or the network in a sentence, with the next step. */
export function createUnusableError(error: unknown): UnusableDatabase {
  if (error instanceof UnusableDatabase) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = isPostgresError(error) ? normaliseErrorCode(error) : null
  const tlsAdvice = explainTlsError(message)
  const advice = tlsAdvice ?? (code === null ? null : explainPostgresError(code))
  return new UnusableDatabase(
    `The database in PostgreSQL cannot be used: ${message}.${advice === null ? '' : ` ${advice}`}`,
    tlsAdvice === null && code !== null && isTransient(code) ? code : 'unusable',
  )
}

/** Creates all tables, or runs the next part of a migration. Returns true if more parts may remain. */
async function createTablesOrRunNextPart(connection: PostgresConnection): Promise<boolean> {
  const stored = await readVersion(connection, 'FOR UPDATE')
  if (stored === null) {
    await createTables(connection)
    return false
  }
  return runNextMigrationPart(stored, {
    sql: connection.sql,
    runStep: (step) => {
      for (const text of steps[step] ?? []) connection.queue(text)
    },
    setVersion: (version) => connection.queue(`UPDATE rollcall_version SET version = ${version}`),
  })
}

async function createTables(connection: PostgresConnection): Promise<void> {
  const known = migrations.length
  for (const text of newDatabaseStatements) connection.queue(text)
  connection.queue(
    `CREATE TABLE rollcall_version ("only" integer PRIMARY KEY CHECK ("only" = 1), version integer NOT NULL)`,
  )
  connection.queue(`INSERT INTO rollcall_version VALUES (1, ${known})`)
}

/** Throws the reason if this database cannot store or find names in every script. */
async function refuseUnsuitable({ plain }: PostgresConnection): Promise<void> {
  const [setting] = await plain("SELECT current_setting('server_encoding') AS encoding")
  const encoding = String(setting?.['encoding'])
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(
      `The database in PostgreSQL has the encoding ${encoding}, which cannot store all names. Create it again: createdb --template template0 --encoding UTF8 --locale C.UTF-8 NAME.`,
    )
  const [locale] = await plain(`SELECT '${MALAYALAM_WORD}' ~ '[[:alpha:]]' AS knows`)
  if (locale?.['knows'] !== 1)
    throw new UnusableDatabase(
      'The database in PostgreSQL has the locale "C", with which searches find only names in unaccented Latin letters. Create it again: CREATE DATABASE … TEMPLATE template0 LOCALE \'C.UTF-8\'.',
    )
}

const readDatabaseName = async ({ sql }: PostgresConnection): Promise<string> =>
  (await sql<{ name: string }>('SELECT current_database() AS name').get())?.name ?? ''

/** Returns null if there are no tables yet. */
async function readVersion(
  { plain }: PostgresConnection,
  lock: 'FOR UPDATE' | '' = '',
): Promise<number | null> {
  const [table] = await plain("SELECT to_regclass('rollcall_version')::text AS name")
  if (table?.['name'] == null) return null
  const [row] = await plain(`SELECT version FROM rollcall_version ${lock}`)
  return row === undefined ? null : Number(row['version'])
}

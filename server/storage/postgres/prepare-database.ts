/** Creates the tables in an empty PostgreSQL database, migrates existing ones, or checks their version. */
import { setTimeout as pause } from 'node:timers/promises'
import { StoreBusy } from '../database/store-busy-error.ts'
import { OF_POSTGRES } from '../database/transient-errors.ts'
import { notAtStart } from '../database/run-migrations.ts'
import { migrations, newerVersion, reportedVersion, takeStep } from '../database/schema.ts'
import type { Versions } from '../database/run-migrations.ts'
import { steps } from './schema/migrations.ts'
import { newDatabase } from './schema/new-database.ts'
import { connect } from './hosts.ts'
import type { PostgresConnection } from './connection.ts'
import { isOfPostgres, PostgresRefused, UnusableDatabase } from './errors.ts'
import { codeOf, mayPass, noTables, postgresTrouble, READ_ONLY } from './error-explanations.ts'

/** A word of which every letter is one in its own script, and none in the locale "C". */
const MALAYALAM = 'നായർ'

const OLDER =
  'The database in PostgreSQL is of an older version of Rollcall. Copy it with pg_dump, stop the servers, and start one of this version: it brings the database up to date.'
const NOT_NEW =
  'The database in PostgreSQL has no tables, and DATA_DIR holds the data of an earlier server. Let DATABASE_URL name the database that was used before, put it back with pg_restore, or bring the data there with rollcall db move to-postgres. To begin with an empty database instead, run rollcall start --new once.'
const NO_TABLES_AT_START =
  'The database in PostgreSQL has no tables. MIGRATE_AT_START is off, so the server does not create them: run rollcall db migrate, then start the server.'

/** How long to wait for a database that starts beside the server, comes back, or has no free connection. */
export const STARTING_MS_MAX = 15_000
export const AGAIN_MS = 250

type Preparing = {
  /** A server, or the command that migrates: a database that accepts no writes is refused. */
  readonly migrates?: boolean
  /** False: a server that must leave the migration to the command. */
  readonly migratesAtStart?: boolean
  /** Whether an empty database gets its tables. */
  readonly isNew?: boolean
}

/** Makes the database usable; throws a sentence if it is not. Without `migrates`, an older one is refused. */
export function prepare(
  url: string,
  { waitsMs, ...preparing }: Preparing & { readonly waitsMs?: number } = {},
): Promise<void> {
  return untilItTakesUs(async () => prepareOnce(url, preparing), waitsMs)
}

/** Returns the version of the database and changes nothing; `found` is null if it has no tables. */
export async function postgresVersions(url: string): Promise<Versions> {
  let found: number | null = null
  await untilItTakesUs(async () =>
    onConnection(url, async (connection) => {
      const stored = await versionOn(connection)
      found = stored === null ? null : reportedVersion(stored, migrations.length)
    }),
  )
  return { found, known: migrations.length }
}

/** Does the work once the database can be used; throws a sentence if that takes too long or will not happen. */
export async function untilItTakesUs(
  work: () => Promise<void>,
  waitsMs: number = STARTING_MS_MAX,
): Promise<void> {
  for (const began = performance.now(); ;)
    try {
      await work()
      return
    } catch (error) {
      if (performance.now() - began > waitsMs || !isWaitedFor(error)) throw cannotBeUsed(error)
      await pause(AGAIN_MS)
    }
}

/** Not reached, cut off, told that it starts, stops, recovers or has no free connection, or it is a standby still. */
const isWaitedFor = (error: unknown): boolean => {
  const code = error instanceof StoreBusy ? error.code.replace(OF_POSTGRES, '') : null
  return isOfPostgres(error)
    ? WAITED_FOR.test(codeOf(error))
    : code !== null && WAITED_FOR.test(code)
}
const WAITED_FOR = /^(?:|57P0[123]|53300|25006)$/

/** A new connection for each attempt: the address may lead to another server by then. */
async function onConnection<T>(
  url: string,
  work: (connection: PostgresConnection) => Promise<T>,
): Promise<T> {
  const connection = await connect(url)
  try {
    return await work(connection)
  } finally {
    await connection.end()
  }
}

async function prepareOnce(url: string, preparing: Preparing): Promise<void> {
  await onConnection(url, async (connection) => {
    if (preparing.migrates === true) await refuseReadOnly(connection)
    const stored = await versionOn(connection)
    await refuseOther(connection, stored, preparing)
    if (stored === migrations.length) return
    await withMigrationLock(url, async () => {
      // A restored or moved database has no statistics, and without them a step can take hours.
      if (stored !== null)
        await inTransaction(connection, async () => connection.queue('ANALYZE (SKIP_LOCKED)'))
      // Each part has its own transaction, so completed parts remain if the process is killed.
      for (let isMore = true; isMore;)
        isMore = await inTransaction(connection, () => nextPart(connection))
    })
  })
}

/** Throws the reason why a database of this version is not used by this process. */
async function refuseOther(
  connection: PostgresConnection,
  stored: number | null,
  { migrates = false, migratesAtStart = true, isNew = true }: Preparing,
): Promise<void> {
  const known = migrations.length
  if (stored === known) return
  if (stored === null) {
    if (!isNew) throw new UnusableDatabase(migrates ? NOT_NEW : noTables(await nameOf(connection)))
    if (!migratesAtStart) throw new UnusableDatabase(NO_TABLES_AT_START)
    // Before anything is created in it.
    await refuseUnsuitable(connection)
    return
  }
  const found = reportedVersion(stored, known)
  if (found > known) throw new UnusableDatabase(newerVersion(found).message)
  if (!migrates) throw new UnusableDatabase(OLDER)
  if (!migratesAtStart) throw new UnusableDatabase(notAtStart(found, known).message)
}

/** How often a table is created that another server creates at the same moment. */
const CREATED_TIMES_MAX = 5

/**
 * Lets one process migrate; others wait for it. It holds a row in a transaction of its own connection, which ends with the
 * process. Each part of the migration also locks the version, so that none is done twice if that connection is cut.
 */
async function withMigrationLock(url: string, work: () => Promise<void>): Promise<void> {
  await onConnection(url, async (holder) => {
    for (let times = 1; ; times += 1)
      try {
        await inTransaction(holder, async () => {
          holder.queue(
            `CREATE TABLE IF NOT EXISTS migration_lock ("only" integer PRIMARY KEY CHECK ("only" = 1))`,
          )
          holder.queue('INSERT INTO migration_lock VALUES (1) ON CONFLICT DO NOTHING')
        })
        break
      } catch (error) {
        const isRace = error instanceof PostgresRefused && /^(23505|42P07)$/.test(error.code)
        if (!isRace || times === CREATED_TIMES_MAX) throw error
      }
    await inTransaction(holder, async () => {
      holder.queue('SET LOCAL idle_in_transaction_session_timeout = 0')
      await holder.plain('SELECT 1 FROM migration_lock FOR UPDATE')
      await work()
    })
  })
}

/**
 * A transaction without the limits that the role or the database may set: a step takes as long as it takes. A statement
 * is planned at each run, because the tables that a step fills grow.
 */
async function inTransaction<T>(
  connection: PostgresConnection,
  work: () => Promise<T>,
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
    const result = await work()
    await connection.commit()
    return result
  } catch (error) {
    await connection.rollBack()
    throw error
  }
}

/** A server on a database that takes no writes would start, and refuse the first delegate. */
async function refuseReadOnly({ sql }: PostgresConnection): Promise<void> {
  const found = await sql<{ is: number }>(
    "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS is",
  ).get()
  if (found?.is === 1) throw new PostgresRefused(READ_ONLY, 'it takes no writes')
}

/** Describes an error of PostgreSQL or the network in a sentence, with the next step. */
export function cannotBeUsed(error: unknown): UnusableDatabase {
  if (error instanceof UnusableDatabase) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = isOfPostgres(error) ? codeOf(error) : null
  const advice = code === null ? null : postgresTrouble(code)
  return new UnusableDatabase(
    `The database in PostgreSQL cannot be used: ${message}.${advice === null ? '' : ` ${advice}`}`,
    code !== null && mayPass(code) ? code : 'unusable',
  )
}

/** Creates all tables, or does the next part of a migration. Returns whether there may be more to do. */
async function nextPart(connection: PostgresConnection): Promise<boolean> {
  const stored = await versionOn(connection, 'FOR UPDATE')
  if (stored === null) {
    await createTables(connection)
    return false
  }
  return takeStep(stored, {
    sql: connection.sql,
    runStep: (step) => {
      for (const text of steps[step] ?? []) connection.queue(text)
    },
    setVersion: (version) => connection.queue(`UPDATE rollcall_version SET version = ${version}`),
  })
}

async function createTables(connection: PostgresConnection): Promise<void> {
  const known = migrations.length
  for (const text of newDatabase) connection.queue(text)
  connection.queue(
    `CREATE TABLE rollcall_version ("only" integer PRIMARY KEY CHECK ("only" = 1), version integer NOT NULL)`,
  )
  connection.queue(`INSERT INTO rollcall_version VALUES (1, ${known})`)
}

/** Throws the reason why names in all scripts could not be stored and found in this database. */
async function refuseUnsuitable({ plain }: PostgresConnection): Promise<void> {
  const [setting] = await plain("SELECT current_setting('server_encoding') AS encoding")
  const encoding = String(setting?.['encoding'])
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(`The database in PostgreSQL holds ${encoding}, and names need UTF8.`)
  const [locale] = await plain(`SELECT '${MALAYALAM}' ~ '[[:alpha:]]' AS knows`)
  if (locale?.['knows'] !== 1)
    throw new UnusableDatabase(
      'The database in PostgreSQL has the locale "C", in which a search finds no name that is not English. Make it anew: CREATE DATABASE … TEMPLATE template0 LOCALE \'C.UTF-8\'.',
    )
}

const nameOf = async ({ sql }: PostgresConnection): Promise<string> =>
  (await sql<{ name: string }>('SELECT current_database() AS name').get())?.name ?? ''

/** Null: there are no tables yet. */
async function versionOn(
  { plain }: PostgresConnection,
  lock: 'FOR UPDATE' | '' = '',
): Promise<number | null> {
  const [table] = await plain("SELECT to_regclass('rollcall_version')::text AS name")
  if (table?.['name'] == null) return null
  const [row] = await plain(`SELECT version FROM rollcall_version ${lock}`)
  return row === undefined ? null : Number(row['version'])
}

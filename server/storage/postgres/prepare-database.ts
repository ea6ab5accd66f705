/** Creates the tables in an empty PostgreSQL database, or checks the version of existing ones. */
import { setTimeout as pause } from 'node:timers/promises'
import { StoreBusy } from '../database/store-busy-error.ts'
import { OF_POSTGRES } from '../database/transient-errors.ts'
import { fillFrom, migrations, newerVersion } from '../database/schema.ts'
import { definitions, stepsFrom } from './schema-from-sqlite.ts'
import { connect } from './hosts.ts'
import type { PostgresConnection } from './connection.ts'
import { isOfPostgres, PostgresRefused, UnusableDatabase } from './errors.ts'
import { codeOf, mayPass, noTables, postgresTrouble, READ_ONLY } from './error-explanations.ts'

/** Two servers that start at once do not both make the tables. Any number that nobody else holds. */
const MAKING = 72_655_118
/** A word of which every letter is one in its own script, and none in the locale "C". */
const MALAYALAM = 'നായർ'

const OLDER =
  'The database in PostgreSQL is of an older version of Rollcall. Copy it with pg_dump, stop the servers, and start one of this version: it brings the database up to date.'
const NOT_NEW =
  'The database in PostgreSQL has no tables, and DATA_DIR holds the data of an earlier server. Let DATABASE_URL name the database that was used before, put it back with pg_restore, or bring the data there with rollcall db move to-postgres. To begin with an empty database instead, run rollcall start --new once.'

/** How long to wait for a database that starts beside the server, comes back, or has no free connection. */
export const STARTING_MS_MAX = 15_000
export const AGAIN_MS = 250

/**
 * Throws a sentence if the database cannot be used. `migrates`: a database of an older version is migrated, and
 * one that accepts no writes is not served. `isNew`: an empty one gets its tables.
 */
export function prepare(
  url: string,
  migrates: boolean,
  isNew = true,
  waitsMs: number = STARTING_MS_MAX,
): Promise<void> {
  return untilItTakesUs(async () => {
    // A new connection for each attempt: the address may lead to another server by then.
    const connection = await connect(url)
    try {
      await prepareOnce(connection, { migrates, isNew })
    } finally {
      await connection.end()
    }
  }, waitsMs)
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

type Preparing = { readonly migrates: boolean; readonly isNew: boolean }

async function prepareOnce(connection: PostgresConnection, preparing: Preparing): Promise<void> {
  try {
    connection.queue('BEGIN')
    connection.queue(`SELECT pg_advisory_xact_lock(${MAKING})`)
    if (preparing.migrates) await refuseReadOnly(connection)
    await prepareOn(connection, preparing)
    await connection.commit()
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

async function prepareOn(
  connection: PostgresConnection,
  { migrates, isNew }: Preparing,
): Promise<void> {
  const found = await versionOn(connection)
  const known = migrations.length
  if (found === known) return
  if (found !== null) {
    if (found > known) throw new UnusableDatabase(newerVersion(found).message)
    if (!migrates) throw new UnusableDatabase(OLDER)
    for (const text of stepsFrom(found)) connection.queue(text)
    await fillFrom(found, connection.sql)
    connection.queue(`UPDATE rollcall_version SET version = ${known}`)
    return
  }
  if (!isNew) throw new UnusableDatabase(migrates ? NOT_NEW : noTables(await nameOf(connection)))
  for (const text of definitions()) connection.queue(text)
  connection.queue(
    `CREATE TABLE rollcall_version ("only" integer PRIMARY KEY CHECK ("only" = 1), version integer NOT NULL)`,
  )
  connection.queue(`INSERT INTO rollcall_version VALUES (1, ${known})`)
  const { encoding, letters } = (await connection
    .sql<{ encoding: string; letters: number | null }>(
      "SELECT current_setting('server_encoding') AS encoding, array_length(show_trgm(?), 1) AS letters",
    )
    .get(MALAYALAM)) ?? { encoding: '', letters: null }
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(`The database in PostgreSQL holds ${encoding}, and names need UTF8.`)
  if (letters === null)
    throw new UnusableDatabase(
      'The database in PostgreSQL has the locale "C", in which a search finds no name that is not English. Make it anew: CREATE DATABASE … TEMPLATE template0 LOCALE \'C.UTF-8\'.',
    )
}

const nameOf = async ({ sql }: PostgresConnection): Promise<string> =>
  (await sql<{ name: string }>('SELECT current_database() AS name').get())?.name ?? ''

/** Null: there are no tables yet. */
async function versionOn({ sql }: PostgresConnection): Promise<number | null> {
  const { is } = (await sql<{ is: string | null }>(
    "SELECT to_regclass('rollcall_version')::text AS is",
  ).get()) ?? { is: null }
  if (is === null) return null
  return (
    (await sql<{ version: number }>('SELECT version FROM rollcall_version').get())?.version ?? null
  )
}

/** Creates the tables in an empty PostgreSQL database, or checks the version of existing ones. */
import { fillFrom, migrations, newerVersion } from '../database/schema.ts'
import { definitions, stepsFrom } from './schema-from-sqlite.ts'
import { openConnection } from './connection.ts'
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
): void {
  // One connection for all attempts: each starts a thread. A connection to a standby is closed, because the address
  // may lead to another server by then.
  let connection: PostgresConnection | null = null
  const giveUp = (): void => {
    connection?.close()
    connection = null
  }
  try {
    untilItTakesUs(() => {
      connection ??= openConnection(url, {
        begins: ['BEGIN', `SELECT pg_advisory_xact_lock(${MAKING})`],
        isWaitedFor: true,
      })
      try {
        prepareOnce(connection, { migrates, isNew })
      } catch (error) {
        if (isOfPostgres(error) && codeOf(error) === READ_ONLY) giveUp()
        throw error
      }
    }, waitsMs)
  } finally {
    giveUp()
  }
}

/** Does the work once the database can be used; throws a sentence if that takes too long or will not happen. */
export function untilItTakesUs(work: () => void, waitsMs: number = STARTING_MS_MAX): void {
  for (const began = performance.now(); ;)
    try {
      work()
      return
    } catch (error) {
      if (performance.now() - began > waitsMs || !isWaitedFor(error)) throw cannotBeUsed(error)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS)
    }
}

/** Not reached, cut off, told that it starts, stops, recovers or has no free connection, or it is a standby still. */
const isWaitedFor = (error: unknown): boolean =>
  isOfPostgres(error) && /^(?:|57P0[123]|53300|25006)$/.test(codeOf(error))

type Preparing = { readonly migrates: boolean; readonly isNew: boolean }

function prepareOnce(connection: PostgresConnection, preparing: Preparing): void {
  try {
    connection.sql('BEGIN').run()
    if (preparing.migrates) refuseReadOnly(connection)
    prepareOn(connection, preparing)
    connection.sql('COMMIT').run()
  } catch (error) {
    connection.sql('ROLLBACK').run()
    throw error
  }
}

/** A server on a database that takes no writes would start, and refuse the first delegate. */
function refuseReadOnly({ sql }: PostgresConnection): void {
  const found = sql<{ is: number }>(
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

function prepareOn(connection: PostgresConnection, { migrates, isNew }: Preparing): void {
  const found = versionOn(connection)
  const known = migrations.length
  if (found === known) return
  if (found !== null) {
    if (found > known) throw new UnusableDatabase(newerVersion(found).message)
    if (!migrates) throw new UnusableDatabase(OLDER)
    for (const text of stepsFrom(found)) connection.plain(text)
    fillFrom(found, connection.sql)
    connection.plain(`UPDATE rollcall_version SET version = ${known}`)
    return
  }
  if (!isNew) throw new UnusableDatabase(migrates ? NOT_NEW : noTables(nameOf(connection)))
  for (const text of definitions()) connection.plain(text)
  connection.plain(
    `CREATE TABLE rollcall_version ("only" integer PRIMARY KEY CHECK ("only" = 1), version integer NOT NULL)`,
  )
  connection.plain(`INSERT INTO rollcall_version VALUES (1, ${known})`)
  const { encoding, letters } = connection
    .sql<{ encoding: string; letters: number | null }>(
      "SELECT current_setting('server_encoding') AS encoding, array_length(show_trgm(?), 1) AS letters",
    )
    .get(MALAYALAM) ?? { encoding: '', letters: null }
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(`The database in PostgreSQL holds ${encoding}, and names need UTF8.`)
  if (letters === null)
    throw new UnusableDatabase(
      'The database in PostgreSQL has the locale "C", in which a search finds no name that is not English. Make it anew: CREATE DATABASE … TEMPLATE template0 LOCALE \'C.UTF-8\'.',
    )
}

const nameOf = ({ sql }: PostgresConnection): string =>
  sql<{ name: string }>('SELECT current_database() AS name').get()?.name ?? ''

/** Null: there are no tables yet. */
function versionOn({ sql }: PostgresConnection): number | null {
  const { is } = sql<{ is: string | null }>(
    "SELECT to_regclass('rollcall_version')::text AS is",
  ).get() ?? { is: null }
  if (is === null) return null
  return sql<{ version: number }>('SELECT version FROM rollcall_version').get()?.version ?? null
}

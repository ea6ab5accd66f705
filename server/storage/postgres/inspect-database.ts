/** Reports the state of a PostgreSQL database before the server starts, without changing anything. */
import pg from 'pg'
import { migrations, createNewerVersionError, getReportedVersion } from '../database/schema.ts'
import { MAX_CONNECT_MS, toStoreError } from './connection.ts'
import { createHostFinder } from './hosts.ts'
import { createUnusableError } from './prepare-database.ts'
import { PostgresRefused } from './errors.ts'
import { explainMissingTables, explainPostgresError, READ_ONLY } from './error-explanations.ts'

const REFERENCED_FILES =
  'SELECT sha256 FROM uploads WHERE dropped_at IS NULL UNION SELECT sha256 FROM draft_proofs'
const MISSING_FILES = `${REFERENCED_FILES} EXCEPT SELECT sha256 FROM proof_files`

type Inspection =
  | {
      readonly problem: string
      readonly stateText: null
      readonly missing: null
      readonly active: null
      readonly isInRecovery: false
    }
  | {
      readonly problem: null
      readonly stateText: string
      /** The hashes of files that are referenced but missing. Null if the tables do not exist yet. */
      readonly missing: readonly string[] | null
      /** The hash of the version that all servers serve, by event id. */
      readonly active: ReadonlyMap<string, string>
      readonly isInRecovery: boolean
    }

/**
 * Inspects a database. `problem`: the reason why no server can start with it. If null, `stateText` describes its state.
 * `areFilesElsewhere`: the files are not in the database, so `missing` lists all referenced files.
 */
export async function inspectPostgres(url: string, areFilesElsewhere = false): Promise<Inspection> {
  const createSuccess = (
    stateText: string,
    missing: readonly string[] | null = null,
    active: ReadonlyMap<string, string> = new Map(),
    isInRecovery = false,
  ): Inspection => ({ problem: null, stateText, missing, active, isInRecovery })
  const createFailure = (problem: string): Inspection => ({
    problem,
    stateText: null,
    missing: null,
    active: null,
    isInRecovery: false,
  })
  let client: pg.Client | null = null
  try {
    client = new pg.Client({
      connectionString: await createHostFinder(url).find(),
      connectionTimeoutMillis: MAX_CONNECT_MS,
    })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{
      server: string
      name: string
      there: string | null
      isReadOnly: boolean
    }>(
      `SELECT current_setting('server_version') AS server, current_database() AS name, to_regclass('rollcall_version')::text AS there,
        pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
    )
    if (rows[0]?.isReadOnly === true) return createFailure(explainPostgresError(READ_ONLY) ?? '')
    const server = `PostgreSQL ${rows[0]?.server.split(' ')[0] ?? ''}`
    if (rows[0]?.there == null) return createFailure(explainMissingTables(rows[0]?.name ?? ''))
    const versions = await client.query<{ version: number }>('SELECT version FROM rollcall_version')
    const storedVersion = versions.rows[0]?.version ?? 0
    const knownVersion = migrations.length
    const version = getReportedVersion(storedVersion, knownVersion)
    if (version > knownVersion) return createFailure(createNewerVersionError(version).message)
    if (storedVersion !== knownVersion)
      return createSuccess(
        `${server} responds. The database has version ${version}; the next start migrates it to ${knownVersion}. Copy it with pg_dump first.`,
      )
    const { rows: active } = await client.query<{ id: string; hash: string }>(
      'SELECT event_id AS id, hash FROM active_events WHERE is_gone = 0',
    )
    const { rows: missing } = await client.query<{ sha256: string }>(
      areFilesElsewhere ? REFERENCED_FILES : MISSING_FILES,
    )
    const { rowCount } = await client.query('SELECT 1 FROM recoveries WHERE ended_at IS NULL')
    return createSuccess(
      `${server} responds. The database has version ${version}.`,
      missing.map(({ sha256 }) => sha256),
      new Map(active.map(({ id, hash }) => [id, hash])),
      (rowCount ?? 0) > 0,
    )
  } catch (error) {
    const { code, message } = toStoreError(error, '')
    return createFailure(createUnusableError(new PostgresRefused(code, message)).message)
  } finally {
    await client?.end().catch(() => {})
  }
}

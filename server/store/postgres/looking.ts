/** How a database in PostgreSQL stands, for whoever asks before anything is started. Changes nothing. */
import pg from 'pg'
import { migrations, newerVersion } from '../schema.ts'
import { cannotBeUsed } from './preparing.ts'

const CONNECT_MS_MAX = 10_000

type Looked =
  | { readonly trouble: string; readonly said: null }
  | { readonly trouble: null; readonly said: string }

/** `trouble`: why no server could start on it; null: `said` says how it stands. */
export async function lookAtPostgres(url: string): Promise<Looked> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS_MAX })
  client.on('error', () => {})
  const good = (said: string): Looked => ({ trouble: null, said })
  try {
    await client.connect()
    const { rows } = await client.query<{ server: string; there: string | null }>(
      "SELECT current_setting('server_version') AS server, to_regclass('rollcall_version')::text AS there",
    )
    const server = `PostgreSQL ${rows[0]?.server.split(' ')[0] ?? ''}`
    if (rows[0]?.there == null)
      return good(`${server} answers, and there are no tables yet; the first start makes them.`)
    const found = await client.query<{ version: number }>('SELECT version FROM rollcall_version')
    const version = found.rows[0]?.version ?? 0
    return version > migrations.length
      ? { trouble: newerVersion(version).message, said: null }
      : good(`${server} answers, and the database is of version ${version}.`)
  } catch (error) {
    return { trouble: cannotBeUsed(error).message, said: null }
  } finally {
    await client.end().catch(() => {})
  }
}

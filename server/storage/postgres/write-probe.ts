/**
 * Tests whether PostgreSQL accepts again an operation that it refused.
 * The smallest write may succeed where a larger one fails, and an open connection does not show whether a new one is
 * possible.
 */
import { POSTGRES_PREFIX } from '../database/transient-errors.ts'
import { NoFurtherConnection, StoreBusy } from '../database/store-busy-error.ts'
import { toStoreError } from './connection.ts'
import { normaliseErrorCode, READ_ONLY } from './error-explanations.ts'
import type { HostPool } from './host-pool.ts'

/** A megabyte and a half of new pages in the tablespace of the database, dropped at the end. */
const NEEDS_SPACE = `CREATE TEMPORARY TABLE rollcall_room ON COMMIT DROP AS
  SELECT repeat(md5(n::text), 250) FROM generate_series(1, 200) AS n`
/** The statement that tests a refused operation, by the code of the refusal. */
const PROBE_STATEMENTS: Readonly<Record<string, string>> = {
  53100: NEEDS_SPACE,
  53300: 'SELECT 1',
}
/** PostgreSQL has no free connection. Existing connections still work. */
const NO_CONNECTION_CODE = '53300'

export type WriteProbe = {
  /** Runs a call, and remembers a refusal. */
  trackFailures<T>(call: Promise<T>): Promise<T>
  /**
   * Retries the last refused operation. Throws StoreBusy while it still fails, and NoFurtherConnection if only a new
   * connection is refused. Sends nothing if nothing was refused.
   */
  probe(): Promise<void>
}

export function openWriteProbe(pool: Pick<HostPool, 'query'>, onReadOnly: () => void): WriteProbe {
  let refused: string | null = null
  return {
    trackFailures: (call) =>
      call.catch((error: unknown) => {
        const code = error instanceof StoreBusy ? error.code.replace(POSTGRES_PREFIX, '') : ''
        if (Object.hasOwn(PROBE_STATEMENTS, code)) refused = code
        if (code === READ_ONLY) onReadOnly()
        throw error
      }),
    async probe() {
      const statement = PROBE_STATEMENTS[refused ?? '']
      if (statement === undefined) return
      const probedCode = refused
      try {
        await pool.query(statement)
        if (refused === probedCode) refused = null
      } catch (error) {
        if (error instanceof StoreBusy) throw error
        const { code, message } = toStoreError(error, '')
        // If the role may not create a temporary table, the probe shows nothing: the next refusal reports the problem
        // again.
        const Refusal = code === NO_CONNECTION_CODE ? NoFurtherConnection : StoreBusy
        if (code === probedCode)
          throw new Refusal(message, POSTGRES_PREFIX + normaliseErrorCode({ code, message }))
        refused = null
      }
    },
  }
}

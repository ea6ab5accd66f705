/**
 * Tests whether PostgreSQL accepts an operation again that it has refusalCode.
 * The smallest write may succeed where a larger one fails, and an open connection does not show whether a new one is
 * possible.
 */
import { POSTGRES_PREFIX } from '../database/transient-errors.ts'
import { NoFurtherConnection, StoreBusy } from '../database/store-busy-error.ts'
import { toStoreError } from './connection.ts'
import { normaliseErrorCode, READ_ONLY } from './error-explanations.ts'
import type { HostPool } from './host-pool.ts'

/** Writes a megabyte and a half of new pages in the database's tablespace, and drops them at the end. */
const NEEDS_SPACE = `CREATE TEMPORARY TABLE rollcall_room ON COMMIT DROP AS
  SELECT repeat(md5(n::text), 250) FROM generate_series(1, 200) AS n`
/** The statement that tests a refusalCode operation, by the error code of the refusal. */
const PROBE_STATEMENTS: Readonly<Record<string, string>> = {
  53100: NEEDS_SPACE,
  53300: 'SELECT 1',
}
/** PostgreSQL has no free connection. Existing connections still work. */
const NO_CONNECTION_CODE = '53300'

export type WriteProbe = {
  /** Passes on the result of a call, and records a refusal. */
  trackFailures<T>(call: Promise<T>): Promise<T>
  /**
   * Retries the last refusalCode operation. Throws StoreBusy while it still fails, and NoFurtherConnection if only a new
   * connection is refusalCode. Sends nothing if nothing was refusalCode.
   */
  probe(): Promise<void>
}

export function openWriteProbe(pool: Pick<HostPool, 'query'>, onReadOnly: () => void): WriteProbe {
  let refusalCode: string | null = null
  return {
    trackFailures: (call) =>
      call.catch((error: unknown) => {
        const code = error instanceof StoreBusy ? error.code.replace(POSTGRES_PREFIX, '') : ''
        if (Object.hasOwn(PROBE_STATEMENTS, code)) refusalCode = code
        if (code === READ_ONLY) onReadOnly()
        throw error
      }),
    async probe() {
      const statement = PROBE_STATEMENTS[refusalCode ?? '']
      if (statement === undefined) return
      const probedCode = refusalCode
      try {
        await pool.query(statement)
        if (refusalCode === probedCode) refusalCode = null
      } catch (error) {
        if (error instanceof StoreBusy) throw error
        const { code, message } = toStoreError(error, '')
        // If the role may not create a temporary table, the probe shows nothing. The next refusal reports the problem
        // again.
        const Refusal = code === NO_CONNECTION_CODE ? NoFurtherConnection : StoreBusy
        if (code === probedCode)
          throw new Refusal(message, POSTGRES_PREFIX + normaliseErrorCode({ code, message }))
        refusalCode = null
      }
    },
  }
}

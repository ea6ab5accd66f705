/** Tests whether PostgreSQL accepts operations again after it refused one. */
import { POSTGRES_PREFIX } from '../database/transient-errors.ts'
import { NoFurtherConnection, StoreBusy } from '../database/store-busy-error.ts'
import { toStoreError } from './connection.ts'
import { NO_CONNECTION, normaliseErrorCode, READ_ONLY } from './error-explanations.ts'
import type { HostPool } from './host-pool.ts'

// A small write may succeed where a larger one fails, and an open connection does not show whether a new one can be
// opened.

/** Writes 1.5 MB of new pages to the database's tablespace, and drops them at the end. */
const SPACE_TEST_STATEMENT = `CREATE TEMPORARY TABLE rollcall_room ON COMMIT DROP AS
  SELECT repeat(md5(n::text), 250) FROM generate_series(1, 200) AS n`
/** The code for a full disk. */
const DISK_FULL = '53100'

export type WriteProbe = {
  /** Returns the result of a call. If PostgreSQL refused the call, records this. */
  trackFailures<T>(call: Promise<T>): Promise<T>
  /** Records that PostgreSQL refused another connection, although the operation can use an open one. */
  recordRefusedConnection(): void
  /**
   * Tests what was last refused. Throws StoreBusy if it still fails, or NoFurtherConnection if only a new connection is
   * refused. Sends nothing if nothing was refused.
   */
  probe(): Promise<void>
}

/** `openConnection` opens and closes a connection outside the pools. */
export function openWriteProbe({
  files,
  openConnection,
  onReadOnly,
}: {
  readonly files: Pick<HostPool, 'query'>
  openConnection(): Promise<void>
  onReadOnly(): void
}): WriteProbe {
  const probes: Readonly<Record<string, () => Promise<unknown>>> = {
    [DISK_FULL]: () => files.query(SPACE_TEST_STATEMENT),
    [NO_CONNECTION]: openConnection,
  }
  let refusalCode: string | null = null
  return {
    trackFailures: (call) =>
      call.catch((error: unknown) => {
        const code = error instanceof StoreBusy ? error.code.replace(POSTGRES_PREFIX, '') : ''
        if (Object.hasOwn(probes, code)) refusalCode = code
        if (code === READ_ONLY) onReadOnly()
        throw error
      }),
    recordRefusedConnection: () => {
      refusalCode = NO_CONNECTION
    },
    async probe() {
      const probedCode = refusalCode
      try {
        await probes[probedCode ?? '']?.()
        if (refusalCode === probedCode) refusalCode = null
      } catch (error) {
        if (error instanceof StoreBusy) throw error
        const { code, message } = toStoreError(error, '')
        // If the role may not create temporary tables, the probe has no result. If the problem remains, the next
        // operation is refused and reports it again.
        const Refusal = code === NO_CONNECTION ? NoFurtherConnection : StoreBusy
        if (code === probedCode)
          throw new Refusal(message, POSTGRES_PREFIX + normaliseErrorCode({ code, message }))
        refusalCode = null
      }
    },
  }
}

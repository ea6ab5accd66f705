/**
 * Tests whether PostgreSQL accepts again what it refused.
 * The smallest write may succeed where a larger one fails, and an open connection says nothing about the next
 * one.
 */
import { OF_POSTGRES } from '../database/transient-errors.ts'
import { NoFurtherConnection, StoreBusy } from '../database/store-busy-error.ts'
import { errorOf } from './connection.ts'
import { codeOf, READ_ONLY } from './error-explanations.ts'
import type { HostPool } from './host-pool.ts'

/** A megabyte and a half of new pages in the tablespace of the database, which are gone when it is done. */
const TAKES_ROOM = `CREATE TEMPORARY TABLE rollcall_room ON COMMIT DROP AS
  SELECT repeat(md5(n::text), 250) FROM generate_series(1, 200) AS n`
/** How to ask for what was refused, by the code of the refusal. */
const QUESTIONS: Readonly<Record<string, string>> = {
  53100: TAKES_ROOM,
  53300: 'SELECT 1',
}
/** PostgreSQL has no free connection. Existing connections still work. */
const NO_CONNECTION = '53300'

export type Probing = {
  /** Passes a call on, and remembers a refusal. */
  noting<T>(call: Promise<T>): Promise<T>
  /**
   * Retries what was refused last; throws StoreBusy while it still fails, and NoFurtherConnection where only a further
   * connection is refused. Costs nothing if nothing was refused.
   */
  probe(): Promise<void>
}

export function openProbing(pool: Pick<HostPool, 'query'>, onReadOnly: () => void): Probing {
  let refused: string | null = null
  return {
    noting: (call) =>
      call.catch((error: unknown) => {
        const code = error instanceof StoreBusy ? error.code.replace(OF_POSTGRES, '') : ''
        if (Object.hasOwn(QUESTIONS, code)) refused = code
        if (code === READ_ONLY) onReadOnly()
        throw error
      }),
    async probe() {
      const question = QUESTIONS[refused ?? '']
      if (question === undefined) return
      const asked = refused
      try {
        await pool.query(question)
        if (refused === asked) refused = null
      } catch (error) {
        if (error instanceof StoreBusy) throw error
        const { code, message } = errorOf(error, '')
        // Whoever may make no table there learns nothing more: the next refusal says it again.
        const Refusal = code === NO_CONNECTION ? NoFurtherConnection : StoreBusy
        if (code === asked) throw new Refusal(message, OF_POSTGRES + codeOf({ code, message }))
        refused = null
      }
    },
  }
}

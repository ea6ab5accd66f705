/** The overnight scenario with fewer delegates than `npm run overnight`. */
import { expect, test } from 'vitest'
import { hasPostgres } from '../storage/postgres-server.ts'
import { runOvernightOn } from './overnight.ts'
import { registerThorough } from '../../runs.ts'

const SMALL_SIZE = { countBefore: 12, countAfter: 10, countDuring: 3, quietMs: 0, minuteMs: 500 }
const TIMEOUT_MS = 600_000
const DATABASES: ('SQLite' | 'PostgreSQL')[] = ['SQLite']

/** In thorough runs, adds PostgreSQL, as in `npm run overnight`. */
registerThorough(() => void DATABASES.push('PostgreSQL'))

test.each(DATABASES)(
  'if the database is deleted at night and an older copy is restored (%s), payments are known or wait for staff, no invoice number or proof is lost or repeated, and only emails queued in the copy are sent twice',
  async (databaseName) => {
    if (databaseName === 'PostgreSQL' && !hasPostgres) return
    const output: string[] = []
    await runOvernightOn(databaseName, (line) => output.push(line), SMALL_SIZE).catch(
      (error: unknown) => {
        throw new Error(`${output.join('\n')}\n${String(error)}`, { cause: error })
      },
    )
    expect(output.at(-1)).toMatch(/^emails sent twice: 3, all queued in the copy/)
  },
  TIMEOUT_MS,
)

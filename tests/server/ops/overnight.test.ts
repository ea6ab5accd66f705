/** The overnight scenario with fewer people; `npm run overnight` has all of them. */
import { expect, test } from 'vitest'
import { hasPostgres } from '../storage/postgres-server.ts'
import { overnightOn } from './overnight.ts'
import { onlyThorough } from '../../runs.ts'

const FEW = { before: 12, after: 10, fresh: 3, quietMs: 0, minuteMs: 500 }
const MS_MAX = 600_000
const DATABASES: ('SQLite' | 'PostgreSQL')[] = ['SQLite']

/** The same on the other database, as `npm run overnight` does. */
onlyThorough(() => void DATABASES.push('PostgreSQL'))

test.each(DATABASES)(
  'the database was deleted at night and an older copy put back, on %s: every payment is known or waits for staff, no invoice number is issued twice, no email is sent twice but those of the copy, no proof that the copy or the folder has is lost',
  async (where) => {
    if (where === 'PostgreSQL' && !hasPostgres) return
    const said: string[] = []
    await overnightOn(where, (line) => said.push(line), FEW).catch((error: unknown) => {
      throw new Error(`${said.join('\n')}\n${String(error)}`, { cause: error })
    })
    expect(said.at(-1)).toMatch(/^emails sent twice: 3, all queued in the copy/)
  },
  MS_MAX,
)

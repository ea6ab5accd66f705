/** Some histories on PostgreSQL in `npm test`; `npm run simulate -- --postgres` takes as many as one has time for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { openPostgresDisks } from './disk-postgres.ts'
import type { PostgresDisks } from './disk-postgres.ts'
import { happen } from './history.ts'
import { planOf } from './plan.ts'
import { PROFILES } from './profiles.ts'

const SEED = 20261121
/** Between them: notices and crashes, corrections at two tax rates, statements of the bank, refunds. */
const HISTORIES = [
  ['design', 1],
  ['desk and tax rates', 3],
  ['desk and letters', 4],
] as const

if (!hasPostgres) test('without a PostgreSQL on this machine no history happens on it', () => {})
else
  describe('on PostgreSQL', () => {
    let server: PostgresServer
    let postgres: PostgresDisks
    beforeAll(async () => {
      server = await startPostgres()
      postgres = openPostgresDisks(await server.database('histories'))
    })
    afterAll(async () => {
      postgres.close()
      await server.stop()
    })

    test.each(HISTORIES)(
      'a history (%s) keeps every promise and is the same to the last line as on SQLite',
      async (name, history) => {
        const profile = PROFILES.find((one) => one.name === name)
        if (profile === undefined) throw new Error(`There is no profile ${name}`)
        const plan = planOf(profile, SEED, history)
        const [here, there]: string[][] = [[], []]
        const { disks } = postgres
        const { violation } = await happen(plan, { disks, trace: (line) => void here?.push(line) })
        await happen(plan, { trace: (line) => void there?.push(line) })
        expect(violation).toBeNull()
        expect(here?.length).toBeGreaterThan(20)
        expect(here).toEqual(there)
      },
    )
  })

/** Runs a few histories on PostgreSQL in `npm test`. `npm run simulate -- --postgres` runs any number. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { openPostgresDisks } from './disk-postgres.ts'
import type { PostgresDisks } from './disk-postgres.ts'
import { runHistory } from './history.ts'
import { drawPlan } from './plan.ts'
import { PROFILES } from './profiles.ts'

const SEED = 20261121
/** Together they contain webhooks and crashes, corrections at two tax rates, bank statements and refunds. */
const HISTORIES = [
  ['design', 1],
  ['desk and tax rates', 18],
  ['desk and letters', 4],
] as const

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else
  describe('on PostgreSQL', () => {
    let server: PostgresServer
    let postgres: PostgresDisks
    beforeAll(async () => {
      server = await startPostgres()
      postgres = await openPostgresDisks(await server.database('histories'))
    })
    afterAll(async () => {
      await postgres.close()
      await server.stop()
    })

    test.each(HISTORIES)(
      'a history (%s) violates no invariant, and its trace equals the trace on SQLite',
      async (name, history) => {
        const profile = PROFILES.find((candidate) => candidate.name === name)
        if (profile === undefined) throw new Error(`There is no profile ${name}`)
        const plan = drawPlan(profile, SEED, history)
        const [sqliteTrace, postgresTrace]: string[][] = [[], []]
        const { disks } = postgres
        const { violation } = await runHistory(plan, {
          openDisk: disks,
          trace: (line) => void sqliteTrace?.push(line),
        })
        await runHistory(plan, { trace: (line) => void postgresTrace?.push(line) })
        expect(violation).toBeNull()
        expect(sqliteTrace?.length).toBeGreaterThan(20)
        expect(sqliteTrace).toEqual(postgresTrace)
      },
    )
  })

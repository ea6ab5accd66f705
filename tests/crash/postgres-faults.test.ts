/** Two servers that reach PostgreSQL through a proxy: cut connections, a restart and a killed server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasPostgres } from '../server/storage/postgres-server.ts'
import { runFaults } from './fault-rounds.ts'
import type { Fault } from './fault-rounds.ts'
import { startCluster } from './postgres-cluster.ts'
import type { Cluster } from './postgres-cluster.ts'

// In `npm run thorough` only: whole-servers.test.ts kills a server, cuts connections and crashes the database, and
// several-servers.test.ts cuts connections around COMMIT.

const CUTS: readonly Fault[] = ['before', 'during', 'after']

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ isDurable: false })
  })
  afterAll(() => cluster.remove())
  const load = { clients: 5, minRegistrations: 3, faultCount: 1 }

  test('after cut connections, a restart and a killed server, no data is lost or duplicated and no seat is oversold', async () => {
    const { problems, results, paid } = await runFaults({
      ...load,
      faults: [...CUTS, ...CUTS, 'restart', 'server'],
      cluster,
      database: 'faults',
    })
    expect(problems).toEqual([])
    expect([results.registered.size > 0, results.soldOut.length > 0, paid > 0]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('negative control: without an idempotency key, a form whose response is lost is registered twice', async () => {
    const { problems } = await runFaults({
      ...load,
      minRegistrations: 15,
      faults: ['during'],
      cluster,
      database: 'without_keys',
      sendsIdempotencyKeys: false,
    })
    expect(problems).toContainEqual(expect.stringMatching(/is registered twice$/))
  })
}

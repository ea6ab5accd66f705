/**
 * Two servers on PostgreSQL behind a proxy, with a few faults of `node
 * tests/crash/postgres-faults.ts`: cut connections, a restart and a killed server, while delegates
 * register and pay.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALL_RUNS, registerThorough } from '../runs.ts'
import { hasPostgres } from '../server/storage/postgres-server.ts'
import { runFaults } from './fault-rounds.ts'
import type { Fault } from './fault-rounds.ts'
import { startCluster } from './postgres-cluster.ts'
import type { Cluster } from './postgres-cluster.ts'

const CUTS: readonly Fault[] = ['before', 'during', 'after']

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ isDurable: false })
  })
  afterAll(() => cluster.remove())
  const load = { clients: 5, registrationsMin: 3, times: 1 }

  test('cut connections, a restart and a killed server lose, duplicate and oversell nothing', async () => {
    const { problems, results, paid } = await runFaults({
      ...load,
      faults: [...CUTS, ...(ALL_RUNS ? CUTS : []), 'restart', 'server'],
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

  registerThorough(() => {
    test('negative control: without an idempotency key, a form whose response is lost is registered twice', async () => {
      const { problems } = await runFaults({
        ...load,
        registrationsMin: 15,
        faults: ['during'],
        cluster,
        database: 'without_keys',
        hasKeys: false,
      })
      expect(problems).toContainEqual(expect.stringMatching(/is registered twice$/))
    })
  })
}

/**
 * Two servers on PostgreSQL behind a proxy, for a few faults of `node tests/crash/postgres-faults.ts`: connections are
 * cut before, during and after COMMIT, PostgreSQL restarts and a server is killed, while delegates register and pay.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALL_RUNS, onlyThorough } from '../runs.ts'
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
  const load = { clients: 5, toldMin: 3, times: 1 }

  test('after cut connections, a restart and a killed server nothing acknowledged is lost, doubled, oversold, counted or sent twice', async () => {
    const { wrong, told, paid } = await runFaults({
      ...load,
      faults: [...CUTS, ...(ALL_RUNS ? CUTS : []), 'restart', 'server'],
      cluster,
      database: 'faults',
    })
    expect(wrong).toEqual([])
    expect([told.registered.size > 0, told.refused.length > 0, paid > 0]).toEqual([
      true,
      true,
      true,
    ])
  })

  onlyThorough(() => {
    test('negative control: without an idempotency key, a form whose answer is lost is registered twice', async () => {
      const { wrong } = await runFaults({
        ...load,
        toldMin: 15,
        faults: ['during'],
        cluster,
        database: 'without_keys',
        hasKeys: false,
      })
      expect(wrong).toContainEqual(expect.stringMatching(/is registered twice$/))
    })
  })
}

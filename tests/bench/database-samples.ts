/** Samples a database's connections during a measurement: lock waits, and the time of a round trip. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from '../crash/postgres-cluster.ts'
import { buildProxyUrl } from '../server/storage/delaying-proxy.ts'
import { computeMedian } from './bench-servers.ts'

export type SampleResult = {
  /** The share of lock waits among samples of connections in a statement or a transaction. */
  readonly lockShare: number
  /** The share of lock waits among samples of all connections, including idle ones. */
  readonly lockShareOfAll: number
  /** The median, because a busy machine delays some packets longer than the proxy does. */
  readonly roundTripMs: number
}

const SAMPLE_MS = 50
/** The number of consecutive samples without a busy connection. */
const IDLE_SAMPLE_COUNT = 4
const MAX_IDLE_MS = 30_000
const SAMPLE_SQL = `
SELECT count(*)::int AS all_of_them,
       (count(*) FILTER (WHERE state <> 'idle'))::int AS busy,
       (count(*) FILTER (WHERE state <> 'idle' AND wait_event_type = 'Lock'))::int AS waiting
FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid() AND backend_type = 'client backend'`

type Sample = { readonly all_of_them: number; readonly busy: number; readonly waiting: number }

/** Starts sampling. `port` is that of the proxy or PostgreSQL, whichever the servers use. */
export async function startSamples(
  cluster: Cluster,
  database: string,
  port: number,
): Promise<{ stop(): Promise<SampleResult> }> {
  const shell = await cluster.shell()
  const proxiedClient = new pg.Client({
    connectionString: buildProxyUrl(port, cluster.url('postgres')),
  })
  await proxiedClient.connect()
  const roundTripsMs: number[] = []
  const sums = { all: 0, busy: 0, waiting: 0 }
  const takeSample = async (): Promise<void> => {
    const startedAt = performance.now()
    await proxiedClient.query('SELECT 1')
    roundTripsMs.push(performance.now() - startedAt)
    const { rows } = await shell.query<Sample>(SAMPLE_SQL, [database])
    const latestSample = rows[0]
    sums.all += latestSample?.all_of_them ?? 0
    sums.busy += latestSample?.busy ?? 0
    sums.waiting += latestSample?.waiting ?? 0
  }
  let lastSample = Promise.resolve()
  const timer = setInterval(() => {
    lastSample = lastSample.then(takeSample)
  }, SAMPLE_MS)
  return {
    stop: async () => {
      clearInterval(timer)
      await lastSample
      await Promise.all([shell.end(), proxiedClient.end()])
      return {
        lockShare: sums.waiting / Math.max(1, sums.busy),
        lockShareOfAll: sums.waiting / Math.max(1, sums.all),
        roundTripMs: computeMedian(roundTripsMs),
      }
    },
  }
}

/** Waits until the server has processed the requests of disconnected clients, up to a limit. */
export async function waitUntilIdle(cluster: Cluster, database: string): Promise<void> {
  const shell = await cluster.shell()
  const startedAt = performance.now()
  for (
    let idleCount = 0;
    idleCount < IDLE_SAMPLE_COUNT && performance.now() - startedAt < MAX_IDLE_MS;
  ) {
    await pause(SAMPLE_MS)
    const { rows } = await shell.query<Sample>(SAMPLE_SQL, [database])
    idleCount = rows[0]?.busy === 0 ? idleCount + 1 : 0
  }
  await shell.end()
}

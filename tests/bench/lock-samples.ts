/** Samples which connections of a database wait for a lock, while something else is measured. */
import type { Cluster } from '../crash/postgres-cluster.ts'

export type LockShares = {
  /** Of the samples of connections that are in a statement or a transaction. */
  readonly lockShare: number
  /** Of the samples of all connections, idle ones too. */
  readonly lockShareOfAll: number
}

const SAMPLE_MS = 50
const SAMPLE = `
SELECT count(*)::int AS all_of_them,
       (count(*) FILTER (WHERE state <> 'idle'))::int AS busy,
       (count(*) FILTER (WHERE state <> 'idle' AND wait_event_type = 'Lock'))::int AS waiting
FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid() AND backend_type = 'client backend'`

type Sample = { readonly all_of_them: number; readonly busy: number; readonly waiting: number }

export async function startLockSamples(
  cluster: Cluster,
  database: string,
): Promise<{ stop(): Promise<LockShares> }> {
  const shell = await cluster.shell()
  const sums = { all: 0, busy: 0, waiting: 0 }
  const take = async (): Promise<void> => {
    const { rows } = await shell.query<Sample>(SAMPLE, [database])
    const sample = rows[0]
    sums.all += sample?.all_of_them ?? 0
    sums.busy += sample?.busy ?? 0
    sums.waiting += sample?.waiting ?? 0
  }
  let last = Promise.resolve()
  const timer = setInterval(() => {
    last = last.then(take)
  }, SAMPLE_MS)
  return {
    stop: async () => {
      clearInterval(timer)
      await last
      await shell.end()
      return {
        lockShare: sums.waiting / Math.max(1, sums.busy),
        lockShareOfAll: sums.waiting / Math.max(1, sums.all),
      }
    },
  }
}

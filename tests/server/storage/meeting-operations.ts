/** Brings operations of two stores on one PostgreSQL to the same moment. */
import type pg from 'pg'
import { expect } from 'vitest'
import { memoize } from '../../../engine/index.ts'
import type { InjectedFaults } from '../../../server/storage/database/fault-injection.ts'
import { openInsidePostgres } from '../../../server/storage/postgres/open-postgres-store.ts'
import type { RowLock } from '../../../server/storage/database/sqlite-connection.ts'
import type { Store } from '../../../server/storage/index.ts'
import { PATIENT, emptying, lendPostgresTables } from './postgres-contract.ts'
import type { PostgresServer } from './postgres-server.ts'

export type Meeting = {
  /** Two servers with one database. */
  readonly stores: readonly [Store, Store]
  readonly shell: pg.Client
  /** Two more, which hold what operations are to wait for. */
  readonly holder: pg.Client
  readonly second: pg.Client
}
export type Meetings = {
  /** Empties the database. `withoutLock`: neither server locks rows of this kind. */
  begin(withoutLock?: RowLock): Promise<Meeting>
  end(): Promise<void>
}

export async function openMeetings(server: PostgresServer): Promise<Meetings> {
  const url = await server.database('meetings', { like: await lendPostgresTables(server) })
  const [shell, holder, second, cleaner] = await Promise.all([
    server.shell(url),
    server.shell(url),
    server.shell(url),
    server.shell(url),
  ])
  const empty = await emptying(cleaner)
  const open = async (seam: InjectedFaults): Promise<Store> =>
    (await openInsidePostgres({ url, seam: { assertsLockOrder: true, ...PATIENT, ...seam } })).store
  const opened: Store[] = []
  const pairs = memoize(async (withoutLock: RowLock | 'none') => {
    const seam = withoutLock === 'none' ? {} : { withoutLock }
    const stores = await Promise.all([open(seam), open(seam)])
    opened.push(...stores)
    return stores
  })
  return {
    async begin(withoutLock) {
      const stores = await pairs(withoutLock ?? 'none')
      await empty()
      return { stores, shell, holder, second }
    },
    async end() {
      await Promise.all(opened.map((store) => store.close()))
      await Promise.all([shell, holder, second, cleaner].map((one) => one.end()))
    },
  }
}

/** Waits until as many statements that contain these words wait for a lock. */
export async function untilWaiting(
  { shell }: Meeting,
  count: number | (() => number),
  words = '',
): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await shell.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM pg_stat_activity
           WHERE wait_event_type = 'Lock' AND datname = current_database() AND query ILIKE '%' || $1 || '%'`,
          [words],
        )
        return (rows[0]?.n ?? 0) >= (typeof count === 'number' ? count : count())
      },
      { interval: 5, timeout: 20_000 },
    )
    .toBe(true)
}

/**
 * Holds a table, so that nobody writes to it, starts one operation after the other, each when the one before it waits or
 * is done, and lets go. Returns their results, and how many were done before that.
 */
export async function meet<T>(
  meeting: Meeting,
  table: string,
  operations: readonly (() => Promise<T>)[],
): Promise<{ readonly results: readonly T[]; readonly doneBefore: number }> {
  const { holder } = meeting
  await holder.query('BEGIN')
  await holder.query(`LOCK TABLE ${table} IN SHARE MODE`)
  let done = 0
  const running: Promise<T>[] = []
  for (const operation of operations) {
    const one = operation()
    one.then(
      () => (done += 1),
      () => (done += 1),
    )
    running.push(one)
    await untilWaiting(meeting, () => running.length - done)
  }
  const doneBefore = done
  await holder.query('COMMIT')
  return { results: await Promise.all(running), doneBefore }
}

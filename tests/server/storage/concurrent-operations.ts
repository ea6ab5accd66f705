/** Runs operations of two stores at the same time on one PostgreSQL database. */
import type pg from 'pg'
import { expect } from 'vitest'
import { memoize } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import type { InjectedFaults } from '../../../server/storage/database/fault-injection.ts'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import type { RowLock } from '../../../server/storage/database/sqlite-connection.ts'
import type { ExternalContext, NewAction, Store } from '../../../server/storage/index.ts'
import { addMs, HOUR_MS } from '../sample-registrations.ts'
import type { RegistrationChanges } from '../sample-registrations.ts'
import { PATIENT_LIMITS, prepareEmptying, getTemplate } from './postgres-contract.ts'
import type { PostgresServer } from './postgres-server.ts'

export const NO_CONTEXT: ExternalContext = {
  unique: [],
  isConfirmed: false,
  code: null,
  memberListRows: [],
  holdMs: HOUR_MS,
}
/** A rule that names are unique. The first registration under this rule fills the rule's index. */
export const UNIQUE_NAME: ExternalContext = {
  ...NO_CONTEXT,
  unique: [
    { name: 'full_name text', onDuplicate: 'block', parts: [{ id: 'full_name', as: 'text' }] },
  ],
}
/** The form data for registrations sent from the same browser. */
export const BROWSER = { browser: 'mine', confirmed: null, sendsEmail: true } as const
/** A registration from the web form, with its idempotency key. */
export const ONE_FORM: RegistrationChanges = {
  name: 'Meera',
  externalContext: UNIQUE_NAME,
  form: BROWSER,
  idempotency: { key: 'click', fingerprint: 'form' },
}

export type ServerPair = {
  /** The stores of two servers that share a database. */
  readonly stores: readonly [Store, Store]
  readonly shell: pg.Client
  /** Two more connections that tests use to hold locks. */
  readonly holder: pg.Client
  readonly secondHolder: pg.Client
}
export type ServerPairFactory = {
  /** Empties the database. `control` makes the servers skip this kind of row lock, or lock number series early. */
  begin(control?: RowLock | 'early series'): Promise<ServerPair>
  end(): Promise<void>
}

export async function createServerPairs(server: PostgresServer): Promise<ServerPairFactory> {
  const url = await server.database('meetings', { template: await getTemplate(server) })
  const [shell, holder, secondHolder, cleanupShell] = await Promise.all([
    server.shell(url),
    server.shell(url),
    server.shell(url),
    server.shell(url),
  ])
  const emptyDatabase = await prepareEmptying(cleanupShell)
  const open = async (faults: InjectedFaults): Promise<Store> =>
    (
      await openPostgresStore({
        url,
        faults: { assertsLockOrder: true, ...PATIENT_LIMITS, ...faults },
      })
    ).store
  const openedStores: Store[] = []
  const openStorePair = memoize(async (control: RowLock | 'early series' | 'none') => {
    const faults =
      control === 'none'
        ? {}
        : control === 'early series'
          ? { locksSeriesEarly: true }
          : { withoutLock: control }
    const stores = await Promise.all([open(faults), open(faults)])
    openedStores.push(...stores)
    return stores
  })
  return {
    async begin(control) {
      const stores = await openStorePair(control ?? 'none')
      await emptyDatabase()
      return { stores, shell, holder, secondHolder }
    },
    async end() {
      await Promise.all(openedStores.map((store) => store.close()))
      await Promise.all([shell, holder, secondHolder, cleanupShell].map((client) => client.end()))
    },
  }
}

/** A rule that holds for concurrent operations on two servers only because of a row lock. */
export type LockRule = {
  /** The rule that the lock protects. */
  readonly rule: string
  /** The violation without the lock. */
  readonly violation: string
  readonly attempt: (servers: ServerPair) => Promise<unknown>
  readonly resultWithLock: unknown
  readonly resultWithoutLock: unknown
}

export const asOwner = (regNo: RegNo, act: NewAction['act']): NewAction => ({
  regNo,
  act,
  actor: 'owner',
  who: 'Meera',
  why: 'Decided.',
  at: addMs(1000),
  idempotencyKey: null,
})

/** Waits until `count` statements that contain `sqlText` wait for a lock. */
export async function waitUntilBlocked(
  { shell }: ServerPair,
  count: number | (() => number),
  sqlText = '',
): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await shell.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM pg_stat_activity
           WHERE wait_event_type = 'Lock' AND datname = current_database() AND query ILIKE '%' || $1 || '%'`,
          [sqlText],
        )
        return (rows[0]?.n ?? 0) >= (typeof count === 'number' ? count : count())
      },
      { interval: 5, timeout: 20_000 },
    )
    .toBe(true)
}

/**
 * Blocks writes to a table, starts each operation once the previous one is waiting or done, and releases the table.
 * Returns the results, and the number of operations that were done before the release.
 */
export async function runConcurrently<T>(
  pair: ServerPair,
  table: string,
  operations: readonly (() => Promise<T>)[],
): Promise<{ readonly results: readonly T[]; readonly doneBefore: number }> {
  const { holder: lockHolder } = pair
  await lockHolder.query('BEGIN')
  await lockHolder.query(`LOCK TABLE ${table} IN SHARE MODE`)
  let done = 0
  const promises: Promise<T>[] = []
  for (const operation of operations) {
    const operationPromise = operation()
    operationPromise.then(
      () => (done += 1),
      () => (done += 1),
    )
    promises.push(operationPromise)
    await waitUntilBlocked(pair, () => promises.length - done)
  }
  const doneBefore = done
  await lockHolder.query('COMMIT')
  return { results: await Promise.all(promises), doneBefore }
}

/** One event's share of the PostgreSQL connections, locks that are not released, and an exhausted pool. */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RegNo } from '../../../engine/index.ts'
import type { InjectedFaults } from '../../../server/storage/database/fault-injection.ts'
import { StoreBusy } from '../../../server/storage/index.ts'
import type { Store } from '../../../server/storage/index.ts'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import { openHostPool } from '../../../server/storage/postgres/host-pool.ts'
import type { HostPool } from '../../../server/storage/postgres/host-pool.ts'
import { createHostFinder } from '../../../server/storage/postgres/hosts.ts'
import { newEmail, buildRegistration, noon } from '../sample-registrations.ts'
import { prepareEmptying, getTemplate } from './postgres-contract.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

/** Long enough that no lock or wait times out during a test. */
const LONG_MS = 300_000
const CONNECTION_COUNT = 16
const SHARE = 4

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let server: PostgresServer
  let url: string
  let shell: pg.Client
  let holder: pg.Client
  let emptyDatabase: () => Promise<void>
  let store: Store
  let lastNumber = 0
  beforeAll(async () => {
    server = await startPostgres()
    url = await server.database('shares', { template: await getTemplate(server) })
    ;[shell, holder] = await Promise.all([server.shell(url), server.shell(url)])
    emptyDatabase = await prepareEmptying(await server.shell(url))
  })
  afterAll(async () => {
    await Promise.all([shell.end(), holder.end()])
    await server.stop()
  })
  beforeEach(() => emptyDatabase())
  afterEach(async () => {
    await holder.query('ROLLBACK')
    await store.close()
  })

  const open = async (faults: InjectedFaults): Promise<void> => {
    store = (await openPostgresStore({ url, faults })).store
  }
  const register = async (eventId: string): Promise<RegNo> => {
    lastNumber += 1
    const regNo = `${eventId.toUpperCase()}${1000 + lastNumber}` as RegNo
    const registration = await store.register(buildRegistration({ eventId, regNo }))
    if (!registration.ok) throw new Error(registration.error.code)
    return regNo
  }
  /** Locks these registrations until `holder` rolls back. */
  const lockRegistrations = async (...regNos: readonly RegNo[]): Promise<void> => {
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM registrations WHERE reg_no = ANY ($1) FOR UPDATE', [regNos])
  }
  /** Runs an operation that locks the registration, and returns its result. */
  const write = async (regNo: RegNo): Promise<'done' | StoreBusy> =>
    store.retry(regNo, noon).then(
      () => 'done',
      (error: unknown) => {
        if (error instanceof StoreBusy) return error
        throw error
      },
    )
  const countWaitingForLocks = async (): Promise<number> => {
    const { rows } = await shell.query<{ n: string }>(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    return Number(rows[0]?.n)
  }
  const waitUntilWaiting = async (count: number): Promise<void> => {
    while ((await countWaitingForLocks()) < count) await pause(10)
  }
  const repeat = <T>(times: number, run: () => T): readonly T[] =>
    Array.from({ length: times }, () => run())

  test('requests for one event that are waiting for a lock leave connections for delegates of other events', async () => {
    await open({ maxLockMs: LONG_MS, maxConnectionWaitMs: LONG_MS })
    const regNo = await register('first')
    await register('second')
    await lockRegistrations(regNo)
    const settledResults: unknown[] = []
    const writes = repeat(CONNECTION_COUNT + SHARE, () =>
      write(regNo).then((outcome) => settledResults.push(outcome)),
    )
    await waitUntilWaiting(SHARE)
    for (let n = 0; n < 2 * CONNECTION_COUNT; n += 1) await register('second')
    // By now, operations have returned their borrowed connections.
    await expect.poll(countWaitingForLocks).toBe(SHARE)
    await Promise.all(repeat(2 * CONNECTION_COUNT, () => register('second')))
    await expect.poll(countWaitingForLocks).toBe(SHARE)
    expect(settledResults).toEqual([])
    await holder.query('ROLLBACK')
    await Promise.all(writes)
    expect(settledResults).toEqual(repeat(CONNECTION_COUNT + SHARE, () => 'done'))
  })

  test("a request that waits too long for its event's share is rejected as busy, and later requests are served", async () => {
    await open({ maxLockMs: LONG_MS, maxConnectionWaitMs: 50 })
    const regNo = await register('first')
    await lockRegistrations(regNo)
    const blocked = repeat(SHARE, () => write(regNo))
    await waitUntilWaiting(SHARE)
    // The request borrows a connection, returns it because of the lock, and waits for its event's share.
    const rejection = await write(regNo)
    expect(rejection).toBeInstanceOf(StoreBusy)
    expect(rejection).toMatchObject({
      message: 'the event is using its full share of the database connections',
      code: '',
    })
    await holder.query('ROLLBACK')
    expect(await Promise.all(blocked)).toEqual(repeat(SHARE, () => 'done'))
    expect(await write(regNo)).toBe('done')
  })

  test('one event can use more connections than its share while no other event needs them', async () => {
    await open({ maxConnectionWaitMs: LONG_MS })
    // Each registration stays in its transaction until the test opens the gate, without a lock.
    await shell.query(`CREATE TABLE gate (opened boolean);
      CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(7);
        WHILE NOT EXISTS (SELECT 1 FROM gate) LOOP PERFORM pg_sleep(0.01); END LOOP;
        RETURN NULL; END $$;
      CREATE TRIGGER waits AFTER INSERT ON registrations FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`)
    const countAtGate = async (): Promise<number> => {
      const { rows } = await shell.query<{ n: string }>(
        "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = 7",
      )
      return Number(rows[0]?.n)
    }
    const first = repeat(2 * CONNECTION_COUNT, () => register('first'))
    while ((await countAtGate()) < CONNECTION_COUNT - SHARE) await pause(10)
    const second = repeat(SHARE, () => register('second'))
    while ((await countAtGate()) < CONNECTION_COUNT) await pause(10)
    await shell.query('INSERT INTO gate VALUES (true)')
    await Promise.all([...first, ...second])
    await shell.query('DROP TRIGGER waits ON registrations; DROP TABLE gate')
  })

  test('when all connections are in use, a request is rejected as busy, and later requests are served', async () => {
    await open({ maxLockMs: LONG_MS, maxConnectionWaitMs: 50 })
    const regNos: RegNo[] = []
    for (const event of ['first', 'second', 'third', 'fourth']) regNos.push(await register(event))
    const fifthRegNo = await register('fifth')
    await lockRegistrations(...regNos)
    const blocked = regNos.flatMap((regNo) => repeat(SHARE, () => write(regNo)))
    await waitUntilWaiting(CONNECTION_COUNT)
    const rejected = await write(fifthRegNo)
    expect(rejected).toBeInstanceOf(StoreBusy)
    expect(rejected).toMatchObject({
      message: `all ${CONNECTION_COUNT} database connections are in use`,
    })
    await holder.query('ROLLBACK')
    expect(await Promise.all(blocked)).toEqual(repeat(CONNECTION_COUNT, () => 'done'))
    expect(await write(fifthRegNo)).toBe('done')
  })

  test('an operation waits two seconds for a locked row, and is then rejected as busy', async () => {
    await open({})
    await shell.query(`CREATE TABLE lock_timeouts (value text);
      CREATE FUNCTION note_lock_timeout() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO lock_timeouts VALUES (current_setting('lock_timeout')); RETURN NULL; END $$;
      CREATE TRIGGER noted AFTER INSERT ON registrations FOR EACH ROW EXECUTE FUNCTION note_lock_timeout()`)
    const regNo = await register('first')
    const { rows } = await shell.query('SELECT DISTINCT value FROM lock_timeouts')
    await shell.query('DROP TRIGGER noted ON registrations')
    expect(rows).toEqual([{ value: '2s' }])
    await lockRegistrations(regNo)
    expect(await write(regNo)).toMatchObject({ code: 'postgres:55P03' })
    await holder.query('ROLLBACK')
    await store.queueMail(regNo, newEmail, noon)
    expect(await write(regNo)).toBe('done')
  })

  describe('a pool', () => {
    const openPool = (onNoFurtherConnection: () => void, idleTimeoutMillis?: number) =>
      openHostPool(
        createHostFinder(url.replace('rollcall@', 'narrow@')),
        (connectionString) => ({ connectionString, max: SHARE, idleTimeoutMillis }),
        { onNoFurtherConnection },
      )
    const readConnectionId = async (): Promise<number | undefined> =>
      (await pool.query<{ id: number }>('SELECT pg_backend_pid() AS id')).rows[0]?.id
    const readConnectionIds = async () =>
      new Set(await Promise.all(repeat(SHARE, readConnectionId)))
    const countConnections = async (): Promise<number> => {
      const { rowCount } = await shell.query(
        "SELECT 1 FROM pg_stat_activity WHERE usename = 'narrow'",
      )
      return rowCount ?? 0
    }
    let pool: HostPool
    beforeAll(() => shell.query('CREATE ROLE narrow LOGIN'))
    beforeEach(() => open({}))
    afterEach(() => pool.end())

    test('keeps its last connection while idle, because PostgreSQL may have none free later', async () => {
      pool = openPool(() => {}, 1)
      const earlierIds = await readConnectionIds()
      expect(earlierIds.size).toBe(SHARE)
      await expect.poll(countConnections).toBeLessThan(2)
      await shell.query('ALTER ROLE narrow CONNECTION LIMIT 0')
      expect(earlierIds).toContain(await readConnectionId())
      await shell.query('ALTER ROLE narrow CONNECTION LIMIT -1')
    })

    test('with one connection lets requests wait if PostgreSQL refuses a second connection', async () => {
      let refusals = 0
      pool = openPool(() => {
        refusals += 1
      })
      // PostgreSQL may still be closing the previous test's connections.
      await expect.poll(countConnections).toBe(0)
      await shell.query('ALTER ROLE narrow CONNECTION LIMIT 1')
      await pool.query('SELECT 1')
      expect((await readConnectionIds()).size).toBe(1)
      expect(refusals).toBeGreaterThan(0)
      await shell.query('ALTER ROLE narrow CONNECTION LIMIT -1')
      await expect
        .poll(async () => (await readConnectionIds()).size, { timeout: LONG_MS })
        .toBe(SHARE)
    })
  })
}

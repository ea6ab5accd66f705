/** The share of connections that one event may use on PostgreSQL, locks that are not released, and a pool that is in use. */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RegNo } from '../../../engine/index.ts'
import type { InjectedFaults } from '../../../server/storage/database/fault-injection.ts'
import { StoreBusy } from '../../../server/storage/index.ts'
import type { Store } from '../../../server/storage/index.ts'
import { openInsidePostgres } from '../../../server/storage/postgres/open-postgres-store.ts'
import { newEmail, newRegistration, noon } from '../sample-registrations.ts'
import { emptying, lendPostgresTables } from './postgres-contract.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

/** Long enough that no lock and no turn ends by the clock while a test runs. */
const LONG_MS = 300_000
const WRITERS = 16
const SHARE = 4

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let server: PostgresServer
  let url: string
  let shell: pg.Client
  let holder: pg.Client
  let empty: () => Promise<void>
  let store: Store
  let numbers = 0
  beforeAll(async () => {
    server = await startPostgres()
    url = await server.database('shares', { like: await lendPostgresTables(server) })
    ;[shell, holder] = await Promise.all([server.shell(url), server.shell(url)])
    empty = await emptying(await server.shell(url))
  })
  afterAll(async () => {
    await Promise.all([shell.end(), holder.end()])
    await server.stop()
  })
  beforeEach(() => empty())
  afterEach(async () => {
    await holder.query('ROLLBACK')
    await store.close()
  })

  const open = async (seam: InjectedFaults): Promise<void> => {
    store = (await openInsidePostgres({ url, seam })).store
  }
  const register = async (eventId: string): Promise<RegNo> => {
    numbers += 1
    const regNo = `${eventId.toUpperCase()}${1000 + numbers}` as RegNo
    const registered = await store.register(newRegistration({ eventId, regNo }))
    if (!registered.ok) throw new Error(registered.error.code)
    return regNo
  }
  /** Locks these registrations until `holder` rolls back. */
  const lock = async (...regNos: readonly RegNo[]): Promise<void> => {
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM registrations WHERE reg_no = ANY ($1) FOR UPDATE', [regNos])
  }
  /** An operation that locks the registration; resolves with what became of it. */
  const write = async (regNo: RegNo): Promise<'done' | StoreBusy> =>
    store.retry(regNo, noon).then(
      () => 'done',
      (error: unknown) => {
        if (error instanceof StoreBusy) return error
        throw error
      },
    )
  const waitingForLocks = async (): Promise<number> => {
    const { rows } = await shell.query<{ n: string }>(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    return Number(rows[0]?.n)
  }
  const untilWaiting = async (count: number): Promise<void> => {
    while ((await waitingForLocks()) < count) await pause(10)
  }
  const repeat = <T>(times: number, run: () => T): readonly T[] =>
    Array.from({ length: times }, () => run())

  test('requests of one event that wait for a lock used every connection, and no other event could register', async () => {
    await open({ lockMsMax: LONG_MS, turnMsMax: LONG_MS })
    const regNo = await register('first')
    await register('second')
    await lock(regNo)
    const settled: unknown[] = []
    const writes = repeat(WRITERS + SHARE, () => write(regNo).then((one) => settled.push(one)))
    await untilWaiting(SHARE)
    for (let n = 0; n < 2 * WRITERS; n += 1) await register('second')
    // Operations that had borrowed a connection have given it back.
    await expect.poll(waitingForLocks, { timeout: 60_000 }).toBe(SHARE)
    await Promise.all(repeat(2 * WRITERS, () => register('second')))
    expect(await waitingForLocks()).toBe(SHARE)
    expect(settled).toEqual([])
    await holder.query('ROLLBACK')
    await Promise.all(writes)
    expect(settled).toEqual(repeat(WRITERS + SHARE, () => 'done'))
  })

  test('a request that gets no turn of its event in time is refused as busy, and the next ones are served', async () => {
    await open({ lockMsMax: LONG_MS, turnMsMax: 50 })
    const regNo = await register('first')
    await lock(regNo)
    const holding = repeat(SHARE, () => write(regNo))
    await untilWaiting(SHARE)
    // It borrows a connection, gives it back because of the lock, and waits for one of the event's.
    const refused = await write(regNo)
    expect(refused).toBeInstanceOf(StoreBusy)
    expect(refused).toMatchObject({
      message: 'the event uses its share of the connections to the database',
      code: '',
    })
    await holder.query('ROLLBACK')
    expect(await Promise.all(holding)).toEqual(repeat(SHARE, () => 'done'))
    expect(await write(regNo)).toBe('done')
  })

  test('one event uses more connections than its share while no other event needs them', async () => {
    await open({ turnMsMax: LONG_MS })
    // Each registration stays in its transaction until the test opens the gate; no lock is involved.
    await shell.query(`CREATE TABLE gate (opened boolean);
      CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(7);
        WHILE NOT EXISTS (SELECT 1 FROM gate) LOOP PERFORM pg_sleep(0.01); END LOOP;
        RETURN NULL; END $$;
      CREATE TRIGGER waits AFTER INSERT ON registrations FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`)
    const atGate = async (): Promise<number> => {
      const { rows } = await shell.query<{ n: string }>(
        "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = 7",
      )
      return Number(rows[0]?.n)
    }
    const first = repeat(2 * WRITERS, () => register('first'))
    while ((await atGate()) < WRITERS - SHARE) await pause(10)
    const second = repeat(SHARE, () => register('second'))
    while ((await atGate()) < WRITERS) await pause(10)
    await shell.query('INSERT INTO gate VALUES (true)')
    await Promise.all([...first, ...second])
    await shell.query('DROP TRIGGER waits ON registrations; DROP TABLE gate')
  })

  test('when all connections are in use, a request is refused as busy, and the next ones are served', async () => {
    await open({ lockMsMax: LONG_MS, turnMsMax: 50 })
    const regNos: RegNo[] = []
    for (const event of ['first', 'second', 'third', 'fourth']) regNos.push(await register(event))
    const fifth = await register('fifth')
    await lock(...regNos)
    const holding = regNos.flatMap((regNo) => repeat(SHARE, () => write(regNo)))
    await untilWaiting(WRITERS)
    const refused = await write(fifth)
    expect(refused).toBeInstanceOf(StoreBusy)
    expect(refused).toMatchObject({
      message: `all ${WRITERS} connections to the database are in use`,
    })
    await holder.query('ROLLBACK')
    expect(await Promise.all(holding)).toEqual(repeat(WRITERS, () => 'done'))
    expect(await write(fifth)).toBe('done')
  })

  test('an operation waits two seconds for a locked row, and is then refused as busy', async () => {
    await open({})
    await shell.query(`CREATE TABLE lock_timeouts (value text);
      CREATE FUNCTION note_lock_timeout() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO lock_timeouts VALUES (current_setting('lock_timeout')); RETURN NULL; END $$;
      CREATE TRIGGER noted AFTER INSERT ON registrations FOR EACH ROW EXECUTE FUNCTION note_lock_timeout()`)
    const regNo = await register('first')
    const { rows } = await shell.query('SELECT DISTINCT value FROM lock_timeouts')
    await shell.query('DROP TRIGGER noted ON registrations')
    expect(rows).toEqual([{ value: '2s' }])
    await lock(regNo)
    expect(await write(regNo)).toMatchObject({ code: 'postgres:55P03' })
    await holder.query('ROLLBACK')
    await store.queueMail(regNo, newEmail, noon)
    expect(await write(regNo)).toBe('done')
  })
}

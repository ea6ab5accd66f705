/** The store contract on PostgreSQL, and tests for risks that are specific to PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayOf } from '../../../engine/index.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import { connect } from '../../../server/storage/postgres/hosts.ts'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import { inspectPostgres } from '../../../server/storage/postgres/inspect-database.ts'
import { StoreBusy } from '../../../server/storage/index.ts'
import {
  buildSale,
  readStored,
  HOUR_MS,
  newEmail,
  buildRegistration,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import { ALL_RUNS } from '../../runs.ts'
import { CARELESS_CHANGES } from './manual-changes.ts'
import {
  SUM_COUNTERS_SQL,
  COUNT_ROWS_SQL,
  searchEach,
  createPaymentHistories,
  registerNames,
  TERMS,
} from './payment-histories.ts'
import { PATIENT_LIMITS, openNewStore, definePostgresContract } from './postgres-contract.ts'
import type { StoreOnPostgres } from './postgres-contract.ts'
import { hasPostgres, findOldestBinaries, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

let server: PostgresServer

const openOnServer = (name: string): Promise<StoreOnPostgres> => openNewStore(server, name)
const isRejected = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'ok' in result && result.ok === false

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else
  describe('PostgreSQL', () => {
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server.stop())

    // The oldest supported version is tested separately (oldest-postgres.test.ts).
    if (ALL_RUNS || findOldestBinaries() === null)
      describe('the contract', () => {
        definePostgresContract(() => server)
      })

    describe('the PostgreSQL tables', () => {
      let setup: Awaited<ReturnType<typeof openOnServer>>
      beforeAll(async () => {
        setup = await openOnServer('tables')
        const { orderId } = await registerSample(setup.store)
        await setup.store.recordGatewayMessage({
          gateway: 'demo',
          kind: 'notice',
          orderId,
          body: 'A=1',
          contentType: 'text/plain',
          at: noon,
        })
        await setup.store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      })
      afterAll(() => setup.end())

      test.each(CARELESS_CHANGES)(
        'reject a manual change from every client: %s',
        async (_, sql, message) => {
          await setup.shell.query('BEGIN')
          await expect(setup.shell.query(sql)).rejects.toThrow(message)
          await setup.shell.query('ROLLBACK')
        },
      )
    })

    test('the counters equal the number of rows after every kind of payment event', async () => {
      const { store, shell, end } = await openOnServer('counted')
      await createPaymentHistories(store, false)
      const { rows } = await shell.query(COUNT_ROWS_SQL)
      expect(rows.length).toBeGreaterThan(10)
      expect((await shell.query(SUM_COUNTERS_SQL)).rows).toEqual(rows)
      const readSum = async (sql: string): Promise<number> =>
        Number((await shell.query<{ sum: string }>(`SELECT sum(${sql}`)).rows[0]?.sum)
      const paidAmount = await readSum("amount) FROM payments WHERE status = 'success'")
      expect((await store.dashboardFigures('demo', dayOf(noon))).revenue).toBe(paidAmount)
      expect(await readSum('booked) FROM counters')).toBe(paidAmount)
      expect(await readSum('owed) FROM counters')).toBe(
        await readSum(
          "total) FROM registrations WHERE payment_status IN ('pending', 'failed') AND state <> 'lapsed'",
        ),
      )
      await end()
    })

    test('a search has the same results as on SQLite, in every script, and treats wildcards as text', async () => {
      const { store, end } = await openOnServer('searched')
      const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-store-'))
      const sqliteStore = await openStore({ dataDir })
      await registerNames(store)
      await registerNames(sqliteStore)
      const results = await searchEach(store, TERMS)
      expect(results).toEqual(await searchEach(sqliteStore, TERMS))
      expect(results).toContainEqual(['നായ', 1, ['രാഹുൽ നായർ']])
      expect(results).toContainEqual(['b émile', 1, ['Émile B']])
      // If the index finds as many names as requested, only the index is read. Otherwise the answers are read too.
      for (const limit of [1, 20]) {
        const matches = await store.searchEvents(['demo'], 'b émile', limit)
        expect(matches.map(({ answers }) => answers['full_name'])).toEqual(['Émile B'])
      }
      await sqliteStore.close()
      rmSync(dataDir, { recursive: true })
      await end()
    })

    test('a character that PostgreSQL cannot store is removed, except from gateway messages', async () => {
      const { store, end } = await openOnServer('signs')
      const { regNo, orderId } = await registerSample(store, {
        name: 'As\u0000ha \uD800',
        searchable: { fullName: 'As\u0000ha', email: '', phone: '', councilNo: '' },
      })
      expect((await readStored(store, regNo)).answers['full_name']).toBe('As\u0000ha \uD800')
      const declined = {
        type: 'declined',
        code: '400',
        message: 'no\u0000 \uD800',
        at: noon,
      } as const
      await store.applyPaymentEvent(orderId, declined, null, {
        gateway: 'demo',
        body: 'A=\u0000',
        contentType: 'text/plain',
        at: noon,
      })
      expect(await store.applyPaymentEvent(orderId, declined, null)).toMatchObject({
        changed: false,
      })
      expect((await store.gatewayMessages(orderId))[0]?.body).toBe('A=\u0000')
      await end()
    })

    test('a failed statement can be repeated after a savepoint, and a statement sent after a failure is not run', async () => {
      const url = await server.database('again')
      const { sql, queue, commit, rollBack, end } = await connect(url)
      const divide = sql<{ one: number }>('SELECT 6 / CAST($1 AS bigint) AS one')
      queue('BEGIN')
      queue('SAVEPOINT here')
      await expect(divide.get(0)).rejects.toThrow('division by zero')
      queue('ROLLBACK TO here')
      expect(await divide.get(2)).toEqual({ one: 3 })
      queue('CREATE TABLE kept (id bigint)')
      const [failure, nextStatement] = [
        sql('SELECT 1 / 0').run(),
        sql('INSERT INTO kept VALUES (1)').run(),
      ]
      await expect(failure.changes).rejects.toThrow('division by zero')
      await expect(nextStatement.changes).rejects.toThrow('division by zero')
      await expect(commit()).rejects.toThrow('division by zero')
      await rollBack()
      await end()
    })

    describe('two servers with one database', () => {
      /**
       * Sells the last seat on two servers, and returns how often it was sold. Unless the seat is locked, both servers
       * are about to update it before either does.
       */
      async function sellLastSeat(name: string, withoutLock?: 'seat'): Promise<number> {
        const { url, store, shell, end } = await openOnServer(name)
        await store.saveEventFile({
          hash: 'h',
          eventId: 'demo',
          text: '',
          shared: '',
          at: noon,
          holdPlaceMs: HOUR_MS,
          limits: [{ id: 'hall', max: 1, full: { message: 'Full' } }],
        })
        const servers = await Promise.all(
          [1, 2].map(() =>
            openPostgresStore({
              url,
              faults: { ...PATIENT_LIMITS, ...(withoutLock === undefined ? {} : { withoutLock }) },
            }),
          ),
        )
        await shell.query('BEGIN')
        await shell.query('LOCK TABLE places_taken IN SHARE MODE')
        const resultPromises = servers.map((server) => server.store.register(buildRegistration()))
        const monitor = await server.shell(url)
        await expect
          .poll(async () => {
            const { rows } = await monitor.query<{ n: string }>(
              "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
            )
            return rows[0]?.n
          })
          .toBe('2')
        await shell.query('COMMIT')
        await monitor.end()
        const soldCount = (await Promise.all(resultPromises)).filter(({ ok }) => ok).length
        await Promise.all(servers.map((server) => server.store.close()))
        await end()
        return soldCount
      }

      test('sell the last seat once', async () => {
        expect(await sellLastSeat('once')).toBe(1)
      })

      test('negative control: without the lock, they sell the last seat twice', async () => {
        expect(await sellLastSeat('twice', 'seat')).toBe(2)
      })

      test('exactly one of 64 requests, split between two servers, gets the last seat', async () => {
        const { url, store, end } = await openOnServer('many')
        const { store: secondStore } = await openPostgresStore({ url, faults: PATIENT_LIMITS })
        const limits = [{ id: 'hall', max: 1, full: { message: 'Full' } }]
        const file = {
          hash: 'h',
          eventId: 'demo',
          text: '',
          shared: '',
          at: noon,
          holdPlaceMs: HOUR_MS,
        }
        await store.saveEventFile({ ...file, limits })
        const results = await Promise.all(
          Array.from({ length: 64 }, (_, index) =>
            (index % 2 === 0 ? store : secondStore).register(buildRegistration()),
          ),
        )
        expect(results.filter(({ ok }) => ok).length).toBe(1)
        expect(results.filter(isRejected).length).toBe(63)
        await secondStore.close()
        expect(await store.listTakenSeats('demo')).toEqual([{ quotaKey: 'hall', max: 1, taken: 1 }])
        await end()
      })

      test('send an email once, because only one server can claim it', async () => {
        const { url, store, end } = await openOnServer('claims')
        const { store: secondStore } = await openPostgresStore({ url, faults: PATIENT_LIMITS })
        const { regNo } = await registerSample(store)
        for (let sent = 0; sent < 20; sent += 1) await store.queueMail(regNo, newEmail, noon)
        const dueEmails = await store.dueMails(noon, 100)
        const claims = await Promise.all(
          dueEmails.flatMap(({ id }) => [
            store.claimMail(id, noon),
            secondStore.claimMail(id, noon),
          ]),
        )
        expect([dueEmails.length, claims.filter((isClaimed) => isClaimed).length]).toEqual([20, 20])
        await secondStore.close()
        await end()
      })
    })

    test('when all connections are cut, calls in progress fail, no confirmed data is lost, and the next call succeeds', async () => {
      const { store, shell, end } = await openOnServer('cut')
      const registrations = Array.from({ length: 300 }, () => buildRegistration())
      const resultPromises = registrations.map((registration) =>
        store.register(registration).then(
          (result) => result.ok,
          (error: unknown) => error,
        ),
      )
      await Promise.race(resultPromises)
      await shell.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
      const results = await Promise.all(resultPromises)
      expect(results.every((result) => result === true || result instanceof StoreBusy)).toBe(true)
      await expect
        .poll(
          () =>
            store.ping(noon).then(
              () => 'served',
              () => 'busy',
            ),
          { timeout: 200_000, interval: 20 },
        )
        .toBe('served')
      const acknowledged = registrations.filter((_, index) => results[index] === true)
      expect(acknowledged.length).toBeGreaterThan(0)
      for (const { regNo } of acknowledged)
        expect((await readStored(store, regNo)).regNo).toBe(regNo)
      const { rows } = await shell.query<{ n: string }>(
        'SELECT count(*) - count(DISTINCT reg_no) AS n FROM registrations',
      )
      expect(rows).toEqual([{ n: '0' }])
      await end()
    })

    test('if PostgreSQL closes the connection at every COMMIT, the operation is rejected as busy and nothing is stored', async () => {
      const { store, shell, end } = await openOnServer('committing')
      await shell.query(`CREATE FUNCTION end_me() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`)
      await shell.query(
        'CREATE CONSTRAINT TRIGGER ends AFTER INSERT ON registrations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION end_me()',
      )
      await expect(store.register(buildRegistration())).rejects.toThrow(StoreBusy)
      await shell.query('DROP TRIGGER ends ON registrations')
      await store.ping(noon)
      const { rows } = await shell.query('SELECT 1 FROM registrations')
      expect(rows).toEqual([])
      await end()
    })

    test('a status response is stored together with its effect or not at all, even if the write fails', async () => {
      const { store, shell, end } = await openOnServer('broken')
      const { orderId } = await registerSample(store)
      const gatewayResponse = {
        gateway: 'demo',
        body: '<R/>',
        contentType: 'text/xml',
        at: noon,
      } as const
      const confirmPayment = () =>
        store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail, gatewayResponse)
      await shell.query(`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'broken'; END $$`)
      await shell.query(
        'CREATE TRIGGER broken BEFORE INSERT ON mail_queue FOR EACH ROW EXECUTE FUNCTION broken()',
      )
      await expect(confirmPayment()).rejects.toThrow('broken')
      expect([await store.gatewayMessages(orderId), await store.paymentEvents(orderId)]).toEqual([
        [],
        [],
      ])
      await shell.query('DROP TRIGGER broken ON mail_queue')
      await confirmPayment()
      expect([
        (await store.gatewayMessages(orderId)).length,
        (await store.paymentEvents(orderId)).length,
      ]).toEqual([1, 1])
      await end()
    })

    test('rejects a database whose search would miss names in other scripts, and leaves it empty', async () => {
      const url = await server.database('english', { locale: 'C' })
      await expect(openPostgresStore({ url })).rejects.toThrow(
        /^The database in PostgreSQL has the locale "C"/,
      )
      await expect(
        openPostgresStore({
          url: await server.database('western', { locale: 'C', encoding: 'LATIN1' }),
        }),
      ).rejects.toThrow(
        /^The database in PostgreSQL has the encoding LATIN1, .+ Create it again: createdb /,
      )
      const shell = await server.shell(url)
      expect(
        (await shell.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).rows,
      ).toEqual([])
      await shell.end()
    })

    test('rejects a database from a newer version, or a missing database, with an explanation', async () => {
      const { url, shell, end } = await openOnServer('newer')
      await shell.query('UPDATE rollcall_version SET version = 999')
      await expect(openPostgresStore({ url })).rejects.toThrow('newer version of Rollcall (999')
      expect((await inspectPostgres(url)).problem).toContain('newer version of Rollcall (999')
      await end()
      await expect(
        openPostgresStore({ url: url.replace('/newer', '/missing_database') }),
      ).rejects.toThrow(/^The database in PostgreSQL cannot be used: .*missing_database/)
    })
  })

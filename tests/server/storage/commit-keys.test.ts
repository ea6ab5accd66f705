/** If the response to a COMMIT is lost, the operation still runs only once, and its caller gets the result. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  deleteOldCommitKeys,
  isCommitted,
  createCommitKey,
  STORE_COMMIT_KEY,
} from '../../../server/storage/postgres/commit-keys.ts'
import { connect } from '../../../server/storage/postgres/hosts.ts'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import { buildRegistration, noon } from '../sample-registrations.ts'
import { startDelayingProxy, buildProxyUrl } from './delaying-proxy.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

const COMMIT_KEYS = 'CREATE TABLE commit_keys (key uuid PRIMARY KEY, is_committed boolean NOT NULL)'

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else
  describe('a COMMIT whose response is lost', () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server.stop())

    test.each(['before', 'during', 'after'] as const)(
      'a delegate whose connection is cut %s COMMIT is registered once and gets a confirmation',
      async (moment) => {
        const directUrl = await server.database(`cut_${moment}`)
        const proxy = await startDelayingProxy({ folder: server.folder }, { delayMs: 0 })
        const { store } = await openPostgresStore({ url: buildProxyUrl(proxy.port, directUrl) })
        proxy.cutCommits(moment, { maxCuts: 1 })
        const result = await store.register(buildRegistration())
        expect([result.ok, proxy.cuts()[moment]]).toEqual([true, 1])
        const shell = await server.shell(directUrl)
        expect((await shell.query('SELECT 1 FROM registrations')).rowCount).toBe(1)
        await shell.end()
        await store.close()
        await proxy.close()
      },
    )

    test('an operation that writes nothing stores no key', async () => {
      const url = await server.database('quiet')
      const { store } = await openPostgresStore({ url })
      const shell = await server.shell(url)
      await store.dueMails(noon, 20)
      expect((await shell.query('SELECT 1 FROM commit_keys')).rowCount).toBe(0)
      await store.register(buildRegistration())
      expect((await shell.query('SELECT 1 FROM commit_keys')).rowCount).toBe(1)
      await shell.end()
      await store.close()
    })

    test.each([
      ['COMMIT', true],
      ['ROLLBACK', false],
    ])(
      'the key is not looked up until the lost transaction has ended with %s',
      async (transactionEnd, isStored) => {
        const url = await server.database(`ends_with_${transactionEnd.toLowerCase()}`)
        const [lostSession, monitor] = [await server.shell(url), await server.shell(url)]
        await monitor.query(COMMIT_KEYS)
        const key = createCommitKey()
        await lostSession.query('BEGIN')
        await lostSession.query(STORE_COMMIT_KEY, [key])
        const connection = await connect(url)
        const lookupPromise = isCommitted(connection, ['BEGIN'], key)
        await expect
          .poll(
            async () =>
              (
                await monitor.query(
                  "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
                )
              ).rowCount,
            { timeout: 100_000 },
          )
          .toBe(1)
        await lostSession.query(transactionEnd)
        expect(await lookupPromise).toBe(isStored)
        // If its response is lost too, a repeated lookup has the same result. The original transaction can no longer
        // commit after the lookup.
        expect(await isCommitted(connection, ['BEGIN'], key)).toBe(isStored)
        await expect(lostSession.query(STORE_COMMIT_KEY, [key])).rejects.toThrow(/duplicate key/)
        await connection.end()
        await lostSession.end()
        await monitor.end()
      },
    )

    test('old keys are deleted, and recent keys are not', async () => {
      const url = await server.database('old_keys')
      const shell = await server.shell(url)
      await shell.query(COMMIT_KEYS)
      const recentKey = createCommitKey()
      await shell.query(STORE_COMMIT_KEY, [recentKey])
      await shell.query(STORE_COMMIT_KEY, ['0199'.padEnd(32, '0')])
      await shell.query(deleteOldCommitKeys)
      const { rows } = await shell.query(
        "SELECT replace(key::text, '-', '') AS key FROM commit_keys",
      )
      expect(rows).toEqual([{ key: recentKey }])
      await shell.end()
    })
  })

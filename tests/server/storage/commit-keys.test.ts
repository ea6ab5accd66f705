/** A COMMIT whose answer is lost: the operation is done once, and its caller gets its result. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  deleteOldCommitKeys,
  isCommitted,
  newCommitKey,
  STORE_COMMIT_KEY,
} from '../../../server/storage/postgres/commit-keys.ts'
import { connect } from '../../../server/storage/postgres/hosts.ts'
import { openInsidePostgres } from '../../../server/storage/postgres/open-postgres-store.ts'
import { newRegistration, noon } from '../sample-registrations.ts'
import { startDelayingProxy, urlThrough } from './delaying-proxy.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

const COMMIT_KEYS = 'CREATE TABLE commit_keys (key uuid PRIMARY KEY, is_committed boolean NOT NULL)'

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else
  describe('a COMMIT whose answer is lost', () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server.stop())

    test.each(['before', 'during', 'after'] as const)(
      'a delegate whose connection is cut %s COMMIT is registered once and told so',
      async (moment) => {
        const direct = await server.database(`cut_${moment}`)
        const proxy = await startDelayingProxy({ folder: server.folder }, { delayMs: 0 })
        const { store } = await openInsidePostgres({ url: urlThrough(proxy.port, direct) })
        proxy.cutCommits(moment, { times: 1 })
        const answer = await store.register(newRegistration())
        expect([answer.ok, proxy.cuts()[moment]]).toEqual([true, 1])
        const shell = await server.shell(direct)
        expect((await shell.query('SELECT 1 FROM registrations')).rowCount).toBe(1)
        await shell.end()
        await store.close()
        await proxy.close()
      },
    )

    test('an operation that writes nothing stores no key', async () => {
      const url = await server.database('quiet')
      const { store } = await openInsidePostgres({ url })
      const shell = await server.shell(url)
      await store.dueMails(noon, 20)
      expect((await shell.query('SELECT 1 FROM commit_keys')).rowCount).toBe(0)
      await store.register(newRegistration())
      expect((await shell.query('SELECT 1 FROM commit_keys')).rowCount).toBe(1)
      await shell.end()
      await store.close()
    })

    test.each([
      ['COMMIT', true],
      ['ROLLBACK', false],
    ])(
      'the key is looked up after the lost transaction has ended with %s',
      async (ending, isStored) => {
        const url = await server.database(`ends_with_${ending.toLowerCase()}`)
        const [lost, watching] = [await server.shell(url), await server.shell(url)]
        await watching.query(COMMIT_KEYS)
        const key = newCommitKey()
        await lost.query('BEGIN')
        await lost.query(STORE_COMMIT_KEY, [key])
        const connection = await connect(url)
        const answer = isCommitted(connection, ['BEGIN'], key)
        await expect
          .poll(
            async () =>
              (
                await watching.query(
                  "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
                )
              ).rowCount,
            { timeout: 100_000 },
          )
          .toBe(1)
        await lost.query(ending)
        expect(await answer).toBe(isStored)
        // Also when its answer is lost in turn, and a COMMIT that arrives after it is refused.
        expect(await isCommitted(connection, ['BEGIN'], key)).toBe(isStored)
        await expect(lost.query(STORE_COMMIT_KEY, [key])).rejects.toThrow(/duplicate key/)
        await connection.end()
        await lost.end()
        await watching.end()
      },
    )

    test('old keys are deleted, and those of the last minutes are not', async () => {
      const url = await server.database('old_keys')
      const shell = await server.shell(url)
      await shell.query(COMMIT_KEYS)
      const recent = newCommitKey()
      await shell.query(STORE_COMMIT_KEY, [recent])
      await shell.query(STORE_COMMIT_KEY, ['0199'.padEnd(32, '0')])
      await shell.query(deleteOldCommitKeys)
      const { rows } = await shell.query(
        "SELECT replace(key::text, '-', '') AS key FROM commit_keys",
      )
      expect(rows).toEqual([{ key: recent }])
      await shell.end()
    })
  })

/** DATABASE_URL with several hosts: the store uses the host that accepts writes, and follows a failover. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreBusy } from '../../../server/storage/index.ts'
import { inspectPostgres } from '../../../server/storage/postgres/inspect-database.ts'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import { buildRegistration } from '../sample-registrations.ts'
import { startDelayingProxy, buildProxyUrl } from './delaying-proxy.ts'
import type { DelayingProxy } from './delaying-proxy.ts'
import { getTemplate } from './postgres-contract.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

const NAME = 'two_hosts'
type Host = { readonly server: PostgresServer; readonly proxy: DelayingProxy; readonly url: string }

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else
  describe('several hosts', () => {
    const hosts: Host[] = []
    beforeAll(async () => {
      for (let n = 0; n < 2; n += 1) {
        const server = await startPostgres()
        const url = await server.database(NAME, { template: await getTemplate(server) })
        const proxy = await startDelayingProxy({ folder: server.folder }, { delayMs: 0 })
        hosts.push({ server, proxy, url })
      }
    })
    afterAll(async () => {
      for (const { server, proxy } of hosts) {
        await proxy.close()
        await server.stop()
      }
    })
    const setReadOnly = async ({ server }: Host, value: 'on' | 'off'): Promise<void> => {
      const shell = await server.shell()
      await shell.query(`ALTER DATABASE ${NAME} SET default_transaction_read_only = ${value}`)
      await shell.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
        [NAME],
      )
      await shell.end()
    }
    const countRegistrations = async ({ server, url }: Host): Promise<number | null> => {
      const shell = await server.shell(url)
      const { rowCount } = await shell.query('SELECT 1 FROM registrations')
      await shell.end()
      return rowCount
    }

    test('registrations go to the host that accepts writes and, after a failover, to the other host; none are lost', async () => {
      const [first, second] = hosts
      if (first === undefined || second === undefined) throw new Error('expected two hosts')
      await setReadOnly(first, 'on')
      const url = `${buildProxyUrl(first.proxy.port, first.url).replace(/\/\w+$/, '')},127.0.0.1:${second.proxy.port}/${NAME}?target_session_attrs=read-write`
      const { store } = await openPostgresStore({ url, migrates: true })
      expect((await inspectPostgres(url)).stateText).toMatch(/^PostgreSQL .+ responds/)
      expect((await store.register(buildRegistration())).ok).toBe(true)
      expect([await countRegistrations(first), await countRegistrations(second)]).toEqual([0, 1])

      await setReadOnly(second, 'on')
      await expect(store.register(buildRegistration())).rejects.toThrow(StoreBusy)
      expect((await inspectPostgres(url)).problem).toMatch(
        /no host accepts writes\. PostgreSQL is read-only/,
      )
      await setReadOnly(first, 'off')
      const register = (): Promise<boolean> =>
        store.register(buildRegistration()).then(
          ({ ok }) => ok,
          () => false,
        )
      await expect.poll(register, { timeout: 100_000 }).toBe(true)
      expect([await countRegistrations(first), await countRegistrations(second)]).toEqual([1, 1])

      // Simulates a machine that fails: its connections end, and it stops responding.
      await setReadOnly(second, 'off')
      await first.proxy.close()
      await expect.poll(register, { timeout: 100_000 }).toBe(true)
      expect([await countRegistrations(first), await countRegistrations(second)]).toEqual([1, 2])
      await store.close()
    })
  })

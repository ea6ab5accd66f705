/** The delaying proxy: what it counts, and which transactions are stored after it cuts a connection. */
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startDelayingProxy, buildProxyUrl } from './delaying-proxy.ts'
import type { DelayingProxy } from './delaying-proxy.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'
import { startProxyProcess } from './proxy-process.ts'

const DELAY_MS = 5

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let postgres: PostgresServer
  let proxy: DelayingProxy
  let directUrl: string
  const connect = async (port = proxy.port): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: buildProxyUrl(port, directUrl) })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const countRows = async (): Promise<number> => {
    const shell = await postgres.shell(directUrl)
    const { rows } = await shell.query<{ n: number }>('SELECT count(*)::int AS n FROM kept')
    await shell.end()
    return rows[0]?.n ?? 0
  }
  const countTrips = async (operation: () => Promise<unknown>): Promise<number> => {
    const tripsBefore = proxy.traffic().roundTrips
    await operation()
    return proxy.traffic().roundTrips - tripsBefore
  }

  beforeAll(async () => {
    postgres = await startPostgres()
    directUrl = await postgres.database('proxied')
    proxy = await startDelayingProxy({ folder: postgres.folder }, { delayMs: DELAY_MS })
  })
  afterAll(async () => {
    await proxy.close()
    await postgres.stop()
  })
  beforeEach(async () => {
    proxy.stopCutting()
    const shell = await postgres.shell(directUrl)
    await shell.query('DROP TABLE IF EXISTS kept; CREATE TABLE kept (n int)')
    await shell.end()
  })

  test('sequential statements take one round trip each; statements that are sent together take one round trip in total', async () => {
    const client = await connect()
    const sequential = await countTrips(async () => {
      await client.query('BEGIN')
      await client.query('INSERT INTO kept VALUES ($1)', [1])
      await client.query('COMMIT')
    })
    const pipelined = await countTrips(() =>
      client.query('BEGIN; INSERT INTO kept VALUES (2); COMMIT'),
    )
    await client.end()
    expect([sequential, pipelined, await countRows()]).toEqual([3, 1, 2])
  })

  test('delays each direction, and delivers large results completely and in order', async () => {
    const client = await connect()
    const startedAt = performance.now()
    const { rows } = await client.query<{ n: number }>('SELECT n FROM generate_series(1, 50000) n')
    expect(performance.now() - startedAt).toBeGreaterThan(2 * DELAY_MS - 1)
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 50_000 }, (_, index) => index + 1))
    await client.end()
  })

  test('the trace lists the statements of each round trip, including prepared ones', async () => {
    const client = await connect()
    proxy.startTrace()
    const preparedStatement = { name: 'add', text: 'INSERT INTO kept VALUES ($1)' }
    await client.query('BEGIN')
    for (const n of [1, 2]) await client.query({ ...preparedStatement, values: [n] })
    await client.query('COMMIT')
    await client.end()
    const statements = proxy.takeTrips().map((trip) => trip.statements)
    expect(statements.slice(0, 4)).toEqual([
      ['BEGIN'],
      [preparedStatement.text],
      [preparedStatement.text],
      ['COMMIT'],
    ])
  })

  const transactionForms: Record<string, (client: pg.Client) => Promise<unknown>> = {
    'statement by statement': async (client) => {
      await client.query('BEGIN')
      await client.query('INSERT INTO kept VALUES (1)')
      await client.query('COMMIT')
    },
    'as one query string': (client) => client.query('BEGIN; INSERT INTO kept VALUES (1); COMMIT'),
    'with a named COMMIT': async (client) => {
      await client.query('BEGIN')
      await client.query('INSERT INTO kept VALUES (1)')
      await client.query({ name: 'commit', text: 'COMMIT' })
    },
  }
  describe.each(Object.entries(transactionForms))('a transaction sent %s', (_, run) => {
    test.each([
      ['before', 'is not stored, and its client gets a connection error', 0, false],
      ['during', 'is stored, and its client gets a connection error', 1, false],
      ['after', 'is stored, and its client gets the response', 1, true],
    ] as const)(
      'whose connection is cut %s COMMIT %s',
      async (moment, _text, rows, isConfirmed) => {
        const client = await connect()
        const cutsBefore = proxy.cuts()[moment]
        proxy.cutCommits(moment, { maxCuts: 1 })
        const hasResponse = await run(client).then(
          () => true,
          () => false,
        )
        expect(hasResponse).toBe(isConfirmed)
        // Waits until PostgreSQL has ended the session of the lost connection.
        const shell = await postgres.shell()
        await expect
          .poll(
            async () =>
              (await shell.query("SELECT 1 FROM pg_stat_activity WHERE datname = 'proxied'"))
                .rowCount,
          )
          .toBe(0)
        await shell.end()
        expect([await countRows(), proxy.cuts()[moment] - cutsBefore]).toEqual([rows, 1])
        const nextClient = await connect()
        await run(nextClient)
        await nextClient.end()
        expect(await countRows()).toBe(rows + 1)
      },
    )
  })

  test('the connection is cut at one commit in three, and other connections continue', async () => {
    const cutsBefore = proxy.cuts().during
    proxy.cutCommits('during', { oneIn: 3 })
    let lostCount = 0
    for (let n = 1; n <= 9; n += 1) {
      const client = await connect()
      await client
        .query('BEGIN; INSERT INTO kept VALUES (1); COMMIT')
        .catch(() => void (lostCount += 1))
      await client.end().catch(() => {})
    }
    expect([lostCount, proxy.cuts().during - cutsBefore, await countRows()]).toEqual([3, 3, 9])
  })

  test('the proxy also counts and cuts when it runs in a separate process', async () => {
    const processProxy = await startProxyProcess({ folder: postgres.folder }, { delayMs: 1 })
    const client = await connect(processProxy.port)
    const trafficBefore = await processProxy.traffic()
    await client.query('INSERT INTO kept VALUES (1)')
    const { roundTrips } = await processProxy.traffic()
    await processProxy.cutCommits('during', { maxCuts: 1 })
    await expect(client.query('BEGIN; INSERT INTO kept VALUES (2); COMMIT')).rejects.toThrow()
    expect([roundTrips - trafficBefore.roundTrips, await processProxy.cuts()]).toEqual([
      1,
      { before: 0, during: 1, after: 0 },
    ])
    await processProxy.close()
    expect(await countRows()).toBe(2)
  })
}

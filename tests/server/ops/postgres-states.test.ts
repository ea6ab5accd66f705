/** Servers whose PostgreSQL is down, full, read-only, a standby, or out of connections. */
import { chownSync, mkdirSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getTemplate } from '../storage/postgres-contract.ts'
import { hasPostgres, startPostgres } from '../storage/postgres-server.ts'
import type { PostgresServer } from '../storage/postgres-server.ts'
import { runHere } from '../run-command.ts'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import { instant } from '../../../engine/index.ts'
import type { BootOptions } from '../../../server/main.ts'
import {
  attemptStart,
  attemptStartHere,
  makeFolders,
  startServerHere,
  createPreload,
} from './operator.ts'
import type { RunningServerHere } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'

/** How many times faster the clock runs, to shorten waits for PostgreSQL and for periodic work. */
const CLOCK_FACTOR = 20
const startedAt = performance.now()
const readPassedMs = (): number => (performance.now() - startedAt) * CLOCK_FACTOR
const startTime = instant(Date.parse('2025-10-10T12:00:00+05:30'))
const SHORT_WAIT_MS = 1_500
/** How long tests wait for PostgreSQL to become available. Long enough for a slow machine. */
const LONG_WAIT_MS = 200_000
const createOpenOptions = (maxStartMs = LONG_WAIT_MS): BootOptions => ({
  steadyMs: readPassedMs,
  clock: () => instant(Math.floor(startTime + readPassedMs())),
  openStore: async ({ databaseUrl, migrates = false, isNew = false }) => {
    if (databaseUrl == null) throw new Error('the proxy has no address')
    const faults = { maxStartMs }
    return (await openPostgresStore({ url: databaseUrl, migrates, isNew, faults })).store
  },
})
const attemptStartOn = (
  folders: Parameters<typeof attemptStartHere>[0],
  url: string,
  { waitMs, ...variables }: { readonly waitMs?: number; readonly isNew?: boolean } = {},
) =>
  attemptStartHere(folders, {
    ...createOpenOptions(waitMs),
    ...variables,
    variables: { DATABASE_URL: url },
  })

/** Builds the environment variables that give a separate process the same faster clock. */
const createProcessVariables = (url: string) => ({
  DATABASE_URL: url,
  ...createPreload(`const now = performance.now.bind(performance)
performance.now = () => now() * ${CLOCK_FACTOR}`),
})

/** The id of the user that the PostgreSQL tests use if they run as root. */
const UNPRIVILEGED_UID = 65_534
/** Enough requests to need more than the remaining space. */
const REQUEST_COUNT = 400

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let postgres: PostgresServer
  const folders = makeFolders()
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(async () => {
    await postgres.stop()
    folders.remove()
  })
  const runStatements = async (...statements: readonly string[]): Promise<void> => {
    const client = await postgres.shell()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  /** Creates a database that has Rollcall's tables. */
  const createDatabaseWithTables = async (name: string): Promise<string> =>
    postgres.database(name, { template: await getTemplate(postgres) })
  /** Creates a database whose owner is not a superuser, so that connection limits apply. */
  const createOwnedDatabase = async (name: string): Promise<string> => {
    const url = await postgres.database(name)
    await runStatements(`CREATE ROLE ${name} LOGIN`, `ALTER DATABASE ${name} OWNER TO ${name}`)
    return url.replace('postgres://rollcall@', `postgres://${name}@`)
  }
  /**
   * Proxies connections to a database through another port. Calls `onConnection` before each connection, with the
   * number of earlier connections.
   */
  const proxyConnections = async (
    url: string,
    onConnection: (earlierConnections: number) => Promise<void>,
  ): Promise<{ readonly url: string; close(): void }> => {
    const folder = join(folders.folder, `sockets-${Math.random().toString(36).slice(2)}`)
    mkdirSync(folder)
    let earlierConnections = 0
    const proxy = createServer((client) => {
      const ready = onConnection(earlierConnections)
      earlierConnections += 1
      void ready.then(() => {
        const server = createConnection(join(postgres.folder, '.s.PGSQL.5432'))
        client.pipe(server).pipe(client)
        client.on('error', () => server.destroy())
        server.on('error', () => client.destroy())
        server.on('close', () => client.destroy())
      })
    })
    proxy.listen(join(folder, '.s.PGSQL.5432'))
    await once(proxy, 'listening')
    return {
      url: url.replace(/host=.*/, `host=${folder}`),
      close: () => void proxy.close(),
    }
  }
  const createFolders = (name: string) => ({ ...folders, dataDir: join(folders.folder, name) })
  const register = async (
    { url }: Pick<RunningServerHere, 'url'>,
    email: string,
  ): Promise<number> => {
    const { status } = await fetch(`${url}/api/afpicon/register/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        full_name: 'Asha Nair',
        email,
        phone_number: '1',
        ticket_type: 'afpi-gp-specialist',
      }),
    })
    return status
  }
  const readHealth = async ({
    url,
  }: RunningServerHere): Promise<{ status: number; message: string }> => {
    const answer = await fetch(`${url}/healthz`)
    return { status: answer.status, message: await answer.text() }
  }
  const waitForHealth = async (
    server: RunningServerHere,
    status: number,
    expectedOutput: RegExp,
  ): Promise<void> => {
    await expect
      .poll(() => readHealth(server), { timeout: 200_000, interval: 200 })
      .toEqual({ status, message: expect.stringMatching(expectedOutput) })
  }

  describe('a start', () => {
    test('as a user who may not create tables states the missing permission and how to grant it', async () => {
      const url = await createOwnedDatabase('guest')
      await runStatements('ALTER DATABASE guest OWNER TO rollcall')
      const { status, output } = await attemptStartOn(createFolders('guest'), url)
      expect([status, output]).toEqual([
        2,
        expect.stringMatching(/permission denied.+may not create tables there.+OWNER TO/),
      ])
    })

    test('while PostgreSQL is down waits for it, and then exits with 75, so that the unit retries', async () => {
      const url = await postgres.database('down')
      const resumePostgres = await postgres.pause()
      const { status, output } = await attemptStart(createFolders('down'), {
        variables: createProcessVariables(url),
      })
      await resumePostgres()
      expect([status, output]).toEqual([
        75,
        expect.stringMatching(/PostgreSQL cannot be reached\. Start it.+start again/),
      ])
      expect(output).not.toMatch(/^\s+at /m)
      expect((await attemptStartOn(createFolders('down'), url)).status).toBe('serves')
    })

    test('while PostgreSQL has no free connection waits for one, and then exits with 75 without a stack trace', async () => {
      const url = await createOwnedDatabase('crowded')
      await runStatements('ALTER ROLE crowded CONNECTION LIMIT 0')
      const neverAvailable = await attemptStartOn(createFolders('crowded'), url, {
        waitMs: SHORT_WAIT_MS,
      })
      expect([neverAvailable.status, neverAvailable.output]).toEqual([
        75,
        expect.stringMatching(/^The database in PostgreSQL .+has no free connection/),
      ])
      const proxy = await proxyConnections(url, async (earlierConnections) => {
        if (earlierConnections === 1) await runStatements('ALTER ROLE crowded CONNECTION LIMIT -1')
      })
      const availableLater = await attemptStartOn(createFolders('crowded'), proxy.url)
      proxy.close()
      expect(availableLater.status).toBe('serves')
    })

    test('also waits if another client takes the last connection between two attempts', async () => {
      const url = await createOwnedDatabase('narrow')
      // The writer gets a connection. Later connections are rejected for a while.
      const proxy = await proxyConnections(url, async (earlierConnections) => {
        if (earlierConnections === 2) await runStatements('ALTER ROLE narrow CONNECTION LIMIT 0')
        if (earlierConnections === 8) await runStatements('ALTER ROLE narrow CONNECTION LIMIT -1')
      })
      const { status, output } = await attemptStartOn(createFolders('narrow'), proxy.url)
      proxy.close()
      expect([status, output]).toEqual(['serves', expect.anything()])
    })

    test('on a standby waits until the standby is promoted, or else exits with 75 and a message', async () => {
      const url = await createDatabaseWithTables('standby')
      expect((await attemptStartOn(createFolders('standby'), url)).status).toBe('serves')
      await postgres.becomeStandby()
      const { status, output } = await attemptStartOn(createFolders('standby'), url, {
        waitMs: SHORT_WAIT_MS,
      })
      expect([status, output]).toEqual([
        75,
        expect.stringMatching(/^The database in PostgreSQL .+It is a standby/),
      ])
      const doctorResult = await runHere(['doctor'], {
        DATABASE_URL: url,
        DATA_DIR: join(folders.folder, 'standby'),
        EVENTS_DIR: folders.eventsDir,
      })
      expect(doctorResult.stdout).toMatch(/^wrong +PostgreSQL is read-only\. It is a standby/m)
      const proxy = await proxyConnections(url, async (earlierConnections) => {
        if (earlierConnections === 1) await runStatements('SELECT pg_promote()')
      })
      const availableLater = await attemptStartOn(createFolders('standby'), proxy.url)
      proxy.close()
      expect(availableLater.status).toBe('serves')
    })

    test('on an empty database exits with 2 if the server has used another database before', async () => {
      const url = await createDatabaseWithTables('before')
      const dataFolder = createFolders('moved-by-mistake')
      expect((await attemptStartOn(dataFolder, url)).status).toBe('serves')
      const emptyUrl = await postgres.database('mistaken')
      const { status, output } = await attemptStartOn(dataFolder, emptyUrl)
      expect([status, output]).toEqual([
        2,
        expect.stringMatching(/^The database in PostgreSQL has no tables.+rollcall start --new/),
      ])
      expect((await attemptStartOn(dataFolder, emptyUrl, { isNew: true })).status).toBe('serves')
    })
  })

  test('doctor, recovery, reviews and export report that a PostgreSQL database has no Rollcall tables, and do not create any', async () => {
    const url = await postgres.database('unused')
    const { dataDir: folder } = createFolders('unused')
    const variables = { DATABASE_URL: url, DATA_DIR: folder, EVENTS_DIR: folders.eventsDir }
    const message =
      /The database in PostgreSQL has no Rollcall tables: "unused".+correct DATABASE_URL.+start the server/
    for (const command of [
      ['db', 'recovery'],
      ['payment', 'reviews'],
      ['registration', 'export', 'afpicon2026'],
      ['user', 'list'],
    ])
      expect(await runHere(command, variables)).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(message),
      })
    const doctorResult = await runHere(['doctor'], variables)
    expect([doctorResult.status, doctorResult.stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^wrong +${message.source}`, 'm')),
    ])
    const client = await postgres.shell(url)
    const { rows } = await client.query("SELECT * FROM pg_tables WHERE schemaname = 'public'")
    await client.end()
    expect(rows).toEqual([])
  })

  describe('a running server', () => {
    let server: RunningServerHere | null = null
    const startServerOn = async (name: string, url: string): Promise<RunningServerHere> => {
      server = await startServerHere(
        createFolders(name),
        { DATABASE_URL: url },
        createOpenOptions(),
      )
      await waitForHealth(server, 200, /"health":"good"/)
      return server
    }
    afterEach(async () => {
      await server?.stop()
      server = null
    })

    test('is not healthy while PostgreSQL is read-only (25006): every request gets 503, and the health check reports why', async () => {
      const server = await startServerOn('readonly', await createDatabaseWithTables('readonly'))
      await runStatements(
        'ALTER SYSTEM SET default_transaction_read_only = on',
        'SELECT pg_reload_conf()',
      )
      await waitForHealth(server, 503, /PostgreSQL is read-only/)
      await expect.poll(() => register(server, 'asha@example.org')).toBe(503)
      expect(server.readOutput()).not.toContain('the database responds again')
      await runStatements(
        'SET default_transaction_read_only = off',
        'ALTER SYSTEM RESET default_transaction_read_only',
        'SELECT pg_reload_conf()',
      )
      await waitForHealth(server, 200, /"health":"good"/)
      await expect.poll(() => register(server, 'asha@example.org')).toBe(201)
      // The log must report the end of the outage, too.
      const countLines = (): number =>
        server.readOutput().split('the database responds again').length - 1
      await expect.poll(countLines, { timeout: 200_000, interval: 200 }).toBe(1)
    })

    test('is not healthy on a standby, and becomes healthy once the standby is promoted', async () => {
      const server = await startServerOn('demoted', await createDatabaseWithTables('demoted'))
      await postgres.becomeStandby()
      await waitForHealth(server, 503, /It is a standby/)
      await expect.poll(() => register(server, 'asha@example.org')).toBe(503)
      await runStatements('SELECT pg_promote()')
      await waitForHealth(server, 200, /"health":"good"/)
      await expect.poll(() => register(server, 'asha@example.org')).toBe(201)
    })

    test('is not healthy while all connections are taken, and reports this', async () => {
      const server = await startServerOn('taken', await createOwnedDatabase('taken'))
      await runStatements(
        'ALTER ROLE taken CONNECTION LIMIT 0',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'taken'",
      )
      await waitForHealth(server, 503, /PostgreSQL has no free connection/)
      await expect.poll(() => register(server, 'asha@example.org')).toBe(503)
      await runStatements('ALTER ROLE taken CONNECTION LIMIT -1')
      await waitForHealth(server, 200, /"health":"good"/)
    })

    test('is healthy while it accepts registrations, even if PostgreSQL has no more connections', async () => {
      const server = await startServerOn('busy', await createOwnedDatabase('busy'))
      // The server keeps its connections but gets no new ones.
      await runStatements('ALTER ROLE busy CONNECTION LIMIT 0')
      const registerAtOnce = () =>
        Promise.all(Array.from({ length: 8 }, (_, n) => register(server, `asha${n}@example.org`)))
      await expect
        .poll(
          async () => {
            const statuses = new Set(await registerAtOnce())
            return { statuses: [...statuses], ...(await readHealth(server)) }
          },
          { timeout: LONG_WAIT_MS, interval: 200 },
        )
        .toEqual({
          statuses: [201],
          status: 200,
          message: expect.stringMatching(/"health":"degraded".*PostgreSQL has no free connection/),
        })
      await runStatements('ALTER ROLE busy CONNECTION LIMIT -1')
      await waitForHealth(server, 200, /"health":"good"/)
    })

    test('is not healthy while PostgreSQL is down, and reports this', async () => {
      const server = await startServerOn('gone', await createDatabaseWithTables('gone'))
      const resumePostgres = await postgres.pause()
      await waitForHealth(
        server,
        503,
        /PostgreSQL cannot be reached|PostgreSQL is starting, stopping/,
      )
      expect(await register(server, 'asha@example.org')).toBe(503)
      await resumePostgres()
      await waitForHealth(server, 200, /"health":"good"/)
      await expect.poll(() => register(server, 'asha@example.org')).toBe(201)
    })

    // This test needs permission to mount.
    if (hasSmallDisks)
      test('is not healthy while the tablespace is full (53100), even if there are no registrations, and states where to free space', async () => {
        const disk = makeSmallDisk(32)
        try {
          const tablespaceFolder = join(disk.folder, 'space')
          mkdirSync(tablespaceFolder)
          if (process.getuid?.() === 0)
            chownSync(tablespaceFolder, UNPRIVILEGED_UID, UNPRIVILEGED_UID)
          await runStatements(
            `CREATE TABLESPACE small LOCATION '${tablespaceFolder}'`,
            'CREATE DATABASE cramped TABLESPACE small',
          )
          const url = (await postgres.database('beside')).replace('/beside', '/cramped')
          const server = await startServerOn('cramped', url)
          disk.fill()
          let isRejected = false
          for (let n = 0; n < REQUEST_COUNT && !isRejected; n += 1)
            isRejected = (await register(server, `asha${n}@example.org`)) === 503
          expect(isRejected).toBe(true)
          await waitForHealth(server, 503, /PostgreSQL has no space left on its disk/)
          disk.freeSpace()
          await waitForHealth(server, 200, /"health":"good"/)
          await expect.poll(() => register(server, 'again@example.org')).toBe(201)
          await server.stop()
          await runStatements('DROP DATABASE cramped', 'DROP TABLESPACE small')
        } finally {
          disk.remove()
        }
      })
  })
}

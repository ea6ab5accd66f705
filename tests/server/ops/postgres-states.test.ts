/**
 * A server whose PostgreSQL is down, without free connections, read-only, a standby, or full: at
 * startup and while serving.
 */
import { chownSync, mkdirSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getTemplate } from '../storage/postgres-contract.ts'
import { hasPostgres, startPostgres } from '../storage/postgres-server.ts'
import type { PostgresServer } from '../storage/postgres-server.ts'
import { runHere } from '../run-command.ts'
import { openInsidePostgres } from '../../../server/storage/postgres/open-postgres-store.ts'
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

/** A faster clock, for shorter waits for PostgreSQL and for periodic work. */
const CLOCK_FACTOR = 20
const startedAt = performance.now()
const readPassedMs = (): number => (performance.now() - startedAt) * CLOCK_FACTOR
const startTime = instant(Date.parse('2025-10-10T12:00:00+05:30'))
const NEVER_MS = 1_500
/** The wait in tests where PostgreSQL becomes available, long enough for a slow machine. */
const LONG_WAIT_MS = 200_000
const createOpenOptions = (startingMsMax = LONG_WAIT_MS): BootOptions => ({
  steadyMs: readPassedMs,
  clock: () => instant(Math.floor(startTime + readPassedMs())),
  openStore: async ({ databaseUrl, migrates = false, isNew = false }) => {
    if (databaseUrl == null) throw new Error('the proxy has no address')
    const faults = { startingMsMax }
    return (await openInsidePostgres({ url: databaseUrl, migrates, isNew, faults })).store
  },
})
const attemptWith = (
  folders: Parameters<typeof attemptStartHere>[0],
  url: string,
  { waitsMs, ...variables }: { readonly waitsMs?: number; readonly isNew?: boolean } = {},
) =>
  attemptStartHere(folders, {
    ...createOpenOptions(waitsMs),
    ...variables,
    variables: { DATABASE_URL: url },
  })

/** The same faster clock for a separate process. */
const createProcessVariables = (url: string) => ({
  DATABASE_URL: url,
  ...createPreload(`const now = performance.now.bind(performance)
performance.now = () => now() * ${CLOCK_FACTOR}`),
})

/** The user of the PostgreSQL tests if they run as root. */
const UNPRIVILEGED_UID = 65_534
/** The number of requests that need more than the remaining space. */
const REQUESTS = 400

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
  const inShell = async (...statements: readonly string[]): Promise<void> => {
    const shell = await postgres.shell()
    for (const statement of statements) await shell.query(statement)
    await shell.end()
  }
  /** A database with tables. */
  const createFilled = async (name: string): Promise<string> =>
    postgres.database(name, { template: await getTemplate(postgres) })
  /** A database whose owner is not a superuser, so that limits apply. */
  const createOwned = async (name: string): Promise<string> => {
    const url = await postgres.database(name)
    await inShell(`CREATE ROLE ${name} LOGIN`, `ALTER DATABASE ${name} OWNER TO ${name}`)
    return url.replace('postgres://rollcall@', `postgres://${name}@`)
  }
  /**
   * The same database through a proxy socket. Calls back for each requested connection, with the
   * number of earlier ones.
   */
  const proxyConnections = async (
    url: string,
    onConnection: (before: number) => Promise<void>,
  ): Promise<{ readonly url: string; close(): void }> => {
    const folder = join(folders.folder, `sockets-${Math.random().toString(36).slice(2)}`)
    mkdirSync(folder)
    let before = 0
    const proxy = createServer((client) => {
      const connectionCount = onConnection(before)
      before += 1
      void connectionCount.then(() => {
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
  const dataDir = (name: string) => ({ ...folders, dataDir: join(folders.folder, name) })
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
  const health = async ({
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
      .poll(() => health(server), { timeout: 200_000, interval: 200 })
      .toEqual({ status, message: expect.stringMatching(expectedOutput) })
  }

  describe('a start', () => {
    test('with a user who may not create tables names the missing right, and how to grant it', async () => {
      const url = await createOwned('guest')
      await inShell('ALTER DATABASE guest OWNER TO rollcall')
      const { status, printed } = await attemptWith(dataDir('guest'), url)
      expect([status, printed]).toEqual([
        2,
        expect.stringMatching(/permission denied.+may not create tables there.+OWNER TO/),
      ])
    })

    test('on a PostgreSQL that is down waits for it, and exits with 75, after which the unit retries', async () => {
      const url = await postgres.database('down')
      const goOn = await postgres.pause()
      const { status, printed } = await attemptStart(dataDir('down'), {
        variables: createProcessVariables(url),
      })
      await goOn()
      expect([status, printed]).toEqual([
        75,
        expect.stringMatching(/PostgreSQL cannot be reached\. Start it.+start again/),
      ])
      expect(printed).not.toMatch(/^\s+at /m)
      expect((await attemptWith(dataDir('down'), url)).status).toBe('serves')
    })

    test('on a PostgreSQL without a free connection waits for one, as for one that is down, and exits with 75 without a stack trace', async () => {
      const url = await createOwned('crowded')
      await inShell('ALTER ROLE crowded CONNECTION LIMIT 0')
      const neverAvailable = await attemptWith(dataDir('crowded'), url, { waitsMs: NEVER_MS })
      expect([neverAvailable.status, neverAvailable.printed]).toEqual([
        75,
        expect.stringMatching(/^The database in PostgreSQL .+has no free connection/),
      ])
      const proxy = await proxyConnections(url, async (before) => {
        if (before === 1) await inShell('ALTER ROLE crowded CONNECTION LIMIT -1')
      })
      const availableLater = await attemptWith(dataDir('crowded'), proxy.url)
      proxy.close()
      expect(availableLater.status).toBe('serves')
    })

    test('on a PostgreSQL whose last connection is taken between two attempts also waits', async () => {
      const url = await createOwned('narrow')
      // The writer gets a connection; later ones are rejected for a while.
      const proxy = await proxyConnections(url, async (before) => {
        if (before === 2) await inShell('ALTER ROLE narrow CONNECTION LIMIT 0')
        if (before === 8) await inShell('ALTER ROLE narrow CONNECTION LIMIT -1')
      })
      const { status, printed } = await attemptWith(dataDir('narrow'), proxy.url)
      proxy.close()
      expect([status, printed]).toEqual(['serves', expect.anything()])
    })

    test('on a standby waits until it is promoted, and exits with 75 and a message otherwise', async () => {
      const url = await createFilled('standby')
      expect((await attemptWith(dataDir('standby'), url)).status).toBe('serves')
      await postgres.becomeStandby()
      const { status, printed } = await attemptWith(dataDir('standby'), url, { waitsMs: NEVER_MS })
      expect([status, printed]).toEqual([
        75,
        expect.stringMatching(/^The database in PostgreSQL .+It is a standby/),
      ])
      const doctor = await runHere(['doctor'], {
        DATABASE_URL: url,
        DATA_DIR: join(folders.folder, 'standby'),
        EVENTS_DIR: folders.eventsDir,
      })
      expect(doctor.stdout).toMatch(/^wrong +PostgreSQL is read-only\. It is a standby/m)
      const proxy = await proxyConnections(url, async (before) => {
        if (before === 1) await inShell('SELECT pg_promote()')
      })
      const availableLater = await attemptWith(dataDir('standby'), proxy.url)
      proxy.close()
      expect(availableLater.status).toBe('serves')
    })

    test('on an empty PostgreSQL where another database was used before exits with 2', async () => {
      const url = await createFilled('before')
      const dataFolder = dataDir('moved-by-mistake')
      expect((await attemptWith(dataFolder, url)).status).toBe('serves')
      const empty = await postgres.database('mistaken')
      const { status, printed } = await attemptWith(dataFolder, empty)
      expect([status, printed]).toEqual([
        2,
        expect.stringMatching(/^The database in PostgreSQL has no tables.+rollcall start --new/),
      ])
      expect((await attemptWith(dataFolder, empty, { isNew: true })).status).toBe('serves')
    })
  })

  test('doctor, recovery, reviews and export report that a PostgreSQL database has no Rollcall tables, and create none', async () => {
    const url = await postgres.database('unused')
    const { dataDir: folder } = dataDir('unused')
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
    const doctor = await runHere(['doctor'], variables)
    expect([doctor.status, doctor.stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^wrong +${message.source}`, 'm')),
    ])
    const shell = await postgres.shell(url)
    const { rows } = await shell.query("SELECT * FROM pg_tables WHERE schemaname = 'public'")
    await shell.end()
    expect(rows).toEqual([])
  })

  describe('a server that serves', () => {
    let server: RunningServerHere | null = null
    const serveOn = async (name: string, url: string): Promise<RunningServerHere> => {
      server = await startServerHere(dataDir(name), { DATABASE_URL: url }, createOpenOptions())
      await waitForHealth(server, 200, /"health":"good"/)
      return server
    }
    afterEach(async () => {
      await server?.stop()
      server = null
    })

    test('is not healthy while PostgreSQL is read-only (25006): every request gets 503, and the health check reports why', async () => {
      const dataFolder = await serveOn('readonly', await createFilled('readonly'))
      await inShell(
        'ALTER SYSTEM SET default_transaction_read_only = on',
        'SELECT pg_reload_conf()',
      )
      await waitForHealth(dataFolder, 503, /PostgreSQL is read-only/)
      await expect.poll(() => register(dataFolder, 'asha@example.org')).toBe(503)
      expect(dataFolder.printed()).not.toContain('the database answers again')
      await inShell(
        'SET default_transaction_read_only = off',
        'ALTER SYSTEM RESET default_transaction_read_only',
        'SELECT pg_reload_conf()',
      )
      await waitForHealth(dataFolder, 200, /"health":"good"/)
      await expect.poll(() => register(dataFolder, 'asha@example.org')).toBe(201)
      // The log did not report the end of the outage.
      const countLines = (): number =>
        dataFolder.printed().split('the database answers again').length - 1
      await expect.poll(countLines, { timeout: 200_000, interval: 200 }).toBe(1)
    })

    test('is not healthy on a standby, and becomes healthy after its promotion', async () => {
      const dataFolder = await serveOn('demoted', await createFilled('demoted'))
      await postgres.becomeStandby()
      await waitForHealth(dataFolder, 503, /It is a standby/)
      await expect.poll(() => register(dataFolder, 'asha@example.org')).toBe(503)
      await inShell('SELECT pg_promote()')
      await waitForHealth(dataFolder, 200, /"health":"good"/)
      await expect.poll(() => register(dataFolder, 'asha@example.org')).toBe(201)
    })

    test('is not healthy while all connections are taken, and reports it', async () => {
      const dataFolder = await serveOn('taken', await createOwned('taken'))
      await inShell(
        'ALTER ROLE taken CONNECTION LIMIT 0',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'taken'",
      )
      await waitForHealth(dataFolder, 503, /PostgreSQL has no free connection/)
      await expect.poll(() => register(dataFolder, 'asha@example.org')).toBe(503)
      await inShell('ALTER ROLE taken CONNECTION LIMIT -1')
      await waitForHealth(dataFolder, 200, /"health":"good"/)
    })

    test('was not healthy while it accepted registrations, because PostgreSQL had no further connection', async () => {
      const url = await createOwned('busy')
      const dataFolder = await serveOn('busy', url)
      await inShell(
        'ALTER ROLE busy CONNECTION LIMIT 0',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'busy'",
      )
      const registers = () => register(dataFolder, 'asha@example.org')
      await expect.poll(registers, { timeout: LONG_WAIT_MS }).toBe(503)
      await inShell('ALTER ROLE busy CONNECTION LIMIT -1')
      await expect.poll(registers, { timeout: LONG_WAIT_MS }).toBe(201)
      // The server keeps its connections, but gets no new ones.
      await inShell('ALTER ROLE busy CONNECTION LIMIT 0')
      await waitForHealth(dataFolder, 200, /"health":"degraded".*PostgreSQL has no free connection/)
      expect(await register(dataFolder, 'meera@example.org')).toBe(201)
      expect((await health(dataFolder)).status).toBe(200)
      await inShell('ALTER ROLE busy CONNECTION LIMIT -1')
      await waitForHealth(dataFolder, 200, /"health":"good"/)
    })

    test('is not healthy while PostgreSQL is down, and reports it', async () => {
      const dataFolder = await serveOn('gone', await createFilled('gone'))
      const goOn = await postgres.pause()
      await waitForHealth(
        dataFolder,
        503,
        /PostgreSQL cannot be reached|PostgreSQL is starting, stopping/,
      )
      expect(await register(dataFolder, 'asha@example.org')).toBe(503)
      await goOn()
      await waitForHealth(dataFolder, 200, /"health":"good"/)
      await expect.poll(() => register(dataFolder, 'asha@example.org')).toBe(201)
    })

    // Without permission to mount, a full tablespace is not tested.
    if (hasSmallDisks)
      test('is not healthy while the tablespace is full (53100), also without registrations, and states where to free space', async () => {
        const disk = makeSmallDisk(32)
        try {
          const tablespaceFolder = join(disk.folder, 'space')
          mkdirSync(tablespaceFolder)
          if (process.getuid?.() === 0)
            chownSync(tablespaceFolder, UNPRIVILEGED_UID, UNPRIVILEGED_UID)
          await inShell(
            `CREATE TABLESPACE small LOCATION '${tablespaceFolder}'`,
            'CREATE DATABASE cramped TABLESPACE small',
          )
          const url = (await postgres.database('beside')).replace('/beside', '/cramped')
          const dataFolder = await serveOn('cramped', url)
          disk.fill()
          let isRejected = false
          for (let n = 0; n < REQUESTS && !isRejected; n += 1)
            isRejected = (await register(dataFolder, `asha${n}@example.org`)) === 503
          expect(isRejected).toBe(true)
          await waitForHealth(dataFolder, 503, /PostgreSQL has no space left on its disk/)
          disk.makeRoom()
          await waitForHealth(dataFolder, 200, /"health":"good"/)
          await expect.poll(() => register(dataFolder, 'again@example.org')).toBe(201)
          await dataFolder.stop()
          await inShell('DROP DATABASE cramped', 'DROP TABLESPACE small')
        } finally {
          disk.remove()
        }
      })
  })
}

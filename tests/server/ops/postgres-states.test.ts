/**
 * What a server says and does while its PostgreSQL is down, has no free connection, is read-only, is a standby, or has no room
 * left: at the start, and while it serves.
 */
import { chownSync, mkdirSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { lendPostgresTables } from '../storage/postgres-contract.ts'
import { hasPostgres, startPostgres } from '../storage/postgres-server.ts'
import type { PostgresServer } from '../storage/postgres-server.ts'
import { runHere } from '../run-command.ts'
import { openInsidePostgres } from '../../../server/storage/postgres/open-postgres-store.ts'
import { instant } from '../../../engine/index.ts'
import type { BootOptions } from '../../../server/main.ts'
import { attempt, attemptHere, makeFolders, operateHere, running } from './operator.ts'
import type { Here } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'

/** Waits less for a PostgreSQL that is not there, and its time passes faster than ours: what it does every some seconds is soon done. */
const FASTER = 20
const began = performance.now()
const passed = (): number => (performance.now() - began) * FASTER
const noon = instant(Date.parse('2025-10-10T12:00:00+05:30'))
const NEVER_MS = 1_500
/** Where it is there in the end, a slow machine may take its time. */
const PATIENT_MS = 200_000
const opening = (startingMsMax = PATIENT_MS): BootOptions => ({
  steadyMs: passed,
  clock: () => instant(Math.floor(noon + passed())),
  opens: async ({ databaseUrl, migrates = false, isNew = false }) => {
    if (databaseUrl == null) throw new Error('it has no address')
    const seam = { startingMsMax }
    return (await openInsidePostgres({ url: databaseUrl, migrates, isNew, seam })).store
  },
})
const starts = (
  folders: Parameters<typeof attemptHere>[0],
  url: string,
  { waitsMs, ...more }: { readonly waitsMs?: number; readonly isNew?: boolean } = {},
) => attemptHere(folders, { ...opening(waitsMs), ...more, variables: { DATABASE_URL: url } })

/** The same for a process of its own. */
const inProcess = (url: string) => ({
  DATABASE_URL: url,
  ...running(`const now = performance.now.bind(performance)
performance.now = () => now() * ${FASTER}`),
})

/** As the tests of PostgreSQL run it where they run as root. */
const NOBODY = 65_534
/** More than what fits into the room that is left. */
const TRIES = 400

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
  const filled = async (name: string): Promise<string> =>
    postgres.database(name, { like: await lendPostgresTables(postgres) })
  /** A database whose owner is no superuser: limits hold for it. */
  const owned = async (name: string): Promise<string> => {
    const url = await postgres.database(name)
    await inShell(`CREATE ROLE ${name} LOGIN`, `ALTER DATABASE ${name} OWNER TO ${name}`)
    return url.replace('postgres://rollcall@', `postgres://${name}@`)
  }
  /** The same database through a socket of our own; calls back when it is asked for a connection, with how often it was before. */
  const throughUs = async (
    url: string,
    asked: (before: number) => Promise<void>,
  ): Promise<{ readonly url: string; close(): void }> => {
    const folder = join(folders.folder, `sockets-${Math.random().toString(36).slice(2)}`)
    mkdirSync(folder)
    let before = 0
    const proxy = createServer((client) => {
      const ask = asked(before)
      before += 1
      void ask.then(() => {
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
  const register = async ({ url }: Pick<Here, 'url'>, email: string): Promise<number> => {
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
  const health = async ({ url }: Here): Promise<{ status: number; said: string }> => {
    const answer = await fetch(`${url}/healthz`)
    return { status: answer.status, said: await answer.text() }
  }
  const becomes = async (server: Here, status: number, said: RegExp): Promise<void> => {
    await expect
      .poll(() => health(server), { timeout: 200_000, interval: 200 })
      .toEqual({ status, said: expect.stringMatching(said) })
  }

  describe('a start', () => {
    test('on a PostgreSQL that is down waits for it, and ends with 75, on which the unit tries again', async () => {
      const url = await postgres.database('down')
      const goOn = await postgres.pause()
      const { status, printed } = await attempt(dataDir('down'), { variables: inProcess(url) })
      await goOn()
      expect([status, printed]).toEqual([
        75,
        expect.stringMatching(/PostgreSQL is not reached\. Start it.+start again/),
      ])
      expect(printed).not.toMatch(/^\s+at /m)
      expect((await starts(dataDir('down'), url)).status).toBe('serves')
    })

    test('on a PostgreSQL without a free connection waits for one, as for one that is down, and ends with 75 and not with a stack trace', async () => {
      const url = await owned('crowded')
      await inShell('ALTER ROLE crowded CONNECTION LIMIT 0')
      const never = await starts(dataDir('crowded'), url, { waitsMs: NEVER_MS })
      expect([never.status, never.printed]).toEqual([
        75,
        expect.stringMatching(/^The database in PostgreSQL .+has no free connection/),
      ])
      const proxy = await throughUs(url, async (before) => {
        if (before === 1) await inShell('ALTER ROLE crowded CONNECTION LIMIT -1')
      })
      const later = await starts(dataDir('crowded'), proxy.url)
      proxy.close()
      expect(later.status).toBe('serves')
    })

    test('on a PostgreSQL whose last connection is taken between two of ours waits too', async () => {
      const url = await owned('narrow')
      // Room for the one that writes; those that come after it are refused for a while.
      const proxy = await throughUs(url, async (before) => {
        if (before === 2) await inShell('ALTER ROLE narrow CONNECTION LIMIT 0')
        if (before === 8) await inShell('ALTER ROLE narrow CONNECTION LIMIT -1')
      })
      const { status, printed } = await starts(dataDir('narrow'), proxy.url)
      proxy.close()
      expect([status, printed]).toEqual(['serves', expect.anything()])
    })

    test('on a standby waits until it is promoted, and ends with 75 and a sentence where it is not', async () => {
      const url = await filled('standby')
      expect((await starts(dataDir('standby'), url)).status).toBe('serves')
      await postgres.becomeStandby()
      const { status, printed } = await starts(dataDir('standby'), url, { waitsMs: NEVER_MS })
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
      const proxy = await throughUs(url, async (before) => {
        if (before === 1) await inShell('SELECT pg_promote()')
      })
      const later = await starts(dataDir('standby'), proxy.url)
      proxy.close()
      expect(later.status).toBe('serves')
    })

    test('on an empty PostgreSQL where another database was used before exits with 2', async () => {
      const url = await filled('before')
      const there = dataDir('moved-by-mistake')
      expect((await starts(there, url)).status).toBe('serves')
      const empty = await postgres.database('mistaken')
      const { status, printed } = await starts(there, empty)
      expect([status, printed]).toEqual([
        2,
        expect.stringMatching(/^The database in PostgreSQL has no tables.+rollcall start --new/),
      ])
      expect((await starts(there, empty, { isNew: true })).status).toBe('serves')
    })
  })

  test('doctor, recovery, reviews and export say that a PostgreSQL database has no Rollcall tables, and create none', async () => {
    const url = await postgres.database('unused')
    const { dataDir: folder } = dataDir('unused')
    const variables = { DATABASE_URL: url, DATA_DIR: folder, EVENTS_DIR: folders.eventsDir }
    const sentence =
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
        stderr: expect.stringMatching(sentence),
      })
    const doctor = await runHere(['doctor'], variables)
    expect([doctor.status, doctor.stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^wrong +${sentence.source}`, 'm')),
    ])
    const shell = await postgres.shell(url)
    const { rows } = await shell.query("SELECT * FROM pg_tables WHERE schemaname = 'public'")
    await shell.end()
    expect(rows).toEqual([])
  })

  describe('a server that serves', () => {
    let server: Here | null = null
    const serving = async (name: string, url: string): Promise<Here> => {
      server = await operateHere(dataDir(name), { DATABASE_URL: url }, opening())
      await becomes(server, 200, /"health":"good"/)
      return server
    }
    afterEach(async () => {
      await server?.stop()
      server = null
    })

    test('is not healthy while PostgreSQL is read-only (25006): everybody gets 503, and the health check says why', async () => {
      const there = await serving('readonly', await filled('readonly'))
      await inShell(
        'ALTER SYSTEM SET default_transaction_read_only = on',
        'SELECT pg_reload_conf()',
      )
      await becomes(there, 503, /PostgreSQL is read-only/)
      await expect.poll(() => register(there, 'asha@example.org')).toBe(503)
      await inShell(
        'SET default_transaction_read_only = off',
        'ALTER SYSTEM RESET default_transaction_read_only',
        'SELECT pg_reload_conf()',
      )
      await becomes(there, 200, /"health":"good"/)
      await expect.poll(() => register(there, 'asha@example.org')).toBe(201)
    })

    test('is not healthy on a standby, and is once that is promoted', async () => {
      const there = await serving('demoted', await filled('demoted'))
      await postgres.becomeStandby()
      await becomes(there, 503, /It is a standby/)
      await expect.poll(() => register(there, 'asha@example.org')).toBe(503)
      await inShell('SELECT pg_promote()')
      await becomes(there, 200, /"health":"good"/)
      await expect.poll(() => register(there, 'asha@example.org')).toBe(201)
    })

    test('is not healthy while all connections are taken, and says so', async () => {
      const there = await serving('taken', await owned('taken'))
      await inShell(
        'ALTER ROLE taken CONNECTION LIMIT 0',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'taken'",
      )
      await becomes(there, 503, /PostgreSQL has no free connection/)
      await expect.poll(() => register(there, 'asha@example.org')).toBe(503)
      await inShell('ALTER ROLE taken CONNECTION LIMIT -1')
      await becomes(there, 200, /"health":"good"/)
    })

    test('was not healthy while it took registrations, because PostgreSQL had no further connection', async () => {
      const url = await owned('busy')
      const there = await serving('busy', url)
      await inShell(
        'ALTER ROLE busy CONNECTION LIMIT 0',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'busy'",
      )
      const registers = () => register(there, 'asha@example.org')
      await expect.poll(registers, { timeout: PATIENT_MS }).toBe(503)
      await inShell('ALTER ROLE busy CONNECTION LIMIT -1')
      await expect.poll(registers, { timeout: PATIENT_MS }).toBe(201)
      // It has its connections, and gets no more.
      await inShell('ALTER ROLE busy CONNECTION LIMIT 0')
      await becomes(there, 200, /"health":"degraded".*PostgreSQL has no free connection/)
      expect(await register(there, 'meera@example.org')).toBe(201)
      expect((await health(there)).status).toBe(200)
      await inShell('ALTER ROLE busy CONNECTION LIMIT -1')
      await becomes(there, 200, /"health":"good"/)
    })

    test('is not healthy while PostgreSQL is down, and says so', async () => {
      const there = await serving('gone', await filled('gone'))
      const goOn = await postgres.pause()
      await becomes(there, 503, /PostgreSQL is not reached|PostgreSQL is starting, stopping/)
      expect(await register(there, 'asha@example.org')).toBe(503)
      await goOn()
      await becomes(there, 200, /"health":"good"/)
      await expect.poll(() => register(there, 'asha@example.org')).toBe(201)
    })

    // Where nothing can be mounted, nothing stands for a tablespace.
    if (hasSmallDisks)
      test('is not healthy while the tablespace is full (53100), also without registrations, and says where to free space', async () => {
        const disk = makeSmallDisk(32)
        try {
          const place = join(disk.folder, 'space')
          mkdirSync(place)
          if (process.getuid?.() === 0) chownSync(place, NOBODY, NOBODY)
          await inShell(
            `CREATE TABLESPACE small LOCATION '${place}'`,
            'CREATE DATABASE cramped TABLESPACE small',
          )
          const url = (await postgres.database('beside')).replace('/beside', '/cramped')
          const there = await serving('cramped', url)
          disk.fill()
          let refused = false
          for (let n = 0; n < TRIES && !refused; n += 1)
            refused = (await register(there, `asha${n}@example.org`)) === 503
          expect(refused).toBe(true)
          await becomes(there, 503, /PostgreSQL has no room left on its disk/)
          disk.makeRoom()
          await becomes(there, 200, /"health":"good"/)
          await expect.poll(() => register(there, 'again@example.org')).toBe(201)
          await there.stop()
          await inShell('DROP DATABASE cramped', 'DROP TABLESPACE small')
        } finally {
          disk.remove()
        }
      })
  })
}

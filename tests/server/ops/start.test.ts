/** What a server does that is started where a database was, and where the disk is full. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useCompiledEvents } from '../prepared-files.ts'
import { launcher, run, runHere, top } from '../run-command.ts'
import { attempt, attemptHere, makeFolders, operate, operateHere, running } from './operator.ts'
import type { Here } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'
import type { SmallDisk } from './small-disk.ts'

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
const registrations = (dataDir: string): number => {
  const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
  try {
    return Number(db.prepare('SELECT count(*) FROM registrations').pluck().get())
  } finally {
    db.close()
  }
}

describe('where a database existed', () => {
  let folders: ReturnType<typeof makeFolders>
  beforeEach(() => {
    folders = makeFolders()
  })
  const serveOnce = async (): Promise<void> => {
    const server = await operateHere(folders)
    expect(await register(server, 'asha@example.org')).toBe(201)
    await server.stop()
  }
  afterEach(() => folders.remove())

  test('a deleted or emptied database is not served as an empty one: the start exits with 2 and says how to continue', async () => {
    await serveOnce()
    const file = join(folders.dataDir, 'rollcall.db')
    const kept = join(folders.folder, 'kept.db')
    copyFileSync(file, kept)
    expect(registrations(folders.dataDir)).toBe(1)
    truncateSync(file)
    const emptied = await attemptHere(folders)
    expect([emptied.status, emptied.printed]).toEqual([
      2,
      expect.stringMatching(
        /^The database .+rollcall\.db has no content, and .+ contains last-served\.json, (rollcall\.db-wal, )?serving\.lock, uploads of an earlier one\. .*rollcall db restore.*rollcall start --new/,
      ),
    ])
    rmSync(file)
    const deleted = await attemptHere(folders)
    expect([deleted.status, deleted.printed]).toEqual([
      2,
      expect.stringMatching(/^There is no database .+rollcall\.db, and /),
    ])
    expect(existsSync(file)).toBe(false)
    // No other command makes one, which the next start would serve.
    const listed = await runHere(['user', 'list'], {
      DATA_DIR: folders.dataDir,
      EVENTS_DIR: folders.eventsDir,
    })
    expect([listed.status, existsSync(file)]).toEqual([2, false])
    const doctor = await runHere(['doctor'], {
      DATA_DIR: folders.dataDir,
      EVENTS_DIR: folders.eventsDir,
    })
    expect(doctor.stdout).toMatch(/^wrong +There is no database .+rollcall start --new/m)
    copyFileSync(kept, file)
    expect((await attemptHere(folders)).status).toBe('serves')
    expect(registrations(folders.dataDir)).toBe(1)
  })

  test("an empty conference was served where only the record of a database's progress was left", async () => {
    await serveOnce()
    for (const name of readdirSync(folders.dataDir))
      if (name !== 'last-served.json')
        rmSync(join(folders.dataDir, name), { recursive: true, force: true })
    const { status, printed } = await attemptHere(folders)
    expect([status, printed]).toEqual([
      2,
      expect.stringMatching(/contains last-served\.json of an earlier one\. .*rollcall db restore/),
    ])
    expect(existsSync(join(folders.dataDir, 'rollcall.db'))).toBe(false)
  })

  test('recovery, reviews and export say that DATA_DIR has no database, and create none', async () => {
    const dataDir = join(folders.folder, 'wrong-folder')
    const variables = { DATA_DIR: dataDir, EVENTS_DIR: folders.eventsDir }
    for (const command of [
      ['db', 'recovery'],
      ['payment', 'reviews'],
      ['registration', 'export', 'afpicon2026'],
      ['user', 'list'],
    ])
      expect(await runHere(command, variables)).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^There is no database .+wrong-folder\/rollcall\.db\. .+correct it.+start the server/,
        ),
      })
    expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)
  })

  test('rollcall start --new says that the database is new, not that an older copy was put back', async () => {
    await serveOnce()
    rmSync(join(folders.dataDir, 'rollcall.db'))
    const { status, printed } = await attemptHere(folders, { isNew: true })
    expect(status).toBe('serves')
    expect(printed).not.toContain('older')
    expect(printed).toContain('a new, empty database was created in place of the previous one')
    const shown = await runHere(['db', 'recovery'], {
      DATA_DIR: folders.dataDir,
      EVENTS_DIR: folders.eventsDir,
    })
    expect(shown.stdout).toContain('A new, empty database was created in a DATA_DIR whose previous')
  })

  test('rollcall start --new starts with a new database, keeps the log that the old one left, and ends with 0; beside a database it ends with 2', async () => {
    await serveOnce()
    rmSync(join(folders.dataDir, 'rollcall.db'))
    writeFileSync(join(folders.dataDir, 'rollcall.db-wal'), 'what can still be saved')
    const begun = await operate(folders, {}, [process.execPath, launcher, 'start', '--new'])
    expect(await begun.stop()).toBe(0)
    expect(begun.printed()).toContain('rollcall.db-wal')
    expect(registrations(folders.dataDir)).toBe(0)
    const [aside = ''] = readdirSync(folders.dataDir).filter((name) =>
      name.startsWith('before-new-'),
    )
    expect(readFileSync(join(folders.dataDir, aside, 'rollcall.db-wal'), 'utf8')).toBe(
      'what can still be saved',
    )
    const again = await attempt(folders, { args: ['--new'] })
    expect([again.status, again.printed]).toEqual([
      2,
      expect.stringContaining('already contains a database'),
    ])
    expect((await attemptHere(folders)).status).toBe('serves')
  })

  // Instead of a disk that fails: SQLite's error, as better-sqlite3 throws it. No file system gives one at will.
  const FAILING = `
import { createRequire } from 'node:module'
const Database = createRequire(${JSON.stringify(`file://${top}/`)})('better-sqlite3')
Database.prototype.pragma = () => {
  throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_READ')
}`
  test('a disk that reports an error was told as a stack trace: a start ends with 75 and a sentence, a command with 2', async () => {
    await serveOnce()
    const sentence =
      /^The database rollcall\.db in DATA_DIR cannot be used: its disk reports an error\. Look at the system log\. /
    const start = await attempt(folders, { variables: running(FAILING) })
    expect([start.status, start.printed]).toEqual([75, expect.stringMatching(sentence)])
    const command = run([launcher, 'user', 'list'], {
      DATA_DIR: folders.dataDir,
      EVENTS_DIR: folders.eventsDir,
      ...running(FAILING),
    })
    expect([command.status, command.stderr]).toEqual([2, expect.stringMatching(sentence)])
    for (const said of [start.printed, command.stderr]) expect(said).not.toMatch(/^\s+at /m)
  })

  test.each(['uploads/', 'mail/', 'backed-up', 'serving.lock', 'rollcall.db-wal'])(
    '%s alone shows that there was one',
    async (name) => {
      const dataDir = join(folders.folder, 'other')
      mkdirSync(dataDir)
      if (name.endsWith('/')) mkdirSync(join(dataDir, name))
      else writeFileSync(join(dataDir, name), '1')
      expect(await attemptHere({ ...folders, dataDir })).toMatchObject({ status: 2 })
      expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)
    },
  )
})

describe('on a full disk', () => {
  const folders = makeFolders()
  let disk: SmallDisk | null = null
  afterEach(() => {
    disk?.remove()
    disk = null
  })
  afterAll(() => folders.remove())

  // Where nothing can be mounted, the test below stands for it.
  if (hasSmallDisks)
    test('a start exits with 75, so that the unit retries, and serves once there is space: also a first start', async () => {
      disk = makeSmallDisk(40)
      const dataDir = join(disk.folder, 'var')
      disk.fill()
      const first = await attempt({ ...folders, dataDir })
      expect([first.status, first.printed]).toEqual([
        75,
        expect.stringMatching(/no room left.*Free some space/),
      ])
      disk.makeRoom()
      mkdirSync(dataDir, { recursive: true })
      useCompiledEvents(dataDir)
      disk.fill()
      const second = await attemptHere({ ...folders, dataDir })
      expect([second.status, second.printed]).toEqual([75, expect.anything()])
      disk.makeRoom()
      const server = await operateHere({ ...folders, dataDir })
      expect(await register(server, 'asha@example.org')).toBe(201)
      await server.stop()
      disk.fill()
      const later = await attemptHere({ ...folders, dataDir })
      expect([later.status, later.printed]).toEqual([
        75,
        expect.stringMatching(/no room left.*Free some space/),
      ])
      disk.makeRoom()
      expect((await attemptHere({ ...folders, dataDir })).status).toBe('serves')
      expect(registrations(dataDir)).toBe(1)
    })

  if (hasSmallDisks)
    test('a start on a disk that is mounted read-only ended with 2, on which the unit tries no more: it ends with 75, and serves once it can be written', async () => {
      disk = makeSmallDisk(40)
      const there = { ...folders, dataDir: join(disk.folder, 'var') }
      mkdirSync(there.dataDir)
      disk.setReadOnly(true)
      expect(await attemptHere(there)).toMatchObject({
        status: 75,
        printed: expect.stringMatching(/is on a disk that is mounted read-only.*Then start again/),
      })
      disk.setReadOnly(false)
      expect((await attemptHere(there)).status).toBe('serves')
    })

  // The substitute where nothing can be mounted: no file may grow.
  test('a start without any space exits with 75', async () => {
    const dataDir = join(folders.folder, 'limited')
    mkdirSync(dataDir)
    useCompiledEvents(dataDir)
    const limited = ['sh', '-c', 'ulimit -f 0; trap "" XFSZ; exec "$@"', 'sh']
    expect(await attempt({ ...folders, dataDir }, { before: limited })).toMatchObject({
      status: 75,
    })
  })
})

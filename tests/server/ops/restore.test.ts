/** Backups and restoring them beside real servers and on disks that are full: what is left, what is said, and whose it is. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEmptyDatabase } from '../prepared-files.ts'
import { launcher, BASE_ENV, run, runHere, top } from '../run-command.ts'
import { makeFolders, operate, operateHere, running } from './operator.ts'
import type { Here } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'
import type { SmallDisk } from './small-disk.ts'

let folders: ReturnType<typeof makeFolders>
let server: Here | null = null
const disks: SmallDisk[] = []
beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  await server?.stop()
  server = null
  for (const disk of disks.splice(0)) disk.remove()
  folders.remove()
})

const register = async ({ url }: Here, email: string): Promise<number> => {
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
const registerSome = async (there: Here, count: number, name: string): Promise<void> => {
  for (let n = 0; n < count; n += 1)
    expect(await register(there, `${name}${n}@example.org`)).toBe(201)
}
const emails = (dataDir: string): readonly unknown[] => {
  const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
  try {
    return db.prepare('SELECT email FROM registrations ORDER BY id').pluck().all()
  } finally {
    db.close()
  }
}
const variables = (more: Readonly<Record<string, string>> = {}) => ({
  DATA_DIR: folders.dataDir,
  EVENTS_DIR: folders.eventsDir,
  CLOCK: '2025-10-10',
  ...more,
})
const rollcall = (
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): ReturnType<typeof runHere> => runHere(args, variables(more))
const small = (megabytes: number): SmallDisk => {
  const disk = makeSmallDisk(megabytes)
  disks.push(disk)
  return disk
}

describe('a restore', () => {
  test('of one copy three times in a row issues no invoice number twice: each has a series of its own', async () => {
    server = await operateHere(folders)
    await registerSome(server, 1, 'asha')
    const backup = join(folders.folder, 'backup')
    expect((await rollcall(['db', 'backup', backup])).status).toBe(0)
    await server.stop()
    server = null
    const codes: unknown[] = []
    for (let n = 0; n < 3; n += 1) {
      const { status, stdout } = await rollcall(['db', 'restore', backup, '--move-aside'], {
        CLOCK: `2025-10-10T13:0${n}:00+05:30`,
      })
      expect(status).toBe(0)
      codes.push(/is in recovery (R\w+):/.exec(stdout)?.[1])
    }
    expect(codes).toEqual(Array.from({ length: 3 }, () => expect.any(String)))
    expect(new Set(codes).size).toBe(3)
  })

  test('of a backup in which an answer was changed is refused', async () => {
    server = await operateHere(folders)
    await registerSome(server, 1, 'asha')
    const backup = join(folders.folder, 'backup')
    expect((await rollcall(['db', 'backup', backup])).status).toBe(0)
    await server.stop()
    server = null
    const db = new Database(join(backup, 'rollcall.db'))
    db.prepare("UPDATE registrations SET email = 'somebody@example.org'").run()
    db.close()
    const { status, stderr } = await rollcall(['db', 'restore', backup, '--move-aside'])
    expect([status, stderr]).toEqual([2, expect.stringContaining('was changed or damaged after')])
    expect(emails(folders.dataDir)).toEqual(['asha0@example.org'])
  })

  test('beside the log of a server that was killed does not serve 60 as malformed, or the 660 of before: it is refused, or moves that aside', async () => {
    const into = join(folders.folder, 'backup')
    const alone = await operate(folders)
    server = alone
    await registerSome(server, 6, 'kept')
    expect((await rollcall(['db', 'backup', into])).status).toBe(0)
    await registerSome(server, 30, 'later')
    process.kill(alone.pid, 'SIGKILL')
    await server.ended
    rmSync(join(folders.dataDir, 'rollcall.db'))
    expect(statSync(join(folders.dataDir, 'rollcall.db-wal')).size).toBeGreaterThan(0)
    const refused = await rollcall(['db', 'restore', into])
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining('contains rollcall.db-wal, rollcall.db-shm'),
    ])
    const done = await rollcall(['db', 'restore', into, '--move-aside'])
    expect([done.status, done.stdout]).toEqual([
      0,
      expect.stringMatching(/is now in .+before-restore-\d+\.\n6 registrations/),
    ])
    server = await operateHere(folders)
    await registerSome(server, 1, 'after')
    await server.stop()
    expect(emails(folders.dataDir)).toEqual([
      ...Array.from({ length: 6 }, (_, n) => `kept${n}@example.org`),
      'after0@example.org',
    ])
  })

  test('is refused beside a server whose lock was deleted with everything else: it answered 201 for what was then lost', async () => {
    const into = join(folders.folder, 'backup')
    const alone = await operate(folders)
    server = alone
    await registerSome(server, 1, 'asha')
    expect((await rollcall(['db', 'backup', into])).status).toBe(0)
    const running = await rollcall(['db', 'restore', into, '--move-aside'])
    expect([running.status, running.stderr]).toEqual([
      2,
      expect.stringContaining('A server is running'),
    ])
    for (const name of readdirSync(folders.dataDir))
      rmSync(join(folders.dataDir, name), { recursive: true })
    const { status, stderr } = await rollcall(['db', 'restore', into])
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(new RegExp(`^Process ${alone.pid} uses the database`)),
    ])
    await server.stop()
    expect((await rollcall(['db', 'restore', into, '--move-aside'])).status).toBe(0)
    expect(emails(folders.dataDir)).toEqual(['asha0@example.org'])
  })

  test('of a backup whose database is corrupt says so, and leaves nothing', async () => {
    const into = join(folders.folder, 'backup')
    server = await operateHere(folders)
    await registerSome(server, 1, 'asha')
    expect((await rollcall(['db', 'backup', into])).status).toBe(0)
    await server.stop()
    writeFileSync(join(into, 'rollcall.db'), 'not a database '.repeat(1_000))
    const other = join(folders.folder, 'other')
    const { status, stderr } = await rollcall(['db', 'restore', into], { DATA_DIR: other })
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('The database of the backup is damaged'),
    ])
    expect(readdirSync(other)).toEqual([])
  })

  // What root restores: only root gives files to another user.
  if (process.getuid?.() === 0)
    test('by root gives the files to the owner of the folder, whose server reads them', async () => {
      const into = join(folders.folder, 'backup')
      server = await operateHere(folders)
      await registerSome(server, 1, 'asha')
      expect((await rollcall(['db', 'backup', into])).status).toBe(0)
      const other = join(folders.folder, 'other')
      mkdirSync(other, { mode: 0o700 })
      chownSync(other, 65_534, 65_534)
      expect((await rollcall(['db', 'restore', into], { DATA_DIR: other })).status).toBe(0)
      for (const name of readdirSync(other))
        expect([name, statSync(join(other, name)).uid]).toEqual([name, 65_534])
    })

  if (hasSmallDisks)
    test('without space prints a sentence and leaves nothing', async () => {
      const into = join(folders.folder, 'backup')
      server = await operateHere(folders)
      await registerSome(server, 1, 'asha')
      expect((await rollcall(['db', 'backup', into])).status).toBe(0)
      const other = join(small(2).folder, 'var')
      mkdirSync(other)
      disks[0]?.fill()
      const { status, stderr } = await rollcall(['db', 'restore', into], { DATA_DIR: other })
      expect([status, stderr]).toEqual([
        2,
        `${other} has no room left. Free some space. The backup was not restored.\n`,
      ])
      expect(readdirSync(other)).toEqual([])
    })
})

/** Instead of a power failure and of a disk that gives back other bytes: a process whose file functions say what they do. */
const WATCHED = `
import { createRequire, syncBuiltinESMExports } from 'node:module'
const fs = createRequire('file:///')('node:fs')
const { open, rename } = fs.promises
const say = (what, place) => process.stderr.write(what + ' ' + place.split('/').at(-1) + '\\n')
fs.promises.open = async (place, ...rest) => {
  const handle = await open(place, ...rest)
  const sync = handle.sync.bind(handle)
  handle.sync = async () => {
    await sync()
    say('synced', place)
  }
  return handle
}
fs.promises.rename = async (from, to) => {
  await rename(from, to)
  say('renamed', to)
  const other = process.env.INSTEAD
  if (other !== undefined && to.endsWith('/rollcall.db')) fs.copyFileSync(other, to)
}
syncBuiltinESMExports()
`

describe('a restore on a disk that fails', () => {
  const restored = async (variables: Readonly<Record<string, string>> = {}) => {
    server = await operateHere(folders)
    await registerSome(server, 1, 'before')
    await server.stop()
    const copy = join(folders.folder, 'copy')
    const places = { DATA_DIR: folders.dataDir, EVENTS_DIR: folders.eventsDir }
    expect((await runHere(['db', 'backup', copy], places)).status).toBe(0)
    const into = join(folders.folder, 'anew')
    const { status, stderr } = run([launcher, 'db', 'restore', copy], {
      ...places,
      DATA_DIR: into,
      ...running(WATCHED),
      ...variables,
    })
    return { status, stderr, into }
  }

  test('syncs the file before the rename, and the rename before the command ends', async () => {
    const { status, stderr } = await restored()
    const steps = stderr
      .split('\n')
      .filter((line) => /^(synced|renamed) (rollcall|anew)/.test(line))
    expect([status, steps]).toEqual([
      0,
      ['synced rollcall.db.part', 'renamed rollcall.db', 'synced anew'],
    ])
  })

  test('is compared with the backup again under its final name, and a differing one is not served', async () => {
    const other = join(folders.folder, 'other')
    await useEmptyDatabase(other)
    const { status, stderr, into } = await restored({ INSTEAD: join(other, 'rollcall.db') })
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^The database written to .+rollcall\.db differs from the backup\. .+ 0 rows in /m,
      ),
    ])
    expect(readdirSync(into).filter((name) => name.startsWith('rollcall.db'))).toEqual([])
  })
})

describe('a backup', () => {
  test('that is interrupted leaves nothing', async () => {
    server = await operateHere(folders)
    await registerSome(server, 1, 'asha')
    await server.stop()
    // Enough to copy, so that it is told in the middle of it.
    const events = join(folders.folder, 'many')
    cpSync(folders.eventsDir, events, { recursive: true })
    for (let n = 0; n < 4_000; n += 1) writeFileSync(join(events, `${n}.txt`), 'x'.repeat(4_096))
    const backups = join(folders.folder, 'backups')
    mkdirSync(backups)
    const child = spawn(process.execPath, [launcher, 'db', 'backup', join(backups, 'today')], {
      cwd: top,
      env: { ...BASE_ENV, ...variables({ EVENTS_DIR: events }) },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await expect
      .poll(() => existsSync(join(backups, 'today.part', 'events')), {
        timeout: 200_000,
        interval: 1,
      })
      .toBe(true)
    child.kill('SIGTERM')
    const [status] = await ended
    // One that was quicker than the signal is whole.
    expect(readdirSync(backups)).toEqual(status === 0 ? ['today'] : [])
  })

  test('of a database without registrations does not count, and removes no other', async () => {
    const backups = join(folders.folder, 'backups')
    mkdirSync(backups)
    server = await operateHere(folders)
    await registerSome(server, 1, 'asha')
    expect((await rollcall(['db', 'backup', join(backups, 'monday')])).status).toBe(0)
    await server.stop()
    rmSync(folders.dataDir, { recursive: true })
    server = await operateHere(folders)
    const args = ['db', 'backup', join(backups, 'tuesday'), '--prune', '1']
    const { status, stderr } = await rollcall(args, { CLOCK: '2025-10-11' })
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining('The database has no registrations: this does not count as a backup'),
    ])
    expect(readdirSync(backups).toSorted()).toEqual(['monday', 'tuesday'])
    expect(existsSync(join(folders.dataDir, 'backed-up'))).toBe(false)
    expect((await rollcall(['doctor'], { PORT: '1' })).stdout).toMatch(
      /^look +The database has no registrations/m,
    )
  })

  test('without event files, as with a disk that is not mounted, is not complete and removes no older one', async () => {
    const backups = join(folders.folder, 'backups')
    mkdirSync(backups)
    server = await operateHere(folders)
    await registerSome(server, 1, 'asha')
    expect((await rollcall(['db', 'backup', join(backups, 'monday')])).status).toBe(0)
    const args = ['db', 'backup', join(backups, 'tuesday'), '--prune', '1']
    const { status, stderr } = await rollcall(args, {
      CLOCK: '2025-10-11',
      EVENTS_DIR: join(folders.folder, 'not-mounted'),
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining('The backup has no event files')])
    expect(readdirSync(backups).toSorted()).toEqual(['monday', 'tuesday'])
  })

  test('is made although there is a pipe among the event files', async () => {
    server = await operateHere(folders)
    await registerSome(server, 1, 'asha')
    const backup = join(folders.folder, 'backup')
    execFileSync('mkfifo', [join(folders.eventsDir, 'pipe.yaml')])
    const { status, stderr } = await rollcall(['db', 'backup', backup])
    expect([status, stderr]).toEqual([0, ''])
    expect(readdirSync(join(backup, 'events'))).not.toContain('pipe.yaml')
  })

  test('into /proc fails with a sentence, and does not hang', async () => {
    server = await operateHere(folders)
    expect(await rollcall(['db', 'backup', '/proc/backup'])).toMatchObject({
      status: 2,
      stderr:
        '/proc/backup cannot be created: /proc does not allow new folders. Name another place. No backup was made.\n',
    })
  })

  test('into a folder that does not exist creates none: the disk may not be mounted', async () => {
    server = await operateHere(folders)
    const missing = join(folders.folder, 'backups', '2026')
    expect(await rollcall(['db', 'backup', join(missing, '01-10')])).toMatchObject({
      status: 2,
      stderr: `There is no folder ${missing}. Create it, or mount the disk that it is on. No backup was made.\n`,
    })
    expect(existsSync(join(folders.folder, 'backups'))).toBe(false)
  })

  test('into DATA_DIR or EVENTS_DIR is refused, also through a link: the next one would contain it', async () => {
    server = await operateHere(folders)
    const link = join(folders.folder, 'link')
    symlinkSync(folders.dataDir, link)
    for (const [folder, name] of [
      [folders.dataDir, 'DATA_DIR'],
      [link, 'DATA_DIR'],
      [folders.eventsDir, 'EVENTS_DIR'],
    ] as const) {
      const before = readdirSync(folder)
      const into = join(folder, 'backup')
      const { status, stderr } = await rollcall(['db', 'backup', into])
      expect([status, stderr]).toEqual([2, expect.stringContaining(`${into} is inside ${name} (`)])
      expect(readdirSync(folder)).toEqual(before)
    }
  })

  test('and doctor leave the log of a database that was cut off: it may hold everything', async () => {
    mkdirSync(folders.dataDir, { recursive: true })
    const log = join(folders.dataDir, 'rollcall.db-wal')
    const content = Buffer.alloc(8192, 7)
    writeFileSync(join(folders.dataDir, 'rollcall.db'), '')
    writeFileSync(log, content)
    expect((await rollcall(['db', 'backup', join(folders.folder, 'backup')])).status).toBe(2)
    expect(readFileSync(log).equals(content)).toBe(true)
    await rollcall(['doctor'], { PORT: '1' })
    expect(readFileSync(log).equals(content)).toBe(true)
  })

  if (hasSmallDisks) {
    test('without space at its target names that place and leaves nothing', async () => {
      server = await operateHere(folders)
      await registerSome(server, 1, 'asha')
      const disk = small(1)
      disk.fill()
      const into = join(disk.folder, '2026-01-10')
      const { status, stderr } = await rollcall(['db', 'backup', into])
      expect([status, stderr]).toEqual([
        2,
        `${into} has no room left. Free some space. No backup was made.\n`,
      ])
      expect(readdirSync(disk.folder)).toEqual(['filler'])
    })

    test('on a full DATA_DIR is complete and exits with 0, with a sentence about the missing note', async () => {
      const disk = small(48)
      const there = { ...folders, dataDir: join(disk.folder, 'var') }
      server = await operateHere(there)
      await registerSome(server, 3, 'asha')
      disk.fill()
      const into = join(folders.folder, 'backup')
      const { status, stdout, stderr } = await rollcall(['db', 'backup', into], {
        DATA_DIR: there.dataDir,
      })
      expect([status, stdout, stderr]).toEqual([
        0,
        expect.stringMatching(/^3 registrations/),
        expect.stringMatching(
          /^The backup is complete\. The time of the backup could not be recorded: .+ has no room left\. Free some space\. The server will report an older backup until the next one\.\n$/,
        ),
      ])
      expect(existsSync(join(there.dataDir, 'backed-up'))).toBe(false)
      disk.makeRoom()
    })

    test('of a full DATA_DIR without a server is made, or names the database and not the target', async () => {
      const disk = small(48)
      const there = { ...folders, dataDir: join(disk.folder, 'var') }
      const alone = await operate(there)
      server = alone
      await registerSome(server, 3, 'asha')
      process.kill(alone.pid, 'SIGKILL')
      await server.ended
      rmSync(join(there.dataDir, 'rollcall.db-shm'), { force: true })
      disk.fill()
      const into = join(folders.folder, 'backup')
      const { status, stderr } = await rollcall(['db', 'backup', into], { DATA_DIR: there.dataDir })
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(
          /^The database rollcall\.db in DATA_DIR cannot be used: its disk has no room left\. Free some space\./,
        ),
      ])
      expect(existsSync(into)).toBe(false)
    })
  }

  if (process.getuid?.() === 0)
    test('by root leaves a note that the server, which is another user, can replace', async () => {
      server = await operateHere(folders)
      await registerSome(server, 1, 'asha')
      await server.stop()
      chownSync(folders.dataDir, 65_534, 65_534)
      expect((await rollcall(['db', 'backup', join(folders.folder, 'backup')])).status).toBe(0)
      expect(statSync(join(folders.dataDir, 'backed-up')).uid).toBe(65_534)
    })
})

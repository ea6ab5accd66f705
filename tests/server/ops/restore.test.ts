/** Backups and restores next to running servers and on full disks: their files, file owners and messages. */
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
import { copyDatabaseWithProgress } from '../../../server/storage/recovery/copy-database-with-progress.ts'
import { checkCopy } from '../../../server/storage/recovery/copy-database.ts'
import { onProgress } from '../../../server/ops/progress.ts'
import { useEmptyDatabase } from '../prepared-files.ts'
import { launcher, BASE_ENV, run, runHere, top } from '../run-command.ts'
import { makeFolders, startServerProcess, startServerHere, createPreload } from './operator.ts'
import type { RunningServerHere } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'
import type { SmallDisk } from './small-disk.ts'

let folders: ReturnType<typeof makeFolders>
let server: RunningServerHere | null = null
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

const register = async ({ url }: RunningServerHere, email: string): Promise<number> => {
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
const registerSome = async (
  runningServer: RunningServerHere,
  count: number,
  name: string,
): Promise<void> => {
  for (let n = 0; n < count; n += 1)
    expect(await register(runningServer, `${name}${n}@example.org`)).toBe(201)
}
const readEmails = (dataDir: string): readonly unknown[] => {
  const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
  try {
    return db.prepare('SELECT email FROM registrations ORDER BY id').pluck().all()
  } finally {
    db.close()
  }
}
const getVariables = (variables: Readonly<Record<string, string>> = {}) => ({
  DATA_DIR: folders.dataDir,
  EVENTS_DIR: folders.eventsDir,
  CLOCK: '2025-10-10',
  ...variables,
})
const runRollcall = (
  args: readonly string[],
  extraVariables: Readonly<Record<string, string>> = {},
): ReturnType<typeof runHere> => runHere(args, getVariables(extraVariables))
const createSmallDisk = (megabytes: number): SmallDisk => {
  const disk = makeSmallDisk(megabytes)
  disks.push(disk)
  return disk
}

describe('a restore', () => {
  test('of one copy, three times in a row, starts a separate series of invoice numbers each time, so no number is issued twice', async () => {
    server = await startServerHere(folders)
    await registerSome(server, 1, 'asha')
    const backup = join(folders.folder, 'backup')
    expect((await runRollcall(['db', 'backup', backup])).status).toBe(0)
    await server.stop()
    server = null
    const codes: unknown[] = []
    for (let n = 0; n < 3; n += 1) {
      const { status, stdout } = await runRollcall(['db', 'restore', backup, '--move-aside'], {
        CLOCK: `2025-10-10T13:0${n}:00+05:30`,
      })
      expect(status).toBe(0)
      codes.push(/is in recovery (R\w+):/.exec(stdout)?.[1])
    }
    expect(codes).toEqual(Array.from({ length: 3 }, () => expect.any(String)))
    expect(new Set(codes).size).toBe(3)
  })

  test('of a backup with a changed answer is rejected', async () => {
    server = await startServerHere(folders)
    await registerSome(server, 1, 'asha')
    const backup = join(folders.folder, 'backup')
    expect((await runRollcall(['db', 'backup', backup])).status).toBe(0)
    await server.stop()
    server = null
    const db = new Database(join(backup, 'rollcall.db'))
    db.prepare("UPDATE registrations SET email = 'somebody@example.org'").run()
    db.close()
    const { status, stderr } = await runRollcall(['db', 'restore', backup, '--move-aside'])
    expect([status, stderr]).toEqual([2, expect.stringContaining('was changed or damaged after')])
    expect(readEmails(folders.dataDir)).toEqual(['asha0@example.org'])
  })

  test(
    "next to a killed server's log is rejected, or moves the log aside, so that neither a malformed database with 60 registrations nor the earlier 660 registrations are served",
    { tags: ['slow'] },
    async () => {
      const backupFolder = join(folders.folder, 'backup')
      const startedServer = await startServerProcess(folders)
      server = startedServer
      await registerSome(server, 6, 'kept')
      expect((await runRollcall(['db', 'backup', backupFolder])).status).toBe(0)
      await registerSome(server, 30, 'later')
      process.kill(startedServer.pid, 'SIGKILL')
      await server.exitStatus
      rmSync(join(folders.dataDir, 'rollcall.db'))
      expect(statSync(join(folders.dataDir, 'rollcall.db-wal')).size).toBeGreaterThan(0)
      const rejection = await runRollcall(['db', 'restore', backupFolder])
      expect([rejection.status, rejection.stderr]).toEqual([
        2,
        expect.stringContaining('contains rollcall.db-wal, rollcall.db-shm'),
      ])
      const moveResult = await runRollcall(['db', 'restore', backupFolder, '--move-aside'])
      expect([moveResult.status, moveResult.stdout]).toEqual([
        0,
        expect.stringMatching(/is now in .+before-restore-\d+\.\n6 registrations/),
      ])
      server = await startServerHere(folders)
      await registerSome(server, 1, 'after')
      await server.stop()
      expect(readEmails(folders.dataDir)).toEqual([
        ...Array.from({ length: 6 }, (_, n) => `kept${n}@example.org`),
        'after0@example.org',
      ])
    },
  )

  test(
    'is rejected next to a running server whose lock was deleted with all other files',
    { tags: ['slow'] },
    async () => {
      const backupFolder = join(folders.folder, 'backup')
      const startedServer = await startServerProcess(folders)
      server = startedServer
      await registerSome(server, 1, 'asha')
      expect((await runRollcall(['db', 'backup', backupFolder])).status).toBe(0)
      const rejection = await runRollcall(['db', 'restore', backupFolder, '--move-aside'])
      expect([rejection.status, rejection.stderr]).toEqual([
        2,
        expect.stringContaining('A server is running'),
      ])
      for (const name of readdirSync(folders.dataDir))
        rmSync(join(folders.dataDir, name), { recursive: true })
      const { status, stderr } = await runRollcall(['db', 'restore', backupFolder])
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(new RegExp(`^Process ${startedServer.pid} uses the database`)),
      ])
      await server.stop()
      expect((await runRollcall(['db', 'restore', backupFolder, '--move-aside'])).status).toBe(0)
      expect(readEmails(folders.dataDir)).toEqual(['asha0@example.org'])
    },
  )

  test(
    'of a backup whose database is corrupt reports this and leaves no files',
    { tags: ['slow'] },
    async () => {
      const backupFolder = join(folders.folder, 'backup')
      server = await startServerHere(folders)
      await registerSome(server, 1, 'asha')
      expect((await runRollcall(['db', 'backup', backupFolder])).status).toBe(0)
      await server.stop()
      writeFileSync(join(backupFolder, 'rollcall.db'), 'not a database '.repeat(1_000))
      const emptyFolder = join(folders.folder, 'other')
      const { status, stderr } = await runRollcall(['db', 'restore', backupFolder], {
        DATA_DIR: emptyFolder,
      })
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining('The database in the backup is damaged'),
      ])
      expect(readdirSync(emptyFolder)).toEqual([])
    },
  )

  // Only root can give files to another user.
  if (process.getuid?.() === 0)
    test(
      "by root gives the files to the folder's owner, so that the owner's server can read them",
      { tags: ['slow'] },
      async () => {
        const backupFolder = join(folders.folder, 'backup')
        server = await startServerHere(folders)
        await registerSome(server, 1, 'asha')
        expect((await runRollcall(['db', 'backup', backupFolder])).status).toBe(0)
        const otherFolder = join(folders.folder, 'other')
        mkdirSync(otherFolder, { mode: 0o700 })
        chownSync(otherFolder, 65_534, 65_534)
        expect(
          (await runRollcall(['db', 'restore', backupFolder], { DATA_DIR: otherFolder })).status,
        ).toBe(0)
        for (const name of readdirSync(otherFolder))
          expect([name, statSync(join(otherFolder, name)).uid]).toEqual([name, 65_534])
      },
    )

  if (hasSmallDisks)
    test(
      'without enough space prints a message and leaves no files',
      { tags: ['slow'] },
      async () => {
        const backupFolder = join(folders.folder, 'backup')
        server = await startServerHere(folders)
        await registerSome(server, 1, 'asha')
        expect((await runRollcall(['db', 'backup', backupFolder])).status).toBe(0)
        const fullFolder = join(createSmallDisk(2).folder, 'var')
        mkdirSync(fullFolder)
        disks[0]?.fill()
        const { status, stderr } = await runRollcall(['db', 'restore', backupFolder], {
          DATA_DIR: fullFolder,
        })
        expect([status, stderr]).toEqual([
          2,
          `${fullFolder} has no space left. Free some space. The backup was not restored.\n`,
        ])
        expect(readdirSync(fullFolder)).toEqual([])
      },
    )
})

/**
 * Code that reports each sync and rename. If INSTEAD is set, the code replaces the restored database with that file, as
 * if the disk returned different bytes.
 */
const TRACED_CODE = `
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

describe('a restore on a failing disk', { tags: ['slow'] }, () => {
  const restoreTraced = async (variables: Readonly<Record<string, string>> = {}) => {
    server = await startServerHere(folders)
    await registerSome(server, 1, 'before')
    await server.stop()
    const copy = join(folders.folder, 'copy')
    const tracedFolders = { DATA_DIR: folders.dataDir, EVENTS_DIR: folders.eventsDir }
    const steps = new Set<string>()
    const stopListening = onProgress(({ step }) => void steps.add(step))
    expect((await runHere(['db', 'backup', copy], tracedFolders)).status).toBe(0)
    stopListening()
    // A large database is copied in a worker thread.
    const largeCopy = join(folders.folder, 'large.db')
    await copyDatabaseWithProgress({ dataDir: folders.dataDir, target: largeCopy }, 0)
    expect(checkCopy(largeCopy)).toEqual(checkCopy(join(copy, 'rollcall.db')))
    const copyOptions = { dataDir: join(folders.folder, 'missing'), target: largeCopy }
    await expect(copyDatabaseWithProgress(copyOptions, 0)).rejects.toThrow(
      /directory does not exist|unable to open/,
    )
    const restoredDir = join(folders.folder, 'anew')
    const { status, stderr } = run([launcher, 'db', 'restore', copy], {
      ...tracedFolders,
      DATA_DIR: restoredDir,
      ...createPreload(TRACED_CODE),
      ...variables,
    })
    return { status, stderr, dataDir: restoredDir, backupSteps: [...steps] }
  }

  test('syncs the file before the rename, and the rename before the command ends', async () => {
    const { status, stderr, backupSteps } = await restoreTraced()
    // Copying the database can take minutes by itself, so progress is reported.
    expect(backupSteps).toEqual([
      'Copying the database (KB)',
      'Counting the rows',
      'Reading the copy (KB)',
    ])
    expect(stderr.match(/^[A-Z][a-z ]+(?: \(KB\))?(?=: [\d,]+$)/gm)).toEqual([
      'Copying the database (KB)',
      'Reading the copy (KB)',
      'Checking the database',
    ])
    const steps = stderr
      .split('\n')
      .filter((line) => /^(synced|renamed) (rollcall|anew)/.test(line))
    expect([status, steps]).toEqual([
      0,
      ['synced rollcall.db.part', 'renamed rollcall.db', 'synced anew'],
    ])
  })

  test('compares the database with the backup again under its final name; a database that differs is not served', async () => {
    const otherFolder = join(folders.folder, 'other')
    await useEmptyDatabase(otherFolder)
    const {
      status,
      stderr,
      dataDir: restoredDir,
    } = await restoreTraced({ INSTEAD: join(otherFolder, 'rollcall.db') })
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^The database written to .+rollcall\.db differs from the backup\. .+ 0 rows in /m,
      ),
    ])
    expect(readdirSync(restoredDir).filter((name) => name.startsWith('rollcall.db'))).toEqual([])
  })
})

describe('a backup', () => {
  test('that is interrupted leaves no files', async () => {
    server = await startServerHere(folders)
    await registerSome(server, 1, 'asha')
    await server.stop()
    // Writes enough data for the signal to arrive during the copy.
    const eventsDir = join(folders.folder, 'many')
    cpSync(folders.eventsDir, eventsDir, { recursive: true })
    for (let n = 0; n < 4_000; n += 1) writeFileSync(join(eventsDir, `${n}.txt`), 'x'.repeat(4_096))
    const backupsFolder = join(folders.folder, 'backups')
    mkdirSync(backupsFolder)
    const child = spawn(
      process.execPath,
      [launcher, 'db', 'backup', join(backupsFolder, 'today')],
      {
        cwd: top,
        env: { ...BASE_ENV, ...getVariables({ EVENTS_DIR: eventsDir }) },
        stdio: 'ignore',
      },
    )
    const exit = once(child, 'exit')
    await expect
      .poll(() => existsSync(join(backupsFolder, 'today.part', 'events')), {
        timeout: 200_000,
        interval: 1,
      })
      .toBe(true)
    child.kill('SIGTERM')
    const [status] = await exit
    // A backup that finishes before the signal arrives is complete.
    expect(readdirSync(backupsFolder)).toEqual(status === 0 ? ['today'] : [])
  })

  test(
    'of a database without registrations does not count as a backup and does not remove other backups',
    { tags: ['slow'] },
    async () => {
      const backupsFolder = join(folders.folder, 'backups')
      mkdirSync(backupsFolder)
      server = await startServerHere(folders)
      await registerSome(server, 1, 'asha')
      expect((await runRollcall(['db', 'backup', join(backupsFolder, 'monday')])).status).toBe(0)
      await server.stop()
      rmSync(folders.dataDir, { recursive: true })
      server = await startServerHere(folders)
      const args = ['db', 'backup', join(backupsFolder, 'tuesday'), '--prune', '1']
      const { status, stderr } = await runRollcall(args, { CLOCK: '2025-10-11' })
      expect([status, stderr]).toEqual([
        0,
        expect.stringContaining(
          'The database has no registrations, so this copy does not count as a backup',
        ),
      ])
      expect(readdirSync(backupsFolder).toSorted()).toEqual(['monday', 'tuesday'])
      expect(existsSync(join(folders.dataDir, 'backed-up'))).toBe(false)
      expect((await runRollcall(['doctor'], { PORT: '1' })).stdout).toMatch(
        /^check +The database has no registrations/m,
      )
    },
  )

  test('without event files, as if a disk were not mounted, is not complete and does not remove older backups', async () => {
    const backupsFolder = join(folders.folder, 'backups')
    mkdirSync(backupsFolder)
    server = await startServerHere(folders)
    await registerSome(server, 1, 'asha')
    expect((await runRollcall(['db', 'backup', join(backupsFolder, 'monday')])).status).toBe(0)
    const args = ['db', 'backup', join(backupsFolder, 'tuesday'), '--prune', '1']
    const { status, stderr } = await runRollcall(args, {
      CLOCK: '2025-10-11',
      EVENTS_DIR: join(folders.folder, 'not-mounted'),
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining('The backup has no event files')])
    expect(readdirSync(backupsFolder).toSorted()).toEqual(['monday', 'tuesday'])
  })

  test('is made even if a FIFO is among the event files', { tags: ['slow'] }, async () => {
    server = await startServerHere(folders)
    await registerSome(server, 1, 'asha')
    const backup = join(folders.folder, 'backup')
    execFileSync('mkfifo', [join(folders.eventsDir, 'pipe.yaml')])
    const { status, stderr } = await runRollcall(['db', 'backup', backup])
    expect([status, stderr]).toEqual([0, ''])
    expect(readdirSync(join(backup, 'events'))).not.toContain('pipe.yaml')
  })

  test('into /proc fails with a message, and does not hang', { tags: ['slow'] }, async () => {
    server = await startServerHere(folders)
    expect(await runRollcall(['db', 'backup', '/proc/backup'])).toMatchObject({
      status: 2,
      stderr:
        '/proc/backup cannot be created: /proc does not allow new folders. Specify another folder. No backup was made.\n',
    })
  })

  test(
    'into a missing folder does not create the folder, because the disk may not be mounted',
    { tags: ['slow'] },
    async () => {
      server = await startServerHere(folders)
      const missingFolder = join(folders.folder, 'backups', '2026')
      expect(await runRollcall(['db', 'backup', join(missingFolder, '01-10')])).toMatchObject({
        status: 2,
        stderr: `There is no folder ${missingFolder}. Create it, or mount its disk. No backup was made.\n`,
      })
      expect(existsSync(join(folders.folder, 'backups'))).toBe(false)
    },
  )

  test('into DATA_DIR or EVENTS_DIR is rejected, even through a link, because the next backup would contain this one', async () => {
    server = await startServerHere(folders)
    const link = join(folders.folder, 'link')
    symlinkSync(folders.dataDir, link)
    for (const [folder, name] of [
      [folders.dataDir, 'DATA_DIR'],
      [link, 'DATA_DIR'],
      [folders.eventsDir, 'EVENTS_DIR'],
    ] as const) {
      const filesBefore = readdirSync(folder)
      const backupFolder = join(folder, 'backup')
      const { status, stderr } = await runRollcall(['db', 'backup', backupFolder])
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining(`${backupFolder} is inside ${name} (`),
      ])
      expect(readdirSync(folder)).toEqual(filesBefore)
    }
  })

  test(
    'and doctor do not delete the log of a truncated database, which may contain all data',
    { tags: ['slow'] },
    async () => {
      mkdirSync(folders.dataDir, { recursive: true })
      const log = join(folders.dataDir, 'rollcall.db-wal')
      const content = Buffer.alloc(8192, 7)
      writeFileSync(join(folders.dataDir, 'rollcall.db'), '')
      writeFileSync(log, content)
      expect((await runRollcall(['db', 'backup', join(folders.folder, 'backup')])).status).toBe(2)
      expect(readFileSync(log).equals(content)).toBe(true)
      await runRollcall(['doctor'], { PORT: '1' })
      expect(readFileSync(log).equals(content)).toBe(true)
    },
  )

  if (hasSmallDisks) {
    test(
      'without enough space at its target reports that folder and leaves no files',
      { tags: ['slow'] },
      async () => {
        server = await startServerHere(folders)
        await registerSome(server, 1, 'asha')
        const disk = createSmallDisk(1)
        disk.fill()
        const backupFolder = join(disk.folder, '2026-01-10')
        const { status, stderr } = await runRollcall(['db', 'backup', backupFolder])
        expect([status, stderr]).toEqual([
          2,
          `${backupFolder} has no space left. Free some space. No backup was made.\n`,
        ])
        expect(readdirSync(disk.folder)).toEqual(['filler'])
      },
    )

    test(
      'on a full DATA_DIR is complete and exits with 0, but reports that its time could not be recorded',
      { tags: ['slow'] },
      async () => {
        const disk = createSmallDisk(48)
        const serverFolders = { ...folders, dataDir: join(disk.folder, 'var') }
        server = await startServerHere(serverFolders)
        await registerSome(server, 3, 'asha')
        disk.fill()
        const backupFolder = join(folders.folder, 'backup')
        const { status, stdout, stderr } = await runRollcall(['db', 'backup', backupFolder], {
          DATA_DIR: serverFolders.dataDir,
        })
        expect([status, stdout, stderr]).toEqual([
          0,
          expect.stringMatching(/^3 registrations/),
          expect.stringMatching(
            /^The backup is complete, but its time could not be recorded: .+ has no space left\. Free some space\. Until the next backup, the server will report the previous one as the last\.\n$/,
          ),
        ])
        expect(existsSync(join(serverFolders.dataDir, 'backed-up'))).toBe(false)
        disk.freeSpace()
      },
    )

    test(
      "of a full DATA_DIR without a server reports that the database's disk is full, not the target's",
      { tags: ['slow'] },
      async () => {
        const disk = createSmallDisk(48)
        const serverFolders = { ...folders, dataDir: join(disk.folder, 'var') }
        const startedServer = await startServerProcess(serverFolders)
        server = startedServer
        await registerSome(server, 3, 'asha')
        process.kill(startedServer.pid, 'SIGKILL')
        await server.exitStatus
        rmSync(join(serverFolders.dataDir, 'rollcall.db-shm'), { force: true })
        disk.fill()
        const backupFolder = join(folders.folder, 'backup')
        const { status, stderr } = await runRollcall(['db', 'backup', backupFolder], {
          DATA_DIR: serverFolders.dataDir,
        })
        expect([status, stderr]).toEqual([
          2,
          expect.stringMatching(
            /^The database rollcall\.db in DATA_DIR cannot be used: its disk has no space left\. Free some space\./,
          ),
        ])
        expect(existsSync(backupFolder)).toBe(false)
      },
    )
  }

  if (process.getuid?.() === 0)
    test(
      'by root records its time in a file that the server, which runs as another user, can replace',
      { tags: ['slow'] },
      async () => {
        server = await startServerHere(folders)
        await registerSome(server, 1, 'asha')
        await server.stop()
        chownSync(folders.dataDir, 65_534, 65_534)
        expect((await runRollcall(['db', 'backup', join(folders.folder, 'backup')])).status).toBe(0)
        expect(statSync(join(folders.dataDir, 'backed-up')).uid).toBe(65_534)
      },
    )
})

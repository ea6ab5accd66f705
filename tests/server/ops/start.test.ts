/** Startups whose database is missing, and startups on a full disk. */
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
import {
  attemptStart,
  attemptStartHere,
  makeFolders,
  startServerProcess,
  startServerHere,
  createPreload,
} from './operator.ts'
import type { RunningServerHere } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'
import type { SmallDisk } from './small-disk.ts'

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
const countRegistrations = (dataDir: string): number => {
  const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
  try {
    return Number(db.prepare('SELECT count(*) FROM registrations').pluck().get())
  } finally {
    db.close()
  }
}

describe('a startup in a folder where a database existed', () => {
  let folders: ReturnType<typeof makeFolders>
  beforeEach(() => {
    folders = makeFolders()
  })
  const startAndStop = async (): Promise<void> => {
    const server = await startServerHere(folders)
    expect(await register(server, 'asha@example.org')).toBe(201)
    await server.stop()
  }
  afterEach(() => folders.remove())

  test('does not replace a deleted or emptied database with an empty one, but exits with 2 and states how to continue', async () => {
    await startAndStop()
    const file = join(folders.dataDir, 'rollcall.db')
    const copiedFile = join(folders.folder, 'kept.db')
    copyFileSync(file, copiedFile)
    expect(countRegistrations(folders.dataDir)).toBe(1)
    truncateSync(file)
    const emptiedStart = await attemptStartHere(folders)
    expect([emptiedStart.status, emptiedStart.output]).toEqual([
      2,
      expect.stringMatching(
        /^The database .+rollcall\.db is empty, and .+ contains last-served\.json, (rollcall\.db-wal, )?serving\.lock, uploads of an earlier one\. .*rollcall db restore.*rollcall start --new/,
      ),
    ])
    rmSync(file)
    const deletedStart = await attemptStartHere(folders)
    expect([deletedStart.status, deletedStart.output]).toEqual([
      2,
      expect.stringMatching(/^There is no database .+rollcall\.db, and /),
    ])
    expect(existsSync(file)).toBe(false)
    // No other command creates a database either. The next startup would serve it.
    const listResult = await runHere(['user', 'list'], {
      DATA_DIR: folders.dataDir,
      EVENTS_DIR: folders.eventsDir,
    })
    expect([listResult.status, existsSync(file)]).toEqual([2, false])
    const doctorResult = await runHere(['doctor'], {
      DATA_DIR: folders.dataDir,
      EVENTS_DIR: folders.eventsDir,
    })
    expect(doctorResult.stdout).toMatch(/^wrong +There is no database .+rollcall start --new/m)
    copyFileSync(copiedFile, file)
    expect((await attemptStartHere(folders)).status).toBe('serves')
    expect(countRegistrations(folders.dataDir)).toBe(1)
  })

  test('does not create a data folder whose parent folder is missing: the path may be misspelt', async () => {
    const parent = join(folders.folder, 'misspelt')
    const dataDir = join(parent, 'var')
    const start = await attemptStartHere({ ...folders, dataDir })
    expect([start.status, start.output]).toEqual([
      2,
      expect.stringContaining(`there is no folder ${parent}. Create it, or mount its disk.`),
    ])
    const doctor = await runHere(['doctor'], { DATA_DIR: dataDir, EVENTS_DIR: folders.eventsDir })
    expect(doctor.stdout).toMatch(/^wrong +DATA_DIR is .+, but there is no folder/m)
    expect(existsSync(parent)).toBe(false)
  })

  test('no command creates a data folder on the wrong disk: each states that its parent folder is missing', async () => {
    await startAndStop()
    const backup = join(folders.folder, 'backup')
    const { dataDir: goodDataDir, eventsDir } = folders
    const variables = { DATA_DIR: goodDataDir, EVENTS_DIR: eventsDir }
    expect((await runHere(['db', 'backup', backup], variables)).status).toBe(0)
    const sheet = join(folders.folder, 'delegates.csv')
    writeFileSync(sheet, 'full_name,email\n')
    const parent = join(folders.folder, 'not-mounted')
    const dataDir = join(parent, 'var')
    const postgres = { DATABASE_URL: 'postgres://rollcall@127.0.0.1:1/rollcall' }
    const bucket = {
      UPLOADS_URL: 's3://proofs?endpoint=http://127.0.0.1:1&region=auto',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
    }
    const commands: readonly (readonly [string, Readonly<Record<string, string>>?])[] = [
      [`db restore ${backup}`],
      [`db backup ${backup}-2`],
      ['db move to-sqlite', postgres],
      ['db move to-postgres', postgres],
      ['db move files-to-s3', bucket],
      ['db move files-from-s3', { ...bucket, ...postgres }],
      ['db migrate'],
      ['db migrate --check', postgres],
      ['db recovery'],
      ['db unknown-files --set-aside'],
      ['db clock'],
      ['user add asha --role owner'],
      ['user add asha --role owner', postgres],
      ['user list'],
      ['email retry'],
      ['event reload'],
      ['event discount-codes afpicon2026'],
      ['payment reviews'],
      ['payment reviews', postgres],
      ['registration export afpicon2026'],
      [`registration import afpicon2026 ${sheet}`],
      [`registration import afpicon2026 ${sheet}`, postgres],
    ]
    for (const [command, extraVariables = {}] of commands) {
      const result = await runHere(command.split(' '), {
        DATA_DIR: dataDir,
        EVENTS_DIR: eventsDir,
        ...extraVariables,
      })
      expect([command, result]).toEqual([
        command,
        {
          status: 2,
          stdout: '',
          stderr: `DATA_DIR is ${dataDir}, but there is no folder ${parent}. Create it, or mount its disk.\n`,
        },
      ])
      expect([command, existsSync(parent)]).toEqual([command, false])
    }
    // These commands need only the event files, so they do not stop, but they cache nothing in a missing folder.
    const account = ['payment', 'settlement', '--account', 'none', '--month', '2026-03']
    await runHere(account, { DATA_DIR: dataDir, EVENTS_DIR: eventsDir })
    expect(existsSync(parent)).toBe(false)
  })

  test("serves no empty database if only the record of the database's latest state remains", async () => {
    await startAndStop()
    for (const name of readdirSync(folders.dataDir))
      if (name !== 'last-served.json')
        rmSync(join(folders.dataDir, name), { recursive: true, force: true })
    const { status, output } = await attemptStartHere(folders)
    expect([status, output]).toEqual([
      2,
      expect.stringMatching(/contains last-served\.json of an earlier one\. .*rollcall db restore/),
    ])
    expect(existsSync(join(folders.dataDir, 'rollcall.db'))).toBe(false)
  })

  test('recovery, reviews and export report that DATA_DIR has no database, and do not create one', async () => {
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

  test('rollcall start --new reports a new database, not a restored older copy', async () => {
    await startAndStop()
    rmSync(join(folders.dataDir, 'rollcall.db'))
    const { status, output } = await attemptStartHere(folders, { isNew: true })
    expect(status).toBe('serves')
    expect(output).not.toContain('older')
    expect(output).toContain('a new, empty database was created in place of the previous one')
    const recoveryReport = await runHere(['db', 'recovery'], {
      DATA_DIR: folders.dataDir,
      EVENTS_DIR: folders.eventsDir,
    })
    expect(recoveryReport.stdout).toContain(
      'A new, empty database was created in a DATA_DIR whose previous',
    )
  })

  test("rollcall start --new starts with a new database, keeps the old database's log, and exits with 0; if there is a database, it exits with 2", async () => {
    await startAndStop()
    rmSync(join(folders.dataDir, 'rollcall.db'))
    writeFileSync(join(folders.dataDir, 'rollcall.db-wal'), 'what can still be saved')
    const freshServer = await startServerProcess(folders, {}, [
      process.execPath,
      launcher,
      'start',
      '--new',
    ])
    expect(await freshServer.stop()).toBe(0)
    expect(freshServer.readOutput()).toContain('rollcall.db-wal')
    expect(countRegistrations(folders.dataDir)).toBe(0)
    const [asideFile = ''] = readdirSync(folders.dataDir).filter((name) =>
      name.startsWith('before-new-'),
    )
    expect(readFileSync(join(folders.dataDir, asideFile, 'rollcall.db-wal'), 'utf8')).toBe(
      'what can still be saved',
    )
    const secondNew = await attemptStart(folders, { args: ['--new'] })
    expect([secondNew.status, secondNew.output]).toEqual([
      2,
      expect.stringContaining('already contains a database'),
    ])
    expect((await attemptStartHere(folders)).status).toBe('serves')
  })

  // Simulates a failing disk with SQLite's error as better-sqlite3 throws it, because no file system can produce this
  // error on demand.
  const FAILING_DISK_CODE = `
import { createRequire } from 'node:module'
const Database = createRequire(${JSON.stringify(`file://${top}/`)})('better-sqlite3')
Database.prototype.pragma = () => {
  throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_READ')
}`
  test('on a disk error, a startup exits with 75 and a command with 2, both with a message', async () => {
    await startAndStop()
    const message =
      /^The database rollcall\.db in DATA_DIR cannot be used: its disk reports an error\. Check the system log\. /
    const startResult = await attemptStart(folders, { variables: createPreload(FAILING_DISK_CODE) })
    expect([startResult.status, startResult.output]).toEqual([75, expect.stringMatching(message)])
    const commandResult = run([launcher, 'user', 'list'], {
      DATA_DIR: folders.dataDir,
      EVENTS_DIR: folders.eventsDir,
      ...createPreload(FAILING_DISK_CODE),
    })
    expect([commandResult.status, commandResult.stderr]).toEqual([
      2,
      expect.stringMatching(message),
    ])
    for (const commandOutput of [startResult.output, commandResult.stderr])
      expect(commandOutput).not.toMatch(/^\s+at /m)
  })

  test.each(['uploads/', 'mail/', 'backed-up', 'serving.lock', 'rollcall.db-wal'])(
    '%s alone is evidence that there was a database',
    async (name) => {
      const dataDir = join(folders.folder, 'other')
      mkdirSync(dataDir)
      if (name.endsWith('/')) mkdirSync(join(dataDir, name))
      else writeFileSync(join(dataDir, name), '1')
      expect(await attemptStartHere({ ...folders, dataDir })).toMatchObject({ status: 2 })
      expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)
    },
  )

  test('an empty log, which a first start on a full disk leaves, does not prevent a later start', async () => {
    mkdirSync(folders.dataDir, { recursive: true })
    useCompiledEvents(folders.dataDir)
    const file = join(folders.dataDir, 'rollcall.db')
    const db = new Database(file)
    db.pragma('journal_mode = WAL')
    db.close()
    writeFileSync(`${file}-wal`, '')
    expect((await attemptStartHere(folders)).status).toBe('serves')
  })
})

describe('on a full disk', () => {
  const folders = makeFolders()
  let disk: SmallDisk | null = null
  afterEach(() => {
    disk?.remove()
    disk = null
  })
  afterAll(() => folders.remove())

  // Without permission to mount, only the last test in this group runs.
  if (hasSmallDisks)
    test('a startup, even the first, exits with 75, so that the unit retries, and serves once there is space', async () => {
      disk = makeSmallDisk(40)
      const dataDir = join(disk.folder, 'var')
      disk.fill()
      const firstStart = await attemptStart({ ...folders, dataDir })
      expect([firstStart.status, firstStart.output]).toEqual([
        75,
        expect.stringMatching(/no space left.*Free some space/),
      ])
      disk.freeSpace()
      mkdirSync(dataDir, { recursive: true })
      useCompiledEvents(dataDir)
      disk.fill()
      const secondStart = await attemptStartHere({ ...folders, dataDir })
      expect([secondStart.status, secondStart.output]).toEqual([75, expect.anything()])
      disk.freeSpace()
      const server = await startServerHere({ ...folders, dataDir })
      expect(await register(server, 'asha@example.org')).toBe(201)
      await server.stop()
      disk.fill()
      const laterStart = await attemptStartHere({ ...folders, dataDir })
      expect([laterStart.status, laterStart.output]).toEqual([
        75,
        expect.stringMatching(/no space left.*Free some space/),
      ])
      disk.freeSpace()
      expect((await attemptStartHere({ ...folders, dataDir })).status).toBe('serves')
      expect(countRegistrations(dataDir)).toBe(1)
    })

  if (hasSmallDisks)
    test('a startup on a read-only disk exits with 75, so that the unit retries, and serves once the disk is writable', async () => {
      disk = makeSmallDisk(40)
      const serverFolders = { ...folders, dataDir: join(disk.folder, 'var') }
      mkdirSync(serverFolders.dataDir)
      disk.setReadOnly(true)
      expect(await attemptStartHere(serverFolders)).toMatchObject({
        status: 75,
        output: expect.stringMatching(/is on a disk that is mounted read-only.*Then start again/),
      })
      disk.setReadOnly(false)
      expect((await attemptStartHere(serverFolders)).status).toBe('serves')
    })

  // Needs no mounted disk: a limit prevents files from growing.
  test('a startup without any space exits with 75', async () => {
    const dataDir = join(folders.folder, 'limited')
    mkdirSync(dataDir)
    useCompiledEvents(dataDir)
    const limitedShell = ['sh', '-c', 'ulimit -f 0; trap "" XFSZ; exec "$@"', 'sh']
    expect(await attemptStart({ ...folders, dataDir }, { wrapper: limitedShell })).toMatchObject({
      status: 75,
    })
  })
})

/** The database file is deleted, replaced or overwritten under a running server. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../../runs.ts'
import { findDamage } from '../../../server/storage/recovery/copy-database.ts'
import { runHere } from '../run-command.ts'
import { makeFolders, startServerProcess, startServerHere } from './operator.ts'
import type { Folders, RunningServerHere } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'
import type { SmallDisk } from './small-disk.ts'

let folders: ReturnType<typeof makeFolders>
let server: RunningServerHere | null = null
/** `isOver`: whether background registrations should stop, or have stopped. */
const backgroundLoad = { isOver: true }
afterEach(async () => {
  backgroundLoad.isOver = true
  await server?.stop()
  folders.remove()
})

const POLL_OPTIONS = { timeout: 200_000, interval: 50 }
const DATABASE = 'rollcall.db'
/** The pause between two background registrations. */
const REGISTRATION_PAUSE_MS = 20
const waitForOutput = async (text: string | RegExp): Promise<void> => {
  await expect.poll(() => server?.readOutput(), POLL_OPTIONS).toMatch(text)
}

type ServerResponse = { readonly status: number; readonly regNo: string; readonly code?: string }
let delegateCount = 0
const register = async (): Promise<ServerResponse> => {
  delegateCount += 1
  const response = await fetch(`${server?.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: 'Asha Nair',
      email: `asha${delegateCount}@example.org`,
      phone_number: '1',
      ticket_type: 'afpi-gp-specialist',
    }),
  })
  const { reg_no: regNo = '', code } = await response.json()
  return { status: response.status, regNo, code }
}
const registerConcurrently = async (count: number): Promise<readonly string[]> => {
  const answers = await Promise.all(Array.from({ length: count }, register))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  return answers.map(({ regNo }) => regNo)
}
const readRegNos = (file: string): readonly string[] => {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return db.prepare<[], string>('SELECT reg_no FROM registrations').pluck().all()
  } finally {
    db.close()
  }
}

type FaultPaths = { readonly dir: string; readonly file: string; readonly copies: string }
/**
 * `isFilePresent`: a file with the database's name still exists. `isOverwritten`: data that the server has neither
 * written nor read is lost.
 */
type LossCase = readonly [
  what: string,
  isFilePresent: boolean,
  isOverwritten: boolean,
  damage: (paths: FaultPaths) => void,
]
const LOSS_CASES: readonly LossCase[] = [
  [
    'deleted with its log',
    false,
    false,
    ({ dir }) => {
      for (const name of readdirSync(dir)) if (name.startsWith(DATABASE)) rmSync(join(dir, name))
    },
  ],
  ['deleted alone', false, false, ({ file }) => rmSync(file)],
  [
    'replaced by a backup',
    true,
    false,
    ({ file, copies }) => renameSync(join(copies, 'backup', DATABASE), file),
  ],
  [
    'overwritten with a backup',
    true,
    true,
    ({ file, copies }) => copyFileSync(join(copies, 'backup', DATABASE), file),
  ],
  [
    'overwritten with a copy of the same day',
    true,
    true,
    ({ file, copies }) => copyFileSync(join(copies, DATABASE), file),
  ],
  ['truncated to nothing', true, true, ({ file }) => truncateSync(file, 0)],
  [
    'truncated in the middle',
    true,
    true,
    ({ file }) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096),
  ],
  ['intact, but its log is emptied', true, true, ({ file }) => truncateSync(`${file}-wal`, 0)],
  ['intact, but its log is deleted', true, false, ({ file }) => rmSync(`${file}-wal`)],
]

/** `npm test` tries each kind of loss once: deleted, replaced, overwritten, truncated, with an empty log. */
const REPEATED_KINDS = [
  'deleted alone',
  'overwritten with a backup',
  'truncated to nothing',
  'intact, but its log is deleted',
]
const TESTED_CASES = LOSS_CASES.filter(([what]) => ALL_RUNS || !REPEATED_KINDS.includes(what))

test.each(TESTED_CASES)(
  'if the database is %s under a running server, writes are rejected, and confirmed data is in rollcall.rescued.db',
  async (what, isFilePresent, isOverwritten, damage) => {
    folders = makeFolders()
    // One case runs the server in a separate process, as in production.
    server = await (what === 'deleted with its log' ? startServerProcess : startServerHere)(folders)
    const { dataDir: dir } = folders
    const file = join(dir, DATABASE)
    const copies = join(folders.folder, 'copies')
    mkdirSync(copies)
    const numbersBefore = await registerConcurrently(20)
    const variables = { DATA_DIR: dir, EVENTS_DIR: folders.eventsDir, CLOCK: '2025-10-10' }
    expect((await runHere(['db', 'backup', join(copies, 'backup')], variables)).status).toBe(0)
    copyFileSync(file, join(copies, DATABASE))
    const confirmedNumbers = [...numbersBefore, ...(await registerConcurrently(40))]
    // Every command makes such a checkpoint when it ends, and the server makes one from time to time.
    const db = new Database(file)
    db.pragma('wal_checkpoint(PASSIVE)')
    db.close()
    confirmedNumbers.push(...(await registerConcurrently(1)))

    // Delegates keep registering.
    backgroundLoad.isOver = false
    const backgroundRun = (async () => {
      while (!backgroundLoad.isOver) {
        const answer = await register().catch(() => null)
        if (answer?.status === 201) confirmedNumbers.push(answer.regNo)
        await pause(REGISTRATION_PAUSE_MS)
      }
    })()
    damage({ dir, file, copies })
    await waitForOutput('DO NOT STOP THE SERVER')
    await waitForOutput(
      isOverwritten
        ? /the data that could be read from the database is in .*rollcall\.rescued\.db|all data of the database is in/
        : /all data of the database is in .*rollcall\.rescued\.db/,
    )
    backgroundLoad.isOver = true
    await backgroundRun
    // Before it noticed the damage, the server may have written confirmed data into the file as usual.
    const content = isFilePresent ? readFileSync(file) : null
    const logBytes = existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : null
    expect(await register()).toMatchObject({ status: 503, code: 'busy' })
    const health = await fetch(`${server.url}/healthz`)
    expect([health.status, (await health.json()).message]).toEqual([
      503,
      expect.stringMatching(/^The database file was .* Writes are refused\. The log states where/),
    ])
    const rescuedFile = join(dir, 'rollcall.rescued.db')
    expect(statSync(rescuedFile).mode & 0o077).toBe(0)
    expect(findDamage(rescuedFile)).toBeNull()
    expect(readRegNos(rescuedFile).toSorted()).toEqual(confirmedNumbers.toSorted())

    // The shutdown does not delete files that may be needed for an analysis.
    expect(await server.stop()).toBe(0)
    expect(existsSync(file)).toBe(isFilePresent)
    if (content !== null) expect(readFileSync(file).equals(content)).toBe(true)
    expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : null).toBe(logBytes)

    // The operator restarts the server without following the instructions.
    if (isFilePresent) {
      const unchangedFolders = { ...folders, dataDir: join(folders.folder, 'as-it-is') }
      cpSync(dir, unchangedFolders.dataDir, { recursive: true, verbatimSymlinks: true })
      // If a write was in progress when the log was emptied, the log has a hole. Otherwise it is empty, and a
      // startup treats it as deleted.
      if (logBytes === null || logBytes === 0) {
        server = await startServerHere(unchangedFolders)
        expect(server.readOutput()).toMatch(/the installation is in recovery/)
        expect(server.readOutput()).toMatch(
          /a rescued database is not in use: .*rollcall\.rescued\.db/,
        )
        await server.stop()
      } else
        await expect(startServerHere(unchangedFolders)).rejects.toThrow(
          what.includes('emptied')
            ? /ended with 2: .*rollcall\.db-wal/s
            : /ended with 2: .*rollcall\.db-wal.*rollcall\.rescued\.db/s,
        )
    }
    // The operator follows the instructions in the log.
    const asideFolder = join(folders.folder, 'aside')
    mkdirSync(asideFolder)
    for (const name of readdirSync(dir))
      if (name.startsWith(DATABASE)) renameSync(join(dir, name), join(asideFolder, name))
    renameSync(rescuedFile, file)
    server = await startServerHere(folders)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    const newNumbers = await registerConcurrently(1)
    await server.stop()
    expect(readRegNos(file).toSorted()).toEqual([...confirmedNumbers, ...newNumbers].toSorted())
  },
)

test('a second rescue does not overwrite the first', async () => {
  folders = makeFolders()
  server = await startServerHere(folders)
  const { dataDir: dir } = folders
  const firstRescuedFile = join(dir, 'rollcall.rescued.db')
  copyFileSync(join(dir, DATABASE), firstRescuedFile)
  const bytes = readFileSync(firstRescuedFile)
  const confirmedNumbers = await registerConcurrently(3)
  rmSync(join(dir, DATABASE))
  await waitForOutput(/all data of the database is in .*rollcall\.rescued-2\.db/)
  expect(readFileSync(firstRescuedFile).equals(bytes)).toBe(true)
  expect(readRegNos(join(dir, 'rollcall.rescued-2.db')).toSorted()).toEqual(
    confirmedNumbers.toSorted(),
  )
})

test('a server that is stopped immediately after its database was deleted rescues the data first', async () => {
  folders = makeFolders()
  server = await startServerHere(folders)
  const { dataDir: dir } = folders
  const confirmedNumbers = await registerConcurrently(3)
  for (const name of readdirSync(dir)) if (name.startsWith(DATABASE)) rmSync(join(dir, name))
  expect(await server.stop()).toBe(0)
  expect(readRegNos(join(dir, 'rollcall.rescued.db')).toSorted()).toEqual(
    confirmedNumbers.toSorted(),
  )
})

test('after DATA_DIR is moved under a running server, the log says to move the folder back, and no data is lost', async () => {
  folders = makeFolders()
  server = await startServerHere(folders)
  const { dataDir: dir } = folders
  const confirmedNumbers = await registerConcurrently(3)
  const movedDir = `${dir}-away`
  renameSync(dir, movedDir)
  await waitForOutput(/DATA_DIR itself was moved or deleted, with the uploads\. If it was moved: /)
  await waitForOutput(/all data of the database is in .*rollcall\.rescued\.db/)
  expect(await server.stop()).toBe(0)
  expect(server.readOutput()).not.toContain('older copy')
  rmSync(dir, { recursive: true })
  renameSync(movedDir, dir)
  server = await startServerHere(folders)
  expect(await (await fetch(`${server.url}/healthz`)).json()).toMatchObject({ health: 'good' })
  expect(await server.stop()).toBe(0)
  expect(readRegNos(join(dir, DATABASE)).toSorted()).toEqual(confirmedNumbers.toSorted())
})

test('if rollcall.db-shm is emptied under a running server, the server crashes, and the next startup has all data', async () => {
  folders = makeFolders()
  server = await startServerProcess(folders)
  const file = join(folders.dataDir, DATABASE)
  const confirmedNumbers = [...(await registerConcurrently(3))]
  truncateSync(`${file}-shm`, 0)
  // The operating system kills a process that reads a memory-mapped page beyond the end of the file.
  expect(await server.exitStatus).toBe('SIGBUS')
  server = await startServerHere(folders)
  expect(await (await fetch(`${server.url}/healthz`)).json()).toMatchObject({ health: 'good' })
  confirmedNumbers.push(...(await registerConcurrently(1)))
  expect(await server.stop()).toBe(0)
  expect(readRegNos(file).toSorted()).toEqual(confirmedNumbers.toSorted())
})

test('renaming the database and immediately renaming it back, a write by another command, and VACUUM do not count as a loss', async () => {
  folders = makeFolders()
  server = await startServerHere(folders)
  const file = join(folders.dataDir, DATABASE)
  await registerConcurrently(5)
  renameSync(file, `${file}.away`)
  renameSync(`${file}.away`, file)
  const variables = { DATA_DIR: folders.dataDir, EVENTS_DIR: folders.eventsDir }
  expect((await runHere(['email', 'retry'], variables)).status).toBe(0)
  const db = new Database(file)
  db.exec('VACUUM')
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  await registerConcurrently(5)
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
  expect(server.readOutput()).not.toContain('DO NOT STOP')
  expect(readRegNos(file)).toHaveLength(10)
})

const deleteDatabase = (dir: string): void => {
  for (const name of readdirSync(dir)) if (name.startsWith(DATABASE)) rmSync(join(dir, name))
}

// These tests need permission to mount.
if (hasSmallDisks)
  describe("a database that was deleted while the disk had no space for the server's data", () => {
    let disk: SmallDisk
    let dataDir: string
    beforeEach(() => {
      folders = makeFolders()
      disk = makeSmallDisk(48)
      dataDir = join(disk.folder, 'var')
    })
    afterEach(async () => {
      // Repeats the signal, because after the first one the server waits for free space.
      const stopPromise = server?.stop()
      const stopTimer = setInterval(() => void server?.stop(), 200)
      await stopPromise
      clearInterval(stopTimer)
      server = null
      delete process.env['CACHE_DIRECTORY']
      disk.remove()
    })
    type Start = (
      serverFolders: Folders,
      variables: Readonly<Record<string, string>>,
    ) => Promise<RunningServerHere>
    const loseOnFullDisk = async (
      spareFolder: string,
      start: Start = startServerHere,
    ): Promise<readonly string[]> => {
      process.env['CACHE_DIRECTORY'] = spareFolder
      server = await start({ ...folders, dataDir }, { CACHE_DIRECTORY: spareFolder })
      const confirmedNumbers = await registerConcurrently(20)
      disk.fill()
      deleteDatabase(dataDir)
      disk.fill()
      return confirmedNumbers
    }
    const NO_SPACE_MESSAGE =
      /DO NOT STOP THE SERVER: free space in DATA_DIR, at least the size of the database/

    test('on a stop signal, the server keeps running until there is space, and then writes the data', async () => {
      const confirmedNumbers = await loseOnFullDisk(disk.folder)
      await waitForOutput(NO_SPACE_MESSAGE)
      const stopPromise = server?.stop()
      await waitForOutput('The server exits once the data is saved')
      disk.freeSpace()
      expect(await stopPromise).toBe(0)
      expect(readRegNos(join(dataDir, 'rollcall.rescued.db')).toSorted()).toEqual(
        confirmedNumbers.toSorted(),
      )
    })

    test('on a second stop signal, the server reports the data as lost and exits with 3', async () => {
      // Uses a separate process, because the server exits.
      await loseOnFullDisk(disk.folder, startServerProcess)
      const stopPromise = server?.stop()
      await waitForOutput('The server exits once the data is saved')
      const stopTimer = setInterval(() => void server?.stop(), 200)
      expect(await stopPromise).toBe(3)
      clearInterval(stopTimer)
      expect(server?.readOutput()).toContain('was saved: restore the last backup')
    })

    test('the data is saved in another folder with free space, as the log and the exit status report', async () => {
      const spareFolder = join(folders.folder, 'spare')
      mkdirSync(spareFolder)
      const confirmedNumbers = await loseOnFullDisk(spareFolder)
      await waitForOutput(/all data of the database is in .*spare.*rollcall\.rescued\.db/)
      expect(await server?.stop()).toBe(2)
      const [folder = ''] = readdirSync(spareFolder)
      expect(statSync(join(spareFolder, folder)).mode & 0o077).toBe(0)
      expect(readRegNos(join(spareFolder, folder, 'rollcall.rescued.db')).toSorted()).toEqual(
        confirmedNumbers.toSorted(),
      )
    })
  })

test('a database with an unreadable search index ("invalid fts5 file format") is rescued without the index, and is then in recovery in any folder', async () => {
  folders = makeFolders()
  server = await startServerHere(folders)
  const { dataDir } = folders
  const confirmedNumbers = [...(await registerConcurrently(20))]
  const db = new Database(join(dataDir, DATABASE))
  db.unsafeMode()
  db.pragma('writable_schema = ON')
  db.exec("UPDATE search_index_config SET v = 0 WHERE k = 'version'; CREATE TABLE other (id)")
  db.close()
  confirmedNumbers.push(...(await registerConcurrently(1)))
  deleteDatabase(dataDir)
  await waitForOutput(/the data that could be read from the database is in .*rollcall\.rescued\.db/)
  expect(await server.stop()).toBe(0)
  const rescuedFile = join(dataDir, 'rollcall.rescued.db')
  expect(findDamage(rescuedFile)).toBeNull()
  expect(readRegNos(rescuedFile).toSorted()).toEqual(confirmedNumbers.toSorted())
  const otherFolders = { ...folders, dataDir: join(folders.folder, 'elsewhere') }
  mkdirSync(otherFolders.dataDir)
  renameSync(rescuedFile, join(otherFolders.dataDir, DATABASE))
  server = await startServerHere(otherFolders)
  await waitForOutput('the installation is in recovery')
  expect((await (await fetch(`${server.url}/healthz`)).json()).troubles).toEqual([
    expect.stringMatching(/^In recovery since /),
  ])
})

test('rollcall doctor keeps the log of a server whose database was emptied, because the log still contains all data', async () => {
  folders = makeFolders()
  server = await startServerHere(folders)
  const file = join(folders.dataDir, DATABASE)
  await registerConcurrently(5)
  const logBytes = statSync(`${file}-wal`).size
  expect(logBytes).toBeGreaterThan(0)
  truncateSync(file, 0)
  const { stdout } = await runHere(['doctor'], {
    DATA_DIR: folders.dataDir,
    EVENTS_DIR: folders.eventsDir,
    PORT: String(server.port),
  })
  expect(stdout).toContain('its database is gone')
  expect(statSync(`${file}-wal`).size).toBeGreaterThanOrEqual(logBytes)
})

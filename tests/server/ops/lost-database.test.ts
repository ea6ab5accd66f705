/** The database file is deleted, replaced or written over under a server as an operator runs it. */
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
import { makeFolders, operate, operateHere } from './operator.ts'
import type { Folders, Here } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'
import type { SmallDisk } from './small-disk.ts'

let folders: ReturnType<typeof makeFolders>
let server: Here | null = null
/** Whether nobody registers any more beside what a test does. */
const beside = { isOver: true }
afterEach(async () => {
  beside.isOver = true
  await server?.stop()
  folders.remove()
})

const PATIENT = { timeout: 200_000, interval: 50 }
const DATABASE = 'rollcall.db'
/** Between two who register beside what a test does. */
const PACE_MS = 20
const said = async (text: string | RegExp): Promise<void> => {
  await expect.poll(() => server?.printed(), PATIENT).toMatch(text)
}

type Answer = { readonly status: number; readonly regNo: string; readonly code?: string }
let count = 0
const register = async (): Promise<Answer> => {
  count += 1
  const response = await fetch(`${server?.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: 'Asha Nair',
      email: `asha${count}@example.org`,
      phone_number: '1',
      ticket_type: 'afpi-gp-specialist',
    }),
  })
  const { reg_no: regNo = '', code } = await response.json()
  return { status: response.status, regNo, code }
}
const registerMany = async (many: number): Promise<readonly string[]> => {
  const answers = await Promise.all(Array.from({ length: many }, register))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  return answers.map(({ regNo }) => regNo)
}
const numbersIn = (file: string): readonly string[] => {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return db.prepare<[], string>('SELECT reg_no FROM registrations').pluck().all()
  } finally {
    db.close()
  }
}

type Places = { readonly dir: string; readonly file: string; readonly copies: string }
/**
 * `isThere`: something lies under the name of the database afterwards. `isWrittenOver`: what this process has
 * neither written nor read is in no file any more.
 */
type Case = readonly [
  what: string,
  isThere: boolean,
  isWrittenOver: boolean,
  spoil: (places: Places) => void,
]
const CASES: readonly Case[] = [
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
    'written over with a backup',
    true,
    true,
    ({ file, copies }) => copyFileSync(join(copies, 'backup', DATABASE), file),
  ],
  [
    'written over with a copy of the same day',
    true,
    true,
    ({ file, copies }) => copyFileSync(join(copies, DATABASE), file),
  ],
  ['cut off', true, true, ({ file }) => truncateSync(file, 0)],
  [
    'cut off in the middle',
    true,
    true,
    ({ file }) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096),
  ],
  ['whole, and its log is emptied', true, true, ({ file }) => truncateSync(`${file}-wal`, 0)],
  ['whole, and its log is deleted', true, false, ({ file }) => rmSync(`${file}-wal`)],
]

/** `npm test` tries each kind of loss once: gone, another file, other bytes, fewer bytes, no log. */
const SECOND_OF_A_KIND = ['written over with a backup', 'cut off']
const TRIED = CASES.filter(([what]) => ALL_RUNS || !SECOND_OF_A_KIND.includes(what))

test.each(TRIED)(
  'a database that is %s under a running server: writes are refused, and what was answered is in rollcall.rescued.db',
  async (what, isThere, isWrittenOver, spoil) => {
    folders = makeFolders()
    // One as a process, as operators have it.
    server = await (what === 'deleted with its log' ? operate : operateHere)(folders)
    const { dataDir: dir } = folders
    const file = join(dir, DATABASE)
    const copies = join(folders.folder, 'copies')
    mkdirSync(copies)
    const before = await registerMany(20)
    const variables = { DATA_DIR: dir, EVENTS_DIR: folders.eventsDir, CLOCK: '2025-10-10' }
    expect((await runHere(['db', 'backup', join(copies, 'backup')], variables)).status).toBe(0)
    copyFileSync(file, join(copies, DATABASE))
    const taken = [...before, ...(await registerMany(40))]
    // What any command beside the server does when it ends, and the server now and then.
    const shell = new Database(file)
    shell.pragma('wal_checkpoint(PASSIVE)')
    shell.close()
    taken.push(...(await registerMany(1)))

    // Delegates register all the while.
    beside.isOver = false
    const going = (async () => {
      while (!beside.isOver) {
        const answer = await register().catch(() => null)
        if (answer?.status === 201) taken.push(answer.regNo)
        await pause(PACE_MS)
      }
    })()
    spoil({ dir, file, copies })
    await said('DO NOT STOP THE SERVER')
    await said(
      isWrittenOver
        ? /the data that could be read from the database is in .*rollcall\.rescued\.db|all data of the database is in/
        : /all data of the database is in .*rollcall\.rescued\.db/,
    )
    beside.isOver = true
    await going
    // Until it noticed, the server may have written what it had answered into the file, as always.
    const left = isThere ? readFileSync(file) : null
    const logBytes = existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : null
    expect(await register()).toMatchObject({ status: 503, code: 'busy' })
    const health = await fetch(`${server.url}/healthz`)
    expect([health.status, (await health.json()).message]).toEqual([
      503,
      expect.stringMatching(/^The database file was .* Writes are refused\. The log says where/),
    ])
    const rescued = join(dir, 'rollcall.rescued.db')
    expect(statSync(rescued).mode & 0o077).toBe(0)
    expect(findDamage(rescued)).toBeNull()
    expect(numbersIn(rescued).toSorted()).toEqual(taken.toSorted())

    // The stop destroys nothing that somebody may want to look at.
    expect(await server.stop()).toBe(0)
    expect(existsSync(file)).toBe(isThere)
    if (left !== null) expect(readFileSync(file).equals(left)).toBe(true)
    expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : null).toBe(logBytes)

    // Whoever starts again all the same.
    if (isThere) {
      const asItIs = { ...folders, dataDir: join(folders.folder, 'as-it-is') }
      cpSync(dir, asItIs.dataDir, { recursive: true, verbatimSymlinks: true })
      // A write that was under way when the log was emptied lies behind a hole in it; where there was none, the log is
      // empty, which to a start is the same as one that was deleted.
      if (logBytes === null || logBytes === 0) {
        server = await operateHere(asItIs)
        expect(server.printed()).toMatch(/the installation is in recovery/)
        expect(server.printed()).toMatch(
          /a rescued database is not in use: .*rollcall\.rescued\.db/,
        )
        await server.stop()
      } else
        await expect(operateHere(asItIs)).rejects.toThrow(
          what.includes('emptied')
            ? /ended with 2: .*rollcall\.db-wal/s
            : /ended with 2: .*rollcall\.db-wal.*rollcall\.rescued\.db/s,
        )
    }
    // What the log says is to be done.
    const aside = join(folders.folder, 'aside')
    mkdirSync(aside)
    for (const name of readdirSync(dir))
      if (name.startsWith(DATABASE)) renameSync(join(dir, name), join(aside, name))
    renameSync(rescued, file)
    server = await operateHere(folders)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    const again = await registerMany(1)
    await server.stop()
    expect(numbersIn(file).toSorted()).toEqual([...taken, ...again].toSorted())
  },
)

test('a second rescue does not overwrite the first', async () => {
  folders = makeFolders()
  server = await operateHere(folders)
  const { dataDir: dir } = folders
  const first = join(dir, 'rollcall.rescued.db')
  copyFileSync(join(dir, DATABASE), first)
  const bytes = readFileSync(first)
  const taken = await registerMany(3)
  rmSync(join(dir, DATABASE))
  await said(/all data of the database is in .*rollcall\.rescued-2\.db/)
  expect(readFileSync(first).equals(bytes)).toBe(true)
  expect(numbersIn(join(dir, 'rollcall.rescued-2.db')).toSorted()).toEqual(taken.toSorted())
})

test('a server that is stopped in the moment in which its database was deleted rescues it first', async () => {
  folders = makeFolders()
  server = await operateHere(folders)
  const { dataDir: dir } = folders
  const taken = await registerMany(3)
  for (const name of readdirSync(dir)) if (name.startsWith(DATABASE)) rmSync(join(dir, name))
  expect(await server.stop()).toBe(0)
  expect(numbersIn(join(dir, 'rollcall.rescued.db')).toSorted()).toEqual(taken.toSorted())
})

test('DATA_DIR was moved under a running server, and the log spoke of an older copy: it says to move the folder back, which then has everything', async () => {
  folders = makeFolders()
  server = await operateHere(folders)
  const { dataDir: dir } = folders
  const taken = await registerMany(3)
  const away = `${dir}-away`
  renameSync(dir, away)
  await said(/DATA_DIR itself was moved or deleted, with the uploads\. If it was moved: /)
  await said(/all data of the database is in .*rollcall\.rescued\.db/)
  expect(await server.stop()).toBe(0)
  expect(server.printed()).not.toContain('older copy')
  rmSync(dir, { recursive: true })
  renameSync(away, dir)
  server = await operateHere(folders)
  expect(await (await fetch(`${server.url}/healthz`)).json()).toMatchObject({ health: 'good' })
  expect(await server.stop()).toBe(0)
  expect(numbersIn(join(dir, DATABASE)).toSorted()).toEqual(taken.toSorted())
})

test('rollcall.db-shm was emptied under a running server, which died of it: the next start has everything', async () => {
  folders = makeFolders()
  server = await operate(folders)
  const file = join(folders.dataDir, DATABASE)
  const taken = [...(await registerMany(3))]
  truncateSync(`${file}-shm`, 0)
  // The system ends whoever reads memory whose file is gone.
  expect(await server.ended).toBe('SIGBUS')
  server = await operateHere(folders)
  expect(await (await fetch(`${server.url}/healthz`)).json()).toMatchObject({ health: 'good' })
  taken.push(...(await registerMany(1)))
  expect(await server.stop()).toBe(0)
  expect(numbersIn(file).toSorted()).toEqual(taken.toSorted())
})

test('not a loss: the file is renamed and back immediately, another command writes, VACUUM', async () => {
  folders = makeFolders()
  server = await operateHere(folders)
  const file = join(folders.dataDir, DATABASE)
  await registerMany(5)
  renameSync(file, `${file}.away`)
  renameSync(`${file}.away`, file)
  const variables = { DATA_DIR: folders.dataDir, EVENTS_DIR: folders.eventsDir }
  expect((await runHere(['email', 'retry'], variables)).status).toBe(0)
  const shell = new Database(file)
  shell.exec('VACUUM')
  shell.pragma('wal_checkpoint(TRUNCATE)')
  shell.close()
  await registerMany(5)
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
  expect(server.printed()).not.toContain('DO NOT STOP')
  expect(numbersIn(file)).toHaveLength(10)
})

const deleteDatabase = (dir: string): void => {
  for (const name of readdirSync(dir)) if (name.startsWith(DATABASE)) rmSync(join(dir, name))
}

// Where nothing can be mounted, no disk is full.
if (hasSmallDisks)
  describe('a database that was deleted where the disk has no room for what the server holds', () => {
    let disk: SmallDisk
    let dataDir: string
    beforeEach(() => {
      folders = makeFolders()
      disk = makeSmallDisk(48)
      dataDir = join(disk.folder, 'var')
    })
    afterEach(async () => {
      // The last signal does not wait.
      const ending = server?.stop()
      const again = setInterval(() => void server?.stop(), 200)
      await ending
      clearInterval(again)
      server = null
      delete process.env['CACHE_DIRECTORY']
      disk.remove()
    })
    type Start = (there: Folders, variables: Readonly<Record<string, string>>) => Promise<Here>
    const lose = async (spare: string, how: Start = operateHere): Promise<readonly string[]> => {
      process.env['CACHE_DIRECTORY'] = spare
      server = await how({ ...folders, dataDir }, { CACHE_DIRECTORY: spare })
      const taken = await registerMany(20)
      disk.fill()
      deleteDatabase(dataDir)
      disk.fill()
      return taken
    }
    const NO_ROOM =
      /DO NOT STOP THE SERVER: free space in DATA_DIR, at least the size of the database/

    test('told to stop, it lost everything and ended with 0: it stays until there is room, and has then written it out', async () => {
      const taken = await lose(disk.folder)
      await said(NO_ROOM)
      const ended = server?.stop()
      await said('The server ends when it is')
      disk.makeRoom()
      expect(await ended).toBe(0)
      expect(numbersIn(join(dataDir, 'rollcall.rescued.db')).toSorted()).toEqual(taken.toSorted())
    })

    test('told to stop a second time, it says that the data is lost, and ends with 3', async () => {
      // Its process ends.
      await lose(disk.folder, operate)
      const ended = server?.stop()
      await said('The server ends when it is')
      const again = setInterval(() => void server?.stop(), 200)
      expect(await ended).toBe(3)
      clearInterval(again)
      expect(server?.printed()).toContain('was saved: restore the last backup')
    })

    test('the data is in another folder that has room, which the log names and the exit status tells of', async () => {
      const spare = join(folders.folder, 'spare')
      mkdirSync(spare)
      const taken = await lose(spare)
      await said(/all data of the database is in .*spare.*rollcall\.rescued\.db/)
      expect(await server?.stop()).toBe(2)
      const [folder = ''] = readdirSync(spare)
      expect(statSync(join(spare, folder)).mode & 0o077).toBe(0)
      expect(numbersIn(join(spare, folder, 'rollcall.rescued.db')).toSorted()).toEqual(
        taken.toSorted(),
      )
    })
  })

test('a database with a search index that cannot be read is rescued without it ("invalid fts5 file format"), and is in recovery in whatever folder it is put', async () => {
  folders = makeFolders()
  server = await operateHere(folders)
  const { dataDir } = folders
  const taken = [...(await registerMany(20))]
  const shell = new Database(join(dataDir, DATABASE))
  shell.unsafeMode()
  shell.pragma('writable_schema = ON')
  shell.exec("UPDATE search_index_config SET v = 0 WHERE k = 'version'; CREATE TABLE other (id)")
  shell.close()
  taken.push(...(await registerMany(1)))
  deleteDatabase(dataDir)
  await said(/the data that could be read from the database is in .*rollcall\.rescued\.db/)
  expect(await server.stop()).toBe(0)
  const rescued = join(dataDir, 'rollcall.rescued.db')
  expect(findDamage(rescued)).toBeNull()
  expect(numbersIn(rescued).toSorted()).toEqual(taken.toSorted())
  const elsewhere = { ...folders, dataDir: join(folders.folder, 'elsewhere') }
  mkdirSync(elsewhere.dataDir)
  renameSync(rescued, join(elsewhere.dataDir, DATABASE))
  server = await operateHere(elsewhere)
  await said('the installation is in recovery')
  expect((await (await fetch(`${server.url}/healthz`)).json()).troubles).toEqual([
    expect.stringMatching(/^In recovery since /),
  ])
})

test('rollcall doctor beside a server whose database was emptied deleted the log, in which everything still was', async () => {
  folders = makeFolders()
  server = await operateHere(folders)
  const file = join(folders.dataDir, DATABASE)
  await registerMany(5)
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

/** What a start makes of the log that a killed server left: its own, another database's, a deleted one. */
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../../server/storage/database/schema.ts'
import { wrongLogIn } from '../../../server/storage/recovery/inspect-log.ts'
import {
  attemptHere,
  killHere,
  makeFolders,
  operate,
  operateHere,
  registerDelegate,
} from './operator.ts'
import type { Folders, Here } from './operator.ts'

const made: ReturnType<typeof makeFolders>[] = []
const make = (): Folders => {
  const folders = makeFolders()
  made.push(folders)
  return folders
}
let folders: Folders
let server: Here | null = null
beforeEach(() => {
  folders = make()
})
afterEach(async () => {
  await server?.stop()
  server = null
  for (const one of made.splice(0)) one.remove()
})

const databaseIn = ({ dataDir }: Folders): string => join(dataDir, 'rollcall.db')
let count = 0
const registerMany = async ({ url }: Here, many: number): Promise<void> => {
  for (let n = 0; n < many; n += 1) {
    count += 1
    const { status } = await registerDelegate(url, `asha${count}@example.org`)
    expect(status).toBe(201)
  }
}
const registeredIn = (there: Folders): unknown => {
  const db = new Database(databaseIn(there), { readonly: true })
  try {
    return db.prepare('SELECT count(*) FROM registrations').pluck().get()
  } finally {
    db.close()
  }
}
const served = async (there: Folders, many: number): Promise<void> => {
  const one = await operateHere(there)
  await registerMany(one, many)
  await one.stop()
}
const killed = async (there: Folders, many: number): Promise<void> => {
  const one = await operateHere(there)
  await registerMany(one, many)
  await killHere(there, one)
}
const processKilled = async (there: Folders, many: number): Promise<void> => {
  const one = await operate(there)
  await registerMany(one, many)
  process.kill(one.pid, 'SIGKILL')
  await one.ended
}
const troubles = async ({ url }: Here): Promise<unknown> =>
  (await (await fetch(`${url}/healthz`)).json()).troubles

describe('a refused start had already copied a log into the database that is not its own, and said that nothing was changed', () => {
  const refused = async (why: RegExp): Promise<void> => {
    const file = databaseIn(folders)
    const before = [file, `${file}-wal`].map((name) => readFileSync(name))
    const { status, printed } = await attemptHere(folders)
    expect([status, printed]).toEqual([2, expect.stringMatching(why)])
    expect([file, `${file}-wal`].map((name, n) => readFileSync(name).equals(before[n]!))).toEqual([
      true,
      true,
    ])
  }
  const FOREIGN = /rollcall\.db-wal in .* does not belong to the database .* Nothing was changed\./

  test('the log of another installation: the database is served unchanged once that log is moved away', async () => {
    const other = make()
    await processKilled(other, 12)
    await served(folders, 3)
    const log = `${databaseIn(folders)}-wal`
    copyFileSync(`${databaseIn(other)}-wal`, log)
    await refused(FOREIGN)
    rmSync(log)
    rmSync(`${databaseIn(folders)}-shm`, { force: true })
    server = await operateHere(folders)
    expect(registeredIn(folders)).toBe(3)
  })

  test('the log of a later run beside an older copy', async () => {
    await served(folders, 3)
    const copy = join(folders.folder, 'older.db')
    copyFileSync(databaseIn(folders), copy)
    await served(folders, 12)
    await killed(folders, 12)
    copyFileSync(copy, databaseIn(folders))
    await refused(FOREIGN)
  })

  test('a database that was damaged beside its own log', async () => {
    await killed(folders, 12)
    const file = databaseIn(folders)
    const fd = openSync(file, 'r+')
    const pages = Math.floor(statSync(file).size / 4096)
    writeSync(fd, Buffer.alloc((pages - 10) * 4096), 0, undefined, 10 * 4096)
    closeSync(fd)
    await refused(/together are a damaged database\. Nothing was changed\./)
  })
})

describe('registrations of the last seconds were missing unnoticed where the log of a killed server was deleted', () => {
  test.each([
    ['rollcall.db-wal and rollcall.db-shm', ['-wal', '-shm']],
    ['rollcall.db-wal', ['-wal']],
  ])('%s: the start says so and begins a recovery', async (_what, endings) => {
    await served(folders, 3)
    await killed(folders, 3)
    for (const ending of endings) rmSync(databaseIn(folders) + ending)
    server = await operateHere(folders)
    await expect
      .poll(() => server?.printed(), { timeout: 200_000 })
      .toMatch(/"level":"error","message":"The database lacks the last writes of this server/)
    expect(await troubles(server)).toEqual([expect.stringMatching(/^In recovery since /)])
    expect(registeredIn(folders)).toBe(3)
  })

  test('begins no recovery if nothing is missing: the log exists, or another program has copied it into the file', async () => {
    await killed(folders, 3)
    await killed(folders, 3)
    const shell = new Database(databaseIn(folders))
    shell.prepare('SELECT count(*) FROM registrations').get()
    shell.close()
    expect(statSync(`${databaseIn(folders)}-wal`, { throwIfNoEntry: false })).toBe(undefined)
    await killed(folders, 0)
    server = await operateHere(folders)
    expect([await troubles(server), registeredIn(folders)]).toEqual([[], 6])
  })
})

test('a server that is killed between its first mark and copying it into the file starts again', async () => {
  const { folder } = folders
  const db = new Database(join(folder, 'rollcall.db'))
  db.pragma('journal_mode = WAL')
  await migrate(db)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.pragma(`application_id = ${5 * 2 ** 16 + 1}`)
  const left = join(folder, 'left')
  mkdirSync(left)
  for (const name of ['rollcall.db', 'rollcall.db-wal'])
    copyFileSync(join(folder, name), join(left, name))
  db.close()
  expect(wrongLogIn(left)).toBe(null)
  // The same log beside a database of which it knows another first page.
  const other = new Database(join(left, 'other.db'))
  other.exec('CREATE TABLE other (id)')
  other.close()
  renameSync(join(left, 'other.db'), join(left, 'rollcall.db'))
  expect(wrongLogIn(left)?.message).toContain('does not belong')
})

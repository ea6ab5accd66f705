/** Startups after a server was killed: with its log, with another database's log, or with the log deleted. */
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
import { explainForeignLog } from '../../../server/storage/recovery/inspect-log.ts'
import {
  attemptStartHere,
  killHere,
  makeFolders,
  startServerProcess,
  startServerHere,
  registerDelegate,
} from './operator.ts'
import type { Folders, RunningServerHere } from './operator.ts'

const allFolders: ReturnType<typeof makeFolders>[] = []
const createFolders = (): Folders => {
  const folders = makeFolders()
  allFolders.push(folders)
  return folders
}
let folders: Folders
let server: RunningServerHere | null = null
beforeEach(() => {
  folders = createFolders()
})
afterEach(async () => {
  await server?.stop()
  server = null
  for (const folder of allFolders.splice(0)) folder.remove()
})

const getDatabasePath = ({ dataDir }: Folders): string => join(dataDir, 'rollcall.db')
let delegateCount = 0
const registerMany = async (
  { url }: RunningServerHere,
  registrationCount: number,
): Promise<void> => {
  for (let n = 0; n < registrationCount; n += 1) {
    delegateCount += 1
    const { status } = await registerDelegate(url, `asha${delegateCount}@example.org`)
    expect(status).toBe(201)
  }
}
const countRegistrations = (serverFolders: Folders): unknown => {
  const db = new Database(getDatabasePath(serverFolders), { readonly: true })
  try {
    return db.prepare('SELECT count(*) FROM registrations').pluck().get()
  } finally {
    db.close()
  }
}
const registerAndStop = async (serverFolders: Folders, count: number): Promise<void> => {
  const server = await startServerHere(serverFolders)
  await registerMany(server, count)
  await server.stop()
}
const registerAndKill = async (serverFolders: Folders, count: number): Promise<void> => {
  const server = await startServerHere(serverFolders)
  await registerMany(server, count)
  await killHere(serverFolders, server)
}
const registerAndKillProcess = async (serverFolders: Folders, count: number): Promise<void> => {
  const server = await startServerProcess(serverFolders)
  await registerMany(server, count)
  process.kill(server.pid, 'SIGKILL')
  await server.exitStatus
}
const readProblems = async ({ url }: RunningServerHere): Promise<unknown> =>
  (await (await fetch(`${url}/healthz`)).json()).troubles

describe('a startup is rejected, and changes neither the database nor the log,', () => {
  const expectRejected = async (reason: RegExp): Promise<void> => {
    const file = getDatabasePath(folders)
    const contentsBefore = [file, `${file}-wal`].map((name) => readFileSync(name))
    const { status, output } = await attemptStartHere(folders)
    expect([status, output]).toEqual([2, expect.stringMatching(reason)])
    expect(
      [file, `${file}-wal`].map((name, n) => readFileSync(name).equals(contentsBefore[n]!)),
    ).toEqual([true, true])
  }
  const FOREIGN_LOG_MESSAGE =
    /rollcall\.db-wal in .* does not belong to the database .* Nothing was changed\./

  test('if the log belongs to another installation; the database is served unchanged once that log is moved away', async () => {
    const otherFolders = createFolders()
    await registerAndKillProcess(otherFolders, 12)
    await registerAndStop(folders, 3)
    const log = `${getDatabasePath(folders)}-wal`
    copyFileSync(`${getDatabasePath(otherFolders)}-wal`, log)
    await expectRejected(FOREIGN_LOG_MESSAGE)
    rmSync(log)
    rmSync(`${getDatabasePath(folders)}-shm`, { force: true })
    server = await startServerHere(folders)
    expect(countRegistrations(folders)).toBe(3)
  })

  test('if an older copy of the database is next to the log of a later run', async () => {
    await registerAndStop(folders, 3)
    const copy = join(folders.folder, 'older.db')
    copyFileSync(getDatabasePath(folders), copy)
    await registerAndStop(folders, 12)
    await registerAndKill(folders, 12)
    copyFileSync(copy, getDatabasePath(folders))
    await expectRejected(FOREIGN_LOG_MESSAGE)
  })

  test('if the database is damaged and next to its own log', async () => {
    await registerAndKill(folders, 12)
    const file = getDatabasePath(folders)
    const fd = openSync(file, 'r+')
    const pageCount = Math.floor(statSync(file).size / 4096)
    writeSync(fd, Buffer.alloc((pageCount - 10) * 4096), 0, undefined, 10 * 4096)
    closeSync(fd)
    await expectRejected(/together form a damaged database\. Nothing was changed\./)
  })
})

describe("if a killed server's log is deleted, the registrations from its last seconds are missing", () => {
  test.each([
    ['rollcall.db-wal and rollcall.db-shm', ['-wal', '-shm']],
    ['rollcall.db-wal', ['-wal']],
  ])('without %s, the startup reports the loss and begins a recovery', async (_what, suffixes) => {
    await registerAndStop(folders, 3)
    await registerAndKill(folders, 3)
    for (const suffix of suffixes) rmSync(getDatabasePath(folders) + suffix)
    server = await startServerHere(folders)
    await expect
      .poll(() => server?.readOutput(), { timeout: 200_000 })
      .toMatch(
        /"level":"error","message":"The last writes of this server are missing from the database/,
      )
    expect(await readProblems(server)).toEqual([expect.stringMatching(/^In recovery since /)])
    expect(countRegistrations(folders)).toBe(3)
  })

  test('a startup does not begin a recovery if no data is missing, because the log exists or another program has copied it into the database file', async () => {
    await registerAndKill(folders, 3)
    await registerAndKill(folders, 3)
    const db = new Database(getDatabasePath(folders))
    db.prepare('SELECT count(*) FROM registrations').get()
    db.close()
    expect(statSync(`${getDatabasePath(folders)}-wal`, { throwIfNoEntry: false })).toBe(undefined)
    await registerAndKill(folders, 0)
    server = await startServerHere(folders)
    expect([await readProblems(server), countRegistrations(folders)]).toEqual([[], 6])
  })
})

test('a server starts again if it was killed after it wrote its first mark, but before the mark was copied from the log into the file', async () => {
  const { folder } = folders
  const db = new Database(join(folder, 'rollcall.db'))
  db.pragma('journal_mode = WAL')
  await migrate(db)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.pragma(`application_id = ${5 * 2 ** 16 + 1}`)
  const copyFolder = join(folder, 'left')
  mkdirSync(copyFolder)
  for (const name of ['rollcall.db', 'rollcall.db-wal'])
    copyFileSync(join(folder, name), join(copyFolder, name))
  db.close()
  expect(explainForeignLog(copyFolder)).toBe(null)
  // According to the log, its database had a different first page.
  const otherDb = new Database(join(copyFolder, 'other.db'))
  otherDb.exec('CREATE TABLE other (id)')
  otherDb.close()
  renameSync(join(copyFolder, 'other.db'), join(copyFolder, 'rollcall.db'))
  expect(explainForeignLog(copyFolder)?.message).toContain('does not belong')
})

/** The health check, doctor and the next startup report a rescued database that is not in use. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runHere } from '../run-command.ts'
import { attemptStartHere, makeFolders, startServerHere, registerDelegate } from './operator.ts'
import type { RunningServerHere } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'
import type { SmallDisk } from './small-disk.ts'

const POLL_OPTIONS = { timeout: 200_000, interval: 100 }
let folders: ReturnType<typeof makeFolders>
let server: RunningServerHere | null = null
let disk: SmallDisk | null = null
beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  await server?.stop()
  server = null
  disk?.remove()
  disk = null
  delete process.env['CACHE_DIRECTORY']
  folders.remove()
})

type Health = {
  readonly message?: string
  readonly health?: string
  readonly troubles?: readonly string[]
}
const readHealth = async ({ url }: Pick<RunningServerHere, 'url'>): Promise<Health> =>
  (await (await fetch(`${url}/healthz`)).json()) as Health
const readHealthText = async (runningServer: RunningServerHere): Promise<string> => {
  const { message = '', troubles = [] } = await readHealth(runningServer)
  return [message, ...troubles].join('\n')
}
let delegateCount = 0
const register = async ({ url }: RunningServerHere): Promise<void> => {
  delegateCount += 1
  const { status } = await registerDelegate(url, `asha${delegateCount}@example.org`)
  expect(status).toBe(201)
}
const countRegistrations = (dataDir: string): number => {
  const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true, fileMustExist: true })
  try {
    return Number(db.prepare('SELECT count(*) FROM registrations').pluck().get())
  } finally {
    db.close()
  }
}
const deleteDatabase = (dataDir: string): void => {
  for (const name of readdirSync(dataDir))
    if (name.startsWith('rollcall.db')) rmSync(join(dataDir, name))
}
const runDoctor = (dataDir: string, variables: Readonly<Record<string, string>> = {}) =>
  runHere(['doctor'], { DATA_DIR: dataDir, EVENTS_DIR: folders.eventsDir, PORT: '1', ...variables })
/** Reads the shell commands in a message: everything from `mkdir` to the end of the sentence. */
const readCommands = (text: string): string =>
  /run: (mkdir .+rollcall\.db)\. Then start/.exec(text)?.[1] ?? `no commands in ${text}`

test('/healthz and rollcall doctor report a rescued database for as long as it is in DATA_DIR', async () => {
  server = await startServerHere(folders)
  const { dataDir } = folders
  const backup = join(folders.folder, 'backup')
  await register(server)
  const variables = { DATA_DIR: dataDir, EVENTS_DIR: folders.eventsDir, CLOCK: '2025-10-10' }
  expect((await runHere(['db', 'backup', backup], variables)).status).toBe(0)
  await register(server)
  await register(server)
  deleteDatabase(dataDir)
  const rescuedFile = join(dataDir, 'rollcall.rescued.db')
  // While the server still has the lost database open, its messages state where the data is.
  await expect
    .poll(() => readHealthText(server as RunningServerHere), POLL_OPTIONS)
    .toContain(rescuedFile)
  expect((await runDoctor(dataDir)).stdout).toContain(rescuedFile)
  await server.stop()

  // Without a database, doctor and a startup give the same commands.
  const { stdout } = await runDoctor(dataDir)
  expect(readCommands(stdout)).toMatch(/^mkdir /)
  const rejection = await attemptStartHere(folders)
  expect([rejection.status, readCommands(rejection.output)]).toEqual([2, readCommands(stdout)])

  // The operator restores an older backup instead. The rescued database is still reported.
  expect((await runHere(['db', 'restore', backup], variables)).status).toBe(0)
  server = await startServerHere(folders)
  expect((await readHealth(server)).health).toBe('degraded')
  const healthText = await readHealthText(server)
  expect(healthText).toContain(`${rescuedFile} contains the data that a server saved`)
  const doctorOutput = (await runDoctor(dataDir)).stdout
  expect(doctorOutput).toMatch(
    /rollcall\.rescued\.db .*It has 3 registrations, and rollcall\.db has 1\./,
  )
  await server.stop()

  // The operator runs the commands from the health check.
  execFileSync('sh', ['-c', readCommands(healthText)])
  expect(countRegistrations(dataDir)).toBe(3)
  server = await startServerHere(folders)
  expect(await readHealthText(server)).not.toContain('rescued')
  expect((await runDoctor(dataDir)).stdout).not.toContain('rescued')
  await register(server)
})

test('a rescued database that is not needed is reported only until it is moved away as the health check says', async () => {
  server = await startServerHere(folders)
  const { dataDir } = folders
  deleteDatabase(dataDir)
  await expect
    .poll(() => server?.readOutput(), POLL_OPTIONS)
    .toContain('all data of the database is in')
  await server.stop()
  const rescuedFile = join(dataDir, 'rollcall.rescued.db')
  copyFileSync(rescuedFile, join(dataDir, 'rollcall.db'))
  server = await startServerHere(folders)
  const healthText = await readHealthText(server)
  const [, moveCommand = ''] =
    /If nothing in it is missing from rollcall\.db, run: (.+)\.$/m.exec(healthText) ?? []
  execFileSync('sh', ['-c', moveCommand])
  await server.stop()
  server = await startServerHere(folders)
  expect(await readHealthText(server)).not.toContain('rescued')
})

// This test needs permission to mount.
if (hasSmallDisks)
  test('after an operator restores an old copy manually, messages still mention the data that was rescued into another folder', async () => {
    disk = makeSmallDisk(48)
    const dataDir = join(disk.folder, 'var')
    const spareFolder = join(folders.folder, "the server's spare folder")
    mkdirSync(spareFolder)
    const serverFolders = { ...folders, dataDir }
    process.env['CACHE_DIRECTORY'] = spareFolder
    server = await startServerHere(serverFolders)
    await register(server)
    const variables = { DATA_DIR: dataDir, EVENTS_DIR: folders.eventsDir, CLOCK: '2025-10-10' }
    const backup = join(folders.folder, 'backup')
    expect((await runHere(['db', 'backup', backup], variables)).status).toBe(0)
    await register(server)
    disk.fill()
    deleteDatabase(dataDir)
    disk.fill()
    await expect
      .poll(() => server?.readOutput(), POLL_OPTIONS)
      .toMatch(/all data of the database is in .*spare/)
    expect(await server.stop()).toBe(2)
    disk.freeSpace()
    const rejection = await attemptStartHere(serverFolders)
    expect([rejection.status, rejection.output]).toEqual([
      2,
      expect.stringMatching(/spare folder.*rollcall\.rescued\.db/),
    ])
    copyFileSync(join(backup, 'rollcall.db'), join(dataDir, 'rollcall.db'))
    server = await startServerHere(serverFolders)
    expect(server.readOutput()).toMatch(/a rescued database is not in use: .*spare folder/)
    expect(server.readOutput()).toContain('the installation is in recovery')
    const healthText = await readHealthText(server)
    expect(healthText).toContain('spare folder')
    expect((await runDoctor(dataDir)).stdout).toContain('spare folder')
    await server.stop()
    execFileSync('sh', ['-c', readCommands(healthText)])
    expect(countRegistrations(dataDir)).toBe(2)
    server = await startServerHere(serverFolders)
    expect(await readHealthText(server)).not.toContain('spare folder')
  })

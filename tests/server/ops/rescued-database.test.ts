/** What an operator sees of a database that was rescued and not yet put to use: the health check, the doctor and the next start name it. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runHere } from '../run-command.ts'
import { attemptHere, makeFolders, operateHere, registerDelegate } from './operator.ts'
import type { Here } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'
import type { SmallDisk } from './small-disk.ts'

const PATIENT = { timeout: 200_000, interval: 100 }
let folders: ReturnType<typeof makeFolders>
let server: Here | null = null
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
const healthOf = async ({ url }: Pick<Here, 'url'>): Promise<Health> =>
  (await (await fetch(`${url}/healthz`)).json()) as Health
const healthSays = async (there: Here): Promise<string> => {
  const { message = '', troubles = [] } = await healthOf(there)
  return [message, ...troubles].join('\n')
}
let count = 0
const register = async ({ url }: Here): Promise<void> => {
  count += 1
  const { status } = await registerDelegate(url, `asha${count}@example.org`)
  expect(status).toBe(201)
}
const registrationsIn = (dataDir: string): number => {
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
const doctor = (dataDir: string, more: Readonly<Record<string, string>> = {}) =>
  runHere(['doctor'], { DATA_DIR: dataDir, EVENTS_DIR: folders.eventsDir, PORT: '1', ...more })
/** The commands that a text gives, from the first to the end of the sentence. */
const commandsIn = (text: string): string =>
  /run: (mkdir .+rollcall\.db)\. Then start/.exec(text)?.[1] ?? `no commands in ${text}`

test('a rescued database lay in DATA_DIR for days and nobody was told: /healthz and rollcall doctor name it, with commands that put it to use', async () => {
  server = await operateHere(folders)
  const { dataDir } = folders
  const backup = join(folders.folder, 'backup')
  await register(server)
  const variables = { DATA_DIR: dataDir, EVENTS_DIR: folders.eventsDir, CLOCK: '2025-10-10' }
  expect((await runHere(['db', 'backup', backup], variables)).status).toBe(0)
  await register(server)
  await register(server)
  deleteDatabase(dataDir)
  const rescued = join(dataDir, 'rollcall.rescued.db')
  // While the server still stands on the lost database, its operator is told where the data is.
  await expect.poll(() => healthSays(server as Here), PATIENT).toContain(rescued)
  expect((await doctor(dataDir)).stdout).toContain(rescued)
  await server.stop()

  // No database: the doctor, and a start, give the same commands.
  const { stdout } = await doctor(dataDir)
  expect(commandsIn(stdout)).toMatch(/^mkdir /)
  const refused = await attemptHere(folders)
  expect([refused.status, commandsIn(refused.printed)]).toEqual([2, commandsIn(stdout)])

  // The operator restores the backup instead, which is older: the rescued database is still named.
  expect((await runHere(['db', 'restore', backup], variables)).status).toBe(0)
  server = await operateHere(folders)
  expect((await healthOf(server)).health).toBe('degraded')
  const said = await healthSays(server)
  expect(said).toContain(`${rescued} holds what a server wrote out`)
  const beside = (await doctor(dataDir)).stdout
  expect(beside).toMatch(/rollcall\.rescued\.db .*It has 3 registrations, and rollcall\.db has 1\./)
  await server.stop()

  // Word for word.
  execFileSync('sh', ['-c', commandsIn(said)])
  expect(registrationsIn(dataDir)).toBe(3)
  server = await operateHere(folders)
  expect(await healthSays(server)).not.toContain('rescued')
  expect((await doctor(dataDir)).stdout).not.toContain('rescued')
  await register(server)
})

test('a rescued database that is not needed is not named any more once it is moved away as the health check says', async () => {
  server = await operateHere(folders)
  const { dataDir } = folders
  deleteDatabase(dataDir)
  await expect.poll(() => server?.printed(), PATIENT).toContain('all data of the database is in')
  await server.stop()
  const rescued = join(dataDir, 'rollcall.rescued.db')
  copyFileSync(rescued, join(dataDir, 'rollcall.db'))
  server = await operateHere(folders)
  const said = await healthSays(server)
  const [, away = ''] =
    /If nothing in it is missing from rollcall\.db, run: (.+)\.$/m.exec(said) ?? []
  execFileSync('sh', ['-c', away])
  await server.stop()
  server = await operateHere(folders)
  expect(await healthSays(server)).not.toContain('rescued')
})

// Where nothing can be mounted, no disk is full.
if (hasSmallDisks)
  test('an operator put an old copy back by hand, and nothing named the data that was rescued into another folder', async () => {
    disk = makeSmallDisk(48)
    const dataDir = join(disk.folder, 'var')
    const spare = join(folders.folder, "the server's spare folder")
    mkdirSync(spare)
    const there = { ...folders, dataDir }
    process.env['CACHE_DIRECTORY'] = spare
    server = await operateHere(there)
    await register(server)
    const variables = { DATA_DIR: dataDir, EVENTS_DIR: folders.eventsDir, CLOCK: '2025-10-10' }
    const backup = join(folders.folder, 'backup')
    expect((await runHere(['db', 'backup', backup], variables)).status).toBe(0)
    await register(server)
    disk.fill()
    deleteDatabase(dataDir)
    disk.fill()
    await expect
      .poll(() => server?.printed(), PATIENT)
      .toMatch(/all data of the database is in .*spare/)
    expect(await server.stop()).toBe(2)
    disk.makeRoom()
    const refused = await attemptHere(there)
    expect([refused.status, refused.printed]).toEqual([
      2,
      expect.stringMatching(/spare folder.*rollcall\.rescued\.db/),
    ])
    copyFileSync(join(backup, 'rollcall.db'), join(dataDir, 'rollcall.db'))
    server = await operateHere(there)
    expect(server.printed()).toMatch(/a rescued database is not in use: .*spare folder/)
    expect(server.printed()).toContain('the installation is in recovery')
    const said = await healthSays(server)
    expect(said).toContain('spare folder')
    expect((await doctor(dataDir)).stdout).toContain('spare folder')
    await server.stop()
    execFileSync('sh', ['-c', commandsIn(said)])
    expect(registrationsIn(dataDir)).toBe(2)
    server = await operateHere(there)
    expect(await healthSays(server)).not.toContain('spare folder')
  })

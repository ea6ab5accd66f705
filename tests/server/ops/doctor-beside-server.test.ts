/** What `rollcall doctor` says of a database beside a server: while that starts, when its file is another one, and once it was killed. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runHere } from '../run-command.ts'
import {
  attemptHere,
  killHere,
  makeFolders,
  operate,
  operateHere,
  registerDelegate,
} from './operator.ts'
import type { Here } from './operator.ts'

const PATIENT = { timeout: 200_000, interval: 100 }
const DATABASE = 'rollcall.db'
let folders: ReturnType<typeof makeFolders>
let server: Here | null = null
beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  await server?.stop()
  server = null
  folders.remove()
})

const doctor = async (dataDir: string, port = 1): Promise<string> => {
  const { stdout } = await runHere(['doctor'], {
    DATA_DIR: dataDir,
    EVENTS_DIR: folders.eventsDir,
    PORT: String(port),
  })
  return stdout
}
const backUp = async (into: string): Promise<void> => {
  const variables = {
    DATA_DIR: folders.dataDir,
    EVENTS_DIR: folders.eventsDir,
    CLOCK: '2025-10-10',
  }
  expect((await runHere(['db', 'backup', into], variables)).status).toBe(0)
}
let count = 0
const register = async (times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    count += 1
    const { status } = await registerDelegate(server?.url ?? '', `asha${count}@example.org`)
    expect(status).toBe(201)
  }
}

test('an intact database next to an older log was called damaged: doctor says the same as a start', async () => {
  server = await operateHere(folders)
  await register(1)
  await backUp(join(folders.folder, 'backup'))
  await register(1)
  await killHere(folders, server)
  server = null
  const dataDir = join(folders.folder, 'put-together')
  mkdirSync(dataDir)
  copyFileSync(join(folders.folder, 'backup', DATABASE), join(dataDir, DATABASE))
  copyFileSync(join(folders.dataDir, `${DATABASE}-wal`), join(dataDir, `${DATABASE}-wal`))

  const said = await doctor(dataDir)
  const { status, printed } = await attemptHere({ ...folders, dataDir })
  expect([status, printed]).toEqual([2, expect.stringContaining('does not belong to the database')])
  expect(said).toContain(`wrong  ${printed.trim().split('\n').at(-1)}`)
  expect(said).not.toMatch(/damaged\. Stop|is damaged/)
})

test('a backup was copied over the database of a running server: the doctor said it is damaged, and /healthz named the rescued file without what it lacks', async () => {
  server = await operateHere(folders)
  await register(1)
  await backUp(join(folders.folder, 'backup'))
  await register(5)
  await server.stop()
  // It has read little of its database.
  const alone = await operate(folders)
  server = alone
  const { url, port, pid } = alone
  copyFileSync(join(folders.folder, 'backup', DATABASE), join(folders.dataDir, DATABASE))
  const health = async (): Promise<string> => (await fetch(`${url}/healthz`)).text()
  await expect.poll(health, PATIENT).toContain('rollcall.rescued.db')
  const INCOMPLETE =
    /rollcall\.rescued\.db .* It is not complete: (the server had stored about 6 registrations, and it has \d|some rows could not be read).* To use it/
  expect(await health()).toMatch(INCOMPLETE)

  const said = await doctor(folders.dataDir, port)
  expect(said).toMatch(
    new RegExp(
      `^wrong  A server is running on this DATA_DIR \\(process ${pid}\\)\\. The database file was written over.* Do not stop it`,
      'm',
    ),
  )
  expect(said).toMatch(INCOMPLETE)
  expect(said).not.toContain('put back the last backup')
})

test('the doctor beside a first start said that the database is gone', async () => {
  const isHeld = join(folders.folder, 'held')
  const goOn = join(folders.folder, 'go-on')
  // The thread that makes the database waits for a file.
  const starting = operate(
    folders,
    {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`
        import { existsSync, writeFileSync } from 'node:fs'
        import { workerData } from 'node:worker_threads'
        if (workerData?.migrates) {
          writeFileSync(${JSON.stringify(isHeld)}, '')
          const cell = new Int32Array(new SharedArrayBuffer(4))
          while (!existsSync(${JSON.stringify(goOn)})) Atomics.wait(cell, 0, 0, 20)
        }`)}`,
    },
    [process.execPath, join(import.meta.dirname, '..', '..', '..', 'bin', 'rollcall.js'), 'start'],
  )
  await expect.poll(() => existsSync(isHeld), PATIENT).toBe(true)
  const said = await doctor(folders.dataDir)
  writeFileSync(goOn, '')
  const alone = await starting
  server = alone
  expect(said).toMatch(
    /^look +A server is running on this DATA_DIR \(process \d+\)\. It is starting for the first time/m,
  )
  expect(said).not.toMatch(/^wrong .*(process|database)/m)
  expect(await doctor(folders.dataDir, alone.port)).toMatch(
    new RegExp(`^good +A server is running on this DATA_DIR \\(process ${alone.pid}\\)\\.$`, 'm'),
  )
})

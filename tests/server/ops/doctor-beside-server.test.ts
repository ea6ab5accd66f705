/** `rollcall doctor` next to a server that is starting, was killed, or has lost its database. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runHere } from '../run-command.ts'
import {
  attemptStartHere,
  killHere,
  makeFolders,
  startServerProcess,
  startServerHere,
  registerDelegate,
} from './operator.ts'
import type { RunningServerHere } from './operator.ts'

const POLL_OPTIONS = { timeout: 200_000, interval: 100 }
const DATABASE = 'rollcall.db'
let folders: ReturnType<typeof makeFolders>
let server: RunningServerHere | null = null
beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  await server?.stop()
  server = null
  folders.remove()
})

const runDoctorHere = async (dataDir: string, port = 1): Promise<string> => {
  const { stdout } = await runHere(['doctor'], {
    DATA_DIR: dataDir,
    EVENTS_DIR: folders.eventsDir,
    PORT: String(port),
  })
  return stdout
}
const createBackup = async (target: string): Promise<void> => {
  const variables = {
    DATA_DIR: folders.dataDir,
    EVENTS_DIR: folders.eventsDir,
    CLOCK: '2025-10-10',
  }
  expect((await runHere(['db', 'backup', target], variables)).status).toBe(0)
}
let delegateCount = 0
const registerDelegates = async (times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    delegateCount += 1
    const { status } = await registerDelegate(server?.url ?? '', `asha${delegateCount}@example.org`)
    expect(status).toBe(201)
  }
}

test('for an intact database next to an older log, doctor reports the same error as a startup, and no damage', async () => {
  server = await startServerHere(folders)
  await registerDelegates(1)
  await createBackup(join(folders.folder, 'backup'))
  await registerDelegates(1)
  await killHere(folders, server)
  server = null
  const dataDir = join(folders.folder, 'put-together')
  mkdirSync(dataDir)
  copyFileSync(join(folders.folder, 'backup', DATABASE), join(dataDir, DATABASE))
  copyFileSync(join(folders.dataDir, `${DATABASE}-wal`), join(dataDir, `${DATABASE}-wal`))

  const doctorResult = await runDoctorHere(dataDir)
  const { status, output } = await attemptStartHere({ ...folders, dataDir })
  expect([status, output]).toEqual([2, expect.stringContaining('does not belong to the database')])
  expect(doctorResult).toContain(`wrong  ${output.trim().split('\n').at(-1)}`)
  expect(doctorResult).not.toMatch(/damaged\. Stop|is damaged/)
})

test("after a backup is copied over a running server's database, doctor and /healthz report that the rescued file is incomplete", async () => {
  server = await startServerHere(folders)
  await registerDelegates(1)
  await createBackup(join(folders.folder, 'backup'))
  await registerDelegates(5)
  await server.stop()
  // The server has read only a small part of its database.
  const startedServer = await startServerProcess(folders)
  server = startedServer
  const { url, port, pid } = startedServer
  copyFileSync(join(folders.folder, 'backup', DATABASE), join(folders.dataDir, DATABASE))
  const readHealth = async (): Promise<string> => (await fetch(`${url}/healthz`)).text()
  await expect.poll(readHealth, POLL_OPTIONS).toContain('rollcall.rescued.db')
  const INCOMPLETE =
    /rollcall\.rescued\.db .* It is not complete: (the server had stored about 6 registrations, and this file has \d|some rows could not be read).* To use it/
  expect(await readHealth()).toMatch(INCOMPLETE)

  let doctorResult = ''
  // On a busy machine, the server may answer after doctor has stopped waiting.
  const runDoctor = async () => (doctorResult = await runDoctorHere(folders.dataDir, port))
  await expect
    .poll(runDoctor, POLL_OPTIONS)
    .toMatch(
      new RegExp(
        `^wrong  A server is running on this DATA_DIR \\(process ${pid}\\)\\. The database file was overwritten.* Do not stop it`,
        'm',
      ),
    )
  expect(doctorResult).toMatch(INCOMPLETE)
  expect(doctorResult).not.toContain('put back the last backup')
})

test('during a first startup, doctor does not report that the database is missing', async () => {
  const startedFile = join(folders.folder, 'held')
  const continueFile = join(folders.folder, 'go-on')
  // The thread that creates the database waits until `continueFile` exists.
  const startPromise = startServerProcess(
    folders,
    {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`
        import { existsSync, writeFileSync } from 'node:fs'
        import { workerData } from 'node:worker_threads'
        if (workerData?.migrates) {
          writeFileSync(${JSON.stringify(startedFile)}, '')
          const cell = new Int32Array(new SharedArrayBuffer(4))
          while (!existsSync(${JSON.stringify(continueFile)})) Atomics.wait(cell, 0, 0, 20)
        }`)}`,
    },
    [process.execPath, join(import.meta.dirname, '..', '..', '..', 'bin', 'rollcall.js'), 'start'],
  )
  await expect.poll(() => existsSync(startedFile), POLL_OPTIONS).toBe(true)
  const doctorResult = await runDoctorHere(folders.dataDir)
  writeFileSync(continueFile, '')
  const startedServer = await startPromise
  server = startedServer
  expect(doctorResult).toMatch(
    /^check +A server is running on this DATA_DIR \(process \d+\)\. It is starting for the first time/m,
  )
  expect(doctorResult).not.toMatch(/^wrong .*(process|database)/m)
  // On a busy machine, the server may answer after doctor has stopped waiting.
  await expect
    .poll(() => runDoctorHere(folders.dataDir, startedServer.port), POLL_OPTIONS)
    .toMatch(
      new RegExp(
        `^good +A server is running on this DATA_DIR \\(process ${startedServer.pid}\\)\\.$`,
        'm',
      ),
    )
})

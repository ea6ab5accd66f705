/** Other users of the machine cannot read the server's files. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { makePrivate } from '../../../server/ops/file-permissions.ts'
import { createPdf } from '../sample-uploads.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'

const folders: string[] = []
afterEach(() =>
  folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })),
)
const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-private-'))
  folders.push(folder)
  chmodSync(folder, 0o755)
  return folder
}
const readMode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8)
/** Lists the files and folders that other users can read, with their modes. */
const listReadableByOthers = (folder: string): string[] =>
  [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))]
    .filter((path) => (lstatSync(path).mode & 0o077) !== 0)
    .map((path) => `${path} ${readMode(path)}`)

test('other users of the machine cannot read the database, documents or emails', async () => {
  const server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent() },
    isCompiling: true,
  })
  const response = await server.post('/api/sample2026/register/', fixtureDelegate, {
    letter: { name: 'letter.pdf', bytes: createPdf('private') },
  })
  expect(response.statusCode).toBe(201)
  expect(server.listStoredUploads()).toHaveLength(1)
  expect(listReadableByOthers(server.dir)).toEqual([])
  expect(readMode(server.dir)).toBe('700')
  expect(readMode(join(server.dir, 'rollcall.db'))).toBe('600')
  await server.close()
})

test('the permissions of an older data folder are tightened at startup, and logged', async () => {
  const dataDir = createFolder()
  await (await startTestApp({ variables: { DATA_DIR: dataDir } })).close()
  mkdirSync(join(dataDir, 'uploads', 'ab'), { recursive: true, mode: 0o755 })
  writeFileSync(join(dataDir, 'uploads', 'ab', 'abcd'), 'a proof')
  for (const path of ['', 'uploads', 'uploads/ab']) chmodSync(join(dataDir, path), 0o755)
  chmodSync(join(dataDir, 'uploads/ab/abcd'), 0o644)
  const server = await startTestApp({ variables: { DATA_DIR: dataDir } })
  expect(listReadableByOthers(dataDir)).toEqual([])
  expect(server.log).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      tightened: 4,
      message: expect.stringContaining('DATA_DIR'),
    }),
  )
  await server.close()
  expect(makePrivate(dataDir).restrictedCount).toBe(0)
})

test("a shared folder keeps its permissions, but those of Rollcall's files in it are tightened", () => {
  const dataDir = createFolder()
  writeFileSync(join(dataDir, 'notes.txt'), 'of another user')
  writeFileSync(join(dataDir, 'rollcall.db'), '')
  for (const name of ['notes.txt', 'rollcall.db']) chmodSync(join(dataDir, name), 0o644)
  makePrivate(dataDir)
  expect([dataDir, join(dataDir, 'notes.txt'), join(dataDir, 'rollcall.db')].map(readMode)).toEqual(
    ['755', '644', '600'],
  )
  rmSync(join(dataDir, 'notes.txt'))
  chmodSync(dataDir, 0o1777)
  makePrivate(dataDir)
  expect(readMode(dataDir)).toBe('777')
})

test('a command run alongside the server ignores an email that is still being written', async () => {
  const dataDir = createFolder()
  mkdirSync(join(dataDir, 'mail'))
  // Writes and renames files as the mailer does, until it is terminated.
  const mailWriter = new Worker(
    `const { writeFileSync, renameSync } = require('node:fs')
     const { parentPort, workerData } = require('node:worker_threads')
     const turn = (n) => {
       writeFileSync(workerData + '/' + (n % 20) + '.eml.part', '')
       renameSync(workerData + '/' + (n % 20) + '.eml.part', workerData + '/' + (n % 20) + '.eml')
       if (n === 0) parentPort.postMessage('begun')
       setImmediate(turn, n + 1)
     }
     turn(0)`,
    { eval: true, workerData: join(dataDir, 'mail') },
  )
  await once(mailWriter, 'message')
  for (let attempt = 0; attempt < 500; attempt += 1) makePrivate(dataDir)
  await mailWriter.terminate()
})

test('a DATA_DIR that cannot be created causes an error, not an endless loop', () => {
  expect(() => makePrivate('/proc/rollcall')).toThrow(/ENOENT|EACCES|EPERM/)
})

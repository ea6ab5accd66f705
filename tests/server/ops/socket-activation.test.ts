/** A server that is started again on a socket that somebody holds for it: nobody who asks meanwhile is refused. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { launcher, BASE_ENV } from '../run-command.ts'
import { hold } from './socket-parent.ts'
import { asking } from './load.ts'
import { makeFolders } from './operator.ts'

const folders = makeFolders()
afterAll(() => folders.remove())

test('restarted under load: every request gets a response, and is registered once', async () => {
  const held = await hold(folders)
  // Before there is any server: it waits, and is not refused.
  const first = fetch(`${held.url}/healthz`, { headers: { connection: 'close' } })
  held.start()
  await held.serving()
  expect((await first).status).toBe(200)
  // One that is there before the server is told to stop, and asks a moment later.
  const socket = connect(held.port, '127.0.0.1')
  await once(socket, 'connect')
  const load = asking(held.url, { clients: 6 })
  // Answers to those who came later say that it has been let in.
  await load.answered(20)
  const ended = held.stop()
  await expect.poll(held.printed, { timeout: 200_000, interval: 1 }).toContain('"stopping"')
  socket.write('GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n')
  let answer = ''
  try {
    for await (const chunk of socket) answer += String(chunk)
  } catch (error) {
    answer += String(error)
  }
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(await ended).toBe(0)
  const waited = load.count()
  held.start()
  await load.answered(waited + 20)
  const { statuses, regNos } = await load.end()
  await held.close()
  expect(statuses).toEqual({ 200: expect.any(Number), 201: regNos.length })
  const db = new Database(join(folders.dataDir, 'rollcall.db'), { readonly: true })
  const stored = db.prepare('SELECT reg_no FROM registrations').pluck().all()
  db.close()
  expect(stored.toSorted()).toEqual(regNos.toSorted())
})

test('accepts a socket only if it was opened for this process, and only one', () => {
  const given = (variables: Readonly<Record<string, string>>) => readEnvironment(variables, 4711)
  const socketFd = (variables: Readonly<Record<string, string>>): unknown => {
    const read = given(variables)
    return read.ok ? read.value.socketFd : read.error
  }
  expect(socketFd({ LISTEN_FDS: '1', LISTEN_PID: '4711' })).toBe(3)
  expect(socketFd({ LISTEN_FDS: '1', LISTEN_PID: '4712' })).toBe(undefined)
  expect(socketFd({ LISTEN_FDS: '1' })).toBe(undefined)
  expect(socketFd({ LISTEN_FDS: '2', LISTEN_PID: '4711' })).toEqual([
    'LISTEN_FDS is 2, but Rollcall accepts only one socket.',
  ])
})

test('a missing socket prints a sentence and exits with 2', () => {
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@" 3<&-', 'sh', process.execPath, launcher, 'start'],
    {
      encoding: 'utf8',
      env: {
        ...BASE_ENV,
        DATA_DIR: join(folders.folder, 'promised'),
        EVENTS_DIR: folders.eventsDir,
        SANDBOX_PORT: '0',
        ADMIN_PASSWORD: 'a password for operators',
      },
    },
  )
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(
      /LISTEN_FDS names a socket for the server, but it cannot listen on it \(\w+\)\.\n$/,
    ),
  ])
})

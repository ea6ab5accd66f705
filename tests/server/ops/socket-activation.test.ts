/** No connection is refused while a server restarts on a socket that another process holds. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { launcher, BASE_ENV } from '../run-command.ts'
import { startSocketParent } from './socket-parent.ts'
import { startLoad } from './load.ts'
import { makeFolders } from './operator.ts'

const folders = makeFolders()
afterAll(() => folders.remove())

test('when a server restarts under load, every request gets a response, and every delegate is registered once', async () => {
  const socketParent = await startSocketParent(folders)
  // Before a server is running, the client waits and is not refused.
  const firstResponse = fetch(`${socketParent.url}/healthz`, { headers: { connection: 'close' } })
  socketParent.start()
  await socketParent.waitUntilServing()
  expect((await firstResponse).status).toBe(200)
  // A client connects before the stop signal, and sends its request a moment later.
  const socket = connect(socketParent.port, '127.0.0.1')
  await once(socket, 'connect')
  const clientLoad = startLoad(socketParent.url, { clients: 6 })
  // Responses to later clients show that the server has accepted this connection.
  await clientLoad.waitForResponses(20)
  const stopPromise = socketParent.stop()
  await expect
    .poll(socketParent.readOutput, { timeout: 200_000, interval: 1 })
    .toContain('"stopping"')
  socket.write('GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n')
  let answer = ''
  try {
    for await (const chunk of socket) answer += String(chunk)
  } catch (error) {
    answer += String(error)
  }
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(await stopPromise).toBe(0)
  const countBefore = clientLoad.count()
  socketParent.start()
  await clientLoad.waitForResponses(countBefore + 20)
  const { statuses, regNos } = await clientLoad.end()
  await socketParent.close()
  expect(statuses).toEqual({ 200: expect.any(Number), 201: regNos.length })
  const db = new Database(join(folders.dataDir, 'rollcall.db'), { readonly: true })
  const storedRegNos = db.prepare('SELECT reg_no FROM registrations').pluck().all()
  db.close()
  expect(storedRegNos.toSorted()).toEqual(regNos.toSorted())
})

test('a server accepts only one socket, and only if it was opened for its process', () => {
  const readSockets = (variables: Readonly<Record<string, string>>) =>
    readEnvironment(variables, 4711)
  const readSocketFd = (variables: Readonly<Record<string, string>>): unknown => {
    const socketsResult = readSockets(variables)
    return socketsResult.ok ? socketsResult.value.socketFd : socketsResult.error
  }
  expect(readSocketFd({ LISTEN_FDS: '1', LISTEN_PID: '4711' })).toBe(3)
  expect(readSocketFd({ LISTEN_FDS: '1', LISTEN_PID: '4712' })).toBe(undefined)
  expect(readSocketFd({ LISTEN_FDS: '1' })).toBe(undefined)
  expect(readSocketFd({ LISTEN_FDS: '2', LISTEN_PID: '4711' })).toEqual([
    'LISTEN_FDS is 2, but Rollcall accepts only one socket.',
  ])
})

test('a start without its socket prints a message and exits with 2', () => {
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
      /LISTEN_FDS provides a socket, but the server cannot listen on it \(\w+\)\.\n$/,
    ),
  ])
})

/** Messages when disk space, open files or inodes run out, or the events folder is missing. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../../runs.ts'
import { launcher, BASE_ENV, runHere, top } from '../run-command.ts'
import {
  attemptStart,
  attemptStartHere,
  makeFolders,
  startServerProcess,
  startServerHere,
} from './operator.ts'
import type { RunningServerHere } from './operator.ts'
import { hasSmallDisks, makeSmallDisk } from './small-disk.ts'
import type { SmallDisk } from './small-disk.ts'

/** The limit on open files. A server process needs about a third of this number. */
const FILE_LIMIT = 160

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

const register = async ({ url }: RunningServerHere, email: string): Promise<number> => {
  const { status } = await fetch(`${url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: 'Asha Nair',
      email,
      phone_number: '1',
      ticket_type: 'afpi-gp-specialist',
    }),
  })
  return status
}

test('the health check reports that the events folder is missing, and the events are still served', async () => {
  server = await startServerHere(folders)
  const { url } = server
  const readHealth = async (): Promise<{ health?: string; troubles?: readonly string[] }> =>
    (await (await fetch(`${url}/healthz`)).json()) as object
  await expect.poll(readHealth).toMatchObject({ health: 'good' })
  renameSync(folders.eventsDir, `${folders.eventsDir}-away`)
  await expect.poll(readHealth, { timeout: 200_000, interval: 200 }).toMatchObject({
    health: 'degraded',
    troubles: [
      expect.stringMatching(/^EVENTS_DIR is .+, which does not exist\. Restore or mount it/),
    ],
  })
  expect(await register(server, 'asha@example.org')).toBe(201)
  renameSync(`${folders.eventsDir}-away`, folders.eventsDir)
  await expect
    .poll(readHealth, { timeout: 200_000, interval: 200 })
    .toMatchObject({ health: 'good' })
})

test('a server that cannot open more files reports itself as unhealthy', async () => {
  server = await startServerProcess(folders, {}, [
    'sh',
    '-c',
    `ulimit -n ${FILE_LIMIT}; exec "$@"`,
    'sh',
    process.execPath,
    launcher,
    'start',
  ])
  // Uses an existing connection, because no new one would be accepted.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { port } = server
  const readHealth = async (): Promise<{ status: number | undefined; output: string }> => {
    const healthRequest = request({ agent, port, host: '127.0.0.1', path: '/healthz' }).end()
    const [answer] = await once(healthRequest, 'response')
    return { status: answer.statusCode, output: await text(answer) }
  }
  expect(await readHealth()).toMatchObject({ status: 200 })
  const idleSockets: Socket[] = []
  try {
    for (let n = 0; n < FILE_LIMIT; n += 1) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      idleSockets.push(socket)
    }
    await expect.poll(readHealth, { timeout: 200_000, interval: 200 }).toMatchObject({
      status: 503,
      output: expect.stringContaining(
        'No more files or connections can be opened. Raise the limit',
      ),
    })
  } finally {
    for (const socket of idleSockets) socket.destroy()
  }
  await expect.poll(readHealth, { timeout: 200_000, interval: 200 }).toMatchObject({ status: 200 })
  agent.destroy()
})

describe('with a full disk', () => {
  let disk: SmallDisk
  beforeEach(() => {
    if (hasSmallDisks) disk = makeSmallDisk(48)
  })
  afterEach(async () => {
    await server?.stop()
    server = null
    if (hasSmallDisks) disk.remove()
  })

  if (hasSmallDisks)
    test('with 47 MB free, the health check returns 200, because delegates can still register', async () => {
      const runningServer = await startServerHere({ ...folders, dataDir: join(disk.folder, 'var') })
      server = runningServer
      const readHealth = async (): Promise<{ status: number; health?: string; code?: string }> => {
        const answer = await fetch(`${runningServer.url}/healthz`)
        return { ...(await answer.json()), status: answer.status }
      }
      expect(await register(runningServer, 'asha@example.org')).toBe(201)
      expect(await readHealth()).toMatchObject({
        status: 200,
        health: 'degraded',
        troubles: [
          expect.stringMatching(
            /^The disk is nearly full: \d+ MB is free\. Registrations are still/,
          ),
        ],
      })
      disk.fill()
      for (let n = 0; (await register(runningServer, `more${n}@example.org`)) !== 503; n += 1);
      await expect
        .poll(readHealth, { timeout: 200_000, interval: 200 })
        .toMatchObject({ status: 503, code: expect.stringMatching(/^(cannot_write|no_room)$/) })
      disk.freeSpace()
      await expect.poll(() => register(runningServer, 'again@example.org')).toBe(201)
    })

  // This test needs permission to mount. metrics.test.ts tests SQLite with a file size limit instead.
  if (hasSmallDisks)
    test('signed-in users can still read and export, and their access is logged once there is space', async () => {
      server = await startServerHere({ ...folders, dataDir: join(disk.folder, 'var') })
      const { url } = server
      for (let n = 0; n < 20; n += 1)
        expect(await register(server, `asha${n}@example.org`)).toBe(201)
      const signIn = async (): Promise<string> => {
        const answer = await fetch(`${url}/admin/login/`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: 'admin', password: 'a password for operators' }),
        })
        const body = (await answer.json()) as { token?: string }
        expect([answer.status, body]).toEqual([200, expect.anything()])
        return body.token ?? ''
      }
      const tokenBefore = await signIn()
      disk.fill()
      // Writes the database's log until it has used the remaining space.
      for (let n = 0; (await register(server, `more${n}@example.org`)) !== 503; n += 1);
      const read = async (token: string, path: string): Promise<[string, number]> => {
        const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
        await answer.arrayBuffer()
        return [path, answer.status]
      }
      const readDatabase = (sql: string): readonly unknown[] => {
        const db = new Database(join(disk.folder, 'var', 'rollcall.db'), { readonly: true })
        try {
          return db.prepare(sql).pluck().all()
        } finally {
          db.close()
        }
      }
      const [regNo] = readDatabase('SELECT reg_no FROM registrations')
      const paths = [
        '/admin/afpicon/registrations/',
        '/admin/afpicon/registrations/?search=asha',
        `/admin/registrations/${regNo}/`,
        '/admin/export/?event_type=afpicon',
        '/admin/export/?event_type=afpicon&as=xlsx',
        '/admin/dashboard/stats/',
      ]
      for (const path of paths) expect(await read(tokenBefore, path)).toEqual([path, 200])
      expect(await register(server, 'still@example.org')).toBe(503)
      disk.freeSpace()
      await expect.poll(() => register(server as RunningServerHere, 'again@example.org')).toBe(201)
      await server.stop()
      const auditEntries = readDatabase('SELECT what FROM audit_log ORDER BY id')
      expect(auditEntries).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^exported the list \S+$/),
          expect.stringMatching(/^exported the list .+ to Excel/),
        ]),
      )
    })
})

/** Builds the start of a command line that runs a program with a limit on open files. */
const buildLimitedCommand = (maxFiles: number): readonly string[] => [
  'sh',
  '-c',
  `ulimit -n ${maxFiles}; exec "$@"`,
  'sh',
]
const runLimited = (
  maxFiles: number,
  ...args: readonly string[]
): { readonly status: number | null; readonly output: string } => {
  const [program = '', ...programArgs] = buildLimitedCommand(maxFiles)
  const { status, stdout, stderr } = spawnSync(
    program,
    [...programArgs, process.execPath, launcher, ...args],
    {
      cwd: top,
      encoding: 'utf8',
      env: { ...BASE_ENV, DATA_DIR: folders.dataDir, EVENTS_DIR: folders.eventsDir },
    },
  )
  return { status, output: stdout + stderr }
}
const STACK_LINE = /^ +at .+:\d+:\d+/m

/** Each limit stops the startup at a different point. `npm test` tries two of them. */
test.each(ALL_RUNS ? [24, 28, 32, 40, 64] : [24, 40])(
  'a startup with a limit of %i open files explains how to raise the limit, without a stack trace',
  async (maxFiles) => {
    const { status, output } = await attemptStart(folders, {
      wrapper: buildLimitedCommand(maxFiles),
    })
    expect(output).toContain(
      'Raise the limit: LimitNOFILE in the systemd unit, or ulimit -n in a shell.',
    )
    expect(output).not.toMatch(STACK_LINE)
    expect(output).not.toContain('GATEWAY_MODE')
    expect(status).toBe(75)
  },
)

test.each(ALL_RUNS ? [22, 23, 24] : [23])(
  'rollcall validate with ulimit -n %i reports the limit, without a stack trace',
  (maxFiles) => {
    const { status, output } = runLimited(maxFiles, 'validate')
    expect(output).not.toMatch(STACK_LINE)
    // How many files are needed depends on the version of Node.
    if (status === 0) return
    expect([status, output]).toEqual([
      2,
      expect.stringMatching(/too many files are open.*ulimit -n/),
    ])
  },
)

// These tests need permission to mount.
if (hasSmallDisks)
  describe('on a disk without free inodes', () => {
    let disk: SmallDisk
    beforeEach(() => {
      disk = makeSmallDisk(256, 400)
    })
    afterEach(async () => {
      await server?.stop()
      server = null
      disk.remove()
    })

    test.each([0, 5])(
      'a startup with %i free inodes reports how many more files the disk can hold',
      async (freeInodes) => {
        const dataDir = join(disk.folder, 'var')
        server = await startServerHere({ ...folders, dataDir })
        await server.stop()
        disk.fillFiles(freeInodes)
        const rejection = await attemptStartHere({ ...folders, dataDir })
        expect(rejection.output).toMatch(
          new RegExp(
            `^The disk of DATA_DIR \\(${dataDir}\\) can hold only ${freeInodes} more files`,
            'm',
          ),
        )
        expect(rejection.output).not.toMatch(STACK_LINE)
        expect(rejection.status).toBe(75)
        // A backup to this disk reports the same.
        if (freeInodes === 0) {
          disk.removeFillerFiles()
          const backupFolder = join(disk.folder, 'backups')
          mkdirSync(backupFolder)
          disk.fillFiles(0)
          const { status, stderr } = await runHere(['db', 'backup', join(backupFolder, 'copy')], {
            DATA_DIR: dataDir,
            EVENTS_DIR: folders.eventsDir,
            CLOCK: '2025-10-10',
          })
          expect([status, stderr]).toEqual([2, expect.stringContaining('no free inodes')])
        }
        disk.removeFillerFiles()
        server = await startServerHere({ ...folders, dataDir })
        expect(await register(server, 'asha@example.org')).toBe(201)
      },
    )

    test('the health check reports a disk with few free inodes', async () => {
      server = await startServerHere({ ...folders, dataDir: join(disk.folder, 'var') })
      const { url } = server
      const readHealth = async (): Promise<object> => await (await fetch(`${url}/healthz`)).json()
      disk.fillFiles(0)
      await expect.poll(readHealth, { timeout: 200_000, interval: 200 }).toMatchObject({
        health: 'degraded',
        troubles: expect.arrayContaining([
          expect.stringMatching(/^No file can be created on the disk of DATA_DIR \(inodes\)/),
        ]),
      })
    })
  })

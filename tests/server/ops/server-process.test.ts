/** A server process: output, exit statuses, request bodies over a real socket, and shutdown. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import Database from 'better-sqlite3'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { bootServer } from '../../../server/main.ts'
import { lockDataFolder } from '../../../server/storage/database/single-server-lock.ts'
import { registerThorough } from '../../runs.ts'
import { createPdf } from '../sample-uploads.ts'
import { sendHalf } from './operator.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { hostileFiles } from '../hostile-uploads.ts'
import { useCompiledEvents } from '../prepared-files.ts'
import { BASE_ENV, runHere, top } from '../run-command.ts'
import { openStoreInProcess } from '../store-without-threads.ts'
import { beginUpload } from '../upload-client.ts'

/** The size limit of the sample event's proof. */
const PROOF_BYTES = 5 * 1024 * 1024
/** Enough uploads to far exceed the memory that a server always uses: V8 may keep up to 64 MB of unused buffers. */
const PROOF_COUNT = 40
const folder = mkdtempSync(join(tmpdir(), 'rollcall-process-'))
// The test needs only one event.
for (const name of ['_shared', 'afpicon2026.yaml'])
  cpSync(join(top, 'events', name), join(folder, 'events', name), { recursive: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the server in this process. Returns its output, and the server or the reason why it did not start. */
async function bootHere(name: string, variables: Readonly<Record<string, string>> = {}) {
  useCompiledEvents(join(folder, name))
  const environmentResult = readEnvironment({ ...getDefaultVariables(name), ...variables })
  if (!environmentResult.ok) throw new Error(environmentResult.error.join(' '))
  const environment = environmentResult.value
  let output = ''
  const print = (text: string): void => void (output += `${text}\n`)
  const { promise: stopRequested, resolve: requestStop } = Promise.withResolvers<string>()
  const bootResult = await bootServer(
    environment,
    { print, printError: print, environment: () => environment },
    { write: () => {}, waitForStop: () => stopRequested },
    { openStore: openStoreInProcess },
  )
  return { booted: bootResult, readOutput: () => output, requestStop }
}

/** Attempts a startup that must fail, and returns the result as `ended with STATUS: TEXT`. */
async function expectRejectedStart(
  name: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { booted: bootResult, readOutput } = await bootHere(name, variables)
  expect(bootResult.ok).toBe(false)
  return bootResult.ok
    ? ''
    : `ended with ${bootResult.error.status}: ${readOutput()}${bootResult.error.text}`
}

/** Starts a server in this process. Throws if it does not start. */
async function startInProcess(name: string) {
  const { booted: bootResult, readOutput, requestStop } = await bootHere(name)
  if (!bootResult.ok) throw new Error(bootResult.error.text)
  const { url, stopped: ended } = bootResult.value
  return {
    url,
    readOutput,
    stop: async () => {
      requestStop('the test')
      await ended
    },
  }
}

type Server = {
  readonly url: string
  readonly port: number
  readonly dataDir: string
  readonly readOutput: () => string
  readonly process: ChildProcess
  readonly stop: () => Promise<number | null>
}
/** Returns the default environment variables for the servers in this file. */
const getDefaultVariables = (name: string): Readonly<Record<string, string>> => ({
  PORT: '0',
  SANDBOX_PORT: '0',
  DATA_DIR: join(folder, name),
  EVENTS_DIR: join(folder, 'events'),
  RATE_LIMITS: 'off',
  CLOCK: '2025-10-10',
})

/** Starts a server process without the web app, so that no test waits for a build. */
async function startServer(
  name: string,
  variables: Readonly<Record<string, string>> = {},
  commandPrefix: readonly string[] = [],
): Promise<Server> {
  const dataDir = join(folder, name)
  useCompiledEvents(dataDir)
  const script = join(folder, `${name}.mjs`)
  writeFileSync(
    script,
    `import { bootServer } from ${JSON.stringify(join(top, 'server', 'main.ts'))}
import { loadEnvironment } from ${JSON.stringify(join(top, 'server', 'ops', 'environment.ts'))}
const read = loadEnvironment()
if (!read.ok) throw new Error(read.error.join(' '))
const booted = await bootServer(read.value, { print: console.log, printError: console.error, environment: () => read.value })
if (!booted.ok) { console.error(booted.error.text); process.exit(booted.error.status) }
await booted.value.stopped
`,
  )
  const [command = '', ...args] = [...commandPrefix, process.execPath, script]
  const child = spawn(command, args, {
    cwd: top,
    env: {
      ...BASE_ENV,
      ...getDefaultVariables(name),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const addOutput = (chunk: Buffer): void => {
      output += chunk.toString()
      const serverUrl = /serves \d+ events? on (http:\/\/[^\s]+)[^]*Sandbox/.exec(output)?.[1]
      if (serverUrl !== undefined) resolve(serverUrl)
    }
    child.stdout.on('data', addOutput)
    child.stderr.on('data', addOutput)
    // On 'close', all of the process's output has arrived.
    child.once('close', (status) => reject(new Error(`ended with ${status}: ${output}`)))
  })
  const stop = async (): Promise<number | null> => {
    if (child.exitCode !== null) return child.exitCode
    child.kill('SIGTERM')
    const [status] = (await once(child, 'exit')) as [number | null]
    return status
  }
  return {
    url,
    port: Number(new URL(url).port),
    dataDir,
    readOutput: () => output,
    process: child,
    stop,
  }
}

describe('over a real socket', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer('socket')
  })
  afterAll(() => server.stop())

  test.each([
    ['with its length', true],
    ['without its length', false],
  ])('a body of 100 MB (%s) gets 413, and nothing is stored', async (_what, isAnnounced) => {
    const chunk = new Uint8Array(1024 * 1024).fill(32)
    let sentChunks = 0
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sentChunks++ < 100) controller.enqueue(chunk)
        else controller.close()
      },
    })
    const body = isAnnounced
      ? { body: Buffer.alloc(100 * 1024 * 1024, 32) }
      : { body: stream, duplex: 'half' as const }
    const response = await fetch(`${server.url}/api/afpicon/register/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...body,
    })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ status: 'error', code: 'too_large' })
    const db = new Database(join(server.dataDir, 'rollcall.db'), { readonly: true })
    expect(db.prepare('SELECT count(*) AS n FROM registrations').get()).toEqual({ n: 0 })
    db.close()
  })

  test(
    'forty concurrent uploads of 5 MB are written to disk as they arrive; an aborted upload leaves no file',
    { tags: ['slow'] },
    async () => {
      const answers = {
        full_name: 'Asha Nair',
        email: 'asha@example.org',
        phone_number: '1',
        ticket_type: 'afpi-pg',
      }
      const startUpload = () =>
        beginUpload(`${server.url}/api/afpicon/register/`, answers, 'pg_proof', PROOF_BYTES)
      await (await startUpload()).finish()
      const idleBytes = await readMemoryBytes(server)
      const uploads = await Promise.all(Array.from({ length: PROOF_COUNT }, startUpload))
      const incomingFolder = join(server.dataDir, 'uploads', 'incoming')
      await expect
        .poll(
          () =>
            readdirSync(incomingFolder).map((name) => statSync(join(incomingFolder, name)).size),
          {
            timeout: 200_000,
            interval: 20,
          },
        )
        .toEqual(Array.from({ length: PROOF_COUNT }, () => PROOF_BYTES))
      // Uploads held in memory would occupy at least their own size. The limit allows for sockets and for memory that
      // is not collected yet.
      expect((await readMemoryBytes(server)) - idleBytes).toBeLessThan(
        0.75 * PROOF_COUNT * PROOF_BYTES,
      )
      const [abortedUpload, ...otherUploads] = uploads
      abortedUpload?.request.destroy()
      const statuses = await Promise.all(
        otherUploads.map(async (upload) => (await upload.finish()).status),
      )
      expect(new Set(statuses)).toEqual(new Set([201]))
      await expect
        .poll(() => readdirSync(incomingFolder), { timeout: 200_000, interval: 20 })
        .toEqual([])
    },
  )

  test(
    'concurrent hostile uploads are all rejected, and the server responds and uses little memory',
    { tags: ['slow'] },
    async () => {
      const answers = {
        full_name: 'x',
        email: 'asha@example.org',
        phone_number: '1',
        ticket_type: 'afpi-pg',
      }
      const send = async (name: string, bytes: Buffer): Promise<number> => {
        const body = new FormData()
        for (const [field, value] of Object.entries(answers)) body.set(field, value)
        body.set('pg_proof', new File([new Uint8Array(bytes)], name))
        const response = await fetch(`${server.url}/api/afpicon/register/`, {
          method: 'POST',
          body,
        })
        await response.arrayBuffer()
        return response.status
      }
      const idleBytes = await readMemoryBytes(server)
      const statuses = Promise.all(hostileFiles.map(([, name, bytes]) => send(name, bytes)))
      expect((await fetch(`${server.url}/api/afpicon/tariff-info/`)).status).toBe(200)
      // In an OLE file, further tables begin at 7 MB, which exceeds the field's limit.
      expect(await statuses).toEqual(
        hostileFiles.map(([, , { length }]) => (length > PROOF_BYTES ? 413 : 422)),
      )
      expect((await readMemoryBytes(server)) - idleBytes).toBeLessThan(200 * 1024 * 1024)
      expect(readdirSync(join(server.dataDir, 'uploads', 'incoming'))).toEqual([])
    },
  )

  test('a document that is too large gets 413 on a connection that stays open', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const url = `${server.url}/api/afpicon/register/`
    const upload = await beginUpload(url, { full_name: 'x' }, 'pg_proof', PROOF_BYTES + 1, {
      agent,
    })
    const { status, answer } = await upload.finish()
    expect([status, answer['code']]).toEqual([413, 'file_too_large'])
    const laterUpload = await beginUpload(url, { full_name: 'x' }, 'pg_proof', 1000, { agent })
    expect((await laterUpload.finish()).status).toBe(422)
    expect(laterUpload.request.reusedSocket).toBe(true)
    expect(readdirSync(join(server.dataDir, 'uploads', 'incoming'))).toEqual([])
    agent.destroy()
  })

  test('invalid HTTP is rejected with an error in the usual format', async () => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write('HELLO\r\n\r\n')
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      status: 'error',
      code: 'bad_request',
      message: 'We could not read the request.',
    })
  })

  test('the gateway has a separate origin', () => {
    const sandbox = /Sandbox {2}(http:\/\/[^\s]+)/.exec(server.readOutput())?.[1] ?? ''
    expect(new URL(sandbox).origin).not.toBe(new URL(server.url).origin)
    expect(new URL(sandbox).hostname).not.toBe(new URL(server.url).hostname)
  })
})

describe('starting and stopping', () => {
  test('the first start prints a password that works for signing in; the second start prints none', async () => {
    const first = await startInProcess('admin')
    const password = /Admin {4}admin, password (\S+)/.exec(first.readOutput())?.[1] ?? ''
    expect(password).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
    const signInResponse = await fetch(`${first.url}/admin/login/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password }),
    })
    expect(signInResponse.status).toBe(200)
    await first.stop()
    const second = await startInProcess('admin')
    expect(second.readOutput()).not.toContain('password')
    await second.stop()
  })

  test('a common password for the first user is rejected, and no user is added', async () => {
    expect(await expectRejectedStart('weak', { ADMIN_PASSWORD: 'Welcome@123' })).toMatch(
      /ended with 2: ADMIN_PASSWORD was not accepted\. This password is too easy to guess/,
    )
    const server = await startInProcess('weak')
    expect(server.readOutput()).toMatch(/Admin {4}admin, password \S+ \(shown only once\)/)
    await server.stop()
  })

  test('on a signal, a server completes the request in progress, accepts no new requests, and exits with 0', async () => {
    const server = await startServer('stop')
    const halfRequest = await sendHalf(server)
    // Browsers open connections in advance and keep them open. Such connections must not delay the shutdown.
    const earlyConnection = connect(server.port, '127.0.0.1')
    await once(earlyConnection, 'connect')
    earlyConnection.on('error', () => {})
    const exit = once(server.process, 'exit')
    server.process.kill('SIGTERM')
    await waitUntilRefused(server.port)
    const answer = await halfRequest.finish()
    expect(answer).toMatch(/^HTTP\/1\.1 201 /)
    const regNo = /"reg_no":"(\w+)"/.exec(answer)?.[1]
    expect((await exit)[0]).toBe(0)
    const db = new Database(join(server.dataDir, 'rollcall.db'), { readonly: true })
    expect(db.prepare('SELECT reg_no FROM registrations').all()).toEqual([{ reg_no: regNo }])
    db.close()
  })

  test(
    'a second server on the same data folder prints a message and exits with 2; once the first is killed, the folder is free',
    { tags: ['slow'] },
    async () => {
      const server = await startServer('alone')
      expect(await expectRejectedStart('alone')).toMatch(
        /ended with 2: Another server is using DATA_DIR \(\S+alone\)/,
      )
      const killed = once(server.process, 'exit')
      server.process.kill('SIGKILL')
      await killed
      const stopServing = lockDataFolder(server.dataDir)
      expect(stopServing).not.toBeNull()
      stopServing?.()
    },
  )

  test("after a first start on an occupied port, the next start prints the owner's password", async () => {
    const server = await startInProcess('first')
    const { port } = new URL(server.url)
    expect(await expectRejectedStart('second', { PORT: port })).toBe(
      `ended with 2: Port ${port} on 127.0.0.1 is already in use. Set PORT to a free port.`,
    )
    await server.stop()
    const nextServer = await startInProcess('second')
    expect(nextServer.readOutput()).toMatch(
      /^ {2}Admin {4}admin, password \S+ \(shown only once\)$/m,
    )
    await nextServer.stop()
  })

  test.each([
    ['192.0.2.1', 'EADDRNOTAVAIL'],
    ['there.invalid', 'ENOTFOUND|EAI_AGAIN'],
  ])(
    'a HOST that is not an address of this machine (%s) leads to a message, not a stack trace',
    async (HOST, codes) => {
      expect(await expectRejectedStart('host', { HOST, PUBLIC_SANDBOX: 'no-real-money' })).toMatch(
        new RegExp(
          `^ended with 2: HOST is ${HOST}, which is not an address of this machine \\((${codes})\\)\\. Set HOST `,
        ),
      )
    },
  )

  test.each([
    [
      'with invalid content',
      (file: string) => writeFileSync(file, 'not a database '.repeat(500)),
      /it is not a database/,
    ],
    [
      'with a damaged page',
      (file: string) => {
        const db = new Database(file)
        db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)')
        db.close()
        const bytes = readFileSync(file)
        writeFileSync(file, bytes.fill(0xff, 100))
      },
      /it is damaged/,
    ],
  ])(
    'on a database %s, the server and commands print a message and exit with 2',
    async (fault, damage, message) => {
      const name = `database ${fault}`.replaceAll(' ', '-')
      mkdirSync(join(folder, name))
      damage(join(folder, name, 'rollcall.db'))
      expect(await expectRejectedStart(name)).toMatch(message)
      const { status, stderr } = await runHere(['user', 'add', 'meera', '--role', 'owner'], {
        DATA_DIR: join(folder, name),
      })
      expect([status, stderr]).toEqual([2, expect.stringMatching(message)])
      expect(stderr.trim().split('\n')).toHaveLength(1)
    },
  )

  test('a start exits with 1 if an event file has an error, or contains demo values in production', async () => {
    const events = join(folder, 'broken')
    mkdirSync(events, { recursive: true })
    writeFileSync(join(events, 'broken.yaml'), 'event: [')
    expect(await expectRejectedStart('broken-var', { EVENTS_DIR: events })).toMatch(
      /^ended with 1: /,
    )
    const liveVariables = { GATEWAY_MODE: 'live', RATE_LIMITS: 'on', CLOCK: '' }
    const publicVariables = { ...liveVariables, PUBLIC_URL: 'https://register.example.org' }
    // Settings that may be missing intentionally cause a warning. Impossible settings prevent the startup.
    expect(await expectRejectedStart('live-var', publicVariables)).toMatch(
      /ended with 1: SMTP_URL is not set: [^]*TRUST_PROXY is not set: [^]*is not served in production/,
    )
    expect(await expectRejectedStart('live-var', liveVariables)).toMatch(
      /ended with 2: PUBLIC_URL is http:/,
    )
  })
})

// The store's own tests are in sqlite.test.ts.
registerThorough(() => {
  test('of 64 requests for the last seat, sent to two servers on the same database, exactly one gets the seat', async () => {
    const eventsDir = join(folder, 'seats-events')
    cpSync(join(top, 'events', '_shared'), join(eventsDir, '_shared'), { recursive: true })
    const quotas = `
quotas:
  - {id: hall, when: {is_member: true}, max: 1, full: The hall is full, few: 1}
`
    writeFileSync(join(eventsDir, 'sample2026.yaml'), buildFixtureEvent({ extra: quotas }))
    const variables = {
      EVENTS_DIR: eventsDir,
      DATA_DIR: join(folder, 'seats'),
      ADMIN_PASSWORD: 'a password for two servers',
      CLOCK: '2026-01-10',
    }
    // The servers start one after the other, because the first creates the database. A data folder allows only one
    // server, so the second folder links to that database.
    const first = await startServer('seats', variables)
    const secondFolder = join(folder, 'seats-2')
    mkdirSync(secondFolder)
    symlinkSync(join(first.dataDir, 'rollcall.db'), join(secondFolder, 'rollcall.db'))
    const servers = [first, await startServer('seats-2', { ...variables, DATA_DIR: secondFolder })]
    const sendToBoth = <T>(send: (url: string) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: 64 }, (_, index) => send(servers[index % 2]?.url ?? '')))
    const register = async (url: string, isMember: string): Promise<Response> =>
      fetch(`${url}/api/sample2026/register/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...fixtureDelegate, is_member: isMember }),
      })
    try {
      // Negative control: without a reservation, every client sees the seat as available.
      const withoutReservation = await sendToBoth(async (url) => {
        const tariff = await (await fetch(`${url}/api/sample2026/tariff-info/`)).json()
        return tariff.left.hall > 0 && (await register(url, 'false')).status === 201
      })
      expect(withoutReservation.filter(Boolean).length).toBeGreaterThan(1)
      const answers = await sendToBoth(async (url) => {
        const answer = await register(url, 'true')
        return [answer.status, (await answer.json()).code]
      })
      expect(answers.filter(([status]) => status === 201).length).toBe(1)
      expect(answers.filter(([, code]) => code === 'full').length).toBe(63)
      const db = new Database(join(folder, 'seats', 'rollcall.db'), { readonly: true })
      expect(db.prepare("SELECT max, taken FROM places WHERE place = 'hall'").all()).toEqual([
        { max: 1, taken: 1 },
      ])
      expect(
        db.prepare("SELECT count(*) AS n FROM registrations WHERE category = 'member'").get(),
      ).toEqual({ n: 1 })
      db.close()
    } finally {
      await Promise.all(servers.map((server) => server.stop()))
    }
  })
})

test(
  'a full disk during an upload is reported to the delegate, is logged once, and does not affect other requests',
  { tags: ['slow'] },
  async () => {
    // No file may exceed 2 MB, which has the effect of a full disk.
    const limitedShell = ['sh', '-c', 'ulimit -f 4096; exec "$@"', 'sh']
    const server = await startServer('full', {}, limitedShell)
    const send = async (bytes: number): Promise<Response> => {
      const body = new FormData()
      body.set('full_name', 'Asha Nair')
      body.set('email', 'asha@example.org')
      body.set('phone_number', '9876543210')
      body.set('ticket_type', 'afpi-pg')
      body.set(
        'pg_proof',
        new File([new Uint8Array(createPdf()), new Uint8Array(bytes)], 'proof.pdf'),
      )
      return fetch(`${server.url}/api/afpicon/register/`, { method: 'POST', body })
    }
    const answers = await Promise.all([1, 2, 3].map(() => send(3 * 1024 * 1024)))
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
        503,
        expect.stringMatching(/^\d+$/),
        {
          status: 'error',
          code: 'no_room',
          message:
            'The server cannot accept files at the moment. Please try again later, or write to the organisers.',
          request_id: expect.stringMatching(/\S/),
        },
      ])
    }
    expect((await send(1000)).status).toBe(201)
    expect(readdirSync(join(server.dataDir, 'uploads', 'incoming'))).toEqual([])
    expect(await server.stop()).toBe(0)
    const errors = server.readOutput().match(/"level":"error".*/g)
    expect(errors).toHaveLength(1)
    expect(errors?.[0]).toContain('EFBIG')
  },
)

test.each([
  ['EVENTS_DIR', /^EVENTS_DIR is .*missing, which does not exist\. Set it to the folder/],
  ['DATA_DIR', /^DATA_DIR is .*missing, which is a file or is inside one\. Set DATA_DIR/],
])(
  'a start with an unusable folder (%s) prints a message and exits with 2',
  async (name, message) => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    expect(
      await expectRejectedStart(`unusable-${name}`, { [name]: join(file, 'missing') }),
    ).toMatch(new RegExp(message.source.replace('^', '^ended with 2: ')))
  },
)

/** Reads the resident memory of the server process in bytes. */
async function readMemoryBytes(server: Server): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1])
}

/** Waits until nothing listens on the port. */
async function waitUntilRefused(port: number): Promise<void> {
  for (;;) {
    const probe = connect(port, '127.0.0.1')
    const isRefused = await new Promise<boolean>((resolve) => {
      probe.on('connect', () => resolve(false))
      probe.on('error', () => resolve(true))
    })
    probe.destroy()
    if (isRefused) return
  }
}

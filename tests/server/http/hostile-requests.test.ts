/** Hostile requests over real sockets: what they cost the server, the responses and the log. */
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import Fastify from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { addBodyBudget } from '../../../server/http/request-body-limits.ts'
import { redactPath } from '../../../server/http/request-log.ts'
import { watchForLoss } from '../../../server/ops/recovery/rescue-lost-database.ts'
import { signIn } from '../office/office.ts'
import { buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const REGISTER = '/api/afpicon/register/'
/** Headers that every response must have. */
const PROTECTIVE_HEADERS = [
  'content-security-policy',
  'permissions-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
]

let server: TestApp
let port = 0
beforeAll(async () => {
  server = await startTestApp({ variables: { RATE_LIMITS: 'on' } })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = (server.app.server.address() as AddressInfo).port
})
afterAll(() => server.close())
beforeEach(() => {
  server.log.length = 0
})

/** Sends raw bytes and returns everything received until the connection ends. */
async function sendRaw(text: string): Promise<{ readonly head: string; readonly body: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  let received = ''
  for await (const chunk of socket) received += String(chunk)
  const end = received.indexOf('\r\n\r\n')
  return { head: received.slice(0, end).toLowerCase(), body: received.slice(end + 4) }
}

const get = (path: string): Promise<{ readonly head: string; readonly body: string }> =>
  sendRaw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)

describe('the log', () => {
  test.each(['multipart/form-data; boundary=x', 'application/json'])(
    'clients that disconnect (%s) do not cause an error in the log',
    async (type) => {
      for (const path of [REGISTER, '/api/payment/webhook/', '/api/payment/retry/']) {
        await Promise.all(
          Array.from({ length: 10 }, async () => {
            const socket = connect(port, '127.0.0.1')
            await once(socket, 'connect')
            const closed = once(socket, 'close')
            socket.write(
              `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 9000\r\n\r\n--x`,
              () => socket.resetAndDestroy(),
            )
            await closed
          }),
        )
        // The server responds to this request only after it has noticed that the connections ended.
        await get('/api/events/')
      }
      expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
    },
  )

  test('a path of 15 KB is logged as one short line', async () => {
    await get(`/${'a'.repeat(15_000)}`)
    await get(`/${'a/'.repeat(7_000)}`)
    const lines = server.log.filter(({ message }) => message === 'request')
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(500)
  })

  test.each([
    ['unencoded', 'AFPI3331074324090'],
    ['with encoded digits', 'AFPI%33%33%33%31%30%37%34%33%32%34%30%39%30'],
    ['with encoded letters', '%41%46%50%49%33331074324090'],
    ['encoded twice', 'AFPI%2533%2533%2533%2531%2530%2537%2534%2533%2532%2534%2530%2539%2530'],
    ['with every other digit encoded', 'AFPI3%333%310%374%332%340%390'],
    ['after a part that cannot be decoded', '%zz%33%33%33%31%30%37%34%33%32%34%30%39%30'],
  ])('does not contain a registration number, %s', async (_how, number) => {
    await get(`/api/afpicon/registrations/${number}/`)
    await get(`/nothing/${number}`)
    const paths = [`/nothing/${number}`, `/nothing/a%2f${number}`].map((path) =>
      redactPath(path, server.deps),
    )
    for (const { message, path } of server.log) if (message === 'request') paths.push(String(path))
    for (const path of paths) expect(path).toMatch(/^\/[a-z/%]*…\/?$/)
  })

  const TOKEN = 'Qq-Token_'.padEnd(43, 'x')
  test.each([
    ...['', '.', ',', ')', '=', '%3E', '%20', '%E2%80%8B', '%0D%0A'].map((end) => TOKEN + end),
    ...['%3C', '=', '%2528'].map((start) => start + TOKEN),
    ...['=%0D%0A', '%20', '%E2%80%8B', '.'].map(
      (gap) => TOKEN.slice(0, 20) + gap + TOKEN.slice(20),
    ),
    'someone@mail.example',
    'someone%40mail.example',
  ])('does not contain a link or an email address, sent as %s', async (sentText) => {
    const paths = ['/my/', '/MY/', '/my//', '/pay/', '/api/my/'].map((path) => path + sentText)
    paths.push(`/api/my/${sentText}/documents/1/`)
    if (sentText.includes('@') || sentText.includes(TOKEN)) paths.push(`/${sentText}`)
    for (const path of paths) await get(path)
    const loggedPaths = server.log.flatMap(({ message, path }) =>
      message === 'request' ? [String(path)] : [],
    )
    expect(loggedPaths).toHaveLength(paths.length)
    for (const path of loggedPaths) expect(path).not.toMatch(/Qq|xxxx|someone|example/i)
    expect(loggedPaths.slice(0, 6)).toEqual([
      '/my/…',
      '/MY/…',
      '/my//…',
      '/pay/…',
      '/api/my/…',
      '/api/my/…/documents/1/',
    ])
  })
})

describe('a proxy that TRUST_PROXY does not list', () => {
  const proxiedRequest = { url: '/api/events/', headers: { 'x-forwarded-for': '192.0.2.1' } }
  const listWarnings = ({ log }: TestApp): unknown[] =>
    log.filter(({ message }) => String(message).includes('TRUST_PROXY'))

  test.each([
    [null, '127.0.0.1', 1],
    ['127.0.0.2', '127.0.0.1', 1],
    ['127.0.0.1', '127.0.0.1', 0],
  ])(
    'TRUST_PROXY %s, a request from %s: logged %d times',
    async (trustProxy, remoteAddress, times) => {
      const app = await startTestApp({
        events: { 'sample2026.yaml': buildFixtureEvent() },
        variables: {
          RATE_LIMITS: 'on',
          ...(trustProxy === null ? {} : { TRUST_PROXY: trustProxy }),
        },
      })
      await app.app.inject({ ...proxiedRequest, headers: {}, remoteAddress })
      expect(listWarnings(app)).toEqual([])
      for (let n = 0; n < 3; n++) await app.app.inject({ ...proxiedRequest, remoteAddress })
      expect(listWarnings(app)).toHaveLength(times)
      await app.close()
    },
  )
})

describe('framework errors', () => {
  test.each([
    ['a page', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 200],
    ['a response', 'GET /api/events/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 200],
    [
      'a path that cannot be decoded',
      'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['a message that is not HTTP', 'HELLO\r\n\r\n', 400],
    [
      'headers without an end',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      400,
    ],
  ])('%s has the same protective headers as every response', async (_what, text, status) => {
    const { head } = await sendRaw(text)
    expect(head).toContain(`http/1.1 ${status} `)
    const headerNames = head.split('\r\n').map((line) => line.split(':')[0])
    expect(PROTECTIVE_HEADERS.filter((name) => !headerNames.includes(name))).toEqual([])
    if (status >= 400) expect(head).toContain('cache-control: no-store')
  })
})

describe('the health check', () => {
  const readLastWriteAt = (app: TestApp): unknown => app.rows('SELECT at FROM pings')[0]?.['at']

  test('writes at most once every few seconds, however often it is called', async () => {
    const app = await startTestApp({ events: { 'sample2026.yaml': buildFixtureEvent() } })
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => app.app.inject('/healthz')),
    )
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const firstWriteAt = readLastWriteAt(app)
    app.setTime('2025-10-10T12:00:04+05:30')
    expect((await app.app.inject('/healthz')).statusCode).toBe(200)
    expect(readLastWriteAt(app)).toBe(firstWriteAt)
    app.setTime('2025-10-10T12:00:05+05:30')
    expect((await app.app.inject('/healthz')).statusCode).toBe(200)
    expect(readLastWriteAt(app)).toBe(app.now())
    await app.close()
  })

  test('detects an unresponsive database between two writes', async () => {
    const app = await startTestApp({ events: { 'sample2026.yaml': buildFixtureEvent() } })
    expect((await app.app.inject('/healthz')).statusCode).toBe(200)
    await app.deps.store.close()
    expect((await app.app.inject('/healthz')).statusCode).toBe(503)
    await app.close()
  })

  test('detects a database deleted while the server runs, and logs it once', async () => {
    const app = await startTestApp({ events: { 'sample2026.yaml': buildFixtureEvent() } })
    const { check: checkDatabase } = watchForLoss(app.deps)
    await checkDatabase()
    expect((await app.app.inject('/healthz')).statusCode).toBe(200)
    rmSync(join(app.dir, 'rollcall.db'))
    await checkDatabase()
    await checkDatabase()
    const listLogLines = (pattern: RegExp) =>
      app.log.filter(({ message }) => pattern.test(String(message)))
    expect(listLogLines(/deleted or replaced/)).toEqual([
      expect.objectContaining({ level: 'error' }),
    ])
    expect(listLogLines(/all data of the database is in/)).toHaveLength(1)
    app.setTime('2025-10-10T12:00:05+05:30')
    expect((await app.app.inject('/healthz')).statusCode).toBe(503)
    // A new file with the same name is not the database that the server has open.
    writeFileSync(join(app.dir, 'rollcall.db'), '')
    app.setTime('2025-10-10T12:00:10+05:30')
    expect((await app.app.inject('/healthz')).statusCode).toBe(503)
    await app.close()
  })

  test.each([
    ['/healthz', 600],
    ['/metrics/', 60],
  ])('limits %s to %d requests a minute', async (url, maxRequests) => {
    const statuses: number[] = []
    for (let n = 0; n <= maxRequests; n++)
      statuses.push((await server.app.inject({ url, remoteAddress: '192.0.2.7' })).statusCode)
    // Metrics are not public, but are subject to the same limit.
    const expectedStatus = url === '/healthz' ? 200 : 401
    expect([statuses.lastIndexOf(expectedStatus), statuses[maxRequests]]).toEqual([
      maxRequests - 1,
      429,
    ])
    expect((await server.app.inject({ url, remoteAddress: '192.0.2.8' })).statusCode).toBe(
      expectedStatus,
    )
  })
})

describe('unfinished request bodies', () => {
  const KB = 1024
  /** A server without a limit on requests per address. */
  let busyServer: TestApp
  beforeAll(async () => {
    busyServer = await startTestApp()
    await busyServer.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => busyServer.close())
  const sampleAnswers = { full_name: 'Asha Nair', email: 'asha@example.org' }
  /**
   * Sends the headers and part of a longer body. The connection stays open until it is destroyed.
   */
  const startBody = async (type: string, bytes: number, path = REGISTER): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    const fieldPart = '--x\r\nContent-Disposition: form-data; name="full_name"\r\n\r\n'
    await new Promise<void>((resolve) => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes + 2000}\r\n\r\n${type.startsWith('multipart') ? fieldPart : '{"full_name": "'}${'a'.repeat(bytes)}`,
        () => resolve(),
      )
    })
    return socket
  }

  test.each([
    ['JSON', 'application/json', `{"full_name": "${'a'.repeat(256 * KB)}"}`],
    ['a form', 'application/x-www-form-urlencoded', `full_name=${'a'.repeat(256 * KB)}`],
    [
      'a multipart form',
      'multipart/form-data; boundary=x',
      Array.from(
        { length: 6 },
        (_, n) =>
          `--x\r\nContent-Disposition: form-data; name="f${n}"\r\n\r\n${'a'.repeat(50 * KB)}\r\n`,
      ).join('') + '--x--\r\n',
    ],
  ])(
    '%s of more than 256 KB are rejected, even if the form accepts a file of 5 MB',
    async (_what, type, payload) => {
      const response = await server.app.inject({
        method: 'POST',
        url: REGISTER,
        headers: { 'content-type': type },
        payload,
        remoteAddress: '192.0.2.20',
      })
      expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([
        413,
        'too_large',
      ])
    },
  )

  test('together use no more memory than the limit, and delegates can still register', async () => {
    port = (busyServer.app.server.address() as AddressInfo).port
    const statuses: string[] = []
    const sockets: Socket[] = []
    // A third more than the limit.
    for (let bytes = 0; bytes < 86 * KB * KB; bytes += 250 * KB) {
      const socket = await startBody('application/json', 250 * KB)
      socket.once('data', (head: Buffer) => statuses.push(head.toString('latin1', 0, 12)))
      sockets.push(socket)
    }
    await expect.poll(() => statuses.length, { interval: 20, timeout: 200_000 }).toBeGreaterThan(0)
    expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 503']))
    expect(busyServer.app.bodies.heldBytes()).toBeLessThanOrEqual(64 * KB * KB)
    const answers = {
      ...sampleAnswers,
      phone_number: '9876543210',
      ticket_type: 'afpi-gp-specialist',
    }
    expect((await busyServer.post(REGISTER, answers)).statusCode).toBe(201)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => busyServer.app.bodies.heldBytes(), { interval: 5 }).toBe(0)
    port = (server.app.server.address() as AddressInfo).port
  })

  test.each([
    ['application/json', '/admin/login/'],
    ['application/x-www-form-urlencoded', '/admin/login/'],
    ['application/json', REGISTER],
    ['application/x-www-form-urlencoded', REGISTER],
    ['multipart/form-data; boundary=x', REGISTER],
    ['application/json', '/api/payment/webhook/'],
    ['application/json', '/api/payment/return/'],
    ['application/json', '/api/payment/retry/'],
  ])('an upload (%s to %s) counts towards the limit until it ends', async (type, path) => {
    port = (busyServer.app.server.address() as AddressInfo).port
    const socket = await startBody(type, 50 * KB, path)
    port = (server.app.server.address() as AddressInfo).port
    await expect
      .poll(() => busyServer.app.bodies.heldBytes(), { interval: 5 })
      .toBeGreaterThanOrEqual(50 * KB)
    socket.destroy()
    await expect.poll(() => busyServer.app.bodies.heldBytes(), { interval: 5 }).toBe(0)
  })

  test('a stalled upload gets a response, and its connection is closed', async () => {
    const app = Fastify()
    addBodyBudget(app, { maxBodyMs: 10 })
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    app.post('/', async ({ body }) => app.bodies.read(body as Readable, 1000))
    await app.listen({ port: 0, host: '127.0.0.1' })
    port = (app.server.address() as AddressInfo).port
    const { head } = await sendRaw('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc')
    port = (server.app.server.address() as AddressInfo).port
    expect(head).toContain('http/1.1 408 ')
    await app.close()
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  test.each([
    ['nothing', 0, 90],
    ['one byte per second', 1, 90],
    ['slightly less than a slow phone does', 19_900, 90],
    ['as much as a slow phone does', 20_000, null],
  ])(
    'the timeout of an upload that sends %s',
    async (_what, bytesPerSecond, expectedEndSeconds) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      const app = Fastify()
      addBodyBudget(app)
      const body = app.bodies.reserve()
      let seconds = 0
      let abortedAfter: number | null = null
      body.aborted.catch(() => {
        abortedAfter = seconds
      })
      while (seconds < 290) {
        seconds += 1
        body.countReceived(bytesPerSecond, false)
        await vi.advanceTimersByTimeAsync(1000)
      }
      expect(abortedAfter).toBe(expectedEndSeconds)
      body.end()
      await app.close()
    },
  )

  test('a part declared as JSON is validated as JSON', async () => {
    for (const value of [`${'['.repeat(20_000)}${']'.repeat(20_000)}`, '{"toString": 1}']) {
      const response = await server.app.inject({
        method: 'POST',
        url: REGISTER,
        headers: { 'content-type': 'multipart/form-data; boundary=x', 'idempotency-key': 'two' },
        payload: `--x\r\nContent-Disposition: form-data; name="full_name"\r\nContent-Type: application/json\r\n\r\n${value}\r\n--x--\r\n`,
        remoteAddress: '192.0.2.21',
      })
      expect([400, 422]).toContain(response.statusCode)
    }
  })
})

describe('requests that are syntactically valid but meaningless', () => {
  const nestJson = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`

  test.each(['application/json', 'application/json; charset=utf-8'])(
    'JSON nested 20,000 levels deep is rejected with a message (%s)',
    async (type) => {
      const response = await server.app.inject({
        method: 'POST',
        url: REGISTER,
        headers: { 'content-type': type, 'idempotency-key': 'one' },
        payload: nestJson(20_000),
      })
      expect([response.statusCode, response.json()]).toEqual([
        422,
        {
          status: 'error',
          code: 'bad_request',
          message: 'The answers are nested too deeply.',
        },
      ])
      expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
    },
  )

  test('a list can be filtered by the first or the last possible date', async () => {
    const office = await signIn(server)
    for (const days of ['date_to=9999-12-31', 'date_from=0000-01-01', 'date_from=9999-12-31'])
      for (const list of ['/admin/afpicon/registrations/?', '/admin/export/?event_type=afpicon&'])
        expect([days, list, (await office.get(`${list}${days}`)).statusCode]).toEqual([
          days,
          list,
          200,
        ])
  })
})

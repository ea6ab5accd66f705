/** The edge of the server: what strangers send that is no question of a page, over real sockets; what it costs us, what we answer, and what the log holds afterwards. */
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
import { fixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const REGISTER = '/api/afpicon/register/'
/** On every answer, whoever makes it. */
const HEADERS = [
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

/** Sends bytes as they are and answers whatever comes until the connection ends. */
async function say(text: string): Promise<{ readonly head: string; readonly body: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  let heard = ''
  for await (const chunk of socket) heard += String(chunk)
  const end = heard.indexOf('\r\n\r\n')
  return { head: heard.slice(0, end).toLowerCase(), body: heard.slice(end + 4) }
}

const get = (path: string): Promise<{ readonly head: string; readonly body: string }> =>
  say(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)

describe('the log', () => {
  test.each(['multipart/form-data; boundary=x', 'application/json'])(
    'clients that disconnect (%s) log no error',
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
        // Answered after the connections have ended: the server has seen them all by then.
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
    ['as it is', 'AFPI3331074324090'],
    ['its digits encoded', 'AFPI%33%33%33%31%30%37%34%33%32%34%30%39%30'],
    ['its letters encoded', '%41%46%50%49%33331074324090'],
    ['encoded twice', 'AFPI%2533%2533%2533%2531%2530%2537%2534%2533%2532%2534%2530%2539%2530'],
    ['every other digit encoded', 'AFPI3%333%310%374%332%340%390'],
    ['behind what cannot be decoded', '%zz%33%33%33%31%30%37%34%33%32%34%30%39%30'],
  ])('does not contain a registration number, %s', async (_how, number) => {
    await get(`/api/afpicon/registrations/${number}/`)
    await get(`/nothing/${number}`)
    const paths = [`/nothing/${number}`, `/nothing/a%2f${number}`].map((path) =>
      redactPath(path, server.deps),
    )
    for (const { message, path } of server.log) if (message === 'request') paths.push(String(path))
    for (const path of paths) expect(path).toMatch(/^\/[a-z/%]*…\/?$/)
  })
})

describe('a proxy that TRUST_PROXY does not name', () => {
  const behind = { url: '/api/events/', headers: { 'x-forwarded-for': '192.0.2.1' } }
  const warnings = ({ log }: TestApp): unknown[] =>
    log.filter(({ message }) => String(message).includes('TRUST_PROXY'))

  test.each([
    [null, '127.0.0.1', 1],
    ['127.0.0.2', '127.0.0.1', 1],
    ['127.0.0.1', '127.0.0.1', 0],
  ])(
    'TRUST_PROXY %s, a request from %s: logged %d times',
    async (trusted, remoteAddress, times) => {
      const app = await startTestApp({
        events: { 'sample2026.yaml': fixtureEvent() },
        variables: { RATE_LIMITS: 'on', ...(trusted === null ? {} : { TRUST_PROXY: trusted }) },
      })
      await app.app.inject({ ...behind, headers: {}, remoteAddress })
      expect(warnings(app)).toEqual([])
      for (let n = 0; n < 3; n++) await app.app.inject({ ...behind, remoteAddress })
      expect(warnings(app)).toHaveLength(times)
      await app.close()
    },
  )
})

describe('errors of the framework', () => {
  test.each([
    ['a page', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 200],
    ['an answer', 'GET /api/events/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 200],
    [
      'a path that cannot be decoded',
      'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['what is no HTTP', 'HELLO\r\n\r\n', 400],
    [
      'headers without an end',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      400,
    ],
  ])('%s carries the same protective headers as every answer', async (_what, text, status) => {
    const { head } = await say(text)
    expect(head).toContain(`http/1.1 ${status} `)
    const sent = head.split('\r\n').map((line) => line.split(':')[0])
    expect(HEADERS.filter((name) => !sent.includes(name))).toEqual([])
    if (status >= 400) expect(head).toContain('cache-control: no-store')
  })
})

describe('the health check', () => {
  const writes = (app: TestApp): unknown => app.rows('SELECT at FROM pings')[0]?.['at']

  test('writes at most once every few seconds, however often it is called', async () => {
    const app = await startTestApp({ events: { 'sample2026.yaml': fixtureEvent() } })
    const asked = await Promise.all(Array.from({ length: 50 }, () => app.app.inject('/healthz')))
    expect(new Set(asked.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const first = writes(app)
    app.setTime('2025-10-10T12:00:04+05:30')
    expect((await app.app.inject('/healthz')).statusCode).toBe(200)
    expect(writes(app)).toBe(first)
    app.setTime('2025-10-10T12:00:05+05:30')
    expect((await app.app.inject('/healthz')).statusCode).toBe(200)
    expect(writes(app)).toBe(app.now())
    await app.close()
  })

  test('detects an unresponsive database between two writes', async () => {
    const app = await startTestApp({ events: { 'sample2026.yaml': fixtureEvent() } })
    expect((await app.app.inject('/healthz')).statusCode).toBe(200)
    await app.deps.store.close()
    expect((await app.app.inject('/healthz')).statusCode).toBe(503)
    await app.close()
  })

  test('detects a database deleted while the server runs, and logs it once', async () => {
    const app = await startTestApp({ events: { 'sample2026.yaml': fixtureEvent() } })
    const { check: look } = watchForLoss(app.deps)
    await look()
    expect((await app.app.inject('/healthz')).statusCode).toBe(200)
    rmSync(join(app.dir, 'rollcall.db'))
    await look()
    await look()
    const said = (what: RegExp) => app.log.filter(({ message }) => what.test(String(message)))
    expect(said(/deleted or replaced/)).toEqual([expect.objectContaining({ level: 'error' })])
    expect(said(/all data of the database is in/)).toHaveLength(1)
    app.setTime('2025-10-10T12:00:05+05:30')
    expect((await app.app.inject('/healthz')).statusCode).toBe(503)
    // Another file of the same name is not the one that registrations are written to.
    writeFileSync(join(app.dir, 'rollcall.db'), '')
    app.setTime('2025-10-10T12:00:10+05:30')
    expect((await app.app.inject('/healthz')).statusCode).toBe(503)
    await app.close()
  })

  test.each([
    ['/healthz', 600],
    ['/metrics/', 60],
  ])('limits %s to %d requests a minute', async (url, most) => {
    const statuses: number[] = []
    for (let n = 0; n <= most; n++)
      statuses.push((await server.app.inject({ url, remoteAddress: '192.0.2.7' })).statusCode)
    // The figures are not for strangers, and are not asked for more often for that.
    const answered = url === '/healthz' ? 200 : 401
    expect([statuses.lastIndexOf(answered), statuses[most]]).toEqual([most - 1, 429])
    expect((await server.app.inject({ url, remoteAddress: '192.0.2.8' })).statusCode).toBe(answered)
  })
})

describe('unfinished request bodies', () => {
  const KB = 1024
  /** One that takes any number of them from one address. */
  let busy: TestApp
  beforeAll(async () => {
    busy = await startTestApp()
    await busy.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => busy.close())
  const registering = { full_name: 'Asha Nair', email: 'asha@example.org' }
  /** Sends the head and so many bytes of a longer body; the connection stays open until it is destroyed. */
  const begin = async (type: string, bytes: number, path = REGISTER): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    const part = '--x\r\nContent-Disposition: form-data; name="full_name"\r\n\r\n'
    await new Promise<void>((resolve) => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes + 2000}\r\n\r\n${type.startsWith('multipart') ? part : '{"full_name": "'}${'a'.repeat(bytes)}`,
        () => resolve(),
      )
    })
    return socket
  }

  test.each([
    ['JSON', 'application/json', `{"full_name": "${'a'.repeat(256 * KB)}"}`],
    ['a form', 'application/x-www-form-urlencoded', `full_name=${'a'.repeat(256 * KB)}`],
    [
      'texts in parts',
      'multipart/form-data; boundary=x',
      Array.from(
        { length: 6 },
        (_, n) =>
          `--x\r\nContent-Disposition: form-data; name="f${n}"\r\n\r\n${'a'.repeat(50 * KB)}\r\n`,
      ).join('') + '--x--\r\n',
    ],
  ])(
    '%s of more than 256 KB are no answers, where the form takes a file of 5 MB too',
    async (_what, type, payload) => {
      const answer = await server.app.inject({
        method: 'POST',
        url: REGISTER,
        headers: { 'content-type': type },
        payload,
        remoteAddress: '192.0.2.20',
      })
      expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([413, 'too_large'])
    },
  )

  test('use no more memory than the limit together, and delegates can register', async () => {
    port = (busy.app.server.address() as AddressInfo).port
    const statuses: string[] = []
    const sockets: Socket[] = []
    // A third more than the ceiling takes.
    for (let sent = 0; sent < 86 * KB * KB; sent += 250 * KB) {
      const socket = await begin('application/json', 250 * KB)
      socket.once('data', (head: Buffer) => statuses.push(head.toString('latin1', 0, 12)))
      sockets.push(socket)
    }
    await expect.poll(() => statuses.length, { interval: 20, timeout: 200_000 }).toBeGreaterThan(0)
    expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 503']))
    expect(busy.app.bodies.heldBytes()).toBeLessThanOrEqual(64 * KB * KB)
    const answers = {
      ...registering,
      phone_number: '9876543210',
      ticket_type: 'afpi-gp-specialist',
    }
    expect((await busy.post(REGISTER, answers)).statusCode).toBe(201)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => busy.app.bodies.heldBytes(), { interval: 5 }).toBe(0)
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
  ])('one (%s to %s) counts until it ends', async (type, path) => {
    port = (busy.app.server.address() as AddressInfo).port
    const socket = await begin(type, 50 * KB, path)
    port = (server.app.server.address() as AddressInfo).port
    await expect
      .poll(() => busy.app.bodies.heldBytes(), { interval: 5 })
      .toBeGreaterThanOrEqual(50 * KB)
    socket.destroy()
    await expect.poll(() => busy.app.bodies.heldBytes(), { interval: 5 }).toBe(0)
  })

  test('a stalled one gets a response, and its connection is closed', async () => {
    const app = Fastify()
    addBodyBudget(app, { bodyMsMax: 10 })
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    app.post('/', async ({ body }) => app.bodies.read(body as Readable, 1000))
    await app.listen({ port: 0, host: '127.0.0.1' })
    port = (app.server.address() as AddressInfo).port
    const { head } = await say('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc')
    port = (server.app.server.address() as AddressInfo).port
    expect(head).toContain('http/1.1 408 ')
    await app.close()
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  test.each([
    ['nothing', 0, 90],
    ['a byte a second', 1, 90],
    ['a little less than a slow phone sends', 19_900, 90],
    ['what a slow phone sends', 20_000, null],
  ])('the timeout of %s', async (_what, bytesPerSecond, until) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const app = Fastify()
    addBodyBudget(app)
    const body = app.bodies.reserve()
    let seconds = 0
    let givenUpAfter: number | null = null
    body.aborted.catch(() => {
      givenUpAfter = seconds
    })
    while (seconds < 290) {
      seconds += 1
      body.countReceived(bytesPerSecond, false)
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(givenUpAfter).toBe(until)
    body.end()
    await app.close()
  })

  test('a part declared as JSON is validated as JSON', async () => {
    for (const value of [`${'['.repeat(20_000)}${']'.repeat(20_000)}`, '{"toString": 1}']) {
      const answer = await server.app.inject({
        method: 'POST',
        url: REGISTER,
        headers: { 'content-type': 'multipart/form-data; boundary=x', 'idempotency-key': 'two' },
        payload: `--x\r\nContent-Disposition: form-data; name="full_name"\r\nContent-Type: application/json\r\n\r\n${value}\r\n--x--\r\n`,
        remoteAddress: '192.0.2.21',
      })
      expect([400, 422]).toContain(answer.statusCode)
    }
  })
})

describe('valid syntax without meaning', () => {
  const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`

  test.each(['application/json', 'application/json; charset=utf-8'])(
    'rejects JSON nested 20,000 levels deep with a sentence (%s)',
    async (type) => {
      const answer = await server.app.inject({
        method: 'POST',
        url: REGISTER,
        headers: { 'content-type': type, 'idempotency-key': 'one' },
        payload: nested(20_000),
      })
      expect([answer.statusCode, answer.json()]).toEqual([
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

  test('a list filtered up to the last possible day, or from the first, shows everything', async () => {
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

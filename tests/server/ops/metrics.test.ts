/** Monitoring of a server: a full disk, changes of the clock, and metrics that are not public. */
import { afterAll, expect, test } from 'vitest'
import Database from 'better-sqlite3'
import { connect } from 'node:net'
import { join } from 'node:path'
import { instant } from '../../../engine/index.ts'
import { createHealthChecks } from '../../../server/ops/health/health-checks.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import { top } from '../run-command.ts'
import { makeFolders, startServerProcess, startServerHere } from './operator.ts'

const folders = makeFolders()
afterAll(() => folders.remove())

/** Enough requests to fill the available space. */
const REQUEST_COUNT = 250
/** A file size limit in blocks of 512 bytes. SQLite sees it as a full disk soon after the tables are created. */
const MAX_FILE_BLOCKS = 2_600

test(
  'on a full disk, rejected delegates get an error, monitoring reports it, the log states the reason once, and no confirmed data is lost',
  { tags: ['slow'] },
  async () => {
    const limitedShell = ['sh', '-c', `ulimit -f ${MAX_FILE_BLOCKS}; exec "$@"`, 'sh'] as const
    const server = await startServerProcess(folders, {}, [
      ...limitedShell,
      process.execPath,
      join(top, 'bin', 'rollcall.js'),
      'start',
    ])
    const startedAt = performance.now()
    const answers: { status: number; regNo?: string; code?: string; request_id?: string }[] = []
    for (let n = 0; n < REQUEST_COUNT; n += 10)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: 10 }, async (_, index) => {
            const response = await fetch(`${server.url}/api/afpicon/register/`, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({
                full_name: 'Asha Nair',
                email: `asha${n + index}@example.org`,
                phone_number: '1',
                ticket_type: 'afpi-gp-specialist',
              }),
            })
            const { reg_no: regNo, ...errorBody } = await response.json()
            return { ...errorBody, regNo, status: response.status }
          }),
        )),
      )
    const health = await fetch(`${server.url}/healthz`)
    expect([health.status, (await health.json()).code]).toEqual([
      503,
      expect.stringMatching(/^(cannot_write|no_room)$/),
    ])
    const seconds = (performance.now() - startedAt) / 1000
    expect(await server.stop()).toBe(0)
    const confirmedResponses = answers.filter(({ status }) => status === 201)
    const rejectedResponses = answers.filter(({ status }) => status !== 201)
    expect(confirmedResponses.length).toBeGreaterThan(0)
    expect(rejectedResponses.length).toBeGreaterThan(0)
    for (const response of rejectedResponses)
      expect(response).toMatchObject({
        status: 503,
        code: 'busy',
        request_id: expect.stringMatching(/\S/),
      })
    const logLines = server.readOutput().match(/requests are refused/g) ?? []
    expect(logLines.length).toBeGreaterThan(0)
    expect(logLines.length).toBeLessThanOrEqual(seconds + 1)

    const restartedServer = await startServerHere(folders)
    expect(await (await fetch(`${restartedServer.url}/healthz`)).json()).toMatchObject({
      health: 'good',
    })
    await restartedServer.stop()
    const db = new Database(join(folders.dataDir, 'rollcall.db'), { readonly: true })
    const storedRegNos = db.prepare('SELECT reg_no FROM registrations').pluck().all()
    db.close()
    for (const { regNo } of confirmedResponses) expect(storedRegNos).toContain(regNo)
  },
)

test('a database that rejected a write for lack of space is reported as down for half a minute', async () => {
  const app = await startTestApp({ events: { 'sample2026.yaml': buildFixtureEvent() } })
  const refusedAt = app.now()
  const healthChecks = createHealthChecks({ ...app.deps, getLastNoSpaceTime: () => refusedAt })
  expect(await healthChecks.check()).toEqual([
    expect.objectContaining({ code: 'no_room', isDown: true }),
  ])
  app.setTime('2025-10-10T12:00:30+05:30')
  expect(instant(app.now() - 30_000)).toBe(refusedAt)
  expect(await healthChecks.check()).toEqual([])
  await app.close()
})

test('a clock that was set forward by weeks is reported in the log, and by the health check for a day', async () => {
  const app = await startTestApp({
    clock: '2025-10-10',
    events: { 'sample2026.yaml': buildFixtureEvent() },
  })
  const readProblems = async (): Promise<unknown> =>
    (await app.app.inject({ url: '/healthz', remoteAddress: '127.0.0.1' })).json().troubles
  const listClockWarnings = (): readonly unknown[] =>
    app.log.filter(({ message }) => String(message).includes('the clock was set'))
  app.setTime('2025-10-12')
  expect([await readProblems(), listClockWarnings()]).toEqual([[], []])
  app.setClock('2025-10-31')
  expect(await readProblems()).toEqual([
    'At 31 October 2025, 12:00 pm the clock was set forward by 19 days. Check the time service (NTP).',
  ])
  expect(listClockWarnings()).toEqual([
    expect.objectContaining({ level: 'warn', byMs: 19 * 86_400_000 }),
  ])
  app.setClock('2025-10-12')
  expect(await readProblems()).toEqual([
    expect.stringContaining('the clock was set back by 19 days'),
  ])
  app.setTime('2025-10-14')
  expect([await readProblems(), listClockWarnings().length]).toEqual([[], 2])
  await app.close()
})

test('metrics require the token once it is set', async () => {
  const token = 'a token that is hard to guess'
  const app = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent() },
    variables: { METRICS_TOKEN: token },
  })
  const readMetrics = (headers: Readonly<Record<string, string>>, remoteAddress = '192.0.2.7') =>
    app.app.inject({ url: '/metrics', headers, remoteAddress })
  for (const address of ['192.0.2.7', '127.0.0.1']) {
    expect((await readMetrics({}, address)).statusCode).toBe(401)
    const otherToken = { authorization: 'Bearer another token altogether' }
    expect((await readMetrics(otherToken, address)).statusCode).toBe(401)
  }
  await app.post('/api/sample2026/register/', fixtureDelegate)
  const { statusCode, body } = await readMetrics({
    authorization: `Bearer ${token}`,
    via: '1.1 proxy',
  })
  expect(statusCode).toBe(200)
  expect(body).toMatch(
    /\nrollcall_payments_pending 1\n[^]*\nrollcall_registrations\{event="sample2026",status="pending"\} 1\n/,
  )
  await app.close()
})

test('without a token, metrics and health check messages are not public behind an unlisted proxy on the same machine', async () => {
  const app = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent() },
  })
  const { port } = new URL(await app.app.listen({ host: '127.0.0.1', port: 0 }))
  const sendRequest = (path: string, lines: readonly string[], version: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let received = ''
      const end = lines.some((line) => line.startsWith('Connection:'))
        ? []
        : ['Connection: keep-alive']
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('data', (chunk) => {
        received += String(chunk)
        socket.end()
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(received))
      socket.write([`GET ${path} HTTP/${version}`, ...lines, ...end, '', ''].join('\r\n'))
    })
  /** Checks whether /metrics returns metrics, and whether the health check returns more than its status. */
  const readAccess = async (
    lines: readonly string[],
    version = '1.1',
  ): Promise<[boolean, boolean]> => [
    (await sendRequest('/metrics', lines, version)).includes(' 200 '),
    (await sendRequest('/healthz', lines, version)).includes('"process"'),
  ]
  const host = `Host: 127.0.0.1:${port}`
  const curlHeaders = [host, 'User-Agent: curl/8.14.1', 'Accept: */*']
  const directRequests: readonly (readonly string[])[] = [
    curlHeaders,
    [...curlHeaders, 'Accept-Encoding: deflate, gzip, br, zstd'],
    [
      `Host: localhost:${port}`,
      'User-Agent: Wget/1.21.3',
      'Accept-Encoding: identity',
      'Connection: Keep-Alive',
    ],
    [
      `Host: [::1]:${port}`,
      'User-Agent: Prometheus/3.5.0',
      'Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      'Accept-Encoding: gzip',
      'X-Prometheus-Scrape-Timeout-Seconds: 10',
    ],
    [...curlHeaders, 'accept-language: *', 'sec-fetch-mode: cors', 'authorization: Bearer x'],
  ]
  for (const lines of directRequests)
    expect([lines, await readAccess(lines)]).toEqual([lines, [true, true]])
  const fetchResponse = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(fetchResponse.status).toBe(200)

  // nginx configured with proxy_pass only.
  expect(await readAccess([...curlHeaders, 'Connection: close'], '1.0')).toEqual([false, false])
  expect(await readAccess([host, 'Connection: close'], '1.0')).toEqual([false, false])
  expect(await readAccess(curlHeaders, '1.0')).toEqual([false, false])
  expect(await readAccess([...curlHeaders, 'Connection: close'])).toEqual([false, false])
  expect(await readAccess(['Host: conference.example', ...curlHeaders.slice(1)])).toEqual([
    false,
    false,
  ])
  for (const header of [
    'X-Forwarded-For',
    'Forwarded',
    'X-Real-IP',
    'Via',
    'CF-Connecting-IP',
    'True-Client-IP',
    'X-Forwarded-Host',
    'CDN-Loop',
    'X-ARR-SSL',
    'X-ARR-LOG-ID',
    'X-Azure-ClientIP',
    'X-Azure-Ref',
    'X-Amzn-Trace-Id',
    'X-Varnish',
    'X-Request-Id',
    'Tailscale-User-Login',
    'Traceparent',
    'Sec-Fetch-Site',
    'Cookie',
    'Referer',
  ])
    expect([header, await readAccess([...curlHeaders, `${header}: 192.0.2.7`])]).toEqual([
      header,
      [false, false],
    ])
  const remoteResponse = await app.app.inject({ url: '/metrics', remoteAddress: '192.0.2.7' })
  expect(remoteResponse.statusCode).toBe(401)
  await app.close()
})

test('a proxy that TRUST_PROXY does not list is reported once; a listed one is not', async () => {
  const countWarnings = async (variables: Readonly<Record<string, string>>): Promise<number> => {
    const app = await startTestApp({
      events: { 'sample2026.yaml': buildFixtureEvent() },
      variables: { RATE_LIMITS: 'on', ...variables },
    })
    for (const visitor of ['192.0.2.7', '192.0.2.8'])
      await app.app.inject({
        url: '/robots.txt',
        headers: { 'x-forwarded-for': visitor },
        remoteAddress: '10.0.0.1',
      })
    const lines = app.log.filter(({ message }) =>
      String(message).includes('TRUST_PROXY does not list'),
    )
    await app.close()
    return lines.length
  }
  expect(await countWarnings({})).toBe(1)
  expect(await countWarnings({ TRUST_PROXY: '10.0.0.1' })).toBe(0)
})

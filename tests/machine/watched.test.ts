/** What whoever watches a server sees: a disk that takes no more, and the figures, which are not for strangers. */
import { afterAll, expect, test } from 'vitest'
import Database from 'better-sqlite3'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { instant } from '../../engine/index.ts'
import { openCondition } from '../../server/condition.ts'
import { fixtureDelegate, fixtureEvent } from '../server/fixture.ts'
import { startTestApp } from '../server/harness.ts'
import { top } from '../server/running.ts'
import { makeFolders, operate } from './operator.ts'

const folders = makeFolders()
afterAll(() => folders.remove())

/** Enough to fill what there is room for. */
const TRIES = 250
/** Blocks of 512 bytes that a file may have: to SQLite, a disk that is full soon after the tables are made. */
const BLOCKS = 2_600

test('a full disk: whoever is not registered is told so, the watch sees it, the log says why and not each time; nothing answered is lost', async () => {
  const limited = ['sh', '-c', `ulimit -f ${BLOCKS}; exec "$@"`, 'sh'] as const
  const server = await operate(folders, {}, [
    ...limited,
    process.execPath,
    join(top, 'bin', 'rollcall.js'),
    'start',
  ])
  const began = performance.now()
  const answers: { status: number; regNo?: string; code?: string; request_id?: string }[] = []
  for (let n = 0; n < TRIES; n += 10)
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 10 }, async (_, at) => {
          const response = await fetch(`${server.url}/api/afpicon/register/`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              full_name: 'Asha Nair',
              email: `asha${n + at}@example.org`,
              phone_number: '1',
              ticket_type: 'afpi-gp-specialist',
            }),
          })
          const { reg_no: regNo, ...more } = await response.json()
          return { ...more, regNo, status: response.status }
        }),
      )),
    )
  const health = await fetch(`${server.url}/healthz`)
  expect([health.status, (await health.json()).code]).toEqual([
    503,
    expect.stringMatching(/^(cannot_write|no_room)$/),
  ])
  const seconds = (performance.now() - began) / 1000
  expect(await server.stop()).toBe(0)
  const taken = answers.filter(({ status }) => status === 201)
  const refused = answers.filter(({ status }) => status !== 201)
  expect(taken.length).toBeGreaterThan(0)
  expect(refused.length).toBeGreaterThan(0)
  for (const one of refused)
    expect(one).toMatchObject({
      status: 503,
      code: 'busy',
      request_id: expect.stringMatching(/\S/),
    })
  const said = server.printed().match(/requests are refused/g) ?? []
  expect(said.length).toBeGreaterThan(0)
  expect(said.length).toBeLessThanOrEqual(seconds + 1)

  const again = await operate(folders)
  expect(await (await fetch(`${again.url}/healthz`)).json()).toMatchObject({ health: 'good' })
  await again.stop()
  const db = new Database(join(folders.dataDir, 'rollcall.db'), { readonly: true })
  const stored = db.prepare('SELECT reg_no FROM registrations').pluck().all()
  db.close()
  for (const { regNo } of taken) expect(stored).toContain(regNo)
})

test('a database that had no room for somebody counts as down for half a minute, whatever the disk says of itself', async () => {
  const app = await startTestApp({ events: { 'sample2026.yaml': fixtureEvent() } })
  const refusedAt = app.now()
  const condition = openCondition({ ...app.deps, noRoomAt: () => refusedAt })
  expect(await condition.look()).toEqual([
    expect.objectContaining({ code: 'no_room', isDown: true }),
  ])
  app.at('2025-10-10T12:00:30+05:30')
  expect(instant(app.now() - 30_000)).toBe(refusedAt)
  expect(await condition.look()).toEqual([])
  await app.close()
})

test('a clock that was set forward by weeks is logged, and stands in the health check for a day', async () => {
  const app = await startTestApp({
    clock: '2025-10-10',
    events: { 'sample2026.yaml': fixtureEvent() },
  })
  const troubles = async (): Promise<unknown> =>
    (await app.app.inject({ url: '/healthz', remoteAddress: '127.0.0.1' })).json().troubles
  const warnings = (): readonly unknown[] =>
    app.log.filter(({ message }) => String(message).includes('the clock was set'))
  app.at('2025-10-12')
  expect([await troubles(), warnings()]).toEqual([[], []])
  app.setClock('2025-10-31')
  expect(await troubles()).toEqual([
    'At 31 October 2025, 12:00 pm the clock was set forward by 19 days. Check its time service (NTP).',
  ])
  expect(warnings()).toEqual([expect.objectContaining({ level: 'warn', byMs: 19 * 86_400_000 })])
  app.setClock('2025-10-12')
  expect(await troubles()).toEqual([expect.stringContaining('the clock was set back by 19 days')])
  app.at('2025-10-14')
  expect([await troubles(), warnings().length]).toEqual([[], 2])
  await app.close()
})

test('the figures are for the machine itself and for whoever has the token, not for strangers and not through a proxy', async () => {
  const token = 'a token that nobody guesses'
  const app = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': fixtureEvent() },
    variables: { METRICS_TOKEN: token },
  })
  const ask = async (headers: Readonly<Record<string, string>>, remoteAddress = '192.0.2.7') => {
    const { statusCode } = await app.app.inject({ url: '/metrics', headers, remoteAddress })
    return statusCode
  }
  expect(await ask({})).toBe(401)
  expect(await ask({ authorization: 'Bearer another token altogether' })).toBe(401)
  expect(await ask({ authorization: `Bearer ${token}` })).toBe(200)
  expect(await ask({}, '127.0.0.1')).toBe(200)
  await app.post('/api/sample2026/register/', fixtureDelegate)
  expect((await app.app.inject('/metrics')).body).toMatch(
    /\nrollcall_payments_pending 1\n[^]*\nrollcall_registrations\{event="sample2026",status="pending"\} 1\n/,
  )
  for (const header of [
    'x-forwarded-for',
    'forwarded',
    'x-real-ip',
    'via',
    'cf-connecting-ip',
    'true-client-ip',
    'x-client-ip',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-cluster-client-ip',
    'x-azure-clientip',
    'x-remote-addr',
    'x-scheme',
    'cdn-loop',
  ]) {
    expect([header, await ask({ [header]: '192.0.2.7' }, '127.0.0.1')]).toEqual([header, 401])
    const health = await app.app.inject({ url: '/healthz', headers: { [header]: '192.0.2.7' } })
    expect([header, Object.keys(health.json())]).toEqual([header, ['status', 'health']])
  }
  // A proxy that adds nothing still passes on the host that the visitor asked for.
  expect(await ask({ host: 'conference.example' }, '127.0.0.1')).toBe(401)
  for (const host of ['127.0.0.1:3000', 'localhost', '[::1]:3000'])
    expect(await ask({ host }, '127.0.0.1')).toBe(200)
  await app.close()
})

test('the figures were open behind a proxy that writes our own host and no header', async () => {
  const app = await startTestApp({ clock: '2026-01-10' })
  const address = new URL(await app.app.listen({ host: '127.0.0.1', port: 0 }))
  const ask = async (path: string, version: string): Promise<string> => {
    const socket = connect(Number(address.port), address.hostname)
    socket.write(
      `GET ${path} HTTP/${version}\r\nHost: ${address.host}\r\nConnection: close\r\n\r\n`,
    )
    return text(socket)
  }
  expect(await ask('/metrics', '1.1')).toMatch(/^HTTP\/1.1 200/)
  expect(await ask('/metrics', '1.0')).toMatch(/^HTTP\/1.1 401/)
  expect(await ask('/healthz', '1.1')).toContain('"troubles"')
  expect(await ask('/healthz', '1.0')).not.toContain('"troubles"')
  await app.close()
})

test('a proxy that TRUST_PROXY does not name is told of, once; one that it names is none', async () => {
  const told = async (variables: Readonly<Record<string, string>>): Promise<number> => {
    const app = await startTestApp({
      events: { 'sample2026.yaml': fixtureEvent() },
      variables: { RATE_LIMITS: 'on', ...variables },
    })
    for (const visitor of ['192.0.2.7', '192.0.2.8'])
      await app.app.inject({
        url: '/robots.txt',
        headers: { 'x-forwarded-for': visitor },
        remoteAddress: '10.0.0.1',
      })
    const lines = app.log.filter(({ message }) =>
      String(message).includes('TRUST_PROXY does not name who did'),
    )
    await app.close()
    return lines.length
  }
  expect(await told({})).toBe(1)
  expect(await told({ TRUST_PROXY: '10.0.0.1' })).toBe(0)
})

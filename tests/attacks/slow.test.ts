/** Clients that are slow on purpose: heads and bodies that never end, answers that nobody reads. */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { findFormatError } from '../server/http/error-shape.ts'
import {
  changes,
  delegate,
  freshAddress,
  registered,
  routesOf,
  startTarget,
  REGISTER,
} from './target.ts'
import type { Target } from './target.ts'
import { answerOn } from './wire.ts'
import type { Outcome } from './wire.ts'

/** More than a browser ever opens, and than the office has. */
const CLIENTS = 200
/** Longer than the longest patience of the server in its hurry. */
const PATIENCE_MS = 120_000

let target: Target
const sockets: Socket[] = []
beforeAll(async () => {
  target = await startTarget({
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'hurried.ts')}`,
  })
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(() => target.stop())

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(target.url).port), '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}
const headOf = (path: string, more: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, 'host: x', `x-forwarded-for: ${freshAddress()}`, ...more, '', ''].join(
    '\r\n',
  )
/** Null: ended as it should, by a no in the one shape or by hanging up. */
function problemOf(outcome: Outcome): string | null {
  if (outcome === 'closed') return null
  if (outcome === 'late') return 'it is still waited for'
  const { status, headers, body } = outcome
  const said = { 'content-type': headers.get('content-type'), 'cache-control': 'no-store' }
  // A return leads to a page, whatever it says.
  if (status === 303) return null
  if (status < 400) return `answered ${status}`
  return findFormatError(
    { statusCode: status === 503 ? 403 : status, headers: said, body },
    'POST',
    false,
  )
}

test(`${CLIENTS} unfinished headers time out, and other requests get responses`, async () => {
  const before = target.holds()
  const clients = await Promise.all(Array.from({ length: CLIENTS }, open))
  const outcomes = clients.map((socket) => answerOn(socket, false, PATIENCE_MS))
  for (const socket of clients) socket.write('GET /api/events/ HTTP/1.1\r\nHost: x\r\nX-Slow: a')
  expect((await target.ask({ path: '/api/events/' })).status).toBe(200)
  await registered(target)
  for (const outcome of await Promise.all(outcomes)) {
    expect(problemOf(outcome)).toBe(null)
    expect(outcome).toMatchObject({ status: 408 })
  }
  expect(changes(before, target.holds())).toMatchObject({ registrations: 1 })
})

test('a header sent line by line times out like one that is never sent', async () => {
  const socket = await open()
  const outcome = answerOn(socket, false, PATIENCE_MS)
  socket.write('GET / HTTP/1.1\r\n')
  const dripping = setInterval(() => socket.write('X-Slow: a\r\n'), 20)
  const ended = await outcome
  clearInterval(dripping)
  expect(problemOf(ended)).toBe(null)
})

test('an unfinished body times out at every route, and leaves nothing', async () => {
  const routes = (await routesOf()).filter(({ method }) => method === 'POST')
  expect(routes.length).toBeGreaterThan(20)
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
  ]
  const before = target.holds()
  const problems = await Promise.all(
    routes.flatMap(({ path }) =>
      types.map(async (type) => {
        const socket = await open()
        const outcome = answerOn(socket, false, PATIENCE_MS)
        const at = path.replaceAll(/:\w+|\{\w+\}|\*/g, 'x')
        socket.write(headOf(at, [`content-type: ${type}`, 'content-length: 10000']) + '{"a": ')
        const problem = problemOf(await outcome)
        return problem === null ? [] : [`${at} with ${type}: ${problem}`]
      }),
    ),
  )
  expect(problems.flat()).toEqual([])
  expect(changes(before, target.holds())).toEqual({})
  expect((await target.ask({ path: '/api/events/' })).status).toBe(200)
})

test('a registration whose document is sent byte by byte times out and is discarded', async () => {
  const before = target.holds()
  const clients = await Promise.all(Array.from({ length: 30 }, open))
  const fields = Object.entries({ ...delegate, ticket_type: 'afpi-pg' }).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const proof = `--x\r\nContent-Disposition: form-data; name="pg_proof"; filename="a.pdf"\r\n\r\n%PDF-1.4\n`
  const body = fields.join('') + proof
  const outcomes = clients.map((socket) => answerOn(socket, false, PATIENCE_MS))
  for (const socket of clients)
    socket.write(
      headOf(REGISTER, [
        'content-type: multipart/form-data; boundary=x',
        'content-length: 1000000',
      ]) + body,
    )
  const dripping = setInterval(() => {
    for (const socket of clients) if (socket.writable) socket.write('x')
  }, 20)
  const incoming = join(target.dataDir, 'uploads', 'incoming')
  for (const outcome of await Promise.all(outcomes)) expect(problemOf(outcome)).toBe(null)
  clearInterval(dripping)
  await vi.waitFor(() => expect(readdirSync(incoming)).toEqual([]), { timeout: 200_000 })
  expect(changes(before, target.holds())).toEqual({})
})

test('responses that are not read delay no other request', async () => {
  const clients = await Promise.all(Array.from({ length: 50 }, open))
  for (const socket of clients) {
    socket.pause()
    // Some megabytes each, of which the machine takes as much as its buffers hold.
    socket.write('GET /organisers HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(30))
  }
  for (let asked = 0; asked < 20; asked += 1)
    expect((await target.ask({ path: '/api/events/' })).status).toBe(200)
  expect(target.process.exitCode).toBe(null)
})

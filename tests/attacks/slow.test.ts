/** Slow client attacks: headers and bodies that never end, and responses that are not read. */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { findFormatError } from '../server/http/error-shape.ts'
import {
  findChanges,
  delegate,
  createAddress,
  registerDelegate,
  listRoutes,
  startTarget,
  REGISTER,
} from './target.ts'
import type { Target } from './target.ts'
import { readResponse } from './wire.ts'
import type { Outcome } from './wire.ts'

/** More connections than a browser opens, and more than there are office users. */
const CLIENTS = 200
/** Longer than the longest timeout of the accelerated server. */
const MAX_WAIT_MS = 120_000

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

async function openSocket(): Promise<Socket> {
  const socket = connect(Number(new URL(target.url).port), '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}
const buildHead = (path: string, extraLines: readonly string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: x',
    `x-forwarded-for: ${createAddress()}`,
    ...extraLines,
    '',
    '',
  ].join('\r\n')
/** Describes why a request ended incorrectly. Null for an error in the common format, or a disconnection. */
function findProblem(outcome: Outcome): string | null {
  if (outcome === 'closed') return null
  if (outcome === 'late') return 'the server is still waiting for it'
  const { status, headers, body } = outcome
  const actualHeaders = { 'content-type': headers.get('content-type'), 'cache-control': 'no-store' }
  // The return endpoint always redirects to a page.
  if (status === 303) return null
  if (status < 400) return `answered ${status}`
  return findFormatError(
    { statusCode: status === 503 ? 403 : status, headers: actualHeaders, body },
    'POST',
    false,
  )
}

test(`${CLIENTS} unfinished headers time out, and other requests get responses`, async () => {
  const snapshotBefore = target.readSnapshot()
  const slowClients = await Promise.all(Array.from({ length: CLIENTS }, openSocket))
  const outcomes = slowClients.map((socket) => readResponse(socket, false, MAX_WAIT_MS))
  for (const socket of slowClients)
    socket.write('GET /api/events/ HTTP/1.1\r\nHost: x\r\nX-Slow: a')
  expect((await target.send({ path: '/api/events/' })).status).toBe(200)
  await registerDelegate(target)
  for (const outcome of await Promise.all(outcomes)) {
    expect(findProblem(outcome)).toBe(null)
    expect(outcome).toMatchObject({ status: 408 })
  }
  expect(findChanges(snapshotBefore, target.readSnapshot())).toMatchObject({ registrations: 1 })
})

test('a header sent line by line times out like one that is never sent', async () => {
  const socket = await openSocket()
  const outcome = readResponse(socket, false, MAX_WAIT_MS)
  socket.write('GET / HTTP/1.1\r\n')
  const dripTimer = setInterval(() => socket.write('X-Slow: a\r\n'), 20)
  const endOutcome = await outcome
  clearInterval(dripTimer)
  expect(findProblem(endOutcome)).toBe(null)
})

test('an unfinished body times out on every route, and nothing is stored', async () => {
  const routes = (await listRoutes()).filter(({ method }) => method === 'POST')
  expect(routes.length).toBeGreaterThan(20)
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
  ]
  const snapshotBefore = target.readSnapshot()
  const routeProblems = await Promise.all(
    routes.flatMap(({ path }) =>
      types.map(async (type) => {
        const socket = await openSocket()
        const outcome = readResponse(socket, false, MAX_WAIT_MS)
        const requestPath = path.replaceAll(/:\w+|\{\w+\}|\*/g, 'x')
        socket.write(
          buildHead(requestPath, [`content-type: ${type}`, 'content-length: 10000']) + '{"a": ',
        )
        const problem = findProblem(await outcome)
        return problem === null ? [] : [`${requestPath} with ${type}: ${problem}`]
      }),
    ),
  )
  expect(routeProblems.flat()).toEqual([])
  expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
  expect((await target.send({ path: '/api/events/' })).status).toBe(200)
})

test('a registration whose document is sent byte by byte times out and is discarded', async () => {
  const snapshotBefore = target.readSnapshot()
  const slowClients = await Promise.all(Array.from({ length: 30 }, openSocket))
  const fields = Object.entries({ ...delegate, ticket_type: 'afpi-pg' }).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const proofPart = `--x\r\nContent-Disposition: form-data; name="pg_proof"; filename="a.pdf"\r\n\r\n%PDF-1.4\n`
  const body = fields.join('') + proofPart
  const outcomes = slowClients.map((socket) => readResponse(socket, false, MAX_WAIT_MS))
  for (const socket of slowClients)
    socket.write(
      buildHead(REGISTER, [
        'content-type: multipart/form-data; boundary=x',
        'content-length: 1000000',
      ]) + body,
    )
  const dripTimer = setInterval(() => {
    for (const socket of slowClients) if (socket.writable) socket.write('x')
  }, 20)
  const incomingDir = join(target.dataDir, 'uploads', 'incoming')
  for (const outcome of await Promise.all(outcomes)) expect(findProblem(outcome)).toBe(null)
  clearInterval(dripTimer)
  await vi.waitFor(() => expect(readdirSync(incomingDir)).toEqual([]), { timeout: 200_000 })
  expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
})

test('unread responses do not delay other requests', async () => {
  const clients = await Promise.all(Array.from({ length: 50 }, openSocket))
  for (const socket of clients) {
    socket.pause()
    // Each client requests several megabytes; the kernel accepts only what fits into its buffers.
    socket.write('GET /organisers HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(30))
  }
  for (let requestCount = 0; requestCount < 20; requestCount += 1)
    expect((await target.send({ path: '/api/events/' })).status).toBe(200)
  expect(target.process.exitCode).toBe(null)
})

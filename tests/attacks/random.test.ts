/** Random requests to every route: no crash, hang, memory growth or unexpected response format. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chooseRuns } from '../runs.ts'
import { runRandomAttack, startMeasuredServer, findViolation } from './random.ts'
import { generateRequest } from './requests.ts'
import type { Target } from './target.ts'

const SEED = 20261127
/** A fraction of the 200,000 requests that `npm run attacks` sends, which would take too long on every commit. */
const REQUESTS = chooseRuns(5_000, 2_500)
/** Low enough to detect a leak of 4 KB in each of 2,000 requests, and high enough for bounded caches and counters. */
const MAX_HEAP_GROWTH_BYTES = 8 * 1024 * 1024
/** Higher, because database pages, socket buffers and memory kept by the allocator vary. */
const MAX_RESIDENT_GROWTH_BYTES = 150 * 1024 * 1024

let target: Target
beforeAll(async () => {
  target = await startMeasuredServer()
})
afterAll(() => target.stop())

test(`${REQUESTS} requests from seed ${SEED}: each gets a response, no 5xx except 503, and errors in the common format; memory is stable`, async () => {
  const run = await runRandomAttack(target, SEED, REQUESTS)
  expect(run.violations.slice(0, 10)).toEqual([])
  expect(run.untestedRoutes).toEqual([])
  expect(run.requestCount).toBe(REQUESTS)
  expect(run.isStillSignedIn).toBe(true)
  // Many of the requests were authorised, so the run did not only test rejections.
  expect(run.responseCounts.get('200')).toBeGreaterThan(REQUESTS / 10)
  expect(run.responseCounts.get('201')).toBeGreaterThan(3)
  const codeUses = target.readRows('SELECT count(*) AS n FROM code_uses')
  expect(codeUses[0]?.['n']).toBeGreaterThan(0)
  const { afterWarmUp, end } = run.memory
  expect(end.heapBytes - afterWarmUp.heapBytes).toBeLessThan(MAX_HEAP_GROWTH_BYTES)
  expect(end.residentBytes - afterWarmUp.residentBytes).toBeLessThan(MAX_RESIDENT_GROWTH_BYTES)
  expect(target.readRows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  expect(target.readRows('PRAGMA foreign_key_check')).toEqual([])
  // No order was paid: a hundred thousand false payment messages change nothing.
  expect(target.readSnapshot()).toMatchObject({ paid: 0 })
  expect(target.process.exitCode).toBe(null)
})

test('a seed always generates the same requests', () => {
  const serverData = {
    routes: [{ method: 'POST', path: '/api/x/{reg_no}/' }],
    regNos: ['AFPI0000000000000'],
    tokens: ['token'],
    eventIds: ['x'],
    codes: ['CODE-9'],
  }
  const formatRequest = (n: number): string =>
    generateRequest(serverData, SEED, n).bytes.toString('latin1')
  expect([formatRequest(7), formatRequest(8)]).toEqual([formatRequest(7), formatRequest(8)])
  expect(formatRequest(7)).not.toBe(formatRequest(8))
})

test.each([
  ['an internal error', 500, '{}', /^status 500/],
  ['an error in another format', 400, '{"error":"no"}', /^400 with/],
  ['a body that is not JSON', 404, 'not found', /not JSON/],
])('negative control: the check detects %s', (_what, status, body, expected) => {
  const headers = new Map([
    ['content-type', 'application/json; charset=utf-8'],
    ['cache-control', 'no-store'],
  ])
  const request = { isHttp: true, method: 'POST', path: '/api/x' }
  expect(findViolation(request, { status, headers, body })).toMatch(expected)
  expect(findViolation(request, 'late')).toMatch(/^no response/)
  expect(findViolation(request, 'closed')).toMatch(/^disconnected/)
})

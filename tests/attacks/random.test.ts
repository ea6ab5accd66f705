/** A stranger's requests to every route, drawn from a fixed seed: nothing breaks, hangs, grows or answers in another shape. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../runs.ts'
import { randomRun, startMeasured, violationOf } from './random.ts'
import { draw } from './requests.ts'
import type { Target } from './target.ts'

const SEED = 20261121
/** The beginning of the run of 200,000 that `npm run attacks` makes, for which nobody wants to wait at every commit. */
const REQUESTS = runs(5_000, 3_500)
/** Two thousand requests that each left four kilobytes would be seen; caches and counts that have an end are not. */
const GROWTH_BYTES_MAX = 8 * 1024 * 1024
/** Pages of the database, buffers of sockets and what the allocator keeps come and go. */
const RESIDENT_GROWTH_BYTES_MAX = 150 * 1024 * 1024

let target: Target
beforeAll(async () => {
  target = await startMeasured()
})
afterAll(() => target.stop())

test(`${REQUESTS} requests of seed ${SEED}: no 5xx except 503, a response to each, errors in the common format, stable memory`, async () => {
  const run = await randomRun(target, SEED, REQUESTS)
  expect(run.violations.slice(0, 10)).toEqual([])
  expect(run.unasked).toEqual([])
  expect(run.requests).toBe(REQUESTS)
  expect(run.isStillSignedIn).toBe(true)
  // It was no knocking at closed doors: a good part got through to what it asked for.
  expect(run.answers.get('200')).toBeGreaterThan(REQUESTS / 10)
  expect(run.answers.get('201')).toBeGreaterThan(3)
  const used = target.rows('SELECT count(*) AS n FROM code_uses')
  expect(used[0]?.['n']).toBeGreaterThan(0)
  const { warm, end } = run.memory
  expect(end.heapBytes - warm.heapBytes).toBeLessThan(GROWTH_BYTES_MAX)
  expect(end.residentBytes - warm.residentBytes).toBeLessThan(RESIDENT_GROWTH_BYTES_MAX)
  expect(target.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  expect(target.rows('PRAGMA foreign_key_check')).toEqual([])
  // Nobody paid anything: a hundred thousand lies about money move none.
  expect(target.holds()).toMatchObject({ paid: 0 })
  expect(target.process.exitCode).toBe(null)
})

test('requests of a seed are always the same', () => {
  const known = {
    routes: [{ method: 'POST', path: '/api/x/{reg_no}/' }],
    regNos: ['AFPI0000000000000'],
    tokens: ['token'],
    eventIds: ['x'],
    codes: ['CODE-9'],
  }
  const of = (n: number): string => draw(known, SEED, n).bytes.toString('latin1')
  expect([of(7), of(8)]).toEqual([of(7), of(8)])
  expect(of(7)).not.toBe(of(8))
})

test.each([
  ['an error of ours', 500, '{}', /^status 500/],
  ['another shape', 400, '{"error":"no"}', /^400 with/],
  ['what is no JSON', 404, 'not found', /no JSON/],
])('negative control: the check detects %s', (_what, status, body, said) => {
  const headers = new Map([
    ['content-type', 'application/json; charset=utf-8'],
    ['cache-control', 'no-store'],
  ])
  const asked = { isHttp: true, method: 'POST', path: '/api/x' }
  expect(violationOf(asked, { status, headers, body })).toMatch(said)
  expect(violationOf(asked, 'late')).toMatch(/^no answer/)
  expect(violationOf(asked, 'closed')).toMatch(/^hung up/)
})

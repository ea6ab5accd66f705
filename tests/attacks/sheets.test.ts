/** Attacks with bank statements, settlements and member lists that exhaust memory or CPU time. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS, registerThorough } from '../runs.ts'
import { STATEMENT_LIMITS } from '../../server/office/spreadsheets/parse-csv.ts'
import { readSheet } from '../../server/office/spreadsheets/read-spreadsheet.ts'
import { XLSX_TYPE } from '../../server/office/spreadsheets/write-excel.ts'
import { findFormatError } from '../server/http/error-shape.ts'
import { buildCells, CSV_ATTACKS, buildValidXlsx, XLSX_ATTACKS } from './hostile-sheets.ts'
import {
  findChanges,
  runCommand,
  CODED_EVENT_ID,
  createAddress,
  signInAsAdmin,
  startTarget,
} from './target.ts'
import type { Target } from './target.ts'
import type { HttpResponse } from './wire.ts'

const MB = 1024 * 1024
/** The maximum resident memory of the server. */
const MAX_RESIDENT_BYTES = 700 * MB

/**
 * A server whose main thread reads the file itself responds to only one or two other requests, those that it
 * receives during the upload.
 */
const MAX_RESPONSES_WHILE_BLOCKED = 5
/**
 * The number of attempts. On a busy machine, reading a small file may end before another request gets a response,
 * but a blocked server fails every attempt.
 */
const MAX_ATTEMPTS = 8

/** Sends this many requests in a row, then pauses for this many milliseconds after each request. */
const REQUESTS_WITHOUT_PAUSE = 20

let target: Target
let token: string
beforeAll(async () => {
  target = await startTarget({ RATE_LIMITS: 'off' })
  token = await signInAsAdmin(target)
})
afterAll(() => target.stop())

const uploadStatement = (file: Buffer, type: string): Promise<HttpResponse> =>
  target.send({
    method: 'POST',
    path: '/admin/reconcile/?event=afpicon2026',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: file,
  })

/** The peak resident memory of the process since the last reset. */
const peakMemory = {
  bytes: (): number =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${readPid()}/status`, 'utf8'))?.[1]) * 1024,
  reset: (): void => writeFileSync(`/proc/${readPid()}/clear_refs`, '5'),
}
const readPid = (): number | undefined => target.process.pid

/** Counts the other requests that get a response before `pendingWork` ends. */
async function countResponsesDuring(pendingWork: Promise<unknown>): Promise<number> {
  const state = { isDone: false }
  const workEnd = pendingWork.finally(() => (state.isDone = true))
  let responseCount = 0
  while (!state.isDone) {
    const { status } = await target.send({ path: '/healthz' }, createAddress())
    expect(status).toBe(200)
    if (state.isDone) break
    responseCount += 1
    // Pauses after a sufficient number of requests, because the reader needs the CPU.
    if (responseCount > REQUESTS_WITHOUT_PAUSE) await pause(REQUESTS_WITHOUT_PAUSE)
  }
  await workEnd
  return responseCount
}

async function sendAttack(file: Buffer, type: string): Promise<HttpResponse> {
  expect(file.length).toBeLessThanOrEqual(2 * MB)
  const snapshotBefore = target.readSnapshot()
  peakMemory.reset()
  let attackResponse = uploadStatement(file, type)
  let responseCount = await countResponsesDuring(attackResponse)
  for (
    let attempt = 1;
    responseCount <= MAX_RESPONSES_WHILE_BLOCKED && attempt < MAX_ATTEMPTS;
    attempt++
  ) {
    attackResponse = uploadStatement(file, type)
    responseCount = await countResponsesDuring(attackResponse)
  }
  expect(responseCount).toBeGreaterThan(MAX_RESPONSES_WHILE_BLOCKED)
  expect(peakMemory.bytes()).toBeLessThan(MAX_RESIDENT_BYTES)
  // Views are recorded in the audit log; nothing else may change.
  const { audit_log: _auditEntries, ...changedTables } = findChanges(
    snapshotBefore,
    target.readSnapshot(),
  )
  expect(changedTables).toEqual({})
  return attackResponse
}

function findResponseProblem({ status, headers, body }: HttpResponse): string | null {
  const actualHeaders = { 'content-type': headers.get('content-type'), 'cache-control': 'no-store' }
  return findFormatError({ statusCode: status, headers: actualHeaders, body }, 'POST', false)
}

type AttackCases = typeof XLSX_ATTACKS
/**
 * Parts of the titles of the files to send: one file for each limit of the reader. `npm run thorough` sends all files.
 */
const LIMIT_TITLES = [
  'to 700 MB of cells',
  'declares 49 MB',
  '2,000 entries',
  'to 49 MB of cells',
  '49 MB in another script',
  'one cell in the last row',
  'truncated',
  'two million commas',
  'one unclosed quote',
  'half a million lines',
  'each of which may be part of another',
  '5,000 lines with 60 cells',
]
const selectAttacks = (
  attacks: AttackCases,
  titleParts: readonly string[] = LIMIT_TITLES,
): AttackCases =>
  ALL_RUNS
    ? attacks
    : attacks.filter(([title]) => titleParts.some((ending) => title.includes(ending)))

describe('an Excel file', () => {
  test.each(selectAttacks(XLSX_ATTACKS))(
    '%s is refused within 700 MB of memory while the server answers other requests',
    async (_what, file) => {
      const response = await sendAttack(file(), XLSX_TYPE)
      expect([response.status, findResponseProblem(response)]).toEqual([422, null])
    },
  )

  test('that declares 700 MB is refused before it is unpacked', async () => {
    const sheet = await readSheet(buildCells(700), STATEMENT_LIMITS)
    expect(sheet.ok ? 'read' : sheet.error.message).toContain('too large when unpacked')
  })

  test('that is created in the same way, but without an attack, is read', async () => {
    const { status, body } = await uploadStatement(buildValidXlsx(), XLSX_TYPE)
    expect([status, JSON.parse(body)]).toEqual([200, { status: 'success', header: ['1'] }])
  })

  const buildSixFiles = (megabytes: number): readonly Buffer[] =>
    Array.from({ length: 6 }, () => buildCells(megabytes))

  registerThorough(() => {
    test('sent six times concurrently takes no more memory than once', async () => {
      const files = buildSixFiles(49)
      peakMemory.reset()
      const uploads = Promise.all(files.map((file) => uploadStatement(file, XLSX_TYPE)))
      expect(await countResponsesDuring(uploads)).toBeGreaterThan(0)
      // The number of files that arrive while another one is being read depends on the machine.
      for (const { status } of await uploads) expect([422, 503]).toContain(status)
      expect(peakMemory.bytes()).toBeLessThan(MAX_RESIDENT_BYTES)
    })
  })

  test('sent six times concurrently is read four times in turn, and two are rejected as busy', async () => {
    const limits = { ...STATEMENT_LIMITS, maxMs: 60_000 }
    const results = await Promise.all(
      buildSixFiles(ALL_RUNS ? 49 : 5).map((file) => readSheet(file, limits)),
    )
    expect(results.map((result) => (result.ok ? null : result.error.code)).toSorted()).toEqual([
      'busy',
      'busy',
      'not_csv',
      'not_csv',
      'not_csv',
      'not_csv',
    ])
  })
})

test('concurrent files are read one after the other, because each can use the full memory limit', async () => {
  const order: string[] = []
  const largeFile = Buffer.from(`${'ab,'.repeat(59)}ab\n`.repeat(4_900))
  await Promise.all(
    [largeFile, Buffer.from('a,b\n')].map(async (file) => {
      const readResult = await readSheet(file, STATEMENT_LIMITS)
      order.push(
        `${file === largeFile ? 'large' : 'small'} ${readResult.ok ? 'read' : readResult.error.message}`,
      )
    }),
  )
  expect(order).toEqual(['large read', 'small read'])
})

describe('a CSV file', () => {
  test.each(selectAttacks(CSV_ATTACKS))(
    '%s is read or refused within 700 MB of memory while the server answers other requests',
    async (_what, file) => {
      const response = await sendAttack(file(), 'text/csv')
      expect([200, 422]).toContain(response.status)
      if (response.status === 422) expect(findResponseProblem(response)).toBe(null)
    },
  )
})

describe('a member list on the command line', () => {
  test.each([
    ...selectAttacks(XLSX_ATTACKS.slice(0, 4), ['2,000 entries']),
    ...selectAttacks(CSV_ATTACKS.slice(0, 4), ['one unclosed quote']),
  ])('%s is refused by the same reader, and changes nothing', async (_what, file) => {
    const path = join(target.dataDir, 'hostile-list')
    writeFileSync(path, file())
    const snapshotBefore = target.readSnapshot()
    await expect(
      runCommand(target, 'event', 'members', CODED_EVENT_ID, 'society', path),
    ).rejects.toThrow(/Nothing was changed/)
    expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
  })
})

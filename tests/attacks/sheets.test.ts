/** Bank statements, settlements and member lists made to take all memory, or all of the server's time. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS, onlyThorough } from '../runs.ts'
import { STATEMENT_LIMITS } from '../../server/office/spreadsheets/parse-csv.ts'
import { readSheet } from '../../server/office/spreadsheets/read-spreadsheet.ts'
import { XLSX_TYPE } from '../../server/office/spreadsheets/write-excel.ts'
import { findFormatError } from '../server/http/error-shape.ts'
import { cellsOfMegabytes, CSV_ATTACKS, honestXlsx, XLSX_ATTACKS } from './hostile-sheets.ts'
import { changes, command, CODED, freshAddress, signedIn, startTarget } from './target.ts'
import type { Target } from './target.ts'
import type { Answer } from './wire.ts'

const MB = 1024 * 1024
/** What the server may take of the machine's memory at its peak. */
const RESIDENT_BYTES_MAX = 700 * MB

/** While the body is still coming, a server that then reads it on its serving thread answers one or two others. */
const ANSWERS_BEFORE_READING = 5
/** A busy machine may end a short reading before anyone else is answered; a blocked server fails each time. */
const ATTEMPTS = 8

/** So many in a row, then one in so many milliseconds. */
const ENOUGH = 20

let target: Target
let token: string
beforeAll(async () => {
  target = await startTarget({ RATE_LIMITS: 'off' })
  token = await signedIn(target)
})
afterAll(() => target.stop())

const load = (file: Buffer, type: string): Promise<Answer> =>
  target.ask({
    method: 'POST',
    path: '/admin/reconcile/?event=afpicon2026',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: file,
  })

/** The most memory that the process has had resident since it was last asked to forget. */
const peak = {
  bytes: (): number =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid()}/status`, 'utf8'))?.[1]) * 1024,
  forget: (): void => writeFileSync(`/proc/${pid()}/clear_refs`, '5'),
}
const pid = (): number | undefined => target.process.pid

/** How often the server answers somebody else before `work` has ended. */
async function answersDuring(work: Promise<unknown>): Promise<number> {
  const state = { isDone: false }
  const done = work.finally(() => (state.isDone = true))
  let answers = 0
  while (!state.isDone) {
    const { status } = await target.ask({ path: '/healthz' }, freshAddress())
    expect(status).toBe(200)
    if (state.isDone) break
    answers += 1
    // Enough has been seen: what is read needs the machine.
    if (answers > ENOUGH) await pause(ENOUGH)
  }
  await done
  return answers
}

async function attack(file: Buffer, type: string): Promise<Answer> {
  expect(file.length).toBeLessThanOrEqual(2 * MB)
  const before = target.holds()
  peak.forget()
  let answer = load(file, type)
  let answers = await answersDuring(answer)
  for (let attempt = 1; answers <= ANSWERS_BEFORE_READING && attempt < ATTEMPTS; attempt++) {
    answer = load(file, type)
    answers = await answersDuring(answer)
  }
  expect(answers).toBeGreaterThan(ANSWERS_BEFORE_READING)
  expect(peak.bytes()).toBeLessThan(RESIDENT_BYTES_MAX)
  // What was looked at stands in the log of the office, and nothing else is new.
  const { audit_log: _looked, ...changed } = changes(before, target.holds())
  expect(changed).toEqual({})
  return answer
}

function refusalOf({ status, headers, body }: Answer): string | null {
  const said = { 'content-type': headers.get('content-type'), 'cache-control': 'no-store' }
  return findFormatError({ statusCode: status, headers: said, body }, 'POST', false)
}

type Attacks = typeof XLSX_ATTACKS
/** One for each limit that ends the reading: `npm run thorough` sends also those that end at the same one. */
const LIMITS = [
  'to 700 MB of cells',
  'says that it is 49 MB',
  '2,000 entries',
  'to 49 MB of cells',
  '49 MB in another script',
  'one cell in the last row',
  'cut in half',
  'two million commas',
  'one quote that never ends',
  'half a million lines',
  'each of which may be a group of another',
  '5,000 lines with 60 cells',
]
const attacks = (all: Attacks, ends: readonly string[] = LIMITS): Attacks =>
  ALL_RUNS ? all : all.filter(([what]) => ends.some((end) => what.includes(end)))

describe('an Excel file', () => {
  test.each(attacks(XLSX_ATTACKS))(
    '%s is refused within 700 MB of memory while the server answers others',
    async (_what, file) => {
      const answer = await attack(file(), XLSX_TYPE)
      expect([answer.status, refusalOf(answer)]).toEqual([422, null])
    },
  )

  test('that states 700 MB is refused before it is unpacked', async () => {
    const read = await readSheet(cellsOfMegabytes(700), STATEMENT_LIMITS)
    expect(read.ok ? 'read' : read.error.message).toContain('too large when unpacked')
  })

  test('made in the same way without an attack is read', async () => {
    const { status, body } = await load(honestXlsx(), XLSX_TYPE)
    expect([status, JSON.parse(body)]).toEqual([200, { status: 'success', header: ['1'] }])
  })

  const sixTimes = (megabytes: number): readonly Buffer[] =>
    Array.from({ length: 6 }, () => cellsOfMegabytes(megabytes))

  onlyThorough(() => {
    test('sent six times at once takes no more memory than once', async () => {
      const files = sixTimes(49)
      peak.forget()
      const sent = Promise.all(files.map((file) => load(file, XLSX_TYPE)))
      expect(await answersDuring(sent)).toBeGreaterThan(0)
      // How many arrive while another is read depends on the machine.
      for (const { status } of await sent) expect([422, 503]).toContain(status)
      expect(peak.bytes()).toBeLessThan(RESIDENT_BYTES_MAX)
    })
  })

  test('sent six times concurrently is read four times in turn, and two are rejected as busy', async () => {
    const limits = { ...STATEMENT_LIMITS, msMax: 60_000 }
    const read = await Promise.all(
      sixTimes(ALL_RUNS ? 49 : 5).map((file) => readSheet(file, limits)),
    )
    expect(read.map((each) => (each.ok ? null : each.error.code)).toSorted()).toEqual([
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
  const large = Buffer.from(`${'ab,'.repeat(59)}ab\n`.repeat(4_900))
  await Promise.all(
    [large, Buffer.from('a,b\n')].map(async (file) => {
      const read = await readSheet(file, STATEMENT_LIMITS)
      order.push(`${file === large ? 'large' : 'small'} ${read.ok ? 'read' : read.error.message}`)
    }),
  )
  expect(order).toEqual(['large read', 'small read'])
})

describe('a CSV', () => {
  test.each(attacks(CSV_ATTACKS))(
    '%s is read or refused within 700 MB of memory while the server answers others',
    async (_what, file) => {
      const answer = await attack(file(), 'text/csv')
      expect([200, 422]).toContain(answer.status)
      if (answer.status === 422) expect(refusalOf(answer)).toBe(null)
    },
  )
})

describe('a member list on the command line', () => {
  test.each([
    ...attacks(XLSX_ATTACKS.slice(0, 4), ['2,000 entries']),
    ...attacks(CSV_ATTACKS.slice(0, 4), ['one quote that never ends']),
  ])('%s is refused by the same reader, and changes nothing', async (_what, file) => {
    const path = join(target.dataDir, 'hostile-list')
    writeFileSync(path, file())
    const before = target.holds()
    await expect(command(target, 'event', 'members', CODED, 'society', path)).rejects.toThrow(
      /Nothing was changed/,
    )
    expect(changes(before, target.holds())).toEqual({})
  })
})

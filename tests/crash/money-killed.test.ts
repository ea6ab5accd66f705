/**
 * A real server and its gateway under 64 clients who pay, come back, try again, are told twice, decide and refund, killed
 * at random moments and started again: no rupee is lost, doubled or given back twice.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { main } from '../../server/cli/run-command.ts'
import { readEnvironment } from '../../server/ops/environment.ts'
import { freePort } from '../browser/serve.ts'
import { besiegeWithMoney, count, nothingTold } from './delegates.ts'
import type { Told } from './delegates.ts'
import { serverVariables, startServer } from './server.ts'
import type { Running } from './server.ts'
import { sandboxOrders, wrongIn } from './check-money.ts'
import { seed, seeded } from './check-registrations.ts'
import { runs, onlyThorough } from '../runs.ts'

/** CRASH_CYCLES=50 is the long run. */
const cycles = Number(process.env['CRASH_CYCLES'] ?? runs(2, 1))
/** How much is answered between two kills, at most. */
const NOTICES_MAX = 30
const FEW_MAX = 6
let folder: string
let running: Running | null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-money-'))
  running = null
})
afterEach(async () => {
  await running?.end('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** Killed once so much has been answered, of what every delegate does and of what few do, however slow the machine is. */
async function siege(server: Running, told: Told, random: () => number): Promise<void> {
  const few = (): number => told.decided.length + told.refunded.length + told.retried.length
  const wanted = {
    notices: told.notices.length + 1 + random() * NOTICES_MAX,
    few: few() + 1 + random() * FEW_MAX,
  }
  const kill = setInterval(() => {
    if (told.notices.length >= wanted.notices && few() >= wanted.few) server.child.kill('SIGKILL')
  }, 2)
  await besiegeWithMoney(server, told, random)
  clearInterval(kill)
  expect(server.child.signalCode).toBe('SIGKILL')
}

/** Everything is asked about a day later, as the reconciler does by itself. */
async function settle(day: string): Promise<void> {
  const [port, sandboxPort] = [await freePort(), await freePort()]
  const variables = {
    ...serverVariables(folder),
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    CLOCK: `${day}T12:00:00+05:30`,
  }
  running = await startServer(folder, { variables })
  const read = readEnvironment(variables)
  if (!read.ok) throw new Error(read.error.join('\n'))
  const said: string[] = []
  const say = (text: string): void => void said.push(text)
  const terminal = { print: say, printError: say, environment: () => read.value }
  expect(await main(['payment', 'reconcile'], terminal), said.join('\n')).toBe(0)
  await running.end('SIGTERM')
}

test(
  `no rupee is lost, duplicated or refunded twice in ${cycles} kills (seed ${seed})`,
  { timeout: 400_000 + cycles * 30_000 },
  async () => {
    const random = seeded(seed)
    const told = nothingTold()
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      running = await startServer(folder)
      // The server itself brings the log back in, then we look.
      expect(wrongIn(folder, told, false)).toEqual([])
      await siege(running, told, random)
    }
    await settle('2025-07-16')
    expect(wrongIn(folder, told, true)).toEqual([])
    const { notices, decided, refunded, retried } = told
    if (process.env['CRASH_CYCLES'] !== undefined) {
      const back = sandboxOrders(folder).reduce((sum, { refunds }) => sum + refunds.length, 0)
      const figures = [
        told.registered.size,
        notices.length,
        retried.length,
        decided.length,
        refunded.length,
        back,
      ]
      for (const some of figures) expect(some).toBeGreaterThan(0)
      console.log(`| ${cycles} | ${figures.join(' | ')} |`)
    }
    // Negative control of the looking itself: what was given back once more is noticed.
    const paid = sandboxOrders(folder).find(({ stage }) => stage === 'paid')
    if (paid === undefined) throw new Error('nothing was paid')
    const more = { ...paid, refunds: [...paid.refunds, { reference: '1', amount: '1.23' }] }
    appendFileSync(join(folder, 'sandbox.jsonl'), `\n${JSON.stringify(more)}\n`)
    expect(wrongIn(folder, told, true)).toEqual([
      `${paid.orderId}: 1.23 went back more often than it was asked for`,
    ])
  },
)

onlyThorough(() => {
  test('negative control: a store that responds before it commits loses confirmed data', async () => {
    const before = ['--import', join(import.meta.dirname, 'early-answers.ts')]
    const told = nothingTold()
    // A kill may meet a moment at which all that was answered is stored; not ten in a row.
    const lost = /was answered and is not there/
    let wrong: readonly string[] = []
    for (let kills = 0; kills < 10 && !wrong.some((one) => lost.test(one)); kills++) {
      running = await startServer(folder, { before })
      const { child } = running
      const answered = count(told)
      const kill = setInterval(() => count(told) > answered && child.kill('SIGKILL'), 5)
      await besiegeWithMoney(running, told, seeded(seed + kills))
      clearInterval(kill)
      wrong = wrongIn(folder, told, false)
    }
    expect(wrong).toContainEqual(expect.stringMatching(lost))
  })
})

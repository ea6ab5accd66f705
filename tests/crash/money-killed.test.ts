/** Kills a server at random moments while 64 clients pay: no payment or refund is lost or duplicated. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { main } from '../../server/cli/run-command.ts'
import { readEnvironment } from '../../server/ops/environment.ts'
import { findFreePort } from '../browser/serve.ts'
import { runPayingClients, countOperations, createAcknowledgedOperations } from './delegates.ts'
import type { AcknowledgedOperations } from './delegates.ts'
import { getServerVariables, startServer } from './server.ts'
import type { RunningServer } from './server.ts'
import { readSandboxOrders, findPaymentProblems } from './check-money.ts'
import { seed, createRandom } from './check-registrations.ts'
import { chooseRuns, registerThorough } from '../runs.ts'

/** The number of kills. CRASH_CYCLES=50 is the long run. */
const cycles = Number(process.env['CRASH_CYCLES'] ?? chooseRuns(2, 1))
/** The maximum numbers of operations between two kills. */
const MAX_NOTICES = 30
const MAX_RARE = 6
let folder: string
let runningServer: RunningServer | null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-money-'))
  runningServer = null
})
afterEach(async () => {
  await runningServer?.end('SIGKILL')
  rmSync(folder, { recursive: true })
})

/**
 * Kills the server after a random number of frequent and rare operations, so that the machine's speed does not matter.
 */
async function killUnderLoad(
  server: RunningServer,
  operations: AcknowledgedOperations,
  random: () => number,
): Promise<void> {
  const countRareOperations = (): number =>
    operations.decidedReviews.length +
    operations.refundedRegistrations.length +
    operations.retried.length
  const target = {
    notices: operations.acceptedMessages.length + 1 + random() * MAX_NOTICES,
    rare: countRareOperations() + 1 + random() * MAX_RARE,
  }
  const killTimer = setInterval(() => {
    if (
      operations.acceptedMessages.length >= target.notices &&
      countRareOperations() >= target.rare
    )
      server.child.kill('SIGKILL')
  }, 2)
  await runPayingClients(server, operations, random)
  clearInterval(killTimer)
  expect(server.child.signalCode).toBe('SIGKILL')
}

/** Queries all payments a day later, as the reconciler does. */
async function queryAllPayments(day: string): Promise<void> {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()]
  const variables = {
    ...getServerVariables(folder),
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    CLOCK: `${day}T12:00:00+05:30`,
  }
  runningServer = await startServer(folder, { variables })
  const environmentResult = readEnvironment(variables)
  if (!environmentResult.ok) throw new Error(environmentResult.error.join('\n'))
  const output: string[] = []
  const print = (text: string): void => void output.push(text)
  const terminal = { print, printError: print, environment: () => environmentResult.value }
  expect(await main(['payment', 'reconcile'], terminal), output.join('\n')).toBe(0)
  await runningServer.end('SIGTERM')
}

test(
  `no rupee is lost, duplicated or refunded twice in ${cycles} kills (seed ${seed})`,
  { timeout: 600_000 + cycles * 30_000 },
  async () => {
    const random = createRandom(seed)
    const operations = createAcknowledgedOperations()
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      runningServer = await startServer(folder)
      // The server replays the write-ahead log before the check.
      expect(findPaymentProblems(folder, operations, false)).toEqual([])
      await killUnderLoad(runningServer, operations, random)
    }
    await queryAllPayments('2025-07-16')
    expect(findPaymentProblems(folder, operations, true)).toEqual([])
    const { acceptedMessages, decidedReviews, refundedRegistrations, retried } = operations
    if (process.env['CRASH_CYCLES'] !== undefined) {
      const refundCount = readSandboxOrders(folder).reduce(
        (sum, { refunds }) => sum + refunds.length,
        0,
      )
      const figures = [
        operations.registered.size,
        acceptedMessages.length,
        retried.length,
        decidedReviews.length,
        refundedRegistrations.length,
        refundCount,
      ]
      for (const figure of figures) expect(figure).toBeGreaterThan(0)
      console.log(`| ${cycles} | ${figures.join(' | ')} |`)
    }
    // Negative control: the check must detect a repeated refund.
    const paidOrder = readSandboxOrders(folder).find(({ stage }) => stage === 'paid')
    if (paidOrder === undefined) throw new Error('no order was paid')
    const repeatedRefund = {
      ...paidOrder,
      refunds: [...paidOrder.refunds, { reference: '1', amount: '1.23' }],
    }
    appendFileSync(join(folder, 'sandbox.jsonl'), `\n${JSON.stringify(repeatedRefund)}\n`)
    expect(findPaymentProblems(folder, operations, true)).toEqual([
      `${paidOrder.orderId}: 1.23 was refunded more often than requested`,
    ])
  },
)

registerThorough(() => {
  test('negative control: a store that responds before it commits loses confirmed data', async () => {
    const preloadArgs = ['--import', join(import.meta.dirname, 'early-answers.ts')]
    const operations = createAcknowledgedOperations()
    // A kill may come when every acknowledged operation has been stored, but not ten times in a row.
    const missingPattern = /was confirmed but is missing/
    let problems: readonly string[] = []
    for (
      let kills = 0;
      kills < 10 && !problems.some((problem) => missingPattern.test(problem));
      kills++
    ) {
      runningServer = await startServer(folder, { nodeArgs: preloadArgs })
      const { child } = runningServer
      const countBefore = countOperations(operations)
      const killTimer = setInterval(
        () => countOperations(operations) > countBefore && child.kill('SIGKILL'),
        5,
      )
      await runPayingClients(runningServer, operations, createRandom(seed + kills))
      clearInterval(killTimer)
      problems = findPaymentProblems(folder, operations, false)
    }
    expect(problems).toContainEqual(expect.stringMatching(missingPattern))
  })
})

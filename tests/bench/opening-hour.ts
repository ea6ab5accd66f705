/**
 * `npm run bench -- opening-hour`: the first minutes of registration, as delegates experience them. First, only
 * registrations, at 300 delegates a minute and even intervals. Then, at the same rate: form page, availability,
 * registration, the gateway's payment message, the result page's query, and the email with ticket and receipt,
 * accepted by a mail server. Finally, registrations as fast as 64 clients can send them, and a minute of rest, to
 * measure the memory. A message with a valid hash replaces the gateway's status call, which costs another
 * millisecond. `MINUTES` (2) and `PER_MINUTE` change duration and load. Linux only.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import type { PaymentData } from '../../engine/api.ts'
import { listChildren } from '../crash/postgres-cluster.ts'
import { createPaidMessage } from '../crash/sample-gateway.ts'
import { openMailServer } from '../server/mail/mail-server.ts'
import { buildFixtureEvent } from '../server/small-event.ts'
import { createDelegate, startBenchServer } from './bench-servers.ts'
import type { BenchServer } from './bench-servers.ts'
import { readCpu } from './cpu.js'

const MINUTES = Number(process.env['MINUTES'] ?? 2)
const PER_MINUTE = Number(process.env['PER_MINUTE'] ?? 300)
const MINUTE_MS = 60_000
const MAX_P99_TIMES = 1.5
const MAX_SERVING_MS = 1.5
const MAX_CPU_MS = 12
const MAX_LOADED_MIB = 320
const MAX_IDLE_MIB = 220
const MAX_EMAIL_WAIT_MS = 120_000
/**
 * The number of delegates before the measurement. They make the server compile its code and start its background
 * process.
 */
const WARM_UP_DELEGATES = 100
const EVENT = 'opening2026'

const event = buildFixtureEvent({ id: EVENT, prefix: 'OPEN' })

type Figures = { readonly p99: number; readonly servingMs: number; readonly cpuMs: number }

export async function benchOpeningHour(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-opening-'))
  const mailServer = await openMailServer()
  const server = await startBenchServer(folder, {
    databaseUrl: null,
    events: { [EVENT]: event },
    variables: {
      SMTP_URL: mailServer.url,
      // The same values as in the systemd unit and the image.
      NODE_OPTIONS: '--max-semi-space-size=4',
      MALLOC_ARENA_MAX: '2',
    },
  })
  try {
    const visit = createVisitor(server)
    await Promise.all(Array.from({ length: WARM_UP_DELEGATES }, visit.completeVisit))
    await waitForEmails(mailServer.countReceived, WARM_UP_DELEGATES)
    const delegateCount = Math.round(PER_MINUTE * MINUTES)
    const baseline = await measure(server, delegateCount, visit.register, async () => {})
    const openingFigures = await measure(server, delegateCount, visit.completeVisit, () =>
      waitForEmails(mailServer.countReceived, WARM_UP_DELEGATES + delegateCount),
    )
    await registerUnderLoad(server)
    const loadedMemory = readMemoryMib(server.pid)
    await pause(MINUTE_MS)
    const idleMemory = readMemoryMib(server.pid)
    return printReport({
      alone: baseline,
      opening: openingFigures,
      loaded: loadedMemory,
      idle: idleMemory,
    })
  } finally {
    await server.stop()
    await mailServer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Creates functions that send the requests of a delegate's browser. Both return the milliseconds until the registration
 * gets its response.
 */
function createVisitor({ url }: Pick<BenchServer, 'url'>) {
  const sendRequest = async (path: string, init: RequestInit = {}): Promise<string> => {
    const response = await fetch(url + path, init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return text
  }
  const registerDelegate = async () => {
    const startedAt = performance.now()
    const text = await sendRequest(`/api/${EVENT}/register/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: createDelegate(),
    })
    const ms = performance.now() - startedAt
    return { ms, ...(JSON.parse(text) as { reg_no: string; payment_data: PaymentData }) }
  }
  return {
    register: async (): Promise<number> => (await registerDelegate()).ms,
    completeVisit: async (): Promise<number> => {
      await sendRequest(`/${EVENT}`)
      await sendRequest(`/api/events/${EVENT}/availability/`)
      const { ms, reg_no: regNo, payment_data: payment } = await registerDelegate()
      await sendRequest('/api/payment/webhook/', {
        method: 'POST',
        body: createPaidMessage(payment),
      })
      await sendRequest(`/api/${EVENT}/registrations/${regNo}/`)
      return ms
    },
  }
}

/** Starts visits at even intervals, whether or not the server has responded to earlier ones. */
async function measure(
  { pid }: Pick<BenchServer, 'pid'>,
  delegateCount: number,
  visit: () => Promise<number>,
  finish: () => Promise<void>,
): Promise<Figures> {
  const [cpuBefore, threadMsBefore] = [readAllCpu(pid), readServingThreadMs(pid)]
  const startedAt = performance.now()
  const visits: Promise<number>[] = []
  for (let index = 0; index < delegateCount; index += 1) {
    await pause(Math.max(0, startedAt + (index * MINUTE_MS) / PER_MINUTE - performance.now()))
    visits.push(visit())
  }
  const times = (await Promise.all(visits)).toSorted((a, b) => a - b)
  await finish()
  return {
    p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
    servingMs: (readServingThreadMs(pid) - threadMsBefore) / delegateCount,
    cpuMs: (readAllCpu(pid) - cpuBefore) / 1000 / delegateCount,
  }
}

async function waitForEmails(count: () => number, expectedCount: number): Promise<void> {
  const startedAt = performance.now()
  while (count() < expectedCount) {
    if (performance.now() - startedAt > MAX_EMAIL_WAIT_MS)
      throw new Error(`only ${count()} of ${expectedCount} emails arrived`)
    await pause(20)
  }
}

async function registerUnderLoad(server: BenchServer): Promise<void> {
  const { non2xx, errors } = await autocannon({
    url: `${server.url}/api/${EVENT}/register/`,
    connections: 64,
    duration: Math.min(60, MINUTES * 60),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    requests: [{ setupRequest: (request) => ({ ...request, body: createDelegate() }) }],
  })
  if (non2xx + errors > 0) throw new Error(`${non2xx} refusals, ${errors} errors under load`)
}

/** Returns the CPU time of the server and its child processes, including those that have exited, in microseconds. */
const readAllCpu = (pid: number): number =>
  readCpu(pid) +
  readExitedChildrenCpu(pid) +
  listChildren(pid).reduce((sum, entry) => sum + readCpu(entry), 0)

function readExitedChildrenCpu(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
  return (Number(user) + Number(system)) * 10_000
}

/** Returns the CPU time of the thread that answers requests, in milliseconds. */
const readServingThreadMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/** Returns the memory of the server and its child processes, in MiB. */
const readMemoryMib = (pid: number): number =>
  [pid, ...listChildren(pid)].reduce((sum, entry) => sum + readProcessMemoryMib(entry), 0)

/** Returns the memory of a process in MiB, or 0 if it is exiting. */
function readProcessMemoryMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
}

function printReport(figures: {
  readonly alone: Figures
  readonly opening: Figures
  readonly loaded: number
  readonly idle: number
}): boolean {
  const { alone, opening, loaded, idle } = figures
  const lines: readonly (readonly [string, number, number])[] = [
    ['registration p99, as a multiple of its value alone', opening.p99 / alone.p99, MAX_P99_TIMES],
    ['serving thread, ms for each delegate', opening.servingMs, MAX_SERVING_MS],
    ['CPU of all processes, ms for each delegate', opening.cpuMs, MAX_CPU_MS],
    ['memory after registrations at full speed, MiB', loaded, MAX_LOADED_MIB],
    ['memory a minute later, MiB', idle, MAX_IDLE_MIB],
  ]
  console.log(
    `\nThe opening hour: ${PER_MINUTE} delegates a minute for ${MINUTES} minutes; only registrations: p99 ${alone.p99.toFixed(1)} ms, ${alone.cpuMs.toFixed(2)} ms of CPU; with all requests: p99 ${opening.p99.toFixed(1)} ms\n`,
  )
  for (const [name, value, max] of lines)
    console.log(
      `${value <= max ? '✓' : '✗'} ${name.padEnd(48)} ${value.toFixed(2)} (at most ${max})`,
    )
  return lines.every(([, value, max]) => value <= max)
}

if (process.argv[1] === import.meta.filename) process.exitCode = (await benchOpeningHour()) ? 0 : 1

/** Starts server processes for benchmarks, with separate events, and reads the CPU time of processes. */
import { spawn } from 'node:child_process'
import { closeSync, cpSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../browser/serve.ts'
import { listChildren } from '../crash/postgres-cluster.ts'
import { GATEWAY_VARIABLES } from '../crash/sample-gateway.ts'
import { useCompiledEvents } from '../server/prepared-files.ts'
import { buildFixtureEvent } from '../server/small-event.ts'
import { readCpu } from './cpu.js'

const ROOT = join(import.meta.dirname, '..', '..')
const MAX_START_MS = 120_000
/** A server that needs longer to stop is killed. */
const MAX_STOP_MS = 10_000
const POLL_MS = 20
const PASSWORD = 'a long password for the bench'
const MAX_SEATS = 1_000_000

/** Events whose registrations need different checks in addition to writing their own rows. */
export const BENCH_EVENTS = {
  plain2026: buildFixtureEvent({ id: 'plain2026', prefix: 'PLAN' }),
  quota2026: buildFixtureEvent({
    id: 'quota2026',
    prefix: 'QUOT',
    extra: `
quotas:
  - {id: hall, when: {is_member: true}, max: ${MAX_SEATS}, full: The hall is full}
`,
  }),
  unique2026: buildFixtureEvent({
    id: 'unique2026',
    prefix: 'UNIQ',
    extra: `
unique:
  - {fields: [email], on_duplicate: block, message: This email address is registered already.}
`,
  }),
  codes2026: buildFixtureEvent({
    id: 'codes2026',
    prefix: 'CODE',
    extra: `
codes:
  kinds:
    - {id: coupon, label: Coupon, gives: {adjustment: coupon}}
`,
  }).replace(
    '    non-member: [3000, 4000]\n',
    `    non-member: [3000, 4000]
  adjustments:
    - {id: coupon, label: Coupon, when: {code: coupon}, on: registration, amount: -100}
`,
  ),
}
export type BenchEvent = keyof typeof BENCH_EVENTS

export type BenchServer = {
  readonly url: string
  readonly pid: number
  readonly dataDir: string
  readonly eventsDir: string
  stop(): Promise<void>
}
export type BenchServerOptions = {
  /** Null for SQLite. */
  readonly databaseUrl: string | null
  readonly variables?: Readonly<Record<string, string>>
  readonly events?: Readonly<Record<string, string>>
}

/** Starts a server process in this folder, and resolves when it listens. */
export async function startBenchServer(
  folder: string,
  { databaseUrl, variables = {}, events = BENCH_EVENTS }: BenchServerOptions,
): Promise<BenchServer> {
  const [dataDir, eventsDir] = [join(folder, 'var'), join(folder, 'events')]
  for (const directory of [dataDir, eventsDir]) mkdirSync(directory, { recursive: true })
  cpSync(join(ROOT, 'events', '_shared'), join(eventsDir, '_shared'), { recursive: true })
  for (const [name, text] of Object.entries(events))
    writeFileSync(join(eventsDir, `${name}.yaml`), text)
  useCompiledEvents(dataDir)
  const url = `http://127.0.0.1:${await findFreePort()}`
  // A pipe would make the load generator read every line.
  const outputFile = join(folder, 'printed.txt')
  const output = openSync(outputFile, 'a')
  const child = spawn(process.execPath, [join(ROOT, 'bin/rollcall.js'), 'start'], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: dataDir,
      EVENTS_DIR: eventsDir,
      PORT: new URL(url).port,
      ...GATEWAY_VARIABLES,
      RATE_LIMITS: 'off',
      ADMIN_USERNAME: 'office',
      ADMIN_PASSWORD: PASSWORD,
      CLOCK: '2026-01-20T12:00:00+05:30',
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      ...variables,
    },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const exitPromise = new Promise<void>((resolve) => {
    child.on('exit', () => resolve())
  })
  // A failed benchmark must leave no process behind.
  const killServer = (): void => void child.kill('SIGKILL')
  process.on('exit', killServer)
  const startedAt = performance.now()
  while (!readFileSync(outputFile, 'utf8').includes(`on ${url}`)) {
    if (child.exitCode !== null || performance.now() - startedAt > MAX_START_MS)
      throw new Error(`the server does not start:\n${readFileSync(outputFile, 'utf8')}`)
    await pause(POLL_MS)
  }
  return {
    url,
    pid: child.pid ?? 0,
    dataDir,
    eventsDir,
    stop: async () => {
      child.kill('SIGTERM')
      const killTimer = setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MS)
      await exitPromise
      clearTimeout(killTimer)
      process.off('exit', killServer)
    },
  }
}

/** Signs in to the office and returns the headers for its API. */
export async function signIn(url: string): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`${url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'office', password: PASSWORD }),
  })
  const { token } = (await response.json()) as { token?: string }
  if (token === undefined) throw new Error(`sign-in failed: ${response.status}`)
  return { authorization: `Bearer ${token}` }
}

let delegateCount = 0
/** Creates the form of a new delegate. */
export function createDelegate(options: Readonly<Record<string, string>> = {}): string {
  delegateCount += 1
  return JSON.stringify({
    full_name: `Delegate Number ${delegateCount}`,
    email: `delegate${delegateCount}-${process.pid}@bench.example`,
    phone_number: '+91 98470 12345',
    is_member: 'true',
    ...options,
  })
}

/** Returns the CPU time of PostgreSQL's processes so far, in microseconds. */
export const readPostgresCpu = (pid: number): number =>
  [pid, ...listChildren(pid)].reduce((sum, processId) => sum + readCpuIfRunning(processId), 0)

function readCpuIfRunning(pid: number): number {
  try {
    return readCpu(pid)
  } catch {
    return 0
  }
}

export const computeMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

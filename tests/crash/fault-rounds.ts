/** Causes faults under load for two servers that share a PostgreSQL database, and checks all acknowledged data. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openInbox } from '../browser/inbox.ts'
import { startDelayingProxy, buildProxyUrl } from '../server/storage/delaying-proxy.ts'
import type { CutMoment, DelayingProxy } from '../server/storage/delaying-proxy.ts'
import { checkOverHttp } from './check-over-http.ts'
import type { CheckResult } from './check-over-http.ts'
import { FAULT_EVENT, FAULT_EVENT_TEXT, createClientResults, runClient } from './fault-clients.ts'
import type { ClientResults } from './fault-clients.ts'
import type { Pooler } from './pgbouncer.ts'
import type { Cluster } from './postgres-cluster.ts'
import { GATEWAY_VARIABLES } from './sample-gateway.ts'
import { openProxy, startServer } from './two-servers.ts'
import type { Server } from './two-servers.ts'

/**
 * With `failover`, the servers know the addresses of both machines. With `moved`, they know one address, which the
 * standby takes over.
 */
export const FAULTS = [
  'server',
  'before',
  'during',
  'after',
  'restart',
  'crash',
  'failover',
  'moved',
] as const
export type Fault = (typeof FAULTS)[number]
export const needsStandby = (fault: Fault): boolean => fault === 'failover' || fault === 'moved'

export type FaultRounds = {
  /** The faults occur in this order on the same data. A fault that needs a standby must come last. */
  readonly faults: readonly Fault[]
  readonly clients: number
  /** The number of registrations to wait for before and after each fault. */
  readonly minRegistrations: number
  /** The number of times a server is killed, and the number of COMMITs whose connection is cut. */
  readonly faultCount: number
  readonly cluster: Cluster
  readonly standby?: Cluster
  /** The pooler that the servers connect to, instead of the proxy that cuts connections. */
  readonly pooler?: Pick<Pooler, 'port' | 'urlOptions'>
  readonly database: string
  readonly sendsIdempotencyKeys?: boolean
  readonly print?: (line: string) => void
}
export type FaultOutcome = CheckResult & {
  readonly results: ClientResults
  readonly emailCount: number
  /** For each server, the time from the promotion to its first registration. Empty without a failover. */
  readonly resumeTimesMs: readonly number[]
}

const ROOT = join(import.meta.dirname, '..', '..')
const PASSWORD = 'a long password for tests'
const POLL_MS = 10
const MAX_WAIT_MS = 200_000
const PROXY_DELAY_MS = 0
/** The connection is cut at one COMMIT in this many, including COMMITs by background work. */
const CUT_ONE_IN = 4
/** The time from the primary's death to the promotion of its standby. */
const DETECTION_MS = 500
/** The target for resuming after a failover. */
export const MAX_RESUME_MS = 15_000
/** Queued emails have arrived once none arrives for this long. */
const EMAIL_QUIET_MS = 400

/**
 * Runs two servers under load, and causes each fault: a killed server, connections cut around COMMIT, a PostgreSQL
 * restart, or a failover to a synchronous standby. Checks everything acknowledged over HTTP.
 */
export async function runFaults(rounds: FaultRounds): Promise<FaultOutcome> {
  const { faults, clients, minRegistrations, cluster, standby, pooler, database } = rounds
  const { sendsIdempotencyKeys = true, print = () => {} } = rounds
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-faults-'))
  const directUrl = await cluster.createDatabase(database)
  const inbox = await openInbox()
  const proxy = await startDelayingProxy({ port: cluster.port }, { delayMs: PROXY_DELAY_MS })
  const servers: Server[] = []
  const results = createClientResults()
  let isOver = false
  const closers: (() => Promise<void>)[] = [() => proxy.close(), () => inbox.close()]
  try {
    const variables = {
      ...GATEWAY_VARIABLES,
      EVENTS_DIR: makeEvents(folder),
      SMTP_URL: inbox.url,
      DATABASE_URL:
        standby !== undefined && faults.includes('failover')
          ? buildUrlOfBoth(directUrl, cluster.port, standby.port)
          : buildProxyUrl(pooler?.port ?? proxy.port, directUrl) + (pooler?.urlOptions ?? ''),
    }
    for (const name of ['first', 'second']) servers.push(await startServer(folder, name, variables))
    const loadBalancer = await openProxy(servers.map(({ port }) => port))
    closers.unshift(() => loadBalancer.close())
    const clientRuns = Array.from({ length: clients }, (_, index) =>
      runClient(`person-${index}`, {
        url: () => loadBalancer.url,
        results,
        hasEnded: () => isOver,
        sendsIdempotencyKeys,
      }),
    )
    const waitForMore = async (): Promise<void> => {
      const target = results.registered.size + minRegistrations
      await waitUntil(
        () => results.registered.size >= target,
        `${minRegistrations} more registrations`,
      )
    }
    const resumeTimesMs: number[] = []
    await waitForMore()
    for (const fault of faults) {
      const [startedAt, registeredBefore] = [performance.now(), results.registered.size]
      if (fault === 'failover' || fault === 'moved')
        resumeTimesMs.push(...(await failOverToStandby(rounds, servers, proxy)))
      else await causeFault(fault, rounds, { proxy, servers, waitForMore })
      await waitForMore()
      print(
        `${fault}: ${results.registered.size - registeredBefore} registered in ${Math.round(performance.now() - startedAt)} ms`,
      )
    }
    await waitUntil(() => results.soldOut.length > 0, 'a delegate who sees that the hall is full')
    isOver = true
    await Promise.all(clientRuns)
    await waitForQuiet(() => inbox.emails.length)
    const [firstServer] = servers
    if (firstServer === undefined) throw new Error('expected two servers')
    const checkResult = await checkOverHttp(
      firstServer.getRunningServer().url,
      PASSWORD,
      results,
      inbox.emails,
    )
    return { ...checkResult, results, emailCount: inbox.emails.length, resumeTimesMs }
  } finally {
    isOver = true
    await Promise.all(servers.map(({ kill }) => kill()))
    for (const close of closers) await close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeEvents(folder: string): string {
  const eventsDir = join(folder, 'fault-events')
  mkdirSync(eventsDir)
  cpSync(join(ROOT, 'events', '_shared'), join(eventsDir, '_shared'), { recursive: true })
  writeFileSync(join(eventsDir, `${FAULT_EVENT}.yaml`), FAULT_EVENT_TEXT)
  return eventsDir
}

const buildUrlOfBoth = (direct: string, port: number, otherPort: number): string =>
  `${direct.replace(`:${port}/`, `:${port},127.0.0.1:${otherPort}/`)}?target_session_attrs=read-write`

type FaultContext = {
  readonly proxy: DelayingProxy
  readonly servers: readonly Server[]
  waitForMore(): Promise<void>
}

async function causeFault(
  fault: Exclude<Fault, 'failover' | 'moved'>,
  { faultCount, cluster }: FaultRounds,
  { proxy, servers, waitForMore }: FaultContext,
): Promise<void> {
  if (fault === 'server')
    for (let n = 0; n < faultCount; n += 1) {
      const killedServer = servers[n % servers.length]
      await killedServer?.kill()
      await waitForMore()
      await killedServer?.start()
    }
  else if (fault === 'restart' || fault === 'crash') {
    await cluster.stop(fault === 'restart' ? 'SIGINT' : 'SIGQUIT')
    await cluster.start()
  } else await cutCommits(proxy, fault, faultCount)
}

async function cutCommits(proxy: DelayingProxy, moment: CutMoment, maxCuts: number): Promise<void> {
  const target = proxy.cuts()[moment] + maxCuts
  proxy.cutCommits(moment, { oneIn: CUT_ONE_IN, maxCuts })
  await waitUntil(() => proxy.cuts()[moment] >= target, `${maxCuts} cut COMMITs`)
  proxy.stopCutting()
}

/**
 * Kills the primary and promotes its standby. For each server, returns the milliseconds from the promotion to its first
 * registration.
 */
async function failOverToStandby(
  { cluster, standby }: FaultRounds,
  servers: readonly Server[],
  proxy: DelayingProxy,
): Promise<readonly number[]> {
  if (standby === undefined) throw new Error('a failover needs a standby')
  await cluster.kill()
  await pause(DETECTION_MS)
  await standby.promote()
  proxy.setTarget({ port: standby.port })
  const startedAt = performance.now()
  return Promise.all(
    servers.map(async (server, index) => {
      await waitUntil(
        () => canRegister(server, index),
        `a registration on the ${server.name} server`,
      )
      return performance.now() - startedAt
    }),
  )
}

let requestCount = 0
async function canRegister(server: Server, index: number): Promise<boolean> {
  requestCount += 1
  return fetch(`${server.getRunningServer().url}/api/${FAULT_EVENT}/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: 'Asha Nair',
      email: `asks-${index}-${requestCount}@example.org`,
      phone_number: '9847012345',
      is_member: 'false',
    }),
    signal: AbortSignal.timeout(MAX_RESUME_MS),
  }).then(
    ({ status }) => status === 201,
    () => false,
  )
}

async function waitUntil(
  isReached: () => boolean | Promise<boolean>,
  condition: string,
): Promise<void> {
  const startedAt = performance.now()
  while (!(await isReached())) {
    if (performance.now() - startedAt > MAX_WAIT_MS)
      throw new Error(`timeout while waiting for ${condition}`)
    await pause(POLL_MS)
  }
}

async function waitForQuiet(count: () => number): Promise<void> {
  for (let lastCount = -1; lastCount !== count();) {
    lastCount = count()
    await pause(EMAIL_QUIET_MS)
  }
}

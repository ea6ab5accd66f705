/**
 * Two servers on one PostgreSQL under load while a server is killed, connections are cut around COMMIT, PostgreSQL is
 * restarted, or a synchronous standby takes over; then everything that was acknowledged is checked over HTTP.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openInbox } from '../browser/inbox.ts'
import { startDelayingProxy, urlThrough } from '../server/storage/delaying-proxy.ts'
import type { CutMoment, DelayingProxy } from '../server/storage/delaying-proxy.ts'
import { checkOverHttp } from './check-over-http.ts'
import type { Checked } from './check-over-http.ts'
import { FAULT_EVENT, FAULT_EVENT_TEXT, nothingTold, runClient } from './fault-clients.ts'
import type { Told } from './fault-clients.ts'
import type { Pooler } from './pgbouncer.ts'
import type { Cluster } from './postgres-cluster.ts'
import { GATEWAY_VARIABLES } from './sample-gateway.ts'
import { proxyTo, server } from './two-servers.ts'
import type { Server } from './two-servers.ts'

/**
 * `failover`: the servers know the addresses of both machines. `moved`: they know one, which moves to the standby.
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
  /** One after the other, on the same data. One that needs a standby must be the last. */
  readonly faults: readonly Fault[]
  readonly clients: number
  /** So many more are told that they are registered before a fault, and after it. */
  readonly toldMin: number
  /** How often a server is killed, and how many COMMITs are cut. */
  readonly times: number
  readonly cluster: Cluster
  readonly standby?: Cluster
  /** Where the servers connect, instead of the proxy that cuts connections. */
  readonly pooler?: Pick<Pooler, 'port' | 'urlOptions'>
  readonly database: string
  readonly hasKeys?: boolean
  readonly say?: (line: string) => void
}
export type FaultOutcome = Checked & {
  readonly told: Told
  readonly mails: number
  /** From the promotion to the first registration at each server; empty without a failover. */
  readonly resumedMs: readonly number[]
}

const TOP = join(import.meta.dirname, '..', '..')
const PASSWORD = 'a long password for tests'
const LOOK_MS = 10
const WAIT_MS_MAX = 200_000
const PROXY_DELAY_MS = 0
/** One COMMIT in so many: also those of the server's own work are cut. */
const CUT_ONE_IN = 4
/** Between the death of a machine and the promotion of its standby. */
const NOTICED_MS = 500
/** The target of the issue. */
export const RESUMED_MS_MAX = 15_000
/** Emails that are on their way arrive. */
const QUIET_MS = 400

export async function runFaults(rounds: FaultRounds): Promise<FaultOutcome> {
  const { faults, clients, toldMin, cluster, standby, pooler, database } = rounds
  const { hasKeys = true, say = () => {} } = rounds
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-faults-'))
  const direct = await cluster.createDatabase(database)
  const inbox = await openInbox()
  const proxy = await startDelayingProxy({ port: cluster.port }, { delayMs: PROXY_DELAY_MS })
  const servers: Server[] = []
  const told = nothingTold()
  let isOver = false
  const ends: (() => Promise<void>)[] = [() => proxy.close(), () => inbox.close()]
  try {
    const variables = {
      ...GATEWAY_VARIABLES,
      EVENTS_DIR: makeEvents(folder),
      SMTP_URL: inbox.url,
      DATABASE_URL:
        standby !== undefined && faults.includes('failover')
          ? urlOfBoth(direct, cluster.port, standby.port)
          : urlThrough(pooler?.port ?? proxy.port, direct) + (pooler?.urlOptions ?? ''),
    }
    for (const name of ['first', 'second']) servers.push(await server(folder, name, variables))
    const distributor = await proxyTo(servers.map(({ port }) => port))
    ends.unshift(() => distributor.close())
    const working = Array.from({ length: clients }, (_, at) =>
      runClient(`person-${at}`, {
        url: () => distributor.url,
        told,
        isOver: () => isOver,
        hasKeys,
      }),
    )
    const waitForMore = async (): Promise<void> => {
      const wanted = told.registered.size + toldMin
      await waitUntil(() => told.registered.size >= wanted, `${toldMin} more registrations`)
    }
    const resumedMs: number[] = []
    await waitForMore()
    for (const fault of faults) {
      const [began, before] = [performance.now(), told.registered.size]
      if (fault === 'failover' || fault === 'moved')
        resumedMs.push(...(await failOver(rounds, servers, proxy)))
      else await cause(fault, rounds, { proxy, servers, waitForMore })
      await waitForMore()
      say(
        `${fault}: ${told.registered.size - before} registered in ${Math.round(performance.now() - began)} ms`,
      )
    }
    await waitUntil(() => told.refused.length > 0, 'somebody who finds the hall full')
    isOver = true
    await Promise.all(working)
    await waitForQuiet(() => inbox.mails.length)
    const [one] = servers
    if (one === undefined) throw new Error('two servers')
    const checked = await checkOverHttp(one.running().url, PASSWORD, told, inbox.mails)
    return { ...checked, told, mails: inbox.mails.length, resumedMs }
  } finally {
    isOver = true
    await Promise.all(servers.map(({ kill }) => kill()))
    for (const end of ends) await end()
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeEvents(folder: string): string {
  const eventsDir = join(folder, 'fault-events')
  mkdirSync(eventsDir)
  cpSync(join(TOP, 'events', '_shared'), join(eventsDir, '_shared'), { recursive: true })
  writeFileSync(join(eventsDir, `${FAULT_EVENT}.yaml`), FAULT_EVENT_TEXT)
  return eventsDir
}

const urlOfBoth = (direct: string, port: number, other: number): string =>
  `${direct.replace(`:${port}/`, `:${port},127.0.0.1:${other}/`)}?target_session_attrs=read-write`

type Stage = {
  readonly proxy: DelayingProxy
  readonly servers: readonly Server[]
  waitForMore(): Promise<void>
}

async function cause(
  fault: Exclude<Fault, 'failover' | 'moved'>,
  { times, cluster }: FaultRounds,
  { proxy, servers, waitForMore }: Stage,
): Promise<void> {
  if (fault === 'server')
    for (let n = 0; n < times; n += 1) {
      const dying = servers[n % servers.length]
      await dying?.kill()
      await waitForMore()
      await dying?.start()
    }
  else if (fault === 'restart' || fault === 'crash') {
    await cluster.stop(fault === 'restart' ? 'SIGINT' : 'SIGQUIT')
    await cluster.start()
  } else await cutCommits(proxy, fault, times)
}

async function cutCommits(proxy: DelayingProxy, moment: CutMoment, times: number): Promise<void> {
  const wanted = proxy.cuts()[moment] + times
  proxy.cutCommits(moment, { oneIn: CUT_ONE_IN, times })
  await waitUntil(() => proxy.cuts()[moment] >= wanted, `${times} COMMITs that are cut`)
  proxy.stopCutting()
}

/** Answers how long after the promotion each server registers somebody. */
async function failOver(
  { cluster, standby }: FaultRounds,
  servers: readonly Server[],
  proxy: DelayingProxy,
): Promise<readonly number[]> {
  if (standby === undefined) throw new Error('a failover needs a standby')
  await cluster.kill()
  await pause(NOTICED_MS)
  await standby.promote()
  proxy.setTarget({ port: standby.port })
  const began = performance.now()
  return Promise.all(
    servers.map(async (one, at) => {
      await waitUntil(() => isRegistering(one, at), `a registration at the ${one.name} server`)
      return performance.now() - began
    }),
  )
}

let asked = 0
async function isRegistering(one: Server, at: number): Promise<boolean> {
  asked += 1
  return fetch(`${one.running().url}/api/${FAULT_EVENT}/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: 'Who Asks',
      email: `asks-${at}-${asked}@example.org`,
      phone_number: '9847012345',
      is_member: 'false',
    }),
    signal: AbortSignal.timeout(RESUMED_MS_MAX),
  }).then(
    ({ status }) => status === 201,
    () => false,
  )
}

async function waitUntil(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const began = performance.now()
  while (!(await isSo())) {
    if (performance.now() - began > WAIT_MS_MAX) throw new Error(`still not: ${what}`)
    await pause(LOOK_MS)
  }
}

async function waitForQuiet(count: () => number): Promise<void> {
  for (let last = -1; last !== count();) {
    last = count()
    await pause(QUIET_MS)
  }
}

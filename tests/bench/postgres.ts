#!/usr/bin/env node
/**
 * `npm run bench -- postgres`, or this file: servers that use a PostgreSQL server 4 ms away (a proxy delays each
 * direction by 2 ms): round trips of each operation, registrations a second on 1, 2 and 4 servers, CPU time, lock
 * waits, and an event with one quota for all. Then PostgreSQL without delay compared with SQLite. `SECONDS`,
 * `ROUNDS`, `CLIENTS` and `SERVERS=1,4` change the defaults, `ONLY=trips`, `load` or `local` runs that part,
 * `TRACE=1` prints the statements.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import pg from 'pg'
import { startCluster } from '../crash/postgres-cluster.ts'
import type { Cluster } from '../crash/postgres-cluster.ts'
import { buildProxyUrl } from '../server/storage/delaying-proxy.ts'
import { startProxyProcess } from '../server/storage/proxy-process.ts'
import type { ProxyProcess } from '../server/storage/proxy-process.ts'
import {
  createDelegate,
  computeMedian,
  readPostgresCpu,
  startBenchServer,
} from './bench-servers.ts'
import type { BenchEvent, BenchServer } from './bench-servers.ts'
import { readCpu } from './cpu.js'
import { countRoundTrips, formatCounts, formatTrips } from './round-trips.ts'
import { startSamples, waitUntilIdle } from './database-samples.ts'

const SECONDS = Number(process.env['SECONDS'] ?? 6)
const ROUNDS = Number(process.env['ROUNDS'] ?? 1)
const LOCAL_ROUNDS = Number(process.env['ROUNDS'] ?? 3)
const CLIENTS = Number(process.env['CLIENTS'] ?? 48)
const SERVER_COUNTS = (process.env['SERVERS'] ?? '1,2,4').split(',').map(Number)
const ONLY = process.env['ONLY']
const LOCAL_CLIENTS = 64
const WARM_UP_SECONDS = 1.5
const ROUND_TRIP_COUNT = 40

/** The performance targets. */
const TARGETS = {
  perSecond: 600,
  quotaPerSecond: 300,
  lookupMs: 8,
  maxCpuRatio: 1.2,
  lockShare: 0.05,
  localShare: 0.4,
}

type Load = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly refused: number
  /** CPU ms per registration. */
  readonly serverCpu: number
  readonly postgresCpu: number
  readonly lockShare: number
  readonly lockShareOfAll: number
  readonly roundTripMs: number
}
/** The database that is measured, and the port through which servers reach it. */
type Database = { readonly cluster: Cluster; readonly name: string; readonly port: number }
type Line = { readonly is: string; readonly meetsTarget: boolean }

export async function benchPostgres(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-postgres-'))
  const cluster = await startCluster()
  const proxy = await startProxyProcess({ port: cluster.port })
  try {
    const roundTripMs = await measureRoundTrip(cluster, proxy.port)
    const directMs = await measureRoundTrip(cluster, cluster.port)
    console.log(
      `A round trip takes ${roundTripMs.toFixed(1)} ms through the proxy, ${directMs.toFixed(2)} ms without it; ${CLIENTS} clients per server, ${ROUNDS} × ${SECONDS} s.`,
    )
    const lines: Line[] = []
    if (ONLY === undefined || ONLY === 'trips')
      lines.push(...(await benchTrips(folder, cluster, proxy, roundTripMs)))
    if (ONLY === undefined || ONLY === 'load')
      lines.push(...(await benchLoad(folder, cluster, proxy)))
    if (ONLY === undefined || ONLY === 'local') lines.push(await benchLocal(folder, cluster))
    console.log(lines.map(({ is, meetsTarget }) => `\n${meetsTarget ? '✓' : '✗'} ${is}`).join(''))
    return lines.every(({ meetsTarget }) => meetsTarget)
  } finally {
    await proxy.close()
    await cluster.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureRoundTrip(cluster: Cluster, port: number): Promise<number> {
  const client = new pg.Client({ connectionString: buildProxyUrl(port, cluster.url('postgres')) })
  await client.connect()
  const times: number[] = []
  for (let n = 0; n < ROUND_TRIP_COUNT; n += 1) {
    const startedAt = performance.now()
    await client.query('SELECT 1')
    times.push(performance.now() - startedAt)
  }
  await client.end()
  return computeMedian(times)
}

/** Runs `work` with servers in new folders, one for each URL, and stops them afterwards. Null is SQLite. */
async function withServers<T>(
  folder: string,
  name: string,
  urls: readonly (string | null)[],
  work: (servers: readonly BenchServer[]) => Promise<T>,
): Promise<T> {
  const servers: BenchServer[] = []
  const start = async (databaseUrl: string | null, index: number): Promise<void> => {
    const ownFolder = join(folder, `${name}-${index}`)
    mkdirSync(ownFolder)
    servers.push(await startBenchServer(ownFolder, { databaseUrl }))
  }
  try {
    // The first server creates the tables.
    for (const [index, url] of urls.entries()) await start(url, index)
    return await work(servers)
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()))
  }
}

async function benchTrips(
  folder: string,
  cluster: Cluster,
  proxy: ProxyProcess,
  roundTripMs: number,
): Promise<readonly Line[]> {
  const directUrl = await cluster.createDatabase('trips')
  const urls = [buildProxyUrl(proxy.port, directUrl), directUrl]
  const roundTripCounts = await withServers(
    folder,
    'trips',
    urls,
    async ([server, secondServer]) => {
      if (server === undefined || secondServer === undefined) throw new Error('two servers')
      return countRoundTrips(proxy, server, secondServer)
    },
  )
  console.log(`\n${formatCounts(roundTripCounts, roundTripMs)}`)
  if (process.env['TRACE'] !== undefined)
    console.log(`\n${roundTripCounts.map(formatTrips).join('\n')}`)
  const excessive = roundTripCounts.filter(
    ({ roundTrips, maxRoundTrips }) => roundTrips > maxRoundTrips,
  )
  const lookupMs = roundTripCounts.find(({ what }) => what === 'lookup by number')?.ms ?? Infinity
  return [
    {
      is: `operations with more round trips than the target: ${excessive.length} of ${roundTripCounts.length}`,
      meetsTarget: excessive.length === 0,
    },
    {
      is: `a lookup by number takes ${lookupMs.toFixed(1)} ms (at most ${TARGETS.lookupMs})`,
      meetsTarget: lookupMs <= TARGETS.lookupMs,
    },
  ]
}

async function benchLoad(
  folder: string,
  cluster: Cluster,
  proxy: ProxyProcess,
): Promise<readonly Line[]> {
  const loads = new Map<string, Load>()
  console.log(`\n${LOAD_HEAD}`)
  for (const count of SERVER_COUNTS) {
    const name = `load${count}`
    const url = buildProxyUrl(proxy.port, await cluster.createDatabase(name))
    const database = { cluster, name, port: proxy.port }
    const urls = Array.from({ length: count }, () => url)
    await withServers(folder, name, urls, async (servers) => {
      const events: readonly BenchEvent[] = count === 2 ? ['plain2026'] : ['plain2026', 'quota2026']
      for (const event of events) {
        const measuredLoad = await measureLoad(database, servers, event, CLIENTS)
        loads.set(`${event} ${count}`, measuredLoad)
        console.log(
          formatLoad(`${count} × ${CLIENTS} clients, ${EVENT_NAMES[event]}`, measuredLoad),
        )
      }
    })
  }
  const [oneServer, fourServers] = [loads.get('plain2026 1'), loads.get('plain2026 4')]
  const [quotaOne, quotaFour] = [loads.get('quota2026 1'), loads.get('quota2026 4')]
  const lines: Line[] = []
  const addLine = (is: string, meetsTarget: boolean): void => void lines.push({ is, meetsTarget })
  if (oneServer !== undefined)
    addLine(
      `one server: ${oneServer.perSecond.toFixed(0)} registrations/s (at least ${TARGETS.perSecond})`,
      oneServer.perSecond >= TARGETS.perSecond,
    )
  if (quotaOne !== undefined)
    addLine(
      `one quota for all, one server: ${quotaOne.perSecond.toFixed(0)}/s (at least ${TARGETS.quotaPerSecond})`,
      quotaOne.perSecond >= TARGETS.quotaPerSecond,
    )
  if (quotaOne !== undefined && quotaFour !== undefined)
    addLine(
      `one quota for all, four servers: ${quotaFour.perSecond.toFixed(0)}/s (not less than on one)`,
      quotaFour.perSecond >= quotaOne.perSecond,
    )
  if (oneServer !== undefined && fourServers !== undefined) {
    const cpuRatio =
      (fourServers.serverCpu + fourServers.postgresCpu) /
      (oneServer.serverCpu + oneServer.postgresCpu)
    addLine(
      `four servers: ${cpuRatio.toFixed(2)} times the CPU of one per registration (at most ${TARGETS.maxCpuRatio})`,
      cpuRatio <= TARGETS.maxCpuRatio,
    )
    addLine(
      `four servers: ${formatShare(fourServers.lockShare)} of samples are waiting for a lock (less than ${formatShare(TARGETS.lockShare)})`,
      fourServers.lockShare < TARGETS.lockShare,
    )
  }
  return lines
}

async function benchLocal(folder: string, cluster: Cluster): Promise<Line> {
  const url = await cluster.createDatabase('local')
  return withServers(folder, 'local', [url, null], async ([postgres, sqlite]) => {
    if (postgres === undefined || sqlite === undefined) throw new Error('two servers')
    const measure = (server: BenchServer): Promise<Load> =>
      measureOnce(
        { cluster, name: 'local', port: cluster.port },
        [server],
        'plain2026',
        LOCAL_CLIENTS,
      )
    const runs: { postgres: Load[]; sqlite: Load[] } = { postgres: [], sqlite: [] }
    for (const server of [postgres, sqlite])
      await sendRegistrations(server, 'plain2026', LOCAL_CLIENTS, 2)
    for (let round = 0; round < LOCAL_ROUNDS; round += 1)
      for (const name of round % 2 === 0
        ? (['postgres', 'sqlite'] as const)
        : (['sqlite', 'postgres'] as const))
        runs[name].push(await measure(name === 'postgres' ? postgres : sqlite))
    console.log(
      `\nOn this machine without delay, ${LOCAL_CLIENTS} clients, ${LOCAL_ROUNDS} × ${SECONDS} s each, alternating, medians\n\n${LOAD_HEAD}`,
    )
    const [postgresLoad, sqliteLoad] = [takeMedians(runs.postgres), takeMedians(runs.sqlite)]
    console.log(`${formatLoad('PostgreSQL', postgresLoad)}\n${formatLoad('SQLite', sqliteLoad)}`)
    const throughputShare = postgresLoad.perSecond / sqliteLoad.perSecond
    return {
      is: `PostgreSQL on this machine: ${throughputShare.toFixed(2)} of SQLite (at least ${TARGETS.localShare})`,
      meetsTarget: throughputShare >= TARGETS.localShare,
    }
  })
}

const EVENT_NAMES: Record<BenchEvent, string> = {
  plain2026: 'no quota',
  quota2026: 'one quota for all',
  codes2026: 'a discount code',
  unique2026: 'a unique answer',
}

async function measureLoad(
  database: Database,
  servers: readonly BenchServer[],
  event: BenchEvent,
  clients: number,
): Promise<Load> {
  await Promise.all(
    servers.map((server) => sendRegistrations(server, event, clients, WARM_UP_SECONDS)),
  )
  const loads: Load[] = []
  for (let round = 0; round < ROUNDS; round += 1)
    loads.push(await measureOnce(database, servers, event, clients))
  return takeMedians(loads)
}

const takeMedians = (loads: readonly Load[]): Load => {
  const [firstLoad] = loads
  if (firstLoad === undefined) throw new Error('nothing was measured')
  const names = Object.keys(firstLoad) as (keyof Load)[]
  return Object.fromEntries(
    names.map((name) => [name, computeMedian(loads.map((load) => load[name]))]),
  ) as Load
}

async function measureOnce(
  database: Database,
  servers: readonly BenchServer[],
  event: BenchEvent,
  clients: number,
): Promise<Load> {
  const { cluster, name, port } = database
  await waitUntilIdle(cluster, name)
  const samples = await startSamples(cluster, name, port)
  const readServersCpu = (): number => servers.reduce((sum, { pid }) => sum + readCpu(pid), 0)
  const [serversCpuBefore, postgresCpuBefore] = [readServersCpu(), readPostgresCpu(cluster.pid())]
  const results = await Promise.all(
    servers.map((server) => sendRegistrations(server, event, clients, SECONDS)),
  )
  const storedCount = results.reduce((sum, result) => sum + result['2xx'], 0)
  const toMsPerRegistration = (microseconds: number): number => microseconds / 1000 / storedCount
  return {
    perSecond: results.reduce((sum, result) => sum + result['2xx'] / result.duration, 0),
    p50: Math.max(...results.map(({ latency }) => latency.p50)),
    p99: Math.max(...results.map(({ latency }) => latency.p99)),
    refused: results.reduce((sum, { non2xx, errors }) => sum + non2xx + errors, 0),
    serverCpu: toMsPerRegistration(readServersCpu() - serversCpuBefore),
    postgresCpu: toMsPerRegistration(readPostgresCpu(cluster.pid()) - postgresCpuBefore),
    ...(await samples.stop()),
  }
}

const sendRegistrations = (
  server: BenchServer,
  event: BenchEvent,
  clients: number,
  seconds: number,
): Promise<autocannon.Result> =>
  autocannon({
    url: `${server.url}/api/${event}/register/`,
    connections: clients,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    requests: [{ setupRequest: (request) => ({ ...request, body: createDelegate() }) }],
  })

const LOAD_HEAD =
  '| servers | registrations/s | p50 ms | p99 ms | CPU ms: servers | PostgreSQL | busy samples waiting for a lock (of all samples) | round trip ms | refused |\n|---|---|---|---|---|---|---|---|---|'
const formatShare = (share: number): string => `${(share * 100).toFixed(0)} %`
/** Formats CPU time, which is not finite if no registration was stored. */
const formatCpu = (ms: number): string => (Number.isFinite(ms) ? ms.toFixed(2) : '–')
const formatLoad = (name: string, load: Load): string =>
  `| ${name} | ${load.perSecond.toFixed(0)} | ${load.p50} | ${load.p99} | ${formatCpu(load.serverCpu)} | ${formatCpu(load.postgresCpu)} | ${formatShare(load.lockShare)} (${formatShare(load.lockShareOfAll)}) | ${load.roundTripMs.toFixed(1)} | ${load.refused} |`

if (process.argv[1] === import.meta.filename) process.exitCode = (await benchPostgres()) ? 0 : 1

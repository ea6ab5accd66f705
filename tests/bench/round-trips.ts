/** Counts the round trips between a server and PostgreSQL for one request, and lists their statements. */
import { setTimeout as pause } from 'node:timers/promises'
import type { PaymentData, RegisterResponse } from '../../engine/api.ts'
import type { Trip } from '../server/storage/delaying-proxy.ts'
import type { ProxyProcess } from '../server/storage/proxy-process.ts'
import { createPaidMessage } from '../crash/sample-gateway.ts'
import { createDelegate, computeMedian, signIn } from './bench-servers.ts'
import type { BenchEvent, BenchServer } from './bench-servers.ts'

export type RoundTripCount = {
  readonly what: string
  /** The minimum of all runs, because the other runs include the server's background work. */
  readonly roundTrips: number
  readonly medianRoundTrips: number
  readonly packets: number
  readonly ms: number
  readonly maxRoundTrips: number
  /** The round trips of the run with the fewest. */
  readonly trips: readonly Trip[]
}

const RUN_COUNT = 15
/** How long the connection must be idle before the next run. */
const QUIET_MS = 60
const MAX_QUIET_MS = 1_500
const CODE = 'BENCHCODE'
const JSON_TYPE = { 'content-type': 'application/json' }

/**
 * Counts the round trips of each operation. `directServer` uses the same database without the proxy, and is queried
 * to find out when a payment has been recorded.
 */
export async function countRoundTrips(
  proxy: ProxyProcess,
  server: BenchServer,
  directServer: BenchServer,
): Promise<readonly RoundTripCount[]> {
  const headers = await signIn(server.url)
  await createCode(server, headers)
  const registration = await register(server, 'plain2026')
  const regNo = registration.reg_no
  const operations: readonly (readonly [
    what: string,
    maxRoundTrips: number,
    prepare: () => Promise<() => Promise<unknown>>,
  ])[] = [
    ['register', 2, async () => () => register(server, 'plain2026')],
    ['register, a shared quota', 2, async () => () => register(server, 'quota2026')],
    ['register, a discount code', 3, async () => () => register(server, 'codes2026', CODE)],
    ['register, a unique answer', 2, async () => () => register(server, 'unique2026')],
    ['lookup by number', 1, async () => () => lookUp(server, regNo)],
    [
      'a page of a list',
      2,
      async () => () => get(`${server.url}/admin/plain2026/registrations/?rows=listed`, headers),
    ],
    [
      'settle (gateway message to paid)',
      3,
      async () => {
        const { reg_no: regNo, payment_data: order } = await register(server, 'plain2026')
        if (order === undefined) throw new Error(`${regNo} has nothing to pay`)
        return () => confirmPayment(server, directServer, regNo, order)
      },
    ],
  ]
  const counts: RoundTripCount[] = []
  for (const [what, maxRoundTrips, prepare] of operations) {
    const runs: Omit<RoundTripCount, 'what' | 'medianRoundTrips' | 'maxRoundTrips'>[] = []
    // The first requests prepare statements and open connections.
    for (let run = 0; run < RUN_COUNT; run += 1) runs.push(await countOnce(proxy, await prepare()))
    const measuredRuns = runs.slice(3)
    const fewestRun = measuredRuns.toSorted((one, other) => one.roundTrips - other.roundTrips)[0]
    if (fewestRun === undefined) throw new Error('nothing was counted')
    counts.push({
      ...fewestRun,
      what,
      maxRoundTrips: maxRoundTrips,
      medianRoundTrips: computeMedian(measuredRuns.map(({ roundTrips }) => roundTrips)),
      ms: computeMedian(measuredRuns.map(({ ms }) => ms)),
    })
  }
  return counts
}

async function countOnce(
  proxy: ProxyProcess,
  work: () => Promise<unknown>,
): Promise<Omit<RoundTripCount, 'what' | 'medianRoundTrips' | 'maxRoundTrips'>> {
  await waitForQuiet(proxy)
  await proxy.startTrace()
  const trafficBefore = await proxy.traffic()
  const startedAt = performance.now()
  await work()
  const ms = performance.now() - startedAt
  const trafficAfter = await proxy.traffic()
  return {
    ms,
    roundTrips: trafficAfter.roundTrips - trafficBefore.roundTrips,
    packets: trafficAfter.packetsToServer - trafficBefore.packetsToServer,
    trips: await proxy.takeTrips(),
  }
}

async function waitForQuiet(proxy: ProxyProcess): Promise<void> {
  let lastCount = (await proxy.traffic()).roundTrips
  for (let waitedMs = 0; waitedMs < MAX_QUIET_MS; waitedMs += QUIET_MS) {
    await pause(QUIET_MS)
    const currentCount = (await proxy.traffic()).roundTrips
    if (currentCount === lastCount) return
    lastCount = currentCount
  }
}

async function createCode(
  server: BenchServer,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const code = { kind: 'coupon', count: '1', uses: '100000', code: CODE }
  await post(`${server.url}/admin/codes/?event=codes2026`, JSON.stringify(code), {
    ...JSON_TYPE,
    ...headers,
  })
}

async function register(
  server: BenchServer,
  event: BenchEvent,
  code?: string,
): Promise<RegisterResponse> {
  const body = createDelegate(code === undefined ? {} : { code })
  const response = await post(`${server.url}/api/${event}/register/`, body, JSON_TYPE)
  return JSON.parse(response) as RegisterResponse
}

export const lookUp = (server: BenchServer, regNo: string): Promise<string> =>
  get(`${server.url}/api/plain2026/registrations/${regNo}/`)

async function confirmPayment(
  server: BenchServer,
  directServer: BenchServer,
  regNo: string,
  order: PaymentData,
): Promise<void> {
  await post(`${server.url}/api/payment/webhook/`, createPaidMessage(order).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
  })
  while (!(await lookUp(directServer, regNo)).includes('"payment_status":"success"')) await pause(1)
}

async function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return readText(url, await fetch(url, { headers }))
}

async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  return readText(url, await fetch(url, { method: 'POST', body, headers }))
}

async function readText(url: string, response: Response): Promise<string> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 200)}`)
  return text
}

export function formatCounts(counts: readonly RoundTripCount[], roundTripMs: number): string {
  const lines = counts.map(
    ({ what, roundTrips, medianRoundTrips, packets, ms, maxRoundTrips }) =>
      `| ${what} | ${roundTrips} (${medianRoundTrips}) | ≤ ${maxRoundTrips} ${roundTrips <= maxRoundTrips ? '✓' : '✗'} | ${packets} | ${ms.toFixed(0)} | ${(ms / roundTripMs).toFixed(1)} |`,
  )
  return [
    '| one request | round trips, fewest (median) | target | packets to PostgreSQL | ms | its round trips in order |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

/** Formats the statements of each round trip, one line each. */
export const formatTrips = ({ what, trips }: RoundTripCount): string =>
  [
    `${what}:`,
    ...trips.map(
      ({ connection, statements }, index) =>
        `  ${index + 1} (connection ${connection}) ${statements.map((statement) => statement.replaceAll(/\s+/g, ' ').slice(0, 70)).join(' ¦ ')}`,
    ),
  ].join('\n')

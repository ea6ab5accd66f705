/**
 * `npm run bench -- office`: how long staff wait, with ten thousand and a million registrations, compared with
 * minimal handlers over the same rows (bare-office.ts) and, for registering, the minimal handler (bare.ts). The rows
 * are generated and inserted into the tables of a separate server, which is started as in production. Rollcall and
 * the minimal handlers take turns; figures are medians. CPU time is reported for lists, exports and lookups as well.
 * `ROWS=10000` measures only that many rows. If the machine has PostgreSQL, up to ten thousand rows are measured on it
 * as well: the same rows, moved there with the move command, compared with the same minimal handlers.
 */
import { spawn } from 'node:child_process'
import { closeSync, fsyncSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { ADMIN, serveAsProcess } from '../browser/serve.ts'

import { moveToPostgres } from '../../server/storage/database/move-database.ts'
import { openStore } from '../../server/storage/open-store.ts'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import { readCpu } from './cpu.js'
import { fillStore, createRegNo } from './rows.ts'

const SIZES = process.env['ROWS']?.split(',').map(Number) ?? [10_000, 1_000_000]
const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const SECONDS = Number(process.env['SECONDS'] ?? 3)
/** Moving more rows would take longer than measuring them. */
const MAX_POSTGRES_ROWS = 10_000
/** The number of views of each page, of which the median is reported. */
const PAGE_VIEW_COUNT = 15
/** The number of exports by each server, of which the median is reported. */
const EXPORT_COUNT = 5
const CLIENTS = 8
const DAY_MS = 24 * 60 * 60 * 1000
/** Registration is open on this date. */
const CLOCK = '2025-11-10T12:00:00+05:30'
/** The older of the lists, with all its columns. */
const LIST = '/admin/afpicon/registrations/?event_type=afpicon'

/** The target of each figure. */
const TARGETS = {
  deepest: 2,
  bytes: 45 * 1024 * 0.25,
  csv: 0.7,
  read: 0.5,
  search: 5,
  memory: 150,
  ready: 0.6,
}

export async function benchOffice() {
  const runs = SIZES.flatMap((rows) => [
    { rows, isPostgres: false },
    ...(hasPostgres && rows <= MAX_POSTGRES_ROWS ? [{ rows, isPostgres: true }] : []),
  ])
  let areTargetsMet = true
  for (const { rows, isPostgres } of runs) {
    const postgres = isPostgres ? await startPostgres() : null
    const lines = await measureRows(
      rows,
      postgres === null ? null : await postgres.database('bench'),
    )
    await postgres?.stop()
    console.log(
      `\n${rows} registrations${isPostgres ? ' in PostgreSQL' : ''}\n\n| | measured | target | |\n|---|---|---|---|`,
    )
    for (const { what, is, target, good } of lines) {
      console.log(`| ${what} | ${is} | ${target} | ${good === null ? '' : good ? '✓' : '✗'} |`)
      areTargetsMet &&= good !== false
    }
  }
  return areTargetsMet
}

/**
 * Measures a server with this number of rows. `url`: the PostgreSQL database that the rows are moved to. If it is
 * null, the rows stay in SQLite.
 */
async function measureRows(rows, url) {
  let startedAt = 0
  const variables = url === null ? { CLOCK } : { CLOCK, DATABASE_URL: url }
  const ours = await serveAsProcess(variables, async ({ dataDir }) => {
    const store = await fillStore(dataDir, openStore, {
      event: 'afpicon2026',
      category: 'intern-mbbs-accompanying',
      rows,
      from: Date.parse(CLOCK) - 60 * DAY_MS,
      days: 60,
    })
    await store.close()
    if (url !== null) {
      const moveResult = moveToPostgres(dataDir, url)
      if (!moveResult.ok) throw new Error(moveResult.error)
    }
    syncToDisk(join(dataDir, 'rollcall.db'))
    startedAt = performance.now()
  })
  const readySeconds = (performance.now() - startedAt) / 1000
  const bare = await startBareServer('bare-office.ts', join(ours.dataDir, 'rollcall.db'))
  try {
    const restingMib = await readRestingMib(ours)
    const headers = { authorization: `Bearer ${await signIn(ours)}` }
    return [
      {
        what: 'ready, s',
        is: readySeconds.toFixed(2),
        target: `≤ ${TARGETS.ready}`,
        good: readySeconds <= TARGETS.ready,
      },
      {
        what: 'memory at rest, MiB',
        is: restingMib.toFixed(0),
        target: `≤ ${TARGETS.memory}`,
        good: restingMib <= TARGETS.memory,
      },
      ...(await measureLists(ours, bare, headers, rows)),
      ...(await measureViews(ours, headers)),
      await measureExports(ours, bare, headers),
      await measureReads(ours, bare, rows),
    ]
  } finally {
    bare.stop()
    await ours.stop()
  }
}

/** Waits until a gigabyte of new data is on the disk, because otherwise the first start would wait for it. */
function syncToDisk(file) {
  const handle = openSync(file)
  fsyncSync(handle)
  closeSync(handle)
}

async function startBareServer(module, argument) {
  const child = spawn(process.execPath, [join(import.meta.dirname, module), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()))
    child.once('exit', (status) => reject(new Error(`${module} ended with ${status}`)))
  })
  return { url, pid: child.pid ?? 0, stop: () => child.kill('SIGTERM') }
}

async function signIn({ url }) {
  const response = await fetch(`${url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  return (await response.json()).token
}

/** Returns the memory a few seconds after startup, without requests. */
async function readRestingMib({ process: { pid } }) {
  await new Promise((done) => setTimeout(done, 5_000))
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

/** Returns the milliseconds until the complete response has arrived. */
async function timeResponse(url, headers = {}) {
  const startedAt = performance.now()
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`)
  return performance.now() - startedAt
}

/** Runs the functions in turn and returns the median time of each. */
async function takeTurns(works, times) {
  const durations = works.map(() => [])
  for (let round = 0; round < times; round += 1)
    for (const [at, work] of works.entries()) durations[at]?.push(await work())
  return durations.map(computeMedian)
}

const computeMedian = (values) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function measureLists(ours, bare, headers, rows) {
  const buildListUrl = (page) => `${ours.url}${LIST}&page=${page}`
  const lastPageNumber = Math.floor(rows / 20)
  const [firstPage = 0, middle = 0, lastPage = 0] = await takeTurns(
    [1, Math.floor(lastPageNumber / 2), lastPageNumber].map(
      (page) => () => timeResponse(`${buildListUrl(page)}&rows=listed`, headers),
    ),
    PAGE_VIEW_COUNT,
  )
  const deepestRatio = Math.max(middle, lastPage) / firstPage
  const bytes = (await (await fetch(`${buildListUrl(1)}&rows=listed`, { headers })).arrayBuffer())
    .byteLength
  const [ourRates, bareRates] = await measureRates(
    { url: `${buildListUrl(1)}&rows=listed`, pid: ours.process.pid ?? 0, headers },
    { url: `${bare.url}/list?page=1`, pid: bare.pid, headers: {} },
  )
  return [
    {
      what: 'a list: page 1, the middle, the last, ms',
      is: `${firstPage.toFixed(1)}, ${middle.toFixed(1)}, ${lastPage.toFixed(1)} (${deepestRatio.toFixed(2)} times)`,
      target: `≤ ${TARGETS.deepest} times page 1`,
      good: deepestRatio <= TARGETS.deepest,
    },
    {
      what: 'a page of 20 rows, bytes',
      is: String(bytes),
      target: `≤ ${TARGETS.bytes}`,
      good: bytes <= TARGETS.bytes,
    },
    {
      what: 'pages a second (bare), CPU µs each',
      is: `${ourRates.perSecond.toFixed(0)} (${bareRates.perSecond.toFixed(0)}), ${ourRates.cpu.toFixed(0)} (${bareRates.cpu.toFixed(0)})`,
      target: '≥ 3 times the previous commit, in a separate run',
      good: null,
    },
  ]
}

async function measureViews(ours, headers) {
  const [search = 0, dashboard = 0] = await takeTurns(
    [
      () => timeResponse(`${ours.url}/admin/find/?q=AFPI0177441080001`, headers),
      () => timeResponse(`${ours.url}/admin/dashboard/stats/`, headers),
    ],
    PAGE_VIEW_COUNT,
  )
  return [
    {
      what: 'a search with one hit, ms',
      is: search.toFixed(1),
      target: `≤ ${TARGETS.search}`,
      good: search <= TARGETS.search,
    },
    { what: 'the dashboard, ms', is: dashboard.toFixed(1), target: 'flat', good: null },
  ]
}

async function measureExports(ours, bare, headers) {
  const usedCpu = [0, 0]
  const addCpu = async (index, pid, work) => {
    const cpuBefore = readCpu(pid)
    const durations = await work()
    usedCpu[index] += readCpu(pid) - cpuBefore
    return durations
  }
  const [ourMs = 0, bareMs = 0] = await takeTurns(
    [
      () =>
        addCpu(0, ours.process.pid ?? 0, () =>
          timeResponse(`${ours.url}/admin/export/?event_type=afpicon`, headers),
        ),
      () => addCpu(1, bare.pid, () => timeResponse(`${bare.url}/csv`)),
    ],
    EXPORT_COUNT,
  )
  const share = bareMs / ourMs
  const [ourCpuSeconds, bareCpuSeconds] = usedCpu.map((cpu) => cpu / EXPORT_COUNT / 1_000_000)
  return {
    what: 'all as CSV (bare), s, and CPU s each',
    is: `${(ourMs / 1000).toFixed(2)} (${(bareMs / 1000).toFixed(2)}), ${ourCpuSeconds.toFixed(2)} (${bareCpuSeconds.toFixed(2)}): ${share.toFixed(2)} of it`,
    target: `≥ ${TARGETS.csv}`,
    good: share >= TARGETS.csv,
  }
}

async function measureReads(ours, bare, rows) {
  const regNo = createRegNo(Math.floor(rows / 3) | 1, rows)
  const [ourRates, bareRates] = await measureRates(
    {
      url: `${ours.url}/api/afpicon/registrations/${regNo}/`,
      pid: ours.process.pid ?? 0,
      headers: {},
    },
    { url: `${bare.url}/registrations/${regNo}`, pid: bare.pid, headers: {} },
  )
  const share = ourRates.perSecond / bareRates.perSecond
  return {
    what: 'lookups by number a second (bare), CPU µs each',
    is: `${ourRates.perSecond.toFixed(0)} (${bareRates.perSecond.toFixed(0)}), ${ourRates.cpu.toFixed(0)} (${bareRates.cpu.toFixed(0)}): ${share.toFixed(2)} of it`,
    target: `≥ ${TARGETS.read}`,
    good: share >= TARGETS.read,
  }
}

/** Measures requests a second, and CPU microseconds per request, of two servers that take turns. */
async function measureRates(firstTarget, secondTarget) {
  const durations = [[], []]
  for (const target of [firstTarget, secondTarget]) await measureLoad(target, 1)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0])
      durations[at].push(await measureLoad(at === 0 ? firstTarget : secondTarget, SECONDS))
  const [ourRates, otherRates] = durations.map((figures) => ({
    perSecond: computeMedian(figures.map(({ perSecond }) => perSecond)),
    cpu: computeMedian(figures.map(({ cpu }) => cpu)),
  }))
  if (ourRates === undefined || otherRates === undefined) throw new Error('nothing was measured')
  return [ourRates, otherRates]
}

async function measureLoad({ url, pid, headers }, seconds) {
  const cpuBefore = readCpu(pid)
  const result = await autocannon({ url, connections: CLIENTS, duration: seconds, headers })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors under load`)
  return {
    perSecond: result.requests.average,
    cpu: (readCpu(pid) - cpuBefore) / result.requests.total,
  }
}

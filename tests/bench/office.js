/**
 * `npm run bench -- office`: what people of the office wait for, over ten thousand registrations and over a million, beside
 * bare handlers over the same rows (bare-office.ts) and, for registering, the bare handler (bare.ts).
 *
 * The rows are made up and put into the tables of a server of its own, which is started as an operator starts it. Ours and
 * the bare one take turns; figures are medians. Where one server's work is counted, it is its CPU time that is told as
 * well. `ROWS=10000` measures that many alone. Where the machine has a PostgreSQL, up to ten thousand rows are measured
 * on it as well: the same rows, moved there as an operator moves them, beside the same bare handlers.
 */
import { spawn } from 'node:child_process'
import { closeSync, fsyncSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { ADMIN, serveAlone } from '../browser/serve.ts'

import { moveToPostgres } from '../../server/storage/database/move-database.ts'
import { openStore } from '../../server/storage/open-store.ts'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import { cpuOf } from './cpu.js'
import { filled, numberOfNth } from './rows.ts'

const SIZES = process.env['ROWS']?.split(',').map(Number) ?? [10_000, 1_000_000]
const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const SECONDS = Number(process.env['SECONDS'] ?? 3)
/** More take longer to be moved than to be measured. */
const POSTGRES_ROWS_MAX = 10_000
/** Looks of one kind whose median is told. */
const LOOKS = 15
/** Files of each whose median is told. */
const EXPORTS = 5
const CLIENTS = 8
const DAY_MS = 24 * 60 * 60 * 1000
/** Prices are on sale on this day. */
const CLOCK = '2025-11-10T12:00:00+05:30'
/** The older of the lists: all of its columns. */
const LIST = '/admin/afpicon/registrations/?event_type=afpicon'

/** What each figure is to reach, from the issue. */
const AIMS = {
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
    ...(hasPostgres && rows <= POSTGRES_ROWS_MAX ? [{ rows, isPostgres: true }] : []),
  ])
  let within = true
  for (const { rows, isPostgres } of runs) {
    const postgres = isPostgres ? await startPostgres() : null
    const lines = await measured(rows, postgres === null ? null : await postgres.database('bench'))
    await postgres?.stop()
    console.log(
      `\n${rows} registrations${isPostgres ? ' in PostgreSQL' : ''}\n\n| | measured | aim | |\n|---|---|---|---|`,
    )
    for (const { what, is, aim, good } of lines) {
      console.log(`| ${what} | ${is} | ${aim} | ${good === null ? '' : good ? '✓' : '✗'} |`)
      within &&= good !== false
    }
  }
  return within
}

/** `url`: the PostgreSQL that the rows are moved to; null: they stay in their file. */
async function measured(rows, url) {
  let started = 0
  const variables = url === null ? { CLOCK } : { CLOCK, DATABASE_URL: url }
  const ours = await serveAlone(variables, async ({ dataDir }) => {
    const store = await filled(dataDir, openStore, {
      event: 'afpicon2026',
      category: 'intern-mbbs-accompanying',
      rows,
      from: Date.parse(CLOCK) - 60 * DAY_MS,
      days: 60,
    })
    await store.close()
    if (url !== null) {
      const moved = moveToPostgres(dataDir, url)
      if (!moved.ok) throw new Error(moved.error)
    }
    settle(join(dataDir, 'rollcall.db'))
    started = performance.now()
  })
  const readyIn = (performance.now() - started) / 1000
  const bare = await startBare('bare-office.ts', join(ours.dataDir, 'rollcall.db'))
  try {
    const memory = await restingMiB(ours)
    const headers = { authorization: `Bearer ${await tokenOf(ours)}` }
    return [
      {
        what: 'ready, s',
        is: readyIn.toFixed(2),
        aim: `≤ ${AIMS.ready}`,
        good: readyIn <= AIMS.ready,
      },
      {
        what: 'memory at rest, MiB',
        is: memory.toFixed(0),
        aim: `≤ ${AIMS.memory}`,
        good: memory <= AIMS.memory,
      },
      ...(await lists(ours, bare, headers, rows)),
      ...(await looks(ours, headers)),
      await exported(ours, bare, headers),
      await read(ours, bare, rows),
    ]
  } finally {
    bare.stop()
    await ours.stop()
  }
}

/** A gigabyte that was put there a moment ago is on the disk before anything is measured: whoever starts would wait for it. */
function settle(file) {
  const handle = openSync(file)
  fsyncSync(handle)
  closeSync(handle)
}

async function startBare(module, argument) {
  const child = spawn(process.execPath, [join(import.meta.dirname, module), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()))
    child.once('exit', (status) => reject(new Error(`${module} ended with ${status}`)))
  })
  return { url, pid: child.pid ?? 0, stop: () => child.kill('SIGTERM') }
}

async function tokenOf({ url }) {
  const answer = await fetch(`${url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  return (await answer.json()).token
}

/** What stays a few seconds after the start, when nobody has asked for anything. */
async function restingMiB({ process: { pid } }) {
  await new Promise((done) => setTimeout(done, 5_000))
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

/** Milliseconds until all of an answer is here. */
async function taking(url, headers = {}) {
  const start = performance.now()
  const answer = await fetch(url, { headers })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
  return performance.now() - start
}

/** Medians of looks that take turns. */
async function inTurn(works, times) {
  const taken = works.map(() => [])
  for (let round = 0; round < times; round += 1)
    for (const [at, work] of works.entries()) taken[at]?.push(await work())
  return taken.map(median)
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function lists(ours, bare, headers, rows) {
  const address = (page) => `${ours.url}${LIST}&page=${page}`
  const last = Math.floor(rows / 20)
  const [begins = 0, middle = 0, ends = 0] = await inTurn(
    [1, Math.floor(last / 2), last].map(
      (page) => () => taking(`${address(page)}&rows=listed`, headers),
    ),
    LOOKS,
  )
  const deepest = Math.max(middle, ends) / begins
  const bytes = (await (await fetch(`${address(1)}&rows=listed`, { headers })).arrayBuffer())
    .byteLength
  const [own, other] = await rates(
    { url: `${address(1)}&rows=listed`, pid: ours.process.pid ?? 0, headers },
    { url: `${bare.url}/list?page=1`, pid: bare.pid, headers: {} },
  )
  return [
    {
      what: 'a list: page 1, the middle, the last, ms',
      is: `${begins.toFixed(1)}, ${middle.toFixed(1)}, ${ends.toFixed(1)} (${deepest.toFixed(2)} times)`,
      aim: `≤ ${AIMS.deepest} times page 1`,
      good: deepest <= AIMS.deepest,
    },
    {
      what: 'a page of 20 rows, bytes',
      is: String(bytes),
      aim: `≤ ${AIMS.bytes}`,
      good: bytes <= AIMS.bytes,
    },
    {
      what: 'pages a second (bare), CPU µs each',
      is: `${own.perSecond.toFixed(0)} (${other.perSecond.toFixed(0)}), ${own.cpu.toFixed(0)} (${other.cpu.toFixed(0)})`,
      aim: '≥ 3 times the commit before, in its own run',
      good: null,
    },
  ]
}

async function looks(ours, headers) {
  const [search = 0, dashboard = 0] = await inTurn(
    [
      () => taking(`${ours.url}/admin/find/?q=AFPI0177441080001`, headers),
      () => taking(`${ours.url}/admin/dashboard/stats/`, headers),
    ],
    LOOKS,
  )
  return [
    {
      what: 'a search with one hit, ms',
      is: search.toFixed(1),
      aim: `≤ ${AIMS.search}`,
      good: search <= AIMS.search,
    },
    { what: 'the dashboard, ms', is: dashboard.toFixed(1), aim: 'flat', good: null },
  ]
}

async function exported(ours, bare, headers) {
  const used = [0, 0]
  const counted = async (at, pid, work) => {
    const before = cpuOf(pid)
    const taken = await work()
    used[at] += cpuOf(pid) - before
    return taken
  }
  const [own = 0, other = 0] = await inTurn(
    [
      () =>
        counted(0, ours.process.pid ?? 0, () =>
          taking(`${ours.url}/admin/export/?event_type=afpicon`, headers),
        ),
      () => counted(1, bare.pid, () => taking(`${bare.url}/csv`)),
    ],
    EXPORTS,
  )
  const share = other / own
  const [ownCpu, otherCpu] = used.map((cpu) => cpu / EXPORTS / 1_000_000)
  return {
    what: 'all as CSV (bare), s, and CPU s each',
    is: `${(own / 1000).toFixed(2)} (${(other / 1000).toFixed(2)}), ${ownCpu.toFixed(2)} (${otherCpu.toFixed(2)}): ${share.toFixed(2)} of it`,
    aim: `≥ ${AIMS.csv}`,
    good: share >= AIMS.csv,
  }
}

async function read(ours, bare, rows) {
  const no = numberOfNth(Math.floor(rows / 3) | 1, rows)
  const [own, other] = await rates(
    {
      url: `${ours.url}/api/afpicon/registrations/${no}/`,
      pid: ours.process.pid ?? 0,
      headers: {},
    },
    { url: `${bare.url}/registrations/${no}`, pid: bare.pid, headers: {} },
  )
  const share = own.perSecond / other.perSecond
  return {
    what: 'a registration by its number, a second (bare), CPU µs each',
    is: `${own.perSecond.toFixed(0)} (${other.perSecond.toFixed(0)}), ${own.cpu.toFixed(0)} (${other.cpu.toFixed(0)}): ${share.toFixed(2)} of it`,
    aim: `≥ ${AIMS.read}`,
    good: share >= AIMS.read,
  }
}

/** Requests a second, and CPU microseconds of each, of two that take turns. */
async function rates(one, other) {
  const taken = [[], []]
  for (const target of [one, other]) await load(target, 1)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0])
      taken[at].push(await load(at === 0 ? one : other, SECONDS))
  const [of, beside] = taken.map((figures) => ({
    perSecond: median(figures.map(({ perSecond }) => perSecond)),
    cpu: median(figures.map(({ cpu }) => cpu)),
  }))
  if (of === undefined || beside === undefined) throw new Error('nothing was measured')
  return [of, beside]
}

async function load({ url, pid, headers }, seconds) {
  const before = cpuOf(pid)
  const result = await autocannon({ url, connections: CLIENTS, duration: seconds, headers })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors under load`)
  return { perSecond: result.requests.average, cpu: (cpuOf(pid) - before) / result.requests.total }
}

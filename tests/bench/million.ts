#!/usr/bin/env node
/**
 * `npm run bench -- million`, or this file: a server with a million registrations (`ROWS` changes this) on SQLite and
 * PostgreSQL: lookups by number, list pages, searches (a common word, and the thousandth), dashboard, export, changed
 * event files, and memory. The rows are inserted into SQLite and moved to PostgreSQL with `rollcall db move`.
 * `ON=sqlite` or `ON=postgres` measures one database; `ONLY=names` only searches for 200 names as callers say them.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { openStore } from '../../server/storage/open-store.ts'
import { startCluster } from '../crash/postgres-cluster.ts'
import { buildFixtureEvent } from '../server/small-event.ts'
import { computeMedian, signIn, startBenchServer } from './bench-servers.ts'
import type { BenchServer } from './bench-servers.ts'
import { EMPTY_EVENT, measureChanges } from './changed-event-file.ts'
import type { Change } from './changed-event-file.ts'
import { startMemorySamples } from './memory-samples.ts'
import { createName, createRegNo, createReference, fillStore } from './rows.ts'

const ROWS = Number(process.env['ROWS'] ?? 1_000_000)
const DATABASE = process.env['ON']
const ONLY = process.env['ONLY']
const EXECUTIONS = Number(process.env['EXECUTIONS'] ?? 1_000)
/** A slow search is repeated only until this time has passed, even if that is fewer than `EXECUTIONS` times. */
const MAX_EXECUTIONS_MS = 60_000
const CLOCK = '2026-01-20T12:00:00+05:30'
const DAY_MS = 24 * 60 * 60 * 1000
const DAY_COUNT = 60
const PAGE_ROWS = 20
const VIEW_COUNT = 15
const CLIENTS = 8
const LOOKUP_SECONDS = 3
const ROOT = join(import.meta.dirname, '..', '..')
const TABLE_HEAD = '| | measured | target | |\n|---|---|---|---|'

/** The performance targets. */
const TARGETS = { lookups: 500, pageTimes: 2, searchMs: 10, nameMs: 100, changeMs: 500 }

/** Forms in which callers give the name “Asha B Nair”. The last has a typo, for which similar names are suggested. */
const NAME_FORMS: readonly ((first: string, initial: string, last: string) => string)[] = [
  (first, initial, last) => `Dr ${first} ${initial} ${last}`,
  (first, _initial, last) => `Dr. ${first} ${last}`,
  (first, _initial, last) => `${last} ${first}`,
  (first, initial, last) => `${initial} ${first} ${last}`,
  (first) => first,
  (_first, initial, last) => `${last} ${initial}.`,
  (first, _initial, last) => `${first.slice(0, 2)}x${first.slice(2)} ${last}`,
]
const NAME_COUNT = 200

const EVENT = 'million2026'
const EVENT_TEXT = buildFixtureEvent({ id: EVENT, prefix: 'AFPI' })

type Line = {
  readonly what: string
  readonly is: string
  readonly target: string
  meetsTarget: boolean | null
}
type Headers = Readonly<Record<string, string>>

export async function benchMillion(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-million-'))
  const cluster = DATABASE === 'sqlite' ? null : await startCluster()
  try {
    const startedAt = performance.now()
    const sqliteFolder = join(folder, 'sqlite')
    await fillSqlite(sqliteFolder)
    const fillSeconds = (performance.now() - startedAt) / 1000
    console.log(`${ROWS} registrations in SQLite after ${fillSeconds.toFixed(0)} s`)
    const lines: Line[] = []
    if (cluster !== null) {
      const databaseUrl = await cluster.createDatabase('million')
      moveToPostgres(sqliteFolder, databaseUrl)
      const moveSeconds = (performance.now() - startedAt) / 1000 - fillSeconds
      console.log(`moved to PostgreSQL in ${moveSeconds.toFixed(0)} s`)
      const shell = await cluster.shell('million')
      await shell.query('VACUUM ANALYZE')
      await shell.end()
      const postgresFolder = join(folder, 'postgres')
      mkdirSync(postgresFolder)
      lines.push(...(await measureAll('PostgreSQL', postgresFolder, databaseUrl)))
    }
    if (DATABASE !== 'postgres') lines.push(...(await measureAll('SQLite', sqliteFolder, null)))
    return lines.every(({ meetsTarget }) => meetsTarget !== false)
  } finally {
    await cluster?.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fillSqlite(folder: string): Promise<void> {
  mkdirSync(folder)
  const store = await fillStore(join(folder, 'var'), openStore, {
    event: EVENT,
    category: 'member',
    rows: ROWS,
    from: Date.parse(CLOCK) - DAY_COUNT * DAY_MS,
    days: DAY_COUNT,
  })
  await store.close()
}

function moveToPostgres(folder: string, databaseUrl: string): void {
  const command = [join(ROOT, 'bin/rollcall.js'), 'db', 'move', 'to-postgres']
  const moveResult = spawnSync(process.execPath, command, {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: join(folder, 'var'),
      EVENTS_DIR: join(ROOT, 'events'),
      DATABASE_URL: databaseUrl,
    },
    encoding: 'utf8',
  })
  if (moveResult.status !== 0)
    throw new Error(`rollcall db move: ${moveResult.stdout}${moveResult.stderr}`)
}

async function measureAll(
  name: string,
  folder: string,
  databaseUrl: string | null,
): Promise<readonly Line[]> {
  const server = await startBenchServer(folder, {
    databaseUrl,
    events: { [EVENT]: EVENT_TEXT, [EMPTY_EVENT.id]: buildFixtureEvent(EMPTY_EVENT) },
    variables: { CLOCK },
  })
  const memory = startMemorySamples(server.pid)
  const lines: Line[] = []
  console.log(`\n${ROWS} registrations on ${name}\n\n${TABLE_HEAD}`)
  const addLine = (line: Line): void => {
    lines.push(line)
    const mark = line.meetsTarget === null ? '' : line.meetsTarget ? '✓' : '✗'
    console.log(`| ${line.what} | ${line.is} | ${line.target} | ${mark} |`)
  }
  try {
    const headers = await signIn(server.url)
    addLine({
      what: 'idle memory, MiB',
      is: memory.take().toFixed(0),
      target: '',
      meetsTarget: null,
    })
    addLine(await measureNames(server, headers))
    if (ONLY === 'names') return lines
    addLine(await measureLookups(server))
    addLine(await measurePages(server, headers))
    for (const line of await measureSearches(server, headers)) addLine(line)
    addLine(await measureView(server, headers, 'the dashboard', '/admin/dashboard/stats/'))
    addLine(await measureExport(server, headers))
    addLine({
      what: 'maximum memory so far, MiB',
      is: memory.take().toFixed(0),
      target: '',
      meetsTarget: null,
    })
    for (const change of await measureChanges(server, headers, ROWS))
      addLine(describeChange(change))
    addLine({
      what: 'maximum memory, MiB',
      is: memory.take().toFixed(0),
      target: 'flat',
      meetsTarget: null,
    })
    return lines
  } finally {
    memory.stop()
    await server.stop()
  }
}

function describeChange({ what, ms, longestMs, additionalMs }: Change): Line {
  const shownTime = ms === Infinity ? 'not in time' : ms.toFixed(0)
  const rowsText =
    additionalMs === null || ms === Infinity
      ? ''
      : `, ${additionalMs.toFixed(0)} of it for the rows`
  return {
    what: `changed event file: ${what}, ms`,
    is: `${shownTime}${rowsText}; a registration meanwhile waits up to ${longestMs.toFixed(0)}`,
    target: additionalMs === null ? '' : `≤ ${TARGETS.changeMs} for the rows`,
    meetsTarget: additionalMs === null ? null : additionalMs <= TARGETS.changeMs,
  }
}

const LIST = `/admin/${EVENT}/registrations/?rows=listed`

async function measureLookups(server: BenchServer): Promise<Line> {
  let n = 0
  const result = await autocannon({
    url: server.url,
    connections: CLIENTS,
    duration: LOOKUP_SECONDS,
    requests: [
      {
        setupRequest: (request) => {
          n = (n + 7_919) % ROWS
          return { ...request, path: `/api/${EVENT}/registrations/${createRegNo(n + 1, ROWS)}/` }
        },
      },
    ],
  })
  if (result.non2xx > 0) throw new Error(`${result.non2xx} numbers are not found`)
  const perSecond = result['2xx'] / result.duration
  return {
    what: 'lookups by number a second (p50, p99 ms)',
    is: `${perSecond.toFixed(0)} (${result.latency.p50}, ${result.latency.p99})`,
    target: `≥ ${TARGETS.lookups}`,
    meetsTarget: perSecond >= TARGETS.lookups,
  }
}

async function measurePages(server: BenchServer, headers: Headers): Promise<Line> {
  const lastPage = Math.floor(ROWS / PAGE_ROWS)
  const pages = [1, Math.floor(lastPage / 2), lastPage]
  const times = pages.map((): number[] => [])
  for (let view = 0; view < VIEW_COUNT; view += 1)
    for (const [index, page] of pages.entries())
      times[index]?.push(await timeResponse(`${server.url}${LIST}&page=${page}`, headers))
  const [firstMs = 0, middleMs = 0, lastMs = 0] = times.map(computeMedian)
  const ratio = Math.max(middleMs, lastMs) / firstMs
  return {
    what: 'a list: page 1, the middle, the last, ms',
    is: `${[firstMs, middleMs, lastMs].map((ms) => ms.toFixed(1)).join(', ')} (${ratio.toFixed(2)} times)`,
    target: `≤ ${TARGETS.pageTimes} times page 1`,
    meetsTarget: ratio <= TARGETS.pageTimes,
  }
}

async function measureSearches(server: BenchServer, headers: Headers): Promise<readonly Line[]> {
  const buildListUrl = (text: string): string =>
    `${server.url}${LIST}&search=${encodeURIComponent(text)}`
  const buildSearchUrl = (text: string): string =>
    `${server.url}/admin/find/?q=${encodeURIComponent(text)}`
  const searches: readonly (readonly [string, string])[] = [
    ['a number', buildSearchUrl('AFPI 0177 4410 8000 1')],
    ['a phone number', buildSearchUrl('+91 98470-00000')],
    ['a payment reference', buildSearchUrl(createReference(Math.floor(ROWS / 4) * 2 + 1))],
    ['two words', buildSearchUrl('nair asha')],
    ['two words in a list', buildListUrl('nair asha')],
    ['a common word', buildSearchUrl('nair')],
    ['a common word in a list', buildListUrl('nair')],
  ]
  const lines: Line[] = []
  for (const [what, url] of searches) {
    const times: number[] = []
    for (let view = 0; view < VIEW_COUNT; view += 1) times.push(await timeResponse(url, headers))
    lines.push(createSearchLine(`search: ${what}, p50 ms`, computeMedian(times), ''))
  }
  const times: number[] = []
  const startedAt = performance.now()
  while (times.length < EXECUTIONS && performance.now() - startedAt < MAX_EXECUTIONS_MS)
    times.push(await timeResponse(buildListUrl(times.length % 2 === 0 ? 'nair' : 'menon'), headers))
  const ms = computeMedian(times.slice(-VIEW_COUNT))
  lines.push(
    createSearchLine('search: a common word in a list, after many', ms, `: ${times.length}`),
  )
  return lines
}

/** Measures searches for names from registrations spread over all rows. */
async function measureNames(server: BenchServer, headers: Headers): Promise<Line> {
  const times: number[] = []
  for (let n = 1; n <= NAME_COUNT; n += 1) {
    const position = Math.floor((n * ROWS) / (NAME_COUNT + 1))
    const [first = '', initial = '', last = ''] = createName(position).split(' ')
    for (const form of NAME_FORMS) {
      const text = encodeURIComponent(form(first, initial, last))
      times.push(await timeResponse(`${server.url}/admin/find/?q=${text}`, headers))
    }
  }
  times.sort((a, b) => a - b)
  const p95 = times[Math.floor(times.length * 0.95)] ?? 0
  return {
    what: `search: ${NAME_COUNT} names in ${NAME_FORMS.length} forms, ms: p50; p95; longest`,
    is: [computeMedian(times), p95, times.at(-1) ?? 0].map((ms) => ms.toFixed(1)).join('; '),
    target: `p95 ≤ ${TARGETS.nameMs}`,
    meetsTarget: p95 <= TARGETS.nameMs,
  }
}

const createSearchLine = (what: string, ms: number, note: string): Line => ({
  what: `${what}${note}`,
  is: ms.toFixed(1),
  target: `≤ ${TARGETS.searchMs}`,
  meetsTarget: ms <= TARGETS.searchMs,
})

async function measureView(
  server: BenchServer,
  headers: Headers,
  what: string,
  path: string,
): Promise<Line> {
  const times: number[] = []
  for (let view = 0; view < VIEW_COUNT; view += 1)
    times.push(await timeResponse(`${server.url}${path}`, headers))
  return { what: `${what}, ms`, is: computeMedian(times).toFixed(1), target: '', meetsTarget: null }
}

async function measureExport(server: BenchServer, headers: Headers): Promise<Line> {
  const startedAt = performance.now()
  const exportResponse = await fetch(`${server.url}/admin/export/?event_type=${EVENT}`, { headers })
  let bytes = 0
  let lines = 0
  for await (const chunk of exportResponse.body ?? []) {
    bytes += chunk.length
    for (const byte of chunk) lines += byte === 10 ? 1 : 0
  }
  if (exportResponse.status !== 200 || lines < ROWS)
    throw new Error(`export: ${exportResponse.status}, ${lines} lines`)
  const seconds = (performance.now() - startedAt) / 1000
  return {
    what: 'all as CSV, s (MiB)',
    is: `${seconds.toFixed(1)} (${(bytes / 1024 / 1024).toFixed(0)})`,
    target: '',
    meetsTarget: null,
  }
}

/** Returns the milliseconds until the complete response has arrived. */
async function timeResponse(url: string, headers: Headers): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(url, { headers })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${text.slice(0, 200)}`)
  return performance.now() - startedAt
}

if (process.argv[1] === import.meta.filename) process.exitCode = (await benchMillion()) ? 0 : 1

#!/usr/bin/env node
/**
 * `npm run bench`: the cost of a registration, and the transferred bytes of a first visit. Our server and the minimal
 * handler (bare.ts) both run, in separate processes, and take turns under the same load, so that a slow phase of the
 * machine affects both. Figures are medians over the rounds. Both get the same JSON body over equally many
 * connections, and have their database in the same temporary folder. The CPU time of each process, all threads, is
 * shown next to its throughput, because it hardly varies on a shared machine, unlike throughput and p99. `ROUNDS`,
 * `SECONDS` and `CLIENTS` change the default 5 × 6 s with 64 clients.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { launchWithDefaultFlags, visit } from '../browser/browser.ts'
import { serveAsProcess } from '../browser/serve.ts'
import { readCpu } from './cpu.js'
import { benchChecker, formatCheckerFigures, MAX_SECONDS } from './checker.ts'
import { benchFirstVisit } from './first-visit.ts'
import { benchFormPage } from './form-page.js'
import { benchMillion } from './million.ts'
import { benchOffice } from './office.js'
import { benchOpeningHour } from './opening-hour.ts'
import { benchPostgres } from './postgres.ts'
import { benchSearch } from './search.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 6)
const CLIENTS = Number(process.env.CLIENTS ?? 64)
/** The targets. A missed target needs a measured explanation. */
const MIN_SHARE = 0.7
const MAX_P99_TIMES = 2
/** The maximum transferred size of a form's scripts, and of the whole landing page. */
const MAX_FORM_KIB = 150
const MAX_LANDING_KIB = 40

let serial = 0
/** Creates the answers of a new delegate, in a category that needs no document. */
const createAnswers = () => {
  serial += 1
  return JSON.stringify({
    full_name: `Delegate Number ${serial}`,
    email: `delegate${serial}@bench.example`,
    phone_number: '+91 98470 12345',
    ticket_type: 'intern-mbbs-accompanying',
    city: 'Kottayam',
    state: 'Kerala',
  })
}

/** @param {{ url: string, pid: number }} target @param {number} seconds */
const measureLoad = ({ url, pid }, seconds) =>
  new Promise((resolve, reject) => {
    const cpuBefore = readCpu(pid)
    autocannon(
      {
        url,
        connections: CLIENTS,
        duration: seconds,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        requests: [{ setupRequest: (request) => ({ ...request, body: createAnswers() }) }],
      },
      (error, result) => {
        if (error) return reject(error)
        if (result.non2xx > 0 || result.errors > 0)
          return reject(
            new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors under load`),
          )
        return resolve({
          perSecond: result.requests.average,
          p99: result.latency.p99,
          p50: result.latency.p50,
          cpu: (readCpu(pid) - cpuBefore) / result.requests.total,
        })
      },
    )
  })

/** @param {number[]} figures */
const computeMedian = (figures) =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)]

async function measureThroughput(ours) {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'))
  const bare = spawn(process.execPath, [join(import.meta.dirname, 'bare.ts'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const bareUrl = await new Promise((resolve, reject) => {
      bare.stdout.once('data', (chunk) => resolve(String(chunk).trim()))
      bare.once('exit', (status) => reject(new Error(`the bare handler ended with ${status}`)))
    })
    const targets = {
      bare: { url: `${bareUrl}/register/`, pid: bare.pid },
      ours: { url: `${ours.url}/api/afpicon/register/`, pid: ours.process.pid },
    }
    const rows = { bare: [], ours: [] }
    for (const name of ['bare', 'ours']) await measureLoad(targets[name], 2)
    for (let round = 0; round < ROUNDS; round += 1)
      // The order changes, so that it is not always the same server that starts while the disk is busy.
      for (const name of round % 2 === 0 ? ['bare', 'ours'] : ['ours', 'bare'])
        rows[name].push(await measureLoad(targets[name], SECONDS))
    const computeFigures = (name) => ({
      perSecond: computeMedian(rows[name].map((row) => row.perSecond)),
      p50: computeMedian(rows[name].map((row) => row.p50)),
      p99: computeMedian(rows[name].map((row) => row.p99)),
      cpu: computeMedian(rows[name].map((row) => row.cpu)),
      all: rows[name].map((row) => Math.round(row.perSecond)),
    })
    return { bare: computeFigures('bare'), ours: computeFigures('ours') }
  } finally {
    bare.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Measures the transferred size of a first visit: bytes of everything, bytes and number of scripts. */
async function measureTransfers(browser, url) {
  // A new window has an empty cache; cached files are not transferred.
  const { page, context } = await visit(browser, { width: 360, height: 740, privateWindow: true })
  const requests = []
  page.on('requestfinished', (request) => requests.push(request))
  await page.goto(url, { waitUntil: 'networkidle' })
  let allBytes = 0
  let scriptBytes = 0
  let scriptCount = 0
  for (const request of requests) {
    const { responseBodySize } = await request.sizes()
    allBytes += responseBodySize
    if (request.resourceType() !== 'script') continue
    scriptBytes += responseBodySize
    scriptCount += 1
  }
  await context.close()
  return { allBytes, scriptBytes, scriptCount }
}

const formatKib = (bytes) => (bytes / 1024).toFixed(1)
const formatMark = (meetsTarget) => (meetsTarget ? '✓' : '✗')

async function benchAll() {
  const ours = await serveAsProcess()
  let areTargetsMet = true
  try {
    const { bare, ours: ourFigures } = await measureThroughput(ours)
    const share = ourFigures.perSecond / bare.perSecond
    const p99Ratio = ourFigures.p99 / bare.p99
    console.log(
      `\nRegister, ${CLIENTS} clients, ${ROUNDS} rounds of ${SECONDS} s each, taking turns, medians\n`,
    )
    console.log('                       requests/s     p50 ms     p99 ms   CPU µs each   rounds')
    for (const [name, row] of [
      ['bare handler', bare],
      ['Rollcall', ourFigures],
    ])
      console.log(
        `${name.padEnd(20)} ${row.perSecond.toFixed(0).padStart(12)} ${String(row.p50).padStart(10)} ${String(row.p99).padStart(10)} ${row.cpu.toFixed(0).padStart(13)}   ${row.all.join(' ')}`,
      )
    console.log(
      `\n${formatMark(share >= MIN_SHARE)} ${share.toFixed(2)} of the bare handler's throughput (at least ${MIN_SHARE})`,
    )
    console.log(
      `${formatMark(p99Ratio <= MAX_P99_TIMES)} ${p99Ratio.toFixed(2)} times its p99 (at most ${MAX_P99_TIMES})`,
    )
    areTargetsMet = share >= MIN_SHARE && p99Ratio <= MAX_P99_TIMES

    const browser = await launchWithDefaultFlags()
    try {
      const events = await (await fetch(`${ours.url}/api/events/`)).json()
      const openEvents = events.events.filter((event) => event.open)
      console.log('\nSent on a first visit, KiB\n')
      for (const [name, path, max] of [
        ['landing page', '/', MAX_LANDING_KIB],
        ...openEvents.map((event) => [event.title, event.routes.form, MAX_FORM_KIB]),
      ]) {
        const { allBytes, scriptBytes, scriptCount } = await measureTransfers(
          browser,
          ours.url + path,
        )
        const [measuredBytes, unit] =
          path === '/' ? [allBytes, 'everything'] : [scriptBytes, 'scripts']
        const isWithin = measuredBytes / 1024 <= max
        console.log(
          `${formatMark(isWithin)} ${name.padEnd(22)} ${formatKib(allBytes).padStart(7)} in all, ${formatKib(scriptBytes).padStart(7)} in ${scriptCount} scripts (${unit}: at most ${max})`,
        )
        areTargetsMet &&= isWithin
      }
    } finally {
      await browser.close()
    }
  } finally {
    await ours.stop()
  }
  const checker = benchChecker()
  console.log(`\nThe checker\n\n${formatCheckerFigures(checker)}`)
  areTargetsMet &&=
    checker.filesSeconds <= MAX_SECONDS &&
    checker.provableTableSeconds <= MAX_SECONDS &&
    checker.hardTableSeconds <= MAX_SECONDS
  return areTargetsMet
}

/** `npm run bench -- first-visit [COMMIT]`, or the name of another part, runs that part alone. */
const [part, ...rest] = process.argv.slice(2)
const PARTS = {
  'first-visit': benchFirstVisit,
  search: benchSearch,
  office: benchOffice,
  'form-page': benchFormPage,
  'opening-hour': benchOpeningHour,
  postgres: benchPostgres,
  million: benchMillion,
}
/** The parts that run if no name is given. Each runs regardless of earlier results. */
const USUAL_PARTS = [benchAll, benchFormPage, benchFirstVisit, benchPostgres]
const chosenParts = part === undefined ? USUAL_PARTS : [PARTS[part]]
if (chosenParts.includes(undefined))
  throw new Error(`no part "${part}": ${Object.keys(PARTS).join(', ')}`)
let areTargetsMet = true
for (const bench of chosenParts) areTargetsMet = (await bench(...rest)) && areTargetsMet
process.exitCode = areTargetsMet ? 0 : 1

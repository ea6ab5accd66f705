/**
 * Compares pages with a file of the same size: requests per second for the registration form, for its 304 response,
 * and for the landing page with 4 and with 1,000 events. The file is compressed in advance and sent from memory by a
 * separate Fastify process, which does nothing else. The servers take turns under the same load.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { serveAsProcess, ROOT } from '../browser/serve.ts'
import { buildFixtureEvent } from '../server/small-event.ts'
import { readCpu } from './cpu.js'
import { sendRepeatedly } from './keep-asking.js'

const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const SECONDS = Number(process.env['SECONDS'] ?? 4)
const CLIENTS = Number(process.env['CLIENTS'] ?? 64)
const EVENT_COUNT = Number(process.env['EVENTS'] ?? 1_000)
/** The minimum rates of the form and of its 304 response, as a share of the file's requests per second. */
const MIN_PAGE_SHARE = 0.5
const MIN_UNCHANGED_SHARE = 0.7
/**
 * The maximum ratio to the CPU time with 4 events. CPU time varies less on a shared machine than requests per second.
 */
const MAX_MANY_EVENTS_RATIO = 1.2
/**
 * The maximum time until the server listens with many events: on the first start with these events, and on later
 * starts.
 */
const MAX_FIRST_START_MS = 10_000
const MAX_START_MS = 2_000
const BROWSER_HEADERS = { 'accept-encoding': 'gzip, deflate, br, zstd' }
const FORM_PATH = '/afpicon2026'

/** @param {{ url: string, pid: number, headers?: object }} target @param {number} seconds */
async function measureLoad({ url, pid, headers = {} }, seconds) {
  const cpuBefore = readCpu(pid)
  const { all, perSecond, p99 } = await sendRepeatedly(
    { url, headers: { ...BROWSER_HEADERS, ...headers } },
    { clients: CLIENTS, seconds },
  )
  return { perSecond, p99, cpu: (readCpu(pid) - cpuBefore) / all }
}

/** @param {number[]} figures */
const computeMedian = (figures) =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN

/** The program that serves the compressed bytes at `/`; a browser would decompress them. */
const FILE_SERVER = `
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
const body = readFileSync(process.argv[1])
const app = Fastify()
app.get('/', (request, reply) =>
  reply
    .headers({ 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'br', vary: 'accept-encoding', 'cache-control': 'no-cache', etag: '"file"' })
    .send(body))
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
`

/** @param {string} file the compressed bytes */
async function serveFile(file) {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', FILE_SERVER, '--', file],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(child.stdout, 'data')
  return { url: String(line).trim(), process: child }
}

/** @param {string} folder @param {number} count */
function writeEvents(folder, count) {
  for (let number = 0; number < count; number += 1) {
    const id = `sample${number}`
    const prefix = [17_576, 676, 26, 1]
      .map((unit) => String.fromCodePoint(65 + (Math.floor(number / unit) % 26)))
      .join('')
    writeFileSync(join(folder, `${id}.yaml`), buildFixtureEvent({ id, prefix: `X${prefix}` }))
  }
}

/** @returns whether all targets are met */
export async function benchFormPage() {
  const server = await serveAsProcess()
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'))
  const [dataDir, eventsDir] = [join(folder, 'var'), join(folder, 'events')]
  cpSync(join(ROOT, 'events'), eventsDir, { recursive: true })
  writeEvents(eventsDir, EVENT_COUNT - readdirSync(eventsDir).filter(isEventFile).length)
  const startServer = async () => {
    const startedAt = performance.now()
    const served = await serveAsProcess({ DATA_DIR: dataDir, EVENTS_DIR: eventsDir })
    const ms = performance.now() - startedAt
    return { served, ms, cpuMs: readCpu(served.process.pid) / 1000 }
  }
  const firstStart = await startServer()
  await firstStart.served.stop()
  const secondStart = await startServer()
  const manyEventsServer = secondStart.served
  let fileServer = null
  try {
    await waitUntilPrerendered(server.url + FORM_PATH)
    const page = await fetch(server.url + FORM_PATH, { headers: BROWSER_HEADERS })
    const etag = page.headers.get('etag') ?? ''
    const compressedBytes = Number(page.headers.get('content-length'))
    const file = join(server.dataDir, 'page-of-the-same-size')
    writeFileSync(file, Buffer.alloc(compressedBytes, 'x'))
    fileServer = await serveFile(file)
    const targets = [
      { name: 'file of the same size', url: `${fileServer.url}/`, pid: fileServer.process.pid },
      { name: 'form', url: server.url + FORM_PATH, pid: server.process.pid },
      {
        name: 'form, 304',
        url: server.url + FORM_PATH,
        pid: server.process.pid,
        headers: { 'if-none-match': etag },
      },
      { name: 'landing page, 4 events', url: `${server.url}/`, pid: server.process.pid },
      {
        name: `landing page, ${EVENT_COUNT} events`,
        url: `${manyEventsServer.url}/`,
        pid: manyEventsServer.process.pid,
      },
    ]
    const rows = new Map(targets.map(({ name }) => [name, []]))
    for (const target of targets) await measureLoad(target, 1)
    for (let round = 0; round < ROUNDS; round += 1)
      for (const target of round % 2 === 0 ? targets : targets.toReversed())
        rows.get(target.name)?.push(await measureLoad(target, SECONDS))
    console.log(
      `\nPages, ${CLIENTS} clients, ${ROUNDS} rounds of ${SECONDS} s each, taking turns, medians; the form has ${compressedBytes} bytes\n`,
    )
    const medians = new Map()
    for (const [name, figures] of rows) {
      const computeMedianOf = (key) => computeMedian(figures.map((each) => each[key]))
      medians.set(name, { perSecond: computeMedianOf('perSecond'), cpu: computeMedianOf('cpu') })
      console.log(
        `${name.padEnd(28)} ${computeMedianOf('perSecond').toFixed(0).padStart(8)}/s  p99 ${computeMedianOf('p99').toFixed(1).padStart(6)} ms  CPU ${computeMedianOf('cpu').toFixed(0).padStart(5)} µs each   ${figures.map((each) => Math.round(each.perSecond)).join(' ')}`,
      )
    }
    const computeShare = (name) =>
      medians.get(name).perSecond / medians.get('file of the same size').perSecond
    const ratio =
      medians.get(`landing page, ${EVENT_COUNT} events`).cpu /
      medians.get('landing page, 4 events').cpu
    console.log()
    return [
      checkShare(computeShare('form'), MIN_PAGE_SHARE, 'of the rate of a file of the same size'),
      checkShare(computeShare('form, 304'), MIN_UNCHANGED_SHARE, 'of that rate for 304 responses'),
      checkRatio(
        ratio,
        MAX_MANY_EVENTS_RATIO,
        'times the CPU time of the landing page with 4 events',
      ),
      checkStart(firstStart, MAX_FIRST_START_MS, `the first start with ${EVENT_COUNT} events`),
      checkStart(secondStart, MAX_START_MS, 'the next start'),
    ].every(Boolean)
  } finally {
    fileServer?.process.kill('SIGTERM')
    await server.stop()
    await manyEventsServer.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const isEventFile = (name) => /^[^_].*\.yaml$/.test(name)

/** Waits for a response with the prerendered part: until it is ready, the page is sent without it. */
async function waitUntilPrerendered(url) {
  while (!(await (await fetch(url)).text()).includes('"drawn":true')) await setTimeout(100)
}

function checkShare(share, min, what) {
  console.log(`${share >= min ? '✓' : '✗'} ${share.toFixed(2)} ${what} (at least ${min})`)
  return share >= min
}

function checkRatio(ratio, max, what) {
  console.log(`${ratio <= max ? '✓' : '✗'} ${ratio.toFixed(2)} ${what} (at most ${max})`)
  return ratio <= max
}

function checkStart({ ms, cpuMs }, maxMs, what) {
  const formatSeconds = (time) => `${(time / 1000).toFixed(1)} s`
  console.log(
    `${ms <= maxMs ? '✓' : '✗'} ${formatSeconds(ms)}: ${what} (at most ${formatSeconds(maxMs)}), CPU ${formatSeconds(cpuMs)}`,
  )
  return ms <= maxMs
}

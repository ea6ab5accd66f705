#!/usr/bin/env node
/**
 * `npm run bench:cost [COMMIT]`: what a registration and a notice of the gateway cost now, beside an older commit,
 * and what five lines, two places and an address that may stand once cost beside a plain registration there.
 *
 * Both versions are up at the same time, each in a process and a database of its own, and take turns
 * under the same load; who goes first changes from round to round. The figure is the CPU time of the
 * whole process, all threads, per request, because it hardly moves where a machine is shared. The mode
 * is that of Airpay's test system, where a notice with a right hash stands for the status call: a notice is
 * received, stored, judged and applied, the confirmation mail written, and no gateway of ours takes part.
 * Both use the packages of this checkout, unless the older one needs some that are gone: it gets its own by `npm ci`,
 * or those in the folder that `PACKAGES` names. Many short rounds tell more than a few long ones where others work:
 * `ROUNDS` and `REQUESTS` change the usual 15 of 1,000 each, `ONLY=sale` leaves the rest out, and `PROFILES=FOLDER`
 * keeps a CPU profile of each thread of either server there.
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import autocannon from 'autocannon'
import Database from 'better-sqlite3'
import { secureHash } from '../../server/payments/gateways/airpay/checksums.ts'
import { cpuOf } from './cpu.js'

const TOP = join(import.meta.dirname, '..', '..')
/** The last before there were bills. */
const COMMIT = process.argv[2] ?? 'a78feb2'
const ROUNDS = Number(process.env.ROUNDS ?? 15)
const REQUESTS = Number(process.env.REQUESTS ?? 1000)
/** From the issue: what a sale of five lines may cost beside a plain registration before there were any. */
const SALE_TIMES_MAX = 1.5
const CLIENTS = 32

const account = {
  name: '',
  username: 'benchUser01',
  password: 'benchPass#9',
  secret: 'S3cr3tApiKey0123',
  merchantId: '123456',
}

/** Event files name accounts; each is given the same credentials. */
const credentials = (tree) => {
  const names = execFileSync('grep', ['-rhoE', 'account: *[a-z0-9-]+', join(tree, 'events')], {
    encoding: 'utf8',
  })
    .split('\n')
    .flatMap((line) => /account: *(\S+)/.exec(line)?.[1] ?? [])
  const parts = {
    USERNAME: account.username,
    PASSWORD: account.password,
    SECRET: account.secret,
    MERCHANT_ID: account.merchantId,
  }
  return Object.fromEntries(
    names.flatMap((name) =>
      Object.entries(parts).map(([part, value]) => [
        `AIRPAY_${name.toUpperCase().replaceAll('-', '_')}_${part}`,
        value,
      ]),
    ),
  )
}

const profiling = (folder) => {
  const { PROFILES } = process.env
  if (PROFILES === undefined) return []
  const into = join(PROFILES, basename(folder))
  mkdirSync(into, { recursive: true })
  return ['--cpu-prof', `--cpu-prof-dir=${into}`]
}

/** Starts the server of a tree, without its pages, and answers once it listens. */
async function start(tree, folder, eventsDir) {
  const script = join(folder, 'serve.mjs')
  const module = (...paths) =>
    JSON.stringify(
      paths.map((path) => join(tree, 'server', path)).find(existsSync) ?? `${tree}: ${paths}`,
    )
  // Under the names of today, or those of the first versions.
  writeFileSync(
    script,
    `import { boot } from ${module('main.ts', 'serve.ts', 'boot.ts')}
import { environment } from ${module('ops/environment.ts', 'machine/environment.ts', 'environment.ts')}
const read = environment()
if (!read.ok) throw new Error(read.error.join(' '))
const booted = await boot(read.value, { print: console.log, complain: console.error, environment: () => read.value })
if (!booted.ok) throw new Error(booted.error.text)
await booted.value.stopped
`,
  )
  const dataDir = join(folder, 'var')
  const child = spawn(process.execPath, [...profiling(folder), script], {
    cwd: tree,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      SANDBOX_PORT: '0',
      DATA_DIR: dataDir,
      EVENTS_DIR: eventsDir,
      GATEWAY_MODE: 'airpay-test',
      RATE_LIMITS: 'off',
      CLOCK: '2025-10-10',
      ADMIN_PASSWORD: 'a long password for the bench',
      ...credentials(tree),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  const url = await new Promise((resolve, reject) => {
    const hear = (piece) => {
      printed += piece
      const said = /serves \d+ events? on (http:\/\/\S+)/.exec(printed)?.[1]
      if (said !== undefined) resolve(said)
    }
    child.stdout.on('data', hear)
    child.once('exit', (status) =>
      reject(new Error(`the server of ${tree} ended with ${status}:\n${printed}`)),
    )
  })
  // What it logs from now on is read and thrown away.
  child.stdout.removeAllListeners('data').resume()
  return { url, child, dataDir, orders: [] }
}

let serial = 0
const registration = () => {
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

/** Another delegate, and what `sells2026.yaml` sells them: registration, companion, workshop, dinner, room. */
const sale = () => {
  serial += 1
  return JSON.stringify({
    full_name: `Delegate Number ${serial}`,
    email: `delegate${serial}@bench.example`,
    phone_number: '+91 98470 12345',
    ticket_type: 'student',
    city: 'Kottayam',
    state: 'Kerala',
    workshops: ['scan'],
    companions: [{ name: 'A Person', age: 40 }],
    dinner: true,
    room: true,
    nights: 2,
  })
}

const notice = ({ orderid, amount }) => {
  serial += 1
  const fields = {
    TRANSACTIONID: orderid,
    APTRANSACTIONID: String(100_000_000 + serial),
    AMOUNT: amount,
    TRANSACTIONSTATUS: '200',
    MESSAGE: 'Success',
  }
  return new URLSearchParams({
    ...fields,
    ap_SecureHash: secureHash(account, fields, false),
    CHMOD: 'pg',
  }).toString()
}

/** Sends so many requests; `body` makes each, `hear` is told each answer. Throws at the first that is none of `status`. */
const send = (url, path, type, status, body, hear = () => {}) =>
  new Promise((resolve, reject) => {
    autocannon(
      {
        url: url + path,
        connections: CLIENTS,
        amount: REQUESTS,
        method: 'POST',
        headers: { 'content-type': type },
        requests: [
          {
            setupRequest: (request) => ({ ...request, body: body() }),
            onResponse: (code, text) =>
              code === status ? hear(text) : reject(new Error(`${path}: ${code} ${text}`)),
          },
        ],
      },
      (error) => (error ? reject(error) : resolve()),
    )
  })

const REGISTER = '/api/afpicon/register/'
const plain = (server) =>
  send(server.url, REGISTER, 'application/json', 201, registration, (text) =>
    server.orders.push(JSON.parse(text).payment_data),
  )
const measures = {
  registration: plain,
  sale: (server) =>
    server.name === 'before'
      ? plain(server)
      : send(server.url, '/api/sells2026/register/', 'application/json', 201, sale),
  notice: async (server) => {
    const before = paidIn(server)
    const orders = server.orders.splice(0, REQUESTS)
    await send(server.url, '/api/payment/webhook/', 'application/x-www-form-urlencoded', 200, () =>
      notice(orders.pop()),
    )
    // Answered once stored; judged, applied and mailed a moment later.
    while (paidIn(server) < before + REQUESTS)
      await new Promise((resolve) => setTimeout(resolve, 50))
  },
}

/** Payments that are paid and confirmed by a mail that was sent: into a file, as there is no mail server. */
function paidIn({ dataDir }) {
  const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
  try {
    return db
      .prepare(
        "SELECT count(*) AS n FROM mail_queue WHERE kind = 'confirmation' AND status = 'sent'",
      )
      .get().n
  } finally {
    db.close()
  }
}

const median = (figures) => [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)]
const git = (...args) => execFileSync('git', args, { cwd: TOP, encoding: 'utf8' }).trim()

/** Links the packages that the older version runs with, or installs them. */
function packagesFor(tree) {
  const ours = process.env.PACKAGES ?? join(TOP, 'node_modules')
  const { dependencies } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'))
  const areThere = Object.keys(dependencies).every((name) => existsSync(join(ours, name)))
  if (areThere) symlinkSync(ours, join(tree, 'node_modules'))
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tree, stdio: 'inherit' })
}

const folder = mkdtempSync(join(tmpdir(), 'rollcall-cost-'))
const tree = join(folder, 'before')
const servers = []
try {
  git('worktree', 'add', '--quiet', '--detach', tree, COMMIT)
  packagesFor(tree)
  const events = join(folder, 'events')
  cpSync(join(TOP, 'events'), events, { recursive: true })
  cpSync(join(import.meta.dirname, 'sells2026.yaml'), join(events, 'sells2026.yaml'))
  for (const [name, at, eventsDir] of [
    ['before', tree, join(tree, 'events')],
    ['now', TOP, events],
  ]) {
    const own = mkdtempSync(join(folder, `${name}-`))
    servers.push({ name, ...(await start(at, own, eventsDir)) })
  }
  const wanted = Object.entries(measures).filter(
    ([what]) => process.env.ONLY === undefined || what === process.env.ONLY,
  )
  const rows = Object.fromEntries(wanted.map(([what]) => [what, { before: [], now: [] }]))
  // The first round warms both up and is not counted.
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [what, run] of wanted)
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const before = cpuOf(server.child.pid)
        await run(server)
        const each = (cpuOf(server.child.pid) - before) / REQUESTS
        if (round > 0) rows[what][server.name].push(Math.round(each))
      }
  console.log(
    `\nCPU µs each, ${ROUNDS} rounds of ${REQUESTS}, turn about, medians; before: ${git('rev-parse', '--short', COMMIT)}, now: ${git('rev-parse', '--short', 'HEAD')}\n`,
  )
  console.log('                 before      now    now/before   rounds before | now')
  console.log(`(sale: before a plain registration, now five lines; at most ${SALE_TIMES_MAX})`)
  for (const [what, { before, now }] of Object.entries(rows)) {
    const ratio = median(now.map((each, round) => each / before[round]))
    console.log(
      `${what.padEnd(14)} ${String(median(before)).padStart(8)} ${String(median(now)).padStart(8)} ${ratio.toFixed(2).padStart(13)}   ${before.join(' ')} | ${now.join(' ')}`,
    )
  }
} finally {
  for (const { child } of servers) child.kill('SIGTERM')
  await Promise.all(
    servers.map(
      ({ child }) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve)),
    ),
  )
  git('worktree', 'remove', '--force', tree)
  rmSync(folder, { recursive: true, force: true })
}

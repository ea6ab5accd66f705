#!/usr/bin/env node
/**
 * `npm run bench:cost [COMMIT]`: the cost of a registration and of a gateway webhook compared with an older commit,
 * and the cost of five lines, two quotas and a unique address compared with a plain registration of that commit. Both
 * versions run at the same time, each with its own process and database, and take turns under the same load; the order
 * changes from round to round. The figure is the CPU time per request of the whole process, all threads, because it
 * hardly varies on a shared machine. Both use the mode of Airpay's test system, where a webhook with a valid hash
 * replaces the status call: the webhook is received, stored, checked and applied, and the confirmation email written,
 * without a simulated gateway. Both use the packages of this checkout. If the older version needs packages that were
 * removed, it uses those of its own `npm ci`, or those in the folder `PACKAGES`. On a busy machine, many short rounds
 * are better than a few long ones: `ROUNDS` and `REQUESTS` change the default 15 of 1,000 each, `ONLY=sale` skips the
 * rest, and `PROFILES=FOLDER` stores a CPU profile of each thread of both servers there.
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
import { computeSecureHash } from '../../server/payments/gateways/airpay/checksums.ts'
import { readCpu } from './cpu.js'

const ROOT = join(import.meta.dirname, '..', '..')
/** The last commit before bills were introduced. */
const COMMIT = process.argv[2] ?? 'a78feb2'
const ROUNDS = Number(process.env.ROUNDS ?? 15)
const REQUESTS = Number(process.env.REQUESTS ?? 1000)
/** The target: the cost of a sale of five lines compared with a plain registration before bills. */
const MAX_SALE_COST_RATIO = 1.5
const CLIENTS = 32

const account = {
  name: '',
  username: 'benchUser01',
  password: 'benchPass#9',
  secret: 'S3cr3tApiKey0123',
  merchantId: '123456',
}

/** Builds the same credentials for every merchant account to which the event files refer. */
const buildCredentials = (tree) => {
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

const createProfileFlags = (folder) => {
  const { PROFILES } = process.env
  if (PROFILES === undefined) return []
  const profileFolder = join(PROFILES, basename(folder))
  mkdirSync(profileFolder, { recursive: true })
  return ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
}

/** Starts the server from a working tree, without its pages, and resolves when the server listens. */
async function startServer(tree, folder, eventsDir) {
  const script = join(folder, 'serve.mjs')
  const findModule = (...paths) =>
    JSON.stringify(
      paths.map((path) => join(tree, 'server', path)).find(existsSync) ?? `${tree}: ${paths}`,
    )
  // Each module is loaded under its current name or a former one.
  writeFileSync(
    script,
    `import * as main from ${findModule('main.ts', 'serve.ts', 'boot.ts')}
import * as settings from ${findModule('ops/environment.ts', 'machine/environment.ts', 'environment.ts')}
const read = (settings.loadEnvironment ?? settings.environment)()
if (!read.ok) throw new Error(read.error.join(' '))
const booted = await (main.bootServer ?? main.boot)(read.value, { print: console.log, printError: console.error, environment: () => read.value })
if (!booted.ok) throw new Error(booted.error.text)
await booted.value.stopped
`,
  )
  const dataDir = join(folder, 'var')
  const child = spawn(process.execPath, [...createProfileFlags(folder), script], {
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
      ...buildCredentials(tree),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  const url = await new Promise((resolve, reject) => {
    const readAddress = (chunk) => {
      printed += chunk
      const url = /serves \d+ events? on (http:\/\/\S+)/.exec(printed)?.[1]
      if (url !== undefined) resolve(url)
    }
    child.stdout.on('data', readAddress)
    child.once('exit', (status) =>
      reject(new Error(`the server of ${tree} ended with ${status}:\n${printed}`)),
    )
  })
  // Later log output is read and discarded.
  child.stdout.removeAllListeners('data').resume()
  return { url, child, dataDir, orders: [] }
}

let serial = 0
const buildRegistration = () => {
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

/**
 * Builds the answers of a new delegate with all items of `sells2026.yaml`: registration, companion, workshop, dinner,
 * room.
 */
const buildSale = () => {
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

const buildWebhook = ({ orderid, amount }) => {
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
    ap_SecureHash: computeSecureHash(account, fields, false),
    CHMOD: 'pg',
  }).toString()
}

/**
 * Sends the requests; `buildBody` builds each body, `onResponse` receives each response. Rejects at the first response
 * whose status is not `expectedStatus`.
 */
const send = (url, path, contentType, expectedStatus, buildBody, onResponse = () => {}) =>
  new Promise((resolve, reject) => {
    autocannon(
      {
        url: url + path,
        connections: CLIENTS,
        amount: REQUESTS,
        method: 'POST',
        headers: { 'content-type': contentType },
        requests: [
          {
            setupRequest: (request) => ({ ...request, body: buildBody() }),
            onResponse: (code, text) =>
              code === expectedStatus
                ? onResponse(text)
                : reject(new Error(`${path}: ${code} ${text}`)),
          },
        ],
      },
      (error) => (error ? reject(error) : resolve()),
    )
  })

const REGISTER = '/api/afpicon/register/'
const registerPlain = (server) =>
  send(server.url, REGISTER, 'application/json', 201, buildRegistration, (text) =>
    server.orders.push(JSON.parse(text).payment_data),
  )
const measures = {
  registration: registerPlain,
  sale: (server) =>
    server.name === 'before'
      ? registerPlain(server)
      : send(server.url, '/api/sells2026/register/', 'application/json', 201, buildSale),
  notice: async (server) => {
    const paidBefore = countPaid(server)
    const orders = server.orders.splice(0, REQUESTS)
    await send(server.url, '/api/payment/webhook/', 'application/x-www-form-urlencoded', 200, () =>
      buildWebhook(orders.pop()),
    )
    // The response is sent once the message is stored. A moment later, the message is checked and applied, and the
    // email is sent.
    while (countPaid(server) < paidBefore + REQUESTS)
      await new Promise((resolve) => setTimeout(resolve, 50))
  },
}

/**
 * Counts the payments that are confirmed by an email. Emails are written to files, because there is no mail server.
 */
function countPaid({ dataDir }) {
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

const computeMedian = (figures) =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)]
const runGit = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()

/** Links the packages that the older version needs, or installs them. */
function linkPackages(tree) {
  const ourPackages = process.env.PACKAGES ?? join(ROOT, 'node_modules')
  const { dependencies } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'))
  const hasAllPackages = Object.keys(dependencies).every((name) =>
    existsSync(join(ourPackages, name)),
  )
  if (hasAllPackages) symlinkSync(ourPackages, join(tree, 'node_modules'))
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tree, stdio: 'inherit' })
}

const folder = mkdtempSync(join(tmpdir(), 'rollcall-cost-'))
const tree = join(folder, 'before')
const servers = []
try {
  runGit('worktree', 'add', '--quiet', '--detach', tree, COMMIT)
  linkPackages(tree)
  const events = join(folder, 'events')
  cpSync(join(ROOT, 'events'), events, { recursive: true })
  cpSync(join(import.meta.dirname, 'sells2026.yaml'), join(events, 'sells2026.yaml'))
  for (const [name, versionTree, eventsDir] of [
    ['before', tree, join(tree, 'events')],
    ['now', ROOT, events],
  ]) {
    const serverFolder = mkdtempSync(join(folder, `${name}-`))
    servers.push({ name, ...(await startServer(versionTree, serverFolder, eventsDir)) })
  }
  const chosenMeasures = Object.entries(measures).filter(
    ([what]) => process.env.ONLY === undefined || what === process.env.ONLY,
  )
  const rows = Object.fromEntries(chosenMeasures.map(([what]) => [what, { before: [], now: [] }]))
  // The first round warms up both servers and is not counted.
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [what, run] of chosenMeasures)
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const cpuBefore = readCpu(server.child.pid)
        await run(server)
        const cpuPerRequest = (readCpu(server.child.pid) - cpuBefore) / REQUESTS
        if (round > 0) rows[what][server.name].push(Math.round(cpuPerRequest))
      }
  console.log(
    `\nCPU µs each, ${ROUNDS} rounds of ${REQUESTS}, taking turns, medians; before: ${runGit('rev-parse', '--short', COMMIT)}, now: ${runGit('rev-parse', '--short', 'HEAD')}\n`,
  )
  console.log('                 before      now    now/before   rounds before | now')
  console.log(
    `(sale: five lines now, compared with a plain registration before; target: at most ${MAX_SALE_COST_RATIO})`,
  )
  for (const [what, { before, now }] of Object.entries(rows)) {
    const ratio = computeMedian(now.map((each, round) => each / before[round]))
    console.log(
      `${what.padEnd(14)} ${String(computeMedian(before)).padStart(8)} ${String(computeMedian(now)).padStart(8)} ${ratio.toFixed(2).padStart(13)}   ${before.join(' ')} | ${now.join(' ')}`,
    )
  }
} finally {
  for (const { child } of servers) child.kill('SIGTERM')
  await Promise.all(
    servers.map(
      async ({ child }) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve)),
    ),
  )
  runGit('worktree', 'remove', '--force', tree)
  rmSync(folder, { recursive: true, force: true })
}

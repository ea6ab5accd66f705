/** Two servers behind a proxy that share a PostgreSQL database, and clients that register as browsers do. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { EventResponse } from '../../engine/api.ts'
import { findFreePort } from '../browser/serve.ts'
import { createPdf } from '../server/sample-uploads.ts'
import { buildFixtureEvent } from '../server/small-event.ts'
import { useCompiledEvents } from '../server/prepared-files.ts'
import { buildMultipart } from '../server/harness.ts'
import { getServerCommand, waitForStart } from './server.ts'
import type { RunningServer } from './server.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** The number of seats in the hall. */
export const SEATS = 12
/** The pause before a retry. */
const RETRY_MS = 20
/** The prices in the two versions of the paid event. */
export const PRICES = [
  { price: 1000, total: 1180 },
  { price: 1500, total: 1770 },
] as const

/** A free event with few seats. Registrations are confirmed by email. */
const smallEvent = buildFixtureEvent({
  id: 'small2026',
  prefix: 'SMLL',
  payment: 'none',
  extra: `
quotas:
  - {id: hall, when: {is_member: true}, max: ${SEATS}, full: The hall is full}
`,
})
/** Builds a version of the paid event: `version` determines its price, `revision` the id of a form field. */
export const buildPaidEvent = (version: 0 | 1, revision: number): string => {
  const { price, total } = PRICES[version]
  return buildFixtureEvent({
    id: 'paid2026',
    prefix: 'PAID',
    price,
    total,
    title: `Costs ${total}`,
  }).replace(
    '        - {id: letter,',
    `        - {id: city${revision}, label: City}\n        - {id: letter,`,
  )
}

/** The time at which the servers' shared clock starts. The clock keeps running while a server restarts. */
const START_TIME = Date.UTC(2026, 0, 20, 6)
const getClock = (): string =>
  new Date(START_TIME + performance.now()).toISOString().replace(/\.\d+Z$/, '+00:00')

export type Server = {
  readonly name: string
  readonly port: number
  readonly getRunningServer: () => RunningServer
  /** Returns the output of the server, including its log. */
  readonly readOutput: () => string
  kill(): Promise<void>
  start(): Promise<void>
  /**
   * Writes this version of the paid event into the server's folder as a careful operator does: to a file with another
   * name, which is then renamed.
   */
  writeVersion(version: 0 | 1, revision: number): void
}

/** Starts a server with separate folders and a separate port. All servers share the database and the mail server. */
export async function startServer(
  folder: string,
  name: string,
  variables: Readonly<Record<string, string>>,
  nodeArgs: readonly string[] = [],
): Promise<Server> {
  const [eventsDir, dataDir] = ['events', 'var'].map((part) => join(folder, name, part)) as [
    string,
    string,
  ]
  mkdirSync(eventsDir, { recursive: true })
  cpSync(join(ROOT, 'events', '_shared'), join(eventsDir, '_shared'), { recursive: true })
  const write = (file: string, text: string): void => {
    writeFileSync(join(eventsDir, `.${file}`), text)
    renameSync(join(eventsDir, `.${file}`), join(eventsDir, file))
  }
  write('small2026.yaml', smallEvent)
  write('paid2026.yaml', buildPaidEvent(0, 0))
  const port = await findFreePort()
  let runningServer: RunningServer | null = null
  let output = ''
  const start = async (): Promise<void> => {
    useCompiledEvents(dataDir)
    const [program = '', ...args] = getServerCommand(...nodeArgs)
    const child: ChildProcess = spawn(program, args, {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        DATA_DIR: dataDir,
        EVENTS_DIR: eventsDir,
        PORT: String(port),
        SANDBOX_PORT: '0',
        RATE_LIMITS: 'off',
        ADMIN_PASSWORD: 'a long password for tests',
        CLOCK: getClock(),
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout?.on('data', (text: Buffer) => (output += text.toString()))
    runningServer = await waitForStart(child)
  }
  const requireRunningServer = (): RunningServer => {
    if (runningServer === null) throw new Error(`${name} was never started`)
    return runningServer
  }
  await start()
  return {
    name,
    port,
    getRunningServer: requireRunningServer,
    readOutput: () => output,
    kill: () => requireRunningServer().end('SIGKILL'),
    start,
    writeVersion: (version, revision) => write('paid2026.yaml', buildPaidEvent(version, revision)),
  }
}

export type Proxy = { readonly url: string; close(): Promise<void> }

/**
 * Opens a proxy that sends requests to the servers in turn, and retries refused connections on the other server.
 * Interrupted requests get 502.
 */
export async function openProxy(ports: readonly number[]): Promise<Proxy> {
  let requestCount = 0
  const proxy = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('error', () => {})
    incoming.on('end', () => {
      requestCount += 1
      const forward = (attemptsLeft: number): void => {
        const port = ports[(requestCount + attemptsLeft) % ports.length]
        const { url: path = '/', method, headers } = incoming
        const forwarded = request({ host: '127.0.0.1', port, path, method, headers, agent: false })
        forwarded.on('response', (upstreamResponse) => {
          response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
          upstreamResponse.on('error', () => response.destroy())
          upstreamResponse.pipe(response)
        })
        forwarded.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code === 'ECONNREFUSED' && attemptsLeft > 1) forward(attemptsLeft - 1)
          else if (response.headersSent) response.destroy()
          else response.writeHead(502).end()
        })
        forwarded.end(Buffer.concat(chunks))
      }
      forward(ports.length)
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      proxy.closeAllConnections()
      const closePromise = once(proxy, 'close')
      proxy.close()
      await closePromise
    },
  }
}

/** The results of all clients. */
export type ClientResults = {
  readonly confirmed: string[]
  /** People who were told that the hall is full. */
  readonly soldOut: string[]
  /** People whose price changed while the form was open. */
  readonly priceChanged: string[]
  readonly problems: string[]
}

/** The pause between two registrations. Without it, clients use all cores while the run waits for a restart. */
const THINK_TIME_MS = 60

/** Registers people sequentially until the run ends. */
export async function runClient(
  url: () => string,
  name: string,
  results: ClientResults,
  isOver: () => boolean,
): Promise<void> {
  for (let n = 1; !isOver(); n += 1) {
    const person = `${name}-${n}`
    if (n % 2 === 0) await registerForFreeEvent(url, person, n % 4 === 0, results, isOver)
    else await registerForPaidEvent(url, person, results, isOver)
    await pause(THINK_TIME_MS)
  }
}

type TextResponse = { readonly status: number; readonly text: string }

/** One response in this many is discarded, and the form is sent again. */
const DISCARD_ONE_IN = 9
let responseCount = 0

/** Repeats the request while the server or its database is down. Returns null if the run ends first. */
async function retryUntilResponse(
  fetchOnce: () => Promise<Response>,
  isOver: () => boolean,
): Promise<TextResponse | null> {
  for (;;) {
    try {
      const response = await fetchOnce()
      const { status } = response
      const text = await response.text()
      if (status < 500) return { status, text }
    } catch {
      // The response was cut off.
    }
    if (isOver()) return null
    await pause(RETRY_MS)
  }
}

const createDelegate = (person: string): Record<string, string> => ({
  full_name: 'Asha Sample',
  email: `${person}@example.org`,
  phone_number: '9847012345',
})

async function send(
  url: () => string,
  event: string,
  person: string,
  fields: Readonly<Record<string, string>>,
  proof: Buffer | null,
  isOver: () => boolean,
): Promise<TextResponse | null> {
  const { payload, type } = buildMultipart(
    Object.entries({ ...createDelegate(person), ...fields }),
    proof === null ? [] : [['letter', { name: 'letter.pdf', bytes: proof }]],
  )
  return retryUntilResponse(async () => {
    const response = await fetch(`${url()}/api/${event}/register/`, {
      method: 'POST',
      headers: { 'content-type': type, 'idempotency-key': person },
      body: new Uint8Array(payload),
    })
    responseCount += 1
    if (responseCount % DISCARD_ONE_IN !== 0) return response
    await response.arrayBuffer()
    throw new Error('the response is discarded')
  }, isOver)
}

async function registerForFreeEvent(
  url: () => string,
  person: string,
  isMember: boolean,
  results: ClientResults,
  isOver: () => boolean,
): Promise<void> {
  const fields = { is_member: String(isMember) }
  const response = await send(url, 'small2026', person, fields, createPdf(person), isOver)
  if (response === null) return
  const { status, text } = response
  const body = JSON.parse(text) as { readonly reg_no?: string; readonly code?: string }
  if (status === 201) results.confirmed.push(String(body.reg_no))
  else if (isMember && body.code === 'full') results.soldOut.push(person)
  else results.problems.push(`${person}: ${status} ${text.slice(0, 200)}`)
}

/** Opens the form, reads its price, and sends it with that price. */
async function registerForPaidEvent(
  url: () => string,
  person: string,
  results: ClientResults,
  isOver: () => boolean,
): Promise<void> {
  const page = await retryUntilResponse(() => fetch(`${url()}/api/events/paid2026`), isOver)
  if (page === null) return
  const form = JSON.parse(page.text) as EventResponse
  const module = await retryUntilResponse(() => fetch(`${url()}${form.validator_url}`), isOver)
  if (module === null) return
  if (module.status !== 200)
    results.problems.push(`${person}: the form's module does not load: ${form.validator_url}`)
  const total = String(/\d+/.exec(form.event.title)?.[0])
  const response = await send(
    url,
    'paid2026',
    person,
    { is_member: 'true', total_amount: total },
    null,
    isOver,
  )
  if (response === null) return
  const { status, text } = response
  const body = JSON.parse(text) as {
    readonly reg_no?: string
    readonly code?: string
    readonly payment_data?: { readonly amount: string }
  }
  if (status === 201) {
    results.confirmed.push(String(body.reg_no))
    // A repeated request gets no payment data while the gateway cannot be queried.
    const amount = body.payment_data?.amount ?? total
    if (Number(amount) !== Number(total))
      results.problems.push(`${person}: an old form with a new price: ${total} became ${text}`)
  } else if (body.code === 'price_changed') results.priceChanged.push(person)
  else results.problems.push(`${person}: ${status} ${text.slice(0, 200)}`)
}

/** Deletes a folder that is no longer in use. */
export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true })

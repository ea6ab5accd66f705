/**
 * Two whole servers on one PostgreSQL behind a proxy, and clients that register with them as browsers do: each opens a
 * form, asks for its module, sends it until it is answered, and remembers what it was told.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { EventAnswer } from '../../engine/api.ts'
import { freePort } from '../browser/serve.ts'
import { createPdf } from '../server/sample-uploads.ts'
import { fixtureEvent } from '../server/small-event.ts'
import { useCompiledEvents } from '../server/prepared-files.ts'
import { buildMultipart } from '../server/harness.ts'
import { started } from './server.ts'
import type { Running } from './server.ts'

const TOP = join(import.meta.dirname, '..', '..')
/** What the hall holds. */
export const PLACES = 12
/** After a no that may be tried again. */
const AGAIN_MS = 20
/** What the two versions of the paid event cost, and what their forms say. */
export const PRICES = [
  { price: 1000, total: 1180 },
  { price: 1500, total: 1770 },
] as const

/** An event with few places that is free, so that a mail confirms it, and one whose price and form change. */
const small = fixtureEvent({
  id: 'small2026',
  prefix: 'SMLL',
  payment: 'none',
  extra: `
quotas:
  - {id: hall, when: {is_member: true}, max: ${PLACES}, full: The hall is full}
`,
})
export const paid = (version: 0 | 1, change: number): string => {
  const { price, total } = PRICES[version]
  return fixtureEvent({
    id: 'paid2026',
    prefix: 'PAID',
    price,
    total,
    title: `Costs ${total}`,
  }).replace(
    '        - {id: letter,',
    `        - {id: city${change}, label: City}\n        - {id: letter,`,
  )
}

/** One clock for all, which goes on when one of them is started again. */
const BEGAN = Date.UTC(2026, 0, 20, 6)
const clock = (): string =>
  new Date(BEGAN + performance.now()).toISOString().replace(/\.\d+Z$/, '+00:00')

export type Server = {
  readonly name: string
  readonly port: number
  readonly running: () => Running
  /** What it printed, its log among it. */
  readonly printed: () => string
  kill(): Promise<void>
  start(): Promise<void>
  /** Puts this version of the paid event into its folder, as a careful operator does. */
  change(version: 0 | 1, change: number): void
}

/** Folders of its own, a port of its own; the database and the mail server are everybody's. */
export async function server(
  folder: string,
  name: string,
  variables: Readonly<Record<string, string>>,
  before: readonly string[] = [],
): Promise<Server> {
  const [eventsDir, dataDir] = ['events', 'var'].map((part) => join(folder, name, part)) as [
    string,
    string,
  ]
  mkdirSync(eventsDir, { recursive: true })
  cpSync(join(TOP, 'events', '_shared'), join(eventsDir, '_shared'), { recursive: true })
  const write = (file: string, text: string): void => {
    writeFileSync(join(eventsDir, `.${file}`), text)
    renameSync(join(eventsDir, `.${file}`), join(eventsDir, file))
  }
  write('small2026.yaml', small)
  write('paid2026.yaml', paid(0, 0))
  const port = await freePort()
  let running: Running | null = null
  let printed = ''
  const start = async (): Promise<void> => {
    useCompiledEvents(dataDir)
    const args = [...before, join(import.meta.dirname, 'server-process.ts')]
    const child: ChildProcess = spawn(process.execPath, args, {
      cwd: TOP,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        DATA_DIR: dataDir,
        EVENTS_DIR: eventsDir,
        PORT: String(port),
        SANDBOX_PORT: '0',
        RATE_LIMITS: 'off',
        ADMIN_PASSWORD: 'a long password for tests',
        CLOCK: clock(),
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout?.on('data', (text: Buffer) => (printed += text.toString()))
    running = await started(child)
  }
  const now = (): Running => {
    if (running === null) throw new Error(`${name} was never started`)
    return running
  }
  await start()
  return {
    name,
    port,
    running: now,
    printed: () => printed,
    kill: () => now().end('SIGKILL'),
    start,
    change: (version, change) => write('paid2026.yaml', paid(version, change)),
  }
}

export type Proxy = { readonly url: string; close(): Promise<void> }

/** To either in turn; what reached nobody goes to the other, as a proxy does. What broke off is 502: nobody knows. */
export async function proxyTo(ports: readonly number[]): Promise<Proxy> {
  let turn = 0
  const proxy = createServer((asked, answer) => {
    const pieces: Buffer[] = []
    asked.on('data', (piece: Buffer) => pieces.push(piece))
    asked.on('error', () => {})
    asked.on('end', () => {
      turn += 1
      const tryNext = (left: number): void => {
        const port = ports[(turn + left) % ports.length]
        const { url: path = '/', method, headers } = asked
        const on = request({ host: '127.0.0.1', port, path, method, headers, agent: false })
        on.on('response', (response) => {
          answer.writeHead(response.statusCode ?? 502, response.headers)
          response.on('error', () => answer.destroy())
          response.pipe(answer)
        })
        on.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code === 'ECONNREFUSED' && left > 1) tryNext(left - 1)
          else if (answer.headersSent) answer.destroy()
          else answer.writeHead(502).end()
        })
        on.end(Buffer.concat(pieces))
      }
      tryNext(ports.length)
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
      const closed = once(proxy, 'close')
      proxy.close()
      await closed
    },
  }
}

/** What clients were told, and what was wrong with it at once. */
export type Heard = {
  readonly told: string[]
  /** Of the hall, when it was full. */
  readonly refused: string[]
  /** Prices that had changed while a form was open. */
  readonly changed: string[]
  readonly wrong: string[]
}

/** Registers one person after the other until told to stop; `n` counts them. */
export async function client(
  url: () => string,
  name: string,
  heard: Heard,
  isOver: () => boolean,
): Promise<void> {
  for (let n = 1; !isOver(); n += 1) {
    const person = `${name}-${n}`
    if (n % 2 === 0) await registerAtSmall(url, person, n % 4 === 0, heard, isOver)
    else await registerAtPaid(url, person, heard, isOver)
  }
}

type Answered = { readonly status: number; readonly text: string }

/** One answer in so many never reaches whoever sent a form: it is sent once more. */
const LOST_ONE_IN = 9
let sent = 0

/** Until somebody answers: a machine that is not there, or has lost its database, is asked again. */
async function until(
  ask: () => Promise<Response>,
  isOver: () => boolean,
): Promise<Answered | null> {
  for (;;) {
    try {
      const response = await ask()
      const { status } = response
      const text = await response.text()
      if (status < 500) return { status, text }
    } catch {
      // It broke off.
    }
    if (isOver()) return null
    await pause(AGAIN_MS)
  }
}

const delegate = (person: string): Record<string, string> => ({
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
): Promise<Answered | null> {
  const { payload, type } = buildMultipart(
    Object.entries({ ...delegate(person), ...fields }),
    proof === null ? [] : [['letter', { name: 'letter.pdf', bytes: proof }]],
  )
  return until(async () => {
    const answer = await fetch(`${url()}/api/${event}/register/`, {
      method: 'POST',
      headers: { 'content-type': type, 'idempotency-key': person },
      body: new Uint8Array(payload),
    })
    sent += 1
    if (sent % LOST_ONE_IN !== 0) return answer
    await answer.arrayBuffer()
    throw new Error('the answer was lost on the way')
  }, isOver)
}

async function registerAtSmall(
  url: () => string,
  person: string,
  isMember: boolean,
  heard: Heard,
  isOver: () => boolean,
): Promise<void> {
  const fields = { is_member: String(isMember) }
  const answer = await send(url, 'small2026', person, fields, createPdf(person), isOver)
  if (answer === null) return
  const { status, text } = answer
  const body = JSON.parse(text) as { readonly reg_no?: string; readonly code?: string }
  if (status === 201) heard.told.push(String(body.reg_no))
  else if (isMember && body.code === 'full') heard.refused.push(person)
  else heard.wrong.push(`${person}: ${status} ${text.slice(0, 200)}`)
}

/** Opens the form, sees its price, and sends it with that price. */
async function registerAtPaid(
  url: () => string,
  person: string,
  heard: Heard,
  isOver: () => boolean,
): Promise<void> {
  const page = await until(() => fetch(`${url()}/api/events/paid2026`), isOver)
  if (page === null) return
  const form = JSON.parse(page.text) as EventAnswer
  const module = await until(() => fetch(`${url()}${form.validator_url}`), isOver)
  if (module === null) return
  if (module.status !== 200)
    heard.wrong.push(`${person}: a form that does not open: ${form.validator_url}`)
  const total = String(/\d+/.exec(form.event.title)?.[0])
  const answer = await send(
    url,
    'paid2026',
    person,
    { is_member: 'true', total_amount: total },
    null,
    isOver,
  )
  if (answer === null) return
  const { status, text } = answer
  const body = JSON.parse(text) as {
    readonly reg_no?: string
    readonly code?: string
    readonly payment_data?: { readonly amount: string }
  }
  if (status === 201) {
    heard.told.push(String(body.reg_no))
    // Whoever asks again while the gateway cannot be asked is told how it stands, and is handed nothing to pay.
    const amount = body.payment_data?.amount ?? total
    if (Number(amount) !== Number(total))
      heard.wrong.push(`${person}: an old form with a new price: ${total} became ${text}`)
  } else if (body.code === 'price_changed') heard.changed.push(person)
  else heard.wrong.push(`${person}: ${status} ${text.slice(0, 200)}`)
}

/** Folders go when nobody is at work in them. */
export const removed = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/**
 * The attacked server: a process started by `rollcall start`, behind a trusted proxy, with rate limits; a list of its
 * routes; and read-only access to its database.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { serveAsProcess, ADMIN, TOP } from '../browser/serve.ts'
import type { TestServerProcess } from '../browser/serve.ts'
import { main } from '../../server/cli/run-command.ts'
import { readEnvironment } from '../../server/ops/environment.ts'
import { createPdf } from '../server/sample-uploads.ts'
import { outsideEvent } from '../server/event-with-quotas.ts'
import { openLine, buildRequest } from './wire.ts'
import type { HttpResponse, Connection, Outcome, RequestParts } from './wire.ts'
import { withoutThreads } from '../server/store-without-threads.ts'

/** A day on which registration is open for three of the sample events and closed for one. */
export const OPEN_DAY = '2025-10-10'

export type Target = TestServerProcess & {
  /** Sends a request as a visitor at `address`, an address behind the proxy. Throws if there is no response. */
  send(sent: RequestParts, address?: string): Promise<HttpResponse>
  post(path: string, body: unknown, address?: string, headers?: Headers_): Promise<HttpResponse>
  /** Reads the current rows of the database. */
  readRows(sql: string, ...params: unknown[]): Record<string, unknown>[]
  /** Data that an attack must not change: row counts, amounts and sessions. */
  readHoldings(): Holdings
  /** The address of the gateway simulator's pages. */
  readonly gateway: string
}
type Headers_ = Readonly<Record<string, string>>
export type Holdings = Readonly<Record<string, number>>

/** A separate event with discount codes, a member list and quotas, open on that day. */
export const CODED_EVENT_ID = 'coded2025'
const CODED_EVENT = outsideEvent
  .replaceAll('sample2026', CODED_EVENT_ID)
  .replace('prefix: SMPL', 'prefix: CODE')
  .replace('from: 2026-01-01, to: 2026-01-31', 'from: 2025-01-01, to: 2026-01-31')

/** `variables` override the defaults; `prepare` can fill the data folder before the start. */
export async function startTarget(
  variables: Readonly<Record<string, string>> = {},
  prepare: Parameters<typeof serveAsProcess>[1] = () => {},
): Promise<Target> {
  const startedServer = await serveAsProcess(
    { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', CLOCK: OPEN_DAY, ...variables },
    (serverFolders) => {
      writeFileSync(join(serverFolders.eventsDir, `${CODED_EVENT_ID}.yaml`), CODED_EVENT)
      return prepare(serverFolders)
    },
  )
  // A connection handles one request at a time; idle ones are reused.
  const idleConnections: Connection[] = []
  const readRows: Target['readRows'] = (sql, ...params) => {
    const db = new Database(join(startedServer.dataDir, 'rollcall.db'), { readonly: true })
    try {
      return db.prepare(sql).all(...params) as Record<string, unknown>[]
    } finally {
      db.close()
    }
  }
  const sendRequest: Target['send'] = async (request, address = createAddress()) => {
    const line = idleConnections.pop() ?? openLine(startedServer.url)
    const outcome = await line.send(
      buildRequest({ ...request, headers: { 'x-forwarded-for': address, ...request.headers } }),
      { isHead: request.method === 'HEAD' },
    )
    idleConnections.push(line)
    return requireResponse(outcome)
  }
  return {
    ...startedServer,
    send: sendRequest,
    readRows,
    gateway: /Sandbox {2}(http:\/\/\S+)/.exec(startedServer.readOutput())?.[1] ?? '',
    post: (path, body, address = createAddress(), headers = {}) =>
      sendRequest(
        {
          method: 'POST',
          path,
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        },
        address,
      ),
    readHoldings: () => readHoldingsFrom(readRows),
    stop: async () => {
      for (const line of idleConnections) line.close()
      await startedServer.stop()
    },
  }
}

/** Returns the response; throws if there is none. */
export function requireResponse(outcome: Outcome): HttpResponse {
  if (typeof outcome === 'string') throw new Error(`the server's response: ${outcome}`)
  return outcome
}

/** Returns an unused address, so that no limit of another test applies. */
let addresses = 0
export function createAddress(): string {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** The link of an email is created when it is sent, possibly during another test, so only links without an email are counted. */
const countRows = (table: string): string =>
  table === 'links'
    ? 'FROM links l WHERE NOT EXISTS (SELECT 1 FROM mail_queue m WHERE m.registration_id = l.registration_id)'
    : `FROM "${table}"`

/** Counts the rows of every table, including future ones, and the sums of amounts. */
function readHoldingsFrom(readRows: Target['readRows']): Holdings {
  const tables = readRows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%search%' AND name <> 'pings'",
  ).map(({ name }) => String(name))
  const countColumns = tables.map((table) => `(SELECT count(*) ${countRows(table)}) AS "${table}"`)
  const [holdings = {}] = readRows(`SELECT ${countColumns.join(', ')},
    (SELECT coalesce(sum(amount), 0) FROM payments) AS asked_for,
    (SELECT coalesce(sum(amount), 0) FROM payments WHERE status = 'success') AS paid,
    (SELECT count(*) FROM payments WHERE status = 'failed') AS failed,
    (SELECT count(*) FROM payments WHERE review IS NOT NULL) AS in_review`)
  return Object.fromEntries(Object.entries(holdings).map(([name, count]) => [name, Number(count)]))
}

/** Returns the differences between two snapshots; {} if an attack had no effect. */
export function findChanges(before: Holdings, after: Holdings): Holdings {
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, count]) =>
      count === (before[name] ?? 0) ? [] : [[name, count - (before[name] ?? 0)]],
    ),
  )
}

export const delegate = {
  full_name: 'Asha Nair',
  email: 'asha@example.org',
  phone_number: '9876543210',
  ticket_type: 'afpi-gp-specialist',
}
export const REGISTER = '/api/afpicon/register/'

export type PaymentData = {
  readonly orderid: string
  readonly amount: string
  readonly payment_url: string
}
/** Registers a delegate. Returns the number and the data posted to the gateway. */
export async function registerDelegate(
  target: Target,
  answers: Readonly<Record<string, string>> = delegate,
  address = createAddress(),
): Promise<{ readonly regNo: string; readonly data: PaymentData & Record<string, string> }> {
  const registerResponse = await target.post(REGISTER, answers, address)
  if (registerResponse.status !== 201)
    throw new Error(`not registered: ${registerResponse.status} ${registerResponse.body}`)
  const { reg_no, payment_data } = JSON.parse(registerResponse.body) as {
    reg_no: string
    payment_data: PaymentData & Record<string, string>
  }
  return { regNo: reg_no, data: payment_data }
}

/** Answers for the event with codes. */
export const codedDelegate = {
  full_name: 'Asha Nair',
  email: 'asha@example.org',
  phone_number: '9876543210',
  is_member: true,
  letters: true,
}
export const CODED_REGISTER = `/api/${CODED_EVENT_ID}/register/`

/** Creates a discount code as staff do, with the maximum number of uses. */
export async function createCode(target: Target, code: string): Promise<void> {
  const headers = { authorization: `Bearer ${await signInAsAdmin(target)}` }
  const codeFields = { event: CODED_EVENT_ID, kind: 'coupon', code, uses: 100_000 }
  const { status, body } = await target.post('/admin/codes/', codeFields, createAddress(), headers)
  if (status !== 201) throw new Error(`no code: ${status} ${body}`)
}

/** Runs a command on the data of the running server and returns its output. */
export async function runCommand(target: Target, ...args: readonly string[]): Promise<string> {
  const environment = readEnvironment({ DATA_DIR: target.dataDir, EVENTS_DIR: target.eventsDir })
  if (!environment.ok) throw new Error(environment.error.join('\n'))
  let output = ''
  const appendOutput = (text: string): void => void (output += `${text}\n`)
  const status = await main(args, {
    print: appendOutput,
    printError: appendOutput,
    environment: () => withoutThreads(environment.value),
  })
  if (status !== 0) throw new Error(`${args.join(' ')}: ${status} ${output}`)
  return output
}

/** Signs the first admin in. The token is also the value of the cookie. */
export async function signInAsAdmin(target: Target, address = createAddress()): Promise<string> {
  const response = await target.post('/admin/login/', ADMIN, address)
  const { token } = JSON.parse(response.body) as { token?: string }
  if (token === undefined) throw new Error(`not signed in: ${response.status} ${response.body}`)
  return token
}

export type Route = {
  readonly method: string
  /** With `:name`, `{name}` and `*` for parameters. */
  readonly path: string
}
/** Returns every route and page of a server with the sample events, as the app lists them. */
/** Returns one path per route: the variants with or without /api and a final slash have the same handler. */
export async function listDistinctRoutes(): Promise<readonly Route[]> {
  const routes = (await listRoutes()).map(
    (route) =>
      [`${route.method} ${route.path.replaceAll(/^\/api(?=\/admin)|\/$/g, '')}`, route] as const,
  )
  return [...new Map(routes).values()]
}
export const listRoutes = (): Promise<readonly Route[]> => (routesPromise ??= list())
const EVENTS = join(TOP, 'events')
/** The routes are the same for all test files of a worker. */
let routesPromise: Promise<readonly Route[]> | null = null

async function list(): Promise<readonly Route[]> {
  // Loaded on demand, because most attacks need no second server.
  const { startTestApp } = await import('../server/harness.ts')
  const samples = readdirSync(EVENTS)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name, readFileSync(join(EVENTS, name), 'utf8')] as const)
  const { app, deps, close } = await startTestApp({
    clock: OPEN_DAY,
    events: { ...Object.fromEntries(samples), [`${CODED_EVENT_ID}.yaml`]: CODED_EVENT },
  })
  try {
    const pages = deps.events
      .all()
      .flatMap(({ config: { routes, admin } }) => [
        routes.form,
        ...routes.also,
        routes.success,
        routes.failed,
        ...admin.lists.map(({ route }) => route),
      ])
    const routes = [
      ...app.fixedRoutes.map(({ method, url }) => ({ method, path: url })),
      ...app.eventCalls.all().map(({ method, path }) => ({ method, path })),
      ...['/', '/organisers', '/admin/dashboard', ...pages].map((path) => ({
        method: 'GET',
        path,
      })),
    ]
    return [...new Map(routes.map((route) => [`${route.method} ${route.path}`, route])).values()]
  } finally {
    await close()
  }
}

/** Builds a multipart body with files byte by byte; `filename` is not escaped. */
export function buildForm(
  fields: Readonly<Record<string, string>>,
  files: readonly { field: string; filename: string; bytes: Buffer; type?: string }[] = [],
): { readonly headers: Record<string, string>; readonly body: Buffer } {
  const edge = '--rollcall-attack'
  const parts = [
    ...Object.entries(fields).map(([name, value]) =>
      Buffer.from(`${edge}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    ),
    ...files.map(({ field, filename, bytes, type = 'application/octet-stream' }) =>
      Buffer.concat([
        Buffer.from(
          `${edge}\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`,
        ),
        bytes,
        Buffer.from('\r\n'),
      ]),
    ),
  ]
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${edge.slice(2)}` },
    body: Buffer.concat([...parts, Buffer.from(`${edge}--\r\n`)]),
  }
}

/** Answers of a postgraduate, who must upload a document. */
export const buildPostgraduate = { ...delegate, ticket_type: 'afpi-pg' }
export const createProof = (bytes: Buffer = createPdf(), filename = 'proof.pdf') => ({
  field: 'pg_proof',
  filename,
  bytes,
})

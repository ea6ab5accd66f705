/** Starts the attacked server as a process with rate limits, and reads its routes and its database. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { serveAsProcess, ADMIN, ROOT } from '../browser/serve.ts'
import type { TestServerProcess } from '../browser/serve.ts'
import { main } from '../../server/cli/run-command.ts'
import { readEnvironment } from '../../server/ops/environment.ts'
import { createPdf } from '../server/sample-uploads.ts'
import { eventWithQuotas } from '../server/event-with-quotas.ts'
import { openConnection, buildRequest } from './wire.ts'
import type { HttpResponse, Connection, Outcome, RequestParts } from './wire.ts'
import { withoutThreads } from '../server/store-without-threads.ts'

/** A day on which registration is open for three of the sample events and closed for one. */
export const OPEN_DAY = '2025-10-10'

export type Target = TestServerProcess & {
  /** Sends a request as a visitor with this address behind the proxy. Throws if there is no response. */
  send(request: RequestParts, address?: string): Promise<HttpResponse>
  post(
    path: string,
    body: unknown,
    address?: string,
    headers?: RequestHeaders,
  ): Promise<HttpResponse>
  /** Reads the current rows of the database. */
  readRows(sql: string, ...params: unknown[]): Record<string, unknown>[]
  /** Reads values that an attack must not change: row counts, amounts and sessions. */
  readSnapshot(): Snapshot
  /** The address of the gateway simulator's pages. */
  readonly gatewayUrl: string
}
type RequestHeaders = Readonly<Record<string, string>>
export type Snapshot = Readonly<Record<string, number>>

/** A separate event with discount codes, a member list and quotas, which is open on `OPEN_DAY`. */
export const CODED_EVENT_ID = 'coded2025'
const CODED_EVENT = eventWithQuotas
  .replaceAll('sample2026', CODED_EVENT_ID)
  .replace('prefix: SMPL', 'prefix: CODE')
  .replace('from: 2026-01-01, to: 2026-01-31', 'from: 2025-01-01, to: 2026-01-31')

/** Starts a server. `variables` override the defaults; `prepare` can fill its folders before the start. */
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
    const connection = idleConnections.pop() ?? openConnection(startedServer.url)
    const outcome = await connection.send(
      buildRequest({ ...request, headers: { 'x-forwarded-for': address, ...request.headers } }),
      { isHead: request.method === 'HEAD' },
    )
    idleConnections.push(connection)
    return requireResponse(outcome)
  }
  return {
    ...startedServer,
    send: sendRequest,
    readRows,
    gatewayUrl: /Sandbox {2}(http:\/\/\S+)/.exec(startedServer.readOutput())?.[1] ?? '',
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
    readSnapshot: () => readSnapshotFrom(readRows),
    stop: async () => {
      for (const connection of idleConnections) connection.close()
      await startedServer.stop()
    },
  }
}

/** Returns the response; throws if there is none. */
export function requireResponse(outcome: Outcome): HttpResponse {
  if (typeof outcome === 'string') throw new Error(`the server's response: ${outcome}`)
  return outcome
}

let addressCount = 0
/** Returns an unused address, so that no limit of another test applies. */
export function createAddress(): string {
  addressCount += 1
  return `10.${(addressCount >> 16) & 255}.${(addressCount >> 8) & 255}.${addressCount & 255}`
}

/**
 * Excludes links of registrations with a queued email, because sending the email may create a link during another test.
 */
const buildFromClause = (table: string): string =>
  table === 'links'
    ? 'FROM links l WHERE NOT EXISTS (SELECT 1 FROM mail_queue m WHERE m.registration_id = l.registration_id)'
    : `FROM "${table}"`

/** Counts the rows of every table, including tables added in the future, and adds up the amounts. */
function readSnapshotFrom(readRows: Target['readRows']): Snapshot {
  const tables = readRows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%search%' AND name <> 'pings'",
  ).map(({ name }) => String(name))
  const countColumns = tables.map(
    (table) => `(SELECT count(*) ${buildFromClause(table)}) AS "${table}"`,
  )
  const [totals = {}] = readRows(`SELECT ${countColumns.join(', ')},
    (SELECT coalesce(sum(amount), 0) FROM payments) AS asked_for,
    (SELECT coalesce(sum(amount), 0) FROM payments WHERE status = 'success') AS paid,
    (SELECT count(*) FROM payments WHERE status = 'failed') AS failed,
    (SELECT count(*) FROM payments WHERE review IS NOT NULL) AS in_review`)
  return Object.fromEntries(Object.entries(totals).map(([name, count]) => [name, Number(count)]))
}

/** Returns the differences between two snapshots, or {} if an attack had no effect. */
export function findChanges(before: Snapshot, after: Snapshot): Snapshot {
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
/** Registers a delegate. Returns the registration number and the data for the gateway. */
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

/** Answers for the event with discount codes. */
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

/** Signs in as the first admin. Returns the session token, which is also the value of the cookie. */
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
/** Returns one path per route: the variants with or without /api and a final slash have the same handler. */
export async function listDistinctRoutes(): Promise<readonly Route[]> {
  const routes = (await listRoutes()).map(
    (route) =>
      [`${route.method} ${route.path.replaceAll(/^\/api(?=\/admin)|\/$/g, '')}`, route] as const,
  )
  return [...new Map(routes).values()]
}
/** Returns every route and page of a server with the sample events, as the app lists them. */
export const listRoutes = (): Promise<readonly Route[]> => (routesPromise ??= collectRoutes())
const EVENTS_FOLDER = join(ROOT, 'events')
/** The routes are the same for all test files of a worker. */
let routesPromise: Promise<readonly Route[]> | null = null

async function collectRoutes(): Promise<readonly Route[]> {
  // Loaded on demand, because most attacks need no second server.
  const { startTestApp } = await import('../server/harness.ts')
  const samples = readdirSync(EVENTS_FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name, readFileSync(join(EVENTS_FOLDER, name), 'utf8')] as const)
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
      ...app.eventRoutes.all().map(({ method, path }) => ({ method, path })),
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
  const boundary = '--rollcall-attack'
  const parts = [
    ...Object.entries(fields).map(([name, value]) =>
      Buffer.from(
        `${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      ),
    ),
    ...files.map(({ field, filename, bytes, type = 'application/octet-stream' }) =>
      Buffer.concat([
        Buffer.from(
          `${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`,
        ),
        bytes,
        Buffer.from('\r\n'),
      ]),
    ),
  ]
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary.slice(2)}` },
    body: Buffer.concat([...parts, Buffer.from(`${boundary}--\r\n`)]),
  }
}

/** Answers of a postgraduate, who must upload a document. */
export const postgraduate = { ...delegate, ticket_type: 'afpi-pg' }
export const createProof = (bytes: Buffer = createPdf(), filename = 'proof.pdf') => ({
  field: 'pg_proof',
  filename,
  bytes,
})

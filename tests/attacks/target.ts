/**
 * What is attacked: a server process as `rollcall start` runs it, behind a proxy that it trusts, with its
 * limits on; its routes as it lists them itself; and what its database holds, looked at read-only.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { serveAlone, ADMIN, TOP } from '../browser/serve.ts'
import type { ServedAlone } from '../browser/serve.ts'
import { main } from '../../server/cli/run-command.ts'
import { readEnvironment } from '../../server/ops/environment.ts'
import { createPdf } from '../server/sample-uploads.ts'
import { outsideEvent } from '../server/event-with-quotas.ts'
import { openLine, requestOf } from './wire.ts'
import type { Answer, Line, Outcome, Sent } from './wire.ts'

/** A day on which three of the sample events take registrations and one has closed. */
export const OPEN_DAY = '2025-10-10'

export type Target = ServedAlone & {
  /** Asks as a visitor at `address` of the network behind the proxy; throws when no answer comes. */
  ask(sent: Sent, address?: string): Promise<Answer>
  post(path: string, body: unknown, address?: string, headers?: Headers_): Promise<Answer>
  /** Rows as they are in the file now. */
  rows(sql: string, ...params: unknown[]): Record<string, unknown>[]
  /** Everything that an attack must leave as it is: how many rows, how much money, who is signed in. */
  holds(): Holdings
  /** The address of the simulated gateway's pages. */
  readonly gateway: string
}
type Headers_ = Readonly<Record<string, string>>
export type Holdings = Readonly<Record<string, number>>

/** An event of its own with codes, a roll and places, open on the day. */
export const CODED = 'coded2025'
const CODED_EVENT = outsideEvent
  .replaceAll('sample2026', CODED)
  .replace('prefix: SMPL', 'prefix: CODE')
  .replace('from: 2026-01-01, to: 2026-01-31', 'from: 2025-01-01, to: 2026-01-31')

/** `variables` are laid over the usual ones; `prepare` may fill the data folder before the start. */
export async function startTarget(
  variables: Readonly<Record<string, string>> = {},
  prepare: Parameters<typeof serveAlone>[1] = () => {},
): Promise<Target> {
  const served = await serveAlone(
    { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', CLOCK: OPEN_DAY, ...variables },
    (folders) => {
      writeFileSync(join(folders.eventsDir, `${CODED}.yaml`), CODED_EVENT)
      return prepare(folders)
    },
  )
  // A connection is of one request at a time; those that are idle are used again.
  const idle: Line[] = []
  const rows: Target['rows'] = (sql, ...params) => {
    const db = new Database(join(served.dataDir, 'rollcall.db'), { readonly: true })
    try {
      return db.prepare(sql).all(...params) as Record<string, unknown>[]
    } finally {
      db.close()
    }
  }
  const ask: Target['ask'] = async (sent, address = freshAddress()) => {
    const line = idle.pop() ?? openLine(served.url)
    const outcome = await line.ask(
      requestOf({ ...sent, headers: { 'x-forwarded-for': address, ...sent.headers } }),
      { isHead: sent.method === 'HEAD' },
    )
    idle.push(line)
    return answered(outcome)
  }
  return {
    ...served,
    ask,
    rows,
    gateway: /Sandbox {2}(http:\/\/\S+)/.exec(served.printed())?.[1] ?? '',
    post: (path, body, address = freshAddress(), headers = {}) =>
      ask(
        {
          method: 'POST',
          path,
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        },
        address,
      ),
    holds: () => holdingsOf(rows),
    stop: async () => {
      for (const line of idle) line.close()
      await served.stop()
    },
  }
}

/** The answer, where there must be one. */
export function answered(outcome: Outcome): Answer {
  if (typeof outcome === 'string') throw new Error(`the server's answer: ${outcome}`)
  return outcome
}

/** An address that nothing has come from yet, so that no limit of another test is met. */
let addresses = 0
export function freshAddress(): string {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** A mail makes its link when it goes out, which may be in the middle of another test: only links without a mail are counted. */
const counts = (table: string): string =>
  table === 'links'
    ? 'FROM links l WHERE NOT EXISTS (SELECT 1 FROM mail_queue m WHERE m.registration_id = l.registration_id)'
    : `FROM "${table}"`

/** Rows of every table there is, so that a new one is looked at as well, and sums of money. */
function holdingsOf(rows: Target['rows']): Holdings {
  const tables = rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%search%' AND name <> 'pings'",
  ).map(({ name }) => String(name))
  const counted = tables.map((table) => `(SELECT count(*) ${counts(table)}) AS "${table}"`)
  const [held = {}] = rows(`SELECT ${counted.join(', ')},
    (SELECT coalesce(sum(amount), 0) FROM payments) AS asked_for,
    (SELECT coalesce(sum(amount), 0) FROM payments WHERE status = 'success') AS paid,
    (SELECT count(*) FROM payments WHERE status = 'failed') AS failed,
    (SELECT count(*) FROM payments WHERE review IS NOT NULL) AS in_review`)
  return Object.fromEntries(Object.entries(held).map(([name, count]) => [name, Number(count)]))
}

/** What differs between two looks; an attack that came to nothing leaves {}. */
export function changes(before: Holdings, after: Holdings): Holdings {
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
/** Registers as a delegate does. Answers the number and what is posted to the gateway. */
export async function registered(
  target: Target,
  answers: Readonly<Record<string, string>> = delegate,
  address = freshAddress(),
): Promise<{ readonly regNo: string; readonly data: PaymentData & Record<string, string> }> {
  const answer = await target.post(REGISTER, answers, address)
  if (answer.status !== 201) throw new Error(`not registered: ${answer.status} ${answer.body}`)
  const { reg_no, payment_data } = JSON.parse(answer.body) as {
    reg_no: string
    payment_data: PaymentData & Record<string, string>
  }
  return { regNo: reg_no, data: payment_data }
}

/** Answers of its form. */
export const codedDelegate = {
  full_name: 'Asha Nair',
  email: 'asha@example.org',
  phone_number: '9876543210',
  is_member: true,
  letters: true,
}
export const CODED_REGISTER = `/api/${CODED}/register/`

/** A code as the office makes one, with as many uses as it may have. */
export async function codeMade(target: Target, code: string): Promise<void> {
  const headers = { authorization: `Bearer ${await signedIn(target)}` }
  const words = { event: CODED, kind: 'coupon', code, uses: 100_000 }
  const { status, body } = await target.post('/admin/codes/', words, freshAddress(), headers)
  if (status !== 201) throw new Error(`no code: ${status} ${body}`)
}

/** What a command prints that works on the data of the server while that runs. */
export async function command(target: Target, ...args: readonly string[]): Promise<string> {
  const read = readEnvironment({ DATA_DIR: target.dataDir, EVENTS_DIR: target.eventsDir })
  if (!read.ok) throw new Error(read.error.join('\n'))
  let said = ''
  const hear = (text: string): void => void (said += `${text}\n`)
  const status = await main(args, { print: hear, printError: hear, environment: () => read.value })
  if (status !== 0) throw new Error(`${args.join(' ')}: ${status} ${said}`)
  return said
}

/** Signs the first admin in; the token is the cookie's as well. */
export async function signedIn(target: Target, address = freshAddress()): Promise<string> {
  const answer = await target.post('/admin/login/', ADMIN, address)
  const { token } = JSON.parse(answer.body) as { token?: string }
  if (token === undefined) throw new Error(`not signed in: ${answer.status} ${answer.body}`)
  return token
}

export type Route = {
  readonly method: string
  /** With `:name`, `{name}` and `*` where anything may stand. */
  readonly path: string
}
/** Every route and page of a server with the sample events, as the app itself lists them. */
export const routesOf = (): Promise<readonly Route[]> => (listed ??= list())
const EVENTS = join(TOP, 'events')
/** They are the same for every file of tests that a worker runs. */
let listed: Promise<readonly Route[]> | null = null

async function list(): Promise<readonly Route[]> {
  // Read when it is asked for: most attacks need no server of their own beside the one they attack.
  const { startTestApp } = await import('../server/harness.ts')
  const samples = readdirSync(EVENTS)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name, readFileSync(join(EVENTS, name), 'utf8')] as const)
  const { app, deps, close } = await startTestApp({
    clock: OPEN_DAY,
    events: { ...Object.fromEntries(samples), [`${CODED}.yaml`]: CODED_EVENT },
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

/** The body of a form with files, byte by byte; `filename` goes out as it stands. */
export function formOf(
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

/** Answers of a post graduate, who has to show a proof. */
export const postGraduate = { ...delegate, ticket_type: 'afpi-pg' }
export const proof = (bytes: Buffer = createPdf(), filename = 'proof.pdf') => ({
  field: 'pg_proof',
  filename,
  bytes,
})

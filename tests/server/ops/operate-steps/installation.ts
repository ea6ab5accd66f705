/** The operator's installation: an unpacked release, its environment variables, and one folder per server. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { buildForm } from '../../../attacks/target.ts'
import { createPdf } from '../../sample-uploads.ts'
import { buildFixtureEvent } from '../../small-event.ts'
import { startSocketParent } from '../socket-parent.ts'
import type { SocketParent } from '../socket-parent.ts'
import { sendOnce } from '../load.ts'
import type { LoadRequest } from '../load.ts'
import type { Folders } from '../operator.ts'
import { createSandboxAccount } from '../../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { createConfinement, readUnit, USER_ID } from './systemd-unit.ts'
import type { Confinement } from './systemd-unit.ts'

export const PASSWORD = 'a password for operators'
/** The ids of a paid event with a proof, and of a free event, which sends its emails immediately. */
export const PAID_EVENT_ID = 'sample2026'
export const FREE_EVENT_ID = 'free2026'

export type Installation = {
  readonly release: string
  readonly confinement: Confinement
  /** The variables from the unit and its environment file. Each server has its own DATA_DIR and EVENTS_DIR. */
  readonly variables: Readonly<Record<string, string>>
  /** Creates a separate folder that belongs to the server's user. */
  createFolder(name: string): string
  /** Creates folders for a server's data and event files. */
  createFolders(name: string): Folders
  /** Builds the server's command with the unit's settings. */
  buildCommand(folders: Folders): readonly [string, ...string[]]
  /** Opens a socket and starts a server on it. */
  serve(folders: Folders, variables?: Readonly<Record<string, string>>): Promise<SocketParent>
  /** Runs the release's `rollcall …` as the server's user, and returns its output and exit status. */
  runRollcall(
    folders: Folders,
    args: readonly string[],
    writes?: readonly string[],
    variables?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number | null; readonly output: string }>
  remove(): void
}

const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10)
const DAY_MS = 24 * 60 * 60_000

/** Builds an event file that is open for registration today. */
export function buildOpenEvent(id: string, payment: 'airpay' | 'none', now = Date.now()): string {
  const addDays = (days: number): string => formatDay(now + days * DAY_MS)
  return buildFixtureEvent({
    id,
    prefix: id.slice(0, 4).toUpperCase(),
    title: `Sample of ${id}`,
    payment,
  })
    .replace('from: 2026-03-01', `from: ${addDays(90)}`)
    .replace('to: 2026-03-02', `to: ${addDays(91)}`)
    .replace('from: 2026-01-01, to: 2026-01-31', `from: ${addDays(-10)}, to: ${addDays(30)}`)
    .replace('from: 2026-02-01, to: 2026-02-28', `from: ${addDays(31)}, to: ${addDays(60)}`)
    .replace('on: 2026-01-10', `on: ${addDays(0)}`)
}

/** Prepares an unpacked release so that it can be operated. */
export function createInstallation(release: string): Installation {
  const base = mkdtempSync(join(tmpdir(), 'rollcall-operate-'))
  chmodSync(base, 0o755)
  const unit = readUnit(release)
  const confinement = createConfinement(unit, release)
  const account = createSandboxAccount('sample')
  const { DATA_DIR: _data, EVENTS_DIR: _events, ...unitVariables } = unit.variables
  const variables = {
    PATH: '/usr/bin:/bin',
    ...unitVariables,
    PUBLIC_URL: 'https://register.example.org',
    TRUST_PROXY: '127.0.0.1',
    ADMIN_PASSWORD: PASSWORD,
    AIRPAY_SAMPLE_USERNAME: account.username,
    AIRPAY_SAMPLE_PASSWORD: account.password,
    AIRPAY_SAMPLE_SECRET: account.secret,
    AIRPAY_SAMPLE_MERCHANT_ID: account.merchantId,
    // This setting is only for rehearsals, and the unit is for production.
    CLOCK: '',
    RATE_LIMITS: 'on',
    NODE_COMPILE_CACHE: join(base, 'compiled'),
  }
  const createServerFolder = (path: string): string => {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    if (confinement.isOtherUser) chownSync(path, USER_ID, USER_ID)
    return path
  }
  createServerFolder(variables.NODE_COMPILE_CACHE)
  const listWritableFolders = ({ dataDir }: Folders): readonly string[] => [
    dataDir,
    variables.NODE_COMPILE_CACHE,
  ]
  const installation: Installation = {
    release,
    confinement,
    variables,
    createFolder: (name) => createServerFolder(join(base, name)),
    createFolders: (name) => {
      const folder = join(base, name)
      mkdirSync(folder)
      const eventsDir = join(folder, 'events')
      cpSync(join(release, 'events', '_shared'), join(eventsDir, '_shared'), { recursive: true })
      writeFileSync(
        join(eventsDir, `${PAID_EVENT_ID}.yaml`),
        buildOpenEvent(PAID_EVENT_ID, 'airpay'),
      )
      writeFileSync(join(eventsDir, `${FREE_EVENT_ID}.yaml`), buildOpenEvent(FREE_EVENT_ID, 'none'))
      return { folder, dataDir: createServerFolder(join(folder, 'data')), eventsDir }
    },
    buildCommand: (folders) =>
      confinement.wrapCommand(
        // The program and its script are paths in the release; flags and the command name are not.
        unit.command.map((word) => (word.includes('bin/') ? join(release, word) : word)),
        listWritableFolders(folders),
      ),
    serve: async (folders, extraVariables = {}) => {
      const socketParent = await startSocketParent(
        folders,
        { ...variables, ...extraVariables },
        installation.buildCommand(folders),
      )
      socketParent.start()
      await socketParent.waitUntilServing()
      return socketParent
    },
    runRollcall: async (
      { dataDir, eventsDir, ...folders },
      args,
      extraFolders = [],
      extraVariables = {},
    ) => {
      const [program, ...command] = confinement.wrapCommand(
        [join(release, 'bin', 'rollcall'), ...args],
        [...listWritableFolders({ dataDir, eventsDir, ...folders }), ...extraFolders],
      )
      const child = spawn(program, command, {
        env: { ...variables, DATA_DIR: dataDir, EVENTS_DIR: eventsDir, ...extraVariables },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
      const status = await new Promise<number | null>((resolve) => child.on('close', resolve))
      return { status, output: output.trim() }
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  }
  return installation
}

/** Reads rows from a database that another process may have open. */
export function readRows(file: string, sql: string): readonly Record<string, unknown>[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare(sql).all() as Record<string, unknown>[]
  } finally {
    db.close()
  }
}
export const readRegNos = ({ dataDir }: Pick<Folders, 'dataDir'>): readonly string[] =>
  readRows(join(dataDir, 'rollcall.db'), 'SELECT reg_no FROM registrations ORDER BY reg_no').map(
    ({ reg_no }) => String(reg_no),
  )

/** Returns a different client address for each request, so that the requests do not share rate limits. */
const createAddress = (n: number): string =>
  `127.${1 + ((n >> 16) & 127)}.${(n >> 8) & 255}.${n & 255}`

/** Builds the n-th request of a load test: for a page, a registration, or a registration with a proof. */
export function createLoadRequest(n: number, event = PAID_EVENT_ID): LoadRequest {
  const from = createAddress(n)
  if (n % 3 === 0) return { path: `/${event}`, from }
  const answers = {
    full_name: 'Asha Nair',
    email: `asha${n}@example.org`,
    phone_number: '9876543210',
    is_member: 'true',
  }
  const path = `/api/${event}/register/`
  if (n % 3 === 1) return { path, body: JSON.stringify(answers), from }
  const form = buildForm(answers, [
    { field: 'letter', filename: 'letter.pdf', bytes: createPdf(`${n}`) },
  ])
  return { path, body: form.body, headers: form.headers, from }
}

/** Registers a delegate, and returns the registration number. Throws an error with the response if that fails. */
export async function registerOne(url: string, n: number, event = PAID_EVENT_ID): Promise<string> {
  const { status, text } = await sendOnce(url, createLoadRequest(n * 3 + 1, event))
  if (status !== 201) throw new Error(`not registered: ${status} ${text}`)
  return (JSON.parse(text) as { readonly reg_no: string }).reg_no
}

/** Signs in to the office, and returns a function that reads an office path. */
export async function openOffice(url: string): Promise<(path: string) => Promise<string>> {
  const { text } = await sendOnce(url, {
    path: '/admin/login/',
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  })
  const { token } = JSON.parse(text) as { readonly token?: string }
  if (token === undefined) throw new Error(`not signed in: ${text}`)
  return async (path) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await sendOnce(url, { path, headers })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.text
  }
}

/** Reads the values in /metrics, keyed by name. */
export async function readMetrics(url: string): Promise<ReadonlyMap<string, number>> {
  const { text } = await sendOnce(url, { path: '/metrics', headers: { connection: 'keep-alive' } })
  return new Map(
    [...text.matchAll(/^(rollcall_\S+) (\S+)$/gm)].map(([, name = '', value]) => [
      name,
      Number(value),
    ]),
  )
}

/** Polls until `check` is true, and returns the seconds that this took. Throws after `maxSeconds`. */
export async function waitUntil(
  condition: string,
  maxSeconds: number,
  check: () => Promise<boolean> | boolean,
): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const seconds = (performance.now() - startedAt) / 1000
    if (await check()) return seconds
    if (seconds > maxSeconds) throw new Error(`timeout after ${maxSeconds} seconds: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

export function expectSame(condition: string, actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${condition}: ${a.slice(0, 600)}, expected ${b.slice(0, 600)}`)
}

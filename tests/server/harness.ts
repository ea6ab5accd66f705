/**
 * The whole server without a socket: real store, real event files in a folder of its own, real gateway
 * adapter, real uploads; only the clock is set by hand.
 */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { readInstant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import { assemble } from '../../server/assemble-server.ts'
import type { Deps, Environment } from '../../server/dependencies.ts'
import { checkFolderHere } from '../../server/events/files/event-folder.ts'
import type { Sandbox } from '../../server/payments/gateways/airpay/simulator/simulator.ts'
import type { ByItself } from '../../server/ops/clock.ts'
import type { Mailer } from '../../server/mail/send-queued-emails.ts'
import { readEnvironment } from '../../server/ops/environment.ts'
import type { Variables } from '../../server/ops/environment.ts'
import { openStoreHere } from './store-without-threads.ts'
import { lendCompiled, lendTables } from './prepared-files.ts'

const top = join(import.meta.dirname, '..', '..')
const sampleEvents = join(top, 'events')

export type TestFile = { readonly name: string; readonly bytes: Buffer; readonly type?: string }
export type TestApp = {
  readonly app: FastifyInstance
  readonly deps: Deps
  readonly mailer: Mailer
  /** What erases by itself, when it is called. */
  readonly keeping: ByItself
  /** What the clock lets lapse, when it is told to run. */
  readonly lapsing: ByItself
  /** What changes prices to those of today, when it is told to run. */
  readonly pricing: ByItself
  /** The simulator: `act(orderId, 'pay')` does what its page does. */
  readonly sandbox: Sandbox | null
  readonly environment: Environment
  /** The data folder: database, uploads, mails. */
  readonly dir: string
  readonly eventsDir: string
  /** What the log holds, parsed, and what was printed for people. */
  readonly log: Record<string, unknown>[]
  readonly printed: string[]
  /** Sets the clock: an instant with offset, or a day (its noon in India). */
  at(text: string): void
  /** Sets the clock as an operator does, while no time passes. */
  setClock(text: string): void
  now(): Instant
  /** Rows as they are in the database file now, read by a connection of our own. */
  rows(sql: string, ...params: unknown[]): Record<string, unknown>[]
  /** How many registrations, payments, uploads, audit entries and keys there are. */
  holds(): Record<string, number>
  /** Hashes of the files in the upload folder. */
  uploadsStored(): string[]
  /** Posts answers as a browser does: multipart, files after the fields. */
  post(
    url: string,
    fields: Readonly<Record<string, string>>,
    files?: Readonly<Record<string, TestFile>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<LightMyRequestResponse>
  writeEvent(file: string, text: string): void
  readEvent(file: string): string
  close(): Promise<void>
}

/** Starts with the sample event files, or with `events` (file name → text) beside the shared ones. */
export async function startTestApp(
  options: {
    readonly clock?: string
    readonly events?: Readonly<Record<string, string>>
    readonly variables?: Variables
    readonly watches?: boolean
    /** On a database of several servers: it activates what is new in its event files. */
    readonly decides?: boolean
    /** It compiles its events itself and writes down what came of them, as the first server on a data folder does. */
    readonly compiles?: boolean
  } = {},
): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-server-'))
  const eventsDir = join(folder, 'events')
  if (options.events === undefined) cpSync(sampleEvents, eventsDir, { recursive: true })
  else {
    cpSync(join(sampleEvents, '_shared'), join(eventsDir, '_shared'), { recursive: true })
    for (const [file, text] of Object.entries(options.events))
      writeFileSync(join(eventsDir, file), text)
  }
  const dir = join(folder, 'var')
  if (options.compiles !== true) {
    lendCompiled(dir)
    lendTables(dir)
  }
  const read = readEnvironment({
    DATA_DIR: dir,
    EVENTS_DIR: eventsDir,
    RATE_LIMITS: 'off',
    PORT: '3199',
    SANDBOX_PORT: '0',
    ...options.variables,
  })
  if (!read.ok) throw new Error(read.error.join('\n'))
  let now = instantOf(options.clock ?? '2025-10-10T12:00:00+05:30')
  let passedMs = 0
  const log: Record<string, unknown>[] = []
  const printed: string[] = []
  const assembled = await assemble(read.value, {
    clock: () => now,
    steadyMs: () => passedMs,
    log: {
      info: (entry, message) => void log.push({ level: 'info', message, ...entry }),
      warn: (entry, message) => void log.push({ level: 'warn', message, ...entry }),
      error: (entry, message) => void log.push({ level: 'error', message, ...entry }),
    },
    print: (text) => void printed.push(text),
    hasJobs: false,
    isWatching: options.watches ?? false,
    opens: openStoreHere,
    ...(options.decides === undefined ? {} : { isDeciding: options.decides }),
    // A thread for each change would take longer to begin than the change to judge; a server that watches has it.
    ...(options.watches === true ? {} : { checkFolder: checkFolderHere }),
  })
  if (!assembled.ok) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(assembled.error.text)
  }
  const {
    app,
    deps,
    retention: keeping,
    expiry: lapsing,
    mailer,
    priceUpdates: pricing,
    sandbox,
  } = assembled.value
  const rows = (sql: string, ...params: unknown[]): Record<string, unknown>[] => {
    const db = new Database(join(dir, 'rollcall.db'), { readonly: true })
    try {
      return db.prepare(sql).all(...params) as Record<string, unknown>[]
    } finally {
      db.close()
    }
  }
  return {
    app,
    deps,
    mailer,
    keeping,
    lapsing,
    pricing,
    sandbox,
    environment: read.value,
    dir,
    eventsDir,
    log,
    printed,
    rows,
    at: (text) => {
      const next = instantOf(text)
      passedMs += next - now
      now = next
    },
    setClock: (text) => {
      now = instantOf(text)
    },
    now: () => now,
    holds: () =>
      Object.fromEntries(
        ['registrations', 'payments', 'uploads', 'audit_log', 'idempotency_keys', 'mail_queue'].map(
          (table) => [table, Number(rows(`SELECT count(*) AS n FROM ${table}`)[0]?.['n'])],
        ),
      ),
    uploadsStored: () => filesUnder(join(dir, 'uploads')),
    post: (url, fields, files = {}, headers = {}) => {
      const { payload, type } = multipart(Object.entries(fields), Object.entries(files))
      return app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': type, ...headers },
        payload,
      })
    },
    writeEvent: (file, text) => writeFileSync(join(eventsDir, file), text),
    readEvent: (file) => readFileSync(join(eventsDir, file), 'utf8'),
    close: async () => {
      await assembled.value.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A multipart body in exactly this order: fields first, then files, unless they are given mixed. */
export function multipart(
  fields: readonly (readonly [string, string])[],
  files: readonly (readonly [string, TestFile])[],
  options: { readonly filesFirst?: boolean } = {},
): { readonly payload: Buffer; readonly type: string } {
  const boundary = 'rollcall-test-boundary'
  const texts = fields.map(([name, value]) =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
  )
  const parts = files.map(([name, file]) =>
    Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${file.name}"\r\nContent-Type: ${file.type ?? 'application/octet-stream'}\r\n\r\n`,
      ),
      file.bytes,
      Buffer.from('\r\n'),
    ]),
  )
  const all = options.filesFirst === true ? [...parts, ...texts] : [...texts, ...parts]
  return {
    payload: Buffer.concat([...all, Buffer.from(`--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  }
}

function instantOf(text: string): Instant {
  const at = readInstant(text)
  if (at === null) throw new Error(`"${text}" is no instant`)
  return at
}

function filesUnder(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
  } catch {
    return []
  }
}

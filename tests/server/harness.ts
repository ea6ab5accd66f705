/** Starts the whole server without a socket, with a real store, event files, gateway adapter and uploads. */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { readInstant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import { assembleServer } from '../../server/assemble-server.ts'
import type { Deps, Environment } from '../../server/dependencies.ts'
import { checkFolderInThisThread } from '../../server/events/files/event-folder.ts'
import type { AirpaySimulator } from '../../server/payments/gateways/airpay/simulator/simulator.ts'
import type { PeriodicJob } from '../../server/ops/clock.ts'
import type { Mailer } from '../../server/mail/send-queued-emails.ts'
import { readEnvironment } from '../../server/ops/environment.ts'
import type { Variables } from '../../server/ops/environment.ts'
import { openStoreInProcess } from './store-without-threads.ts'
import { useCompiledEvents, useEmptyDatabase } from './prepared-files.ts'

const top = join(import.meta.dirname, '..', '..')
const sampleEvents = join(top, 'events')

export type TestFile = { readonly name: string; readonly bytes: Buffer; readonly type?: string }
export type TestApp = {
  readonly app: FastifyInstance
  readonly deps: Deps
  readonly mailer: Mailer
  /** Erases personal data when called. */
  readonly retention: PeriodicJob
  /** Expires unpaid registrations when called. */
  readonly expiry: PeriodicJob
  /** Applies changed event files to earlier registrations when called. */
  readonly earlierRegistrations: PeriodicJob
  /** Updates prices to the current date when called. */
  readonly priceUpdates: PeriodicJob
  /** The gateway simulator. `runAction(orderId, 'pay')` has the same effect as the button on its page. */
  readonly sandbox: AirpaySimulator | null
  readonly environment: Environment
  /** The data folder: database, uploads, emails. */
  readonly dir: string
  readonly eventsDir: string
  /** The parsed log entries. `output` contains what is printed for the operator. */
  readonly log: Record<string, unknown>[]
  readonly output: string[]
  /** Sets the clock to an instant with an offset, or to noon in India on a date, as if that time had passed. */
  setTime(text: string): void
  /** Sets the clock as an operator does, without any time passing. */
  setClock(text: string): void
  now(): Instant
  /** Reads rows of the database file through a separate connection. */
  rows(sql: string, ...params: unknown[]): Record<string, unknown>[]
  /** Counts registrations, payments, uploads, audit log entries, idempotency keys and queued emails. */
  countRows(): Record<string, number>
  /** Lists the hashes of the files in the upload folder. */
  listStoredUploads(): string[]
  /** Posts answers as a browser does: in a multipart body, with files after the fields. */
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

/** Starts the server with the sample event files, or with `events` (file name → text) and the shared files. */
export async function startTestApp(
  options: {
    readonly clock?: string
    readonly events?: Readonly<Record<string, string>>
    readonly variables?: Variables
    readonly isWatching?: boolean
    /**
     * If true, this server activates changed event files for all servers that share the database.
     */
    readonly activatesVersions?: boolean
    /**
     * If true, this server compiles its own events and caches the result, as the first server on a
     * data folder does.
     */
    readonly isCompiling?: boolean
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
  if (options.isCompiling !== true) {
    useCompiledEvents(dir)
    await useEmptyDatabase(dir)
  }
  const environmentResult = readEnvironment({
    DATA_DIR: dir,
    EVENTS_DIR: eventsDir,
    RATE_LIMITS: 'off',
    PORT: '3199',
    SANDBOX_PORT: '0',
    ...options.variables,
  })
  if (!environmentResult.ok) throw new Error(environmentResult.error.join('\n'))
  let now = toInstant(options.clock ?? '2025-10-10T12:00:00+05:30')
  let elapsedMs = 0
  const log: Record<string, unknown>[] = []
  const output: string[] = []
  const assembly = await assembleServer(environmentResult.value, {
    clock: () => now,
    steadyMs: () => elapsedMs,
    log: {
      info: (entry, message) => void log.push({ level: 'info', message, ...entry }),
      warn: (entry, message) => void log.push({ level: 'warn', message, ...entry }),
      error: (entry, message) => void log.push({ level: 'error', message, ...entry }),
    },
    print: (text) => void output.push(text),
    hasJobs: false,
    isWatching: options.isWatching ?? false,
    openStore: openStoreInProcess,
    ...(options.activatesVersions === undefined
      ? {}
      : { activatesVersions: options.activatesVersions }),
    // Starting a thread takes longer than checking a change, so only a watching server starts one.
    ...(options.isWatching === true ? {} : { checkFolder: checkFolderInThisThread }),
  })
  if (!assembly.ok) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(assembly.error.text)
  }
  const { app, deps, earlierRegistrations, retention, expiry, mailer, priceUpdates, simulators } =
    assembly.value
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
    retention,
    expiry,
    earlierRegistrations,
    priceUpdates,
    sandbox: simulators?.byKind.airpay ?? null,
    environment: environmentResult.value,
    dir,
    eventsDir,
    log,
    output,
    rows,
    setTime: (text) => {
      const next = toInstant(text)
      elapsedMs += next - now
      now = next
    },
    setClock: (text) => {
      now = toInstant(text)
    },
    now: () => now,
    countRows: () =>
      Object.fromEntries(
        ['registrations', 'payments', 'uploads', 'audit_log', 'idempotency_keys', 'mail_queue'].map(
          (table) => [table, Number(rows(`SELECT count(*) AS n FROM ${table}`)[0]?.['n'])],
        ),
      ),
    listStoredUploads: () => listFiles(join(dir, 'uploads')),
    post: (url, fields, files = {}, headers = {}) => {
      const { payload, type } = buildMultipart(Object.entries(fields), Object.entries(files))
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
      await assembly.value.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Builds a multipart body: fields in this order, then files, or files first if `filesFirst` is set.
 */
export function buildMultipart(
  fields: readonly (readonly [string, string])[],
  files: readonly (readonly [string, TestFile])[],
  options: { readonly filesFirst?: boolean } = {},
): { readonly payload: Buffer; readonly type: string } {
  const boundary = 'rollcall-test-boundary'
  const fieldParts = fields.map(([name, value]) =>
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
  const orderedParts =
    options.filesFirst === true ? [...parts, ...fieldParts] : [...fieldParts, ...parts]
  return {
    payload: Buffer.concat([...orderedParts, Buffer.from(`--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  }
}

function toInstant(text: string): Instant {
  const at = readInstant(text)
  if (at === null) throw new Error(`"${text}" is not an instant`)
  return at
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
  } catch {
    return []
  }
}

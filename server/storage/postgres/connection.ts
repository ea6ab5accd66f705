/**
 * Runs the store's statements on a connection to PostgreSQL.
 * Statements that only add or change rows are queued. They are sent in one packet with the next statement whose result
 * is awaited, or with the commit, so that an operation takes as few round trips as it has results to wait for.
 */
import type pg from 'pg'
import { assert } from '../../../engine/index.ts'
import { LOCK_ORDER } from '../database/sqlite-connection.ts'
import type { Batch, Ran, Sql, Statement } from '../database/sqlite-connection.ts'
import { STORE_COMMIT_KEY } from './commit-keys.ts'
import { postgresDialect } from './dialect.ts'
import { ConnectionLost, PostgresRefused } from './errors.ts'
import { openReadAhead } from '../database/statements/read-ahead.ts'
import type { Seam } from '../database/fault-injection.ts'

/** A server that does not answer is not waited for longer. */
export const CONNECT_MS_MAX = 10_000
/** Queued statements are sent when there are this many. */
const QUEUED_MAX = 500
/** How much of a failed statement its error quotes. */
const QUOTED_CHARACTERS = 200

type Row = Readonly<Record<string, unknown>>
type Result = { readonly rows: readonly Row[]; readonly changes: number; readonly command: string }
type Queued = {
  readonly text: string
  readonly name: string | undefined
  readonly params: readonly unknown[]
  resolve(result: Result): void
  reject(error: unknown): void
  readonly result: Promise<Result>
}
/** What `pg` has and its types leave out: packets that are held back until all of them are there. */
type Corked = { readonly connection: { readonly stream: { cork(): void; uncork(): void } } }

export type PostgresConnection = {
  readonly sql: Sql
  /** Runs one statement of PostgreSQL, without parameters, as soon as it is called. */
  plain(text: string): Promise<readonly Row[]>
  /** Queues one statement of PostgreSQL; its result is not awaited. */
  queue(text: string): void
  /** Whether the transaction has sent or queued a statement that may have written. */
  hasWritten(): boolean
  /** What this operation checks last and others lock too, such as the seats of an event; null: nothing. */
  contended(): string | null
  /**
   * Sends everything queued, the key of the operation if it has one, and `COMMIT`. Throws if the transaction was rolled
   * back instead.
   */
  commit(key?: string | null): Promise<void>
  /** Forgets what is queued, and sends `ROLLBACK`. Never throws. */
  rollBack(): Promise<void>
  /** Prepares the next operation: `trustsSeats` as in `Batch`. */
  begin(texts: readonly string[], trustsSeats: boolean): void
  /** Returns what the operation results in where its error is a violation that it foresaw. */
  foreseen(error: unknown): { readonly result: unknown } | null
}

/** The options of every connection: whole numbers as numbers, booleans as 1 and 0, several statements on their way. */
export const clientOptions = (url: string): pg.ClientConfig =>
  ({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
    application_name: 'rollcall',
    pipeline: true,
    types: { getTypeParser: (oid: number) => PARSERS[oid] ?? asText },
  }) as pg.ClientConfig

const names = new Map<string, string>()

/**
 * The store's view of a client. `isNamed`: statements are prepared once per connection, which suits those that are
 * always planned alike; searches and lists are planned with their values each time. `seam`: faults that tests inject.
 */
export function connectionOn(
  client: pg.ClientBase,
  isNamed = true,
  { withoutLock, assertsLockOrder = false }: Pick<Seam, 'withoutLock' | 'assertsLockOrder'> = {},
): PostgresConnection {
  let queued: Queued[] = []
  let isScheduled = false
  /** The first error since the transaction began: whatever follows it only says that the transaction has failed. */
  let failure: Error | null = null
  let hasWritten = false
  const statements = new Map<string, Statement<unknown>>()
  const readAhead = openReadAhead<Result>()
  let isReadingAhead = false
  const locked = new Set<string>()

  const add = (text: string, params: readonly unknown[], isPlain = false): Queued => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    // An error of a statement that nobody waits for is thrown by the next one that somebody waits for.
    promise.catch(() => {})
    if (!isPlain && !READS_ONLY.test(text)) {
      hasWritten = true
      readAhead.afterWrite(text)
    }
    const name = isNamed && !isPlain ? nameOf(text) : undefined
    const one: Queued = { text, name, params, resolve, reject, result: promise }
    queued.push(one)
    if (queued.length >= QUEUED_MAX) send()
    return one
  }
  const send = (): void => {
    isScheduled = false
    const sent = queued
    queued = []
    if (sent.length === 0) return
    const { stream } = (client as unknown as Corked).connection
    stream.cork()
    for (const { text, name, params, resolve, reject } of sent)
      client.query({ text, values: [...params], ...(name === undefined ? {} : { name }) }).then(
        ({ rows, rowCount, command }) => {
          // Back at a savepoint, or at the beginning: what failed is undone.
          if (text.startsWith('ROLLBACK')) failure = null
          resolve({ rows: rows as readonly Row[], changes: rowCount ?? 0, command })
        },
        (error: unknown) => {
          failure ??= errorOf(error, text)
          reject(failure)
        },
      )
    stream.uncork()
  }
  /** Statements that are awaited in the same turn share a packet. */
  let lastLock = 0
  /** Locks out of order may wait for each other in a circle. */
  const lock: Sql['lock'] = (kind, text, ...params) => {
    const key = JSON.stringify([text, params])
    if (locked.has(key)) return
    const order = LOCK_ORDER.indexOf(kind)
    assert(
      !assertsLockOrder || order >= lastLock,
      `a ${kind} was locked after a ${LOCK_ORDER[lastLock]}`,
    )
    lastLock = order
    locked.add(key)
    if (kind === withoutLock) return
    readAhead.afterLock(kind)
    add(text, params)
  }
  let checks: (() => void)[] = []
  let contended: string | null = null
  const results = new Map<string, unknown>()
  let trustsSeats = true
  const batch: Batch = {
    newId: async (table) =>
      (
        await sql<{ id: number }>(
          `SELECT nextval(pg_get_serial_sequence('${table}', 'id')) AS id`,
        ).get()
      )?.id ?? 0,
    readAhead(reads) {
      isReadingAhead = true
      for (const read of reads())
        // If it fails, so does the transaction.
        read.catch(() => {})
      isReadingAhead = false
    },
    orElse: (constraint, result) => void results.set(constraint, result),
    get trustsSeats() {
      return trustsSeats
    },
    check: (text, ...params) => {
      contended = JSON.stringify(params)
      if (withoutLock !== 'seat') checks.push(() => void add(text, params))
    },
  }
  const awaited = async (one: Queued): Promise<Result> => {
    if (!isScheduled) {
      isScheduled = true
      queueMicrotask(send)
    }
    return one.result
  }

  const read = async (text: string, params: readonly unknown[]): Promise<Result> => {
    const kept = readAhead.take(text, params)
    if (kept !== null) return kept
    const result = awaited(add(text, params))
    if (isReadingAhead) readAhead.keep(text, params, result)
    return result
  }
  const statement = <R>(text: string): Statement<R> => {
    const all = async (...params: unknown[]): Promise<R[]> =>
      (await read(text, params.map(sentValue))).rows as R[]
    return {
      all,
      get: async (...params) => (await all(...params))[0],
      run: (...params) => {
        const one = add(text, params.map(sentValue))
        return ranOf(() => awaited(one))
      },
    }
  }
  const sql = <R>(text: string): Statement<R> => {
    const known = statements.get(text)
    if (known !== undefined) return known as Statement<R>
    const made = statement<R>(text)
    statements.set(text, made as Statement<unknown>)
    return made
  }
  return {
    sql: Object.assign(sql, {
      dialect: postgresDialect,
      lock,
      batch,
    }),
    plain: async (text) => (await awaited(add(text, [], true))).rows,
    queue: (text) => void add(text, [], true),
    begin(texts, isFirst) {
      lastLock = 0
      failure = null
      hasWritten = false
      checks = []
      contended = null
      results.clear()
      readAhead.clear()
      locked.clear()
      trustsSeats = isFirst
      for (const text of texts) add(text, [], true)
    },
    foreseen: (error) =>
      error instanceof PostgresRefused && results.has(error.constraint)
        ? { result: results.get(error.constraint) }
        : null,
    hasWritten: () => hasWritten,
    contended: () => contended,
    async commit(key = null) {
      lastLock = 0
      if (key !== null) add(STORE_COMMIT_KEY, [key])
      for (const check of checks) check()
      const { command } = await awaited(add('COMMIT', [], true))
      if (command !== 'COMMIT')
        throw failure ?? new PostgresRefused('25P02', 'the transaction was rolled back')
      if (failure !== null) throw failure
    },
    async rollBack() {
      lastLock = 0
      for (const one of queued) one.reject(new PostgresRefused('25P02', 'it was not sent'))
      queued = []
      await awaited(add('ROLLBACK', [], true)).catch(() => {})
      failure = null
    },
  }
}

const READS_ONLY = /^\s*SELECT\b/i

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `rollcall_${names.size + 1}`
  names.set(text, name)
  return name
}

function ranOf(result: () => Promise<Result>): Ran {
  return {
    get changes() {
      return result().then(({ changes }) => changes)
    },
  }
}

/** PostgreSQL's text can hold every character except the character 0. */
function sentValue(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '') : value
  if (Array.isArray(value)) return value.map(sentValue)
  return value ?? null
}

/**
 * An error of PostgreSQL or of the connection, as the store knows it: a fatal error, and one without a code of
 * PostgreSQL, means that the connection is lost.
 */
export function errorOf(error: unknown, text: string): PostgresRefused | ConnectionLost {
  if (error instanceof PostgresRefused || error instanceof ConnectionLost) return error
  const message = error instanceof Error ? error.message : String(error)
  const { code, severity, constraint } = (error ?? {}) as {
    readonly code?: unknown
    readonly severity?: unknown
    readonly constraint?: unknown
  }
  if (typeof severity !== 'string' || typeof code !== 'string')
    return new ConnectionLost('', message)
  if (severity === 'FATAL' || severity === 'PANIC') return new ConnectionLost(code, message)
  const quoted = text === '' ? message : `${message} (${text.slice(0, QUOTED_CHARACTERS)})`
  return new PostgresRefused(code, quoted, typeof constraint === 'string' ? constraint : '')
}

const asText = (text: string): string => text
const whole = (text: string): number => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is not a whole number`)
  return number
}
/** By the ids of PostgreSQL's types: boolean, bytes, whole numbers; all others are text. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => (text === 't' ? 1 : 0),
  17: (text) => Buffer.from(text.slice(2), 'hex').toString(),
  20: whole,
  21: whole,
  23: whole,
  26: whole,
  1700: whole,
}

/** Runs the store's statements on a PostgreSQL connection. */
import type pg from 'pg'
import { assert } from '../../../engine/index.ts'
import { LOCK_ORDER } from '../database/sqlite-connection.ts'
import type { Batch, WriteResult, Sql, Statement } from '../database/sqlite-connection.ts'
import { STORE_COMMIT_KEY } from './commit-keys.ts'
import { postgresDialect } from './dialect.ts'
import { ConnectionLost, PostgresRefused } from './errors.ts'
import { createReadCache } from '../database/statements/read-cache.ts'
import type { InjectedFaults } from '../database/fault-injection.ts'

// Statements that only write are queued. They are sent together with the next statement whose result is awaited, or
// with the commit, so an operation makes one round trip per awaited result.

/** How long to wait for a server that does not respond. */
export const MAX_CONNECT_MS = 10_000
/** The queue is sent when it contains this number of statements. */
const MAX_QUEUED = 500
/** An error quotes this number of characters from the failed statement. */
const QUOTED_CHARACTERS = 200

type Row = Readonly<Record<string, unknown>>
type Result = { readonly rows: readonly Row[]; readonly changes: number; readonly command: string }
type QueuedStatement = {
  readonly text: string
  readonly name: string | undefined
  readonly params: readonly unknown[]
  resolve(result: Result): void
  reject(error: unknown): void
  readonly result: Promise<Result>
}
/** A part of `pg` that has no types. It holds statements back until all of them can be sent. */
type CorkableConnection = {
  readonly connection: { readonly stream: { cork(): void; uncork(): void } }
}

export type PostgresConnection = {
  readonly sql: Sql
  /** Runs one PostgreSQL statement without parameters immediately. */
  plain(text: string): Promise<readonly Row[]>
  /** Queues one PostgreSQL statement without awaiting its result. */
  queue(text: string): void
  /** Returns true if the transaction has sent or queued a statement that may write. */
  hasWritten(): boolean
  /**
   * Identifies the rows that this operation checks last and that other operations lock too, such as an event's seats.
   * Null if there are none.
   */
  getContendedRows(): string | null
  /**
   * Sends all queued statements, the key of the operation (if any) and `COMMIT`. Throws if the transaction was rolled
   * back instead.
   */
  commit(key?: string | null): Promise<void>
  /** Discards the queue and sends `ROLLBACK`. Never throws. */
  rollBack(): Promise<void>
  /** Prepares the next operation. `trustsSeats`: as in `Batch`. */
  begin(texts: readonly string[], trustsSeats: boolean): void
  /** Returns the result of the operation if the error is an expected constraint violation. */
  findExpectedResult(error: unknown): { readonly result: unknown } | null
}

/**
 * Returns the options for every connection: whole numbers as numbers, booleans as 1 and 0, several statements in
 * flight.
 */
export const buildClientOptions = (url: string): pg.ClientConfig =>
  ({
    connectionString: url,
    connectionTimeoutMillis: MAX_CONNECT_MS,
    keepAlive: true,
    application_name: 'rollcall',
    pipeline: true,
    types: { getTypeParser: (oid: number) => PARSERS[oid] ?? keepText },
  }) as pg.ClientConfig

const statementNames = new Map<string, string>()

/**
 * Wraps a client for the store. `isNamed`: statements are prepared once per connection, which suits statements that
 * always have the same plan. Searches and lists are instead planned with their values, on each execution. Tests use the
 * other options, to inject faults and to check assumptions.
 */
export function createConnection(
  client: pg.ClientBase,
  isNamed = true,
  {
    withoutLock,
    assertsLockOrder = false,
    checksPredictions = false,
    locksSeriesEarly = false,
  }: Pick<
    InjectedFaults,
    'withoutLock' | 'assertsLockOrder' | 'checksPredictions' | 'locksSeriesEarly'
  > = {},
): PostgresConnection {
  let queued: QueuedStatement[] = []
  let isScheduled = false
  /** The first error in the transaction. Later errors state only that the transaction has failed. */
  let failure: Error | null = null
  let hasWritten = false
  const statements = new Map<string, Statement<unknown>>()
  const readCache = createReadCache<Result>()
  let isPrefetching = false
  const lockedKeys = new Set<string>()

  /** Statements that are sent immediately before the commit. */
  let heldStatements: (readonly [text: string, params: readonly unknown[]])[] = []
  const release = (): void => {
    const releasedStatements = heldStatements
    heldStatements = []
    for (const [text, params] of releasedStatements) enqueue(text, params)
  }
  const enqueue = (text: string, params: readonly unknown[], isPlain = false): QueuedStatement => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    // If this statement is not awaited, the next awaited statement throws its error.
    promise.catch(() => {})
    if (!isPlain && !READ_ONLY_STATEMENT.test(text)) {
      hasWritten = true
      readCache.afterWrite(text)
    }
    const name = isNamed && !isPlain ? getStatementName(text) : undefined
    const queuedQuery: QueuedStatement = { text, name, params, resolve, reject, result: promise }
    queued.push(queuedQuery)
    if (queued.length >= MAX_QUEUED) send()
    return queuedQuery
  }
  const send = (): void => {
    isScheduled = false
    const sent = queued
    queued = []
    if (sent.length === 0) return
    const { stream } = (client as unknown as CorkableConnection).connection
    stream.cork()
    for (const { text, name, params, resolve, reject } of sent)
      client.query({ text, values: [...params], ...(name === undefined ? {} : { name }) }).then(
        ({ rows, rowCount, command }) => {
          // A rollback, to a savepoint or of the whole transaction, also undoes the failed statement.
          if (text.startsWith('ROLLBACK')) failure = null
          resolve({ rows: rows as readonly Row[], changes: rowCount ?? 0, command })
        },
        (error: unknown) => {
          failure ??= toStoreError(error, text)
          reject(failure)
        },
      )
    stream.uncork()
  }
  /** The position of the latest lock in `LOCK_ORDER`. */
  let lastLock = 0
  /** Locks the rows. Locks that are taken out of order can cause a deadlock. */
  const lock: Sql['lock'] = (kind, text, ...params) => {
    const key = JSON.stringify([text, params])
    if (lockedKeys.has(key)) return
    if (kind !== 'user') {
      const order = LOCK_ORDER.indexOf(kind)
      assert(
        !assertsLockOrder || order >= lastLock,
        `a ${kind} was locked after a ${LOCK_ORDER[lastLock]}`,
      )
      lastLock = order
    }
    lockedKeys.add(key)
    if (kind === withoutLock) return
    readCache.afterLock(kind)
    enqueue(text, params)
  }
  let pendingChecks: (() => void)[] = []
  let contendedRows: string | null = null
  const expectedResults = new Map<string, unknown>()
  let trustsSeats = true
  const batch: Batch = {
    newId: async (table) =>
      (
        await sql<{ id: number }>(
          `SELECT nextval(pg_get_serial_sequence('${table}', 'id')) AS id`,
        ).get()
      )?.id ?? 0,
    prefetch(reads) {
      isPrefetching = true
      for (const read of reads())
        // If the read fails, so does the transaction.
        read.catch(() => {})
      isPrefetching = false
    },
    predict(text, params, rows) {
      const result = { rows: rows as readonly Row[], changes: rows.length, command: 'SELECT' }
      readCache.keep(text, params.map(toSentValue), Promise.resolve(result), true)
    },
    sendLast(row, text, params) {
      hasWritten = true
      contendedRows ??= row
      readCache.afterWrite(text)
      heldStatements.push([text, params.map(toSentValue)])
      if (locksSeriesEarly) release()
    },
    returnOnConflict: (constraint, result) => void expectedResults.set(constraint, result),
    get trustsSeats() {
      return trustsSeats
    },
    check: (text, ...params) => {
      contendedRows = JSON.stringify(params)
      if (withoutLock !== 'seat') pendingChecks.push(() => void enqueue(text, params))
    },
  }
  /** Statements awaited in the same turn of the event loop are sent together. */
  const awaitResult = async (queuedQuery: QueuedStatement): Promise<Result> => {
    if (!isScheduled) {
      isScheduled = true
      queueMicrotask(send)
    }
    return queuedQuery.result
  }

  const read = async (text: string, params: readonly unknown[]): Promise<Result> => {
    const cachedRead = readCache.findResult(text, params)
    if (cachedRead !== null && !(cachedRead.isPredicted && checksPredictions))
      return cachedRead.result
    release()
    const result = awaitResult(enqueue(text, params))
    if (cachedRead !== null) assertSame(text, await cachedRead.result, await result)
    else if (isPrefetching) readCache.keep(text, params, result)
    return result
  }
  const statement = <R>(text: string): Statement<R> => {
    const allRows = async (...params: unknown[]): Promise<R[]> =>
      (await read(text, params.map(toSentValue))).rows as R[]
    return {
      all: allRows,
      get: async (...params) => (await allRows(...params))[0],
      run: (...params) => {
        const queuedQuery = enqueue(text, params.map(toSentValue))
        return createWriteResult(() => awaitResult(queuedQuery))
      },
    }
  }
  const sql = <R>(text: string): Statement<R> => {
    const existingStatement = statements.get(text)
    if (existingStatement !== undefined) return existingStatement as Statement<R>
    const prepared = statement<R>(text)
    statements.set(text, prepared as Statement<unknown>)
    return prepared
  }
  return {
    sql: Object.assign(sql, {
      dialect: postgresDialect,
      lock,
      batch,
    }),
    plain: async (text) => (await awaitResult(enqueue(text, [], true))).rows,
    queue: (text) => void enqueue(text, [], true),
    begin(texts, isTrusted) {
      lastLock = 0
      failure = null
      hasWritten = false
      pendingChecks = []
      heldStatements = []
      contendedRows = null
      expectedResults.clear()
      readCache.clear()
      lockedKeys.clear()
      trustsSeats = isTrusted
      for (const text of texts) enqueue(text, [], true)
    },
    findExpectedResult: (error) =>
      error instanceof PostgresRefused && expectedResults.has(error.constraint)
        ? { result: expectedResults.get(error.constraint) }
        : null,
    hasWritten: () => hasWritten,
    getContendedRows: () => contendedRows,
    async commit(key = null) {
      lastLock = 0
      if (key !== null) enqueue(STORE_COMMIT_KEY, [key])
      for (const check of pendingChecks) check()
      release()
      const { command } = await awaitResult(enqueue('COMMIT', [], true))
      if (command !== 'COMMIT')
        throw failure ?? new PostgresRefused('25P02', 'the transaction was rolled back')
      if (failure !== null) throw failure
    },
    async rollBack() {
      lastLock = 0
      for (const pending of queued) pending.reject(new PostgresRefused('25P02', 'it was not sent'))
      queued = []
      await awaitResult(enqueue('ROLLBACK', [], true)).catch(() => {})
      failure = null
    },
  }
}

/** Throws unless both results have the same rows, whatever the order of their columns. */
function assertSame(text: string, predicted: Result, found: Result): void {
  const asText = ({ rows }: Result): string =>
    JSON.stringify(rows.map((row) => Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))))
  assert(
    asText(predicted) === asText(found),
    `predicted ${asText(predicted)}, found ${asText(found)}: ${text}`,
  )
}

const READ_ONLY_STATEMENT = /^\s*SELECT\b/i

function getStatementName(text: string): string {
  const existingName = statementNames.get(text)
  if (existingName !== undefined) return existingName
  const name = `rollcall_${statementNames.size + 1}`
  statementNames.set(text, name)
  return name
}

function createWriteResult(result: () => Promise<Result>): WriteResult {
  return {
    get changes() {
      return result().then(({ changes }) => changes)
    },
  }
}

/** Removes U+0000, the only character that PostgreSQL's text type cannot hold. */
function toSentValue(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '') : value
  if (Array.isArray(value)) return value.map(toSentValue)
  return value ?? null
}

/**
 * Converts an error from PostgreSQL or from the connection into the store's error. A fatal error, or one without a
 * PostgreSQL code, means that the connection is lost.
 */
export function toStoreError(error: unknown, text: string): PostgresRefused | ConnectionLost {
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

const keepText = (text: string): string => text
const parseInteger = (text: string): number => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is not a whole number`)
  return number
}
/** Parsers by PostgreSQL type id: boolean, bytes, whole numbers. All others are text. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => (text === 't' ? 1 : 0),
  17: (text) => Buffer.from(text.slice(2), 'hex').toString(),
  20: parseInteger,
  21: parseInteger,
  23: parseInteger,
  26: parseInteger,
  1700: parseInteger,
}

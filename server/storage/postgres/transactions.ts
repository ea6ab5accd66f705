/** Runs the store's operations as transactions on pools of PostgreSQL connections. */
import { setTimeout as pause } from 'node:timers/promises'
import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { memoize } from '../../../engine/index.ts'
import { cacheReads } from '../database/batch-cache.ts'
import type { InjectedFaults } from '../database/fault-injection.ts'
import { RollbackError } from '../database/rollback-error.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { StoreBusy } from '../database/store-busy-error.ts'
import { createShares } from '../operations/shares.ts'
import { getBusyCode, isMachineError } from '../database/transient-errors.ts'
import { isCommitted, createCommitKey } from './commit-keys.ts'
import { createConnection, toStoreError } from './connection.ts'
import type { PostgresConnection } from './connection.ts'
import { ConnectionLost, PostgresRefused } from './errors.ts'
import type { HostPool } from './host-pool.ts'

// An operation that stored nothing is retried if a conflicting transaction or a lost connection made it fail.

/** How long an operation waits for a row that another operation has locked. */
const MAX_LOCK_MS = 2_000
/** The time after which PostgreSQL ends the connection of a server that stalls during a transaction. */
const MAX_IDLE_MS = 20_000
const beginWrite = (maxLockMs: number): readonly string[] => [
  // The transaction is not set to READ WRITE, because an operator may have made PostgreSQL read-only for all servers.
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  `SELECT set_config('lock_timeout', '${maxLockMs}', true), set_config('idle_in_transaction_session_timeout', '${MAX_IDLE_MS}', true)`,
]
const BEGIN_WRITE = beginWrite(MAX_LOCK_MS)
/** How long an operation waits for a locked row while it uses a connection beyond its event's share. */
const MAX_BORROWED_LOCK_MS = 200
const BEGIN_BORROWED = beginWrite(MAX_BORROWED_LOCK_MS)
const isLockTimeout = (error: unknown): boolean =>
  error instanceof PostgresRefused && error.code === '55P03'
const BEGIN_READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
/**
 * For lists and searches. In memory or on an SSD, random reads cost little more than sequential ones. With the default
 * of 4, which suits rotating disks, a search for a name with an initial would read all rows, not the search index.
 */
const BEGIN_LIST = [BEGIN_READ, "SELECT set_config('random_page_cost', '1.1', true)"]

/** The number of connections for operations that write. */
export const MAX_WRITERS = 16
/**
 * An event's share of the connections. Operations on one event that wait for locks use at most this number, so that
 * operations on other events can continue.
 */
const EVENT_CONNECTIONS = MAX_WRITERS / 4
/** How long an operation waits for a connection from its event's share. */
const MAX_CONNECTION_WAIT_MS = 5_000

/** How long and how often to check whether an operation was stored. */
const MAX_COMMIT_CHECK_MS = 10_000
const COMMIT_CHECK_RETRY_MS = 250

const MAX_ATTEMPTS = 5
/** The maximum pause before the first retry. It doubles with each retry. */
const RETRY_MS = 10
/**
 * The code for a division by zero, which the last statement of a batch causes if a seat is not available; see `Batch`.
 */
const NO_SEAT_CODE = '22012'
/** Serialization failure, deadlock, and a row that another transaction has just added. */
const CONFLICT_CODES = /^(?:40001|40P01|23505)$/

type Operation<T> = (sql: Sql) => Promise<T>
export type Transactions = {
  /** `event`: the operation's event. Null if the operation is not about a single event. */
  write<T>(event: string | null, task: Operation<T>): Promise<T>
  /**
   * `isOneRoundTrip`: all statements are known in advance, so they can be sent together with the statement that ends
   * the transaction.
   */
  read<T>(task: Operation<T>, isOneRoundTrip?: boolean): Promise<T>
  /** Like `read`, but each statement is planned with its values. */
  list<T>(task: Operation<T>): Promise<T>
  /** Returns the number of unfinished operations. */
  countUnfinished(): number
  /** Refuses new operations, and resolves when all others have finished. */
  drain(): Promise<void>
}

export function openTransactions({
  writing,
  reading,
  usesPreparedStatements,
  maxQueuedCalls,
  faults,
}: {
  readonly writing: HostPool
  readonly reading: HostPool
  readonly usesPreparedStatements: boolean
  readonly maxQueuedCalls: number
  readonly faults: InjectedFaults
}): Transactions {
  const unfinished = new Set<Promise<unknown>>()
  let isClosing = false
  const getWriteConnection = memoize((client: pg.ClientBase) =>
    createConnection(client, usesPreparedStatements, faults),
  )
  const beginStatements =
    faults.maxLockMs === undefined ? BEGIN_WRITE : beginWrite(faults.maxLockMs)
  const shares = createShares({
    max: MAX_WRITERS,
    share: EVENT_CONNECTIONS,
    maxWaitMs: faults.maxConnectionWaitMs ?? MAX_CONNECTION_WAIT_MS,
  })
  const runWrite = <T>(task: Operation<T>, beginTexts: readonly string[]): Promise<T> =>
    retryOnConflict((trustsSeats) =>
      writeOnce(writing, getWriteConnection, task, trustsSeats, beginTexts),
    )
  const writeInShare = async <T>(
    event: string,
    task: Operation<T>,
    mayBorrow: boolean,
  ): Promise<T> => {
    const turn = await shares.take(event, mayBorrow)
    try {
      return await runWrite(task, turn.isBorrowed ? BEGIN_BORROWED : beginStatements)
    } catch (error) {
      if (!turn.isBorrowed || !isLockTimeout(error)) throw error
    } finally {
      turn.end()
    }
    // Waits for the lock on a connection from the event's own share.
    return writeInShare(event, task, false)
  }

  const trackOperation = <T>(run: () => Promise<T>): Promise<T> => {
    if (isClosing) return Promise.reject(new StoreBusy('the store is closing'))
    if (unfinished.size >= maxQueuedCalls)
      return Promise.reject(new StoreBusy('too many requests are waiting for the database'))
    const result = run().catch((error: unknown) => {
      throw toStoreBusy(error)
    })
    unfinished.add(result)
    const finish = (): void => void unfinished.delete(result)
    result.then(finish, finish)
    return result
  }

  return {
    write: (event, task) =>
      trackOperation(() =>
        event === null ? runWrite(task, beginStatements) : writeInShare(event, task, true),
      ),
    read: (task, isOneRoundTrip = false) =>
      trackOperation(() =>
        retryOnConflict(() =>
          readOnce(
            reading,
            { begin: [BEGIN_READ], isNamed: usesPreparedStatements, isOneRoundTrip },
            task,
          ),
        ),
      ),
    list: (task) =>
      trackOperation(() =>
        retryOnConflict(() =>
          readOnce(reading, { begin: BEGIN_LIST, isNamed: false, isOneRoundTrip: false }, task),
        ),
      ),
    countUnfinished: () => unfinished.size,
    async drain() {
      isClosing = true
      await Promise.allSettled(unfinished)
    },
  }
}

/** Wraps an error after which the operation can be retried. */
class RetryableError extends Error {
  readonly reason: unknown
  constructor(reason: unknown) {
    super('not done')
    this.reason = reason
  }
}

async function retryOnConflict<T>(run: (trustsSeats: boolean) => Promise<T>): Promise<T> {
  let trustsSeats = true
  for (let attempt = 1; ; attempt += 1)
    try {
      return await run(trustsSeats)
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error
      const isLost = error.reason instanceof ConnectionLost
      if (error.reason instanceof PostgresRefused && error.reason.code === NO_SEAT_CODE) {
        trustsSeats = false
        continue
      }
      // A pooled connection may have been closed long ago. If a second connection fails too, the server is not
      // responding.
      if (attempt >= (isLost ? 2 : MAX_ATTEMPTS)) throw error.reason
      if (!isLost) await pause(randomInt(RETRY_MS * 2 ** attempt))
    }
}

async function writeOnce<T>(
  pool: HostPool,
  getWriteConnection: (client: pg.ClientBase) => PostgresConnection,
  task: Operation<T>,
  trustsSeats: boolean,
  beginTexts: readonly string[],
): Promise<T> {
  const client = await acquireClient(pool)
  const connection = getWriteConnection(client)
  connection.begin(beginTexts, trustsSeats)
  const { sql } = connection
  let pendingCommit: { readonly key: string; readonly result: T } | null = null
  try {
    const result = await cacheReads(sql, () => task(sql))
    const key = connection.hasWritten() ? createCommitKey() : null
    if (key !== null) pendingCommit = { key, result }
    const commit = (): Promise<void> => connection.commit(key)
    const contendedRows = connection.getContendedRows()
    await (contendedRows === null ? commit() : limitConcurrency(contendedRows, commit))
    client.release()
    return result
  } catch (error) {
    if (error instanceof ConnectionLost) {
      client.release(true)
      if (
        pendingCommit !== null &&
        (await wasCommitted(pool, getWriteConnection, pendingCommit.key, error))
      )
        return pendingCommit.result
      throw new RetryableError(error)
    }
    await connection.rollBack()
    client.release()
    if (error instanceof RollbackError) return error.value as T
    const expectedResult = connection.findExpectedResult(error)
    if (expectedResult !== null) return expectedResult.result as T
    throw error instanceof PostgresRefused &&
      (CONFLICT_CODES.test(error.code) || error.code === NO_SEAT_CODE)
      ? new RetryableError(error)
      : error
  }
}

/**
 * How many commits that lock the same rows this server runs at once. Further ones would wait in PostgreSQL, which costs
 * CPU time.
 */
const MAX_CONTENDED_COMMITS = 6
type Queue = { running: number; readonly waiting: (() => void)[] }
const queues = new Map<string, Queue>()

async function limitConcurrency<T>(key: string, run: () => Promise<T>): Promise<T> {
  const queue = queues.get(key) ?? { running: 0, waiting: [] }
  queues.set(key, queue)
  if (queue.running >= MAX_CONTENDED_COMMITS)
    await new Promise<void>((resolve) => queue.waiting.push(resolve))
  else queue.running += 1
  try {
    return await run()
  } finally {
    // Gives this place to the next operation.
    const next = queue.waiting.shift()
    if (next === undefined) queue.running -= 1
    else next()
    if (queue.running === 0) queues.delete(key)
  }
}

/** Returns true if an operation was stored although its connection was lost during COMMIT. Throws `loss` if unknown. */
async function wasCommitted(
  pool: HostPool,
  getWriteConnection: (client: pg.ClientBase) => PostgresConnection,
  key: string,
  loss: ConnectionLost,
): Promise<boolean> {
  for (const startedAt = performance.now(); ;) {
    try {
      return await lookUpCommit(pool, getWriteConnection, key)
    } catch (error) {
      const isTransient = error instanceof ConnectionLost || isMachineError(error)
      if (!isTransient || performance.now() - startedAt > MAX_COMMIT_CHECK_MS) throw loss
    }
    await pause(COMMIT_CHECK_RETRY_MS)
  }
}

async function lookUpCommit(
  pool: HostPool,
  getWriteConnection: (client: pg.ClientBase) => PostgresConnection,
  key: string,
): Promise<boolean> {
  const client = await acquireClient(pool)
  const connection = getWriteConnection(client)
  try {
    const isStored = await isCommitted(connection, BEGIN_WRITE, key)
    client.release()
    return isStored
  } catch (error) {
    const isLost = error instanceof ConnectionLost
    if (!isLost) await connection.rollBack()
    client.release(isLost)
    throw error
  }
}

async function readOnce<T>(
  pool: HostPool,
  {
    begin,
    isNamed,
    isOneRoundTrip,
  }: {
    readonly begin: readonly string[]
    readonly isNamed: boolean
    readonly isOneRoundTrip: boolean
  },
  task: Operation<T>,
): Promise<T> {
  const client = await acquireClient(pool)
  const connection = isNamed ? getReadConnection(client) : getUnnamedConnection(client)
  connection.begin(begin, false)
  try {
    const transaction = task(connection.sql)
    if (isOneRoundTrip) connection.queue('COMMIT')
    const result = await transaction
    // No other operation waits for the end of a read-only transaction.
    if (!isOneRoundTrip) void connection.rollBack()
    client.release()
    return result
  } catch (error) {
    const isLost = error instanceof ConnectionLost
    if (!isLost) await connection.rollBack()
    client.release(isLost)
    throw isLost ? new RetryableError(error) : error
  }
}

async function acquireClient(pool: HostPool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw error instanceof StoreBusy ? error : toStoreError(error, '')
  }
}

const getReadConnection = memoize((client: pg.ClientBase) => createConnection(client, true))
const getUnnamedConnection = memoize((client: pg.ClientBase) => createConnection(client, false))

/** Converts an error that a retry can resolve into StoreBusy. Any other error is a bug in the store. */
function toStoreBusy(error: unknown): unknown {
  if (error instanceof StoreBusy) return error
  if (error instanceof ConnectionLost || isMachineError(error))
    return new StoreBusy((error as Error).message, getBusyCode(error))
  return error
}

/**
 * Runs operations of the store as transactions on pools of connections to PostgreSQL.
 * One that fails because another transaction was in its way, or because the connection was lost, is run again if nothing
 * of it was stored.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { memoize } from '../../../engine/index.ts'
import { readingOnce } from '../database/batch-cache.ts'
import type { Seam } from '../database/fault-injection.ts'
import { Refused } from '../database/rollback-error.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { StoreBusy } from '../database/store-busy-error.ts'
import { createShares } from '../operations/shares.ts'
import { codeOfBusy, isOfTheMachine } from '../database/transient-errors.ts'
import { isCommitted, newCommitKey } from './commit-keys.ts'
import { connectionOn, errorOf } from './connection.ts'
import type { PostgresConnection } from './connection.ts'
import { ConnectionLost, PostgresRefused } from './errors.ts'
import type { HostPool } from './host-pool.ts'

/** How long an operation waits for a row that another one has locked. */
const LOCK_MS_MAX = 2_000
/** A server that stops in the middle of a transaction loses it. */
const IDLE_MS_MAX = 20_000
const beginWrite = (lockMsMax: number): readonly string[] => [
  // Whether it may write is for PostgreSQL to say: an operator who made it read-only means every server.
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  `SELECT set_config('lock_timeout', '${lockMsMax}', true), set_config('idle_in_transaction_session_timeout', '${IDLE_MS_MAX}', true)`,
]
const BEGIN_WRITE = beginWrite(LOCK_MS_MAX)
/** How long an operation keeps a connection beyond the share of its event while it waits for a locked row. */
const BORROWED_LOCK_MS_MAX = 200
const BEGIN_BORROWED = beginWrite(BORROWED_LOCK_MS_MAX)
const isLockTimeout = (error: unknown): boolean =>
  error instanceof PostgresRefused && error.code === '55P03'
const BEGIN_READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Connections for operations that write. */
export const WRITERS = 16
/** The share of an event: its operations that wait for locks keep no more, so that those of other events go on. */
const EVENT_CONNECTIONS = WRITERS / 4
/** How long an operation waits for a connection of this share. */
const TURN_MS_MAX = 5_000

/** How long PostgreSQL is asked whether an operation was stored, and how often. */
const LOOKED_UP_MS_MAX = 10_000
const LOOKED_UP_AGAIN_MS = 250

const ATTEMPTS_MAX = 5
/** Longest pause before the first repetition; it doubles with each. */
const AGAIN_MS = 10
/** The last check of a batch divides by zero where a seat is not there; see `Batch`. */
const NO_SEAT = '22012'
/** Serialization failure, deadlock, and a row that another transaction has just added. */
const IN_THE_WAY = /^(?:40001|40P01|23505)$/

type Work<T> = (sql: Sql) => Promise<T>
export type Transactions = {
  /** `event`: the event of the operation, or null if it concerns none or several. */
  write<T>(event: string | null, work: Work<T>): Promise<T>
  /** `isOnePacket`: all its statements are known at once, so that they share a packet with the end of the transaction. */
  read<T>(work: Work<T>, isOnePacket?: boolean): Promise<T>
  /** As `read`, for statements that are planned with their values. */
  list<T>(work: Work<T>): Promise<T>
  /** Returns the number of operations that are not finished. */
  waiting(): number
  /** Resolves when all operations are finished; new ones are refused. */
  settled(): Promise<void>
}

export function openTransactions({
  writing,
  reading,
  isPrepared,
  waitingMax,
  seam,
}: {
  readonly writing: HostPool
  readonly reading: HostPool
  readonly isPrepared: boolean
  readonly waitingMax: number
  readonly seam: Seam
}): Transactions {
  const unfinished = new Set<Promise<unknown>>()
  let isClosing = false
  const writingOn = memoize((client: pg.ClientBase) => connectionOn(client, isPrepared, seam))
  const begins = seam.lockMsMax === undefined ? BEGIN_WRITE : beginWrite(seam.lockMsMax)
  const shares = createShares({
    max: WRITERS,
    share: EVENT_CONNECTIONS,
    waitMsMax: seam.turnMsMax ?? TURN_MS_MAX,
  })
  const runWrite = <T>(work: Work<T>, beginTexts: readonly string[]): Promise<T> =>
    again((trustsSeats) => writeOnce(writing, writingOn, work, trustsSeats, beginTexts))
  const writeInTurn = async <T>(event: string, work: Work<T>, borrows: boolean): Promise<T> => {
    const turn = await shares.take(event, borrows)
    try {
      return await runWrite(work, turn.isBorrowed ? BEGIN_BORROWED : begins)
    } catch (error) {
      if (!turn.isBorrowed || !isLockTimeout(error)) throw error
    } finally {
      turn.end()
    }
    // It waits for the lock on a connection of the event's share.
    return writeInTurn(event, work, false)
  }

  const tracked = <T>(run: () => Promise<T>): Promise<T> => {
    if (isClosing) return Promise.reject(new StoreBusy('the store is closing'))
    if (unfinished.size >= waitingMax)
      return Promise.reject(new StoreBusy('too many requests wait for the database'))
    const running = run().catch((error: unknown) => {
      throw known(error)
    })
    unfinished.add(running)
    const finish = (): void => void unfinished.delete(running)
    running.then(finish, finish)
    return running
  }

  return {
    write: (event, work) =>
      tracked(() => (event === null ? runWrite(work, begins) : writeInTurn(event, work, true))),
    read: (work, isOnePacket = false) =>
      tracked(() => again(() => readOnce(reading, { isNamed: isPrepared, isOnePacket }, work))),
    list: (work) =>
      tracked(() => again(() => readOnce(reading, { isNamed: false, isOnePacket: false }, work))),
    waiting: () => unfinished.size,
    async settled() {
      isClosing = true
      await Promise.allSettled(unfinished)
    },
  }
}

/** An error after which the operation may be run again. */
class NotDone extends Error {
  readonly why: unknown
  constructor(why: unknown) {
    super('not done')
    this.why = why
  }
}

async function again<T>(run: (trustsSeats: boolean) => Promise<T>): Promise<T> {
  let trustsSeats = true
  for (let attempt = 1; ; attempt += 1)
    try {
      return await run(trustsSeats)
    } catch (error) {
      if (!(error instanceof NotDone)) throw error
      const isLost = error.why instanceof ConnectionLost
      if (error.why instanceof PostgresRefused && error.why.code === NO_SEAT) {
        trustsSeats = false
        continue
      }
      // A connection of the pool may have been cut off long ago; a second one that fails says that nothing answers.
      if (attempt >= (isLost ? 2 : ATTEMPTS_MAX)) throw error.why
      if (!isLost) await pause(randomInt(AGAIN_MS * 2 ** attempt))
    }
}

async function writeOnce<T>(
  pool: HostPool,
  writingOn: (client: pg.ClientBase) => PostgresConnection,
  work: Work<T>,
  trustsSeats: boolean,
  begins: readonly string[],
): Promise<T> {
  const client = await clientOf(pool)
  const connection = writingOn(client)
  connection.begin(begins, trustsSeats)
  const { sql } = connection
  let committing: { readonly key: string; readonly result: T } | null = null
  try {
    const result = await readingOnce(sql, () => work(sql))
    const key = connection.hasWritten() ? newCommitKey() : null
    if (key !== null) committing = { key, result }
    const commit = (): Promise<void> => connection.commit(key)
    const contended = connection.contended()
    await (contended === null ? commit() : fewAtOnce(contended, commit))
    client.release()
    return result
  } catch (error) {
    if (error instanceof ConnectionLost) {
      client.release(true)
      if (committing !== null && (await wasCommitted(pool, writingOn, committing.key, error)))
        return committing.result
      throw new NotDone(error)
    }
    await connection.rollBack()
    client.release()
    if (error instanceof Refused) return error.value as T
    const foreseen = connection.foreseen(error)
    if (foreseen !== null) return foreseen.result as T
    throw error instanceof PostgresRefused &&
      (IN_THE_WAY.test(error.code) || error.code === NO_SEAT)
      ? new NotDone(error)
      : error
  }
}

/** Commits of this server that lock the same rows at once: more would only wait in PostgreSQL, which costs it CPU time. */
const CONTENDED_MAX = 6
type Queue = { running: number; readonly waiting: (() => void)[] }
const queues = new Map<string, Queue>()

async function fewAtOnce<T>(key: string, run: () => Promise<T>): Promise<T> {
  const queue = queues.get(key) ?? { running: 0, waiting: [] }
  queues.set(key, queue)
  if (queue.running >= CONTENDED_MAX)
    await new Promise<void>((resolve) => queue.waiting.push(resolve))
  else queue.running += 1
  try {
    return await run()
  } finally {
    // The next one takes over the place of this one.
    const next = queue.waiting.shift()
    if (next === undefined) queue.running -= 1
    else next()
    if (queue.running === 0) queues.delete(key)
  }
}

/** Whether the operation whose connection was lost during COMMIT was stored; throws that loss if nobody can say. */
async function wasCommitted(
  pool: HostPool,
  writingOn: (client: pg.ClientBase) => PostgresConnection,
  key: string,
  loss: ConnectionLost,
): Promise<boolean> {
  for (const began = performance.now(); ;) {
    try {
      return await lookUpCommit(pool, writingOn, key)
    } catch (error) {
      const mayPass = error instanceof ConnectionLost || isOfTheMachine(error)
      if (!mayPass || performance.now() - began > LOOKED_UP_MS_MAX) throw loss
    }
    await pause(LOOKED_UP_AGAIN_MS)
  }
}

async function lookUpCommit(
  pool: HostPool,
  writingOn: (client: pg.ClientBase) => PostgresConnection,
  key: string,
): Promise<boolean> {
  const client = await clientOf(pool)
  const connection = writingOn(client)
  try {
    const answer = await isCommitted(connection, BEGIN_WRITE, key)
    client.release()
    return answer
  } catch (error) {
    const isLost = error instanceof ConnectionLost
    if (!isLost) await connection.rollBack()
    client.release(isLost)
    throw error
  }
}

async function readOnce<T>(
  pool: HostPool,
  { isNamed, isOnePacket }: { readonly isNamed: boolean; readonly isOnePacket: boolean },
  work: Work<T>,
): Promise<T> {
  const client = await clientOf(pool)
  const connection = isNamed ? readingOn(client) : unnamedOn(client)
  connection.begin([BEGIN_READ], false)
  try {
    const running = work(connection.sql)
    if (isOnePacket) connection.queue('COMMIT')
    const result = await running
    // How a transaction that has only read ends, nobody waits for.
    if (!isOnePacket) void connection.rollBack()
    client.release()
    return result
  } catch (error) {
    const isLost = error instanceof ConnectionLost
    if (!isLost) await connection.rollBack()
    client.release(isLost)
    throw isLost ? new NotDone(error) : error
  }
}

async function clientOf(pool: HostPool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw error instanceof StoreBusy ? error : errorOf(error, '')
  }
}

const readingOn = memoize((client: pg.ClientBase) => connectionOn(client, true))
const unnamedOn = memoize((client: pg.ClientBase) => connectionOn(client, false))

/** What a caller of the store is told: that it may try again, or that the store has a fault. */
function known(error: unknown): unknown {
  if (error instanceof StoreBusy) return error
  if (error instanceof ConnectionLost || isOfTheMachine(error))
    return new StoreBusy((error as Error).message, codeOfBusy(error))
  return error
}

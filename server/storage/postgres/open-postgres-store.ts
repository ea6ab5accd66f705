/** Opens the store on PostgreSQL, with connection pools and one transaction per operation. */
import { setTimeout as pause } from 'node:timers/promises'
import { createStoreReads } from '../operations/key-lookups.ts'
import { listings } from '../operations/list-queries.ts'
import type { InjectedFaults } from '../database/fault-injection.ts'
import { NoFurtherConnection, StoreBusy } from '../database/store-busy-error.ts'
import type { Store } from '../index.ts'
import { assembleStore } from '../operations/dispatch-operations.ts'
import type { OperationCallers, Reads } from '../operations/dispatch-operations.ts'
import { createEventFinder } from '../operations/event-of-operation.ts'
import { ROWS_TO_LOCK } from '../operations/locked-rows.ts'
import { writes } from '../operations/writes.ts'
import type { Operations } from '../operations/writes.ts'
import { buildClientOptions, MAX_CONNECT_MS } from './connection.ts'
import {
  RETRY_MS,
  preparePostgresDatabase,
  MAX_START_MS,
  retryUntilConnected,
} from './prepare-database.ts'
import { openHostPool } from './host-pool.ts'
import type { HostPool } from './host-pool.ts'
import { connect, createHostFinder } from './hosts.ts'
import { openTransactions, MAX_WRITERS } from './transactions.ts'
import { buildCleanupStatements } from './appended-counters.ts'
import { openWriteProbe } from './write-probe.ts'
import { openDatabaseUploads } from './uploads-in-database.ts'
import { openAttemptCounter } from './rate-limit-counts.ts'

/** The maximum number of operations waiting for a connection. */
const MAX_QUEUED_CALLS = 2_000
/** The number of connections for operations that only read. */
const READER_CONNECTIONS = 4
/** The number of connections reserved for files and rate limits. */
const FILE_CONNECTIONS = 4
const WRITES_BETWEEN_CLEANUPS = 500

export type OpenedPostgresStore = { readonly store: Store }

/** Opens the store. Tests can inject faults. */
export async function openPostgresStore({
  url,
  migrates = false,
  migratesAtStart = true,
  isNew = true,
  faults = {},
}: {
  readonly url: string
  readonly migrates?: boolean
  /** False: a database is refused if it does not have the tables of this version. */
  readonly migratesAtStart?: boolean
  /** True if missing tables may be created. */
  readonly isNew?: boolean
  readonly faults?: InjectedFaults
}): Promise<OpenedPostgresStore> {
  const { maxQueuedCalls = MAX_QUEUED_CALLS, maxStartMs = MAX_START_MS } = faults
  await preparePostgresDatabase(url, { migrates, migratesAtStart, isNew, waitsMs: maxStartMs })
  const hosts = createHostFinder(url)
  const { usesPreparedStatements: isPrepared } = hosts
  const { maxConnectionWaitMs } = faults
  const onNoFurtherConnection = (): void => recordRefusedConnection()
  const openPool = (max: number): HostPool =>
    openHostPool(hosts, (host) => ({ ...buildClientOptions(host), max }), {
      maxWaitMs: maxConnectionWaitMs,
      onNoFurtherConnection,
    })
  const [writerPool, readerPool] = [openPool(MAX_WRITERS), openPool(READER_CONNECTIONS)]
  const files = openHostPool(
    hosts,
    (host) => ({
      connectionString: host,
      max: FILE_CONNECTIONS,
      connectionTimeoutMillis: MAX_CONNECT_MS,
      keepAlive: true,
      application_name: 'rollcall',
    }),
    { onNoFurtherConnection },
  )
  const stopWatching = hosts.watch()
  const transactions = openTransactions({
    writing: writerPool,
    reading: readerPool,
    usesPreparedStatements: isPrepared,
    maxQueuedCalls,
    faults,
  })
  const { trackFailures, recordRefusedConnection, probe } = openWriteProbe({
    files,
    openConnection: async () => (await connect(await hosts.find())).end(),
    onReadOnly: () => hosts.markUnreliable(),
  })
  const uploads = openDatabaseUploads(files)
  let closed: Promise<void> | null = null
  const closeAll = async (): Promise<void> => {
    await transactions.drain()
    stopWatching()
    await Promise.all([writerPool.end(), readerPool.end(), files.end()])
  }
  let writeCount = 0
  /**
   * Runs the cleanup statements once every `WRITES_BETWEEN_CLEANUPS` writes. If a statement fails, it changes no
   * counters, and the next run repeats it.
   */
  const cleanUpOccasionally = (): void => {
    writeCount += 1
    if (writeCount % WRITES_BETWEEN_CLEANUPS !== 0) return
    for (const text of buildCleanupStatements()) files.query(text).catch(() => {})
  }
  const findEvent = createEventFinder()
  const operations = writes as unknown as Operations
  const locks = ROWS_TO_LOCK as unknown as Partial<Operations>
  const lists = listings as unknown as Operations
  const store = assembleStore({
    write: ((verb: string, ...args: never[]) =>
      trackFailures(
        transactions.write(findEvent(verb, args), async (sql) => {
          locks[verb]?.(sql, ...args)
          cleanUpOccasionally()
          return operations[verb]?.(sql, ...args)
        }),
      )) as OperationCallers['write'],
    list: ((verb: string, ...args: never[]) =>
      transactions.list(async (sql) => lists[verb]?.(sql, ...args))) as OperationCallers['list'],
    read: createReads(transactions.read),
    countWaitingCalls: transactions.countUnfinished,
    isShared: true,
    uploadStorage: {
      ...uploads,
      storeFile: (file, at) => trackFailures(uploads.storeFile(file, at)),
    },
    attemptCounter: openAttemptCounter(files),
    // PostgreSQL has no file that could be lost. Only a write shows whether it responds.
    findDatabaseLoss: () => null,
    rescue: () => Promise.reject(new Error('there is no file to rescue')),
    close: () => {
      closed ??= closeAll()
      return closed
    },
  })
  // Before it reports that it is ready, a server opens a connection of each kind, because PostgreSQL may have no free
  // connection later.
  if (migrates) {
    await retryUntilConnected(() => transactions.write(null, async () => {}), maxStartMs)
    await retryRead(() => store.adminCount(), maxStartMs)
  }
  return {
    store: {
      ...store,
      async ping(at) {
        const refusal = await probe().then(
          () => null,
          (error: unknown) => error,
        )
        if (refusal !== null && !(refusal instanceof NoFurtherConnection)) throw refusal
        await store.ping(at)
        if (refusal !== null) throw refusal
      },
    },
  }
}

/** Repeats a read until it succeeds or the time is up. */
async function retryRead(read: () => Promise<unknown>, waitsMs: number): Promise<void> {
  const startedAt = performance.now()
  for (;;)
    try {
      await read()
      return
    } catch (error) {
      if (!(error instanceof StoreBusy) || performance.now() - startedAt > waitsMs) throw error
      await pause(RETRY_MS)
    }
}

/** The look-ups that send all their statements before they await a result. */
const ONE_ROUND_TRIP_READS: ReadonlySet<string> = new Set<keyof Reads>([
  'account',
  'actions',
  'discountCode',
  'discountCodeOfRegistration',
  'document',
  'documents',
  'eventFile',
  'accessLink',
  'nearPage',
  'payment',
  'registration',
  'registrationByOrder',
  'registrationByKey',
  'session',
])

/** Creates the look-ups by key, each in a separate transaction. */
function createReads(
  read: <T>(
    task: (sql: Parameters<typeof createStoreReads>[0]) => Promise<T>,
    isOneRoundTrip: boolean,
  ) => Promise<T>,
): Reads {
  return new Proxy({} as Reads, {
    get:
      (_, verb) =>
      (...args: readonly unknown[]) =>
        read(
          async (sql) => {
            const lookUps = createStoreReads(sql) as Readonly<Record<string, unknown>>
            const lookUp = lookUps[String(verb)] as (...params: readonly unknown[]) => unknown
            return lookUp(...args)
          },
          ONE_ROUND_TRIP_READS.has(String(verb)),
        ),
  })
}

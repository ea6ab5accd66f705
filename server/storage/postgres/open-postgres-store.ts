/** Opens the store on PostgreSQL: one writer thread and some reader threads. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { reads } from '../operations/key-lookups.ts'
import type { listings } from '../operations/list-queries.ts'
import type { Seam } from '../database/fault-injection.ts'
import { NoFurtherConnection, StoreBusy } from '../database/store-busy-error.ts'
import type { Store } from '../index.ts'
import { startThread } from '../database/worker-client.ts'
import type { Thread } from '../database/worker-client.ts'
import { storeOf } from '../operations/dispatch-operations.ts'
import type { Reads } from '../operations/dispatch-operations.ts'
import type { writes } from '../operations/writes.ts'
import { AGAIN_MS, STARTING_MS_MAX } from './prepare-database.ts'
import { openProbing } from './write-probe.ts'
import { openProofs } from './uploads-in-database.ts'
import { openTries } from './rate-limit-counts.ts'
import type { WriterData } from './writer-worker.ts'

/** As for a file. */
const WAITING_MAX = 2_000
/** Threads that read: one list that takes long keeps nobody else waiting. */
const READERS = 2
/** Of the main thread, for files and for counting tries; nobody else waits for them. They end when nobody asks. */
const CONNECTIONS_MAX = 4
const CONNECT_MS_MAX = 10_000

export type InsidePostgres = { readonly store: Store; readonly writer: Thread<typeof writes> }

/** Opens the store with access to its writer, and with faults injected by tests. */
export async function openInsidePostgres({
  url,
  migrates = false,
  isNew = true,
  seam = {},
}: {
  readonly url: string
  readonly migrates?: boolean
  /** Whether tables may be made where there are none. */
  readonly isNew?: boolean
  readonly seam?: Seam
}): Promise<InsidePostgres> {
  const { waitingMax = WAITING_MAX, startingMsMax = STARTING_MS_MAX } = seam
  const data: WriterData = { url, migrates, isNew, seam }
  // The tables are there before anybody reads them.
  const writer = await startThread<typeof writes>({
    file: new URL('./writer-worker.ts', import.meta.url),
    data,
    waitingMax,
  })
  const readers = await Promise.all(
    Array.from({ length: READERS }, () =>
      startThread<typeof listings>({
        file: new URL('./reader-worker.ts', import.meta.url),
        data: { url },
        waitingMax,
        // Each is two threads and a connection; most of the time one is enough.
        whenAsked: true,
      }),
    ),
  )
  const free = (): Thread<typeof listings> =>
    readers.reduce((best, one) => (one.waiting() < best.waiting() ? one : best))
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
    application_name: 'rollcall',
  })
  // Without somebody who listens a failover would end the process, also while a connection is in use.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const { noting, probe } = openProbing(pool)
  const shelf = openProofs(pool)
  let closed: Promise<void> | null = null
  const closeAll = async (): Promise<void> => {
    await Promise.all([pool.end(), ...[writer, ...readers].map((thread) => thread.close())])
  }
  const store = storeOf({
    write: (verb, ...args) => noting(writer.call(verb, ...args)),
    list: (verb, ...args) => free().call(verb, ...args),
    read: asked((verb, args) => (free() as unknown as AnyThread).call(verb, ...args)),
    waiting: writer.waiting,
    isShared: true,
    proofs: { ...shelf, keep: (file, at) => noting(shelf.keep(file, at)) },
    tries: openTries(pool),
    // Whether it answers is found by writing; there is no file that could be another.
    lost: () => null,
    rescue: () => Promise.reject(new Error('there is no file to rescue')),
    close: () => {
      closed ??= closeAll()
      return closed
    },
  })
  if (migrates) await untilRead(() => store.adminCount(), startingMsMax)
  return {
    writer,
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

/** A server reads before it says that it is there: all connections may be taken by then. */
async function untilRead(read: () => Promise<unknown>, waitsMs: number): Promise<void> {
  const began = performance.now()
  for (;;)
    try {
      await read()
      return
    } catch (error) {
      if (!(error instanceof StoreBusy) || performance.now() - began > waitsMs) throw error
      await pause(AGAIN_MS)
    }
}

type AnyThread = { call(verb: string, ...args: readonly unknown[]): Promise<unknown> }

/** What is found by a key, asked of a thread by its name. */
function asked(call: (verb: string, args: readonly unknown[]) => Promise<unknown>): Reads {
  return new Proxy({} as ReturnType<typeof reads>, {
    get:
      (_, verb) =>
      (...args: readonly unknown[]) => {
        const last = args.findLastIndex((arg) => arg !== undefined)
        // What is left out is not sent: as JSON it would be null.
        return call(String(verb), args.slice(0, last + 1))
      },
  })
}

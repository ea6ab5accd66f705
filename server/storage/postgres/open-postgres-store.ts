/** Opens the store on PostgreSQL: two pools of connections, and a transaction for each operation. */
import { setTimeout as pause } from 'node:timers/promises'
import { reads } from '../operations/key-lookups.ts'
import { listings } from '../operations/list-queries.ts'
import type { Seam } from '../database/fault-injection.ts'
import { NoFurtherConnection, StoreBusy } from '../database/store-busy-error.ts'
import type { Store } from '../index.ts'
import { storeOf } from '../operations/dispatch-operations.ts'
import type { Doers, Reads } from '../operations/dispatch-operations.ts'
import { createEventFinder } from '../operations/event-of-operation.ts'
import { LOCKS } from '../operations/locked-rows.ts'
import { writes } from '../operations/writes.ts'
import type { Verbs } from '../operations/writes.ts'
import { clientOptions, CONNECT_MS_MAX } from './connection.ts'
import { AGAIN_MS, prepare, STARTING_MS_MAX, untilItTakesUs } from './prepare-database.ts'
import { openHostPool } from './host-pool.ts'
import type { HostPool } from './host-pool.ts'
import { openHosts } from './hosts.ts'
import { openTransactions, WRITERS } from './transactions.ts'
import { rollUp } from './appended-counters.ts'
import { openProbing } from './write-probe.ts'
import { openProofs } from './uploads-in-database.ts'
import { openTries } from './rate-limit-counts.ts'

/** Operations that may wait for a connection. */
const WAITING_MAX = 2_000
/** Connections for operations that only read. */
const READERS = 4
/** Connections for files and for rate limits; nothing else waits for them. */
const FILE_CONNECTIONS = 4
const WRITES_BETWEEN_ROLL_UPS = 500

export type InsidePostgres = { readonly store: Store }

/** Opens the store with faults injected by tests. */
export async function openInsidePostgres({
  url,
  migrates = false,
  migratesAtStart = true,
  isNew = true,
  seam = {},
}: {
  readonly url: string
  readonly migrates?: boolean
  /** False: a database without the tables of this version is refused. */
  readonly migratesAtStart?: boolean
  /** Whether tables may be made where there are none. */
  readonly isNew?: boolean
  readonly seam?: Seam
}): Promise<InsidePostgres> {
  const { waitingMax = WAITING_MAX, startingMsMax = STARTING_MS_MAX } = seam
  await prepare(url, { migrates, migratesAtStart, isNew, waitsMs: startingMsMax })
  const hosts = openHosts(url)
  const { isPrepared } = hosts
  const { turnMsMax } = seam
  const open = (max: number): HostPool =>
    openHostPool(hosts, (host) => ({ ...clientOptions(host), max }), turnMsMax)
  const [writing, reading] = [open(WRITERS), open(READERS)]
  const files = openHostPool(hosts, (host) => ({
    connectionString: host,
    max: FILE_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
    application_name: 'rollcall',
  }))
  const stopWatching = hosts.watch()
  const transactions = openTransactions({ writing, reading, isPrepared, waitingMax, seam })
  const { noting, probe } = openProbing(files, () => hosts.doubt())
  const shelf = openProofs(files)
  let closed: Promise<void> | null = null
  const closeAll = async (): Promise<void> => {
    await transactions.settled()
    stopWatching()
    await Promise.all([writing.end(), reading.end(), files.end()])
  }
  let written = 0
  /** A failure leaves the counters as they are: the next one adds them up. */
  const rollUpSometimes = (): void => {
    written += 1
    if (written % WRITES_BETWEEN_ROLL_UPS !== 0) return
    for (const text of rollUp()) files.query(text).catch(() => {})
  }
  const eventOf = createEventFinder()
  const verbs = writes as unknown as Verbs
  const locks = LOCKS as unknown as Partial<Verbs>
  const lists = listings as unknown as Verbs
  const store = storeOf({
    write: ((verb: string, ...args: never[]) =>
      noting(
        transactions.write(eventOf(verb, args), async (sql) => {
          locks[verb]?.(sql, ...args)
          rollUpSometimes()
          return verbs[verb]?.(sql, ...args)
        }),
      )) as Doers['write'],
    list: ((verb: string, ...args: never[]) =>
      transactions.list(async (sql) => lists[verb]?.(sql, ...args))) as Doers['list'],
    read: readsOn(transactions.read),
    waiting: transactions.waiting,
    isShared: true,
    proofs: { ...shelf, keep: (file, at) => noting(shelf.keep(file, at)) },
    tries: openTries(files),
    // Whether it answers is found by writing; there is no file that could be another.
    lost: () => null,
    rescue: () => Promise.reject(new Error('there is no file to rescue')),
    close: () => {
      closed ??= closeAll()
      return closed
    },
  })
  // A server has a connection of each kind before it says that it is there: all of them may be taken by then.
  if (migrates) {
    await untilItTakesUs(() => transactions.write(null, async () => {}), startingMsMax)
    await untilRead(() => store.adminCount(), startingMsMax)
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

/** Look-ups that know all their statements before they have the result of any. */
const IN_ONE_PACKET: ReadonlySet<string> = new Set<keyof Reads>([
  'account',
  'actions',
  'discountCode',
  'discountCodeOf',
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

/** Look-ups by key, each in a transaction of its own. */
function readsOn(
  read: <T>(
    work: (sql: Parameters<typeof reads>[0]) => Promise<T>,
    isOnePacket: boolean,
  ) => Promise<T>,
): Reads {
  return new Proxy({} as Reads, {
    get:
      (_, verb) =>
      (...args: readonly unknown[]) =>
        read(
          async (sql) => {
            const lookUps = reads(sql) as Readonly<Record<string, unknown>>
            const lookUp = lookUps[String(verb)] as (...given: readonly unknown[]) => unknown
            return lookUp(...args)
          },
          IN_ONE_PACKET.has(String(verb)),
        ),
  })
}

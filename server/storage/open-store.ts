/**
 * Opens the store.
 * On SQLite: the writer thread, the reader thread, and a connection of the main thread for look-ups by key.
 */
import { lstatSync, statSync } from 'node:fs'
import { keepPrivate } from '../ops/file-permissions.ts'
import { join } from 'node:path'
import { DATABASE_FILE, openToRead, statements } from './database/sqlite-connection.ts'
import { reads } from './operations/key-lookups.ts'
import type { listings } from './operations/list-queries.ts'
import { LostDatabase, lackOf, lostDatabase } from './recovery/missing-database.ts'
import {
  isLost,
  newShared,
  NO_FILE,
  openOwnFile,
  setLost,
  WRITTEN_OVER,
} from './recovery/detect-replaced-database.ts'
import { failedStart, holdDatabase } from './recovery/hold-database.ts'
import type { OwnFile } from './recovery/detect-replaced-database.ts'
import { wrongLogIn } from './recovery/inspect-log.ts'
import { forgetLostLog, lostLogIn, rescueInto } from './recovery/rescue-deleted-database.ts'
import type { Seam } from './database/fault-injection.ts'
import { StoreBusy } from './index.ts'
import type { Store } from './index.ts'
import { storeOf } from './operations/dispatch-operations.ts'
import { startThread } from './database/worker-client.ts'
import type { StartWorker, Thread } from './database/worker-client.ts'
import type { WriterData } from './database/writer-worker.ts'
import type { writes } from './operations/writes.ts'

/** Requests that may wait for the writer: about a second of its work. */
const WAITING_MAX = 2_000

export type Inside = {
  readonly store: Store
  readonly writer: Thread<typeof writes>
  readonly reader: Thread<typeof listings>
}

/**
 * Uses PostgreSQL if it has an address, else the file in the data folder. `migrates`: a database of an older
 * version is migrated, after a copy; otherwise it fails with a message. A folder that had a database and has none
 * fails too, unless `isNew`. An empty PostgreSQL gets its tables if `isNew`, or, where that is left out, if nothing is
 * migrated.
 */
export async function openStore({
  dataDir,
  databaseUrl = null,
  migrates = false,
  migratesAtStart = true,
  isNew,
  startWorker,
}: {
  readonly dataDir: string
  readonly databaseUrl?: string | null
  readonly migrates?: boolean
  /** False: a database of an older version fails with a message, also where `migrates`. */
  readonly migratesAtStart?: boolean
  readonly isNew?: boolean | undefined
  /** Where SQLite works; left out: in threads. */
  readonly startWorker?: StartWorker
}): Promise<Store> {
  if (databaseUrl === null) {
    // No command makes an empty database either, which the next start would take for the one that is missing.
    const lost = isNew === true ? null : lostDatabase(dataDir)
    if (lost !== null) throw new LostDatabase(lost)
    const inside = { dataDir, migrates, migratesAtStart }
    return (await openInside({ ...inside, ...(startWorker === undefined ? {} : { startWorker }) }))
      .store
  }
  const { openInsidePostgres } = await import('./postgres/open-postgres-store.ts')
  const mayCreate = isNew ?? !migrates
  const opening = { url: databaseUrl, migrates, migratesAtStart, isNew: mayCreate }
  return (await openInsidePostgres(opening)).store
}

/**
 * Opens the store with access to its threads, with injected faults, and with another place to work than threads.
 */
export async function openInside({
  dataDir,
  migrates = false,
  migratesAtStart = true,
  seam = {},
  startWorker,
}: {
  readonly dataDir: string
  readonly migrates?: boolean
  readonly migratesAtStart?: boolean
  readonly seam?: Seam
  readonly startWorker?: StartWorker
}): Promise<Inside> {
  keepPrivate(dataDir)
  const lostLog = lostLogIn(dataDir)
  if (lostLog !== null) throw lostLog
  forgetLostLog(dataDir)
  const wrongLog = wrongLogIn(dataDir)
  if (wrongLog !== null) throw wrongLog
  const file = join(dataDir, DATABASE_FILE)
  // A server keeps watch over its file; a command is there for a moment, beside a server that does. What lies elsewhere under a
  // link may be another server's too, which marks it.
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  const shared = migrates && !isLink ? newShared() : undefined
  const watched = shared === undefined ? {} : { shared }
  // Before anything else reads or writes it, so that it cannot be lost unnoticed from here on.
  const held =
    shared === undefined || lackOf(dataDir) !== null ? null : holdDatabase(dataDir, shared)
  const data: WriterData = {
    file,
    migrates,
    migratesAtStart,
    seam,
    mustExist: held !== null,
    ...watched,
  }
  const { waitingMax = WAITING_MAX } = seam
  const common = { waitingMax, ...(startWorker === undefined ? {} : { startWorker }) }
  const writing = startThread<typeof writes>({
    file: new URL('./database/writer-worker.ts', import.meta.url),
    data,
    ...common,
  })
  // Starting a thread takes longer than most commands run, and most list nothing. A server needs figures at once, so it
  // starts both threads together.
  const reading = startThread<typeof listings>({
    file: new URL('./database/reader-worker.ts', import.meta.url),
    data: { file, ...watched },
    startsAtFirstCall: !migrates,
    ...common,
  })
  const [writer, reader] = await bothOf(writing, reading).catch((error: unknown) => {
    throw held === null ? error : failedStart(held, error)
  })
  const db = held?.db ?? openToRead(file)
  const own = held?.own ?? (shared === undefined ? sameName(file) : openOwnFile(shared, file))
  own.watchLog()
  const read = reads(statements(db))
  let closed: Promise<void> | null = null
  const closeAll = async (): Promise<void> => {
    await Promise.all([writer.close(), reader.close()])
    db.close()
    own.close()
  }
  // The thread that writes has seen the file last.
  let isRefused = false
  const write: typeof writer.call = (verb, ...args) => {
    if (shared !== undefined && isLost(shared) && verb !== 'rescue')
      return Promise.reject(new StoreBusy(NO_FILE))
    const answer = writer.call(verb, ...args)
    answer.then(
      () => {
        isRefused = false
      },
      (error: unknown) => {
        if (error instanceof StoreBusy && error.message === NO_FILE) isRefused = true
      },
    )
    return answer
  }

  const store = storeOf({
    isShared: false,
    proofs: null,
    tries: null,
    write,
    list: reader.call,
    read,
    waiting: writer.waiting,
    lost: () => own.look() ?? (isRefused ? WRITTEN_OVER : null),
    rescue: async (plan) => {
      if (shared !== undefined) setLost(shared)
      // The connection that wrote holds more of it than any other.
      return writer.call('rescue', plan).catch(() => rescueInto(db, plan))
    },
    close: () => {
      closed ??= closeAll()
      return closed
    },
  })
  return { store, writer, reader }
}

function sameName(file: string): Pick<OwnFile, 'look'> & { watchLog(): void; close(): void } {
  const then = statSync(file)
  return {
    look: () => {
      const now = statSync(file, { throwIfNoEntry: false })
      return now?.ino === then.ino && now.dev === then.dev ? null : 'was deleted or replaced'
    },
    watchLog: () => {},
    close: () => {},
  }
}

/** If one thread fails to start, ends the other: a running thread would prevent the process from exiting. */
async function bothOf(
  writing: Promise<Thread<typeof writes>>,
  reading: Promise<Thread<typeof listings>>,
): Promise<[Thread<typeof writes>, Thread<typeof listings>]> {
  try {
    return await Promise.all([writing, reading])
  } catch (error) {
    for (const begun of await Promise.allSettled<{ close(): Promise<void> }>([writing, reading]))
      if (begun.status === 'fulfilled') await begun.value.close()
    throw error
  }
}

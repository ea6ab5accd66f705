/**
 * Opens the store.
 * On SQLite: the writer thread, the reader thread, and a connection of the main thread for look-ups by key.
 */
import { lstatSync, statSync } from 'node:fs'
import { makePrivate } from '../ops/file-permissions.ts'
import { join } from 'node:path'
import { DATABASE_FILE, openToRead, toSql } from './database/sqlite-connection.ts'
import { toReads } from './operations/key-lookups.ts'
import type { listings } from './operations/list-queries.ts'
import { LostDatabase, describeMissing, explainLostDatabase } from './recovery/missing-database.ts'
import {
  isLost,
  createSharedState,
  NO_FILE_MESSAGE,
  openOwnFile,
  setLost,
  OVERWRITTEN_MESSAGE,
} from './recovery/detect-replaced-database.ts'
import { explainFailedStart, holdDatabase } from './recovery/hold-database.ts'
import type { OwnDatabaseFile } from './recovery/detect-replaced-database.ts'
import { explainForeignLog } from './recovery/inspect-log.ts'
import { forgetLostLog, explainLostLog, rescueInto } from './recovery/rescue-deleted-database.ts'
import type { InjectedFaults } from './database/fault-injection.ts'
import { StoreBusy } from './index.ts'
import type { Store } from './index.ts'
import { storeOf } from './operations/dispatch-operations.ts'
import { startThread } from './database/worker-client.ts'
import type { StartWorker, Thread } from './database/worker-client.ts'
import type { WriterData } from './database/writer-worker.ts'
import type { writes } from './operations/writes.ts'

/** The maximum number of requests queued for the writer: about a second of its work. */
const CALLS_MAX = 2_000

export type OpenedStore = {
  readonly store: Store
  readonly writer: Thread<typeof writes>
  readonly reader: Thread<typeof listings>
}

/**
 * Uses PostgreSQL if it has an address, else the file in the data folder. `migrates`: a database of an older version is
 * migrated, after a copy; otherwise it fails with a message. Opening a folder whose database is missing fails
 * too, unless `isNew`. The tables of an empty PostgreSQL database are created if `isNew`, which defaults to true if
 * nothing is migrated.
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
  /** False if a database of an older version fails with a message, even with `migrates`. */
  readonly migratesAtStart?: boolean
  readonly isNew?: boolean | undefined
  /** Starts the code that uses SQLite; in threads if omitted. */
  readonly startWorker?: StartWorker
}): Promise<Store> {
  if (databaseUrl === null) {
    // Commands do not create an empty database either: the next start would mistake it for the missing one.
    const lossMessage = isNew === true ? null : explainLostDatabase(dataDir)
    if (lossMessage !== null) throw new LostDatabase(lossMessage)
    const sqliteOptions = { dataDir, migrates, migratesAtStart }
    return (
      await openInside({ ...sqliteOptions, ...(startWorker === undefined ? {} : { startWorker }) })
    ).store
  }
  const { openInsidePostgres } = await import('./postgres/open-postgres-store.ts')
  const mayCreate = isNew ?? !migrates
  const connectionOptions = { url: databaseUrl, migrates, migratesAtStart, isNew: mayCreate }
  return (await openInsidePostgres(connectionOptions)).store
}

/** Opens the store with access to its threads, with injected faults, and optionally without threads. */
export async function openInside({
  dataDir,
  migrates = false,
  migratesAtStart = true,
  faults = {},
  startWorker,
}: {
  readonly dataDir: string
  readonly migrates?: boolean
  readonly migratesAtStart?: boolean
  readonly faults?: InjectedFaults
  readonly startWorker?: StartWorker
}): Promise<OpenedStore> {
  makePrivate(dataDir)
  const lostLog = explainLostLog(dataDir)
  if (lostLog !== null) throw lostLog
  forgetLostLog(dataDir)
  const wrongLog = explainForeignLog(dataDir)
  if (wrongLog !== null) throw wrongLog
  const file = join(dataDir, DATABASE_FILE)
  // A server watches its file. A command runs briefly, possibly while a server runs. A linked file may also belong to
  // another server, which records its use.
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  const shared = migrates && !isLink ? createSharedState() : undefined
  const watchOptions = shared === undefined ? {} : { shared }
  // Runs before anything else reads or writes the database, so that its loss is always noticed.
  const heldDatabase =
    shared === undefined || describeMissing(dataDir) !== null ? null : holdDatabase(dataDir, shared)
  const data: WriterData = {
    file,
    migrates,
    migratesAtStart,
    faults,
    mustExist: heldDatabase !== null,
    ...watchOptions,
  }
  const { waitingMax = CALLS_MAX } = faults
  const threadOptions = { waitingMax, ...(startWorker === undefined ? {} : { startWorker }) }
  const startingWriter = startThread<typeof writes>({
    file: new URL('./database/writer-worker.ts', import.meta.url),
    data,
    ...threadOptions,
  })
  // Starting a thread takes longer than most commands run, and most commands list nothing. A server needs figures
  // immediately, so it starts both threads together.
  const startingReader = startThread<typeof listings>({
    file: new URL('./database/reader-worker.ts', import.meta.url),
    data: { file, ...watchOptions },
    startsAtFirstCall: !migrates,
    ...threadOptions,
  })
  const [writer, reader] = await openBoth(startingWriter, startingReader).catch(
    (error: unknown) => {
      throw heldDatabase === null ? error : explainFailedStart(heldDatabase, error)
    },
  )
  const db = heldDatabase?.db ?? openToRead(file)
  const ownDatabase =
    heldDatabase?.own ?? (shared === undefined ? watchInode(file) : openOwnFile(shared, file))
  ownDatabase.watchLog()
  const lookUps = toReads(toSql(db))
  let closed: Promise<void> | null = null
  const closeAll = async (): Promise<void> => {
    await Promise.all([writer.close(), reader.close()])
    db.close()
    ownDatabase.close()
  }
  // The writer thread used the file last.
  let isRefused = false
  const write: typeof writer.call = (verb, ...args) => {
    if (shared !== undefined && isLost(shared) && verb !== 'rescue')
      return Promise.reject(new StoreBusy(NO_FILE_MESSAGE))
    const result = writer.call(verb, ...args)
    result.then(
      () => {
        isRefused = false
      },
      (error: unknown) => {
        if (error instanceof StoreBusy && error.message === NO_FILE_MESSAGE) isRefused = true
      },
    )
    return result
  }

  const store = storeOf({
    isShared: false,
    proofs: null,
    tries: null,
    write,
    list: reader.call,
    read: lookUps,
    waiting: writer.waiting,
    lost: () => ownDatabase.findLoss() ?? (isRefused ? OVERWRITTEN_MESSAGE : null),
    rescue: async (plan) => {
      if (shared !== undefined) setLost(shared)
      // The writing connection holds more of the data than any other.
      return writer.call('rescue', plan).catch(() => rescueInto(db, plan))
    },
    close: () => {
      closed ??= closeAll()
      return closed
    },
  })
  return { store, writer, reader }
}

function watchInode(
  file: string,
): Pick<OwnDatabaseFile, 'findLoss'> & { watchLog(): void; close(): void } {
  const ownFile = statSync(file)
  return {
    findLoss: () => {
      const now = statSync(file, { throwIfNoEntry: false })
      return now?.ino === ownFile.ino && now.dev === ownFile.dev ? null : 'was deleted or replaced'
    },
    watchLog: () => {},
    close: () => {},
  }
}

/** If one thread fails to start, ends the other: a running thread would prevent the process from exiting. */
async function openBoth(
  writing: Promise<Thread<typeof writes>>,
  reading: Promise<Thread<typeof listings>>,
): Promise<[Thread<typeof writes>, Thread<typeof listings>]> {
  try {
    return await Promise.all([writing, reading])
  } catch (error) {
    for (const result of await Promise.allSettled<{ close(): Promise<void> }>([writing, reading]))
      if (result.status === 'fulfilled') await result.value.close()
    throw error
  }
}

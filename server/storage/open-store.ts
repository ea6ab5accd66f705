/**
 * Opens the store.
 * On SQLite it starts the writer and reader threads, and opens a connection on the main thread for look-ups by key.
 */
import { lstatSync, statSync } from 'node:fs'
import { makePrivate, requireParentFolder } from '../ops/file-permissions.ts'
import { join } from 'node:path'
import { DATABASE_FILE, openToRead, toSql } from './database/sqlite-connection.ts'
import { createStoreReads } from './operations/key-lookups.ts'
import type { listings } from './operations/list-queries.ts'
import { LostDatabase, describeMissing, explainLostDatabase } from './recovery/missing-database.ts'
import {
  isLost,
  createSharedState,
  NO_FILE_MESSAGE,
  openOwnFile,
  markAsLost,
  OVERWRITTEN_MESSAGE,
} from './recovery/detect-replaced-database.ts'
import { explainFailedStart, holdDatabase } from './recovery/hold-database.ts'
import type { OwnDatabaseFile } from './recovery/detect-replaced-database.ts'
import { explainForeignLog } from './recovery/inspect-log.ts'
import {
  removeLostLogMarker,
  explainLostLog,
  rescueInto,
} from './recovery/rescue-deleted-database.ts'
import type { InjectedFaults } from './database/fault-injection.ts'
import { StoreBusy } from './index.ts'
import type { Store } from './index.ts'
import { assembleStore } from './operations/dispatch-operations.ts'
import { startThread } from './database/worker-client.ts'
import type { StartWorker, Thread } from './database/worker-client.ts'
import type { WriterData } from './database/writer-worker.ts'
import type { writes } from './operations/writes.ts'

/** The maximum number of requests queued for the writer. It processes this many in about a second. */
const MAX_QUEUED_CALLS = 2_000

export type OpenedStore = {
  readonly store: Store
  readonly writer: Thread<typeof writes>
  readonly reader: Thread<typeof listings>
}

/**
 * Opens PostgreSQL if `databaseUrl` is set, otherwise the file in the data folder. `migrates`: a database of an older
 * version is copied and migrated; otherwise opening it fails with a message. `isNew`: a missing database file is
 * accepted, and the tables of an empty PostgreSQL database are created. If `isNew` is not set, a missing file makes
 * opening fail, and PostgreSQL's tables are created only without `migrates`.
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
  /** False: opening a database of an older version fails with a message, even if `migrates` is true. */
  readonly migratesAtStart?: boolean
  readonly isNew?: boolean | undefined
  /** Starts the code that uses SQLite. Default: in a thread. */
  readonly startWorker?: StartWorker
}): Promise<Store> {
  // With PostgreSQL too: uploads that are being received would otherwise create the folder.
  requireParentFolder(dataDir)
  if (databaseUrl === null) {
    // Commands do not create an empty database either: the next start of the server would mistake it for the missing
    // one.
    const lossMessage = isNew === true ? null : explainLostDatabase(dataDir)
    if (lossMessage !== null) throw new LostDatabase(lossMessage)
    const sqliteOptions = { dataDir, migrates, migratesAtStart }
    return (
      await openSqliteStore({
        ...sqliteOptions,
        ...(startWorker === undefined ? {} : { startWorker }),
      })
    ).store
  }
  const { openPostgresStore } = await import('./postgres/open-postgres-store.ts')
  const mayCreate = isNew ?? !migrates
  const connectionOptions = { url: databaseUrl, migrates, migratesAtStart, isNew: mayCreate }
  return (await openPostgresStore(connectionOptions)).store
}

/** Opens a SQLite store and returns it with its threads. For tests, it can inject faults and run without threads. */
export async function openSqliteStore({
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
  removeLostLogMarker(dataDir)
  const foreignLog = explainForeignLog(dataDir)
  if (foreignLog !== null) throw foreignLog
  const file = join(dataDir, DATABASE_FILE)
  // A server watches its file. A command does not: it runs briefly, and possibly at the same time as a server. A file
  // that is a link is not watched, because it may belong to another server, which records that it uses the file.
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  const sharedState = migrates && !isLink ? createSharedState() : undefined
  const watchOptions = sharedState === undefined ? {} : { shared: sharedState }
  // Runs before any other read or write of the database, so that a lost file is always detected.
  const heldDatabase =
    sharedState === undefined || describeMissing(dataDir) !== null
      ? null
      : holdDatabase(dataDir, sharedState)
  const data: WriterData = {
    file,
    migrates,
    migratesAtStart,
    faults,
    mustExist: heldDatabase !== null,
    ...watchOptions,
  }
  const { maxQueuedCalls = MAX_QUEUED_CALLS } = faults
  const threadOptions = {
    maxQueuedCalls,
    ...(startWorker === undefined ? {} : { startWorker }),
  }
  const startingWriter = startThread<typeof writes>({
    file: new URL('./database/writer-worker.ts', import.meta.url),
    data,
    ...threadOptions,
  })
  // Most commands need no lists, and starting a thread takes longer than running the command. A server needs its
  // dashboard figures immediately, so it starts both threads together.
  const startingReader = startThread<typeof listings>({
    file: new URL('./database/reader-worker.ts', import.meta.url),
    data: { file, ...watchOptions },
    startsAtFirstCall: !migrates,
    ...threadOptions,
  })
  const [writer, reader] = await waitForBothThreads(startingWriter, startingReader).catch(
    (error: unknown) => {
      throw heldDatabase === null ? error : explainFailedStart(heldDatabase, error)
    },
  )
  const db = heldDatabase?.db ?? openToRead(file)
  const openedFile =
    heldDatabase?.own ??
    (sharedState === undefined ? watchInode(file) : openOwnFile(sharedState, file))
  openedFile.watchLog()
  const lookUps = createStoreReads(toSql(db))
  let closing: Promise<void> | null = null
  const closeAll = async (): Promise<void> => {
    await Promise.all([writer.close(), reader.close()])
    db.close()
    openedFile.close()
  }
  // The writer thread checks the file on every write. If it refuses a write, the file was overwritten.
  let isRefused = false
  const write: typeof writer.call = (verb, ...args) => {
    if (sharedState !== undefined && isLost(sharedState) && verb !== 'rescue')
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

  const store = assembleStore({
    isShared: false,
    uploadStorage: null,
    attemptCounter: null,
    write,
    list: reader.call,
    read: lookUps,
    countWaitingCalls: writer.countWaitingCalls,
    findDatabaseLoss: () => openedFile.findLoss() ?? (isRefused ? OVERWRITTEN_MESSAGE : null),
    rescue: async (plan) => {
      if (sharedState !== undefined) markAsLost(sharedState)
      // Of all connections, the writer's can still read the most data.
      return writer.call('rescue', plan).catch(() => rescueInto(db, plan))
    },
    close: () => {
      closing ??= closeAll()
      return closing
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
      const currentFile = statSync(file, { throwIfNoEntry: false })
      return currentFile?.ino === ownFile.ino && currentFile.dev === ownFile.dev
        ? null
        : 'was deleted or replaced'
    },
    watchLog: () => {},
    close: () => {},
  }
}

/**
 * Waits until both threads have started. If one thread fails to start, closes the other, because a running thread
 * would prevent the process from exiting.
 */
async function waitForBothThreads(
  writerStart: Promise<Thread<typeof writes>>,
  readerStart: Promise<Thread<typeof listings>>,
): Promise<[Thread<typeof writes>, Thread<typeof listings>]> {
  try {
    return await Promise.all([writerStart, readerStart])
  } catch (error) {
    for (const result of await Promise.allSettled<{ close(): Promise<void> }>([
      writerStart,
      readerStart,
    ]))
      if (result.status === 'fulfilled') await result.value.close()
    throw error
  }
}

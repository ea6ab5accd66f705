/** Writer thread: owns the only write connection. Committing a batch takes one fsync. */
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { assert } from '../../../engine/index.ts'
import { onProgress } from '../../ops/progress.ts'
import { commitBatch, serveBatches } from './group-commit.ts'
import { closeAfterCheckpoint, openToWrite, toSql } from './sqlite-connection.ts'
import type { Connection } from './sqlite-connection.ts'
import { mapInOrder } from './in-order.ts'
import { migrateDatabase } from './migrate-with-safety-copy.ts'
import { applyFaults } from './fault-injection.ts'
import type { InjectedFaults } from './fault-injection.ts'
import { indexBatch, countUnindexed } from '../lists/search-index.ts'
import { NO_FILE_MESSAGE, watchOwnFile, setMark } from '../recovery/detect-replaced-database.ts'
import type { SharedState } from '../recovery/detect-replaced-database.ts'
import { saveMark } from '../recovery/inspect-log.ts'
import { getMessage } from '../operations/run-writes.ts'
import type { writes } from '../operations/writes.ts'
import { rescueInto } from '../recovery/rescue-deleted-database.ts'
import type { RescuePlan } from '../files/upload-and-clock-types.ts'
import type { WorkerResponse, MessageFromThread, Request } from './worker-client.ts'

/** The operation after which the log is copied into the file and truncated. */
const ERASE_OPERATION: keyof typeof writes = 'erasePersonalData'

export type WriterData = {
  readonly file: string
  readonly migrates: boolean
  /** If false, an older database is refused. */
  readonly migratesAtStart: boolean
  readonly faults: InjectedFaults
  /** True if the database existed before, so that no new one is created. Default: false. */
  readonly mustExist?: boolean
  /** Set by a server, which watches its database file. If omitted, the file is not watched. */
  readonly shared?: SharedState
}

/** Search indexing waits until no registration has arrived for this long. */
const IDLE_MS = 50
/** If more rows than this are unindexed, indexing does not wait: scanning them takes the reader 13 ms. */
const MAX_UNINDEXED_ROWS = 10_000
/** The interval between marks. A copy made less than this long ago cannot be told from the original. */
const MARK_INTERVAL_MS = 60_000

/** Opens the database, which may fail, and processes requests from the port until it is closed. */
export async function serve(
  port: MessagePort,
  { file, migrates, migratesAtStart, faults, mustExist = false, shared }: WriterData,
): Promise<void> {
  const fileWatch = shared === undefined ? null : watchOwnFile(shared, file)
  const assertNotReplaced = (): void =>
    assert(fileWatch === null || fileWatch.findLoss() === null, NO_FILE_MESSAGE)
  // A restarted thread must not create a new database to replace a lost one.
  assertNotReplaced()
  const db = openToWrite(file, { mustExist })
  assertNotReplaced()
  await migrateDatabase(db, file, { migrates, migratesAtStart })
  applyFaults(db, faults)
  // From here on, the writer writes to the file, which must still be the original one.
  assertNotReplaced()
  let markedAt = performance.now()
  function setNextMark(): void {
    if (shared === undefined) return
    markedAt = performance.now()
    const newMark = setMark(db, shared)
    if (newMark !== null) saveMark(file, newMark)
  }
  if (shared !== undefined) {
    setNextMark()
    db.pragma('wal_checkpoint(PASSIVE)')
  }
  const sql = toSql(db)
  const connection: Connection = {
    sql,
    get inTransaction() {
      return db.inTransaction
    },
  }
  let indexTimer: NodeJS.Timeout | null = null
  let hasCommitted = false

  const send = (message: MessageFromThread): void => port.postMessage(message)

  async function commit(batch: readonly Request[]): Promise<void> {
    if (fileWatch !== null && fileWatch.findLoss() !== null) {
      send({ responses: await mapInOrder(batch, respondWithoutDatabase) })
      return
    }
    // Allows the next start to detect that the log was deleted after this server was killed.
    if (fileWatch?.hasLastMark() === true) trySetNextMark()
    await commitBatch({ connection, faults, send }, batch)
    if (batch.some(({ verb }) => verb === ERASE_OPERATION)) truncateLog()
    hasCommitted = true
    indexTimer ??= setTimeout(() => void indexRegistrations(), IDLE_MS)
  }

  function trySetNextMark(): void {
    try {
      setNextMark()
    } catch {
      // The batch cannot be written either, and its error states the reason.
    }
  }

  /**
   * Responds to a request without writing to the file that has replaced the database. `rescue` saves the remaining data
   * in another file.
   */
  async function respondWithoutDatabase({ id, verb, args }: Request): Promise<WorkerResponse> {
    if (verb !== 'rescue') return { id, ok: false, busy: true, message: NO_FILE_MESSAGE }
    try {
      return { id, ok: true, value: await rescueInto(db, args[0] as RescuePlan) }
    } catch (error) {
      return { id, ok: false, busy: true, message: getMessage(error) }
    }
  }

  /**
   * Copies the log into the file and truncates it, because erased data remains in the log until then. If a reader is
   * active, this is postponed until the next erasure.
   */
  function truncateLog(): void {
    try {
      db.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // SQLite copies and overwrites the log later.
    }
  }

  /** Runs between batches, so that registrations barely have to wait. */
  async function indexRegistrations(): Promise<void> {
    const isIdle = !hasCommitted
    indexTimer = null
    hasCommitted = false
    let hasMore = true
    try {
      if (isIdle) updateMark()
      if (isIdle || (await countUnindexed(sql)) > MAX_UNINDEXED_ROWS)
        hasMore = await indexBatch(db, sql)
    } catch {
      // Searches still scan the unindexed rows, and the next write tries to index them again.
      return
    }
    if (hasMore) indexTimer = setTimeout(() => void indexRegistrations(), isIdle ? 0 : IDLE_MS)
  }

  function updateMark(): void {
    if (shared === undefined || fileWatch?.findLoss() !== null) return
    if (performance.now() - markedAt < MARK_INTERVAL_MS) return
    setNextMark()
  }

  serveBatches(port, {
    commit,
    close: () => {
      clearTimeout(indexTimer ?? undefined)
      // The log is all that remains of the lost data: it must not be copied into another file or truncated.
      if (fileWatch !== null && fileWatch.findLoss() !== null) db.close()
      else closeAfterCheckpoint(db)
    },
  })
  send({ ready: true })
}

if (parentPort !== null) {
  const port = parentPort
  // Commands display progress on the main thread.
  onProgress((progress) => port.postMessage({ progress } satisfies MessageFromThread))
  await serve(port, workerData as WriterData)
}

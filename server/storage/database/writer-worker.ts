/** Writer thread: owns the only writing connection; one commit of a batch is one fsync. */
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { assert } from '../../../engine/index.ts'
import { commitBatch, serveBatches } from './group-commit.ts'
import { closeWhole, openToWrite, statements } from './sqlite-connection.ts'
import type { Connection } from './sqlite-connection.ts'
import { mapInOrder } from './in-order.ts'
import { bringUpToDate } from './run-migrations.ts'
import { degrade } from './fault-injection.ts'
import type { Seam } from './fault-injection.ts'
import { indexBatch, unindexed } from '../lists/search-index.ts'
import { NO_FILE, ownFile, setMark } from '../recovery/detect-replaced-database.ts'
import type { Shared } from '../recovery/detect-replaced-database.ts'
import { noteMark } from '../recovery/inspect-log.ts'
import { messageOf } from '../operations/run-writes.ts'
import type { writes } from '../operations/writes.ts'
import { rescueInto } from '../recovery/rescue-deleted-database.ts'
import type { RescuePlan } from '../files/upload-and-clock-types.ts'
import type { Answer, MessageFromThread, Request } from './worker-client.ts'

/** The operation after which the log is copied and cut. */
const ERASING: keyof typeof writes = 'erasePersonalData'

export type WriterData = {
  readonly file: string
  readonly migrates: boolean
  /** False: an older database is refused. */
  readonly migratesAtStart: boolean
  readonly seam: Seam
  /** Whether there was a database: then no new one is created. Left out: no. */
  readonly mustExist?: boolean
  /** Set by a server, which watches its database file; left out: the file is not watched. */
  readonly shared?: Shared
}

/** Search indexing waits for a pause like this in registering … */
const QUIET_MS = 50
/** … unless so many rows are waiting that scanning them would be felt: 13 ms of the reader at this many. */
const UNINDEXED_ROWS_MAX = 10_000
/** How old a copy of the file can be without being known for one. */
const MARK_MS = 60_000

/** Opens the database, which may fail, and processes requests from the port until it is closed. */
export async function serve(
  port: MessagePort,
  { file, migrates, migratesAtStart, seam, mustExist = false, shared }: WriterData,
): Promise<void> {
  const own = shared === undefined ? null : ownFile(shared, file)
  const assertIsThere = (): void => assert(own === null || own.look() === null, NO_FILE)
  // A thread that begins anew must not make another database in the place of one that was lost.
  assertIsThere()
  const db = openToWrite(file, { mustExist })
  assertIsThere()
  await bringUpToDate(db, file, { migrates, migratesAtStart })
  degrade(db, seam)
  // What was migrated is copied into the file from here on, which must still be the same one.
  assertIsThere()
  let markedAt = performance.now()
  function setNextMark(): void {
    if (shared === undefined) return
    markedAt = performance.now()
    const mark = setMark(db, shared)
    if (mark !== null) noteMark(file, mark)
  }
  if (shared !== undefined) {
    setNextMark()
    db.pragma('wal_checkpoint(PASSIVE)')
  }
  const sql = statements(db)
  const connection: Connection = {
    sql,
    get inTransaction() {
      return db.inTransaction
    },
  }
  let indexing: NodeJS.Timeout | null = null
  let committed = false

  const send = (message: MessageFromThread): void => port.postMessage(message)

  async function commit(batch: readonly Request[]): Promise<void> {
    if (own !== null && own.look() !== null) {
      send({ answers: await mapInOrder(batch, withoutFile) })
      return
    }
    // So that a log which is deleted after the server was killed is missed at the next start.
    if (own?.hasLastMark() === true) setNextMarkIfRoom()
    await commitBatch({ connection, seam, send }, batch)
    if (batch.some(({ verb }) => verb === ERASING)) forgetLog()
    committed = true
    indexing ??= setTimeout(() => void index(), QUIET_MS)
  }

  function setNextMarkIfRoom(): void {
    try {
      setNextMark()
    } catch {
      // The batch, which cannot be written either, says why.
    }
  }

  /** Nothing is written into whatever lies there now; what is held still is written elsewhere. */
  async function withoutFile({ id, verb, args }: Request): Promise<Answer> {
    if (verb !== 'rescue') return { id, ok: false, busy: true, message: NO_FILE }
    try {
      return { id, ok: true, value: await rescueInto(db, args[0] as RescuePlan) }
    } catch (error) {
      return { id, ok: false, busy: true, message: messageOf(error) }
    }
  }

  /** Erased data stays in the log until it is copied and cut. A reader at this moment postpones that to the next time. */
  function forgetLog(): void {
    try {
      db.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // The log is copied and written over by itself, later.
    }
  }

  /** Between batches of commits, so that registering hardly waits for it. */
  async function index(): Promise<void> {
    const quiet = !committed
    indexing = null
    committed = false
    let more = true
    try {
      if (quiet) mark()
      if (quiet || (await unindexed(sql)) > UNINDEXED_ROWS_MAX) more = await indexBatch(db, sql)
    } catch {
      // Rows that are not indexed are still found, by the scan; the next write tries again.
      return
    }
    if (more) indexing = setTimeout(() => void index(), quiet ? 0 : QUIET_MS)
  }

  function mark(): void {
    if (shared === undefined || own?.look() !== null) return
    if (performance.now() - markedAt < MARK_MS) return
    setNextMark()
  }

  serveBatches(port, {
    commit,
    close: () => {
      clearTimeout(indexing ?? undefined)
      // The log is all there is of what was lost: it is neither copied into another file nor cut.
      if (own !== null && own.look() !== null) db.close()
      else closeWhole(db)
    },
  })
  send({ ready: true })
}

if (parentPort !== null) await serve(parentPort, workerData as WriterData)

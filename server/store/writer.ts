/** The writer thread: owns the only connection that writes; one commit of a batch is one fsync. */
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { commitBatch, serveBatches } from './batches.ts'
import { closeWhole, openToWrite, statements } from './database.ts'
import type { Connection } from './database.ts'
import { bringUpToDate } from './migrating.ts'
import { degrade } from './seam.ts'
import type { Seam } from './seam.ts'
import { indexBatch, unindexed } from './search.ts'
import type { FromThread, Request } from './thread.ts'

export type WriterData = { readonly file: string; readonly migrates: boolean; readonly seam: Seam }

/** Search indexing waits for a pause like this in registering … */
const QUIET_MS = 50
/** … unless so many rows are waiting that scanning them would be felt: 13 ms of the reader at this many. */
const UNINDEXED_ROWS_MAX = 10_000

/** Opens the database, which may fail, and does what comes through the port until that is closed. */
export function serve(port: MessagePort, { file, migrates, seam }: WriterData): void {
  const db = openToWrite(file)
  bringUpToDate(db, file, { migrates })
  degrade(db, seam)
  const sql = statements(db)
  const connection: Connection = {
    sql,
    get inTransaction() {
      return db.inTransaction
    },
  }
  let indexing: NodeJS.Timeout | null = null
  let committed = false

  const send = (message: FromThread): void => port.postMessage(message)

  function commit(batch: readonly Request[]): void {
    commitBatch({ connection, seam, send }, batch)
    if (batch.some(({ verb }) => verb === 'erase')) forgetLog()
    committed = true
    indexing ??= setTimeout(index, QUIET_MS)
  }

  /** What was erased stands in the log too until that is copied and cut. Somebody who reads just now keeps it until the next time. */
  function forgetLog(): void {
    try {
      db.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // The log is copied and written over by itself, later.
    }
  }

  /** Between batches of commits, so that registering hardly waits for it. */
  function index(): void {
    const quiet = !committed
    indexing = null
    committed = false
    let more = true
    try {
      if (quiet || unindexed(sql) > UNINDEXED_ROWS_MAX) more = indexBatch(db, sql)
    } catch {
      // Rows that are not indexed are still found, by the scan; the next write tries again.
      return
    }
    if (more) indexing = setTimeout(index, quiet ? 0 : QUIET_MS)
  }

  serveBatches(port, {
    commit,
    close: () => {
      clearTimeout(indexing ?? undefined)
      closeWhole(db)
    },
  })
  send({ ready: true })
}

if (parentPort !== null) serve(parentPort, workerData as WriterData)

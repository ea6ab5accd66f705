/** Keeps the database open from the moment the server starts, so that its data can be rescued after a loss. */
import path from 'node:path'
import type Database from 'better-sqlite3'
import { DATABASE_FILE, openToRead } from '../database/sqlite-connection.ts'
import { StoreBusy } from '../database/store-busy-error.ts'
import type { RescuedRows, RescuePlan } from '../files/upload-and-clock-types.ts'
import { NO_FILE_MESSAGE, openOwnFile } from './detect-replaced-database.ts'
import type { SharedState } from './detect-replaced-database.ts'
import { explainDamagedLog } from './inspect-log.ts'
import { LostDatabase, explainLostDatabase } from './missing-database.ts'
import { rescueInto } from './rescue-deleted-database.ts'

export type HeldDatabase = {
  readonly own: ReturnType<typeof openOwnFile>
  readonly db: Database.Database
}

/**
 * Thrown if the database was deleted, replaced or overwritten before the store was open. The caller rescues the data,
 * and then closes the database.
 */
export class DatabaseLostAtStart extends StoreBusy {
  readonly #held: HeldDatabase
  constructor(heldDatabase: HeldDatabase) {
    super(NO_FILE_MESSAGE)
    this.#held = heldDatabase
  }
  findDatabaseLoss(): Promise<string | null> {
    return Promise.resolve(this.#held.own.findLoss())
  }
  async rescue(plan: RescuePlan): Promise<RescuedRows> {
    return rescueInto(this.#held.db, plan)
  }
  close(): void {
    release(this.#held)
  }
}

/** Opens and holds the database, before any other code opens it. Throws the reason if it cannot be served. */
export function holdDatabase(dataDir: string, shared: SharedState): HeldDatabase {
  const file = path.join(dataDir, DATABASE_FILE)
  let ownDatabase: HeldDatabase['own'] | null = null
  let db: Database.Database | null = null
  let wasIntact = false
  try {
    ownDatabase = openOwnFile(shared, file)
    wasIntact = ownDatabase.findLoss() === null
    db = openToRead(file)
    // Reading also opens the log.
    ownDatabase.recordLogMark(Number(db.pragma('application_id', { simple: true })))
    const damageMessage = explainDamagedLog(dataDir)
    if (damageMessage === null) return { own: ownDatabase, db }
    throw damageMessage
  } catch (error) {
    if (ownDatabase !== null && db !== null && wasIntact && ownDatabase.findLoss() !== null)
      throw new DatabaseLostAtStart({ own: ownDatabase, db })
    db?.close()
    ownDatabase?.close()
    const lossMessage = explainLostDatabase(dataDir)
    if (lossMessage !== null) throw new LostDatabase(lossMessage)
    throw explainDamagedLog(dataDir) ?? error
  }
}

/**
 * Returns the reason why the server failed to start: the given error, or the loss of the database. A lost database
 * stays open until the caller closes it.
 */
export function explainFailedStart(heldDatabase: HeldDatabase, error: unknown): unknown {
  if (heldDatabase.own.findLoss() !== null) return new DatabaseLostAtStart(heldDatabase)
  release(heldDatabase)
  return error
}

function release({ own: ownDatabase, db }: HeldDatabase): void {
  db.close()
  ownDatabase.close()
}

/** Holds the database open from the first moment of a start, so that its data can be rescued if it is lost meanwhile. */
import path from 'node:path'
import type Database from 'better-sqlite3'
import { DATABASE_FILE, openToRead } from '../database/sqlite-connection.ts'
import { StoreBusy } from '../database/store-busy-error.ts'
import type { Rescued, RescuePlan } from '../files/upload-and-clock-types.ts'
import { NO_FILE, openOwnFile } from './detect-replaced-database.ts'
import type { Shared } from './detect-replaced-database.ts'
import { damagedLogIn } from './inspect-log.ts'
import { LostDatabase, lostDatabase } from './missing-database.ts'
import { rescueInto } from './rescue-deleted-database.ts'

export type Held = {
  readonly own: ReturnType<typeof openOwnFile>
  readonly db: Database.Database
}

/**
 * Thrown if the database was deleted, replaced or overwritten before the store was open. The caller rescues the data,
 * then closes it.
 */
export class LostWhileStarting extends StoreBusy {
  readonly #held: Held
  constructor(held: Held) {
    super(NO_FILE)
    this.#held = held
  }
  lost(): Promise<string | null> {
    return Promise.resolve(this.#held.own.look())
  }
  async rescue(plan: RescuePlan): Promise<Rescued> {
    return rescueInto(this.#held.db, plan)
  }
  close(): void {
    release(this.#held)
  }
}

/** Call it before anything else opens the database. Throws the reason if it cannot be served. */
export function holdDatabase(dataDir: string, shared: Shared): Held {
  const file = path.join(dataDir, DATABASE_FILE)
  let own: Held['own'] | null = null
  let db: Database.Database | null = null
  let wasDatabase = false
  try {
    own = openOwnFile(shared, file)
    wasDatabase = own.look() === null
    db = openToRead(file)
    // Reading opens the log, too.
    own.noteLogged(Number(db.pragma('application_id', { simple: true })))
    const damaged = damagedLogIn(dataDir)
    if (damaged === null) return { own, db }
    throw damaged
  } catch (error) {
    if (own !== null && db !== null && wasDatabase && own.look() !== null)
      throw new LostWhileStarting({ own, db })
    db?.close()
    own?.close()
    const lost = lostDatabase(dataDir)
    if (lost !== null) throw new LostDatabase(lost)
    throw damagedLogIn(dataDir) ?? error
  }
}

/** Returns why the start failed: the given error, or that the database was lost, which is held until that is closed. */
export function failedStart(held: Held, error: unknown): unknown {
  if (held.own.look() !== null) return new LostWhileStarting(held)
  release(held)
  return error
}

function release({ own, db }: Held): void {
  db.close()
  own.close()
}

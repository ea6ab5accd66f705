/** Copies databases while they are in use, checks copies, and counts rows for comparison. */
import { statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { readClockSeen } from './last-trusted-time.ts'
import { BUSY_MS, DATABASE_FILE, refuseEmpty, toSql } from '../database/sqlite-connection.ts'
import { createStoreReads } from '../operations/key-lookups.ts'
import type { NewEventFile } from '../index.ts'
import type { ClockSeen } from '../files/upload-and-clock-types.ts'
import { flatMapInOrder } from '../database/in-order.ts'
import { copyDatabaseTo } from '../database/migrate-with-safety-copy.ts'
import {
  findNewestRecordTime,
  findOpenRecovery,
  readNewestRecoveryTime,
  readNewestIds,
} from './begin-and-end-recovery.ts'
import { computeRecoveryFigures } from './recovery-figures.ts'
import type { RecoveryFigures } from './recovery-types.ts'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'

export type CopyCheck = {
  readonly version: number
  /** The number of rows per table, except counter and search-index tables. */
  readonly rows: Readonly<Record<string, number>>
  /** Hashes of the files to which registrations and drafts refer. */
  readonly files: readonly string[]
}

/** Copies a consistent snapshot of a data folder's database into one file. Throws SQLite's errors. */
export function copyDatabase(dataDir: string, target: string): void {
  refuseEmpty(path.join(dataDir, DATABASE_FILE))
  const db = new Database(path.join(dataDir, DATABASE_FILE), {
    readonly: true,
    fileMustExist: true,
    timeout: BUSY_MS,
  })
  try {
    copyDatabaseTo(db, target)
  } finally {
    db.close()
  }
}

/** Reads a database that no process writes to. Throws SQLite's error if the file is not a database. */
export function checkCopy(file: string): CopyCheck {
  return readFromDatabase(file, (db) => {
    const names = db
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%search%' ORDER BY name",
      )
      .all()
      .map(({ name }) => name)
    const count = (table: string): number =>
      Number(db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get())
    return {
      version: Number(db.pragma('user_version', { simple: true })),
      rows: Object.fromEntries(names.map((name) => [name, count(name)])),
      files: listFiles(db, new Set(names)),
    }
  })
}

/** Lists the hashes of referenced files. Works for every version, because an older database is backed up unchanged. */
function listFiles(db: Database.Database, tables: ReadonlySet<string>): readonly string[] {
  const hasDroppedAtColumn =
    db.prepare("SELECT 1 FROM pragma_table_info('uploads') WHERE name = 'dropped_at'").get() !==
    undefined
  const queries = [
    ...(tables.has('uploads')
      ? [`SELECT sha256 FROM uploads${hasDroppedAtColumn ? ' WHERE dropped_at IS NULL' : ''}`]
      : []),
    ...(tables.has('draft_proofs') ? ['SELECT sha256 FROM draft_proofs'] : []),
  ]
  return queries.length === 0
    ? []
    : db
        .prepare<[], { sha256: string }>(queries.join(' UNION '))
        .all()
        .map(({ sha256 }) => sha256)
}

/** Returns SQLite's description of the damage in a database. Null if it is not damaged. */
export function findDamage(file: string): string | null {
  const checkResult = readFromDatabase(file, (db) =>
    String(db.pragma('quick_check(1)', { simple: true })),
  )
  return checkResult === 'ok' ? null : checkResult
}

/**
 * Returns true if the database of a data folder is in recovery. Throws SQLite's errors, including those caused by an
 * older version.
 */
export function isInRecovery(dataDir: string): Promise<boolean> {
  return readFromStore(
    path.join(dataDir, DATABASE_FILE),
    async (db) => (await findOpenRecovery(toSql(db))) !== null,
  )
}

/**
 * Returns the identity and row counts of a database, the time of its newest record, and when its last recovery began.
 * Null if it cannot be read or has an older version.
 */
export async function readDatabaseSummary(file: string): Promise<
  | (Awaited<ReturnType<typeof readNewestIds>> & {
      readonly storedAt: Instant | null
      readonly recoveredAt: Instant | null
    })
  | null
> {
  try {
    return await readFromStore(file, async (db) => {
      const sql = toSql(db)
      return {
        ...(await readNewestIds(sql)),
        storedAt: await findNewestRecordTime(sql),
        recoveredAt: await readNewestRecoveryTime(sql),
      }
    })
  } catch {
    return null
  }
}

export type RescuedContents = {
  readonly registrations: number
  readonly progress: Awaited<ReturnType<typeof readNewestIds>>
  /** The reason for the open recovery. Null if no recovery is open. */
  readonly recoveryReason: string | null
  /** When the file was written. */
  readonly at: Instant
}
/** Returns null if the file cannot be read. */
export async function readRescuedContents(file: string): Promise<RescuedContents | null> {
  try {
    return await readFromStore(file, async (db) => ({
      registrations: Number(db.prepare('SELECT count(*) FROM registrations').pluck().get()),
      progress: await readNewestIds(toSql(db)),
      recoveryReason: (await findOpenRecovery(toSql(db)))?.why ?? null,
      at: instant(Math.floor(statSync(file).mtimeMs)),
    }))
  } catch {
    return null
  }
}

/** Returns the result of the store's `recoveryFigures` without opening a store. Throws SQLite's errors. */
export const readRecoveryFigures = (
  dataDir: string,
  eventsDueForErasure: readonly string[],
): Promise<RecoveryFigures> =>
  readFromStore(path.join(dataDir, DATABASE_FILE), (db) =>
    computeRecoveryFigures(toSql(db), eventsDueForErasure),
  )

/** Counts the rows that were stored in a data folder's database after the given time. */
export const countStoredSince = (
  dataDir: string,
  at: Instant,
): Readonly<Record<'registrations' | 'payments' | 'documents', number>> =>
  readFromDatabase(path.join(dataDir, DATABASE_FILE), (db) => {
    const count = (rows: string): number =>
      Number(db.prepare(`SELECT count(*) FROM ${rows} > ?`).pluck().get(at))
    return {
      registrations: count('registrations WHERE created_at'),
      payments: count('payments WHERE created_at'),
      documents: count("documents WHERE kind <> 'receipt' AND at"),
    }
  })

/**
 * Returns the clock state of a database of this version, including whether erasure is paused. Null if the clock has
 * never been checked against a recorded time.
 */
export const readLastSeenClock = (file: string): Promise<ClockSeen | null> =>
  readFromStore(file, (db) => readClockSeen(toSql(db)))

/** Returns the most recently served file of each event with registrations, from a database of this version. */
export const readFilesInUse = (file: string): Promise<ReadonlyMap<string, NewEventFile>> =>
  readFromStore(file, async (db) => {
    const { eventsServed, lastEventFile } = createStoreReads(toSql(db))
    const count = db.prepare('SELECT count(*) FROM registrations WHERE event_id = ?').pluck()
    const inUse = (await eventsServed()).filter((id) => Number(count.get(id)) > 0)
    return new Map(
      await flatMapInOrder(inUse, async (id) => {
        const lastFile = await lastEventFile(id)
        return lastFile === null ? [] : [[id, lastFile] as const]
      }),
    )
  })

function readFromDatabase<T>(file: string, read: (db: Database.Database) => T): T {
  const db = openCopy(file)
  try {
    return read(db)
  } finally {
    db.close()
  }
}

function openCopy(file: string): Database.Database {
  refuseEmpty(file)
  return new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS })
}

/** Like `readFromDatabase`, but for functions of the store. */
async function readFromStore<T>(
  file: string,
  read: (db: Database.Database) => Promise<T>,
): Promise<T> {
  const db = openCopy(file)
  try {
    return await read(db)
  } finally {
    db.close()
  }
}

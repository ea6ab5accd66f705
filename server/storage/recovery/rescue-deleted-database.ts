/** Rescues the data of a database that was deleted, replaced or overwritten while in use. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE, runInTransaction, toSql } from '../database/sqlite-connection.ts'
import type { RescuedRows, RescuePlan } from '../files/upload-and-clock-types.ts'
import { copyDatabaseTo } from '../database/migrate-with-safety-copy.ts'
import { createTables } from '../database/schema.ts'
import { beginRecovery } from './begin-and-end-recovery.ts'
import { findFreeRescuedName, saveOwner, SPARE_PREFIX } from './rescued-databases.ts'

// Only the connection that is still open can read the data, so it writes the data to a separate file.

/** The length of a log's header, which differs between databases. */
const LOG_HEADER_BYTES = 32
/** A file in the data folder that identifies the log of a database that no longer exists. */
const LOST_MARKER_FILE = 'rollcall.lost'
/** If a table cannot be read from beginning to end, at most this number of rows is read by id. */
const MAX_ROWS_BY_ID = 2_000_000

/**
 * Writes all data in `db` to the data folder, or else to a new folder in the first writable spare folder. If none is
 * writable, throws the error for the data folder.
 */
export async function rescueInto(db: Database.Database, plan: RescuePlan): Promise<RescuedRows> {
  markLostLog(plan.dataDir)
  try {
    mkdirSync(plan.dataDir, { recursive: true, mode: 0o700 })
    return await rescueIntoFolder(db, plan.dataDir, plan)
  } catch (error) {
    for (const spareDir of plan.spareDirs) {
      const rescuedFile = await rescueIntoSpare(db, spareDir, plan)
      if (rescuedFile !== null) return rescuedFile
    }
    throw error
  }
}

/** Returns null if this folder is not writable either. */
async function rescueIntoSpare(
  db: Database.Database,
  spareDir: string,
  plan: RescuePlan,
): Promise<RescuedRows | null> {
  let folder: string | null = null
  try {
    folder = mkdtempSync(path.join(spareDir, SPARE_PREFIX))
    saveOwner(folder, plan.dataDir)
    return await rescueIntoFolder(db, folder, plan)
  } catch {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
    return null
  }
}

/** Creates the complete file, or none. */
async function rescueIntoFolder(
  db: Database.Database,
  folder: string,
  { recovery }: Pick<RescuePlan, 'recovery'>,
): Promise<RescuedRows> {
  const file = findFreeRescuedName(folder)
  const part = `${file}.part`
  rmSync(part, { force: true })
  // A read-only connection cannot write copies either.
  db.pragma('query_only = OFF')
  try {
    const isComplete = copyDatabase(db, part)
    if (!isComplete) {
      rmSync(part, { force: true })
      copyRows(db, part)
      // If rows are missing and no recovery begins, invoice numbers are issued again, whichever server uses the file.
      const copy = new Database(part)
      try {
        await runInTransaction(copy, () => beginRecovery(toSql(copy), recovery, null))
      } finally {
        copy.close()
      }
    }
    const rows = countRowsInFile(part)
    sync(part)
    // A rename would overwrite a file that was created under the same name in the meantime.
    linkSync(part, file)
    rmSync(part)
    sync(folder)
    return { file, rows, isComplete: isComplete }
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

function sync(location: string): void {
  const fd = openSync(location, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Returns false if the data that `db` can still read is not a complete database. */
function copyDatabase(db: Database.Database, part: string): boolean {
  try {
    if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') return false
    copyDatabaseTo(db, part)
    const sourceCounts = countRows(db)
    const copyCounts = countRowsInFile(part)
    return (
      Object.keys(sourceCounts).every((table) => sourceCounts[table] === copyCounts[table]) &&
      isCompleteDatabase(part)
    )
  } catch {
    // After an error, for example in the full-text index, individual rows may still be readable.
    return false
  }
}

function isCompleteDatabase(file: string): boolean {
  return readFromDatabase(file, (db) => db.pragma('integrity_check(1)', { simple: true }) === 'ok')
}

const countRowsInFile = (file: string): Readonly<Record<string, number>> =>
  readFromDatabase(file, countRows)

function countRows(db: Database.Database): Readonly<Record<string, number>> {
  return Object.fromEntries(
    listTables(db).map((table) => [
      table,
      Number(db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get()),
    ]),
  )
}

function listTables(db: Database.Database): readonly string[] {
  return db
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%search%' ORDER BY name",
    )
    .all()
    .map(({ name }) => name)
}

function readFromDatabase<T>(file: string, read: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

function writeToDatabase(file: string, write: (db: Database.Database) => void): void {
  const db = new Database(file)
  try {
    write(db)
  } finally {
    db.close()
  }
}

/**
 * Copies row by row into new tables. Skips unreadable rows. Also skips the search index, because the next server
 * rebuilds it.
 */
function copyRows(db: Database.Database, part: string): void {
  writeToDatabase(part, (copy) => {
    createTables(copy)
    copy.pragma('foreign_keys = OFF')
    const tables = listTables(copy)
    const triggers = copy
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
      )
      .all()
    for (const { name } of triggers) copy.exec(`DROP TRIGGER ${name}`)
    copy.exec('BEGIN')
    for (const table of tables) copyTable(db, copy, table)
    for (const { sql } of triggers) copy.exec(sql)
    copy.exec('COMMIT')
  })
}

/** Returns true if the target is at fault. The row must not be skipped then, because it could be read. */
const isLocationError = (error: unknown): boolean =>
  error instanceof Database.SqliteError &&
  /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOMEM)/.test(error.code)

/** Thrown when a row could be read but not written. */
class LocationError extends Error {
  constructor(cause: unknown) {
    super('the row cannot be written', { cause })
  }
}

type Row = Readonly<Record<string, unknown>>

function copyTable(db: Database.Database, copy: Database.Database, table: string): void {
  const columns = copy
    .prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => name)
  const names = columns.map((name) => `"${name}"`).join(', ')
  const insertRow = copy.prepare(
    `INSERT OR IGNORE INTO "${table}" (${names}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
  )
  let isEmptied = false
  const saveRow = (row: Row): void => {
    // Rows that migrations have inserted would conflict with the rows from the database.
    if (!isEmptied) copy.exec(`DELETE FROM "${table}"`)
    isEmptied = true
    try {
      insertRow.run(row)
    } catch (error) {
      if (isLocationError(error)) throw new LocationError(error)
      // Rows that the tables reject come from the file that was copied over the database.
    }
  }
  const tryRead = <T>(readRows: () => T): T | null => {
    try {
      return readRows()
    } catch (error) {
      if (error instanceof LocationError) throw error.cause
      return null
    }
  }
  const allRows = tryRead(() => {
    for (const row of db.prepare<[], Row>(`SELECT ${names} FROM "${table}"`).iterate()) saveRow(row)
    return true
  })
  if (allRows === true) return
  // This connection wrote the newest rows, so these are the most likely to be readable.
  const lastId = tryRead(() =>
    Number(db.prepare(`SELECT max(rowid) FROM "${table}"`).pluck().get() ?? 0),
  )
  if (lastId === null) return
  const selectRow = db.prepare<[number], Row>(`SELECT ${names} FROM "${table}" WHERE rowid = ?`)
  for (let id = lastId; id > 0 && id > lastId - MAX_ROWS_BY_ID; id -= 1) {
    const row = tryRead(() => selectRow.get(id))
    if (row !== null && row !== undefined) saveRow(row)
  }
}

/**
 * Marks the log as belonging to the lost database. Together with the new database file, it would form a damaged one.
 */
function markLostLog(folder: string): void {
  try {
    const header = readLogHeader(folder)
    if (header !== null) writeFileSync(path.join(folder, LOST_MARKER_FILE), header, { flush: true })
  } catch {
    // If there is no space for the marker, the data is still rescued.
  }
}

/** Returns null if there is no log, or if it is empty. */
function readLogHeader(folder: string): string | null {
  const log = path.join(folder, `${DATABASE_FILE}-wal`)
  if (!existsSync(log)) return null
  const fd = openSync(log, 'r')
  try {
    const bytes = Buffer.alloc(LOG_HEADER_BYTES)
    return readSync(fd, bytes, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES
      ? null
      : bytes.toString('hex')
  } finally {
    closeSync(fd)
  }
}

/**
 * Explains that a server must not open the database in a data folder, because the log there belongs to a lost database.
 * Null if the server may open it. Call this while no process has the database open.
 */
export function explainLostLog(dataDir: string): Error | null {
  const markerFile = path.join(dataDir, LOST_MARKER_FILE)
  if (!existsSync(markerFile) || readLogHeader(dataDir) !== readFileSync(markerFile, 'utf8'))
    return null
  return new Error(
    `The database ${DATABASE_FILE} in ${dataDir} was deleted, replaced or overwritten while a server used it. ${DATABASE_FILE}-wal is the log of the previous database and would damage another one. Move ${DATABASE_FILE}-wal and ${DATABASE_FILE}-shm into another folder, put rollcall.rescued.db, which that server wrote, in the place of ${DATABASE_FILE}, and start again.`,
  )
}

/** Removes the marker of a lost log. Call this when the log is known to belong to the current database. */
export const removeLostLogMarker = (dataDir: string): void =>
  rmSync(path.join(dataDir, LOST_MARKER_FILE), { force: true })

/**
 * Rescues the data of a database that was deleted, replaced or overwritten while in use.
 * It is written to a separate file from the open connection, because no other can find it again.
 */
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
import { DATABASE_FILE, inTransaction, statements } from '../database/sqlite-connection.ts'
import type { Rescued, RescuePlan } from '../files/upload-and-clock-types.ts'
import { copyTo } from '../database/run-migrations.ts'
import { createTables } from '../database/schema.ts'
import { beginRecovery } from './begin-and-end-recovery.ts'
import { freeRescuedName, noteOwner, SPARE_PREFIX } from './rescued-databases.ts'

/** What the log of a database begins with; other logs begin otherwise. */
const LOG_HEADER_BYTES = 32
/** Beside the database: of which log it is known that it belongs to no file any more. */
const LOST_FILE = 'rollcall.lost'
/** Rows are looked for by their numbers where a table cannot be read from one end to the other, so many at most. */
const NUMBERS_MAX = 2_000_000

/**
 * Writes all data of `db` into the data folder, or into a new folder in the first of the spare ones that takes it.
 * Throws the error of the data folder if none does.
 */
export async function rescueInto(db: Database.Database, plan: RescuePlan): Promise<Rescued> {
  noteLostLog(plan.dataDir)
  try {
    mkdirSync(plan.dataDir, { recursive: true, mode: 0o700 })
    return await rescueTo(db, plan.dataDir, plan)
  } catch (error) {
    for (const spare of plan.spareDirs) {
      const rescued = await rescueIntoSpare(db, spare, plan)
      if (rescued !== null) return rescued
    }
    throw error
  }
}

/** Null: that folder does not take it either. */
async function rescueIntoSpare(
  db: Database.Database,
  spare: string,
  plan: RescuePlan,
): Promise<Rescued | null> {
  let folder: string | null = null
  try {
    folder = mkdtempSync(path.join(spare, SPARE_PREFIX))
    noteOwner(folder, plan.dataDir)
    return await rescueTo(db, folder, plan)
  } catch {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
    return null
  }
}

/** Completely under its name or not at all. */
async function rescueTo(
  db: Database.Database,
  folder: string,
  { recovery }: Pick<RescuePlan, 'recovery'>,
): Promise<Rescued> {
  const file = freeRescuedName(folder)
  const part = `${file}.part`
  rmSync(part, { force: true })
  // A connection that only reads writes no copy either.
  db.pragma('query_only = OFF')
  try {
    const isWhole = copyWhole(db, part)
    if (!isWhole) {
      rmSync(part, { force: true })
      copyRows(db, part)
      // Without the missing rows, invoice numbers would be issued again, wherever the file is put.
      const copy = new Database(part)
      try {
        await inTransaction(copy, () => beginRecovery(statements(copy), recovery, null))
      } finally {
        copy.close()
      }
    }
    const rows = rowsIn(part)
    sync(part)
    // A rename would write over what has come under that name meanwhile.
    linkSync(part, file)
    rmSync(part)
    sync(folder)
    return { file, rows, isWhole }
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

function sync(place: string): void {
  const fd = openSync(place, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** False: what `db` reads is no whole database any more. */
function copyWhole(db: Database.Database, part: string): boolean {
  try {
    if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') return false
    copyTo(db, part)
    const counted = countsOf(db)
    const copied = rowsIn(part)
    return (
      Object.keys(counted).every((table) => counted[table] === copied[table]) &&
      isWholeDatabase(part)
    )
  } catch {
    // Whatever it was (a full-text index that cannot be read, for one), the rows may still be read one by one.
    return false
  }
}

function isWholeDatabase(file: string): boolean {
  return reading(file, (db) => db.pragma('integrity_check(1)', { simple: true }) === 'ok')
}

const rowsIn = (file: string): Readonly<Record<string, number>> => reading(file, countsOf)

function countsOf(db: Database.Database): Readonly<Record<string, number>> {
  return Object.fromEntries(
    tablesOf(db).map((table) => [
      table,
      Number(db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get()),
    ]),
  )
}

function tablesOf(db: Database.Database): readonly string[] {
  return db
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%search%' ORDER BY name",
    )
    .all()
    .map(({ name }) => name)
}

function reading<T>(file: string, read: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

function inDatabase(file: string, write: (db: Database.Database) => void): void {
  const db = new Database(file)
  try {
    write(db)
  } finally {
    db.close()
  }
}

/**
 * Row by row, into tables made anew: what has become unreadable is left out, and so is the search index, which the
 * next server fills again.
 */
function copyRows(db: Database.Database, part: string): void {
  inDatabase(part, (copy) => {
    createTables(copy)
    copy.pragma('foreign_keys = OFF')
    const tables = tablesOf(copy)
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

/** An error of the place that is written to: leaving the row out would lose it although it can be read. */
const isOfPlace = (error: unknown): boolean =>
  error instanceof Database.SqliteError &&
  /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOMEM)/.test(error.code)

/** The row could be read and not written. */
class NoPlace extends Error {
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
  const add = copy.prepare(
    `INSERT OR IGNORE INTO "${table}" (${names}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
  )
  let isEmptied = false
  const keep = (row: Row): void => {
    // What the migrations have put there would stand in the way of the rows of the database.
    if (!isEmptied) copy.exec(`DELETE FROM "${table}"`)
    isEmptied = true
    try {
      add.run(row)
    } catch (error) {
      if (isOfPlace(error)) throw new NoPlace(error)
      // What the tables refuse is no row of theirs: it came from whatever was copied over the database.
    }
  }
  const read = <T>(look: () => T): T | null => {
    try {
      return look()
    } catch (error) {
      if (error instanceof NoPlace) throw error.cause
      return null
    }
  }
  const all = read(() => {
    for (const row of db.prepare<[], Row>(`SELECT ${names} FROM "${table}"`).iterate()) keep(row)
    return true
  })
  if (all === true) return
  // The newest, which the connection itself wrote, are most likely there.
  const last = read(() =>
    Number(db.prepare(`SELECT max(rowid) FROM "${table}"`).pluck().get() ?? 0),
  )
  if (last === null) return
  const one = db.prepare<[number], Row>(`SELECT ${names} FROM "${table}" WHERE rowid = ?`)
  for (let number = last; number > 0 && number > last - NUMBERS_MAX; number -= 1) {
    const row = read(() => one.get(number))
    if (row !== null && row !== undefined) keep(row)
  }
}

/** The log that lies there belongs to the database that was lost: with whatever lies there as the database now it would make a damaged one. */
function noteLostLog(folder: string): void {
  try {
    const header = logHeaderIn(folder)
    if (header !== null) writeFileSync(path.join(folder, LOST_FILE), header, { flush: true })
  } catch {
    // Without room for the note the data is rescued all the same.
  }
}

/** Null: there is no log, or an empty one. */
function logHeaderIn(folder: string): string | null {
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
 * Explains why a server must not open the database in a data folder: the log beside it belongs to a lost one.
 * Call it while no process has it open.
 */
export function lostLogIn(dataDir: string): Error | null {
  const noted = path.join(dataDir, LOST_FILE)
  if (!existsSync(noted) || logHeaderIn(dataDir) !== readFileSync(noted, 'utf8')) return null
  return new Error(
    `The database ${DATABASE_FILE} in ${dataDir} was deleted, replaced or written over while a server used it. ${DATABASE_FILE}-wal is the log of the database before; with another database it would make a damaged one. Move ${DATABASE_FILE}-wal and ${DATABASE_FILE}-shm into another folder, put rollcall.rescued.db, which that server wrote, in the place of ${DATABASE_FILE}, and start again.`,
  )
}

/** Call it once the log is known to be another one. */
export const forgetLostLog = (dataDir: string): void =>
  rmSync(path.join(dataDir, LOST_FILE), { force: true })

/** Decides when a database is migrated to this version, and copies it first. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from './sqlite-connection.ts'
import { migrate, migrations, newerVersion, parseVersion, reportedVersion } from './schema.ts'

export type Versions = {
  /** Null: there is no database yet. */
  readonly found: number | null
  readonly known: number
}

/**
 * Returns the version of the database in a data folder without changing anything. Throws SQLite's error if the
 * file is not a database.
 */
export function versionsIn(dataDir: string): Versions {
  const file = path.join(dataDir, DATABASE_FILE)
  const known = migrations.length
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) return { found: null, known }
  // Opening an empty file would delete the log beside it, which may hold everything.
  if (size === 0) return { found: 0, known }
  const db = new Database(file, { readonly: true })
  try {
    return { found: reportedVersion(storedVersion(db), known), known }
  } finally {
    db.close()
  }
}

type Permission = {
  /** A server, or the command that migrates. */
  readonly migrates: boolean
  /** False: a server that must leave the migration to the command. */
  readonly migratesAtStart: boolean
}

/**
 * Creates the tables in an empty file. A database of another version is migrated only with both permissions, and after
 * a copy beside it; otherwise it fails with a message, because an older server may be running on it. Returns the
 * path of the copy.
 */
export async function bringUpToDate(
  db: Database.Database,
  file: string,
  { migrates, migratesAtStart }: Permission,
): Promise<string | null> {
  const stored = storedVersion(db)
  const known = migrations.length
  if (stored === known) return null
  const found = reportedVersion(stored, known)
  if (found > known) throw newerVersion(found)
  if (stored === 0) {
    await migrate(db)
    return null
  }
  if (!migrates) throw olderVersion(found)
  if (!migratesAtStart) throw notAtStart(found, known)
  const copy = path.join(path.dirname(file), `rollcall.before-v${known}.db`)
  // A migration that was interrupted has made the copy; the file has changed since.
  const isInterrupted = parseVersion(stored).from !== null
  if (!isInterrupted || !existsSync(copy)) copyTo(db, copy)
  await migrate(db)
  return copy
}

/**
 * Copies the whole database at this moment into one file, while others read and write. Throws SQLite's errors; an
 * incomplete copy leaves nothing, and an older file of the same name stays until the copy is complete.
 */
export function copyTo(db: Database.Database, copy: string): void {
  const part = `${copy}.part`
  rmSync(part, { force: true })
  try {
    db.prepare('VACUUM INTO ?').run(part)
    withoutMark(part)
    renameSync(part, copy)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** A server knows its own file by a mark (detect-replaced-database.ts): a copy that is put over it must not have that. */
function withoutMark(copy: string): void {
  const db = new Database(copy)
  try {
    db.pragma('application_id = 0')
  } finally {
    db.close()
  }
}

/** Why a server does not start on an older database. */
export function notAtStart(found: number, known: number): Error {
  return new Error(
    `The database has version ${found}, and this Rollcall needs ${known}. MIGRATE_AT_START is off, so the server does not migrate it: run rollcall db migrate, then start the server.`,
  )
}

/** Why a file is left as it is by whoever may not migrate. */
function olderVersion(found: number): Error {
  return new Error(
    `The database is of an older version of Rollcall (${found}; this one writes ${migrations.length}). Stop the server and start it with this version, or run rollcall migrate: each makes a copy first.`,
  )
}

const storedVersion = (db: Database.Database): number =>
  Number(db.pragma('user_version', { simple: true }))

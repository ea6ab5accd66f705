/** Decides when a database is migrated to this version, and copies it first. */
import { renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from './sqlite-connection.ts'
import { migrate, migrations, newerVersion } from './schema.ts'

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
    return { found: versionOf(db), known }
  } finally {
    db.close()
  }
}

/**
 * Creates the tables in an empty file. A database of another version is migrated only with `migrates`, and after
 * a copy beside it; otherwise it fails with a message, because an older server may be running on it. Returns the
 * path of the copy.
 */
export async function bringUpToDate(
  db: Database.Database,
  file: string,
  { migrates }: { readonly migrates: boolean },
): Promise<string | null> {
  const found = versionOf(db)
  const known = migrations.length
  if (found === known) return null
  if (found > known) throw newerVersion(found)
  if (found === 0) {
    await migrate(db)
    return null
  }
  if (!migrates) throw olderVersion(found)
  const copy = path.join(path.dirname(file), `rollcall.before-v${known}.db`)
  copyTo(db, copy)
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

/** Why a file is left as it is by whoever may not migrate. */
function olderVersion(found: number): Error {
  return new Error(
    `The database is of an older version of Rollcall (${found}; this one writes ${migrations.length}). Stop the server and start it with this version, or run rollcall migrate: each makes a copy first.`,
  )
}

const versionOf = (db: Database.Database): number =>
  Number(db.pragma('user_version', { simple: true }))

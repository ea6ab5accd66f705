/** Migrates a database to this version if permitted, after making a copy of it. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from './sqlite-connection.ts'
import {
  migrate,
  migrations,
  createNewerVersionError,
  parseVersion,
  getReportedVersion,
} from './schema.ts'

export type Versions = {
  /** Null if there is no database yet. */
  readonly found: number | null
  readonly known: number
}

/**
 * Returns the version of the database in a data folder without changing anything. Throws SQLite's error if the file is
 * not a database.
 */
export function readVersions(dataDir: string): Versions {
  const file = path.join(dataDir, DATABASE_FILE)
  const latestVersion = migrations.length
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) return { found: null, known: latestVersion }
  // SQLite would delete the log of an empty file when opening it, and the log may contain all the data.
  if (size === 0) return { found: 0, known: latestVersion }
  const db = new Database(file, { readonly: true })
  try {
    return { found: getReportedVersion(readStoredVersion(db), latestVersion), known: latestVersion }
  } finally {
    db.close()
  }
}

type MigrationPermissions = {
  /** True for a server and for the migration command. */
  readonly migrates: boolean
  /** False for a server that leaves the migration to the command. */
  readonly migratesAtStart: boolean
}

/**
 * Creates the tables in an empty file. Migrates a database from another version only with both permissions, after
 * making a copy in the same folder. Otherwise fails with a message, because an older server may be using it. Returns
 * the path of the copy. Null if no copy was needed.
 */
export async function migrateDatabase(
  db: Database.Database,
  file: string,
  { migrates, migratesAtStart }: MigrationPermissions,
): Promise<string | null> {
  const storedVersion = readStoredVersion(db)
  const latestVersion = migrations.length
  if (storedVersion === latestVersion) return null
  const reportedVersion = getReportedVersion(storedVersion, latestVersion)
  if (reportedVersion > latestVersion) throw createNewerVersionError(reportedVersion)
  if (storedVersion === 0) {
    await migrate(db)
    return null
  }
  if (!migrates) throw createOlderVersionError(reportedVersion)
  if (!migratesAtStart) throw createNotMigratedError(reportedVersion, latestVersion)
  const copyPath = path.join(path.dirname(file), `rollcall.before-v${latestVersion}.db`)
  // An interrupted migration has already made the copy, and has changed the file since.
  const isInterrupted = parseVersion(storedVersion).from !== null
  if (!isInterrupted || !existsSync(copyPath)) copyDatabaseTo(db, copyPath)
  await migrate(db)
  return copyPath
}

/** Returns the path that a copy has until it is complete. */
export const getPartialCopyPath = (copyPath: string): string => `${copyPath}.part`

/**
 * Copies the whole database into one file, as of one point in time, while other connections read and write. Throws
 * SQLite's errors. A failed copy leaves no file; an older file of the same name is replaced only by a complete copy.
 */
export function copyDatabaseTo(db: Database.Database, copyPath: string): void {
  const partialPath = getPartialCopyPath(copyPath)
  rmSync(partialPath, { force: true })
  try {
    db.prepare('VACUUM INTO ?').run(partialPath)
    removeMark(partialPath)
    renameSync(partialPath, copyPath)
  } catch (error) {
    rmSync(partialPath, { force: true })
    throw error
  }
}

/**
 * Removes the mark that identifies a server's file (detect-replaced-database.ts), because the copy may later replace
 * that file.
 */
function removeMark(copyPath: string): void {
  const db = new Database(copyPath)
  try {
    db.pragma('application_id = 0')
  } finally {
    db.close()
  }
}

/** Creates the error for a server that does not migrate an older database at startup. */
export function createNotMigratedError(databaseVersion: number, requiredVersion: number): Error {
  return new Error(
    `The database has version ${databaseVersion}, and this version of Rollcall needs ${requiredVersion}. MIGRATE_AT_START is off, so the server does not migrate it: run rollcall db migrate, then start the server.`,
  )
}

/** Creates the error for a process that may not migrate an older database. */
function createOlderVersionError(databaseVersion: number): Error {
  return new Error(
    `The database is from an older version of Rollcall (${databaseVersion}; this one needs ${migrations.length}). Stop the server and start it with this version, or run rollcall db migrate. Both make a copy first.`,
  )
}

const readStoredVersion = (db: Database.Database): number =>
  Number(db.pragma('user_version', { simple: true }))

/** Detects that a data folder has lost its database. The server then creates an empty one only on request. */
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Instant } from '../../../engine/index.ts'
import { DATABASE_FILE, DATABASE_FILES } from '../database/sqlite-connection.ts'
import { formatRestoreCommands, listRescuedFiles } from './rescued-databases.ts'

/** Matches files in a data folder that only a server, a backup, a restore or a migration creates. */
const DATA_FILE_PATTERN =
  /^(uploads|mail|backed-up|last-served\.json|serving\.lock|rollcall\.db-(wal|journal)|rollcall\.before-v\d+\.db|before-(restore|rescue).*|rollcall\.rescued.*\.db)$/
/** The size of SQLite's largest page. A database file of one page may contain no tables. */
const MAX_PAGE_BYTES = 65_536

/**
 * Thrown so that a server does not serve an empty database in place of a lost one. The message includes the next step.
 */
export class LostDatabase extends Error {}

/**
 * Explains that a data folder has no database, although it contains files from an earlier server. Null if it has a
 * database, or never had one.
 */
export function explainLostDatabase(dataDir: string): string | null {
  const missingParts = describeMissing(dataDir)
  if (missingParts === null) return null
  const dataFiles = findDataFiles(dataDir)
  if (dataFiles.length === 0) return null
  const lastRescued = listRescuedFiles(dataDir).at(-1)
  const instruction =
    lastRescued === undefined
      ? 'Restore it, for example with rollcall db restore DIR.'
      : `The server that used it saved its data to ${lastRescued}. To use it, run: ${formatRestoreCommands(dataDir, lastRescued)}. Then start the server.`
  return `${missingParts}, and ${dataDir} contains ${dataFiles.toSorted().join(', ')} of an earlier one. ${instruction} To begin with an empty database instead, run rollcall start --new once.`
}

/** Explains to a command, which never creates a database, that there is none. Null if the database exists. */
export function explainMissingDatabase(dataDir: string): string | null {
  const missingParts = describeMissing(dataDir)
  if (missingParts === null) return null
  return (
    explainLostDatabase(dataDir) ??
    `${missingParts}. If DATA_DIR is the wrong folder, correct it. If the installation is new, start the server: its first start creates the database.`
  )
}

const findDataFiles = (dataDir: string): readonly string[] =>
  existsSync(dataDir)
    ? readdirSync(dataDir).filter(
        (name) => DATA_FILE_PATTERN.test(name) && !isEmptyLog(path.join(dataDir, name)),
      )
    : []

/** Returns true for an empty log, which contains no data. A first start on a full disk leaves one behind. */
const isEmptyLog = (file: string): boolean =>
  /-(wal|journal)$/.test(file) && statSync(file, { throwIfNoEntry: false })?.size === 0

/** Returns true if a server has used the data folder, with any kind of database. */
export const hasServerTraces = (dataDir: string): boolean => findDataFiles(dataDir).length > 0

/** Describes what is missing of a database, as the beginning of a sentence. Null if nothing is missing. */
export function describeMissing(dataDir: string): string | null {
  const file = path.join(dataDir, DATABASE_FILE)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return `There is no database ${file}`
  if (stats.size === 0) return `The database ${file} is empty`
  return stats.size <= MAX_PAGE_BYTES && hasNoTables(file)
    ? `The database ${file} has no tables`
    : null
}

/** Returns false if the file cannot be read, too. The code that opens the file then explains why. */
function hasNoTables(file: string): boolean {
  try {
    const db = new Database(file, { readonly: true })
    try {
      const version = Number(db.pragma('user_version', { simple: true }))
      return version === 0 && db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}

/**
 * Moves the remaining files of a lost database into a separate folder, because SQLite would delete the log of a missing
 * database. Returns the folder and the file names. Null if no database was lost, or if none of its files remain.
 */
export function moveRemainingFilesAside(
  dataDir: string,
  at: Instant,
): { readonly folder: string; readonly names: readonly string[] } | null {
  const getSize = (name: string): number | undefined =>
    statSync(path.join(dataDir, name), { throwIfNoEntry: false })?.size
  const names = DATABASE_FILES.filter((name) => getSize(name) !== undefined)
  if (describeMissing(dataDir) === null || names.every((name) => getSize(name) === 0)) return null
  const folder = path.join(dataDir, `before-new-${at}`)
  mkdirSync(folder)
  for (const name of names) renameSync(path.join(dataDir, name), path.join(folder, name))
  return { folder, names }
}

/**
 * Detects a data folder that has lost its database: a server starts with an empty one only on request.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Instant } from '../../../engine/index.ts'
import { DATABASE_FILE, DATABASE_FILES } from '../database/sqlite-connection.ts'
import { formatCommands, listRescuedFiles } from './rescued-databases.ts'

/** Files that only a server, a backup, a restore or a migration leaves in a data folder. */
const DATA_FILE_PATTERN =
  /^(uploads|mail|backed-up|last-served\.json|serving\.lock|rollcall\.db-(wal|journal)|rollcall\.before-v\d+\.db|before-(restore|rescue).*|rollcall\.rescued.*\.db)$/
/** A file of one page may hold no tables: the largest page of SQLite. */
const PAGE_BYTES_MAX = 65_536

/** An empty database is not served in place of a lost one; the message is a sentence with the next step. */
export class LostDatabase extends Error {}

/**
 * Explains why a data folder with data of an earlier server has no database, in a sentence. Null if it has one, or
 * never had.
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
      : `The server that used it saved its data to ${lastRescued}. To use it, run: ${formatCommands(dataDir, lastRescued)}. Then start the server.`
  return `${missingParts}, and ${dataDir} contains ${dataFiles.toSorted().join(', ')} of an earlier one. ${instruction} To begin with an empty database instead, run rollcall start --new once.`
}

/** Explains why a command has no database to work on: commands create none. Null if there is one. */
export function explainMissingDatabase(dataDir: string): string | null {
  const missingParts = describeMissing(dataDir)
  if (missingParts === null) return null
  return (
    explainLostDatabase(dataDir) ??
    `${missingParts}. If DATA_DIR names the wrong folder, correct it. If the installation is new, start the server: its first start creates the database.`
  )
}

const findDataFiles = (dataDir: string): readonly string[] =>
  existsSync(dataDir)
    ? readdirSync(dataDir).filter(
        (name) => DATA_FILE_PATTERN.test(name) && !isEmptyLog(path.join(dataDir, name)),
      )
    : []

/** A log without content holds no data: a first start that found its disk full leaves one. */
const isEmptyLog = (file: string): boolean =>
  /-(wal|journal)$/.test(file) && statSync(file, { throwIfNoEntry: false })?.size === 0

/** Returns true if a server has used a data folder, wherever its database was. */
export const hasServerTraces = (dataDir: string): boolean => findDataFiles(dataDir).length > 0

/** Describes which parts of a database a data folder lacks, as the start of a sentence. Null if none. */
export function describeMissing(dataDir: string): string | null {
  const file = path.join(dataDir, DATABASE_FILE)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return `There is no database ${file}`
  if (found.size === 0) return `The database ${file} has no content`
  return found.size <= PAGE_BYTES_MAX && hasNoTables(file)
    ? `The database ${file} has no tables`
    : null
}

/** Also false if it cannot be read; the code that opens it explains why. */
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
 * Moves the remaining files of a lost database into a separate folder: SQLite would delete the log of a missing
 * database. Returns that folder and the names. Null if nothing was lost, or nothing is left.
 */
export function moveRestAside(
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

/**
 * Detects a data folder that has lost its database: a server starts with an empty one only on request.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Instant } from '../../../engine/index.ts'
import { DATABASE_FILE, DATABASE_FILES } from '../database/sqlite-connection.ts'
import { commandsFor, rescuedFiles } from './rescued-databases.ts'

/** What a server, a backup, a restore or a migration leaves in a data folder, and nothing else does. */
const TRACES =
  /^(uploads|mail|backed-up|last-served\.json|serving\.lock|rollcall\.db-(wal|journal)|rollcall\.before-v\d+\.db|before-(restore|rescue).*|rollcall\.rescued.*\.db)$/
/** A file of one page may hold no tables: the largest page of SQLite. */
const PAGE_BYTES_MAX = 65_536

/** An empty database is not served in place of a lost one; the message is a sentence with the next step. */
export class LostDatabase extends Error {}

/**
 * Explains why a data folder with traces of an earlier server has no database, in a sentence; null: it has one,
 * or never had.
 */
export function lostDatabase(dataDir: string): string | null {
  const lack = lackOf(dataDir)
  if (lack === null) return null
  const traces = tracesIn(dataDir)
  if (traces.length === 0) return null
  const rescued = rescuedFiles(dataDir).at(-1)
  const back =
    rescued === undefined
      ? 'Put that back, for example with rollcall db restore DIR.'
      : `The server that used it wrote what it held into ${rescued}. To use it, run: ${commandsFor(dataDir, rescued)}. Then start the server.`
  return `${lack}, and ${dataDir} contains ${traces.toSorted().join(', ')} of an earlier one. ${back} To begin with an empty database instead, run rollcall start --new once.`
}

/** Explains why a command has no database to work on: commands create none. Null: there is one. */
export function absentDatabase(dataDir: string): string | null {
  const lack = lackOf(dataDir)
  if (lack === null) return null
  return (
    lostDatabase(dataDir) ??
    `${lack}. If DATA_DIR names the wrong folder, correct it. If the installation is new, start the server: its first start creates the database.`
  )
}

const tracesIn = (dataDir: string): readonly string[] =>
  existsSync(dataDir) ? readdirSync(dataDir).filter((name) => TRACES.test(name)) : []

/** Returns true if a server has used a data folder, wherever its database was. */
export const holdsTraces = (dataDir: string): boolean => tracesIn(dataDir).length > 0

/** Describes what a data folder lacks for a database, as the start of a sentence; null: nothing. */
export function lackOf(dataDir: string): string | null {
  const file = path.join(dataDir, DATABASE_FILE)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return `There is no database ${file}`
  if (found.size === 0) return `The database ${file} has no content`
  return found.size <= PAGE_BYTES_MAX && hasNoTables(file)
    ? `The database ${file} has no tables`
    : null
}

/** False also where it cannot be read: whoever opens it says why. */
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
 * database. Returns that folder and the names; null: nothing was lost, or nothing is left.
 */
export function moveRestAside(
  dataDir: string,
  at: Instant,
): { readonly folder: string; readonly names: readonly string[] } | null {
  const sizeOf = (name: string): number | undefined =>
    statSync(path.join(dataDir, name), { throwIfNoEntry: false })?.size
  const names = DATABASE_FILES.filter((name) => sizeOf(name) !== undefined)
  if (lackOf(dataDir) === null || names.every((name) => sizeOf(name) === 0)) return null
  const folder = path.join(dataDir, `before-new-${at}`)
  mkdirSync(folder)
  for (const name of names) renameSync(path.join(dataDir, name), path.join(folder, name))
  return { folder, names }
}

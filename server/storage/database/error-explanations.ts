/**
 * Explains database and disk errors to operators, with the next step.
 * SQLite's own messages are for programmers.
 */
import { statfsSync } from 'node:fs'
import { OF_POSTGRES } from './transient-errors.ts'
import { mayPass, postgresTrouble } from '../postgres/error-explanations.ts'
import { StoreBusy } from './store-busy-error.ts'

export type Trouble = {
  readonly text: string
  /** May pass without a change of settings: the same operation can be retried later. */
  readonly isTemporary: boolean
}

type Row = readonly [pattern: RegExp, text: string, is?: 'temporary']

const FULL = 'its disk has no room left. Free some space'
const TROUBLES: readonly Row[] = [
  [
    /file is not a database/,
    'it is not a database, or one of another program. Put back the last backup',
  ],
  [
    /database disk image is malformed|malformed database schema/,
    'it is damaged. Put back the last backup, or let "sqlite3 rollcall.db .recover" save what can be read',
  ],
  [
    /attempt to write a readonly database/,
    'it cannot be written. Give the user who runs Rollcall the right to write it and its folder',
  ],
  [/unable to open database file/, 'it cannot be opened. Look who may read it and its folder'],
  [/database or disk is full/, FULL, 'temporary'],
  [/disk I\/O error/, 'its disk reports an error. Look at the system log', 'temporary'],
  [/database is locked/, 'another program holds it. Wait until that one has ended', 'temporary'],
]
/** What SQLite calls an error of the disk or of the file where there is no room for what it needs beside it. */
const MAY_BE_FULL = /disk I\/O error|unable to open database file/
/** Less than the index of the log, which SQLite makes when it opens a database, and some pages. */
const FULL_BYTES = 256 * 1024

/** The same for a file or folder, by the system's code or SQLite's. */
const PLACE_TROUBLES: readonly Row[] = [
  [/^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)/, 'has no room left. Free some space.', 'temporary'],
  [
    /^(EACCES|EPERM|EROFS|EISDIR|ENOTEMPTY|SQLITE_CANTOPEN|SQLITE_READONLY)/,
    'cannot be written. Give the user who runs Rollcall the right to write there.',
  ],
  [
    /^(EIO|SQLITE_IOERR)/,
    'cannot be read or written: the disk reports an error. Look at the system log.',
    'temporary',
  ],
  [/^(ENOTDIR|EEXIST)/, 'is inside something that is not a folder. Name another place.'],
  [
    /^(EMFILE|ENFILE)/,
    'cannot be opened, because too many files are open. Raise the limit (LimitNOFILE of the unit).',
    'temporary',
  ],
]

/** Explains why a location could not be written, in sentences; null for any other error. */
export function placeTrouble(error: unknown, place: string): string | null {
  return ofPlace(error, place)?.text ?? null
}

function ofPlace(error: unknown, place: string): Trouble | null {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  const found = PLACE_TROUBLES.find(([pattern]) => typeof code === 'string' && pattern.test(code))
  return found === undefined
    ? null
    : { text: `${place} ${found[1]}`, isTemporary: found[2] === 'temporary' }
}

/** These are sentences already. */
const SENTENCE =
  /^(?:The database (?:is of an? (?:older|newer) version of Rollcall|in PostgreSQL |\S+ has no |rollcall\.db in .* was deleted, replaced)|The log rollcall\.db-wal in |There is no database )/

/** Describes a database error that no program can correct, in a sentence; null for any other. */
export const databaseTrouble = (error: unknown): string | null =>
  ofDatabase(error, null)?.text ?? null

function ofDatabase(error: unknown, dataDir: string | null): Trouble | null {
  const message = error instanceof Error ? error.message : String(error)
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (SENTENCE.test(message))
    return { text: message, isTemporary: typeof code === 'string' && mayPass(code) }
  const isFull = MAY_BE_FULL.test(message) && dataDir !== null && isFullAt(dataDir)
  const found = TROUBLES.find(([pattern]) => pattern.test(message))
  if (found === undefined) return null
  const [, text, is] = found
  return {
    text: `The database rollcall.db in DATA_DIR cannot be used: ${isFull ? FULL : text}. Nothing in it was changed.`,
    isTemporary: isFull || is === 'temporary',
  }
}

function isFullAt(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < FULL_BYTES
  } catch {
    return false
  }
}

/** Explains a machine problem that stops a server or command; null: the error is a bug of ours. */
export function troubleOf(error: unknown, dataDir: string): Trouble | null {
  const busy = ofBusy(error)
  if (busy !== null) return busy
  const database = ofDatabase(error, dataDir)
  if (database !== null) return database
  const { path } = (error ?? {}) as { readonly path?: unknown }
  const place = ofPlace(error, typeof path === 'string' ? path : dataDir)
  if (place !== null || !(error instanceof StoreBusy)) return place
  return { text: `The database does not answer: ${error.message}.`, isTemporary: true }
}

/** The store did nothing: it says why, or it is being started again. */
function ofBusy(error: unknown): Trouble | null {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof code !== 'string' || !code.startsWith(OF_POSTGRES)) return null
  const why = postgresTrouble(code.slice(OF_POSTGRES.length))
  return {
    text: `The database in PostgreSQL cannot be used: ${String(message)}.${why === null ? '' : ` ${why}`}`,
    isTemporary: true,
  }
}

/**
 * Explains why a database accepts no writes, for the health check: without names, addresses and numbers, because
 * it is public.
 */
export function writeTrouble(code: string): string {
  const why = code.startsWith(OF_POSTGRES) ? postgresTrouble(code.slice(OF_POSTGRES.length)) : null
  if (why !== null) return `The database does not take writes. ${why}`
  const found = PLACE_TROUBLES.find(([pattern]) => pattern.test(code))
  return found === undefined
    ? 'The database does not take writes.'
    : `The database does not take writes. Its disk ${found[1]}`
}

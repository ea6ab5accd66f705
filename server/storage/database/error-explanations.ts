/**
 * Explains database and disk errors to operators, with the next step.
 * SQLite's own messages are for programmers.
 */
import { existsSync, statfsSync } from 'node:fs'
import path from 'node:path'
import { OF_POSTGRES } from './transient-errors.ts'
import { mayPass, postgresTrouble } from '../postgres/error-explanations.ts'
import { StoreBusy, UploadsUnavailable } from './store-busy-error.ts'
import { isOfDescriptors, RAISE_LIMIT, tooFewDescriptors } from '../../ops/file-descriptors.ts'

export type Trouble = {
  readonly text: string
  /** May pass without a change of settings: the same operation can be retried later. */
  readonly isTemporary: boolean
}

type Row = readonly [pattern: RegExp, text: string, is?: 'temporary']

const FULL = 'its disk has no room left. Free some space'
const NO_FILES =
  'its disk has no free inodes left, and no file can be created there. Remove files that are not needed'
const TROUBLES: readonly Row[] = [
  [
    /file is not a database/,
    'it is not a database, or one of another program. Put back the last backup',
  ],
  [
    /database disk image is malformed|malformed database schema/,
    'it is damaged. Stop the server, keep a copy of rollcall.db and of rollcall.db-wal and rollcall.db-shm beside it, and put back the last backup (rollcall db restore DIR --move-aside)',
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
    /^EROFS/,
    'is on a disk that is mounted read-only. Look at the system log, and mount it so that it can be written.',
    'temporary',
  ],
  [
    /^(EACCES|EPERM|EISDIR|ENOTEMPTY|SQLITE_CANTOPEN|SQLITE_READONLY)/,
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
    'cannot be opened, because too many files are open. Raise the limit: LimitNOFILE of the unit, or ulimit -n in a shell.',
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
  if (found === undefined) return null
  const isTemporary = found[2] === 'temporary'
  // The same code for both.
  if (code === 'ENOSPC' && fullAt(place) === NO_FILES)
    return { text: `${place} cannot be written: ${NO_FILES}.`, isTemporary }
  return { text: `${place} ${found[1]}`, isTemporary }
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
  const full = MAY_BE_FULL.test(message) && dataDir !== null ? fullAt(dataDir) : null
  const found = TROUBLES.find(([pattern]) => pattern.test(message))
  if (found === undefined) return null
  const [, text, is] = found
  return {
    text: `The database rollcall.db in DATA_DIR cannot be used: ${full ?? text}. Nothing in it was changed.`,
    isTemporary: full !== null || is === 'temporary',
  }
}

/** What the disk of a file or folder has run out of; null: of nothing, or it is not known. */
function fullAt(place: string): string | null {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(existing(place))
    if (files > 0 && ffree === 0) return NO_FILES
    return bavail * bsize < FULL_BYTES ? FULL : null
  } catch {
    return null
  }
}

/** The file or folder, or the folder in which it would be. */
const existing = (place: string): string =>
  existsSync(place) || path.dirname(place) === place ? place : existing(path.dirname(place))

/** Explains a machine problem that stops a server or command; null: the error is a bug in Rollcall. */
export function troubleOf(error: unknown, dataDir: string): Trouble | null {
  const few = ofDescriptors(error)
  if (few !== null) return few
  const busy = ofBusy(error)
  if (busy !== null) return busy
  const database = ofDatabase(error, dataDir)
  if (database !== null) return database
  const { path: at } = (error ?? {}) as { readonly path?: unknown }
  const place = ofPlace(error, typeof at === 'string' ? at : dataDir)
  if (place !== null || !(error instanceof StoreBusy)) return place
  return {
    text: `The database does not answer: ${error.message}. Wait some seconds.`,
    isTemporary: true,
  }
}

/** Threads and SQLite report a lack of descriptors without its code. */
function ofDescriptors(error: unknown): Trouble | null {
  const { message = '' } = (error ?? {}) as { readonly message?: unknown }
  if (
    !/Worker initialization failure: E[MN]FILE|unable to open database file/.test(String(message))
  )
    return null
  const few = tooFewDescriptors()
  return few === null ? null : { text: few, isTemporary: true }
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

/**
 * Explains for the log why requests are refused, with the next step. `lost`: what happened to the database file; null:
 * nothing.
 */
export function refusalCause(
  error: Error & { readonly code?: string },
  lost: string | null,
): string {
  if (lost !== null)
    return `the database file ${lost}. Do not stop the server before this log says where its data is, then do what it says there`
  if (error instanceof StoreBusy) {
    if (error instanceof UploadsUnavailable)
      return 'the object storage does not store or return files'
    if (error.code === '') return 'the database does not answer'
    return error.code.startsWith(OF_POSTGRES)
      ? 'PostgreSQL does not take writes'
      : 'the disk of DATA_DIR does not take what the database writes'
  }
  if (isOfDescriptors(error)) return `too many files and connections are open. ${RAISE_LIMIT}`
  return /^E[A-Z]+$/.test(error.code ?? '')
    ? 'the disk of DATA_DIR takes no more. Free some space'
    : 'more is being sent at once than the memory holds'
}

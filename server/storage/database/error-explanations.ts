/**
 * Explains database and disk errors to operators, and gives the next step.
 * SQLite's own messages are written for programmers.
 */
import { existsSync, statfsSync } from 'node:fs'
import path from 'node:path'
import { POSTGRES_PREFIX } from './transient-errors.ts'
import { isTransient, explainPostgresError } from '../postgres/error-explanations.ts'
import { isUpdatingRegistrations, StoreBusy, UploadsUnavailable } from './store-busy-error.ts'
import {
  isDescriptorError,
  RAISE_LIMIT_ADVICE,
  explainTooFewDescriptors,
} from '../../ops/file-descriptors.ts'
import { MissingParentFolder } from '../../ops/file-permissions.ts'

export type ErrorExplanation = {
  readonly text: string
  /** True if the error may resolve itself, so that the operation can be retried. */
  readonly isTemporary: boolean
}

type ErrorRow = readonly [pattern: RegExp, text: string, is?: 'temporary']

const DISK_FULL_TEXT = 'its disk has no space left. Free some space'
const NO_INODES_TEXT =
  'its disk has no free inodes, so no file can be created. Remove unneeded files'
const SQLITE_ERRORS: readonly ErrorRow[] = [
  [
    /file is not a database/,
    'it is not a database, or it belongs to another program. Restore the last backup',
  ],
  [
    /database disk image is malformed|malformed database schema/,
    'it is damaged. Stop the server, keep a copy of rollcall.db and of rollcall.db-wal and rollcall.db-shm next to it, and restore the last backup (rollcall db restore DIR --move-aside)',
  ],
  [
    /attempt to write a readonly database/,
    'it cannot be written. Give the user that runs Rollcall write permission for the file and its folder',
  ],
  [
    /unable to open database file/,
    'it cannot be opened. Check the permissions of the file and its folder',
  ],
  [/database or disk is full/, DISK_FULL_TEXT, 'temporary'],
  [/disk I\/O error/, 'its disk reports an error. Check the system log', 'temporary'],
  [/database is locked/, 'another program is using it. Wait until that program ends', 'temporary'],
]
/** Matches SQLite's messages for disk and file errors that a full disk can also cause. */
const POSSIBLY_FULL_PATTERN = /disk I\/O error|unable to open database file/
/** SQLite needs this much free space to open a database, because it creates the log's index and writes some pages. */
const MIN_FREE_BYTES = 256 * 1024

/** Explanations of file and folder errors, by the error code of the system or of SQLite. */
const FILE_ERRORS: readonly ErrorRow[] = [
  [/^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)/, 'has no space left. Free some space.', 'temporary'],
  [
    /^EROFS/,
    'is on a disk that is mounted read-only. Check the system log, and mount the disk read-write.',
    'temporary',
  ],
  [
    /^(EACCES|EPERM|EISDIR|ENOTEMPTY|SQLITE_CANTOPEN|SQLITE_READONLY)/,
    'cannot be written. Give the user that runs Rollcall write permission.',
  ],
  [
    /^(EIO|SQLITE_IOERR)/,
    'cannot be read or written: the disk reports an error. Check the system log.',
    'temporary',
  ],
  [
    /^(ENOTDIR|EEXIST)/,
    'is in a path that contains a file instead of a folder. Choose another location.',
  ],
  [
    /^(EMFILE|ENFILE)/,
    'cannot be opened because too many files are open. Raise the limit: LimitNOFILE in the systemd unit, or ulimit -n in a shell.',
    'temporary',
  ],
]

/** Explains why a location cannot be written. Null for any other error. */
export function explainFileError(error: unknown, location: string): string | null {
  return explainFile(error, location)?.text ?? null
}

function explainFile(error: unknown, location: string): ErrorExplanation | null {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  const match = FILE_ERRORS.find(([pattern]) => typeof code === 'string' && pattern.test(code))
  if (match === undefined) return null
  const isTemporary = match[2] === 'temporary'
  // A disk without free space and a disk without free inodes report the same code.
  if (code === 'ENOSPC' && findFullDisk(location) === NO_INODES_TEXT)
    return { text: `${location} cannot be written: ${NO_INODES_TEXT}.`, isTemporary }
  return { text: `${location} ${match[1]}`, isTemporary }
}

/** Matches messages that are already complete sentences. */
const SENTENCE_PATTERN =
  /^(?:The database (?:is from an? (?:older|newer) version of Rollcall|in PostgreSQL |\S+ has no |rollcall\.db in .* was deleted, replaced)|The log rollcall\.db-wal in |There is no database )/

/** Explains a database error that an operator has to resolve. Null for any other error. */
export const explainStoreError = (error: unknown): string | null =>
  explainDatabase(error, null)?.text ?? null

function explainDatabase(error: unknown, dataDir: string | null): ErrorExplanation | null {
  const message = error instanceof Error ? error.message : String(error)
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (SENTENCE_PATTERN.test(message))
    return { text: message, isTemporary: typeof code === 'string' && isTransient(code) }
  const diskFull =
    POSSIBLY_FULL_PATTERN.test(message) && dataDir !== null ? findFullDisk(dataDir) : null
  const match = SQLITE_ERRORS.find(([pattern]) => pattern.test(message))
  if (match === undefined) return null
  const [, text, temporary] = match
  return {
    text: `The database rollcall.db in DATA_DIR cannot be used: ${diskFull ?? text}. Nothing in it was changed.`,
    isTemporary: diskFull !== null || temporary === 'temporary',
  }
}

/** Returns the exhausted resource of the disk. Null if no resource is exhausted, or if this cannot be determined. */
function findFullDisk(location: string): string | null {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(findExistingFolder(location))
    if (files > 0 && ffree === 0) return NO_INODES_TEXT
    return bavail * bsize < MIN_FREE_BYTES ? DISK_FULL_TEXT : null
  } catch {
    return null
  }
}

/** Returns the file or folder itself, or its nearest existing parent folder. */
const findExistingFolder = (location: string): string =>
  existsSync(location) || path.dirname(location) === location
    ? location
    : findExistingFolder(path.dirname(location))

/** Explains a problem with the machine that stops a server or command. Null if the error is a bug in Rollcall. */
export function explainMachineProblem(error: unknown, dataDir: string): ErrorExplanation | null {
  if (error instanceof MissingParentFolder) return { text: error.message, isTemporary: false }
  const tooManyFiles = explainDescriptors(error)
  if (tooManyFiles !== null) return tooManyFiles
  const busy = explainBusy(error)
  if (busy !== null) return busy
  const database = explainDatabase(error, dataDir)
  if (database !== null) return database
  const { path: errorPath } = (error ?? {}) as { readonly path?: unknown }
  const fileError = explainFile(error, typeof errorPath === 'string' ? errorPath : dataDir)
  if (fileError !== null || !(error instanceof StoreBusy)) return fileError
  return {
    text: `The database does not respond: ${error.message}. Wait a few seconds.`,
    isTemporary: true,
  }
}

/**
 * Explains a lack of file descriptors, which threads and SQLite report without an error code. Null for other errors.
 */
function explainDescriptors(error: unknown): ErrorExplanation | null {
  const { message = '' } = (error ?? {}) as { readonly message?: unknown }
  if (
    !/Worker initialization failure: E[MN]FILE|unable to open database file/.test(String(message))
  )
    return null
  const tooManyFiles = explainTooFewDescriptors()
  return tooManyFiles === null ? null : { text: tooManyFiles, isTemporary: true }
}

/** Explains why PostgreSQL did not run the operation. Null for any other error. */
function explainBusy(error: unknown): ErrorExplanation | null {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof code !== 'string' || !code.startsWith(POSTGRES_PREFIX)) return null
  const reason = explainPostgresError(code.slice(POSTGRES_PREFIX.length))
  return {
    text: `The database in PostgreSQL cannot be used: ${String(message)}.${reason === null ? '' : ` ${reason}`}`,
    isTemporary: true,
  }
}

/**
 * Explains why a database does not accept writes, for the health check. Contains no names, addresses or numbers,
 * because the health check is public.
 */
export function explainWriteError(code: string): string {
  const reason = code.startsWith(POSTGRES_PREFIX)
    ? explainPostgresError(code.slice(POSTGRES_PREFIX.length))
    : null
  if (reason !== null) return `The database does not accept writes. ${reason}`
  const match = FILE_ERRORS.find(([pattern]) => pattern.test(code))
  return match === undefined
    ? 'The database does not accept writes.'
    : `The database does not accept writes. Its disk ${match[1]}`
}

/**
 * Returns the log message that explains why requests are refused and gives the next step. `lossDescription` states what
 * happened to a lost database file. Null if the file was not lost.
 */
export function explainRefusal(
  error: Error & { readonly code?: string },
  lossDescription: string | null,
): string {
  if (lossDescription !== null)
    return `the database file ${lossDescription}. Keep the server running until this log states where the data was saved, then follow the instructions there`
  if (error instanceof StoreBusy) {
    if (error instanceof UploadsUnavailable)
      return 'the object storage does not store or return files'
    if (isUpdatingRegistrations(error))
      return 'an event file was changed, and its existing registrations are processed first'
    if (error.code === '') return 'the database does not respond'
    return error.code.startsWith(POSTGRES_PREFIX)
      ? 'PostgreSQL does not accept writes'
      : 'the disk of DATA_DIR does not accept writes by the database'
  }
  if (isDescriptorError(error))
    return `too many files and connections are open. ${RAISE_LIMIT_ADVICE}`
  return /^E[A-Z]+$/.test(error.code ?? '')
    ? 'the disk of DATA_DIR is full. Free some space'
    : 'the requests being received need more memory than is available'
}

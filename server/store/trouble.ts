/** What is wrong with a database, in words for whoever looks after it: those of SQLite are for programmers. */

const TROUBLES: readonly (readonly [RegExp, string])[] = [
  [/file is not a database/, 'it is not a database, or one of another program'],
  [
    /database disk image is malformed|malformed database schema/,
    'it is damaged; put back the last copy, or let "sqlite3 rollcall.db .recover" save what can be read',
  ],
  [
    /attempt to write a readonly database/,
    'it cannot be written; give the user who runs Rollcall the right to write it and its folder',
  ],
  [/unable to open database file/, 'it cannot be opened; look who may read it and its folder'],
  [/database or disk is full/, 'the disk is full'],
  [/disk I\/O error/, 'the disk reports an error; look at the system log'],
  [/database is locked/, 'another program holds it; wait until that one has ended'],
]

/** The same for a file or folder, by the system's code or SQLite's. */
const PLACE_TROUBLES: readonly (readonly [RegExp, string])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)/, 'has no room left'],
  [/^(EACCES|EPERM|EROFS|EISDIR|ENOTEMPTY|SQLITE_CANTOPEN|SQLITE_READONLY)/, 'cannot be written'],
  [/^(EIO|SQLITE_IOERR)/, 'cannot be read or written: the disk reports an error'],
  [/^(ENOTDIR|EEXIST)/, 'is inside something that is not a folder'],
]

/** Why nothing could be written to a place, in a sentence; null for any other error. */
export function placeTrouble(error: unknown, place: string): string | null {
  const { code = '' } = (error ?? {}) as { readonly code?: string }
  const found = PLACE_TROUBLES.find(([pattern]) => pattern.test(code))
  return found === undefined ? null : `${place} ${found[1]}.`
}

/** These are sentences already. */
const SENTENCE =
  /^The database (?:is of an? (?:older|newer) version of Rollcall|in PostgreSQL |rollcall\.db in .* was deleted, replaced)/

/** A sentence for an error of a database that no program can mend; null for any other. */
export function databaseTrouble(error: unknown): string | null {
  const message = error instanceof Error ? error.message : String(error)
  if (SENTENCE.test(message)) return message
  const found = TROUBLES.find(([pattern]) => pattern.test(message))
  return found === undefined
    ? null
    : `The database rollcall.db in DATA_DIR cannot be used: ${found[1]}. Nothing in it was changed.`
}

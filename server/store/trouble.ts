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
  [/database is locked/, 'another program holds it; wait until that one has ended'],
]

/** These are sentences already. */
const SENTENCE = /^The database (?:is of an? (?:older|newer) version of Rollcall|in PostgreSQL )/

/** A sentence for an error of a database that no program can mend; null for any other. */
export function databaseTrouble(error: unknown): string | null {
  const message = error instanceof Error ? error.message : String(error)
  if (SENTENCE.test(message)) return message
  const found = TROUBLES.find(([pattern]) => pattern.test(message))
  return found === undefined
    ? null
    : `The database rollcall.db in DATA_DIR cannot be used: ${found[1]}. Nothing in it was changed.`
}

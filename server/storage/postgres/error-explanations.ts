/** Explains PostgreSQL errors to operators, with the next step. */

type ErrorExplanation = { readonly code: string; readonly message: string }

/** Advice by PostgreSQL error code. The code is empty if PostgreSQL was not reached. */
const ADVICE_BY_CODE: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'PostgreSQL cannot be reached. Start it, or correct DATABASE_URL.'],
  [
    /^57P0/,
    'PostgreSQL is starting, stopping or recovering. Wait until it accepts connections, and check its log.',
  ],
  [
    /^53300/,
    'PostgreSQL has no free connection. Close other connections, or raise max_connections or the connection limit of the role or database.',
  ],
  [/^53[14]00/, 'PostgreSQL has no space left on its disk. Free some space on its machine.'],
  [/^53/, 'PostgreSQL is out of memory or another resource. Check its log.'],
  [
    /^25006/,
    'PostgreSQL is read-only. It is a standby, or default_transaction_read_only is on: promote it, turn that setting off, or change DATABASE_URL to the server that accepts writes.',
  ],
  [
    /^42501/,
    'The user in DATABASE_URL may not create tables there. Make that user the owner of the database: ALTER DATABASE … OWNER TO ….',
  ],
  [/^28/, 'PostgreSQL refuses the user or the password in DATABASE_URL. Correct them.'],
  [/^3D000/, 'The database in DATABASE_URL does not exist. Create it or correct the name.'],
]

/** Returns one or two sentences without addresses or names. Null if operators cannot resolve the error. */
export const explainPostgresError = (code: string): string | null =>
  ADVICE_BY_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? null

/** Explains a TLS failure, which has no PostgreSQL code and is not resolved by a retry. Null for any other message. */
export function explainTlsError(message: string): string | null {
  if (/does not support SSL/.test(message))
    return 'Turn on ssl in PostgreSQL, or remove sslmode from DATABASE_URL.'
  return /certificate|Hostname\/IP does not match/i.test(message)
    ? 'The certificate of PostgreSQL is not trusted. Add sslrootcert=FILE (its CA certificate) to DATABASE_URL, and use the host name in the certificate.'
    : null
}

/** Explains that the database has no Rollcall tables, and the possible causes. */
export const explainMissingTables = (name: string): string =>
  `The database in PostgreSQL has no Rollcall tables: "${name}", the one in DATABASE_URL, is empty or belongs to another program. If it is the wrong database, correct DATABASE_URL. If the tables were lost, restore them with pg_restore. If the installation is new, start the server: its first start creates the tables.`

export const READ_ONLY = '25006'
/** PostgreSQL has no free connection. Open connections still work. */
export const NO_CONNECTION = '53300'
/** Returns the code of an error. If a standby refused a write, returns the general read-only code instead. */
export function normaliseErrorCode({ code, message }: ErrorExplanation): string {
  return code === '0A000' && /recovery/.test(message) ? READ_ONLY : code
}

/**
 * Returns true for an error that may go away by itself: a restart, a lost connection, too many connections, a full
 * disk, or a standby that has not been promoted yet.
 */
export const isTransient = (code: string): boolean => /^(|08.*|53.*|57P0.|25006)$/.test(code)

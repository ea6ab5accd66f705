/** Defines the errors of failed PostgreSQL operations. */

/** Refused with an error code; everything uncommitted is rolled back. */
export class PostgresRefused extends Error {
  readonly code: string
  /** The violated constraint. Empty if none. */
  readonly constraint: string
  constructor(code: string, message: string, constraint = '') {
    super(message)
    this.code = code
    this.constraint = constraint
  }
}

/** The connection has ended; during a commit, it is unknown whether the commit succeeded. */
export class ConnectionLost extends Error {
  /** The server's closing message. Empty if it sent none, or was not reached. */
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** No server can start on the database; the message is a sentence for the operator. */
export class UnusableDatabase extends Error {
  /** PostgreSQL's reason; 'unusable' if another database is required. */
  readonly code: string
  constructor(message: string, code = 'unusable') {
    super(message)
    this.code = code
  }
}

export const isPostgresError = (error: unknown): error is PostgresRefused | ConnectionLost =>
  error instanceof PostgresRefused || error instanceof ConnectionLost

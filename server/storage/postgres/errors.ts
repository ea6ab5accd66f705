/** Defines the errors that PostgreSQL operations throw. */

/** Thrown when PostgreSQL refused a statement with an error code. The transaction is rolled back. */
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

/** Thrown when the connection ended. During a commit, it is unknown whether the commit succeeded. */
export class ConnectionLost extends Error {
  /** The server's message when it closed the connection. Empty if it sent none, or if it was not reached. */
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Thrown when a server cannot start with this database. The message is a sentence for the operator. */
export class UnusableDatabase extends Error {
  /** PostgreSQL's error code, or 'unusable' if a different database is required. */
  readonly code: string
  constructor(message: string, code = 'unusable') {
    super(message)
    this.code = code
  }
}

export const isPostgresError = (error: unknown): error is PostgresRefused | ConnectionLost =>
  error instanceof PostgresRefused || error instanceof ConnectionLost

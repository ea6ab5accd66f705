/** How PostgreSQL ends what it does not do. */

/** It said no, under a code of its own; whatever was not committed is undone. */
export class PostgresRefused extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The connection has ended; where that was while committing, nobody knows whether it was done. */
export class ConnectionLost extends Error {
  /** As the server said farewell; empty: it said nothing, or was not reached. */
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** No server can start on the database; the message is a sentence for whoever wants to. */
export class UnusableDatabase extends Error {
  /** Why, as PostgreSQL says it; 'unusable': the database itself would have to be another. */
  readonly code: string
  constructor(message: string, code = 'unusable') {
    super(message)
    this.code = code
  }
}

export const isOfPostgres = (error: unknown): error is PostgresRefused | ConnectionLost =>
  error instanceof PostgresRefused || error instanceof ConnectionLost

/** Which errors of a database are the machine's and not the request's: it may be tried again. */
import Database from 'better-sqlite3'
import { isOfPostgres, PostgresRefused } from '../postgres/errors.ts'
import { codeOf } from '../postgres/error-explanations.ts'

/**
 * Disk, memory, another process; of PostgreSQL by its classes: connection, transaction, rolled back by the server, out of
 * something, not in the state for it, an operator, the system.
 */
export const isOfTheMachine = (error: unknown): boolean =>
  error instanceof Database.SqliteError
    ? /^SQLITE_(FULL|IOERR|NOMEM|BUSY|LOCKED|READONLY|CANTOPEN)/.test(error.code)
    : error instanceof PostgresRefused && /^(08|25|40|53|55|57|58)/.test(error.code)

/** Before the codes of PostgreSQL, of which one is empty: it was not reached. */
export const OF_POSTGRES = 'postgres:'

/** What a database says of an error, for `StoreBusy`: SQLite's code, or PostgreSQL's. */
export function codeOfBusy(error: unknown): string {
  if (error instanceof Database.SqliteError) return error.code
  return isOfPostgres(error) ? OF_POSTGRES + codeOf(error) : ''
}

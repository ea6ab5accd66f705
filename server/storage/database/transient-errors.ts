/** Identifies database errors caused by the machine, after which a request can be retried. */
import Database from 'better-sqlite3'
import { isPostgresError, PostgresRefused } from '../postgres/errors.ts'
import { normaliseErrorCode } from '../postgres/error-explanations.ts'
import { StoreBusy } from './store-busy-error.ts'

/**
 * Returns true for errors caused by the disk, by a lack of memory or by another process. PostgreSQL's errors are
 * recognised by their class: connection, transaction, rollback by the server, lack of resources, wrong state, operator
 * intervention, system error.
 */
export const isMachineError = (error: unknown): boolean =>
  error instanceof Database.SqliteError
    ? /^SQLITE_(FULL|IOERR|NOMEM|BUSY|LOCKED|READONLY|CANTOPEN)/.test(error.code)
    : error instanceof PostgresRefused && /^(08|25|40|53|55|57|58)/.test(error.code)

/** The prefix added to PostgreSQL's codes. An empty code means that the server was not reached. */
export const POSTGRES_PREFIX = 'postgres:'

/** Returns the error code of SQLite or PostgreSQL for `StoreBusy`. */
export function getBusyCode(error: unknown): string {
  if (error instanceof Database.SqliteError || error instanceof StoreBusy) return error.code
  return isPostgresError(error) ? POSTGRES_PREFIX + normaliseErrorCode(error) : ''
}

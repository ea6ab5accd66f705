/** Stores the key of each operation in its transaction. */
import { randomBytes } from 'node:crypto'
import { createClock } from '../../ops/clock.ts'
import type { Sql } from '../database/sqlite-connection.ts'

// If the connection is lost during COMMIT, the key shows whether the operation was stored.

/**
 * Longer than the time for which a commit is checked, so that servers do not delete a key too early if their clocks
 * differ by minutes.
 */
const RETENTION_MS = 15 * 60 * 1000
const TIME_DIGITS = 12
const RANDOM_BYTES = 10

/** Returns the real time regardless of CLOCK, because PostgreSQL deletes keys by its own clock. */
const clock = createClock(null)
/** Keys begin with the time, so that keys created together share index pages. */
export const createCommitKey = (): string =>
  clock().toString(16).padStart(TIME_DIGITS, '0') + randomBytes(RANDOM_BYTES).toString('hex')

export const STORE_COMMIT_KEY = 'INSERT INTO commit_keys (key, is_committed) VALUES ($1, true)'
/** Waits for a running transaction with the same key. */
const RESERVE_COMMIT_KEY =
  'INSERT INTO commit_keys (key, is_committed) VALUES ($1, false) ON CONFLICT (key) DO NOTHING'
const READ_COMMIT_KEY = 'SELECT is_committed AS "isCommitted" FROM commit_keys WHERE key = $1'

type Connection = {
  readonly sql: Sql
  begin(texts: readonly string[], trustsSeats: boolean): void
  commit(): Promise<void>
}

/**
 * Returns true if the operation with that key was stored. Otherwise reserves the key, so that PostgreSQL refuses a late
 * COMMIT and the caller can retry the operation.
 */
export async function isCommitted(
  connection: Connection,
  begin: readonly string[],
  key: string,
): Promise<boolean> {
  connection.begin(begin, false)
  connection.sql(RESERVE_COMMIT_KEY).run(key)
  const row = await connection.sql<{ isCommitted: number }>(READ_COMMIT_KEY).get(key)
  await connection.commit()
  return row?.isCommitted === 1
}

export const deleteOldCommitKeys = `DELETE FROM commit_keys WHERE key <
  rpad(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - ${RETENTION_MS}), ${TIME_DIGITS}, '0'), 32, '0')::uuid`

/** Stores the key of each operation in the operation's transaction. */
import { randomBytes } from 'node:crypto'
import { createClock } from '../../ops/clock.ts'
import type { Sql } from '../database/sqlite-connection.ts'

// If the connection is lost during COMMIT, the key shows whether the operation was stored.

/**
 * How long a key is kept: longer than a server checks for a commit, so that no key is deleted too early by a server
 * whose clock differs by minutes.
 */
const RETENTION_MS = 15 * 60 * 1000
const TIME_DIGITS = 12
const RANDOM_BYTES = 10

/** Returns the real time, even if CLOCK is set, because PostgreSQL deletes keys by its own clock. */
const clock = createClock(null)
/** Creates a key that begins with the time, so that keys created at about the same time share index pages. */
export const createCommitKey = (): string =>
  clock().toString(16).padStart(TIME_DIGITS, '0') + randomBytes(RANDOM_BYTES).toString('hex')

export const STORE_COMMIT_KEY = 'INSERT INTO commit_keys (key, is_committed) VALUES ($1, true)'
/** Waits until a running transaction with the same key has ended. */
const RESERVE_COMMIT_KEY =
  'INSERT INTO commit_keys (key, is_committed) VALUES ($1, false) ON CONFLICT (key) DO NOTHING'
const READ_COMMIT_KEY = 'SELECT is_committed AS "isCommitted" FROM commit_keys WHERE key = $1'

type Connection = {
  readonly sql: Sql
  begin(texts: readonly string[], trustsSeats: boolean): void
  commit(): Promise<void>
}

/**
 * Returns true if the operation with this key was stored. Otherwise reserves the key: PostgreSQL then refuses a late
 * COMMIT, so the caller can retry the operation.
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

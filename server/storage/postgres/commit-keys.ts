/**
 * Keys of operations, each stored in the transaction of its operation: after a connection was lost during COMMIT they say
 * whether it was stored.
 */
import { randomBytes } from 'node:crypto'
import { createClock } from '../../ops/clock.ts'
import type { Sql } from '../database/sqlite-connection.ts'

/** Longer than an answer is looked for. Clocks of servers that agree within minutes delete none too early. */
const KEPT_MS = 15 * 60 * 1000
const TIME_DIGITS = 12
const RANDOM_BYTES = 10

/** The real time, whatever CLOCK says: PostgreSQL deletes keys by its own. */
const clock = createClock(null)
/** Begins with the time, so that those of a moment share pages of the index. */
export const newCommitKey = (): string =>
  clock().toString(16).padStart(TIME_DIGITS, '0') + randomBytes(RANDOM_BYTES).toString('hex')

export const STORE_COMMIT_KEY = 'INSERT INTO commit_keys (key, is_committed) VALUES ($1, true)'
/** Waits for a transaction with the same key that has not ended. */
const TAKE_COMMIT_KEY =
  'INSERT INTO commit_keys (key, is_committed) VALUES ($1, false) ON CONFLICT (key) DO NOTHING'
const READ_COMMIT_KEY = 'SELECT is_committed AS "isCommitted" FROM commit_keys WHERE key = $1'

type Connection = {
  readonly sql: Sql
  begin(texts: readonly string[], trustsSeats: boolean): void
  commit(): Promise<void>
}

/**
 * Whether the operation with that key was stored. If it was not, its key is taken: a COMMIT that arrives late is refused
 * by PostgreSQL, so the operation can be run again.
 */
export async function isCommitted(
  connection: Connection,
  begin: readonly string[],
  key: string,
): Promise<boolean> {
  connection.begin(begin, false)
  connection.sql(TAKE_COMMIT_KEY).run(key)
  const found = await connection.sql<{ isCommitted: number }>(READ_COMMIT_KEY).get(key)
  await connection.commit()
  return found?.isCommitted === 1
}

export const deleteOldCommitKeys = `DELETE FROM commit_keys WHERE key <
  rpad(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - ${KEPT_MS}), ${TIME_DIGITS}, '0'), 32, '0')::uuid`
